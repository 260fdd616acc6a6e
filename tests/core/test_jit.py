"""Kernels: compiled and plain they give the same; declaring one loads nothing, and little work does not load numba either."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from eigenthemes.core import jit
from eigenthemes.core.array_kernels import position
from eigenthemes.core.jit import Kernel, kernel
from eigenthemes.kb.store import KB


@kernel
def _twice(value: int) -> int:
    return 2 * value


@kernel
def _total(values: np.ndarray) -> int:
    total = 0
    for value in values:
        total += _twice(value)
    return total


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of compiled kernels."""
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)
    return tmp_path


def in_new_process(code: str, **environment: str) -> dict[str, object]:
    """What a new interpreter prints as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_plain_and_compiled_call_the_kernels_they_name() -> None:
    values = np.arange(5)
    assert _total.plain(values) == _total(values) == 20
    assert _total.plain.__globals__["_twice"] is _twice.function


def test_a_kernel_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(position)) is position


@pytest.fixture
def nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has just started."""
    monkeypatch.setattr(Kernel, "_seconds_of_all", 0.0)
    monkeypatch.setattr(Kernel, "_always_compiled", False)


def kernel_in_cache(is_cached: bool) -> Kernel:
    new = Kernel(_total.function)
    new.__dict__["_is_cached"] = is_cached
    return new


def steps_of(seconds: float) -> int:
    return int(seconds / jit._SECONDS_PER_STEP)


@pytest.mark.usefixtures("nothing_done")
def test_what_was_compiled_before_is_used_when_numba_would_have_been_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    first, second = kernel_in_cache(True), kernel_in_cache(True)
    assert first.select_backend(steps_of(0.99 * jit._SECONDS_OF_LOADING)) is not first
    first.add_plain_run(1, 0.99 * jit._SECONDS_OF_LOADING)
    assert second.select_backend(steps_of(0.02 * jit._SECONDS_OF_LOADING)) is second  # together they have taken as long


@pytest.mark.usefixtures("nothing_done")
@pytest.mark.parametrize("numba", [None, object()])
def test_a_kernel_is_compiled_when_it_has_taken_long_enough(numba: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", numba)
    monkeypatch.setattr(Kernel, "_seconds_of_all", 2 * jit._SECONDS_OF_LOADING)
    new, other = kernel_in_cache(False), kernel_in_cache(False)
    most = steps_of(0.99 * jit._SECONDS_PER_BYTE * new._bytes)
    assert other.select_backend(2 * most) is other  # a long call at once
    assert new.select_backend(most) is not new
    new.add_plain_run(1, 0.99 * jit._SECONDS_PER_BYTE * new._bytes)
    assert new.select_backend(most // 10) is new


@pytest.mark.usefixtures("nothing_done")
def test_what_was_compiled_before_is_used_at_once_in_a_process_that_has_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", object())
    known = kernel_in_cache(True)
    assert known.select_backend(1) is known
    new = kernel_in_cache(False)
    assert new.select_backend(1) is not new
    jit.always_compile()
    assert new.select_backend(1) is new


@pytest.mark.usefixtures("nothing_done")
def test_the_time_of_plain_python_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 3.0))
    monkeypatch.setattr(jit.time, "thread_time", lambda: next(clock))
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    new = kernel_in_cache(False)
    assert new.select_backend(2000)(np.arange(3)) == 6
    assert new._seconds == Kernel._seconds_of_all == pytest.approx(3.0)
    assert new._seconds_per_step == pytest.approx(3.0 / 2000)


