"""A tab of the dashboard."""

from __future__ import annotations

from typing import Protocol

from wardround_lab.dashboard.stores import Stores


class Tab(Protocol):
    """A tab: what it reads is computed by pure views; here are only its components and events."""

    @property
    def name(self) -> str:
        """The title of the tab, and in lower case its part of the address."""

    def build(self, stores: Stores) -> None:
        """Add the components and events inside of an open ``gradio.Tab``.

        Nothing is read while the page is built: the first data come with the event ``load`` of the page or
        ``select`` of the tab, so that a page shows what the stores have when it is opened.
        """
