"""Compare the HTTP service, `link-table` and the files of small KBs of two versions.

    python -m benchmarks.compare_interfaces                     # commit 363a144 against this checkout
    python -m benchmarks.compare_interfaces --only routes,tables,arrays --same-kb

*routes*: both versions serve the demo and the phenotypes, and answer the same requests; JSON is compared by value, pages by
their status. *tables*: a table in every input format is linked into every output format; cells are compared by value. *arrays*:
both build five small KBs; every array and the manifest are compared. The options are those of `compare_versions`; what the
baseline answers is kept in --cache.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import CHECKOUT, code_digest, data_folder, parse_arguments, print_table, say
from benchmarks.compare_versions import METHODS, Version, add_versions, compare, documents_of, open_versions

SERVED = {"demo": "demo", "phenotypes": "gsc"}  # KB -> the set whose documents are sent
DEMO = CHECKOUT / "eigenthemes" / "data" / "demo.ttl"
BUILT: dict[str, tuple[str | Path, ...]] = {  # KB -> its file, and options of `build`
    "demo": (DEMO,),
    "cl_blood": ("ontologies/cl_blood.obo.gz",),
    "unesco": ("ontologies/unesco.ttl.gz",),
    "mps": ("names/mps.csv.gz", "--column", "id=member_id", "--column", "name=name", "--column", "type=party"),
    "nasdaq": ("names/nasdaq.csv.gz", "--column", "id=Symbol", "--column", "name=Company Name"),
}
ENDINGS = ("csv", "tsv", "jsonl", "parquet", "xlsx")
TABLE_OPTIONS = (
    ("--context", "column"), ("--context", "row"), ("--context", "none"), ("--columns", "who"), ("--columns", "2,3"),
    ("--method", "eigen"), ("--nil", "off"), ("--threshold", "0.9"), ("--suffix", "_kb"), ("--only-type", "who=Person"),
    ("--no-header", "--columns", "2"), ("--jobs", "2"), ("--max-candidates", "3"),
)  # fmt: skip

# Differences that are intended: names of the baseline -> names of today. An empty name: no longer there.
RENAMED_FILES: dict[str, str] = {}
RENAMED_KEYS: dict[str, str] = {}
IGNORED_IN_MANIFEST = {
    "data",
    "files",
    "hash",
    "sha256",
    "manifest_sha256",
    "tool",
}  # they follow from the bytes, or name a version

Request = tuple[str, str, bytes | None, str]  # HTTP method, path, body, content type


# routes


@contextmanager
def served(version: Version, kb: Path) -> Iterator[Callable[[Request], Any]]:
    """Start the service of a version on a KB; yield a function that sends a request and returns its status and answer."""
    corrections = version.folder / "corrections.jsonl"
    corrections.unlink(missing_ok=True)
    command = [
        str(version.python),
        "-m",
        "eigenthemes",
        "serve",
        str(kb),
        "--port",
        "0",
        "--corrections",
        str(corrections),
        "--max-seconds",
        "900",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=version.environment(), cwd=version.folder) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0].rstrip("/")
        try:
            yield lambda request: send(address, request)
        finally:
            process.terminate()


def send(address: str, request: Request) -> Any:
    """Send a request; return the status and the JSON of the answer, or the type of another content."""
    method, path, body, content_type = request
    headers = {"Host": "localhost:8000", "Content-Type": content_type}  # one host: answers hold addresses
    try:
        answer = urllib.request.urlopen(urllib.request.Request(address + path, body, headers, method=method), timeout=120)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        content = answer.read()
        kind = answer.headers.get_content_type()
        if path == "/metrics":
            names = {line.split()[2] for line in content.decode().splitlines() if line.startswith("# TYPE eigenthemes")}
            return {"status": answer.status, "metrics": sorted(names)}
        is_json = kind in ("application/json", "application/problem+json")
        return {"status": answer.status, "type": kind, "answer": json.loads(content) if is_json else None}


def _get(path: str, **query: Any) -> Request:
    return "GET", path + (f"?{urllib.parse.urlencode(query)}" if query else ""), None, "text/plain"


def _post(path: str, body: Any, **query: Any) -> Request:
    return "POST", _get(path, **query)[1], json.dumps(body).encode(), "application/json"


def _form(path: str, **fields: Any) -> Request:
    form = {key: value if isinstance(value, str) else json.dumps(value) for key, value in fields.items()}
    return "POST", path, urllib.parse.urlencode(form).encode(), "application/x-www-form-urlencoded"


def requests_about(documents: list[dict[str, Any]], kb: str) -> Iterator[Request]:
    """Yield requests to every route; the names and ids are those of the documents."""
    mentions = [mention for document in documents for mention in document["mentions"]]
    names = list(dict.fromkeys(mention["text"] for mention in mentions))[:60]
    golds = (mention["gold"] if isinstance(mention["gold"], list) else [mention["gold"]] for mention in mentions)
    ids = list(dict.fromkeys(gold for several in golds for gold in several if gold))[:30]
    yield from map(_get, ("/info", "/health", "/samples", "/metrics", "/", "/nothing"))
    yield from _link_requests(documents, names)
    for name in names:
        yield _get("/candidates", q=name)
        yield _get("/search", q=name[:4], top=5)
    yield _get("/search", q=names[0], type="Person")
    for id in ids:
        yield _get("/entity", id=id, neighbors=3)
        yield _get("/entity/" + urllib.parse.quote(id, safe=""))
    yield from _reconcile_requests(names, ids, f"/reconcile/{kb}")
    yield _post("/corrections", documents[0])
    yield _post("/corrections", [{"mentions": [{"text": names[0], "gold": None}]}])
    yield _get("/corrections")
    yield _post("/reload", None)
    yield from _wrong_requests()


def _link_requests(documents: list[dict[str, Any]], names: list[str]) -> Iterator[Request]:
    texts = [{"id": number, "text": each["text"]} for number, each in enumerate(documents) if each.get("text")]
    yield _post("/link", documents)
    for text in texts:
        yield _post("/link", text["text"])
    for option in ("explain=true", "nil=false", "threshold=0.9", "nested=true", "lang=de", "types=true", "map=true", "top=20"):
        yield _post(f"/link?{option}", texts)
        yield _post(f"/link?{option}", documents[:5])
    for method in METHODS:
        yield _post("/link", texts, method=method)
        yield _post("/link", documents, method=method)
    yield _post("/link", documents[:5], method="eigen", k=3)
    rows = [[str(number), name, names[-number]] for number, name in enumerate(names)]
    table = {"header": ["nr", "a", "b"], "rows": rows}
    yield _post("/link-table", {"table": table})
    for context in ("table", "column", "row", "none"):
        yield _post("/link-table", {"table": table, "columns": ["a"], "context": context})
    for document in documents[:5]:
        for number in range(len(document["mentions"])):
            yield _post("/explain", {"document": document, "mention": number})


def _reconcile_requests(names: list[str], ids: list[str], path: str) -> Iterator[Request]:
    queries = {f"q{number}": {"query": name, "limit": 4} for number, name in enumerate(names)}
    beside = {key: {**each, "properties": [{"pid": "p", "v": names[0]}]} for key, each in queries.items()}
    typed = {key: {**each, "type": "Person", "type_strict": "should"} for key, each in queries.items()}
    yield _get("/reconcile")
    yield _get(path)
    yield _get(path, query=names[0])
    yield _get("/reconcile", queries=json.dumps(dict(list(queries.items())[:5])))
    for batch in (queries, beside, typed, dict(list(queries.items())[:10])):
        yield _form(path, queries=batch)
    for context in ("column", "row", "none"):
        yield _form(f"{path}?context={context}", queries=beside)
    yield _form(
        path, extend={"ids": ids, "properties": [{"id": each} for each in ("id", "label", "aliases", "description", "types")]}
    )
    for kind in ("entity", "type", "property"):
        for prefix in ("a", "mi", "ab", names[0][:3], ""):
            yield _get(f"{path}/suggest/{kind}", prefix=prefix)
        yield _get(f"{path}/suggest/{kind}", prefix="a", cursor=3)
        yield _get(f"{path}/flyout/{kind}", id=ids[0])
    for page in ("preview", "view"):
        yield _get(f"{path}/{page}", id=ids[0])
        yield _get(f"{path}/{page}", id="no such id")
    yield _get(f"{path}/properties", type="", limit=10)
    yield _form(path, queries={"q0": {"limit": 3}})
    yield _form(path, queries={"q0": {"query": names[0], "wrong": 3}})
    yield _form(f"{path}?context=other", queries=queries)
    yield _get("/reconcile/other")


def _wrong_requests() -> Iterator[Request]:
    yield "POST", "/link", b"{", "application/json"
    yield "POST", "/link", b'"text"', "text/plain"
    yield "GET", "/link", None, "text/plain"
    yield _post("/link", {"text": "Andrew Ng", "mentions": [{"start": "0", "end": 9}]})
    yield _post("/link", [{"text": "Andrew Ng", "mentions": [{"start": 0, "end": 99}]}])
    yield _post("/link", 7)
    for query in ("wrong=1", "method=other", "threshold=2", "top=-1", "nil=maybe", "kb=other", "lang=xx", "k=2"):
        yield _post(f"/link?{query}", "text")
    yield _post("/link-table", {"table": {"header": ["a"], "rows": [["b"]]}, "columns": ["c"]})
    yield _post("/link-table", {})
    yield _post("/explain", {"document": "text", "mention": 9})
    yield _post("/corrections", {"mentions": [{"text": "x", "gold": 3}]})
    yield _post("/corrections", [])
    yield from (_get("/entity", id="no such id"), _get("/candidates"), _get("/search", q="a", top="x"))


def answers(version: Version, kb: str, requests: dict[str, Request], *, methods_by_command: bool) -> dict[str, Any]:
    """Send requests to a version's service; return the answers by the requests' names.

    The service of 363a144 takes the candidates of one method for another (the defect is mended): `methods_by_command` has its
    answers to `?method=` computed by the command line.
    """
    path = version.kb(kb)
    with served(version, path) as answer:
        answered = {name: answer(request) for name, request in requests.items()}
    for name, (_, url, body, _) in requests.items():
        options = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
        if methods_by_command and "method" in options and answered[name]["status"] == 200:
            lines = "".join(json.dumps(each) + "\n" for each in json.loads(body or b"[]"))
            given = [part for option, (value,) in options.items() for part in (f"--{option}", value)]
            printed = version.run("link", str(path), "-", *given, stdin=lines.encode()).stdout
            answered[name]["answer"] = [json.loads(line) for line in printed.splitlines()]
    return answered


def compare_routes(baseline: Version, present: Version, cache: Cache) -> Iterator[dict[str, Any]]:
    """Yield a row for each route of each KB."""
    for kb, documents in SERVED.items():
        requests = requests_about(documents_of(documents, 20), kb)
        named = {f"{number} {each[0]} {each[1]}": each for number, each in enumerate(requests)}
        old = cache(f"routes-{kb}", partial(answers, baseline, kb, named, methods_by_command=True))
        if present is baseline:
            continue
        new = answers(present, kb, named, methods_by_command=False)
        for route in dict.fromkeys(map(_route, new)):
            names = [name for name in new if _route(name) == route]
            yield row(f"{kb} {route}", [old.get(name) for name in names], [new[name] for name in names], names)


def _route(name: str) -> str:
    """Return the method and path of a request, and its options where these are few."""
    _, method, path = name.split(" ", 2)
    path, _, query = path.partition("?")
    return f"{method} {'/entity/ID' if path.startswith('/entity/') else path}{'?' + query if path == '/link' and query else ''}"


# tables


def table_rows(documents: list[dict[str, Any]]) -> list[list[Any]]:
    """Return a table of names of the demo, beside numbers, dates and empty cells."""
    names = [mention["text"] for document in documents for mention in document["mentions"]]
    rows = [
        [f"{number:03}", name, names[-number - 1], number / 4, 'Zoë, "x"; y' if number % 3 else ""]
        for number, name in enumerate(names[:40])
    ]
    return [["nr", "who", "where", "value", "note"], *rows, ["041", "Nobody Atall", "", 1.5, ""]]


def write_inputs(folder: Path, rows: list[list[Any]]) -> list[Path]:
    """Write a table in every format that can be read here."""
    import openpyxl
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for name, delimiter, encoding in (
        ("comma.csv", ",", "utf-8"), ("semicolon.csv", ";", "utf-8-sig"), ("pipe.csv", "|", "cp1252"),
        ("wide.csv", ",", "utf-16"), ("tab.tsv", "\t", "utf-8"),
    ):  # fmt: skip
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=delimiter).writerows(rows)
        (folder / name).write_text(text.getvalue(), encoding=encoding, newline="")
    header, *body = rows
    (folder / "lines.jsonl").write_text("".join(json.dumps(dict(zip(header, each, strict=True))) + "\n" for each in body))
    columns = {name: [each[i] for each in body] for i, name in enumerate(header)}
    pq.write_table(pa.table(columns), folder / "columns.parquet")
    book = openpyxl.Workbook()
    for each in rows:
        book.active.append(each)
    book.save(folder / "book.xlsx")
    write_ods(folder / "sheet.ods", rows)
    return sorted(folder.iterdir())


def write_ods(file: Path, rows: list[list[Any]]) -> None:
    """Write a spreadsheet of OpenDocument with texts and numbers."""
    from xml.sax.saxutils import escape

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    prefix = "urn:oasis:names:tc:opendocument:xmlns:"
    names = " ".join(f'xmlns:{name}="{prefix}{name}:1.0"' for name in ("office", "table", "text"))
    content = f'<table:table table:name="a">{lines}</table:table>'
    for tag in ("office:spreadsheet", "office:body"):
        content = f"<{tag}>{content}</{tag}>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    entry = f'<m:file-entry m:full-path="/" m:media-type="{kind}"/>'
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr(
            "content.xml", f'<office:document-content {names} office:version="1.2">{content}</office:document-content>'
        )
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{prefix}manifest:1.0">{entry}</m:manifest>')


def table_cases(files: list[Path]) -> Iterator[tuple[str, Path, str, tuple[str, ...]]]:
    """Yield (name, input, output, options): every format into every other, and every option once."""
    for file in files:
        for ending in ENDINGS:
            yield f"{file.name} to {ending}", file, f"out.{ending}", ()
    for number, options in enumerate(TABLE_OPTIONS):
        file = files[number % len(files)]
        yield f"{file.name} {' '.join(options)}", file, "out.csv", options


def linked_table(version: Version, file: Path, output: str, options: tuple[str, ...]) -> dict[str, Any]:
    """Link a table; return the exit code, the cells, the report and the mappings."""
    folder = version.folder / "tables"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    extra = ("--report-json", str(folder / "report.json"), "--sssom", str(folder / "links.sssom.tsv"))
    done = version.run("link-table", str(version.kb("demo")), str(file), "-o", str(folder / output), *options, *extra)
    report, mappings = folder / "report.json", folder / "links.sssom.tsv"
    return {
        "exit code": done.returncode,
        "cells": read_cells(folder / output) if (folder / output).exists() else None,
        "report": json.loads(report.read_text()) if report.exists() else None,
        "mappings": sorted(mappings.read_text().splitlines()) if mappings.exists() else None,
    }


def read_cells(file: Path) -> Any:
    """Return the values of a table file."""
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    if file.suffix == ".parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(file)
        return [list(map(str, table.schema.types)), *table.to_pylist()]
    if file.suffix == ".xlsx":
        import openpyxl

        return [[list(row) for row in sheet.iter_rows(values_only=True)] for sheet in openpyxl.load_workbook(file)]
    data = file.read_bytes()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig" if data[:3] == b"\xef\xbb\xbf" else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding, text = "cp1252", data.decode("cp1252")
    delimiter = max(",;|\t", key=text.partition("\n")[0].count)
    return [[encoding, delimiter], *csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]


def compare_tables(baseline: Version, present: Version, cache: Cache) -> Iterator[dict[str, Any]]:
    """Yield a row for each input format and option."""
    files = write_inputs(cache.folder / "table-inputs", table_rows(documents_of("demo", 0)))
    for name, file, output, options in table_cases(files):
        old = cache(f"table-{name.replace(' ', '')}", partial(linked_table, baseline, file, output, options))
        if present is baseline:
            continue
        new = json.loads(json.dumps(linked_table(present, file, output, options), default=str))
        yield row(f"table {name}", [old], [new])


# arrays


def compare_arrays(baseline: Version, present: Version, cache: Cache) -> Iterator[dict[str, Any]]:
    """Yield a row for each small KB, built by both versions."""
    if present is not baseline:  # its own KBs, also where --same-kb was given
        present = replace(present, kbs=present.folder / f"kbs-{code_digest()}")
    for name, (file, *options) in BUILT.items():
        given = [data_folder() / file, *options]
        old, new = (read_kb(version.kb(name, given)) for version in (baseline, present))
        before = {RENAMED_FILES.get(key, key): value for key, value in old[1].items()}
        before.pop("", None)
        differences = [f"{key}: only {'before' if key in before else 'now'}" for key in sorted(before.keys() ^ new[1].keys())]
        differences += [key for key in sorted(before.keys() & new[1].keys()) if not same_array(before[key], new[1][key])]
        yield {
            "what": f"arrays of {name}",
            "compared": len(before),
            "different": len(differences),
            "first": ", ".join(differences),
        }
        yield row(f"manifest of {name}", [renamed(old[0])], [renamed(new[0], {})])


def read_kb(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return the manifest and the arrays of a KB."""
    manifest = json.loads((path / "manifest.json").read_text())
    return manifest, {file.stem: np.load(file) for file in sorted((path / manifest["data"]).glob("*.npy"))}


