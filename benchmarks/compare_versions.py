"""What users get, before and after a change: two versions of eigenthemes side by side on the demo and on every real set.

    python -m benchmarks.compare_versions                       # commit 31f0be2 against this checkout
    python -m benchmarks.compare_versions --only link,eval --sets demo,wned-cweb
    python -m benchmarks.compare_versions --baseline HEAD --documents 0    # all documents of every set

The baseline commit is installed into an environment of its own, each version builds its own KBs with its own command line, and
the JSON that `candidates`, `link` (all methods), `eval` and `explain` print is compared record by record. With --old-kb the
present version also opens the KBs that the baseline built. Fields that were renamed on purpose are renamed in the baseline's
output first (RENAMED_...); everything else that differs is counted, and the first difference is shown. Exit code 1 if there
is any.

What the baseline printed is kept in --cache, so a second run computes only the present version's side.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import CHECKOUT, SOURCES, data_folder, parse_arguments, print_table, read_documents, say

BASELINE = "31f0be2"
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
COMMANDS = ("candidates", "link", "text", "eval", "explain")
NAMES = 2000  # distinct names of a set that are looked up
_TIMEOUT, _HUNG = 240, -9  # seconds for a command, and the exit code of one that did not end
TOLERANCE = 1e-9  # of scores: the same arithmetic on the same machine

# Keys of the baseline's JSON that have another name now: of candidates, and of whatever is inside an explanation.
RENAMED_IN_CANDIDATES = {"name": "matched_name", "how": "match_type"}
RENAMED_IN_EXPLANATIONS = {
    "words": "sentence",
    "none": "nil_probability",
    "choices": "candidate_count",
    "others": "other_support",
    "shown": "display_label",
    "linked": "connected",
    "how": "match_type",
    "name": "matched_name",
}
SUPPORT = ("support", "others", "other_support", "words", "sentence")  # of explanations
BY_GROUP = ("contributions", "shares", "against")  # their keys are feature groups
# (set, method): mentions in tables are decided together by name and column now, by name alone before.
INTENDED = {(name, "selftrained") for name in ("t2d-dev", "wikitables-dev")}
# Keys whose values depend on the clock.
IGNORED_KEYS = {"documents_per_second", "seconds"}


@dataclass(frozen=True, slots=True)
class Version:
    """A version: its interpreter, the folder for its KBs and outputs, and where its source is if it is not installed."""

    name: str
    python: Path
    folder: Path
    source: str = ""

    def run(self, *arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        command = [str(self.python), "-m", "eigenthemes", *arguments]
        environment = {**os.environ, "PYTHONPATH": self.source}
        try:
            return subprocess.run(
                command, input=stdin, capture_output=True, cwd=self.folder, env=environment, check=False, timeout=_TIMEOUT
            )
        except subprocess.TimeoutExpired as expired:  # 31f0be2 never ends on some names of dwie-train (matched_names)
            return subprocess.CompletedProcess(command, _HUNG, expired.stdout or b"", b"")

    def kb(self, name: str) -> Path:
        """A KB of the data folder or of the demo, built once by this version."""
        path = self.folder / f"{name}.kb"
        if not (path / "manifest.json").exists():
            say(f"{self.name}: building {path.name}")
            start = time.monotonic()
            done = self.run("build", *map(str, kg_files(name)), "-o", str(path), "--jobs", "2")
            if done.returncode:
                sys.exit(f"{self.name} cannot build {name}: {done.stderr.decode(errors='replace').strip()}")
            say(f"{self.name}: {path.name} in {time.monotonic() - start:.0f} s")
        return path


def kg_files(name: str) -> list[Path]:
    """The source files of a KB."""
    if name == DEMO:
        return [CHECKOUT / "eigenthemes" / "data" / "demo.ttl"]
    return [data_folder() / file for file in SOURCES[name]]


def documents_of(name: str, most: int) -> list[dict[str, Any]]:
    """The first documents of a set; 0 for all."""
    if name == DEMO:
        lines = (CHECKOUT / "eigenthemes" / "data" / "demo.jsonl").read_text(encoding="utf-8").splitlines()
        documents = [json.loads(line) for line in lines]
    else:
        documents = list(read_documents(data_folder() / f"{SETS[name][1]}.jsonl.gz"))
    return documents[:most] if most else documents


def install(commit: str, folder: Path) -> Version:
    """The version of a commit in an environment of its own."""
    environment = folder / "env"
    if not (environment / "installed").exists():
        say(f"installing {commit} into {environment}")
        source = folder / "source"
        source.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", commit], cwd=CHECKOUT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(source)], input=archive, check=True)
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", str(source / "constraints.txt"), f"{source}[paper]"], check=True)
        (environment / "installed").touch()
    return Version(commit, environment / "bin" / "python", folder)


def calls(
    name: str, kb: Path, documents: Path, names: Path, words: Path
) -> Iterator[tuple[str, str, tuple[str, ...], Path | None]]:
    """(command, variant, arguments, standard input) of everything that is compared on a set."""
    yield "candidates", "default", ("candidates", str(kb), "-", "--json"), names
    yield "candidates", "paper", ("candidates", str(kb), "-", "--json", "--generator", "paper", "--no-aliases"), names
    for method in METHODS:
        given = ("--word-vectors", str(words)) if method in WORDY else ()
        yield "link", method, ("link", str(kb), str(documents), "--method", method, *given), None
    yield "link", "selftrained --nil off --top 20", ("link", str(kb), str(documents), "--nil", "off", "--top", "20"), None
    yield "link", "selftrained --explain", ("link", str(kb), str(documents), "--explain"), None
    yield (
        "link",
        "eigen --k all --unique",
        ("link", str(kb), str(documents), "--method", "eigen", "--k", "all", "--unique"),
        None,
    )
    yield (
        "link",
        "eigen --generator paper",
        ("link", str(kb), str(documents), "--method", "eigen", "--generator", "paper"),
        None,
    )
    yield "text", "selftrained", ("link", str(kb), str(documents.with_suffix(".text.jsonl"))), None
    yield "text", "eigen", ("link", str(kb), str(documents.with_suffix(".text.jsonl")), "--method", "eigen"), None
    plain = ",".join(method for method in METHODS if method not in WORDY)
    yield "eval", "all methods", ("eval", str(kb), str(documents), "--methods", plain, "--json"), None
    yield "explain", "all", ("explain", str(kb), str(documents), "--document", "all", "--json"), None


def prepare(name: str, most: int, folder: Path) -> tuple[Path, Path]:
    """Files with the documents of a set (and the same without mentions), and with their names."""
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
    """The JSON records a command printed; kept on disk where the version does not change."""
    kept = version.folder / "outputs" / f"{key}.jsonl"
    if not (keep and kept.exists()):
        done = version.run(*arguments, stdin=stdin.read_bytes() if stdin else None)
        if b"Traceback" in done.stderr:
            say(f"{version.name}: {' '.join(arguments)}\n{done.stderr.decode(errors='replace')[-2000:]}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        whole = done.stdout[: done.stdout.rfind(b"\n") + 1]
        kept.write_bytes(whole + f'{{"exit code": {done.returncode}}}\n'.encode())
    return _parse(kept.read_bytes())


def _parse(data: bytes) -> list[Any]:
    """JSON lines, or (as `eval --json` prints) one value over many lines; the exit code comes last."""
    *lines, last = data.decode().splitlines()
    try:
        return [*map(json.loads, lines), json.loads(last)]
    except ValueError:
        return [json.loads("\n".join(lines)), json.loads(last)]


def renamed(value: Any, keys: dict[str, str] | None = None) -> Any:
    """A record of the baseline with the names of today."""
    if isinstance(value, list):
        return [renamed(item, keys) for item in value]
    if not isinstance(value, dict):
        return value
    if keys is None and "rank" in value and "how" in value:
        keys = RENAMED_IN_CANDIDATES
    if "nil_reason" in value and "shares" in value:
        keys = RENAMED_IN_EXPLANATIONS
    if keys is RENAMED_IN_EXPLANATIONS and "relation" in value and "reverse" in value:
        return {"type" if key == "how" else key: item for key, item in value.items()}
    return {(keys or {}).get(key, key): item if key in BY_GROUP else renamed(item, keys) for key, item in value.items()}


def first_difference(old: Any, new: Any, where: str = "") -> str | None:
    """Where two records differ first, and how; None: nowhere."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key in IGNORED_KEYS:
                continue
            if key not in old or key not in new:
                return f"{where}.{key}: only {'before' if key in old else 'now'}"
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


