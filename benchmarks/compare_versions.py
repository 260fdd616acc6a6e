"""Compare what two versions of eigenthemes answer on the demo and on every real set.

    python -m benchmarks.compare_versions                       # commit 363a144 against this checkout
    python -m benchmarks.compare_versions --only link,eval --sets demo,wned-cweb
    python -m benchmarks.compare_versions --baseline HEAD --documents 0    # all documents of every set

The baseline is installed into a new environment, unless --baseline-source names a checkout of it. Each version builds
its KBs with its own command line; with --same-kb this version opens those of the baseline. The JSON that `candidates`, `link`
(all methods), `eval` and `explain` print is compared record by record, sentences for people apart (SENTENCES). The exit code is
1 if anything differs. The outputs of the baseline are kept in --cache, so that a second run computes one side only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import CHECKOUT, SOURCES, code_digest, data_folder, parse_arguments, print_table, read_documents, say

BASELINE = "363a144"
DEMO = "demo"

# set -> (KB, file under the data folder); the demo's documents come with the package
SETS = {
    DEMO: (DEMO, ""),
    "gsc": ("phenotypes", "phenotypes/gsc"),
    "testa": ("aida", "aida/testa"),
    "biored-train": ("genes", "genes/biored-train"),
    "lgl": ("places", "places/lgl"),
    "gwn": ("places", "places/gwn"),
    "aida-testa": ("general", "general/aida-testa"),
    "dwie-train": ("general", "general/dwie-train"),
    "wned-cweb": ("general", "general/wned-cweb"),
    "wned-wiki": ("general", "general/wned-wiki"),
    "t2d-dev": ("general", "tables/t2d-dev"),
    "wikitables-dev": ("general", "tables/wikitables-dev"),
}
METHODS = (
    "selftrained",
    "eigen",
    "eigen-unweighted",
    "average",
    "average-unweighted",
    "degree",
    "namematch",
    "prior-name",
    "local-context",
    "global-context",
)
WORDY = ("local-context", "global-context")  # they need word vectors
LINK_OPTIONS = (
    ("selftrained", "--nil", "off", "--top", "20"),
    ("selftrained", "--explain"),
    ("eigen", "--k", "all", "--unique"),
    ("eigen", "--generator", "paper"),
)
COMMANDS = ("candidates", "link", "text", "eval", "explain")
NAMES = 2000  # distinct names of a set that are looked up
_TIMEOUT = 1800  # seconds for a command
TOLERANCE = 1e-9  # of scores: the same arithmetic on the same machine

SENTENCES = {"sentence", "detail", "title", "remedy", "message"}  # for people: they must be there, no more
IGNORED_KEYS = {"documents_per_second", "seconds"}  # they depend on the clock


@dataclass(frozen=True, slots=True)
class Version:
    """A version: its interpreter, the folders of its outputs and of its KBs, and its source where it is not installed."""

    name: str
    python: Path
    folder: Path
    source: str = ""
    kbs: Path | None = None

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": self.source}

    def run(self, *arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        command = [str(self.python), "-m", "eigenthemes", *arguments]
        return subprocess.run(
            command, input=stdin, capture_output=True, cwd=self.folder, env=self.environment(), check=False, timeout=_TIMEOUT
        )

    def kb(self, name: str, given: Sequence[str | Path] = ()) -> Path:
        """Return a KB, which this version builds once: of these files and options, of the data folder or of the demo."""
        path = (self.kbs or self.folder) / f"{name}.kb"
        if not (path / "manifest.json").exists():
            say(f"{self.name}: building {path.name}")
            start = time.monotonic()
            path.parent.mkdir(parents=True, exist_ok=True)
            done = self.run("build", *map(str, given or kg_files(name)), "-o", str(path), "--jobs", "2")
            if done.returncode:
                sys.exit(f"{self.name} cannot build {name}: {done.stderr.decode(errors='replace').strip()}")
            say(f"{self.name}: {path.name} in {time.monotonic() - start:.0f} s")
        return path


def add_versions(parser: argparse.ArgumentParser) -> None:
    """Add the options for the locations of the two versions."""
    parser.add_argument("--baseline", default=BASELINE, help=f"the commit to compare with (default {BASELINE})")
    parser.add_argument("--baseline-source", type=Path, help="a checkout of it, so that it need not be installed")
    parser.add_argument("--baseline-python", type=Path, default=Path(sys.executable), help="the interpreter for that checkout")
    parser.add_argument("--baseline-kbs", type=Path, help="a folder with KBs that the baseline built, or builds")
    parser.add_argument("--same-kb", action="store_true", help="this version opens the KBs of the baseline")


def open_versions(arguments: argparse.Namespace) -> tuple[Version, Version]:
    """Return the baseline and this checkout."""
    folder = arguments.cache / f"baseline-{arguments.baseline}"
    folder.mkdir(parents=True, exist_ok=True)
    python, source = arguments.baseline_python.absolute(), arguments.baseline_source
    if source is None:
        python, source = install(arguments.baseline, folder), ""
    baseline = Version(arguments.baseline, python, folder, str(source), arguments.baseline_kbs or folder)
    kbs = baseline.kbs if arguments.same_kb else arguments.cache / f"kbs-{code_digest()}"
    present = Version("this checkout", Path(sys.executable), arguments.cache / "present", str(CHECKOUT), kbs)
    present.folder.mkdir(exist_ok=True)
    return baseline, present


def kg_files(name: str) -> list[Path]:
    """Return the source files of a KB."""
    if name == DEMO:
        return [CHECKOUT / "eigenthemes" / "data" / "demo.ttl"]
    return [data_folder() / file for file in SOURCES[name]]


def documents_of(name: str, most: int) -> list[dict[str, Any]]:
    """Return the first documents of a set; 0 for all."""
    if name == DEMO:
        lines = (CHECKOUT / "eigenthemes" / "data" / "demo.jsonl").read_text(encoding="utf-8").splitlines()
        documents = [json.loads(line) for line in lines]
    else:
        documents = list(read_documents(data_folder() / f"{SETS[name][1]}.jsonl.gz"))
    return documents[:most] if most else documents


def install(commit: str, folder: Path) -> Path:
    """Install a commit into a new environment; return its interpreter."""
    environment = folder / "env"
    python = environment / "bin" / "python"
    if not (environment / "installed").exists():
        say(f"installing {commit} into {environment}")
        source = folder / "source"
        source.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", commit], cwd=CHECKOUT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(source)], input=archive, check=True)
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", str(source / "constraints.txt"), f"{source}[serve,excel]"], check=True)
        (environment / "installed").touch()
    return python


def calls(kb: Path, documents: Path, names: Path, words: Path) -> Iterator[tuple[str, str, tuple[str, ...], Path | None]]:
    """Yield (command, variant, arguments, standard input) of everything that is compared on a set."""
    looked_up = ("candidates", str(kb), "-", "--json")
    yield "candidates", "default", looked_up, names
    yield "candidates", "paper", (*looked_up, "--generator", "paper", "--no-aliases"), names
    linked = ("link", str(kb), str(documents))
    for method in METHODS:
        given = ("--word-vectors", str(words)) if method in WORDY else ()
        yield "link", method, (*linked, "--method", method, *given), None
    for method, *options in LINK_OPTIONS:
        yield "link", " ".join([method, *options]), (*linked, "--method", method, *options), None
    text = ("link", str(kb), str(documents.with_suffix(".text.jsonl")))
    yield "text", "selftrained", text, None
    yield "text", "eigen", (*text, "--method", "eigen"), None
    plain = ",".join(method for method in METHODS if method not in WORDY)
    yield "eval", "all methods", ("eval", str(kb), str(documents), "--methods", plain, "--json"), None
    yield "explain", "all", ("explain", str(kb), str(documents), "--document", "all", "--json"), None


def prepare(name: str, most: int, folder: Path) -> tuple[Path, Path]:
    """Write the documents of a set, the same without mentions, and their names; return the first and the last file."""
    documents = documents_of(name, most)
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    bare = [{key: value for key, value in each.items() if key != "mentions"} for each in documents]
    bare = [each for each in bare if each.get("text")]
    file.with_suffix(".text.jsonl").write_text("".join(json.dumps(each) + "\n" for each in bare), encoding="utf-8")
    names = dict.fromkeys(" ".join(mention["text"].split()) for each in documents for mention in each["mentions"])
    listed = file.with_suffix(".names")
    listed.write_text("".join(f"{text}\n" for text in list(names)[:NAMES]), encoding="utf-8")
    return file, listed


def output_of(version: Version, key: str, arguments: tuple[str, ...], stdin: Path | None, *, keep: bool) -> list[Any]:
    """Return the JSON records a command prints; those of a version that does not change are kept."""
    kept = version.folder / "outputs" / f"{key}.jsonl"
    if not (keep and kept.exists()):
        done = version.run(*arguments, stdin=stdin.read_bytes() if stdin else None)
        if b"Traceback" in done.stderr:
            say(f"{version.name}: {' '.join(arguments)}\n{done.stderr.decode(errors='replace')[-2000:]}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        complete = done.stdout[: done.stdout.rfind(b"\n") + 1]
        kept.write_bytes(complete + f'{{"exit code": {done.returncode}}}\n'.encode())
    return _parse(kept.read_bytes())


def _parse(data: bytes) -> list[Any]:
    """Parse JSON lines, or (as `eval --json` prints) one value over many lines; the exit code comes last."""
    *lines, last = data.decode().splitlines()
    try:
        return [*map(json.loads, lines), json.loads(last)]
    except ValueError:
        return [json.loads("\n".join(lines)), json.loads(last)]


def first_difference(old: Any, new: Any, where: str = "") -> str | None:
    """Return where two records differ first, and how."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key in IGNORED_KEYS:
                continue
            if key not in old or key not in new:
                return f"{where}.{key}: only {'before' if key in old else 'now'}"
            if key in SENTENCES and isinstance(old[key], str) and isinstance(new[key], str):
                continue
            if found := first_difference(old[key], new[key], f"{where}.{key}"):
                return found
        return None
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return f"{where}: {len(old)} items before, {len(new)} now"
        return next(
            (found for i, pair in enumerate(zip(old, new, strict=True)) if (found := first_difference(*pair, f"{where}[{i}]"))),
            None,
        )
    if isinstance(old, float) and isinstance(new, int | float) and abs(old - new) <= TOLERANCE * max(1.0, abs(old)):
        return None
    return None if old == new else f"{where}: {json.dumps(old)[:80]} before, {json.dumps(new)[:80]} now"


