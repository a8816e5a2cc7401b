"""One Chromium and two dashboards for all tests: over an empty installation, and over one that has been used.

The records, examples or runs of a tab in the second one are written by its ``filling_<tab>.py``, listed in
``FILLINGS``. ``test_pages`` then visits the tab; tests of its own open pages with ``visit``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chromium import browser
from tests.lab.dashboard import (
    filling_data,
    filling_experiments,
    filling_reviews,
    filling_test_runs,
    filling_training,
)
from tests.lab.dashboard.running import Dashboard, Visit, new_folder, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]

FILLINGS: Sequence[Callable[[Path], None]] = (
    filling_reviews.fill,
    filling_data.fill,
    filling_training.fill,
    filling_experiments.fill,
    filling_test_runs.fill,
)
"""Each gets the root of the repository; the state of the user is below ``running.environment(root)``."""


@pytest.fixture(scope="session")
def empty_dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard where no command has stored anything yet."""
    with running(new_folder(tmp_path_factory.mktemp("empty"))) as dashboard:
        yield dashboard


@pytest.fixture(scope="session")
def full_dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard with records, examples and runs; tests that change them start one of their own."""
    folder = new_folder(tmp_path_factory.mktemp("full"))
    for fill in FILLINGS:
        fill(folder)
    with running(folder) as dashboard:
        yield dashboard


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open pages: ``visit(dashboard, scheme, width)``; at the end none of them may have a fault."""
    visits: list[Visit] = []

    def start(dashboard: Dashboard, scheme: str = "light", width: int = 1400) -> Visit:
        visits.append(Visit(browser, dashboard, scheme, width))
        return visits[-1]

    yield start
    faults = [fault for opened in visits for fault in opened.faults()]
    for opened in visits:
        opened.close()
    assert faults == []
