"""The application: the tabs on one page, each with an address of its own, and the files of the page."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

import gradio as gr
from fastapi import FastAPI
from starlette.responses import Response
from starlette.types import ASGIApp

from wardround import __version__
from wardround_lab.dashboard import downloads, look, markup
from wardround_lab.dashboard.events import DIRECT, run_timers_of_open_tab
from wardround_lab.dashboard.guard import Guard
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tab import Tab
from wardround_lab.dashboard.tabs.data import DataTab
from wardround_lab.dashboard.tabs.experiments import ExperimentsTab
from wardround_lab.dashboard.tabs.reviews import ReviewsTab
from wardround_lab.dashboard.tabs.rules import RulesTab
from wardround_lab.dashboard.tabs.test_runs import TestRunsTab
from wardround_lab.dashboard.tabs.training import TrainingTab

TABS: Sequence[Tab] = (
    ReviewsTab(),
    RulesTab(),
    DataTab(),
    TrainingTab(),
    ExperimentsTab(),
    TestRunsTab(),
)
_CONCURRENT = 8
_STATIC = {"dashboard.css": "text/css", "dashboard.js": "text/javascript", "icon.svg": "image/svg+xml"}


def address_of(tab: Tab) -> str:
    """Return the part of the address that names a tab, such as ``test-runs``."""
    return tab.name.lower().replace(" ", "-")


def build(stores: Stores) -> gr.Blocks:
    """Return the page with all tabs."""
    page: gr.Blocks = gr.Blocks(title="wardround", analytics_enabled=False, fill_width=True)
    with page:
        header = look.html_output()
        header.value = markup.render("header.html", version=__version__, repository=str(stores.repository))
        with gr.Tabs(elem_id="tabs") as tabs:
            for tab in TABS:
                with gr.Tab(tab.name, id=address_of(tab), elem_id=address_of(tab)):
                    tab.build(stores)
        run_timers_of_open_tab(tabs)
        page.load(_addressed_tab, outputs=tabs, **DIRECT)
    page.queue(default_concurrency_limit=_CONCURRENT, api_open=False)
    return page


def create_application(stores: Stores, password: str) -> ASGIApp:
    """Return the dashboard as an ASGI application behind its guard."""
    application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    for name, media_type in _STATIC.items():
        _serve_static(application, name, media_type)
    downloads.serve(application, stores)
    gr.mount_gradio_app(
        application, build(stores), "/", theme=look.theme(), footer_links=[],
        show_error=True, enable_monitoring=False, mcp_server=False, pwa=False, ssr_mode=False,
    )  # fmt: skip
    return Guard(application, password)


def _addressed_tab(request: gr.Request) -> object:
    """Select the tab that the address of the page names."""
    named = request.query_params.get("tab", "")
    return gr.Tabs(selected=named) if named in map(address_of, TABS) else gr.skip()


def _serve_static(application: FastAPI, name: str, media_type: str) -> None:
    body = (files("wardround_lab.dashboard") / "static" / name).read_bytes()

    async def static_file() -> Response:
        return Response(body, media_type=media_type)

    application.get(f"/wardround/{name}")(static_file)
