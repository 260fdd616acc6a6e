"""Options belong to methods; one that a method does not use is refused."""

from __future__ import annotations

from typing import Any

import pytest

from eigenthemes import KB, AverageOptions, ContextOptions, EigenOptions, Linker, OptionError
from eigenthemes.evaluation.comparison import evaluate
from eigenthemes.ranking.methods import METHODS, scoring_options
from eigenthemes.records import Document, Mention

UNUSED: list[tuple[str, Any]] = [
    ("degree", EigenOptions(k=3)),
    ("selftrained", EigenOptions()),
    ("prior-name", AverageOptions()),
    ("namematch", ContextOptions()),
    ("eigen", AverageOptions()),
    ("average", EigenOptions()),
    ("eigen-unweighted", EigenOptions(delta=2.0)),
    ("eigen-unweighted", EigenOptions(weights="none")),
    ("average-unweighted", AverageOptions(delta=0.5)),
    ("global-context", ContextOptions(window=3)),
]


@pytest.mark.parametrize(("method", "options"), UNUSED, ids=lambda value: str(value)[:40])
def test_options_that_a_method_does_not_use_are_refused(method: str, options: Any) -> None:
    with pytest.raises(OptionError, match=r"means nothing|takes") as refused:
        METHODS[method].check_options(method, options)
    assert refused.value.code == "unused-option"
    assert "leave" in refused.value.remedy


def test_options_that_are_used_are_taken(tiny: KB) -> None:
    """k reaches the subspace: one theme ranks otherwise than all."""
    text = "Michael Jordan played in the NBA, and Jordan lies by Iowa and Paris."
    one, all_ = (Linker(tiny, method="eigen", scoring=EigenOptions(k=k)).link(text) for k in (1, None))
    assert [link.score for link in one.links] != [link.score for link in all_.links]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"k": 0}, "k is 0"),
        ({"delta": -1.0}, "delta is -1"),
        ({"delta": float("nan")}, "delta is nan"),
        ({"weights": "loud"}, "weights 'loud' is unknown"),
        ({"weights": "local", "window": 0}, "window is 0"),
        ({"window": 3}, "window means nothing"),
        ({"weights": "global", "window": 3}, "window means nothing"),
        ({"word_vectors": "/nowhere"}, "word_vectors means nothing"),
    ],
)
def test_values_that_mean_nothing_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        EigenOptions(**options)


def test_a_linker_takes_no_options_of_methods_beside_scoring(tiny: KB) -> None:
    with pytest.raises(TypeError):
        Linker(tiny, method="degree", k=3, word_vectors="/nowhere")  # type: ignore[call-arg]


def test_each_method_of_several_takes_what_it_uses() -> None:
    methods = {name: METHODS[name] for name in ("eigen", "degree", "local-context")}
    options = scoring_options(methods, {"k": 3, "window": 7})
    assert options == {"eigen": EigenOptions(k=3), "degree": None, "local-context": ContextOptions(window=7)}


def test_an_option_that_none_of_several_methods_uses_is_refused(tiny: KB) -> None:
    documents = [Document(mentions=(Mention("Iowa", gold=("iowa",)),))]
    with pytest.raises(OptionError, match="k means nothing to any of degree, average") as refused:
        evaluate(tiny, documents, ["degree", "average"], scoring={"k": 3})
    assert refused.value.where == "k"
    assert evaluate(tiny, documents, ["degree", "eigen"], scoring={"k": 3}).methods["eigen"].p_at_1


def test_vectors_and_thresholds_that_mean_nothing_are_refused(tiny: KB) -> None:
    with pytest.raises(OptionError, match="the vectors prone mean nothing to the method degree"):
        Linker(tiny, method="degree", vectors="prone")
    documents = [Document(mentions=(Mention("Iowa", gold=("iowa",)),))]
    with pytest.raises(OptionError, match="a threshold means nothing"):
        evaluate(tiny, documents, ["degree", "eigen"], threshold=0.5)
    with pytest.raises(OptionError, match="delta means nothing to candidates that all weigh the same"):
        EigenOptions(weights="none", delta=3.0)


def test_a_threshold_where_every_mention_is_linked_is_refused(demo_kb: KB) -> None:
    with pytest.raises(OptionError, match="a threshold means nothing where every mention is linked"):
        Linker(demo_kb, allow_nil=False, threshold=0.4)
