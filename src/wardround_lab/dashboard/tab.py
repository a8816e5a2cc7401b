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

        Nothing is read while the page is built: ``events.on_open`` reads when the tab is opened. Other events
        get ``**events.DIRECT`` and an action in ``events.readable_errors``. Text of changes, findings and
        files is shown through ``look.html_output`` and ``markup``, which escape it; never as Markdown, whose
        images and links would be followed. Gradio serves no file: a picture is part of the markup.
        """
