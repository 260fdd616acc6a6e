"""Measure the speed of look-ups: python -m benchmarks.bench_candidates [--only batch|tantivy|typos|singles|growth|startup]

batch     mentions/s in one batch, one core: the largest synthetic KB, and the general KG with the real mentions of wned-cweb
tantivy   the same as a conjunctive query of tantivy on the general KG, top 20 by a fast field, in the same run
typos     unknown words against the vocabulary: our index and rapidfuzz
singles   one mention at a time through `CandidateGenerator.find`
growth    time per mention against the size of the KG; also a picture
startup   import, opening a KB, first look-up, each in a fresh process

Whatever is compared takes turns, and the best of several rounds counts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import (
    CHECKOUT,
    RESULTS,
    SOURCES,
    add_sizes,
    best_times,
    child_environment,
    parse_arguments,
    print_table,
    read_mentions,
    real_kb,
    save_results,
    say,
    synthetic_kb,
)
from benchmarks.synthetic import draw_mentions
from eigenthemes.core.strings import hash_bytes
from eigenthemes.kb.store import KB
from eigenthemes.names.generator import MAX_CANDIDATES, CandidateGenerator
from eigenthemes.names.typos import LONGEST, ONE_EDIT, TWO_EDITS
from eigenthemes.text.normalize import normalize

GENERATORS = ("paper", "default")
DRAWN = 200_000  # mentions drawn from a synthetic KB
SINGLES = 10_000
UNKNOWN = 200  # unknown words; rapidfuzz takes milliseconds for each
ROUNDS = 5
Row = dict[str, Any]


def main() -> None:
    parts: dict[str, tuple[str, Callable[[argparse.Namespace], list[Row]]]] = {
        "batch": ("Look-up in batch, one core", measure_batches),
        "tantivy": ("Against tantivy: general KG, real mentions of wned-cweb", measure_tantivy),
        "typos": ("Unknown words against the vocabulary of the general KG", measure_typos),
        "singles": ("One by one through the Python API", measure_singles),
        "growth": ("Look-up against the size of the KG", measure_growth),
        "startup": ("Fresh processes, best of 5", measure_startup),
    }

    def add_only(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--only", choices=parts, help="measure one part only")

    arguments = parse_arguments(__doc__, add_sizes, add_only)
    for part, (title, measure) in parts.items():
        if arguments.only in (None, part):
            say(part)
            rows = measure(arguments)
            save_results("candidates", {part: rows})
            print_table(title, rows)
            if part == "growth":
                plot_growth(rows, RESULTS / "lookup-growth.png")


def measure_batches(arguments: argparse.Namespace) -> list[Row]:
    """Mentions as they come, and each distinct string once."""
    size = max(arguments.sizes)
    kb = synthetic_kb(size, arguments.cache)
    named = {f"synthetic {size:,}": (kb, draw_mentions(kb, DRAWN))}
    named["general, wned-cweb"] = (real_kb("general", arguments.cache), cweb_mentions())
    rows = []
    for name, (kb, mentions) in named.items():
        rows.append({"KB": name, **batch_speed(kb, mentions)})
        rows.append({"KB": f"{name}, distinct", **batch_speed(kb, list(dict.fromkeys(mentions)))})
    return rows


def batch_speed(kb: KB, mentions: Sequence[str]) -> Row:
    """Mentions/s of both generators, and of normalising alone, which is part of both."""
    generators = {name: warm(kb, name, mentions) for name in GENERATORS}
    tasks: dict[str, Callable[[], Any]] = {name: _batch(generator, mentions) for name, generator in generators.items()}
    tasks["normalize only"] = lambda: [normalize(mention) for mention in dict.fromkeys(mentions)]
    repeat = max(1, 20_000 // len(mentions))
    times = best_times(ROUNDS, {name: _repeated(task, repeat) for name, task in tasks.items()})
    speeds = {f"{name}, mentions/s": repeat * len(mentions) / seconds for name, seconds in times.items()}
    return {"mentions": len(mentions), **speeds, "default : paper": times["paper"] / times["default"]}


def measure_tantivy(arguments: argparse.Namespace) -> list[Row]:
    """Both search the same tokens; tantivy gets its queries ready made, ours the raw strings."""
    kb, mentions = real_kb("general", arguments.cache), cweb_mentions()
    index = index_with_tantivy(kb)
    searcher = index.searcher()
    check_against_tantivy(kb, searcher, index.schema, list(dict.fromkeys(mentions))[::5])
    rows = []
    for name, texts in (("as they come", mentions), ("distinct", list(dict.fromkeys(mentions)))):
        rows += compare_with_tantivy(name, kb, searcher, index.schema, texts)
    return rows


def compare_with_tantivy(name: str, kb: KB, searcher: Any, schema: Any, mentions: Sequence[str]) -> list[Row]:
    """Mentions/s of tantivy and of ours, in batch and one by one."""
    paper, default = (warm(kb, name, mentions) for name in GENERATORS)
    queries = [tantivy_query(schema, mention) for mention in mentions]
    times = best_times(
        ROUNDS,
        {
            "tantivy, ready-made queries": lambda: [search_tantivy(searcher, query) for query in queries],
            "paper, batch": _batch(paper, mentions),
            "default, batch": _batch(default, mentions),
            "paper, one by one": lambda: [paper.find(mention) for mention in mentions],
        },
    )
    first = next(iter(times.values()))
    return [
        {"wned-cweb": name, "what": what, "mentions/s": len(mentions) / seconds, "times tantivy": first / seconds}
        for what, seconds in times.items()
    ]


def index_with_tantivy(kb: KB) -> Any:
    """One document per named entity: all tokens of its names; prior as a fast field. One segment, in memory."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("tokens", tokenizer_name="whitespace", index_option="basic")
    builder.add_float_field("prior", fast=True)
    builder.add_integer_field("entity", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(heap_size=1_000_000_000, num_threads=1)
    for entity in range(len(kb)):
        names = kb.names_of(entity)
        if names:
            tokens = " ".join(normalize(name) for name in names)
            writer.add_document(tantivy.Document(tokens=tokens, prior=float(kb.prior[entity]), entity=entity))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def tantivy_query(schema: Any, mention: str) -> Any:
    """All tokens of the mention must be there."""
    from tantivy import Occur, Query

    terms = [Query.term_query(schema, "tokens", token, "basic") for token in dict.fromkeys(normalize(mention).split())]
    return terms[0] if len(terms) == 1 else Query.boolean_query([(Occur.Must, term) for term in terms])


def search_tantivy(searcher: Any, query: Any) -> Any:
    """The hits (prior, address) of the 20 highest priors."""
    return searcher.search(query, limit=MAX_CANDIDATES, count=False, order_by_field="prior").hits


def check_against_tantivy(kb: KB, searcher: Any, schema: Any, mentions: Sequence[str]) -> None:
    """Both find the same priors, and the same entities above the lowest prior, where ties may be cut differently."""
    generator = CandidateGenerator(kb, generator="paper")
    for mention in mentions:
        hits = search_tantivy(searcher, tantivy_query(schema, mention))
        theirs = {(prior, searcher.doc(address)["entity"][0]) for prior, address in hits}
        table = generator.find(mention)
        ours = set(zip(table.prior.tolist(), table.entity.tolist(), strict=True))
        full = len(ours) == MAX_CANDIDATES
        lowest = min((prior for prior, _ in ours), default=0.0) if full else -1.0
        same = {pair for pair in ours if pair[0] > lowest} == {pair for pair in theirs if pair[0] > lowest}
        if not same or len(ours) != len(theirs):
            sys.exit(f"tantivy and the paper's generator differ for {mention!r}: {sorted(theirs)} and {sorted(ours)}")
    say(f"tantivy and the paper's generator agree on {len(mentions):,} names, ties at the cut apart")


def measure_typos(arguments: argparse.Namespace) -> list[Row]:
    """Our whole look-up of an unknown word against rapidfuzz alone over the words that may have typos."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    from eigenthemes.names.typos import similar_tokens

    kb = real_kb("general", arguments.cache)
    words, tokens = unknown_words(kb), kb.name_index.tokens
    vocabulary = [token for token in tokens if allowed_edits(token)]
    generator = warm(kb, "default", words)
    distance: Any = OSA.distance

    def scan(word: str) -> Any:
        return process.extract(word, vocabulary, scorer=distance, score_cutoff=allowed_edits(word), limit=None)

    times = best_times(
        3,
        {
            "default generator, batch": _repeated(_batch(generator, words), 20),
            "similar_tokens": lambda: similar_tokens(words, tokens, kb.name_index.typos),
            "rapidfuzz process.extract": lambda: [scan(word) for word in words],
        },
    )
    times["default generator, batch"] /= 20
    for word in words:
        [(similar, _)] = similar_tokens([word], tokens, kb.name_index.typos)
        _must_find_the_same(word, {tokens[token] for token in similar}, scan(word))
    slowest = times["rapidfuzz process.extract"]
    return [
        {
            "what": what,
            "words": len(words),
            "microseconds per word": 1e6 * seconds / len(words),
            "times rapidfuzz": slowest / seconds,
        }
        for what, seconds in times.items()
    ]


def unknown_words(kb: KB) -> list[str]:
    """Words of the real mentions that no name has and that are long enough for a typo, and misspelt known words."""
    table = kb.name_index.token_table
    said = dict.fromkeys(word for mention in cweb_mentions() for word in normalize(mention).split() if allowed_edits(word))
    misspelt = [word[:2] + word[3:] for word in said if allowed_edits(word[1:])]
    return [word for word in (*said, *misspelt) if table.find(hash_bytes(word.encode())) < 0][:UNKNOWN]


def allowed_edits(word: str) -> int:
    """How many edits `names.typos` allows in a word."""
    if not ONE_EDIT <= len(word) <= LONGEST or any(map(str.isdigit, word)):
        return 0
    return 2 if len(word) >= TWO_EDITS else 1


def measure_singles(arguments: argparse.Namespace) -> list[Row]:
    """`find` in a loop, after enough look-ups for the kernels to be in use."""
    size = max(arguments.sizes)
    synthetic = synthetic_kb(size, arguments.cache)
    named = {
        f"synthetic {size:,}": (synthetic, draw_mentions(synthetic, SINGLES)),
        "general, wned-cweb": (real_kb("general", arguments.cache), cweb_mentions()[:SINGLES]),
    }
    rows = []
    for name, (kb, mentions) in named.items():
        generators = {generator: warm(kb, generator, mentions) for generator in GENERATORS}
        times = best_times(ROUNDS, {key: _singly(generator, mentions) for key, generator in generators.items()})
        rows.append({"KB": name, **{f"{key}, /s": len(mentions) / seconds for key, seconds in times.items()}})
    return rows


def measure_growth(arguments: argparse.Namespace) -> list[Row]:
    """The same number of mentions drawn from KBs of growing size; sizes take turns too."""
    tasks: dict[str, Callable[[], Any]] = {}
    for size in arguments.sizes:
        kb = synthetic_kb(size, arguments.cache)
        mentions = list(dict.fromkeys(draw_mentions(kb, 10 * SINGLES)))[:SINGLES]
        for name in GENERATORS:
            generator = warm(kb, name, mentions)
            tasks[f"{size} {name}"] = _batch(generator, mentions)
            tasks[f"{size} {name} find"] = _singly(generator, mentions)
    times = best_times(ROUNDS, tasks)
    columns = {"paper": "paper", "default": "default", "paper find": "paper one by one", "default find": "default one by one"}
    return [
        {"entities": size} | {f"{column}, us": 1e6 * times[f"{size} {task}"] / SINGLES for task, column in columns.items()}
        for size in arguments.sizes
    ]


def plot_growth(rows: list[Row], file: Path) -> None:
    """Microseconds per mention against entities."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
    for column in rows[0]:
        if column != "entities":
            axis.plot([row["entities"] for row in rows], [row[column] for row in rows], "o-", label=column.removesuffix(", us"))
    axis.set(xscale="log", xlabel="entities", title="microseconds per mention")
    axis.set_ylim(bottom=0)
    axis.grid(visible=True, alpha=0.3)
    axis.legend()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def measure_startup(arguments: argparse.Namespace) -> list[Row]:
    """Import, open and first look-up; times from process start include Python's own start."""
    kbs = {name: real_kb(name, arguments.cache) for name in SOURCES}
    kbs |= {f"synthetic {size:,}": synthetic_kb(size, arguments.cache) for size in arguments.sizes}
    bare = min(_from_start("pass") for _ in range(5))
    imported = min(_from_start("import eigenthemes") for _ in range(5))
    inside = min(_printed(_IMPORT) for _ in range(5))
    rows: list[Row] = [
        {"what": "python alone, from process start", "ms": 1e3 * bare},
        {"what": "import eigenthemes, from process start", "ms": 1e3 * imported},
        {"what": "import eigenthemes", "ms": 1e3 * inside},
    ]
    for name, kb in kbs.items():
        opened = min(_printed(_OPEN, str(kb.path)) for _ in range(5))
        first = min(_from_start(_FIRST, str(kb.path), kb.label_of(0)) for _ in range(5))
        rows.append({"what": f"KB.open, {name}", "ms": 1e3 * opened})
        rows.append({"what": f"first look-up from process start, {name}", "ms": 1e3 * first})
    return rows


_CLOCK = "import time; start = time.perf_counter(); "
_IMPORT = _CLOCK + "import eigenthemes; print(time.perf_counter() - start)"
_OPEN = (
    "import sys; from eigenthemes.kb.store import KB; " + _CLOCK + "KB.open(sys.argv[1]); print(time.perf_counter() - start)"
)
_FIRST = (
    "import sys; from eigenthemes.kb.store import KB; from eigenthemes.names.generator import CandidateGenerator; "
    "assert len(CandidateGenerator(KB.open(sys.argv[1])).find(sys.argv[2]))"
)


def _from_start(code: str, *arguments: str) -> float:
    """Seconds from starting a process to the end of its code, without its shutdown."""
    start = time.monotonic()
    return _printed(f"{code}\nimport time; print(time.monotonic())", *arguments) - start


def _printed(code: str, *arguments: str) -> float:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=CHECKOUT, env=child_environment(), check=True)
    return float(done.stdout)


