"""Warming up: whatever is linked afterwards, in another process, compiles nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.kbs import build_from_records, build_untrained, train_quickly

from eigenthemes import KB

LINK = """
import gc, json, sys
from eigenthemes import Linker
from eigenthemes.core.jit import Kernel, always_compile
always_compile()
texts = ["Michael Jordan and Scottie Pippen played in Chicago.", "Amman is the capital of Jordan. Jordans and Chicagos."]
for path in sys.argv[1:]:
    linker = Linker(path, explain=True)
    list(linker.link_batch(texts * 40))
    linker.link_table({"header": ["who"], "rows": [["Michael Jordan"], ["David Blei"], ["Amman"]]}, columns=["who"])
    pairs = [[f"Ann{i}", f"Town{i}"] for i in range(8)]
    linker.link_table({"header": ["who", "where"], "rows": pairs}, columns=["who", "where"])
kernels = [each for each in gc.get_objects() if isinstance(each, Kernel) and hasattr(each.__dict__.get("compiled"), "stats")]
missed = [kernel.__name__ for kernel in kernels if kernel.compiled.stats.cache_misses]
used = [kernel.__name__ for kernel in kernels if kernel.compiled.stats.cache_hits]
print(json.dumps([missed, used]))
"""


@pytest.fixture
def ontology(tmp_path: Path, quick_disk: None) -> KB:
    """A KB of names that are common nouns, whose words have families and stems."""
    parts = ("inherited tumor", "abnormal skull", "stated pain", "loss of hearing", "fused bones")
    records = [{"id": f"{i}-{j}", "name": f"{part} number{j}"} for i, part in enumerate(parts) for j in range(8)]
    kb = build_from_records(tmp_path, records, [(record["id"], "0-0") for record in records[1:]])
    return train_quickly(kb, documents=30)


@pytest.fixture
def people(tmp_path: Path, quick_disk: None) -> KB:
    """A KB in which two relations lead from one entity to another."""
    label, x = "<http://www.w3.org/2000/01/rdf-schema#label>", "http://example.org/"
    names = [f'<{x}{kind}{i}> {label} "{kind}{i}" .' for i in range(8) for kind in ("Ann", "Town")]
    edges = [f"<{x}Ann{i}> <{x}{relation}> <{x}Town{i}> ." for i in range(8) for relation in ("born", "lives")]
    (tmp_path / "people.nt").write_text("\n".join(names + edges))
    return train_quickly(build_untrained([tmp_path / "people.nt"], tmp_path / "people.kb"), documents=30)


@pytest.mark.slow
def test_after_warming_up_no_process_compiles(demo_kb: KB, ontology: KB, people: KB, tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    warm = [sys.executable, "-c", "from eigenthemes.warm_up import warm_up; warm_up()"]
    subprocess.run(warm, env=environment, check=True, capture_output=True)
    command = [sys.executable, "-c", LINK, str(demo_kb.path), str(ontology.path), str(people.path)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    missed, used = json.loads(done.stdout.splitlines()[-1])
    assert missed == []
    assert {"find_candidates", "find_spans", "find_roots", "sum_support", "spelling", "row_factors"} <= set(used)
