"""What `eigenthemes link` writes: files, formats, a table for people, and the records that failed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from eigenthemes.cli.output import plain, say, table_text
from eigenthemes.core.storage import check_output
from eigenthemes.errors import OptionError, SourceError

if TYPE_CHECKING:
    from eigenthemes.records import LinkedDocument
    from eigenthemes.stream import Failure

_SHOWN = 10  # failures told on stderr where there is no file for them


def output_format(output: str, given: str | None, table: bool) -> str:
    """Return the format to write: the one that is asked for, or that of the file's name."""
    from eigenthemes.documents.output import format_of_name

    if table:
        if given is not None:
            raise OptionError(f"--table and --output-format {given} are two formats; choose one")
        return "table"
    return format_of_name(output) if given is None else given


def document_writer(
    name: str, output: str, write: Callable[[bytes], object], stack: ExitStack
) -> Callable[[LinkedDocument], object]:
    """Return what writes a linked document in a format; the stack writes the end of the file."""
    from eigenthemes.documents.output import open_output

    if name == "table":
        return lambda linked: write(_linked_table(linked).encode())
    return stack.enter_context(open_output(name, write, folder=output)).write


def _linked_table(linked: LinkedDocument) -> str:
    """Return a linked document for people: a row per mention, and the sentences that explain them."""
    from eigenthemes.display.views import links_table

    heading = "" if linked.document.id is None else f"{plain(str(linked.document.id))}\n"
    header, rows = links_table(linked.links)
    lines = [heading + table_text(header, rows, right=(3,))]
    lines += [plain(link.explanation.sentence) for link in linked.links if link.explanation is not None]
    return "\n".join(lines) + "\n"


def failure_teller(file: IO[bytes] | OutputFile | None, *, several: bool) -> Callable[[Failure], None]:
    """Return what becomes of failures: all into a file, or the first few on stderr."""
    import orjson

    count = 0

    def tell(failure: Failure) -> None:
        nonlocal count
        count += 1
        record = failure.to_dict()
        if not several:
            record.pop("file")
        if file is not None:
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        elif count <= _SHOWN:
            say(
                f"{failure.file}:{failure.line}: {failure.cause}" if several else f"line {failure.line}: {failure.cause}",
                err=True,
            )

    return tell


def check_outputs(documents: Sequence[str], output: str, errors: str | None) -> None:
    """Refuse an output that is an input or the other output."""
    for path in (path for path in (output, errors) if path not in (None, "-") and Path(str(path)).exists()):
        for source in filter(None, map(_status, documents)):
            if os.path.samestat(Path(str(path)).stat(), source):
                raise OptionError(f"{path} is the input itself; give another file to write to", where=str(path))
    if errors is not None and output != "-" and Path(errors).absolute() == Path(output).absolute():
        raise OptionError(f"-o and --errors are both {errors}; give two files", where=errors)


def _status(document: str) -> os.stat_result | None:
    if document != "-":
        return Path(document).stat()
    try:
        return os.fstat(sys.stdin.fileno())
    except (OSError, ValueError):  # a stream in memory, or none
        return None


class OutputFile:
    """A file to write to; where the disk is full it says so, and what the file holds."""

    def __init__(self, path: str, option: str) -> None:
        self.path, self.option, self.file = path, option, open(path, "wb")  # noqa: SIM115

    def write(self, data: bytes) -> None:
        try:
            self.file.write(data)
            self.file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise SourceError(
                f"{self.path} cannot be written ({error.strerror}); it holds what was linked so far: free some space, or give "
                f"another place with {self.option}",
                where=self.path,
            ) from None

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # told when it was written
            self.file.close()


def open_output_file(path: str, stack: ExitStack, option: str = "-o") -> IO[bytes] | OutputFile:
    if path == "-":
        return sys.stdout.buffer
    check_output(path, remedy=f"give another place with {option}")
    try:
        return stack.enter_context(OutputFile(path, option))
    except OSError as error:
        raise SourceError(
            f"{path} cannot be written ({error.strerror}); give another place with {option}", where=path
        ) from None
