"""The command `eigenthemes corrections`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from eigenthemes.cli.inspect import report_damage
from eigenthemes.cli.output import counted, note, print_table
from eigenthemes.errors import OptionError

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB
    from eigenthemes.names.name_memory import Answer, Memory


@click.command()
@click.argument("kb", type=click.Path())
@click.option(
    "--remove", "names", multiple=True, metavar="NAME", help="Forget what was said of this name; may be given several times."
)
@click.option("--remove-document", "documents", multiple=True, metavar="ID", help="Forget what this document said.")
@click.option("--remove-all", is_flag=True, help="Forget everything.")
@click.option("--json", "as_json", is_flag=True, help="The documents with gold, as JSON lines that train takes.")
@report_damage
def corrections(kb: str, names: tuple[str, ...], documents: tuple[str, ...], remove_all: bool, as_json: bool) -> None:
    """List what a KB remembers of people's corrections, or forget some of it.

    train remembers what each document with gold says of its names; build and train also remember names given with
    --add-names. A name counts once for each document.
    """
    from eigenthemes.kb.store import KB
    from eigenthemes.names.name_memory import Memory
    from eigenthemes.train import forget

    opened = KB.open(kb)
    memory = Memory.of(opened)
    if names or documents or remove_all:
        if remove_all and (names or documents):
            raise OptionError("--remove-all forgets everything; leave out the other --remove options")
        if as_json:
            raise OptionError("--json lists what is remembered, and --remove forgets it; list it first, then forget it")
        _check_known(memory, names, documents)
        rest = Memory.of(forget(kb, names=names, documents=documents, everything=remove_all))
        note(f"{kb}: forgot {counted(_size(memory) - _size(rest), 'answer')}, {_size(rest):,} left")
        if any("gold" in ranker for ranker in opened.rankers.values()):
            note(f"the weights were fitted on corrections; fit them anew with: eigenthemes train {kb}")
    elif as_json:
        for document in memory.documents.values():
            click.echo(json.dumps(document.to_dict(), ensure_ascii=False))
    elif not memory:
        note(f"{kb} remembers no corrections; give some with: eigenthemes train {kb} GOLD")
    else:
        _print(opened, memory)


def _print(kb: KB, memory: Memory) -> None:
    from eigenthemes.names.name_memory import ADDED

    rows: dict[tuple[str, str, str], list[str]] = {}
    for document in memory.documents.values():
        shown = ADDED if document.key == ADDED else document.key if document.id is None else str(document.id)
        said = {(answer.text, *_meaning(kb, answer)) for answer in document.answers}
        for row in sorted(said):
            rows.setdefault(row, []).append(shown)
    table = sorted(rows.items(), key=lambda item: (item[0][0].casefold(), -len(item[1]), item[0]))
    listed = ((*row, f"{len(found):,}", ", ".join(found[:3]) + (", …" if len(found) > 3 else "")) for row, found in table)
    print_table(("name", "meaning", "id", "times", "documents"), listed, right=(3,))


def _meaning(kb: KB, answer: Answer) -> tuple[str, str]:
    """Return the label and the id of the entity that a name was corrected to."""
    if answer.not_a_name:
        return "not a name", ""
    known = [index for entity_id in answer.gold if (index := kb.index_of(entity_id)) is not None]
    if known:
        return kb.label_of(known[0]), kb.id_of(known[0])
    meaning = "gone from this KG: no effect" if answer.gone else "none of this KG"
    return meaning, next(iter(answer.gold), "")


def _check_known(memory: Memory, names: tuple[str, ...], documents: tuple[str, ...]) -> None:
    from eigenthemes.names.name_memory import key_of

    known = {key_of(answer.text) for document in memory.documents.values() for answer in document.answers}
    unknown = next((name for name in names if key_of(name) not in known), None)
    if unknown is not None:
        raise OptionError(f"nothing is remembered of the name {unknown!r}; list what is with: eigenthemes corrections KB")
    ids = {each for document in memory.documents.values() for each in (document.key, str(document.id))}
    unknown = next((document for document in documents if document not in ids), None)
    if unknown is not None:
        raise OptionError(f"no document {unknown!r} is remembered; list them with: eigenthemes corrections KB --json")


def _size(memory: Memory) -> int:
    return sum(len(document.answers) for document in memory.documents.values())
