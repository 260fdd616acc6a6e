"""Ray, Spark and Dask as docs/cluster.md shows them: each gives every row the links that `link_arrow` gives."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.files import ROOT
from helpers.streaming import SENTENCE

from eigenthemes import KB, Linker, link_arrow

PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
SNIPPETS = {
    name: snippet
    for section in PAGE.split("\n## ")[1:]
    for name in ("ray", "spark", "dask")
    if section.lower().startswith(name + "\n")
    for snippet in re.findall(r"^```py\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
}
PACKAGES = {"ray": "ray", "spark": "pyspark", "dask": "dask"}


def test_the_page_shows_all_engines() -> None:
    assert SNIPPETS.keys() == PACKAGES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("engine", PACKAGES)
def test_every_engine_links_every_row(engine: str, demo_kb: KB, tmp_path: Path) -> None:
    if importlib.util.find_spec(PACKAGES[engine]) is None:
        pytest.skip(f"{PACKAGES[engine]} is not installed")
    if engine == "spark" and shutil.which("java") is None:
        pytest.skip("Spark needs java, which is not installed")
    (tmp_path / "folder").mkdir()
    (tmp_path / "demo.kb").symlink_to(demo_kb.path)
    table = pa.table({"id": list(range(40)), "text": [SENTENCE, None, "Jordan and Amman", ""] * 10, "more": [[1, 2]] * 40})
    for part in range(2):
        pq.write_table(table.slice(20 * part, 20), tmp_path / "folder" / f"{part}.parquet")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-c", SNIPPETS[engine]],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    expected = link_arrow(table.combine_chunks().to_batches()[0], Linker(demo_kb)).to_pylist()
    files = sorted((tmp_path / f"linked-by-{engine}").glob("*.parquet"))
    found = pa.concat_tables([pq.read_table(file) for file in files]).sort_by("id").to_pylist()
    assert found == expected
