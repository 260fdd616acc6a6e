"""The lock file, and checks of what is installed.

python .ci/dependencies.py lock    resolve all dependencies anew and write constraints.txt
python .ci/dependencies.py check   versions as in the lock file, and no licence that forbids closed use
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "constraints.txt"
HEADER = """\
# Lock file: the versions that make and CI install (pip install -c), for Python 3.11 to 3.13 on Linux. Written by `make lock`.
# torch stays at a version with a build for CPUs: an open range would bring gigabytes of CUDA.
"""
_OWN = ("eigenthemes", "eigenthemes-paper")
_ALL = (".[test,browser,bench]", "./paper")

PERMISSIVE = re.compile(
    r"\b(Apache|MIT|MIT-CMU|BSD|0BSD|BSD-\d-Clause|ISC|ISCL|PSF|PSF-2\.0|Python Software Foundation|Zlib|CC0|CC0-1\.0|BSL-1\.0|"
    r"Unlicense|HPND|CNRI-Python)\b",
    re.IGNORECASE,
)
# weak copyleft, file by file: allowed for these and no others, since none of their files is changed or copied
MPL = ("certifi", "hypothesis", "orjson", "pathspec", "tqdm")
UNSTATED = {"axe-playwright-python": "MIT by its file LICENSE; its axe.min.js is MPL-2.0, used for tests only"}


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked_versions(text: str) -> dict[str, str]:
    """Return name -> version of a lock file."""
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    return {normalized(name): version for name, _, version in (line.partition("==") for line in lines if line)}


def licence_of(distribution: Distribution) -> str:
    """Return what a distribution says about its licence: an expression, classifiers, or the first line of a text."""
    metadata = distribution.metadata
    classifiers = [each.split("::")[-1].strip() for each in metadata.get_all("Classifier") or () if each.startswith("License")]
    named = metadata.get("License-Expression") or "; ".join(classifiers)
    return str(named or (str(metadata.get("License") or "").strip().splitlines() or [""])[0])


def licence_problem(name: str, licence: str) -> str:
    """Return why a licence is refused; empty if it is allowed."""
    if re.search(r"GPL|GNU", licence, re.IGNORECASE):
        return f"{name} is under {licence}; remove it, or use another library"
    if re.search(r"MPL|Mozilla", licence):
        return "" if name in MPL else f"{name} is under {licence}; name it in MPL of .ci/dependencies.py if that is meant"
    if name in UNSTATED or PERMISSIVE.search(licence):
        return ""
    return f"{name} is under {licence or 'no licence that it states'}; expected a permissive one"


def problems() -> list[str]:
    """Return what is wrong with the installed distributions that the lock file names."""
    locked = locked_versions(LOCK.read_text(encoding="utf-8"))
    found = []
    for distribution in distributions():
        name = normalized(distribution.metadata["Name"])
        if name not in locked:
            continue
        if distribution.version.partition("+")[0] != locked[name]:
            found.append(f"{name} is {distribution.version}, but the lock file has {locked[name]}; install with -c {LOCK.name}")
        if why := licence_problem(name, licence_of(distribution)):
            found.append(why)
    return found


def write_lock() -> None:
    """Resolve all dependencies as if nothing were installed, and write their versions."""
    torch = next(line for line in LOCK.read_text(encoding="utf-8").splitlines() if line.startswith("torch=="))
    with tempfile.TemporaryDirectory() as folder:
        report, constraint = Path(folder, "report.json"), Path(folder, "torch.txt")
        constraint.write_text(torch + "\n", encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", str(report)]
        subprocess.run([*pip, "-c", str(constraint), *_ALL], check=True, cwd=ROOT)
        resolved = [item["metadata"] for item in json.loads(report.read_text(encoding="utf-8"))["install"]]
    pins = sorted(f"{normalized(each['name'])}=={each['version'].partition('+')[0]}" for each in resolved)
    kept = [pin for pin in pins if pin.partition("==")[0] not in _OWN]
    LOCK.write_text(HEADER + "\n".join(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["lock"]:
        write_lock()
    elif sys.argv[1:] == ["check"]:
        sys.exit("\n".join(problems()) or 0)
    else:
        sys.exit(__doc__)
