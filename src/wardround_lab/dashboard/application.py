"""The application: the tabs, the address it listens on, and who may open it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr
import msgspec

from wardround.errors import UsageError
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tab import Tab
from wardround_lab.dashboard.tabs.reviews import ReviewsTab

TABS: Sequence[Tab] = (ReviewsTab(),)
PASSWORD_VARIABLE = "WARDROUND_DASHBOARD_PASSWORD"  # noqa: S105  (its name)
USER = "wardround"
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class Address(msgspec.Struct, frozen=True):
    """Where the dashboard listens; port 0 takes a free one."""

    host: str
    port: int


def build(stores: Stores) -> gr.Blocks:
    """Return the page with all tabs."""
    page: gr.Blocks = gr.Blocks(title="wardround", analytics_enabled=False)
    with page, gr.Tabs():
        for tab in TABS:
            with gr.Tab(tab.name, id=tab.name.lower()):
                tab.build(stores)
    return page


def launch(stores: Stores, address: Address, environ: Mapping[str, str] = os.environ) -> None:
    """Serve the dashboard until the process is interrupted.

    Raises:
        UsageError: the address is of another machine and no password is set, or the port is in use.
    """
    password = environ.get(PASSWORD_VARIABLE, "")
    if address.host not in _LOOPBACK and not password:
        raise UsageError(
            f"the dashboard listens on {address.host} only with a password; set {PASSWORD_VARIABLE}"
        )
    options: dict[str, Any] = {"auth": (USER, password)} if password else {}
    try:
        build(stores).launch(
            server_name=address.host, server_port=address.port, share=False, quiet=True, **options
        )
    except OSError as cause:
        raise UsageError(f"the dashboard cannot listen on {address.host}:{address.port}: {cause}") from cause
