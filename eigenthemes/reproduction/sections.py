"""The sections of the report, named as the paper's tables and figures: what is computed, what is shown, what is claimed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eigenthemes.reproduction import analyses, figures, shown, spaces, verdicts
from eigenthemes.reproduction.earnings import OURS, THEIRS, Row
from eigenthemes.reproduction.neural import neural
from eigenthemes.reproduction.supervised import supervised

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenthemes.core.progress import Advance
    from eigenthemes.reproduction.lab import Lab
    from eigenthemes.reproduction.plan import SectionPlan
    from eigenthemes.reproduction.shown import Shown
    from eigenthemes.reproduction.verdicts import Verdict

_COLLECTIVE = ["degree", "average", "eigen", "prior-name", "selftrained"]
_PAPER: dict[str, Any] = {"generator": "paper", "max_candidates": 20, "vectors": ""}


@dataclass(frozen=True, slots=True)
class Section:
    """A kind of section.

    title, about  what it is, and how it was made
    compute       its rows; None: it shows those of the sections in `uses`
    draw, table   pictures and tables of rows
    judge         what the paper finds, and where that holds in these rows
    options       what a plan may change, with defaults
    alone         nothing else may run meanwhile: time is measured
    long          begin with it, where several are computed at a time
    reads         sets without texts, descriptions or word vectors are left out
    """

    title: str
    about: str
    compute: Callable[[Lab, SectionPlan, Advance], Iterator[Row]] | None = None
    draw: Callable[[Sequence[Row]], Figure] | None = None
    table: Callable[[Sequence[Row]], list[Shown]] | None = None
    judge: Callable[[Sequence[Row]], list[Verdict]] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    uses: tuple[str, ...] = ()
    alone: bool = False
    long: bool = False
    reads: bool = False


SECTIONS: dict[str, Section] = {
    "figure-1": Section(
        "Figure 1 (right): the candidates of a document",
        "The candidates of every name in the demo's text on machine learning, on the two strongest themes of the document. "
        "Triangles are what the names mean.",
        spaces.demo_space,
        figures.demo_space,
    ),
    "figure-5": Section(
        "Figure 5: the pipeline",
        "From a document to its links: candidates, their vectors, the weighted subspace, the nearest candidate of each name.",
        None,
        figures.pipeline,
    ),
    "table-1": Section(
        "Table 1: the sets of documents",
        "Easy: the candidate with the highest prior is right. Hard: another candidate is. Not found: none is. First with "
        "all candidates, as in the paper's Table 1, then with at most T. The paper's generator finds every entity whose "
        "names contain all words of the mention; sets marked * bring the candidates that were published for them.",
        analyses.datasets,
        None,
        shown.datasets,
        verdicts.datasets,
        {"generator": "paper", "max_candidates": 20},
    ),
    "table-2": Section(
        "Table 2: precision@1 and MRR",
        "Every mention with gold counts, those whose gold is not in the KB too. **Bold**: best of its column; †: "
        "significantly better than the second best (Student's paired t-test over mentions, p < 0.01). In the findings, here "
        "and in all sections, a difference under half a point is no clear one; in this table, neither is one between "
        "Eigenthemes and another method that the t-test does not confirm. Below the line: methods of this project. Context "
        "methods need a text and descriptions.",
        analyses.quality,
        None,
        shown.quality,
        verdicts.quality,
        {**_PAPER, "methods": [*THEIRS, *OURS], "ties": "share"},
        long=True,
    ),
    "table-2-neural": Section(
        "Table 2, the neural rivals",
        "tau-MIL-ND (Le and Titov, 2019) and its weighted variant, trained here on the texts of each set without its gold; "
        "mean ± deviation over the seeds. The paper trains it on the New York Times corpus. Models are trained once and "
        "kept; linking times are those of one core.",
        neural,
        None,
        shown.neural,
        verdicts.neural,
        {
            "generator": "paper",
            "max_candidates": 20,
            "seeds": 5,
            "epochs": 10,
            "methods": ["degree", "eigen", "prior-name", "selftrained"],
        },
        alone=True,
        reads=True,
    ),
    "table-3": Section(
        "Table 3: supervised",
        "A random forest judges each candidate from the prior P(e|m) (F1), the context score (F2), the coherence with the "
        "entities chosen in a first pass (F3), and the Eigenthemes score (F4). Split by document; every seed draws another "
        "split and another forest; mean ± deviation over the seeds. F2 compares words with descriptions, the paper's had "
        "word and entity vectors trained together; F1 is counted in the training documents unless the plan names a "
        "dictionary of mentions, which the paper had. Both forests choose from two features at a split.",
        supervised,
        None,
        shown.supervised,
        verdicts.supervised,
        {
            "generator": "paper",
            "max_candidates": 20,
            "dictionary": "",
            "seeds": 5,
            "training_share": 0.67,
            "trees": 40,
            "least_in_leaf": 10,
        },
        long=True,
        reads=True,
    ),
    "figure-2": Section(
        "Figure 2: gold entities lie together",
        "The candidates of documents drawn at random, on the first two components of their subspace. Triangles are gold.",
        spaces.sample_spaces,
        figures.sample_spaces,
        None,
        verdicts.sample_spaces,
        {"generator": "paper", "documents": 5, "least": 8, "most": 40},
    ),
    "gold-score": Section(
        "The score of gold entities against that of other candidates",
        "(G − N) / N for every mention with a gold candidate and another one: G is the score of the gold entity, N the "
        "average of the others. Interval: bootstrap over documents, 95 %. The paper: 0.81 [0.78, 0.84].",
        spaces.gold_score,
        figures.gold_score,
        shown.gold_score,
        verdicts.gold_score,
        {"generator": "paper"},
    ),
    "figure-3a": Section(
        "Figure 3a: mutilation, fewer and fewer easy mentions",
        "A share of the easy mentions is taken out before linking; subspaces are fitted to what remains. Not-found mentions "
        "stay in the denominator. Mean over runs; a band shows twice the deviation.",
        analyses.mutilation,
        figures.mutilation,
        None,
        verdicts.mutilation,
        {**_PAPER, "methods": _COLLECTIVE, "runs": 10},
        long=True,
    ),
    "figure-3b": Section(
        "Figure 3b: other domains, and tables",
        "Precision@1 of the methods on sets of other kinds, nothing tuned again. The grey line is the ceiling of the "
        "candidates.",
        None,
        figures.domains,
        None,
        verdicts.domains,
        uses=("table-2",),
    ),
    "figure-4": Section(
        "Figure 4: the spectrum of methods",
        "The paper's summary, from measured values. Efficacy: precision@1 divided by the ceiling, mean over sets. "
        "Robustness: the share of precision@1 that remains when half of the easy mentions are gone. Scalability: documents "
        "linked a second, one core. A letter is given for efficacy within a tenth of the best, for robustness at least a "
        "fifth of the way from that of degree to 1, for more than 100 documents a second.",
        None,
        figures.spectrum,
        shown.spectrum,
        verdicts.spectrum,
        uses=("table-2", "figure-3a", "run-times"),
    ),
    "figure-6": Section(
        "Figure 6: recall of the candidates",
        "The share of mentions whose gold is among the first T candidates, with and without aliases (the paper's "
        "generator), and with the generator of this project.",
        analyses.recall,
        figures.recall,
        None,
        verdicts.recall,
        {"limits": [1, 2, 5, 10, 20, 50, 100, 0]},
    ),
    "figure-7ab": Section(
        "Figure 7a-b: which vectors",
        "The same candidates for all vectors, found by this project's generator, which drops none; entities without a "
        "vector come last. *random* is a control: directions without any meaning, so that nothing but priors and "
        "repetitions can help.",
        analyses.embeddings,
        figures.embeddings,
        None,
        verdicts.embeddings,
    ),
    "figure-7cd": Section(
        "Figure 7c-d: how many components",
        "Eigenthemes without weights.",
        analyses.components,
        figures.components,
        None,
        verdicts.components,
        {**_PAPER, "components": [1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50]},
    ),
    "figure-8ab": Section(
        "Figure 8a-b: weights on and off",
        "Weights are 1 / rank by prior.",
        None,
        figures.weights,
        None,
        verdicts.weights,
        uses=("table-2",),
    ),
    "figure-8cd": Section(
        "Figure 8c-d: what the weights come from",
        "Candidates are ranked by prior, by local or by global context (all words of the document) for their weights. "
        "Below, what that ranking earns alone; ties go to the higher prior, as in the weights (in Table 2 they share the "
        "credit).",
        analyses.schemes,
        figures.schemes,
        None,
        verdicts.schemes,
        _PAPER,
    ),
    "figure-9": Section(
        "Figure 9: candidates T and exponent δ",
        "Weighted Eigenthemes. What is easy and what is hard is decided among all candidates, so every point of a line "
        "counts the same mentions.",
        analyses.limits_and_deltas,
        figures.limits_and_deltas,
        None,
        verdicts.limits_and_deltas,
        {**_PAPER, "limits": [1, 2, 5, 10, 20, 50, 100], "deltas": [0.25, 0.5, 1, 2, 4]},
    ),
    "ablations": Section(
        "Ablations the paper states in words",
        "Themes scaled by their strength against themes that count the same; vectors of unit length against vectors as they "
        "were learned (known for DeepWalk and imported ones). The last two are choices the paper leaves open.",
        analyses.ablations,
        None,
        shown.ablations,
        verdicts.ablations,
        _PAPER,
    ),
    "windows": Section(
        "The window of the local context",
        "Precision@1 of the local context by the number of words on each side; the dashed line is the global context.",
        analyses.windows,
        figures.windows,
        None,
        verdicts.windows,
        {**_PAPER, "windows": [1, 2, 3, 5, 10, 20, 50]},
        reads=True,
    ),
    "graphs": Section(
        "Density of the graphs",
        "Edges divided by nodes, beside the paper's figures, and how many nodes have at least a degree.",
        analyses.graphs,
        figures.graphs,
        shown.graphs,
        verdicts.graphs,
    ),
    "run-times": Section(
        "Run times",
        "Documents a second on one core, candidates and scores: the best of several runs; of methods that read the text the "
        "first run, since tagged nouns and description vectors are remembered.",
        analyses.run_times,
        None,
        shown.run_times,
        verdicts.run_times,
        {**_PAPER, "methods": [*THEIRS, *OURS], "runs": 3},
        alone=True,
    ),
}
