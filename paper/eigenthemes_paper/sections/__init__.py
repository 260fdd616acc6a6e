"""The sections of the report, one file for each table or figure of the paper, by the names that plans use."""

from __future__ import annotations

from eigenthemes_paper.plan import Section
from eigenthemes_paper.sections import (
    ablations,
    figure_1,
    figure_2,
    figure_3a,
    figure_3b,
    figure_4,
    figure_5,
    figure_6,
    figure_7ab,
    figure_7cd,
    figure_8ab,
    figure_8cd,
    figure_9,
    gold_score,
    graphs,
    run_times,
    table_1,
    table_2,
    table_2_neural,
    table_3,
    wikilinks,
    windows,
)

SECTIONS: dict[str, Section] = {
    "figure-1": figure_1.SECTION,
    "figure-5": figure_5.SECTION,
    "table-1": table_1.SECTION,
    "table-2": table_2.SECTION,
    "table-2-neural": table_2_neural.SECTION,
    "table-3": table_3.SECTION,
    "wikilinks": wikilinks.SECTION,
    "figure-2": figure_2.SECTION,
    "gold-score": gold_score.SECTION,
    "figure-3a": figure_3a.SECTION,
    "figure-3b": figure_3b.SECTION,
    "figure-4": figure_4.SECTION,
    "figure-6": figure_6.SECTION,
    "figure-7ab": figure_7ab.SECTION,
    "figure-7cd": figure_7cd.SECTION,
    "figure-8ab": figure_8ab.SECTION,
    "figure-8cd": figure_8cd.SECTION,
    "figure-9": figure_9.SECTION,
    "ablations": ablations.SECTION,
    "windows": windows.SECTION,
    "graphs": graphs.SECTION,
    "run-times": run_times.SECTION,
}
