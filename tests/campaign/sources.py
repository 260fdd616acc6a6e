"""Files of knowledge graphs: written by a grammar, changed, built, and the KB held against what was written."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from helpers.files import COMPRESS

from campaign.judge import command, demand_sound
from campaign.odd import mutate_bytes, mutate_row, odd_text, plain_name
from campaign.trial import FINE, Fault, Trial
from campaign.world import World
from eigenthemes import KB
from eigenthemes.names.generator import CandidateGenerator

_BASE = "http://example.org/"
_LANGUAGES = ["", "en", "de", "en-GB", "zh-Hant", "mul"]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the graph that a file is to hold."""

    id: str
    label: str
    aliases: list[str]
    description: str
    language: str
    targets: list[str]


@dataclass(frozen=True, slots=True)
class Format:
    """Describe a file format: head, one row per node, foot. `row_wise`: a broken row does not affect others."""

    suffix: str
    row: Callable[[Node], str]
    head: str = ""
    foot: str = ""
    row_wise: bool = True
    iris: bool = False


def make_nodes(random: Random, *, iris: bool) -> list[Node]:
    """Make up a graph; every second label is odd."""
    ids = [f"{_BASE if iris else ''}n{number}" for number in range(random.randint(1, 12))]
    return [
        Node(
            id,
            random.choice((plain_name, odd_text))(random),
            [odd_text(random) for _ in range(random.randrange(3))],
            random.choice(("", odd_text(random))),
            random.choice(_LANGUAGES),
            random.sample(ids, random.randint(0, min(3, len(ids)))),
        )
        for id in ids
    ]


# the grammars


def _literal(text: str, language: str = "") -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    return '"' + "".join(escapes.get(letter, letter) for letter in text) + '"' + (f"@{language}" if language else "")


def _triples(node: Node, end: str = ".") -> str:
    """One node's statements on one line: N-Triples allow only one per line, so the name comes first and edges are objects."""
    rows = [f"<{node.id}> <http://www.w3.org/2000/01/rdf-schema#label> {_literal(node.label, node.language)} {end}"]
    rows += [f"<{node.id}> <http://www.w3.org/2004/02/skos/core#altLabel> {_literal(alias)} {end}" for alias in node.aliases]
    rows += [f"<{node.id}> <{_BASE}p> <{target}> {end}" for target in node.targets]
    return "\n".join(rows)


def _turtle(node: Node) -> str:
    parts = [f"rdfs:label {_literal(node.label, node.language)}", "a ex:Thing"]
    parts += [f"skos:altLabel {_literal(alias)}" for alias in node.aliases]
    parts += [f"ex:p <{target}>" for target in node.targets]
    return f"<{node.id}> {' ; '.join(parts)} ."


def _rdf_xml(node: Node) -> str:
    language = f' xml:lang="{node.language}"' if node.language else ""
    inside = f"<rdfs:label{language}>{escape(node.label)}</rdfs:label>"
    inside += "".join(f"<skos:altLabel>{escape(alias)}</skos:altLabel>" for alias in node.aliases)
    inside += "".join(f'<ex:p rdf:resource="{target}"/>' for target in node.targets)
    return f'<owl:Class rdf:about="{node.id}">{inside}</owl:Class>'


def _obo(node: Node) -> str:
    def word(text: str) -> str:
        return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') or "x"

    rows = ["[Term]", f"id: X:{node.id}", f"name: {word(node.label)}"]
    rows += [f'synonym: "{word(alias)}" EXACT []' for alias in node.aliases]
    rows += [f"is_a: X:{target}" for target in node.targets]
    return "\n".join(rows) + "\n"


def _wikidata(node: Node) -> str:
    def term(text: str) -> dict[str, str]:
        return {"language": node.language or "en", "value": text}

    def claim(target: str) -> dict[str, Any]:
        value = {"entity-type": "item", "id": target}
        return {"mainsnak": {"snaktype": "value", "datavalue": {"value": value, "type": "wikibase-entityid"}}, "rank": "normal"}

    entity = {
        "id": node.id,
        "labels": {"en": term(node.label)},
        "aliases": {"en": [term(alias) for alias in node.aliases]},
        "descriptions": {"en": term(node.description)},
        "claims": {"P361": [claim(target) for target in node.targets]},
    }
    return json.dumps(entity, ensure_ascii=False) + ","


