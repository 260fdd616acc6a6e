"""Link a file again and again when asked to, with whichever version of eigenthemes is installed: for `compare_speed`.

    python benchmarks/link_worker.py my.kb documents.jsonl

Reads lines "method k" from standard input (k is a number, "all", or "-" where it means nothing). For each it links the file as
`eigenthemes link --jobs 1` does, from the lines of the file to the lines of output, and prints the seconds of CPU time and the
documents. What is loaded or compiled at first use is done before the clock starts. It imports nothing of this checkout.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

Pass = Callable[[], int]  # link the file once, return the documents


def today(kb: str, file: str, method: str, k: str) -> Pass:
    """With this version: link through the functions that the command line calls."""
    from eigenthemes.core.jit import always_compile
    from eigenthemes.documents.reader import open_documents
    from eigenthemes.linker import Linker
    from eigenthemes.ranking.options import EigenOptions
    from eigenthemes.stream import chunks_of, collect_garbage_rarely, link_chunk

    always_compile()
    collect_garbage_rarely()
    linker = Linker(kb, method=method, scoring=None if k == "-" else EigenOptions(k=None if k == "all" else int(k)))

    def link() -> int:
        documents = 0
        with open_documents(file) as records, open("/dev/null", "wb") as out:
            for records_of_chunk in chunks_of(records):
                chunk = link_chunk(linker, records_of_chunk)
                out.write(chunk.output)
                documents += chunk.linked_documents
        return documents

    return link


def before(kb: str, file: str, method: str, k: str) -> Pass:
    """With a version from before the package had rooms (31f0be2)."""
    streaming: Any = import_module("eigenthemes.streaming")
    options: dict[str, Any] = {"method": method}
    if k != "-":
        options["k"] = None if k == "all" else int(k)

    def link() -> int:
        documents = 0
        with open(file, "rb") as lines, open("/dev/null", "wb") as out:
            for lines_of_chunk in streaming.chunks_of(lines):
                chunk = streaming.link_chunk(kb, options, lines_of_chunk, False)
                out.write(chunk.output)
                documents += chunk.documents
        return documents

    return link


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kb")
    parser.add_argument("file")
    arguments = parser.parse_args()
    try:
        import eigenthemes.stream  # noqa: F401

        make = today
    except ModuleNotFoundError:
        make = before
    key, link = "", None
    for line in sys.stdin:
        if line != key or link is None:
            key, link = line, make(arguments.kb, arguments.file, *line.split())
            link()
        start = time.process_time()
        documents = link()
        print(time.process_time() - start, documents, flush=True)


if __name__ == "__main__":
    main()
