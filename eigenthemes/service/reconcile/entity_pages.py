"""Entities as HTML: the preview in a cell of a spreadsheet, the flyout of a suggestion, and the full view.

All text of a KG is escaped, and a Content-Security-Policy allows only the style and the script of this module.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import quote

from eigenthemes.kb.store import KB
from eigenthemes.names.entity_card import EntityCard, LabelledEntity, RelatedEntities, entity_card
from eigenthemes.records import Document, Entity, Mention
from eigenthemes.service.reconcile.properties import name_of_relation, type_records
from eigenthemes.service.reconcile.reconciler import Reconciler
from eigenthemes.service.reconcile.service_manifest import ServiceURLs

MOST_NAMES = 8  # other names in a preview
_MOST_RELATIONS = 4  # relations in a preview
_STYLE, _DARK = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("entity.css", "entity_dark.css"))
# OpenRefine does not encode ids: the part after # of an id does not reach the server
_SCRIPT = 'if(location.hash){location.replace(location.href.replace("#","%23"))}'


def _hash_of(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


_SOURCES = f"default-src 'none'; style-src {_hash_of(_STYLE)} {_hash_of(_STYLE + _DARK)}; script-src {_hash_of(_SCRIPT)}"
_CLOSED = "base-uri 'none'; form-action 'none'"


def headers(ancestors: str) -> dict[str, str]:
    """Return the headers of a page that may be framed by `ancestors`; its URL, which may hold a token, stays private."""
    return {
        "Content-Security-Policy": f"{_SOURCES}; {_CLOSED}; frame-ancestors {ancestors}",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


def preview_page(reconciler: Reconciler, entity_id: str, urls: ServiceURLs) -> str:
    """Return the small page of an entity that OpenRefine shows in a frame, with the reasons of the decision."""
    kb = reconciler.kb
    card = entity_card(kb, entity_id, most=3)
    related = "".join(_related(kb, each, None) for each in card.neighbors[:_MOST_RELATIONS])
    body = f"{_head(kb, card, MOST_NAMES)}{_reasons(reconciler, card)}<dl>{related}</dl>"
    return _page(card.label, body, _STYLE)


def view_page(reconciler: Reconciler, entity_id: str, urls: ServiceURLs) -> str:
    """Return the full page of an entity."""
    kb = reconciler.kb
    card = entity_card(kb, entity_id, most=50)
    namesakes = [each for each in card.namesakes if each.id != card.id][:20]
    related = "".join(_related(kb, each, urls) for each in card.neighbors)
    listed = "".join(f'<li>{_link(each, urls)} <span class="id">{escape(each.id)}</span></li>' for each in namesakes)
    body = (
        f'<div class="page">{_head(kb, card, None)}{_source(card.id)}{_reasons(reconciler, card)}'
        + (f"<h2>Linked to {card.degree:,} others</h2><dl>{related}</dl>" if related else "")
        + (f"<h2>Others of that name</h2><ul>{listed}</ul>" if listed else "")
        + "</div>"
    )
    return _page(card.label, body, _STYLE + _DARK)


def missing_page(entity_id: str) -> str:
    """Return the page of an unknown id."""
    body = f"<p>There is no entity {_text(entity_id[:200])} in this KB.</p>"
    return _page("Not found", body, _STYLE)


def flyout(name: str, thing_id: str, *lines: str) -> str:
    """Return the HTML fragment of a suggestion."""
    about = "".join(f"<p>{_text(line)}</p>" for line in lines if line)
    return f"<p><b>{_text(name)}</b></p>{about}<p><small>{_text(thing_id)}</small></p>"


def _head(kb: KB, card: EntityCard, most_names: int | None) -> str:
    types = "".join(f'<span class="type">{_text(each["name"])}</span>' for each in type_records(kb, card.rank - 1))
    names = [_text(name) for name in card.aliases[:most_names]]
    more = f" and {len(card.aliases) - len(names)} more" if len(names) < len(card.aliases) else ""
    return (
        f'<h1>{_text(card.label)}</h1><p class="id">{escape(card.id)}</p>'
        + (f"<p>{types}</p>" if types else "")
        + (f"<p>{_text(card.description)}</p>" if card.description else "")
        + (f'<p class="names">also called {", ".join(names)}{more}</p>' if names else "")
    )


def _source(entity_id: str) -> str:
    """Return a link to the id, if it is a URL."""
    if not entity_id.startswith(("http://", "https://")):
        return ""
    return f'<p><a href="{escape(entity_id)}" rel="noreferrer noopener">{escape(entity_id)}</a></p>'


def _related(kb: KB, related: RelatedEntities, urls: ServiceURLs | None) -> str:
    name = escape(name_of_relation(kb, related.relation)) + (" (reversed)" if related.reverse else "")
    members = [_link(each, urls) for each in related.entities]
    more = f' <span class="more">and {related.count - len(members):,} more</span>' if related.count > len(members) else ""
    return f"<dt>{name}</dt><dd>{', '.join(members)}{more}</dd>"


def _link(member: LabelledEntity, urls: ServiceURLs | None) -> str:
    if urls is None:
        return _text(member.label)
    return f'<a href="{escape(urls.base + urls.by_id("view", quote(member.id, safe="")))}">{_text(member.label)}</a>'


def _text(text: str) -> str:
    """Return text of a KG as escaped HTML with automatic writing direction."""
    return f'<bdi dir="auto">{escape(text)}</bdi>'


def _page(title: str, body: str, style: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{style}</style></head>'
        f"<body>{body}<script>{_SCRIPT}</script></body></html>"
    )


# reasons


def _reasons(reconciler: Reconciler, entity: Entity) -> str:
    """Explain the last query that an entity was a candidate of, else its label; "" if the method cannot explain."""
    if not reconciler.linker.method.calibrated:
        return ""
    recent = reconciler.recent.get(entity.id)
    document, mention = recent or (Document(mentions=(Mention(entity.label),)), 0)
    explainer = reconciler.linker.explainer([document])
    probabilities = {each.id: f" This one has {each.probability:.0%}." for each in explainer.candidates(mention)}
    context = "By its name alone:" if recent is None else "In the last query:"
    sentence = _text(explainer.explain(mention).sentence)
    return f'<p class="why">{context} {sentence}{probabilities.get(entity.id, "")}</p>'