def _json_line(node: Node) -> str:
    record = {"id": node.id, "name": node.label, "aliases": node.aliases, "description": node.description}
    return json.dumps(record, ensure_ascii=False)


def _cells(node: Node) -> list[str]:
    return [node.id, node.label, "|".join(node.aliases), node.description]


def _csv_row(node: Node) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(_cells(node))
    return out.getvalue()


def _tsv_row(node: Node) -> str:
    return "\t".join(" ".join(cell.split()) for cell in _cells(node))


_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "ex": _BASE,
}
_TTL_HEAD = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in _PREFIXES.items())
_XML_HEAD = (
    '<?xml version="1.0"?>\n<rdf:RDF ' + " ".join(f'xmlns:{prefix}="{iri}"' for prefix, iri in _PREFIXES.items()) + ">\n"
)

FORMATS: dict[str, Format] = {
    "nt": Format(".nt", _triples, iris=True),
    "nq": Format(".nq", lambda node: _triples(node, f"<{_BASE}graph> ."), iris=True),
    "ttl": Format(".ttl", _turtle, _TTL_HEAD, row_wise=False, iris=True),
    "trig": Format(".trig", _turtle, _TTL_HEAD + f"<{_BASE}g> {{\n", "}\n", row_wise=False, iris=True),
    "xml": Format(".owl", _rdf_xml, _XML_HEAD, "</rdf:RDF>\n", row_wise=False, iris=True),
    "obo": Format(".obo", _obo, "format-version: 1.2\n\n"),
    "wikidata": Format(".json", _wikidata, "[\n", "]\n"),
    "jsonl": Format(".jsonl", _json_line),
    "csv": Format(".csv", _csv_row, "id,name,aliases,description\n"),
    "tsv": Format(".tsv", _tsv_row, "id\tname\taliases\tdescription\n"),
}


# the trials


def source_trial(format_name: str) -> Trial:
    """Return the trial of a format: a file with some rows changed, or changed as a whole."""

    def trial(random: Random, folder: Path, world: World) -> str:
        form = FORMATS[format_name]
        nodes = make_nodes(random, iris=form.iris)
        rows = [form.row(node) for node in nodes]
        if random.random() < 0.6:
            changed = set(random.sample(range(len(nodes)), random.choice((0, 1, 1, 2)) % (len(nodes) + 1)))
            data = _file(form, [mutate_row(row, random) if i in changed else row for i, row in enumerate(rows)])
            data = random.choice([*COMPRESS.values(), bytes, bytes, bytes, bytes])(data)
            kept = [node for i, node in enumerate(nodes) if i not in changed]
        else:
            data, kept = mutate_bytes(_file(form, rows), random), []
        return build_and_check(folder, data, form, kept, _flags(random, format_name))

    return trial


def _file(form: Format, rows: Sequence[str]) -> bytes:
    return (form.head + "".join(f"{row}\n" for row in rows) + form.foot).encode("utf-8", "surrogatepass")


def _flags(random: Random, format_name: str) -> list[str]:
    flags = ["--embedding", random.choice(("none", "none", "none", "prone"))]
    flags += random.choice(([], [], [], ["--names-from-ids"], ["--strict"], ["--format", format_name]))
    return flags


def parquet_trial(random: Random, folder: Path, world: World) -> str:
    """A table of nodes in Parquet: columns of odd types, or other bytes."""
    nodes = make_nodes(random, iris=False)
    columns: dict[str, list[Any]] = {
        "id": [node.id for node in nodes],
        "name": [node.label for node in nodes],
        "aliases": [node.aliases for node in nodes],
        "prior": [random.choice((1.0, -1.0, float("nan"), 1e300)) for _ in nodes],
    }
    kept = nodes
    if random.random() < 0.5:
        odd: list[Any] = [5, None, 1.5, True, b"\xff", ["a"], {"a": 1}]
        columns[random.choice(list(columns))] = [random.choice(odd)] * len(nodes)
        kept = []
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    data = file.getvalue()
    if random.random() < 0.4:
        data, kept = mutate_bytes(data, random), []
    return build_and_check(folder, data, Format(".parquet", _json_line), kept, ["--embedding", "none"])


