"""The world of the campaign, made once for all workers."""

from __future__ import annotations

import pytest
from helpers.shared_builds import build_once

from campaign.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Share one world between all trials; they only create scratch folders in it."""
    return World(build_once(tmp_path_factory, "campaign", World.make))