def test_the_size_of_a_kernel_is_that_of_all_that_it_calls() -> None:
    assert _total._bytes == sum(len(each.function.__code__.co_code) for each in (_total, _twice))


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.usefixtures("folder")
def test_a_person_is_told_once_what_takes_some_seconds(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jit._announce_compilation.cache_clear()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    for value in (3, 3.0):
        assert Kernel(_twice.function)(value) == 6
    assert capsys.readouterr().err.count("compiling") == is_terminal


def test_a_compiled_kernel_is_found_in_the_cache_without_numba(tmp_path: Path) -> None:
    compile_it = "import numpy as np\nfrom eigenthemes.core.array_kernels import position\n"
    look = (
        "import json, sys\n"
        "from eigenthemes.core.array_kernels import position\n"
        "print(json.dumps([position._is_cached, 'numba' in sys.modules]))"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert in_new_process(look, **cache) == [False, False]
    in_new_process(compile_it + "position(np.arange(3), 0, 3, 1)\nprint(1)", **cache)
    assert in_new_process(look, **cache) == [True, False]


def test_a_changed_kernel_has_another_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    (tmp_path / "sub").mkdir()
    source = tmp_path / "sub" / "kernels.py"
    found = []
    for text in ("from eigenthemes.core.jit import kernel\n", "from eigenthemes.core.jit import kernel\nFACTOR = 2\n"):
        source.write_text(text)
        found.append(jit._fingerprint())
        (tmp_path / "other.py").write_text("import sys\n")  # declares no kernels
        assert jit._fingerprint() == found[-1]
    assert found[0] != found[1]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a package of which nothing is compiled; the user's home is beside it."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path / "package")
    jit.cache_folder.cache_clear()
    yield tmp_path / "package"
    jit.cache_folder.cache_clear()


def test_the_cache_is_beside_the_package_and_stale_ones_are_removed(installed: Path) -> None:
    stale = installed / "__pycache__" / "kernels-stale"
    stale.mkdir(parents=True)
    assert jit.cache_folder().parent == installed / "__pycache__"
    assert not stale.exists()


def test_a_cache_that_cannot_be_written_is_copied(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = jit.cache_folder()
    (beside / "kernel").mkdir()
    (beside / "kernel" / "file.nbc").write_text("code")
    jit.cache_folder.cache_clear()
    monkeypatch.setattr(os, "access", lambda folder, mode: not Path(folder).is_relative_to(installed))
    copied = jit.cache_folder()
    assert copied.is_relative_to(installed.parent / "home")
    assert (copied / "kernel" / "file.nbc").read_text() == "code"


def test_without_a_folder_that_can_be_written_kernels_are_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "cache_folder", lambda: None)
    assert Kernel(_total.function)(np.arange(3)) == 6


@pytest.mark.parametrize(
    ("pattern", "content"), [("*.nbi", b""), ("*.nbi", None), ("*.nbc", None), ("*.nbc", b"ceigenthemes.gone\nGone\n.")]
)
def test_a_damaged_cache_is_compiled_anew(content: bytes | None, pattern: str, folder: Path) -> None:
    """None: the files are truncated to half of their sizes."""
    assert Kernel(_twice.function)(3) == 6
    files = list(folder.rglob(pattern))
    assert files
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if content is None else content)
    assert Kernel(_twice.function)(3) == 6
    assert Kernel(_twice.function)(3) == 6  # compiled and kept again
    again = Kernel(_twice.function)
    assert again(3) == 6
    assert again.compiled.stats.cache_hits


def test_damage_to_the_code_of_other_types_is_noticed_when_they_come(folder: Path) -> None:
    for value in (3, 3.0):
        assert Kernel(_twice.function)(value) == 6
    damaged = Kernel(_twice.function)
    assert damaged(3) == 6
    for file in folder.rglob("*.nbc"):
        file.write_bytes(b"")
    assert damaged(3.0) == 6


@kernel
def _divided(one: int, other: int) -> int:
    return one // other


@pytest.mark.usefixtures("folder")
def test_an_error_of_a_kernel_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        _divided(1, 0)


def test_one_sentence_loads_neither_numba_nor_scipy(demo_kb: KB) -> None:
    code = (
        "import json, sys\n"
        "from eigenthemes import Linker\n"
        f"linked = Linker({str(demo_kb.path)!r}).link('Michael Jordan and Scottie Pippen played in Chicago.')\n"
        "heavy = sorted({'numba', 'scipy', 'rich', 'multiprocessing.pool'} & set(sys.modules))\n"
        "print(json.dumps({'heavy': heavy, 'links': [[link.entity, link.probability] for link in linked.links]}))"
    )
    plain = in_new_process(code)
    compiled = in_new_process("from eigenthemes.core.jit import always_compile; always_compile()\n" + code)
    assert plain["heavy"] == []
    assert "numba" in compiled["heavy"]
    assert [entity for entity, _ in plain["links"]] == [entity for entity, _ in compiled["links"]]
    assert len(plain["links"]) == 3
    assert np.allclose([p for _, p in plain["links"]], [p for _, p in compiled["links"]], atol=1e-6)
