"""eigenthemes link of a corpus: into a folder, on this machine or on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.options import option_group, refuse_each
from eigenthemes.cli.output import counted, note, terminal_progress
from eigenthemes.core.checks import MOST_JOBS
from eigenthemes.core.storage import is_url
from eigenthemes.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    from eigenthemes.corpus.engine import CorpusReport
    from eigenthemes.linker import Linker

_MAX_PRINTED = 10  # problems printed on stderr
_RAY_OPTIONS = ("address", "workers", "kb_archive")
_SINGLE_OUTPUT_OPTIONS = ("table", "text", "per_line", "format", "output_format", "errors", "strict")


corpus_options = option_group(
    click.option(
        "--engine", type=click.Choice(("local", "ray")), help="Link files into the folder -o, by --jobs processes or by Ray."
    ),
    click.option("--address", metavar="ADDRESS", help="With --engine ray: of a cluster, or auto; default: start one here."),
    click.option(
        "--workers",
        type=click.IntRange(1, MOST_JOBS * 64),
        metavar="N",
        help="With --engine ray: files linked at once; default: the CPUs.",
    ),
    click.option(
        "--kb-archive",
        metavar="FILE",
        help="With --engine ray: the KB as tar.gz or zip that all machines reach; default: they all have its path.",
    ),
)


def is_corpus(output: str, engine: str | None, output_format: str | None) -> bool:
    """Return whether files are linked into a folder, one by one."""
    return engine is not None or ((output.endswith("/") or is_url(output)) and output_format != "brat")


def check_corpus(documents: Sequence[str], given: Mapping[str, Any]) -> None:
    """Refuse options that do not apply when files are linked into a folder."""
    if given["output"] == "-":
        raise OptionError(
            "a corpus is linked into a folder, not to standard output; name one with -o FOLDER/", code="job-folder"
        )
    if "-" in documents:
        raise OptionError("a corpus is a list of files; save standard input to one, or leave out --engine")
    reason = "does not apply to files that are linked into a folder; leave it out"
    refuse_each({**given, "text": given["plain_text"]}, _SINGLE_OUTPUT_OPTIONS, reason)
    if given["adapt"]:
        raise OptionError("--adapt is for a single output; adapt the KB first: eigenthemes adapt")
    if given["engine"] != "ray":
        check_no_corpus(given)
    elif given["jobs"] > 1:
        raise OptionError("--jobs is for this machine; set with --workers how many files Ray links at once")


def check_no_corpus(given: Mapping[str, Any]) -> None:
    """Refuse options of Ray without --engine ray."""
    refuse_each(given, _RAY_OPTIONS, "is for --engine ray; add that, or leave it out")


def link_into_folder(linker: Linker, documents: Sequence[str], options: Mapping[str, Any]) -> int:
    """Link the files of a corpus; return the exit code."""
    from eigenthemes.corpus.engine import link_corpus

    engine = None
    if options["engine"] == "ray":
        try:
            from eigenthemes.integrations.ray import on_ray
        except ImportError:
            raise MissingExtraError("--engine ray", "ray", "ray") from None
        engine = on_ray(address=options["address"], workers=options["workers"])
    with (
        redirect_stdout(sys.stderr),  # Ray prints messages about processes that died
        terminal_progress().step("linking", total=None, unit="documents") as advance,
    ):
        try:
            report = link_corpus(
                documents,
                options["output"],
                linker,
                engine=engine,
                jobs=options["jobs"],
                columns=options["columns"],
                kb_archive=options["kb_archive"],
                on_file=lambda file: advance(file.documents + file.failures),
            )
        except KeyboardInterrupt:
            note("eigenthemes: interrupted; the same command continues with the missing files")
            return 130
    return _print_report(report, options["output"])


def _print_report(report: CorpusReport, output: str) -> int:
    """Print the counts and problems of a corpus; return the exit code."""
    before = f" ({report.before:,} linked before)" if report.before else ""
    rate = f", {report.linked_now / max(1e-9, report.seconds):,.0f} documents/s" if report.linked_now else ""
    note(
        f"{counted(report.files, 'file')}{before}: {counted(report.documents, 'document')}, {report.linked:,} of "
        f"{counted(report.mentions, 'mention')} linked in {report.seconds:.1f} s{rate}"
    )
    for problem in report.problems[:_MAX_PRINTED]:
        note(f"{problem.name}: {problem.problem}")
    if report.problems:
        note(
            f"eigenthemes: {counted(len(report.problems), 'file')} could not be linked; correct or remove them: the same "
            "command tries them again"
        )
    if report.failures:
        note(f"eigenthemes: {counted(report.failures, 'record')} could not be linked; see errors/ in {output}")
    return 1 if report.problems or report.failures else 0
