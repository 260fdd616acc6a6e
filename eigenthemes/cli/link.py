"""eigenthemes link"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from eigenthemes.cli.inspect import tells_damage
from eigenthemes.cli.options import generator_options, method_options, parse_count
from eigenthemes.cli.output import table_text, terminal_progress
from eigenthemes.errors import OptionError, SourceError

if TYPE_CHECKING:
    from eigenthemes.core.files import Source
    from eigenthemes.stream import Failure, Report

_AS_GIVEN = (
    "method", "delta", "unique", "weights", "window", "word_vectors", "top", "generator", "vectors", "threshold", "explain",
    "model",
)  # fmt: skip
_SHOWN = 10  # failures told on stderr where there is no file for them


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("documents", type=click.Path(allow_dash=True))
@click.option("-o", "--output", type=click.Path(), default="-", help="Write here instead of standard output.")
@click.option(
    "--method",
    metavar="NAME",
    help="How candidates are ranked: see docs/methods.md.  [default: selftrained, if the KB has a ranker, else eigen]",
)
@click.option("--threshold", type=float, metavar="P", help="A less likely answer is none; default: the KB's own, see info.")
@click.option("--nil", type=click.Choice(("on", "off")), default="on", show_default=True, help="off: always answer.")
@method_options
@generator_options
@click.option("--explain", is_flag=True, help="Add to each link why: which names and which edges spoke for it.")
@click.option("--table", is_flag=True, help="For people: a table of the names and their entities instead of JSON.")
@click.option("--top", default=3, show_default=True, type=click.IntRange(min=0), help="Candidates shown in each ranking.")
@click.option(
    "--text", "plain_text", is_flag=True, help="DOCUMENTS is one plain text. Default where it does not begin as JSON."
)
@click.option("--errors", type=click.Path(), metavar="FILE", help="Write records that cannot be linked here: line and cause.")
@click.option("--strict", is_flag=True, help="Stop at the first record that cannot be linked.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes; they share the KB.")
@tells_damage
def link(
    kb: str,
    documents: str,
    output: str,
    table: bool,
    plain_text: bool,
    errors: str | None,
    strict: bool,
    jobs: int,
    **options: Any,
) -> int:
    """Link the names in DOCUMENTS to the entities of a KB.

    DOCUMENTS holds one JSON object a line, {"id", "text", "mentions": [{"start", "end", "text"}]}, or a plain text; - reads
    standard input. Where there are no mentions, the KB's names are found in the text. Each document comes back on one line,
    its mentions with entity, label, score and ranking. Exit code 1 if any record could not be linked.
    """
    from eigenthemes.core.diagnostics import Diagnostics
    from eigenthemes.core.files import Source
    from eigenthemes.stream import link_stream, linker_for

    wanted = linker_options(options)
    linker_for(kb, wanted)  # before an output is opened, and with it emptied
    diagnostics = Diagnostics()
    with ExitStack() as stack:
        source = stack.enter_context(Source(documents, diagnostics, lambda amount: None))
        plain_text = plain_text or _is_text(source)
        _check_outputs(documents, output, errors)
        out = _open_output(output, stack)
        told = _teller(_open_output(errors, stack, "--errors") if errors else None)
        advance = stack.enter_context(terminal_progress().step("linking", total=None, unit="documents"))
        try:
            report = link_stream(
                _read(source, plain_text),
                _Tables(out).write if table else out.write,
                kb,
                options=wanted,
                jobs=jobs,
                plain_text=plain_text,
                strict=strict,
                on_failure=told,
                on_progress=advance,
            )
        except KeyboardInterrupt:
            click.echo("eigenthemes: interrupted; the output holds what was linked so far", err=True)
            return 130
    _tell(report, sys.stderr.isatty() or output != "-")
    if diagnostics.counts["truncated or damaged archive"]:
        cause = diagnostics.examples["truncated or damaged archive"][0]
        raise SourceError(f"truncated or damaged archive: {cause}; what came before was linked: fetch or pack the file again")
    for kind, examples in diagnostics.examples.items():
        click.echo(f"warning: {kind}: {examples[0]}", err=True)
    if report.failures:
        where = f"see {errors}" if errors else "--errors FILE keeps all of them"
        records = "record" if report.failures == 1 else "records"
        click.echo(f"eigenthemes: {report.failures:,} {records} could not be linked; {where}", err=True)
    return 1 if report.failures else 0


class _Tables:
    """Takes lines of JSON and writes a table for each document."""

    def __init__(self, out: IO[bytes]) -> None:
        self.out = out

    def write(self, lines: bytes) -> None:
        import orjson

        for document in map(orjson.loads, lines.splitlines()):
            if document.get("id") is not None:
                self.out.write(f"{document['id']}\n".encode())
            rows = [_row(mention) for mention in document["mentions"]]
            calibrated = any(mention["probability"] is not None for mention in document["mentions"])
            header = ("name", "entity", "label", "probability" if calibrated else "score", "next best")
            self.out.write(table_text(header, rows, right=(3,)).encode() + b"\n")
            for mention in document["mentions"]:
                if "explanation" in mention:
                    self.out.write(f"{mention['explanation']['sentence']}\n".encode())


def _row(mention: dict[str, Any]) -> tuple[str, ...]:
    found = [f"{each['label']} {each['score']:.3f}" for each in mention["ranking"]]
    if mention["entity"] is None:
        return mention["text"], f"({mention['nil_reason']})", "", "", ", ".join(found)
    return mention["text"], mention["entity"], mention["label"], f"{mention['score']:.3f}", ", ".join(found[1:])


def linker_options(given: dict[str, Any]) -> dict[str, Any]:
    """The options of `Linker` from those of a command."""
    return {
        **{name: given[name] for name in _AS_GIVEN if name in given},
        **({"nil": given["nil"] == "on"} if "nil" in given else {}),
        "k": parse_count(given["k"], "--k"),
        "max_candidates": parse_count(given["max_candidates"], "--max-candidates"),
        "aliases": not given["no_aliases"],
    }


def _tell(report: Report, wanted: bool) -> None:
    if report.unknown:
        click.echo(
            f"warning: {report.unknown:,} candidates given by documents are not in the KB (first: {report.unknown_example}); "
            "they are listed as unknown_candidates",
            err=True,
        )
    if wanted:
        click.echo(
            f"{report.documents:,} documents, {report.linked:,} of {report.mentions:,} mentions linked "
            f"in {report.seconds:.1f} s ({report.documents / max(1e-9, report.seconds):,.0f} documents/s)",
            err=True,
        )


def _teller(failed: IO[bytes] | None) -> Callable[[Failure], None]:
    """What becomes of failures: all into a file, or the first few on stderr."""
    import orjson

    told = 0

    def tell(failure: Failure) -> None:
        nonlocal told
        told += 1
        if failed is not None:
            failed.write(orjson.dumps(failure.to_dict(), option=orjson.OPT_APPEND_NEWLINE))
        elif told <= _SHOWN:
            click.echo(f"line {failure.line}: {failure.cause}", err=True)

    return tell


def _read(source: Source, plain_text: bool) -> Iterator[bytes]:
    """The records of the input: lines of JSON, or one text."""
    return iter([source.text().read()]) if plain_text else iter(source.stream)


def _is_text(source: Source) -> bool:
    """Neither the name nor the first line says JSON."""
    import orjson

    if re.search(r"\.(json|jsonl|ndjson)(\.\w+)?$", source.name.lower()):
        return False
    first = source.head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    if not first or first.startswith((b"{", b"[", b'"')):
        return False
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return True
    return False


def _check_outputs(documents: str, output: str, errors: str | None) -> None:
    """An output is neither the input nor the other output."""
    source = os.fstat(sys.stdin.fileno()) if documents == "-" and _has_handle(sys.stdin) else None
    if documents != "-":
        source = Path(documents).stat()
    for path in (output, errors):
        if (
            path not in (None, "-")
            and source is not None
            and Path(path).exists()
            and os.path.samestat(Path(path).stat(), source)
        ):
            raise OptionError(f"{path} is the input itself; give another file to write to")
    if errors is not None and output != "-" and Path(errors).absolute() == Path(output).absolute():
        raise OptionError(f"-o and --errors are both {errors}; give two files")


def _has_handle(stream: IO[str]) -> bool:
    try:
        return stream.fileno() >= 0
    except OSError:  # a stream in memory
        return False


def _open_output(path: str, stack: ExitStack, option: str = "-o") -> IO[bytes]:
    if path == "-":
        return sys.stdout.buffer
    try:
        return stack.enter_context(open(path, "wb"))
    except OSError as error:
        raise SourceError(f"{path} cannot be written ({error.strerror}); give another place with {option}") from None
