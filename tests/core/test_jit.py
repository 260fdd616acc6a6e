"""Kernels: compiled and plain they give the same; declaring one loads nothing, and little work does not load numba either."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from eigenthemes.core import jit, kernel_cache
from eigenthemes.core.jit import Kernel, kernel
from eigenthemes.kb.store import KB
from eigenthemes.kernels.common import position


@kernel
def _twice(value: int) -> int:
    return 2 * value


@kernel
def _total(values: np.ndarray) -> int:
    total = 0
    for value in values:
        total += _twice(value)
    return total


@kernel
def _at(pair: tuple[int, int], of: int) -> int:
    return pair[0] + of


@kernel
def _several(of: int) -> int:
    return _at((1, 2), 0) + _at((of, 2), 1) + _at((of, of), of)


_NOBODY = object()


def _strange() -> object:
    return _NOBODY


def in_new_process(code: str, **environment: str) -> dict[str, object]:
    """What a new interpreter prints as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_plain_and_compiled_call_the_kernels_they_name() -> None:
    values = np.arange(5)
    assert _total.plain(values) == _total(values) == 20
    assert _total._written.__globals__["_twice"] is _twice._written
    assert _total.compiled.py_func.__globals__["_twice"] is _twice._inner


def test_an_inner_kernel_is_compiled_once_for_all_numbers_that_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kernel, "_folders", (tmp_path,))
    assert _several(3) == 1 + 4 + 6
    assert len(_at._inner.signatures) == 1


def test_a_kernel_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(position)) is position


@pytest.fixture
def nothing_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has just begun."""
    monkeypatch.setattr(Kernel, "_steps_of_all", 0)
    monkeypatch.setattr(Kernel, "_always_compiled", False)


def kernel_on_disk(is_on_disk: bool) -> Kernel:
    new = Kernel(_total.function)
    new.__dict__["_is_on_disk"] = is_on_disk
    return new


@pytest.mark.usefixtures("nothing_done")
def test_what_was_compiled_before_is_used_when_numba_would_have_been_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    first, second = kernel_on_disk(True), kernel_on_disk(True)
    assert first.for_steps(jit._STEPS_OF_LOADING) is first.plain
    assert second.for_steps(1) is second  # together they have taken as long
    assert first.for_steps(1) is first


@pytest.mark.usefixtures("nothing_done")
@pytest.mark.parametrize("numba", [None, object()])
def test_a_kernel_is_compiled_when_it_has_taken_as_long_as_that(numba: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", numba)
    monkeypatch.setattr(jit, "_numba", lambda: object())
    monkeypatch.setattr(Kernel, "_steps_of_all", 2 * jit._STEPS_OF_LOADING)
    new, other = kernel_on_disk(False), kernel_on_disk(False)
    most = jit._STEPS_PER_BYTE * new._bytes
    assert other.for_steps(most + 1) is other  # a long call at once
    assert new.for_steps(most) is new.plain
    assert new.for_steps(1) is new
    assert new.for_steps(1) is new


@pytest.mark.usefixtures("nothing_done")
def test_what_was_compiled_before_is_used_at_once_in_a_process_that_has_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", object())
    assert kernel_on_disk(True).for_steps(1) is not kernel_on_disk(True).plain
    new = kernel_on_disk(False)
    assert new.for_steps(1) is new.plain
    jit.always_compile()
    assert new.for_steps(1) is new


def test_the_size_of_a_kernel_is_that_of_all_that_it_calls() -> None:
    assert _total._bytes == sum(len(each.function.__code__.co_code) for each in (_total, _twice))


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_person_is_told_once_what_takes_some_seconds(
    is_terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Kernel, "_folders", (tmp_path,))
    jit._announce_compilation.cache_clear()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    for kind in (np.int64, np.uint8):
        assert Kernel(_total.function)(np.arange(3, dtype=kind)) == 6
    assert capsys.readouterr().err.count("compiling") == is_terminal


def test_a_compiled_kernel_is_found_on_disk_without_numba(tmp_path: Path) -> None:
    code = (
        "import json, numpy as np\n"
        "from eigenthemes.kernels.common import position\n"
        "before = position._is_on_disk\n"
        "position(np.arange(3), 0, 3, 1)\n"
        "del position.__dict__['_is_on_disk']\n"
        "print(json.dumps([before, position._is_on_disk]))"
    )
    assert in_new_process(code, NUMBA_CACHE_DIR=str(tmp_path))[1] is True


MODULE = """
from eigenthemes.core.jit import kernel
FACTOR = {factor}
{comment}
@kernel
def times(value):
    return value * FACTOR