def cweb_mentions() -> list[str]:
    """The real mentions of wned-cweb, in order."""
    return [text for text, _ in read_mentions("general/wned-cweb")]


def warm(kb: KB, name: str, mentions: Sequence[str]) -> CandidateGenerator:
    """A generator with its kernels loaded and its pages in memory."""
    generator = CandidateGenerator(kb, generator=name)
    generator.find_batch((list(mentions) * 64)[: max(64, len(mentions))])
    generator.find(mentions[0])
    return generator


def _batch(generator: CandidateGenerator, mentions: Sequence[str]) -> Callable[[], Any]:
    return lambda: generator.find_batch(mentions)


def _singly(generator: CandidateGenerator, mentions: Sequence[str]) -> Callable[[], Any]:
    return lambda: [generator.find(mention) for mention in mentions]


def _repeated(task: Callable[[], Any], times: int) -> Callable[[], Any]:
    return lambda: [task() for _ in range(times)]


def _must_find_the_same(word: str, ours: set[str], scanned: Sequence[tuple[str, float, int]]) -> None:
    """Rapidfuzz finds what our index finds: the nearest words, within the edits allowed in both."""
    allowed = [(distance, other) for other, distance, _ in scanned if distance <= allowed_edits(other)]
    nearest = min((distance for distance, _ in allowed), default=0)
    theirs = {other for distance, other in allowed if distance == nearest}
    if ours != theirs:
        sys.exit(f"rapidfuzz and the typo index differ for {word!r}: {sorted(theirs)} and {sorted(ours)}")


if __name__ == "__main__":
    main()
