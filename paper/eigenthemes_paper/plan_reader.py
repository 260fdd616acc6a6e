"""Read the plan of an experiment from a TOML file.

title = "..."
data = "../shared/data"              where relative paths begin; the argument `data` and $EIGENTHEMES_DATA come first;
                                     "demo": the files of the demo, which come with eigenthemes
word_vectors = "words.txt.gz"        for the context methods and vectors of descriptions

[kb.mine]                            a KB is built from its sources, once, into the work folder
sources = ["nodes.tsv.gz", "edges.tsv.gz"]
vectors = ["descriptions", "prone"]  the last one is used unless a section asks for another

[kb.theirs]                          or from what the paper's authors published: candidates in documents, and vectors
published = ["data/aida_test_complete.json"]
import = "embeddings/deepwalk_wikidata.pickle"

[set.gold]
kb = "mine"
documents = "gold.jsonl.gz"

[section.table-2]                    one of `sections.SECTIONS`; or another name, and kind = "table-2"
sets = ["gold"]
why = "said where a finding of the paper does not hold here"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eigenthemes.core.storage import check_input
from eigenthemes.embeddings.vector_sets import GRAPH_METHODS
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.kg.demo import SMALL
from eigenthemes.metrics.precision import TIES
from eigenthemes.names.generator import GENERATORS
from eigenthemes.ranking.methods import all_methods
from eigenthemes_paper.plan import KBPlan, Plan, SectionPlan, SetPlan
from eigenthemes_paper.sections import SECTIONS

PLANS = Path(__file__).parent / "plans"
VECTORS = (*GRAPH_METHODS, "descriptions", "random")


def find_plan(name: str) -> Path:
    """Return the file of a plan: a path, or the name of one that comes with the package."""
    for path in (Path(name), PLANS / name, PLANS / f"{name}.toml"):
        if path.is_file():
            return path
    check_input(name, remedy="give a TOML file")
    ours = ", ".join(sorted(path.name for path in PLANS.glob("*.toml")))
    raise SourceError(f"{name} does not exist; give a TOML file, or one that comes with eigenthemes-paper: {ours}", where=name)


def read_plan(name: str, *, data: str | Path | None = None) -> Plan:
    """Read a plan and check every name in it; `data` is where its relative paths begin."""
    path = find_plan(name)
    try:
        return _read(path, data)
    except OptionError as error:
        error.where = error.where or str(path)
        raise


def _read(path: Path, data: str | Path | None) -> Plan:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise OptionError(f"{path} is no TOML ({error}); mend it") from None
    whole = _TomlTable(raw, str(path))
    kbs = {name: _kb(name, table) for name, table in whole.tables("kb")}
    sets = {name: _set(name, table, kbs) for name, table in whole.tables("set")}
    sections = {name: _section(name, table, sets) for name, table in whole.tables("section")}
    plan = Plan(
        title=whole.take("title", str, path.stem),
        about=whole.take("about", str, ""),
        data=_data_folder(whole.take("data", str, "."), data),
        seed=whole.take("seed", int, 0),
        word_vectors=whole.take("word_vectors", str, None),
        kbs=kbs,
        sets=sets,
        sections=sections,
    )
    whole.done()
    _check_uses(sections, str(path))
    if not sections:
        raise OptionError(f"{path} has no section; add at least one, such as [section.table-2]")
    return plan


def _data_folder(planned: str, given: str | Path | None) -> Path:
    """Return where the relative paths of a plan begin."""
    if planned == "demo" and given is None:
        return SMALL.parent
    return Path(given or os.environ.get("EIGENTHEMES_DATA") or planned)


def _kb(name: str, table: _TomlTable) -> KBPlan:
    plan = KBPlan(
        name,
        sources=table.texts("sources"),
        published=table.texts("published"),
        imported=table.take("import", str, None),
        vectors=table.texts("vectors", () if "import" in table.values else ("prone",)),
        deepwalk=table.take("deepwalk", dict, {}),
        train=table.take("train", bool, True),
    )
    table.done()
    if bool(plan.sources) == bool(plan.published):
        raise OptionError(
            f"{table.where} needs sources (files of a graph) or published (the authors' documents), one of the two"
        )
    if unknown := [name for name in plan.vectors if name not in VECTORS]:
        raise OptionError(f"{table.where}: vectors {unknown[0]!r} is unknown; expected some of {', '.join(VECTORS)}")
    return plan


def _set(name: str, table: _TomlTable, kbs: Mapping[str, KBPlan]) -> SetPlan:
    plan = SetPlan(name, table.need("kb", str), table.need("documents", str), table.take("limit", int, None))
    table.done()
    if plan.limit is not None and plan.limit < 1:
        raise OptionError(f"{table.where}: limit is {plan.limit}; expected 1 document or more")
    if plan.kb not in kbs:
        raise OptionError(f"{table.where}: there is no [kb.{plan.kb}]; the plan has {', '.join(kbs) or 'none'}")
    return plan


def _section(name: str, table: _TomlTable, sets: Mapping[str, SetPlan]) -> SectionPlan:
    kind = table.take("kind", str, name)
    if kind not in SECTIONS:
        raise OptionError(f"{table.where}: there is no such section; expected one of {', '.join(SECTIONS)}, here or as kind")
    wanted = table.texts("sets")
    if unknown := [name for name in wanted if name not in sets]:
        raise OptionError(f"{table.where}: there is no [set.{unknown[0]}]; the plan has {', '.join(sets) or 'none'}")
    title, why = table.take("title", str, None), table.take("why", str, "")
    options = {key: table.take(key, type(value), value) for key, value in SECTIONS[kind].options.items()}
    table.done()
    for key, value in options.items():
        _check_option(key, value, SECTIONS[kind].options[key], table.where)
    return SectionPlan(name, kind, wanted, title, why, options)


def _check_uses(sections: Mapping[str, SectionPlan], where: str) -> None:
    """Refuse a section that shows the rows of others which are not in the plan."""
    kinds = {section.kind for section in sections.values()}
    for section in sections.values():
        if lacking := [kind for kind in SECTIONS[section.kind].uses if kind not in kinds]:
            raise OptionError(
                f"{where}: [section.{section.name}] shows the rows of {lacking[0]}, which is not in the plan; "
                f"add [section.{lacking[0]}] with its sets"
            )


def _check_option(key: str, value: Any, default: Any, where: str) -> None:
    """Refuse now what would end an experiment after hours."""
    if key in _CHOICES:
        chosen = value if isinstance(value, list) else [value]
        if unknown := [name for name in chosen if name not in _CHOICES[key]]:
            allowed = ", ".join(filter(None, _CHOICES[key]))
            raise OptionError(f"{where}: {key} {unknown[0]!r} is unknown; expected some of {allowed}")
    elif isinstance(default, list):
        least = 0 if 0 in default else min(default)
        if not value or not all(
            isinstance(number, int | float) and not isinstance(number, bool) and number >= min(least, 1) for number in value
        ):
            raise OptionError(f"{where}: {key} is {value!r}; expected a list of numbers like {default}")
    elif isinstance(default, int | float) and (
        isinstance(value, bool) or value <= 0 or (key == "training_share" and value >= 1)
    ):
        raise OptionError(f"{where}: {key} is {value!r}; expected a number above 0, such as {default}")


_CHOICES: dict[str, tuple[str, ...]] = {
    "methods": tuple(all_methods()),
    "generator": GENERATORS,
    "ties": TIES,
    "vectors": ("", *VECTORS, "imported"),
    "contexts": ("column", "row", "none"),
}


class _TomlTable:
    """A table of the TOML file, which remembers the keys that were read."""

    def __init__(self, values: dict[str, Any], where: str) -> None:
        self.values, self.where = values, where
        self.read: set[str] = set()

    def take(self, key: str, kind: type, default: Any) -> Any:
        """Return the value of a key, of this type."""
        self.read.add(key)
        value = self.values.get(key, default)
        kinds = {float: (float, int), tuple: (list,)}.get(kind, (kind,))
        if value is not default and (not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool)):
            raise OptionError(f"{self.where}: {key} is {value!r}; expected {_TYPE_NAMES.get(kind, kind.__name__)}")
        return value

    def need(self, key: str, kind: type) -> Any:
        """Return the value of a key that must be there."""
        if key not in self.values:
            raise OptionError(f"{self.where} has no {key}; add it")
        return self.take(key, kind, None)

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.take(key, list, list(default))
        if not all(isinstance(text, str) for text in values):
            raise OptionError(f"{self.where}: {key} is {values!r}; expected a list of texts")
        return tuple(values)

    def tables(self, key: str) -> list[tuple[str, _TomlTable]]:
        """Return the tables [key.name] by name."""
        tables = self.take(key, dict, {})
        for name, values in tables.items():
            if not isinstance(values, dict):
                raise OptionError(f"{self.where}: [{key}.{name}] is {values!r}; expected a table")
        return [(name, _TomlTable(values, f"{self.where}: [{key}.{name}]")) for name, values in tables.items()]

    def done(self) -> None:
        """Refuse keys that were not read."""
        if unknown := sorted(set(self.values) - self.read):
            raise OptionError(f"{self.where}: {unknown[0]} is unknown; expected some of {', '.join(sorted(self.read))}")


_TYPE_NAMES = {
    str: "a text", int: "a whole number", bool: "true or false", dict: "a table", list: "a list", float: "a number",
}  # fmt: skip
