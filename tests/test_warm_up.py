"""Warming up: whatever is linked afterwards, in another process, compiles nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.kbs import build_from_records

from eigenthemes import KB
from eigenthemes.build import store_ranker
from eigenthemes.selftrain.train import self_train

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
    return store_ranker(kb, self_train(kb, documents=30))


@pytest.mark.slow
def test_after_warming_up_no_process_compiles(demo_kb: KB, ontology: KB, tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    warm = [sys.executable, "-c", "from eigenthemes.warm_up import warm_up; warm_up()"]
    subprocess.run(warm, env=environment, check=True, capture_output=True)
    command = [sys.executable, "-c", LINK, str(demo_kb.path), str(ontology.path)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    missed, used = json.loads(done.stdout.splitlines()[-1])
    assert missed == []
    assert {"find_candidates", "find_spans", "_roots", "support", "spelling"} <= set(used)
