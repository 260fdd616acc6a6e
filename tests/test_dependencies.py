"""The lock file names every dependency, and licences that forbid closed use are refused."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from types import ModuleType

import pytest
from helpers.files import ROOT

LOCK = (ROOT / "constraints.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def dependencies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dependencies", ROOT / ".ci" / "dependencies.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_lock_file_has_versions_only() -> None:
    """No addresses of package indexes, no paths, no builds of one machine."""
    pins = [line for line in LOCK.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", pin) for pin in pins)
    assert pins == sorted(pins)


@pytest.mark.parametrize("project", ["pyproject.toml", "paper/pyproject.toml"])
def test_every_dependency_is_locked(dependencies: ModuleType, project: str) -> None:
    """If this fails, run make lock."""
    declared = tomllib.loads((ROOT / project).read_text(encoding="utf-8"))["project"]
    wanted = [
        *declared["dependencies"],
        *(each for extra in declared.get("optional-dependencies", {}).values() for each in extra),
    ]
    names = {dependencies.normalized(re.match(r"[A-Za-z0-9_.-]+", each)[0]) for each in wanted}  # type: ignore[index]
    assert names - {"eigenthemes"} <= dependencies.locked_versions(LOCK).keys()


def test_make_and_ci_install_from_the_lock_file() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = [line for line in makefile.splitlines() if "pip install" in line]
    assert len(installs) > 3
    assert all("-c constraints.txt" in line for line in installs)
    assert "make check-dependencies" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "licence", "is_allowed"),
    [
        ("numpy", "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("torch", "Apache-2.0 WITH LLVM-exception", True),
        ("rope", "GNU Lesser General Public License v3 or later (LGPLv3+)", False),
        ("some", "GPL-3.0-only", False),
        ("some", "MIT AND AGPL-3.0", False),
        ("orjson", "MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("some", "MPL-2.0", False),
        ("some", "Mozilla Public License 2.0 (MPL 2.0)", False),
        ("some", "Other/Proprietary License", False),
        ("some", "", False),
    ],
)
def test_licences(dependencies: ModuleType, name: str, licence: str, is_allowed: bool) -> None:
    assert bool(dependencies.licence_problem(name, licence)) is not is_allowed


def test_what_is_installed_is_under_allowed_licences(dependencies: ModuleType) -> None:
    assert [each for each in dependencies.problems() if " is under " in each] == []