def compare(old: list[Any], new: list[Any]) -> tuple[int, int, str]:
    """Return how many records there are, how many of them differ, and the first difference."""
    differences = [found for pair in zip(old, new, strict=False) if (found := first_difference(*pair))]
    if len(old) != len(new):
        differences.append(f"{len(old)} records before, {len(new)} now")
    return len(old), len(differences), differences[0] if differences else ""


def compare_set(name: str, baseline: Version, present: Version, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a row for each command and variant on a set."""
    folder = arguments.cache / f"documents-{arguments.documents}"
    folder.mkdir(parents=True, exist_ok=True)
    documents, names = prepare(name, arguments.documents, folder)
    words = data_folder() / "vectors" / "words-100d.txt.gz"
    old_kb = baseline.kb(SETS[name][0])
    new_kb = old_kb if arguments.baseline_only else present.kb(SETS[name][0])
    pairs = zip(calls(old_kb, documents, names, words), calls(new_kb, documents, names, words), strict=True)
    for (command, variant, given, stdin), (_, _, given_now, _) in pairs:
        if command not in arguments.only.split(",") or not variant.startswith(arguments.methods):
            continue
        key = f"{name}-{arguments.documents}-{command}-{variant.replace(' ', '')}"
        old = output_of(baseline, key, given, stdin, keep=True)
        if not arguments.baseline_only:
            records, different, first = compare(old, output_of(present, key, given_now, stdin, keep=False))
            if different:
                say(f"{name} {command} {variant}: {different} of {records} differ; {first}")
            yield {"set": name, "command": command, "variant": variant} | {
                "records": records, "different": different, "first": first
            }  # fmt: skip


def main() -> int:
    def add(parser: argparse.ArgumentParser) -> None:
        add_versions(parser)
        parser.add_argument("--only", default=",".join(COMMANDS), help=f"some of {','.join(COMMANDS)}")
        parser.add_argument("--sets", default=",".join(SETS), help="some of the sets")
        parser.add_argument("--methods", default="", help="of link: only variants that begin so")
        parser.add_argument("--documents", type=int, default=40, help="the first of each set; 0 for all (default 40)")
        parser.add_argument("--baseline-only", action="store_true", help="compute the outputs of the baseline only")

    arguments = parse_arguments(__doc__, add)
    baseline, present = open_versions(arguments)
    rows = [row for name in arguments.sets.split(",") for row in compare_set(name, baseline, present, arguments)]
    print_table(f"{arguments.baseline} against this checkout", rows)
    return 1 if any(row["different"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