def _without_support(value: Any) -> Any:
    """A record without what explanations say of supporting names: they tell the ranker's own figures now.

    Before, where several longer names contain a name, the share was spread over all of them; the ranker counts the likeliest.
    """
    if isinstance(value, dict):
        return {key: _without_support(item) for key, item in value.items() if key not in SUPPORT}
    return [_without_support(item) for item in value] if isinstance(value, list) else value


def compare(old: list[Any], new: list[Any]) -> tuple[int, int, str]:
    """How many records there are, how many of them differ, and the first difference."""
    old = [renamed(each) for each in old]
    if old[-1]["exit code"] < 0:  # only what it printed before it hung or died can be compared
        old, new = old[:-1], new[: len(old) - 1]
    differences = [found for pair in zip(old, new, strict=False) if (found := first_difference(*pair))]
    if len(old) != len(new):
        differences.append(f"{len(old)} records before, {len(new)} now")
    return len(old), len(differences), differences[0] if differences else ""


def main() -> int:
    def add(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--baseline", default=BASELINE, help=f"the commit to compare with (default {BASELINE})")
        parser.add_argument("--only", default=",".join(COMMANDS), help=f"some of {','.join(COMMANDS)}")
        parser.add_argument("--sets", default=",".join(SETS), help="some of the sets")
        parser.add_argument("--methods", default="", help="of link: only variants that begin so")
        parser.add_argument("--documents", type=int, default=40, help="the first of each set; 0 for all (default 40)")
        parser.add_argument(
            "--baseline-only", action="store_true", help="compute and keep the baseline's side, compare nothing"
        )
        parser.add_argument("--old-kb", action="store_true", help="this version links with the KBs that the baseline built")

    arguments = parse_arguments(__doc__, add)
    baseline = install(arguments.baseline, arguments.cache / f"baseline-{arguments.baseline}")
    present = Version("this checkout", Path(sys.executable), arguments.cache / "present", str(CHECKOUT))
    rows, wrong = [], 0
    words = data_folder() / "vectors" / "words-100d.txt.gz"
    for name in arguments.sets.split(","):
        folder = arguments.cache / f"documents-{arguments.documents}"
        folder.mkdir(parents=True, exist_ok=True)
        present.folder.mkdir(parents=True, exist_ok=True)
        documents, names = prepare(name, arguments.documents, folder)
        old_kb = baseline.kb(SETS[name][0])
        new_kb = old_kb if arguments.old_kb or arguments.baseline_only else present.kb(SETS[name][0])
        for old_call, new_call in zip(
            calls(name, old_kb, documents, names, words), calls(name, new_kb, documents, names, words), strict=True
        ):
            command, variant, given, stdin = old_call
            if command not in arguments.only.split(",") or not variant.startswith(arguments.methods):
                continue
            key = f"{name}-{arguments.documents}-{command}-{variant.replace(' ', '')}"
            old = output_of(baseline, key, given, stdin, keep=True)
            if arguments.baseline_only:
                continue
            new = output_of(present, key, new_call[2], stdin, keep=False)
            records, different, first = compare(old, new)
            intended = (name, variant.split()[0]) in INTENDED or (name in dict(INTENDED) and command in ("eval", "explain"))
            if different and "explain" in (command, variant.rpartition("--")[2]):
                intended = intended or compare(*(_without_support(records) for records in (old, new)))[1] == 0
            wrong += 0 if intended else different
            rows.append(
                {
                    "set": name,
                    "command": command,
                    "variant": variant,
                    "records": records,
                    "different": f"{different} (intended)" if intended and different else different,
                    "first": first,
                }
            )
            if different:
                say(f"{name} {command} {variant}: {different} of {records} differ; {first}")
    print_table(f"{arguments.baseline} against this checkout", rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
