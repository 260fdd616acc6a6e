"""Every kind of trial, by name; the command line takes names or how they begin."""

from __future__ import annotations

from campaign import damage, documents, full_disk, kills, options, sources, tables, together, vectors
from campaign.trial import Trial

KINDS: dict[str, Trial] = {
    **sources.TRIALS,
    **documents.TRIALS,
    **tables.TRIALS,
    **vectors.TRIALS,
    **options.TRIALS,
    **damage.TRIALS,
    **kills.TRIALS,
    **full_disk.TRIALS,
    **together.TRIALS,
}
