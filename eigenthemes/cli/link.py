"""eigenthemes link"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from eigenthemes.cli.inspect import tells_damage
from eigenthemes.cli.link_corpus import (
    check_corpus,
    check_no_corpus,
    corpus_options,
    is_corpus,
    link_into_folder,
    parse_columns,
)
from eigenthemes.cli.options import (
    JOBS,
    candidate_options,
    language_option,
    parse_candidates,
    parse_scoring,
    scoring_flags,
    vectors_option,
)
from eigenthemes.cli.output import counted, plain, say, table_text, terminal_progress
from eigenthemes.core.paths import check_output
from eigenthemes.core.progress import Silent
from eigenthemes.errors import OptionError, SourceError

if TYPE_CHECKING:
    from eigenthemes.linker import Linker
    from eigenthemes.records import LinkedDocument
    from eigenthemes.stream import Failure, Report

_SHOWN = 10  # failures told on stderr where there is no file for them


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("documents", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("-o", "--output", type=click.Path(), default="-", help="Write here instead of standard output.")
@click.option(
    "--method",
    metavar="NAME",
    help="How candidates are ranked: see docs/methods.md.  [default: selftrained, if the KB has a ranker, else eigen]",
)
@click.option("--threshold", type=float, metavar="P", help="Least probability of a link; default: the KB's own, see info.")
@click.option("--nil", type=click.Choice(("on", "off")), default="on", show_default=True, help="off: always link.")
@scoring_flags
@vectors_option
@candidate_options
@click.option(
    "--detector",
    default="names",
    show_default=True,
    metavar="NAME",
    help="What finds mentions where documents bring none: names (of the KB), names-and-dates, cells, given, spacy:FOLDER.",
)
@language_option
@click.option("--nested", is_flag=True, help="Names within names, too; default: the longest win.")
@click.option("--explain", is_flag=True, help="Add to each link why: which names and which edges spoke for it.")
@click.option("--table", is_flag=True, help="For people: a table of the names and their entities instead of JSON.")
@click.option("--top", default=3, show_default=True, type=click.IntRange(min=0), help="Candidates shown in each ranking.")
@click.option("--label-lang", metavar="TAG", help="Show labels in this language where the KB has them, for instance de.")
@click.option("--text", "plain_text", is_flag=True, help="DOCUMENTS are plain texts. Default where they do not begin as JSON.")
@click.option("--per-line", is_flag=True, help="DOCUMENTS are plain texts with a document on each line.")
@click.option("--format", metavar="NAME", help="What DOCUMENTS are; default: found from their content. See docs/formats.md.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Parquet: what a column is called, e.g. text=body; the roles are id, text, table and mentions.",
)
@click.option(
    "--output-format",
    metavar="NAME",
    help="jsonl, json, nif, brat (-o names a folder), pubtator, bioc, aida, web-annotation or html.  [default: by the name "
    "of -o, else jsonl]",
)
@click.option("--errors", type=click.Path(), metavar="FILE", help="Write records that cannot be linked here: line and cause.")
@click.option("--strict", is_flag=True, help="Stop at the first record that cannot be linked.")
@click.option("--jobs", type=JOBS, default=1, show_default=True, help="Processes; they share the KB.")
@corpus_options
@tells_damage
def link(
    kb: str,
    documents: tuple[str, ...],
    output: str,
    table: bool,
    plain_text: bool,
    per_line: bool,
    format: str | None,
    output_format: str | None,
    errors: str | None,
    strict: bool,
    jobs: int,
    columns: tuple[str, ...],
    engine: str | None,
    **options: Any,
) -> int:
    """Link the names in DOCUMENTS to the entities of a KB.

    DOCUMENTS hold one JSON object per line, {"id", "text", "mentions": [{"start", "end", "text"}]}, or a plain text, or one of
    the formats of docs/formats.md (NIF, BRAT, PubTator, BioC JSON, AIDA-CoNLL); they may be folders; - reads standard input.
    Where there are no mentions, the KB's names are found in the text. Each document comes back on one line, its mentions with
    entity, label, score and ranking. Exit code 1 if any record could not be linked.

    Where -o names a folder by a / at its end, files of JSON lines and Parquet are linked into it, each into a file of its name
    and format; what was killed goes on when it is started again. --engine ray does so on a cluster: see docs/cluster.md.
    """
    from eigenthemes.documents.reader import open_documents
    from eigenthemes.stream import collect_garbage_rarely, link_stream

    roles = parse_columns(columns)
    corpus = is_corpus(output, engine, output_format)
    if corpus:
        formats = {"table": table, "text": plain_text, "per-line": per_line, "format": format, "output-format": output_format}
        check_corpus(
            documents, output, {**options, **formats, "errors": errors, "strict": strict, "engine": engine, "jobs": jobs}
        )
    else:
        check_no_corpus(options)
    linker = open_linker(kb, options)  # before an output is opened, and with it emptied
    if corpus:
        return link_into_folder(linker, documents, output, engine=engine, jobs=jobs, columns=roles, options=options)
    collect_garbage_rarely()
    with ExitStack() as stack:
        files = stack.enter_context(
            open_documents(documents, plain_text=plain_text, per_line=per_line, format=format, columns=roles)
        )
        _check_outputs([file.path for file in files.files], output, errors)
        wanted = _output_format(output, output_format, table)
        out = sys.stdout.buffer if wanted == "brat" else _open_output(output, stack)
        on_document = _document_writer(wanted, output, out.write, stack) if wanted != "jsonl" else None
        on_failure = _failure_teller(_open_output(errors, stack, "--errors") if errors else None, several=files.several)
        advance = stack.enter_context(terminal_progress(Silent()).step("linking", total=None, unit="documents"))
        try:
            report = link_stream(
                files,
                linker,
                write=out.write if on_document is None else None,
                on_document=on_document,
                jobs=jobs,
                strict=strict,
                on_failure=on_failure,
                on_progress=advance,
            )
        except KeyboardInterrupt:
            say("eigenthemes: interrupted; the output holds what was linked so far", err=True)
            return 130
    _tell(report, sys.stderr.isatty() or output != "-")
    files.refuse_truncated()
    for kind, examples in files.diagnostics.examples.items():
        say(f"warning: {kind}: {examples[0]}", err=True)
    if report.failures:
        where = f"see {errors}" if errors else "--errors FILE keeps all of them"
        say(f"eigenthemes: {counted(report.failures, 'record')} could not be linked; {where}", err=True)
    return 1 if report.failures else 0


def _output_format(output: str, given: str | None, table: bool) -> str:
    """The format to write: the one that is asked for, or that of the file's name."""
    from eigenthemes.documents.output import format_of_name

    if table:
        if given is not None:
            raise OptionError(f"--table and --output-format {given} are two formats; choose one")
        return "table"
    return format_of_name(output) if given is None else given