def same_array(old: np.ndarray[Any, Any], new: np.ndarray[Any, Any]) -> bool:
    """Return whether two arrays have one type and shape and the same values; the last bits of floats may differ."""
    if old.dtype != new.dtype or old.shape != new.shape:
        return False
    return bool(np.allclose(old, new, rtol=1e-6, atol=1e-9) if old.dtype.kind == "f" else np.array_equal(old, new))


def renamed(value: Any, names: dict[str, str] | None = None) -> Any:
    """Return a record with the keys of today, without those that follow from the bytes of files."""
    names = RENAMED_KEYS if names is None else names
    if isinstance(value, dict):
        kept = {names.get(key, key): renamed(item, names) for key, item in value.items() if key not in IGNORED_IN_MANIFEST}
        return {key: item for key, item in kept.items() if key}
    return [renamed(item, names) for item in value] if isinstance(value, list) else value


# what the three share


class Cache:
    """Keep answers of the baseline as JSON files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, key: str, compute: Callable[[], Any]) -> Any:
        file = self.folder / f"{key.replace('/', '_')}.json"
        if not file.exists():
            file.write_text(json.dumps(compute(), default=str))
        return json.loads(file.read_text())


def row(what: str, old: list[Any], new: list[Any], names: list[str] | None = None) -> dict[str, Any]:
    """Compare answers; return what the table shows of them."""
    records, different, first = compare(old, new)
    if different:
        named = [name for name, *pair in zip(names or [], old, new, strict=False) if compare(pair[:1], pair[1:])[1]]
        first = f"{named[0]}: {first}" if named else first
        say(f"{what}: {different} of {records} differ; {first}")
    return {"what": what, "compared": records, "different": different, "first": first}


PARTS = {"routes": compare_routes, "tables": compare_tables, "arrays": compare_arrays}


def main() -> int:
    def add(parser: argparse.ArgumentParser) -> None:
        add_versions(parser)
        parser.add_argument("--only", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
        parser.add_argument("--baseline-only", action="store_true", help="compute the answers of the baseline only")

    arguments = parse_arguments(__doc__, add)
    baseline, present = open_versions(arguments)
    cache = Cache(baseline.folder / "interfaces")
    present = baseline if arguments.baseline_only else present
    rows = [each for name in arguments.only.split(",") for each in PARTS[name](baseline, present, cache)]
    print_table(f"{arguments.baseline} against this checkout", rows)
    return 1 if any(each["different"] for each in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
