"""The manifest of the service: what a client that was told its URL reads first."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from eigenthemes import __version__
from eigenthemes.kb.store import KB
from eigenthemes.service.reconcile.extend import SETTINGS
from eigenthemes.service.reconcile.places import Places
from eigenthemes.service.reconcile.types import default_types

BATCH_SIZE = 100  # queries: enough names to support each other, and an answer within a tenth of a second
PREVIEW_WIDTH, PREVIEW_HEIGHT = 430, 300
_SAMPLE = 1_000  # ids that are looked at
_WIKIDATA = re.compile(r"[QPL]\d+")
_NAMESPACE = re.compile(r"https?://.*[/#]")


def manifest(kb: KB, places: Places) -> dict[str, Any]:
    """Return the manifest of a KB."""
    identifiers, schema = kb.cached(_spaces) or _own_spaces(places.name)
    return {
        "versions": ["0.2"],
        "name": f"{places.name} (eigenthemes)",
        "identifierSpace": identifiers,
        "schemaSpace": schema,
        "serviceVersion": __version__,
        "defaultTypes": default_types(kb),
        "batchSize": BATCH_SIZE,
        "view": {"url": places.base + places.by_id("view", "{{id}}")},
        "preview": {
            "url": places.base + places.by_id("preview", "{{id}}"),
            "width": PREVIEW_WIDTH,
            "height": PREVIEW_HEIGHT,
        },
        "suggest": {kind: _suggest(places, kind) for kind in ("entity", "type", "property")},
        "extend": {
            "propose_properties": {"service_url": places.base, "service_path": places.proposals()},
            "property_settings": SETTINGS,
        },
    }


def _suggest(places: Places, kind: str) -> dict[str, str]:
    return {
        "service_url": places.base,
        "service_path": places.path(f"suggest/{kind}"),
        "flyout_service_url": places.base,
        "flyout_service_path": places.by_id(f"flyout/{kind}", "${id}"),
    }


def _spaces(kb: KB) -> tuple[str, str] | None:
    """Return the URIs of what ids and types are from, where most ids say so; None: they are the KB's own."""
    ids = [kb.id_of(index) for index in range(min(_SAMPLE, len(kb)))]
    if ids and sum(bool(_WIKIDATA.fullmatch(each)) for each in ids) > len(ids) * 0.9:
        return "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
    namespaces = Counter(found[0] for each in ids if (found := _NAMESPACE.match(each)))
    for namespace, count in namespaces.most_common(1):
        if count > len(ids) / 2:
            return namespace, namespace
    return None


def _own_spaces(name: str) -> tuple[str, str]:
    return f"urn:eigenthemes:{name}:entities", f"urn:eigenthemes:{name}:types"
