"""The package as it is published: public names, version, cost of importing, a wheel that works alone."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import eigenthemes

ROOT = Path(__file__).parents[1]


def test_public_names_are_exactly_these() -> None:
    assert set(eigenthemes.__all__) == {
        "KB",
        "Candidate",
        "CandidateGenerator",
        "CandidateTable",
        "Document",
        "EigenthemesError",
        "Graph",
        "Link",
        "LinkedDocument",
        "Linker",
        "Mention",
        "ReadOptions",
        "__version__",
        "build_kb",
        "embed_kb",
        "import_vectors",
        "normalize",
        "tokenize",
        "train_kb",
    }
    assert all(getattr(eigenthemes, name) is not None for name in eigenthemes.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        eigenthemes.nothing  # noqa: B018


def test_the_changelog_begins_with_this_version() -> None:
    top = re.search(r"^## \[([^]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert top is not None
    assert top[1] == eigenthemes.__version__


def test_the_citation_names_the_version_and_the_paper() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    assert f"version: {eigenthemes.__version__}" in text
    assert "Low-Rank Subspaces for Unsupervised Entity Linking" in text


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import eigenthemes", ["numpy", "numba", "click"]),
        ("from eigenthemes import KB, Linker, build_kb", ["numba", "scipy", "matplotlib", "pyarrow"]),
    ],
)
def test_importing_stays_cheap(code: str, absent: list[str]) -> None:
    check = f"{code}; import sys; print([m for m in {absent!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_single_look_up_does_not_load_numba(tiny: eigenthemes.KB) -> None:
    check = f"""
from eigenthemes import KB, CandidateGenerator
found = CandidateGenerator(KB.open({str(tiny.path)!r})).records("Michael Jordan")
import sys
print(len(found), "numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]


def test_kernels_work_where_their_cache_cannot_be_written(tiny: eigenthemes.KB, tmp_path: Path) -> None:
    check = """
import numba.core.caching as caching
caching.CacheImpl._locator_classes = []  # as where neither the package's folder nor the user's can be written
from eigenthemes.kernels.hashing import step
import numpy as np
print(int(step(np.uint64(1), 2)) == (1 ^ 2) * 0x100000001B3, step.stats.cache_path)
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "None"]


def test_the_wheel_installs_and_runs_without_the_test_extras(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    bin_folder = tmp_path / "venv" / "bin"
    subprocess.run(
        [bin_folder / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel],
        check=True,
        capture_output=True,
    )
    for arguments, expected in (
        (["--help"], "build"),
        (["--version"], eigenthemes.__version__),
        (["demo"], "Michael I. Jordan"),
    ):
        done = subprocess.run(
            [bin_folder / "eigenthemes", *arguments], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        assert expected in done.stdout
    installed = subprocess.run([bin_folder / "python", "-m", "pip", "list"], capture_output=True, text=True, check=True).stdout
    assert "pytest" not in installed
    assert list((tmp_path / "venv").rglob("eigenthemes/py.typed"))
