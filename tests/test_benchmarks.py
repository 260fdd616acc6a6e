"""The benchmarks run: nobody starts them for months, and the package changes under them."""

from __future__ import annotations

import gzip
import importlib
import re
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.files import ROOT

from eigenthemes import KB
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.ranking.features import COLUMNS

FOLDER = ROOT / "benchmarks"
MODULES = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem != "__init__")
COMMANDS = [name for name in MODULES if name not in ("common", "pictures", "relatedness")]
SET = "wned-cweb"  # of the data folder that `demo_data` makes up


@pytest.fixture(autouse=True)
def checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks are no part of the package: they are imported from the checkout."""
    monkeypatch.syspath_prepend(ROOT)


@pytest.fixture
def demo_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A data folder in which the documents of the demo stand for those of the real set SET."""
    file = tmp_path / "data" / "general" / f"{SET}.jsonl.gz"
    file.parent.mkdir(parents=True)
    file.write_bytes(gzip.compress(DOCUMENTS["small"].read_bytes()))
    monkeypatch.setenv("EIGENTHEMES_DATA", str(tmp_path / "data"))
    return file


def benchmark(name: str) -> Any:
    """Import a benchmark, or skip with the name of the package that is not installed."""
    try:
        return importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("benchmarks", "eigenthemes", "helpers"):
            raise
        pytest.skip(f"benchmarks.{name} needs {error.name}; install the extra bench")


@pytest.mark.parametrize("name", MODULES)
def test_every_module_imports(name: str) -> None:
    assert benchmark(name).__doc__


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    module = benchmark(name)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as stop:
        module.main()
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {name}.py")


def test_the_readme_names_every_command_and_no_other() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"python -m benchmarks\.(\w+)", page)) | {"build_once", "link_worker", "peers"} == set(
        COMMANDS
    )  # others start these


def test_the_readme_names_files_that_exist() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", page)
    files = re.findall(r"`((?:benchmarks|tests)/[\w/]+\.py)`", page)
    assert links
    assert files
    assert not [link for link in links if not (FOLDER / link).exists()]
    assert not [file for file in files if not (ROOT / file).exists()]


def test_the_code_that_builds_kbs_has_a_digest() -> None:
    assert re.fullmatch("[0-9a-f]{8}", benchmark("common").code_digest())


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["bench_embeddings", "bench_link", "bench_mentions", "compare_versions"])
def test_the_real_sets_are_there(name: str, real_data: Any) -> None:
    module, common = benchmark(name), benchmark("common")
    for kb, documents in module.SETS.items():
        listed = [documents[1]] if name == "compare_versions" else documents
        for file in filter(None, listed):
            assert real_data(f"{file}.jsonl.gz").is_file()
        assert name == "compare_versions" or kb.partition(",")[0] in common.SOURCES
    for source in (source for sources in common.SOURCES.values() for source in sources):
        assert real_data(source).is_file()


# what each of them does, on small KBs


@pytest.mark.slow
def test_synthetic_kbs_are_built_and_looked_up(tmp_path: Path) -> None:
    common, candidates, build = benchmark("common"), benchmark("bench_candidates"), benchmark("bench_build")
    kb = common.synthetic_kb(300, tmp_path)
    assert len(kb) >= 300
    assert kb.vector_sets
    assert build.parse_only(common.synthetic_dump(300, tmp_path))["statements"] == kb.manifest["counts"]["statements"]
    mentions = benchmark("synthetic").draw_mentions(kb, 100)
    assert len(mentions) == 100
    assert candidates.batch_speed(kb, mentions)["default, mentions/s"] > 0


def test_start_up_is_measured_in_new_processes(tiny: KB) -> None:
    candidates = benchmark("bench_candidates")
    assert candidates._printed(candidates._OPEN, str(tiny.path)) > 0
    assert candidates._from_start(candidates._FIRST, str(tiny.path), tiny.label_of(0)) > 0