@kernel
def total(values):
    "{docstring}"
    result = 0
    for value in values:
        result += times(value)
    return result
"""


def total_of(folder: Path, cache: Path, **texts: object) -> tuple[int, int]:
    """The total of 0, 1, 2 by a kernel in a file that is written anew, and how many compiled kernels there are then."""
    texts = {"factor": 2, "comment": "", "docstring": "", **texts}
    (folder / "kernels_here.py").write_text(MODULE.format(**texts))
    code = "import json, numpy as np, kernels_here\nprint(json.dumps(int(kernels_here.total(np.arange(3)))))"
    found = in_new_process(code, NUMBA_CACHE_DIR=str(cache), PYTHONPATH=os.pathsep.join((str(folder), *sys.path)))
    return int(str(found)), len(list(cache.rglob("*.nbc")))


def test_what_a_kernel_calls_is_compiled_again_when_it_changes_and_only_then(tmp_path: Path) -> None:
    folder, cache = tmp_path / "code", tmp_path / "cache"
    folder.mkdir()
    assert total_of(folder, cache) == (6, 1)
    assert total_of(folder, cache, comment="# said\n" * 5, docstring="Told.") == (6, 1)
    assert total_of(folder, cache, factor=3) == (9, 2)  # a constant of a kernel that it calls
    assert total_of(folder, cache) == (6, 2)


def test_compiled_kernels_in_a_folder_that_cannot_be_written_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    ours, others = tmp_path / "package", tmp_path / "user"
    monkeypatch.setattr(Kernel, "_folders", (ours,))
    assert Kernel(_total.function)(np.arange(3)) == 6
    files = list(ours.glob("*.nbc"))
    assert len(files) == 1
    monkeypatch.setattr(kernel_cache, "_is_writable", lambda folder: folder != ours and not folder.mkdir(exist_ok=True))
    monkeypatch.setattr(Kernel, "_folders", (ours, others))
    again = Kernel(_total.function)
    assert again(np.arange(3)) == 6
    assert again.compiled.stats.cache_hits
    assert again(np.arange(3, dtype=np.uint8)) == 6  # other types: compiled, and kept where that is possible
    assert len(list(others.glob("*.nbc"))) == 1
    assert list(ours.glob("*.nbc")) == files


@pytest.mark.parametrize(
    "content", [b"", b"no pickle", b"ceigenthemes.kernels.support\nGone\n.", b"ceigenthemes.gone\nGone\n."]
)
def test_a_broken_file_of_compiled_code_is_compiled_again(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kernel, "_folders", (tmp_path,))
    assert Kernel(_total.function)(np.arange(3)) == 6
    file = next(tmp_path.glob("*.nbc"))
    file.write_bytes(content)
    again = Kernel(_total.function)
    assert again(np.arange(3)) == 6
    assert not again.compiled.stats.cache_hits
    mended = Kernel(_total.function)
    assert mended(np.arange(3)) == 6
    assert mended.compiled.stats.cache_hits


def test_a_kernel_reads_no_object_whose_change_nobody_sees() -> None:
    with pytest.raises(TypeError, match="reads a global object"):
        Kernel(_strange).digest  # noqa: B018


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


def test_without_numba_everything_is_plain_and_told_once(demo_kb: KB) -> None:
    code = (
        "import json, sys\n"
        "sys.modules['numba'] = None\n"  # importing it fails
        "from eigenthemes import Linker\n"
        "from eigenthemes.core.jit import always_compile\n"
        "always_compile()\n"
        f"linker = Linker({str(demo_kb.path)!r})\n"
        "texts = ['Michael Jordan and Scottie Pippen played in Chicago.', 'Amman is the capital of Jordan.']\n"
        "print(json.dumps([link.entity for each in linker.link_batch(texts) for link in each.links]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("numba is not installed") == 1
    assert "Warning" not in done.stderr
    assert [str(entity).rpartition("/")[2] for entity in json.loads(done.stdout)][:2] == ["michael_jordan", "scottie_pippen"]
