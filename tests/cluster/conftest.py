"""Clusters take minutes: only whoever asks for them starts them."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "cluster" not in config.option.markexpr:
        for item in items:
            if item.get_closest_marker("cluster") is not None:
                item.add_marker(pytest.mark.skip(reason="a Ray cluster of several nodes is tested by make test-cluster"))
