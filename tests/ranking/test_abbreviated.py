"""Abbreviations that the text defines otherwise are no names of the KB's entities."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.files import write_jsonl
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.names.evidence import NO_NAME
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.detection import abbreviation_clues
from eigenthemes.records import Document

GENES = [
    {"id": "can", "name": "CAN", "aliases": ["nucleoporin 214"]},
    {"id": "lupus", "name": "SLE", "aliases": ["systemic lupus erythematosus"]},
    {"id": "kidney", "name": "diabetic nephropathy"},
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    folder = tmp_path_factory.mktemp("abbreviated")
    return build_untrained([write_jsonl(folder / "n.jsonl", GENES)], folder / "a.kb")


@pytest.mark.parametrize(
    ("text", "name", "entity", "against"),
    [
        ("chronic allograft nephropathy (CAN): CAN is", "CAN", "can", True),
        ("colored animal nucleoporin (CAN)", "CAN", "can", True),
        ("nucleoporin CAN", "CAN", "can", False),
        ("systemic lupus erythematosus (SLE)", "SLE", "lupus", False),
    ],
)
def test_the_long_form_decides(kb: KB, text: str, name: str, entity: str, against: bool) -> None:
    groups = MentionGroups.of(batch_maker(kb, needs_vectors=False).make([Document(text=text)]))
    number = groups.names.index(name.lower())
    entity_of = np.full(len(groups), kb.index_of(entity))
    odds, stands_for = abbreviation_clues(groups, entity_of, kb)
    group = int(np.flatnonzero(groups.name_of == number)[0])
    assert (odds[group] == NO_NAME) == against == bool(stands_for[group])


def test_it_gains_where_the_long_form_is_its_name(kb: KB) -> None:
    groups = MentionGroups.of(batch_maker(kb, needs_vectors=False).make([Document(text="Systemic lupus erythematosus (SLE)")]))
    odds, _ = abbreviation_clues(groups, np.full(len(groups), kb.index_of("lupus")), kb)
    assert odds.max() > 0
