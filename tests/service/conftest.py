"""A service of the demo's KB, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from helpers.serving import Client, MakeClient

from eigenthemes import KB
from eigenthemes.service.app import create_app
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings


@pytest.fixture(scope="session")
def served(demo_kb: KB) -> ServedKBs:
    """The KB of the demo, served."""
    return ServedKBs.open([demo_kb.path])


@pytest.fixture
def make_client(served: ServedKBs) -> Iterator[MakeClient]:
    """A client of the service with other settings, or of other KBs."""
    clients: list[Client] = []

    def make(kbs: ServedKBs | None = None, *, address: str = "127.0.0.1", **settings: Any) -> Client:
        app = create_app(kbs or served, ServiceSettings(**settings))
        clients.append(Client(app, address))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(make_client: MakeClient) -> Client:
    return make_client()
