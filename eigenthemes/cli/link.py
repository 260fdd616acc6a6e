"""The command `eigenthemes link`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.link_corpus import check_corpus, check_no_corpus, corpus_options, is_corpus, link_into_folder
from eigenthemes.cli.options import (
    JOBS,
    about_option,
    language_option,
    link_flags,
    link_options,
    parse_columns,
    parse_scoring,
    text_option,
)
from eigenthemes.cli.output import (
    counted,
    note,
    plain,
    table_text,
    terminal_progress,
    warn_paper_generator,
    warn_without_vector,
)
from eigenthemes.cli.train import adapted_kb
from eigenthemes.core.progress import Silent
from eigenthemes.core.storage import check_output, report_write_errors
from eigenthemes.errors import OptionError

if TYPE_CHECKING:
    from eigenthemes.documents.reader import DocumentFiles
    from eigenthemes.linker import Linker
    from eigenthemes.records import LinkedDocument
    from eigenthemes.stream import Failure, Report


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("documents", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("-o", "--output", type=click.Path(), default="-", help="Write here; - is standard output.")
@link_flags
@click.option(
    "--detector",
    default="names",
    metavar="NAME",
    help="Finds mentions: names (of the KB), names-and-dates, cells, given, spacy:FOLDER.",
)
@language_option
@about_option
@click.option("--adapt", is_flag=True, help="Adapt to DOCUMENTS, 100 or more, without changing the KB: see docs/detection.md.")
@click.option("--nested", is_flag=True, help="Find names within names, too; default: only the longest.")
@click.option("--explain", is_flag=True, help="Add an explanation to each link.")
@click.option("--table", is_flag=True, help="Print a table of names and entities instead of JSON.")
@click.option("--top", default=3, type=click.IntRange(min=0), help="Candidates shown in each ranking.")
@click.option("--label-lang", metavar="TAG", help="Show labels in this language where the KB has them, for instance de.")
@text_option
@click.option("--per-line", is_flag=True, help="DOCUMENTS are plain texts with a document on each line.")
@click.option("--format", metavar="NAME", help="What DOCUMENTS are; default: found from their content. See docs/formats.md.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Parquet: the column of id, text, table or mentions, e.g. text=body.",
)
@click.option(
    "--output-format", metavar="NAME", help="jsonl, json, nif, brat, pubtator, bioc, html.  [default: by the suffix of -o]"
)
@click.option("--errors", type=click.Path(), metavar="FILE", help="Write records that cannot be linked here: line and cause.")
@click.option("--strict", is_flag=True, help="Stop at the first record that cannot be linked.")
@click.option("--jobs", type=JOBS, default=1, help="Processes; they share the KB.")
@corpus_options
def link(kb: str, documents: tuple[str, ...], **options: Any) -> int:
    """Link the names in DOCUMENTS to the entities of a KB.

    DOCUMENTS hold one JSON object per line, {"id", "text", "mentions": [{"start", "end", "text"}]}, plain text, HTML, or one
    of the formats of docs/formats.md (NIF, BRAT, PubTator, BioC JSON, AIDA-CoNLL); they may be folders; - reads standard input.
    Where there are no mentions, the KB's names are found in the text. Each document comes back on one line, its mentions with
    entity, label, score and ranking. Exit code 1 if any record could not be linked.

    Where -o names a folder by a / at its end, files of JSON lines and Parquet are linked into it, each into a file of its name
    and format; what was killed goes on when it is started again. --engine ray does so on a cluster: see docs/cluster.md.
    """
    options["columns"] = dict(parse_columns(options["columns"])) or None
    if options["columns"]:
        from eigenthemes.documents.arrow_rows import document_columns  # imports pyarrow

        document_columns(options["columns"])
    corpus = is_corpus(options["output"], options["engine"], options["output_format"])
    if corpus:
        check_corpus(documents, options)
    else:
        check_no_corpus(options)
    with adapted_kb(kb, documents, options) if options["adapt"] else nullcontext(kb) as path:
        linker = open_linker(path, options)  # before an output is opened, and with it emptied
        return link_into_folder(linker, documents, options) if corpus else _link_files(linker, documents, options)


def _link_files(linker: Linker, documents: Sequence[str], options: Mapping[str, Any]) -> int:
    """Link documents into one output; return the exit code."""
    from eigenthemes.documents.reader import DocumentFiles
    from eigenthemes.stream import collect_garbage_rarely

    collect_garbage_rarely()
    output, errors = options["output"], options["errors"]
    how = {name: options[name] for name in ("plain_text", "per_line", "format", "columns")}
    with ExitStack() as stack:
        files = DocumentFiles(documents, **how)
        check_outputs([file.path for file in files.files], output, errors)
        try:
            report = _link_opened(linker, files, options, stack)
        except KeyboardInterrupt:
            note("eigenthemes: interrupted; the output holds what was linked so far")
            return 130
    _print_report(report, sys.stderr.isatty() or output != "-")
    files.refuse_truncated()
    for kind, examples in files.diagnostics.examples.items():
        note(f"warning: {kind}: {examples[0]}")
    if report.failures:
        where = f"see {errors}" if errors else "--errors FILE keeps all of them"
        note(f"eigenthemes: {counted(report.failures, 'record')} could not be linked; {where}")
    return 1 if report.failures else 0


def _link_opened(linker: Linker, files: DocumentFiles, options: Mapping[str, Any], stack: ExitStack) -> Report:
    """Link opened documents; the stack closes the outputs."""
    from eigenthemes.documents.output import format_of_name, open_output
    from eigenthemes.stream import link_stream

    if options["table"] and options["output_format"] is not None:
        raise OptionError(f"--table and --output-format {options['output_format']} are two formats; choose one")
    wanted = "table" if options["table"] else options["output_format"] or format_of_name(options["output"])
    records = iter(files)
    first = list(islice(records, 1))  # standard input may be refused, before an output is opened and with it emptied
    write = stack.enter_context(open_output_file("-" if wanted == "brat" else options["output"]))
    errors = stack.enter_context(open_output_file(options["errors"], "--errors")) if options["errors"] else None
    sink: dict[str, Any] = {"write": write}
    if wanted == "table":
        sink = {"on_document": lambda linked: write(_linked_table(linked).encode())}
    elif wanted != "jsonl":
        sink = {"on_document": stack.enter_context(open_output(wanted, write, folder=options["output"])).write}
    return link_stream(
        chain(first, records),
        linker,
        **sink,
        jobs=options["jobs"],
        strict=options["strict"],
        on_failure=failure_writer(errors, several=files.several),
        on_progress=stack.enter_context(terminal_progress(Silent()).step("linking", total=None, unit="documents")),
    )


def open_linker(kb: str, given: Mapping[str, Any]) -> Linker:
    """Open the linker that the flags of a command describe; print what the KB lacks on stderr."""
    from eigenthemes.kb.store import KB
    from eigenthemes.linker import Linker
    from eigenthemes.ranking.methods import default_method, method_named, scoring_options

    opened = KB.open(kb)
    name = given.get("method") or default_method(opened, given["vectors"])
    scoring = scoring_options({name: method_named(name)}, parse_scoring(given))
    if given.get("method") is None:
        for part in opened.missing_parts():
            note(f"warning: {part}")
    warn_paper_generator(opened, given["generator"], given["vectors"])
    return Linker(opened, options=link_options(given, name, scoring[name]))


def _print_report(report: Report, wanted: bool) -> None:
    if report.unknown:
        note(
            f"warning: {report.unknown:,} candidates given by documents are not in the KB (first: {report.unknown_example}); "
            "they are listed as unknown_candidates"
        )
    warn_without_vector(report.without_vector)
    if not report.documents and not report.failures:
        note("warning: there was no document to link: the input is empty")
    elif wanted:
        note(
            f"{counted(report.documents, 'document')}, {report.linked:,} of {counted(report.mentions, 'mention')} linked "
            f"in {report.seconds:.1f} s ({report.documents / max(1e-9, report.seconds):,.0f} documents/s)"
        )


_SHOWN = 10  # failures on stderr where there is no file for them


def _linked_table(linked: LinkedDocument) -> str:
    """Return a linked document as a table, a row per mention, and the explanations."""
    from eigenthemes.display.views import links_table

    heading = "" if linked.document.id is None else f"{plain(str(linked.document.id))}\n"
    header, rows = links_table(linked.links)
    lines = [heading + table_text(header, rows, right=(3,))]
    lines += [plain(link.explanation.sentence) for link in linked.links if link.explanation is not None]
    return "\n".join(lines) + "\n"


def failure_writer(write: Callable[[bytes], object] | None, *, several: bool) -> Callable[[Failure], None]:
    """Return a function that writes failures: all to a file, or the first few to stderr."""
    import orjson

    count = 0

    def report(failure: Failure) -> None:
        nonlocal count
        count += 1
        record = failure.to_dict()
        if not several:
            record.pop("file")
        if write is not None:
            write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        elif count <= _SHOWN:
            note(f"{failure.file}:{failure.line}: {failure.cause}" if several else f"line {failure.line}: {failure.cause}")

    return report


def check_outputs(documents: Sequence[str], output: str, errors: str | None) -> None:
    """Refuse an output that is an input, or the other output."""
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


@contextmanager
def open_output_file(path: str, option: str = "-o") -> Iterator[Callable[[bytes], object]]:
    """Give a function that writes to a file, compressed by its suffix; a full disk is reported once, in a sentence."""
    from eigenthemes.core.files import compressing

    if path == "-":
        yield sys.stdout.buffer.write
        return
    place = f"give another place with {option}"
    check_output(path, remedy=place)
    reported = partial(report_write_errors, path, f"free some space, or {place}")

    def write(data: bytes) -> None:
        """Write data at once, so that an interruption loses nothing."""
        with reported():
            file.write(data)
            file.flush()

    with ExitStack() as stack:
        with reported():
            file = stack.enter_context(compressing(path, stack.enter_context(open(path, "wb"))))
        try:
            yield write
        except BaseException:
            with suppress(OSError):
                stack.close()
            raise
        with reported():
            stack.close()