def test_related_words_find_more_than_the_same_words(tiny: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    recall = benchmark("bench_recall")
    names = {"Michael Jordan": "mj", "Tumors": "tumor", "Ludwig Wittgenstien": "wittgenstein", "who": "who"}
    assert all(tiny.index_of(id) is not None for id in names.values())
    monkeypatch.setattr(recall, "read_mentions", lambda _: [(name, {id}) for name, id in names.items()])
    found = recall.recalls("tiny", tiny)
    assert found["paper"] < found["same words"] < found["default"] == 100


def test_all_three_ways_to_score_a_document_agree() -> None:
    link = benchmark("bench_link")
    batch = link.made_up(3, 4, 16, documents=2)
    scores = link.score(batch, 2)
    np.testing.assert_allclose(np.concatenate(link.naive(batch, 2)), scores, atol=1e-5)
    np.testing.assert_allclose(np.concatenate(link.vectorised(batch, 2)), scores, atol=1e-5)


@pytest.mark.slow
def test_linking_is_timed_within_and_without_the_kernels(
    demo_kb: KB, demo_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = benchmark("bench_link")
    monkeypatch.setattr("eigenthemes.stream.collect_garbage_rarely", lambda: None)  # it is for the whole process
    file = link._repeated(tmp_path, 50)
    assert len(file.read_text().splitlines()) == 50
    assert all(milliseconds > 0 for milliseconds in link._inside(demo_kb, file, 5).values())
    assert link._link_once(demo_kb, file, "all", 1)[0] > 0


def test_the_quality_of_methods_is_measured(
    demo_kb: KB, demo_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = benchmark("bench_link")
    monkeypatch.setattr(link, "SETS", {"general, tables": (f"general/{SET}",)})
    monkeypatch.setattr(link, "real_kb", lambda name, folder: demo_kb)
    (row,) = link.measure_quality(Namespace(cache=tmp_path))
    assert row["set"] == SET
    assert 0 < row["degree"] <= row["ceiling"] <= 1


def test_names_in_plain_text_are_measured(demo_kb: KB, demo_data: Path) -> None:
    row = benchmark("bench_mentions").measure(demo_kb, demo_data)
    assert 0 < row["precision"] <= 1
    assert 0 < row["recall"] <= 1


def test_vectors_are_made_and_measured(demo_kb: KB, demo_data: Path, tmp_path: Path) -> None:
    embeddings = benchmark("bench_embeddings")
    cost = embeddings.make_once(str(demo_kb.path), "prone", str(tmp_path / "made.npy"), "hidden")
    assert cost["nodes"] == len(demo_kb)
    vectors = np.load(tmp_path / "made.npy")
    gold_set = embeddings.GoldSet(demo_kb, demo_data)
    assert 0 < gold_set.p_at_1("eigen", vectors) <= 1
    assert 0 < gold_set.p_at_1("average", embeddings._make(demo_kb.graph, "random")) <= 1


def test_hidden_entities_are_measured_apart(demo_kb: KB, demo_data: Path) -> None:
    inductive = benchmark("bench_inductive")
    gold_set = inductive.read_set(demo_kb, f"general/{SET}")
    hidden = np.arange(len(demo_kb)) % 2 == 0
    graph = inductive.without(demo_kb.graph, hidden)
    assert not graph.degree[hidden].any()
    figures = inductive.p_at_1(demo_kb, gold_set, demo_kb.vectors(None), hidden, "eigen")
    assert figures.keys() == {f"{SET}, {part}" for part in ("hidden", "others", "all")}
    low, high = sorted((figures[f"{SET}, hidden"], figures[f"{SET}, others"]))
    assert low <= figures[f"{SET}, all"] <= high


def test_the_ranker_is_measured(demo_kb: KB, demo_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    selftrained = benchmark("bench_selftrained")
    for name, value in {
        "SEVEN": {SET: "general"},
        "MORE": {},
        "ANOTHER": {SET: SET},
        "RESULTS": tmp_path,
        "trained": lambda arguments, name: demo_kb,
    }.items():
        monkeypatch.setattr(selftrained, name, value)
    arguments = Namespace(cache=tmp_path)
    of_set, mean = selftrained.measure_sets(arguments)
    gold = selftrained.measure_gold(arguments)
    assert of_set["selftrained"] == mean["selftrained"] == gold[0]["self-trained"]
    assert gold[0]["gold of another"] > 0
    (learning,) = selftrained.measure_learning(arguments)
    assert 0 < learning["0"] <= 1
    assert {file.name for file in tmp_path.glob("*.png")} == {"selftrained-reliability.png", "selftrained-risk.png"}


@pytest.mark.slow
def test_a_corpus_is_measured(demo_kb: KB, demo_data: Path, tmp_path: Path) -> None:
    cluster = benchmark("bench_cluster")
    corpus = cluster.write_corpus(tmp_path / "in", Namespace(set=f"general/{SET}", documents=20, parts=4))
    assert len(list(corpus.iterdir())) == 4
    measured = {}
    for engine in cluster.ENGINES:
        row = cluster._run(demo_kb.path, corpus, tmp_path / engine, engine, 1)
        assert row["documents"] == 20
        few = {"documents": 5, "cpu_s_per_1000": row["cpu_s_per_1000"]}
        measured[engine, 1] = [cluster._with_steady(few, row), {**cluster._with_steady(few, row), "documents_per_second": 0.5}]
    best = cluster._best(measured)
    assert [(row["engine"], row["documents_per_second"] > 0.5) for row in best] == [("jobs", True), ("ray", True)]
    assert best[0]["steady_ratio_to_jobs"] == 1
    assert best[1]["steady_cpu_s_per_1000"] == pytest.approx(best[1]["cpu_s_per_1000"], rel=0.01)
    cluster.draw(best, tmp_path / "cluster.png")
    assert (tmp_path / "cluster.png").stat().st_size > 5000


def test_columns_that_are_left_out_exist() -> None:
    left_out = benchmark("bench_selftrained").LEFT_OUT
    assert {column for columns in left_out.values() for column in columns} <= {*COLUMNS, "topic"}
    assert {"themes", "name", "prior"} <= left_out.keys()


def test_comparing_counts_gold_among_the_first_and_first() -> None:
    mentions = [("Jordan", {"player"}), ("Amman", {"amman", "city"}), ("nobody", {"x"}), ("none", {"y"})]
    found = benchmark("compare").quality([["country", "player"], ["city"], ["z"], []], mentions)
    assert found == {"recall@20": 0.5, "P@1": 0.25}


@pytest.mark.parametrize("peer", ["rapidfuzz", "tantivy"])
def test_a_peer_finds_a_name(peer: str) -> None:
    pytest.importorskip(peer)
    look_up = benchmark("peers").PEERS[peer]([("a", 1.0, ["Amman", "Amman city"]), ("b", 2.0, ["Chicago"])])
    assert look_up("amman")[0] == "a"


def test_the_exponent_of_a_power_is_its_power() -> None:
    assert benchmark("bench_growth").exponent([1.0, 10.0, 100.0], [3.0, 300.0, 30_000.0]) == pytest.approx(2.0)


@pytest.fixture
def this_checkout(tmp_path: Path, demo_kb: KB) -> Any:
    return benchmark("compare_versions").Version(
        "this checkout", Path(sys.executable), tmp_path, str(ROOT), demo_kb.path.parent
    )


def test_two_versions_link_by_turns(this_checkout: Any, demo_kb: KB, tmp_path: Path) -> None:
    speed = benchmark("compare_speed")
    files, workers = speed.write_files("demo", tmp_path), (speed.Worker(this_checkout), speed.Worker(this_checkout))
    for kind in ("eigen, k = all", "batch look-ups"):
        row = speed.measure(kind, (demo_kb.path, demo_kb.path), workers, files, 1)
        assert (row["kind"], row["per s now"] > 0, row["ratio"] > 0) == (kind, True, True)
    for worker in workers:
        worker.close()
        assert worker.process.returncode == 0


def test_differences_are_found_and_sentences_may_differ() -> None:
    compare = benchmark("compare_versions").compare
    old = [{"score": 0.5, "sentence": "a", "best": [{"id": 1}]}, {"exit code": 0}]
    assert compare(old, [{"score": 0.5 + 1e-12, "sentence": "b", "best": [{"id": 1}]}, {"exit code": 0}]) == (2, 0, "")
    assert compare(old, [{"score": 0.5, "sentence": "a", "best": [{"id": 2}]}, {"exit code": 0}]) == (
        2, 1, ".best[0].id: 1 before, 2 now",
    )  # fmt: skip
    assert compare(old, old[:1])[1:] == (1, "2 records before, 1 now")


def test_a_service_answers_every_kind_of_request(this_checkout: Any) -> None:
    interfaces = benchmark("compare_interfaces")
    requests = dict(enumerate((*interfaces._wrong_requests(), interfaces._get("/info"))))
    answers = interfaces.answers(this_checkout, "demo", requests, methods_by_command=False)
    assert {answer["status"] for answer in answers.values()} == {200, 400, 404, 405, 415, 422}


def test_every_table_format_is_written_linked_and_read(this_checkout: Any, tmp_path: Path) -> None:
    interfaces = benchmark("compare_interfaces")
    rows = interfaces.table_rows(benchmark("compare_versions").documents_of("demo", 3))
    files = interfaces.write_inputs(tmp_path / "inputs", rows)
    assert {file.suffix for file in files} >= {".csv", ".jsonl", ".ods", ".parquet", ".tsv", ".xlsx"}
    linked = interfaces.linked_table(this_checkout, next(file for file in files if file.suffix == ".ods"), "out.xlsx", ())
    assert linked["exit code"] == 0
    assert "who_id" in linked["cells"][0][0]


def test_a_kb_is_the_same_as_itself(demo_kb: KB) -> None:
    interfaces = benchmark("compare_interfaces")
    manifest, arrays = interfaces.read_kb(demo_kb.path)
    assert all(interfaces.same_array(array, array.copy()) for array in arrays.values())
    assert not interfaces.same_array(arrays["prior"], arrays["prior"] + 1)
    assert "files" not in interfaces.renamed(manifest)


STAND_IN = """
import numpy as np

def constructRepresentation(elements, weights, vectors, mode, mean_centering, numComponents, debugInfo):
    rows = np.array([weight * vectors[id] / np.linalg.norm(vectors[id]) for id, weight in zip(elements, weights)])
    strengths, themes = np.linalg.svd(rows, full_matrices=False)[1:]
    return themes[:numComponents], strengths[:numComponents], None

def computeVecSubspaceSimilarity(vector, subspace, singularValues, weighted):
    return np.linalg.norm((subspace @ vector) * singularValues)
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The paper's equations under the names of the authors' functions."""
    monkeypatch.delitem(sys.modules, "utils", raising=False)
    (tmp_path / "utils.py").write_text(STAND_IN)
    yield benchmark("compare_authors").load_program(tmp_path)
    sys.modules.pop("utils", None)


def test_the_authors_program_and_ours_choose_the_same(
    stand_in: Any, demo_kb: KB, demo_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authors = benchmark("compare_authors")
    monkeypatch.setitem(authors.SETS, "demo", lambda cache: authors.look_up(f"general/{SET}", demo_kb))
    rows = authors.compare(stand_in, "demo", Namespace(cache=tmp_path, documents=0, rounds=1))
    assert [row["k"] for row in rows] == ["10", "all"]
    for row in rows:
        assert row["mentions"] > 0
        assert row["chosen otherwise"] == 0
        assert row["ratio"] > 0


def test_a_wrong_choice_is_counted(stand_in: Any, demo_kb: KB, demo_data: Path, tmp_path: Path) -> None:
    authors = benchmark("compare_authors")
    given = authors.look_up(f"general/{SET}", demo_kb)
    linker = authors.Linker(demo_kb, method="eigen")
    ours = authors.run_ours(linker, given.write_lines(tmp_path / "documents.jsonl"))
    theirs = list(authors.run_theirs(stand_in, given, 10))
    mentions, different = authors.differences(given, theirs, ours)
    turned = [[[-score for score in scores] for scores in document] for document in theirs]
    assert (different, authors.differences(given, turned, ours)[0]) == (0, mentions)
    assert authors.differences(given, turned, ours)[1] > 0


def test_what_is_missing_is_said_in_one_sentence(demo_data: Path, tmp_path: Path) -> None:
    authors = benchmark("compare_authors")
    with pytest.raises(SystemExit, match=r"holds no utils.py; give --program the folder of a checkout"):
        authors.load_program(tmp_path / "nothing")
    with pytest.raises(SystemExit, match=r"needs documents.json.gz and vectors.npz in .*; put them there, or leave it out"):
        authors.read_reference(tmp_path)


def test_growth_is_drawn(tmp_path: Path) -> None:
    columns = (
        "open, ms",
        "look-up in a batch, us",
        "look-up alone, us",
        "document of 30 names, ms",
        "own memory, MB",
        "mapped, MB",
    )
    kgs = [{"entities": size, **dict.fromkeys(columns, size**0.5)} for size in (10, 100)]
    documents = [{"names": names, "document, ms": 2.0 * names} for names in (1, 10)]
    benchmark("bench_growth").draw({"kgs": {"rows": kgs}, "documents": {"rows": documents}}, tmp_path / "growth.png")
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")
