"""The tab of test runs and of behaviour."""

from __future__ import annotations

from wardround_lab.dashboard.events import show_address
from wardround_lab.dashboard.pages.run_address import TAB
from wardround_lab.dashboard.pages.test_runs import show_runs
from wardround_lab.dashboard.stores import Stores


class TestRunsTab:
    """Runs of tests and comparisons of behaviour."""

    __test__ = False
    name = "Test runs"

    def build(self, stores: Stores) -> None:
        show_address(TAB, lambda query: show_runs(stores, query))