def build_and_check(folder: Path, data: bytes, form: Format, kept: Sequence[Node], flags: Sequence[str]) -> str:
    """Build a KB from a file; `kept` are the nodes whose rows are as they should be: they are in the KB, or counted."""
    file, kb = folder / f"kg{form.suffix}", folder / "new.kb"
    file.write_bytes(data)
    verdict, _ = command("build", file, "-o", kb, "--no-train", "--jobs", 1, *flags)
    if verdict != FINE:
        if kb.exists():
            raise Fault("a refused build left something behind")
        return verdict
    demand_sound(kb)
    with KB.open(kb) as opened:
        _demand_counted(opened, form, kept)
        _require_labels(opened)
    command("info", kb)
    return FINE


def _demand_counted(kb: KB, form: Format, kept: Sequence[Node]) -> None:
    """Rows that are lost are rows that are counted."""
    prefix = "X:" if form.suffix == ".obo" else ""
    lost = [node.id for node in kept if node.label.strip() and prefix + node.id not in kb]
    reported = sum(kb.manifest["problems"].values())
    if lost and reported < (len(lost) if form.row_wise else 1):
        raise Fault(f"sound rows lost that nobody counted\n{lost}, problems: {kb.manifest['problems']}")


def _require_labels(kb: KB) -> None:
    """Require that every label finds its entity, or that the program explains why not."""
    finder = CandidateGenerator(kb, max_candidates=None)
    for index in range(min(len(kb), 20)):
        if not kb.names_of(index):
            continue
        label, id = kb.label_of(index), kb.id_of(index)
        if not any(candidate.id == id for candidate in finder.records(label)):
            reason = finder.why_not(label, id)
            if "letter" not in reason:
                raise Fault(f"a label that does not find its entity\n{label[:100]!r} {id}: {reason}")


def tables_trial(random: Random, folder: Path, world: World) -> str:
    """Build several tables that all number their rows from 1, with and without prefixes: no entity is made of two rows."""
    tables = [f"t{number}" for number in range(random.randint(2, 4))]
    sizes = {table: random.randint(1, 9) for table in tables}
    prefixed = random.random() < 0.5
    flags: list[str] = []
    for table, size in sizes.items():
        rows = [f"{row},{table}name{row},{random.choice(('NULL', '', 1, size))}" for row in range(1, size + 1)]
        broken = [f"{size + 1},{table}lost,1,x,y"] if random.random() < 0.3 else []
        (folder / f"{table}.csv").write_text("\n".join(["key,name,parent", *rows, *broken]) + "\n")
        template = f"{table}-{{{{{{}}}}}}".format if prefixed else str
        flags += ["--column", f"{table}.csv:id={template('key')}", "--column", f"{table}.csv:edge={template('parent')}"]
    files, kb = [folder / f"{table}.csv" for table in tables], folder / "new.kb"
    verdict, _ = command("build", *files, "-o", kb, "--no-train", "--embedding", "none", "--jobs", 1, *flags)
    if verdict != FINE:
        if prefixed or sorted(sizes.values())[-2] < 3:
            raise Fault("tables refused whose ids do not clash, or hardly")
        return verdict
    with KB.open(kb) as opened:
        merged = [opened.id_of(index) for index in range(len(opened)) if len(opened.names_of(index)) > 1]
        if merged and (prefixed or len(merged) >= 3):
            raise Fault(f"entities made of rows of several tables\n{merged}")
        if "NULL" in opened or (prefixed and any(f"{table}-1" not in opened for table in tables)):
            raise Fault("a node of an empty cell, or a row that is no entity")
    return FINE


TRIALS: dict[str, Trial] = {
    **{f"source-{name}": source_trial(name) for name in FORMATS},
    "source-parquet": parquet_trial,
    "source-tables": tables_trial,
}
