"""Evidence that a KB stores beside its ranker: attributes, profiles and hubs of entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.embeddings.word_vectors import WordContext
from eigenthemes.kb.attributes import EntityAttributes
from eigenthemes.kb.graph import Hubs, hubs_of
from eigenthemes.kb.profiles import EntityProfiles, collect_profiles
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.ranking.features.feature_context import WALKED_IN_TRAINING, FeatureContext
from eigenthemes.selftrain.cell_training import count_attributes
from eigenthemes.selftrain.sampling import Sampler


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence arrays that features of a new ranker are computed from."""

    attributes: EntityAttributes
    profiles: EntityProfiles
    hubs: Hubs

    @classmethod
    def of(cls, kb: KB) -> Evidence:
        """Return what a KB keeps, and collect what it does not keep yet; once for each KB that is open."""
        return kb.cached(cls._collect)

    @classmethod
    def _collect(cls, kb: KB) -> Evidence:
        return cls(
            EntityAttributes.of(kb) or count_attributes(kb),
            EntityProfiles.of(kb) or collect_profiles(kb, kb.spelled_names),
            Hubs.of(kb) or hubs_of(kb, Sampler(kb, np.random.default_rng(0)).walk.popularity),
        )

    def files(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a KB keeps, by name."""
        return {**self.attributes.files(), **self.profiles.files(), **self.hubs.files()}

    def context(
        self,
        kb: KB,
        vectors: Vectors | None,
        words: WordContext | None,
        *,
        remembers: bool = True,
        leaves_out_own: bool = False,
    ) -> FeatureContext:
        """Return the feature context of a KB with all this."""
        evidence = self.attributes, self.profiles, self.hubs
        return FeatureContext(
            kb, vectors, words, *evidence, remembers=remembers, leaves_out_own=leaves_out_own, walked=WALKED_IN_TRAINING
        )
