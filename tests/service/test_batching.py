"""Requests that arrive together are decided together, and nobody can tell."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import httpx
import orjson
import pytest
from helpers.serving import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenthemes import Linker
from eigenthemes.documents.json_lines import document_of
from eigenthemes.documents.json_writer import json_line
from eigenthemes.records import Document
from eigenthemes.service import batching
from eigenthemes.service.batching import Batcher, Tally


@pytest.fixture(scope="module")
def documents(demo_records: list[dict[str, Any]]) -> list[Document]:
    """Some texts with names, some without, one of each of several sizes."""
    shortened = [{**record, "mentions": record["mentions"][:3]} for record in demo_records]
    texts = [{"text": record["text"]} for record in demo_records]
    odd: list[dict[str, Any]] = [{"mentions": []}, {"text": ""}, {"mentions": [{"text": "x" * 500}]}]
    return [document_of(record) for record in [*demo_records, *shortened, *texts, *odd]]


@pytest.fixture(scope="module")
def alone(demo_linker: Linker, documents: list[Document]) -> list[bytes]:
    """Each document linked by itself."""
    return [
        json_line(linked.document, [link.to_dict() for link in linked.links]) for linked in map(demo_linker.link, documents)
    ]


@pytest.fixture
def tallies() -> list[Tally]:
    return []


@pytest.fixture
def batcher(tallies: list[Tally]) -> Batcher:
    return Batcher(tallies.append)


@settings(max_examples=25)
@given(data=st.data())
def test_answers_are_the_same_in_every_company(
    data: st.DataObject, demo_linker: Linker, documents: list[Document], alone: list[bytes]
) -> None:
    numbers = st.lists(st.integers(0, len(documents) - 1), max_size=6)
    requests = data.draw(st.lists(numbers, min_size=1, max_size=8))
    batcher = Batcher()

    async def ask() -> list[list[bytes]]:
        return await asyncio.gather(*(batcher.link(demo_linker, [documents[i] for i in each]) for each in requests))

    for each, answers in zip(requests, asyncio.run(ask()), strict=True):
        assert list(map(orjson.loads, answers)) == [orjson.loads(alone[i]) for i in each]


def test_requests_that_wait_are_decided_at_once(
    batcher: Batcher, tallies: list[Tally], demo_linker: Linker, documents: list[Document]
) -> None:
    async def ask() -> None:
        await asyncio.gather(*(batcher.link(demo_linker, [document]) for document in documents[:10]))

    asyncio.run(ask())
    assert sum(tally["documents"] for tally in tallies) == 10
    assert len(tallies) == 1


def test_a_large_request_is_cut_and_others_come_between(
    batcher: Batcher, tallies: list[Tally], demo_linker: Linker, documents: list[Document], alone: list[bytes]
) -> None:
    many = documents[:1] * 200
    order: list[str] = []

    async def ask(name: str, asked: list[Document]) -> list[bytes]:
        answers = await batcher.link(demo_linker, asked)
        order.append(name)
        return answers

    async def both() -> tuple[list[bytes], list[bytes]]:
        large = asyncio.create_task(ask("large", many))
        await asyncio.sleep(0)
        return await ask("small", documents[1:2]), await large

    small, large = asyncio.run(both())
    assert order == ["small", "large"]
    assert [orjson.loads(answer) for answer in large] == [orjson.loads(alone[0])] * 200
    assert orjson.loads(small[0]) == orjson.loads(alone[1])
    assert len(tallies) > 2


def test_a_large_document_has_a_thread_of_its_own(
    batcher: Batcher, demo_linker: Linker, documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "LARGE", 0)

    async def ask() -> None:
        await batcher.link(demo_linker, documents[:1])

    asyncio.run(ask())
    assert batcher._large._threads
    assert not batcher._thread._threads


def test_an_error_is_of_one_request_only(
    batcher: Batcher, demo_linker: Linker, documents: list[Document], alone: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    decide = Linker.decide

    def fragile(linker: Linker, given: list[Document]) -> Any:
        if any(document is documents[2] for document in given):
            raise ValueError("this one")
        return decide(linker, given)

    monkeypatch.setattr(Linker, "decide", fragile)

    async def ask() -> list[Any]:
        asked = [batcher.link(demo_linker, [document]) for document in documents[:5]]
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(ask())
    assert [type(answer) for answer in answers] == [list, list, ValueError, list, list]
    assert orjson.loads(answers[4][0]) == orjson.loads(alone[4])


def test_a_fault_of_the_batcher_itself_leaves_nobody_waiting(
    batcher: Batcher, demo_linker: Linker, documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> list[Any]:
        return await asyncio.gather(*(batcher.link(demo_linker, documents[:1]) for _ in range(3)), return_exceptions=True)

    with monkeypatch.context() as patched:
        patched.setattr(Linker, "encoder", None)
        assert [type(answer) for answer in asyncio.run(ask())] == [TypeError] * 3
        patched.setattr(batching, "_link_jobs", None)
        assert [type(answer) for answer in asyncio.run(ask())] == [TypeError] * 3
    assert [type(answer) for answer in asyncio.run(ask())] == [list] * 3


def test_whoever_gives_up_is_not_waited_for(batcher: Batcher, demo_linker: Linker, documents: list[Document]) -> None:
    async def ask() -> list[bytes]:
        impatient = [asyncio.create_task(batcher.link(demo_linker, documents)) for _ in range(5)]
        await asyncio.sleep(0)
        for task in impatient:
            task.cancel()
        return await batcher.link(demo_linker, documents[:1])

    assert len(asyncio.run(ask())) == 1


def test_many_clients_with_other_options_get_what_they_asked_for(client: Client, demo_records: list[dict[str, Any]]) -> None:
    """Through the whole service: good and bad requests with several options, all at once."""
    chosen = random.Random(0)
    queries = ["", "?top=1", "?method=degree", "?nil=false", "?explain=true&top=2", "?method=none", "?types=true"]
    bodies: list[Any] = [*demo_records, demo_records[:3], {"text": 3}, {"mentions": [{"start": 1}]}, "", []]
    asked = [(chosen.choice(queries), chosen.choice(bodies)) for _ in range(80)]
    one_by_one = [client.post(f"/link{query}", json=body) for query, body in asked]

    async def at_once() -> list[httpx.Response]:
        return await asyncio.gather(*(client.http.post(f"/link{query}", json=body) for query, body in asked))

    for alone, together in zip(one_by_one, client.run(at_once()), strict=True):
        assert (together.status_code, together.json()) == (alone.status_code, alone.json())
