"""The tab of experiments."""

from __future__ import annotations

from wardround_lab.dashboard.events import show_address
from wardround_lab.dashboard.pages.experiment_address import TAB
from wardround_lab.dashboard.pages.experiments import show_experiments
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.blind_judging import build_judging


class ExperimentsTab:
    """Runs of experiments, and the judgement of their patches."""

    name = "Experiments"

    def build(self, stores: Stores) -> None:
        show_address(TAB, lambda query: show_experiments(stores, query))
        build_judging(stores)