def _document_writer(
    name: str, output: str, write: Callable[[bytes], object], stack: ExitStack
) -> Callable[[LinkedDocument], object]:
    """What writes a linked document in a format; the stack writes the end of the file."""
    from eigenthemes.documents.output import open_output

    if name == "table":
        return lambda linked: write(linked_table(linked).encode())
    return stack.enter_context(open_output(name, write, folder=output)).write


def open_linker(kb: str, given: Mapping[str, Any]) -> Linker:
    """The linker that the flags of a command ask for; what the KB lacks is printed on stderr."""
    from eigenthemes.kb.store import KB
    from eigenthemes.linker import Linker
    from eigenthemes.ranking.methods import default_method, method_named, scoring_options

    opened = KB.open(kb)
    name = given.get("method") or default_method(opened, given["vectors"])
    scoring = scoring_options({name: method_named(name)}, parse_scoring(given))
    if given.get("method") is None:
        for part in opened.missing_parts():
            say(f"warning: {part}", err=True)
    return Linker(
        opened,
        method=name,
        threshold=given["threshold"],
        allow_nil=given.get("nil", "on") == "on",
        vectors=given["vectors"],
        top=given.get("top", 3),
        label_lang=given.get("label_lang"),
        explain=given.get("explain", False),
        language=given.get("language"),
        detector="nested-names" if given.get("nested") else given.get("detector", "names"),
        candidates=parse_candidates(given),
        scoring=scoring[name],
    )


def linked_table(linked: LinkedDocument) -> str:
    """A linked document for people: a row per mention, and the sentences that explain them."""
    from eigenthemes.display.views import links_table

    heading = "" if linked.document.id is None else f"{plain(str(linked.document.id))}\n"
    header, rows = links_table(linked.links)
    lines = [heading + table_text(header, rows, right=(3,))]
    lines += [plain(link.explanation.sentence) for link in linked.links if link.explanation is not None]
    return "\n".join(lines) + "\n"


def _tell(report: Report, wanted: bool) -> None:
    if report.unknown:
        say(
            f"warning: {report.unknown:,} candidates given by documents are not in the KB (first: {report.unknown_example}); "
            "they are listed as unknown_candidates",
            err=True,
        )
    if not report.documents and not report.failures:
        say("warning: there was no document to link: the input is empty", err=True)
    elif wanted:
        say(
            f"{counted(report.documents, 'document')}, {report.linked:,} of {counted(report.mentions, 'mention')} linked "
            f"in {report.seconds:.1f} s ({report.documents / max(1e-9, report.seconds):,.0f} documents/s)",
            err=True,
        )


def _failure_teller(file: IO[bytes] | _Output | None, *, several: bool) -> Callable[[Failure], None]:
    """What becomes of failures: all into a file, or the first few on stderr."""
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


def _check_outputs(documents: Sequence[str], output: str, errors: str | None) -> None:
    """An output is neither an input nor the other output."""
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


class _Output:
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

    def __enter__(self) -> _Output:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # told when it was written
            self.file.close()


def _open_output(path: str, stack: ExitStack, option: str = "-o") -> IO[bytes] | _Output:
    if path == "-":
        return sys.stdout.buffer
    check_output(path, remedy=f"give another place with {option}")
    try:
        return stack.enter_context(_Output(path, option))
    except OSError as error:
        raise SourceError(
            f"{path} cannot be written ({error.strerror}); give another place with {option}", where=path
        ) from None
