"""Where a client finds the parts of the protocol: URLs of one KB's service, with the token where one was given."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote, unquote_plus

_ID = "id="


@dataclass(frozen=True, slots=True)
class Places:
    """The URLs of a KB's reconciliation service.

    base   the service, without a slash at its end
    name   of the KB
    token  what the client brought in its URL; it goes into every URL that the client is told
    """

    base: str
    name: str
    token: str | None = None

    @property
    def root(self) -> str:
        """The path of the endpoint itself."""
        return f"/reconcile/{quote(self.name, safe='')}"

    def path(self, part: str) -> str:
        """Return the path of a part that takes its parameters behind it."""
        return f"{self.root}/{part}" + (f"?token={quote(self.token, safe='')}" if self.token else "")

    def by_id(self, part: str, slot: str) -> str:
        """Return the path of a part that takes an id, which comes last: OpenRefine puts it in as it is, & and all."""
        path = self.path(part)
        return f"{path}{'&' if '?' in path else '?'}{_ID}{slot}"

    def proposals(self) -> str:
        """Return the path of property proposals. OpenRefine adds ?type=..., whatever is there already."""
        path = self.path("properties")
        return f"{path}&of=" if "?" in path else path


def readings_of_id(query_string: str) -> list[str]:
    """Return what an id in a query string may be, the likeliest first: clients encode it more, less or not at all."""
    start = 0 if query_string.startswith(_ID) else query_string.find("&" + _ID) + 1
    if not start and not query_string.startswith(_ID):
        return []
    rest = query_string[start + len(_ID) :]
    alone = rest.partition("&")[0]
    return list(dict.fromkeys((unquote(alone), unquote(rest), unquote_plus(alone))))


def type_asked(type_id: str | None, of: str | None) -> str | None:
    """Return the type that properties are proposed for; see `Places.proposals`."""
    return type_id if of is None else of.removeprefix("?").removeprefix("type=")
