"""Count the modules and functions of the package that `link` enters for two sentences.

    python -m benchmarks.trace_link [KB] [--method NAME] [--list]

Without a KB, the demo's is built first. Two paths are traced: the command, from the arguments to the output (importing does
not count), and a document where the linker is open and has linked once, from the line of JSON to the line of output.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import eigenthemes
from eigenthemes.cli import cli
from eigenthemes.documents.reader import Record
from eigenthemes.kg.demo import SMALL
from eigenthemes.linker import Linker
from eigenthemes.stream import link_chunk

_PACKAGE = Path(eigenthemes.__file__).parent
_TEXT = "Michael Jordan played for the Chicago Bulls. Scottie Pippen did, too."


class Trace:
    """The functions of the package that are entered, and the depth of their calls."""

    def __init__(self) -> None:
        self.functions: Counter[tuple[str, str]] = Counter()
        self.depth = self.deepest = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Record an event of `sys.setprofile`."""
        file = Path(frame.f_code.co_filename)
        imports = frame.f_code.co_name == "<module>"
        if event not in ("call", "return") or imports or not file.is_relative_to(_PACKAGE):
            return
        self.depth += 1 if event == "call" else -1
        self.deepest = max(self.deepest, self.depth)
        if event == "call":
            module = file.relative_to(_PACKAGE).with_suffix("").as_posix().replace("/", ".")
            self.functions[module, frame.f_code.co_qualname] += 1

    @property
    def modules(self) -> Counter[str]:
        """Number of functions entered in each module."""
        return Counter(module for module, _ in self.functions)


def trace(function: Callable[[], object]) -> Trace:
    """Call a function, and return the functions of the package that it enters."""
    entered = Trace()
    sys.setprofile(entered)
    try:
        function()
    finally:
        sys.setprofile(None)
    return entered


def trace_command(kb: str | Path, folder: Path, method: list[str]) -> Trace:
    """Trace the command `link`."""
    text = folder / "two.txt"
    text.write_text(_TEXT)
    arguments = ["link", str(kb), str(text), "-o", str(folder / "two.jsonl"), *method]
    return trace(lambda: cli.main(arguments, standalone_mode=False))


def trace_document(kb: str | Path, method: str | None) -> Trace:
    """Trace one document, after the linker was opened and has linked it once."""
    linker = Linker(kb, method=method)
    records = [Record("two.jsonl", 1, json.dumps({"text": _TEXT}).encode())]
    link_chunk(linker, records)
    return trace(lambda: link_chunk(linker, records))


def main() -> None:
    """Print the counts, and with --list the functions of each module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kb", nargs="?")
    parser.add_argument("--method")
    parser.add_argument("--list", action="store_true", help="list the modules, with the number of their functions")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kb = given.kb or eigenthemes.build_kb([SMALL], folder / "demo.kb").path
        command = trace_command(kb, folder, ["--method", given.method] if given.method else [])
        document = trace_document(kb, given.method)
    for label, entered in (("the command", command), ("a document", document)):
        print(f"{label}: {len(entered.modules)} modules, {len(entered.functions)} functions, {entered.deepest} levels deep")
        for module, functions in sorted(entered.modules.items()) if given.list else ():
            print(f"{functions:4} {module}")


if __name__ == "__main__":
    main()
