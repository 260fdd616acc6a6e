"""Numbers that no option can have: one OptionError that says which, whoever is given them, and nothing is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.files import write_jsonl

from eigenthemes import (
    KB,
    CandidateGenerator,
    CandidateOptions,
    Document,
    EigenOptions,
    Linker,
    build_kb,
    complete_vectors,
    embed_kb,
    evaluate,
    import_vectors,
    train_kb,
)
from eigenthemes.core.checks import check_number
from eigenthemes.errors import OptionError
from eigenthemes.stream import link_stream

NO_NUMBER = (math.nan, "x", None)
SEEDS = (-1, 1.5, *NO_NUMBER)
JOBS = (0, -1, 10**12, 1.5, *NO_NUMBER)
COUNTS = (0, -1, 1.5, math.nan, "x")  # of which None stands for all
TIMES = (0, 10**30, 1.5, math.nan, "x")
PROBABILITIES = (-0.1, 1.1, math.nan, math.inf, "x")

WRONG: dict[str, tuple[tuple[Any, ...], Callable[[KB, Any], object]]] = {
    "build seed": (SEEDS, lambda kb, value: build_kb(["x.jsonl"], "new.kb", seed=value)),
    "build jobs": (JOBS, lambda kb, value: build_kb(["x.jsonl"], "new.kb", jobs=value)),
    "build dimensions": (COUNTS, lambda kb, value: build_kb(["x.jsonl"], "new.kb", dimensions=value)),
    "embed seed": (SEEDS, lambda kb, value: embed_kb(kb.path, seed=value)),
    "embed jobs": (JOBS, lambda kb, value: embed_kb(kb.path, jobs=value)),
    "embed dimensions": ((*COUNTS, 10**12), lambda kb, value: embed_kb(kb.path, dimensions=value)),
    **{
        f"{method} {option}": (
            TIMES,
            lambda kb, value, method=method, option=option: embed_kb(kb.path, method=method, **{option: value}),
        )
        for method, options in {"deepwalk": ("walks", "length", "window"), "netsmf": ("window", "rounds")}.items()
        for option in options
    },
    "netsmf negatives": (
        (0, -1, math.nan, math.inf, "x"),
        lambda kb, value: embed_kb(kb.path, method="netsmf", negatives=value),
    ),
    "netsmf max_memory": ((-1, math.nan, "x"), lambda kb, value: embed_kb(kb.path, method="netsmf", max_memory=value)),
    "import seed": (SEEDS, lambda kb, value: import_vectors(kb.path, "x.npy", seed=value)),
    "complete seed": (SEEDS, lambda kb, value: complete_vectors(kb.path, seed=value)),
    "train seed": (SEEDS, lambda kb, value: train_kb(kb.path, seed=value)),
    "linker top": ((-1, 1.5, *NO_NUMBER), lambda kb, value: Linker(kb, method="degree", top=value)),
    "linker threshold": (PROBABILITIES, lambda kb, value: Linker(kb, method="degree", threshold=value)),
    "batch batch_size": (COUNTS, lambda kb, value: list(Linker(kb, method="degree").link_batch([], batch_size=value))),
    "stream jobs": (JOBS, lambda kb, value: link_stream([], Linker(kb, method="degree"), jobs=value)),
    "options max_candidates": (COUNTS, lambda kb, value: CandidateOptions(max_candidates=value)),
    "generator max_candidates": (COUNTS, lambda kb, value: CandidateGenerator(kb, max_candidates=value)),
    "eigen k": (COUNTS, lambda kb, value: EigenOptions(k=value)),
    "eigen delta": ((-1, 10**400, *NO_NUMBER), lambda kb, value: EigenOptions(delta=value)),
    "eigen window": (COUNTS, lambda kb, value: EigenOptions(weights="local", window=value)),
    "evaluate threshold": (PROBABILITIES, lambda kb, value: evaluate(kb, [], ["degree"], threshold=value)),
    "evaluate methods": (((), [], "", "degree"), lambda kb, value: evaluate(kb, [Document(text="a")], value)),
}


@pytest.mark.parametrize("option", WRONG)
def test_a_number_that_an_option_cannot_have_is_refused(
    tiny: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "x.jsonl", [{"id": "a", "name": "Paris"}])
    values, use = WRONG[option]
    for value in values:
        with pytest.raises(OptionError, match=rf"^{option.split()[1]} is .+; expected ") as caught:
            use(tiny, value)
        assert caught.value.where == option.split()[1]
    assert not (tmp_path / "new.kb").exists()


def test_numbers_of_numpy_and_large_seeds_are_numbers(tiny: KB) -> None:
    np = pytest.importorskip("numpy")
    assert Linker(tiny, method="degree", top=np.int64(2), candidates=CandidateOptions(max_candidates=np.uint8(3))).link("Paris")
    check_number("delta", np.float32(0.5), "0 or more", least=0)
    with pytest.raises(OptionError, match="on_error is None; expected 'raise', 'skip' or a function"):
        list(Linker(tiny, method="degree").link_batch([], on_error=None))  # type: ignore[arg-type]
