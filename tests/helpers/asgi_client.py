"""A client of an app in this process: no port, no thread."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

BASE_URL = "http://127.0.0.1:8000"


class AppClient:
    """Sends requests to an ASGI app, one at a time."""

    def __init__(self, app: Any, base_url: str = BASE_URL) -> None:
        self._app, self._base_url = app, base_url

    def request(self, method: str, url: str, **options: Any) -> httpx.Response:
        """Send a request as httpx does; an error of the app itself is raised."""
        return asyncio.run(self._send(method, url, options))

    def get(self, url: str, **options: Any) -> httpx.Response:
        return self.request("GET", url, **options)

    def post(self, url: str, **options: Any) -> httpx.Response:
        return self.request("POST", url, **options)

    async def _send(self, method: str, url: str, options: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(transport=transport, base_url=self._base_url) as client:
            return await client.request(method, url, **options)
