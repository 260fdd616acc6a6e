"""The manifest of the reconciliation service, its URLs, and suggestions while a user types."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, unquote_plus

from eigenthemes import __version__
from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker
from eigenthemes.service.entity_routes import suggest as suggest_entities
from eigenthemes.service.reconcile.properties import (
    SETTINGS,
    complete,
    default_types,
    entity_record,
    properties_of,
    type_records,
    types_of,
)

_ID = "id="
BATCH_SIZE = 100  # queries: enough names to support each other, answered within .1 s
PREVIEW_WIDTH, PREVIEW_HEIGHT = 430, 300
_SAMPLE = 1_000  # ids that are examined
_WIKIDATA = re.compile(r"[QPL]\d+")
_NAMESPACE = re.compile(r"https?://.*[/#]")
LIMIT = 10
_MAX_SUGGESTIONS = 1_000  # most suggestions for one prefix


@dataclass(frozen=True, slots=True)
class ServiceURLs:
    """The URLs of a KB's reconciliation service.

    Attributes
    ----------
    base : str
        Address of the service, without a slash at its end.
    name : str
        Name of the KB.
    token : str, optional
        Token of the client's URL; it is added to every URL.
    """

    base: str
    name: str
    token: str | None = None

    @property
    def root(self) -> str:
        """The path of the endpoint itself."""
        return f"/reconcile/{quote(self.name, safe='')}"

    def path(self, part: str) -> str:
        """Return the path of a part."""
        return f"{self.root}/{part}" + (f"?token={quote(self.token, safe='')}" if self.token else "")

    def by_id(self, part: str, slot: str) -> str:
        """Return the path of a part that takes an id, which comes last: OpenRefine does not encode it."""
        path = self.path(part)
        return f"{path}{'&' if '?' in path else '?'}{_ID}{slot}"

    def proposals(self) -> str:
        """Return the path of property proposals, to which OpenRefine adds ?type=... even after a token."""
        path = self.path("properties")
        return f"{path}&of=" if "?" in path else path


def readings_of_id(query_string: str) -> list[str]:
    """Return the possible ids in a query string, the most likely first: some clients do not encode them."""
    start = 0 if query_string.startswith(_ID) else query_string.find("&" + _ID) + 1
    if not start and not query_string.startswith(_ID):
        return []
    rest = query_string[start + len(_ID) :]
    alone = rest.partition("&")[0]
    return list(dict.fromkeys((unquote(alone), unquote(rest), unquote_plus(alone))))


def manifest(kb: KB, urls: ServiceURLs) -> dict[str, Any]:
    """Return the manifest of a KB."""
    own = f"urn:eigenthemes:{urls.name}"
    identifiers, schema = kb.cached(_spaces) or (f"{own}:entities", f"{own}:types")
    return {
        "versions": ["0.2"],
        "name": f"{urls.name} (eigenthemes)",
        "identifierSpace": identifiers,
        "schemaSpace": schema,
        "serviceVersion": __version__,
        "defaultTypes": default_types(kb),
        "batchSize": BATCH_SIZE,
        "view": {"url": urls.base + urls.by_id("view", "{{id}}")},
        "preview": {"url": urls.base + urls.by_id("preview", "{{id}}"), "width": PREVIEW_WIDTH, "height": PREVIEW_HEIGHT},
        "suggest": {kind: _suggest(urls, kind) for kind in ("entity", "type", "property")},
        "extend": {
            "propose_properties": {"service_url": urls.base, "service_path": urls.proposals()},
            "property_settings": SETTINGS,
        },
    }


def _suggest(urls: ServiceURLs, kind: str) -> dict[str, str]:
    return {
        "service_url": urls.base,
        "service_path": urls.path(f"suggest/{kind}"),
        "flyout_service_url": urls.base,
        "flyout_service_path": urls.by_id(f"flyout/{kind}", "${id}"),
    }


def _spaces(kb: KB) -> tuple[str, str] | None:
    """Return the URIs of the spaces of ids and of types, if most ids have a common one."""
    ids = [kb.id_of(index) for index in range(min(_SAMPLE, len(kb)))]
    if ids and sum(bool(_WIKIDATA.fullmatch(each)) for each in ids) > len(ids) * 0.9:
        return "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
    namespaces = Counter(found[0] for each in ids if (found := _NAMESPACE.match(each)))
    for namespace, count in namespaces.most_common(1):
        if count > len(ids) / 2:
            return namespace, namespace
    return None


# suggestions


def suggest(linker: Linker, kind: str, prefix: str, first: int) -> dict[str, Any]:
    """Return suggestions from the number `first` on."""
    if first >= _MAX_SUGGESTIONS:
        return {"result": []}
    if kind == "entity":
        return {"result": _entities(linker, prefix, first + LIMIT)[first:]}
    known = types_of(linker.kb) if kind == "type" else properties_of(linker.kb)
    return {"result": [each._asdict() for each in complete(known.values(), prefix)[first : first + LIMIT]]}


def _entities(linker: Linker, prefix: str, top: int) -> list[dict[str, Any]]:
    """Return entities by the beginning of a name, or by their id."""
    kb = linker.kb
    suggested = suggest_entities(kb, linker.batches.generator, prefix, top=top)
    indices = dict.fromkeys(kb.index_of(each) for each in (prefix.strip(), *(each["id"] for each in suggested)))
    known = [index for index in indices if index is not None][:top]
    return [{**entity_record(kb, index), "notable": type_records(kb, index)} for index in known]
