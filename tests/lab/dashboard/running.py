"""Dashboards in processes of their own, and pages of them in Chromium."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tests.conftest import GitRepository

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Request

STOP_S = 30
WIDTHS = (1400, 390)
SCHEMES = ("light", "dark")
_HEIGHT = 900
_TIMEOUT_MS = 60_000
_STEP_MS = 50
_QUIET_STEPS = 4
_STREAMS = ("/gradio_api/heartbeat/", "/gradio_api/queue/data")
_START = """\
import os, sys
from pathlib import Path
from wardround.__main__ import main

def refuse_other_hosts(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        if arguments[1][0] not in ("127.0.0.1", "::1"):
            with open(os.environ["CONNECTIONS"], "a") as connections:
                connections.write(f"{arguments[1]}\\n")

sys.addaudithook(refuse_other_hosts)
sys.argv[0] = "wardround"
main()
"""


_BEYOND_WINDOW = """() => {
    const style = (e) => getComputedStyle(e);
    const scrolls = (e) => e && (/auto|scroll/.test(style(e).overflowX) || scrolls(e.parentElement));
    const isClipped = (e) => e && (style(e).clipPath !== "none" || isClipped(e.parentElement));
    const isBeyond = (e) => e.getBoundingClientRect().right > innerWidth + 1;
    const isLost = (e) => isBeyond(e) && !isClipped(e) && !scrolls(e.parentElement);
    const lost = [...document.querySelectorAll("main *")].filter(isLost).slice(0, 3);
    return lost.map((e) => `${e.tagName} ${e.className} ${e.textContent.trim().slice(0, 40)}`);
}"""


class Dashboard(msgspec.Struct, frozen=True):
    """A running dashboard.

    Attributes:
        url: of its first page.
        folder: the repository that it shows; its state is in ``state`` next to it.
        connections: a file with each connection of the server to another host.
    """

    url: str
    folder: Path
    connections: Path


def new_folder(parent: Path) -> Path:
    """Return the root of a new repository in an empty installation."""
    folder = parent / "shop"
    folder.mkdir(parents=True)
    GitRepository(folder).git("init", "--quiet")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of an installation whose state is next to a repository."""
    places = {
        name: str(folder.parent / name.lower()) for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")
    }
    for place in places.values():
        Path(place).mkdir(exist_ok=True)
    return {**os.environ, **places}


@contextmanager
def running(folder: Path, *options: str, env: Mapping[str, str] | None = None) -> Iterator[Dashboard]:
    """Run ``wardround dashboard`` over a repository, on a free port, until the end of the block."""
    connections = folder.parent / "connections.txt"
    process = subprocess.Popen(
        [sys.executable, "-c", _START, "dashboard", "--port", "0", *options],
        cwd=folder,
        env={**environment(folder), "CONNECTIONS": str(connections), **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("wardround dashboard: http://"), line + process.communicate()[1]
        yield Dashboard(line.split()[-1], folder, connections)
    finally:
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=STOP_S)[1]
    assert (process.returncode, errors) == (130, "")


class Visit:
    """A page in a browser of its own, with what went wrong in it.

    Attributes:
        errors: messages of the console that are errors, and responses with an error status.
        foreign: the requests to another host.
    """

    def __init__(
        self, browser: Browser, dashboard: Dashboard, scheme: str = "light", width: int = 1400
    ) -> None:
        self._dashboard = dashboard
        self.width = width
        self.context: BrowserContext = browser.new_context(
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": width, "height": _HEIGHT},
            reduced_motion="reduce",
        )
        self.context.set_default_timeout(_TIMEOUT_MS)
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", lambda message: self._note(message.type == "error", message.text))
        self.page.on("pageerror", lambda error: self._note(True, str(error)))
        self.page.on("response", lambda reply: self._note(reply.status >= 400, f"{reply.status} {reply.url}"))
        self._open_requests: list[str] = []
        self.page.on("request", self._start)
        self.page.on("requestfinished", self._end)
        self.page.on("requestfailed", self._end)

    def open(self, query: str = "") -> Page:
        """Open an address and wait until its data are there."""
        self.page.goto(self._dashboard.url + query)
        self.page.wait_for_selector("[role=tab][aria-selected=true]", state="attached")
        return self.settled()

    def select(self, tab: str) -> Page:
        """Open a tab by a click."""
        self.page.locator(f"#tabs [data-tab-id={tab}]").click()
        return self.settled()

    def show_in(self, scheme: str, width: int) -> None:
        """Show the open page in other colours and another width, without loading it again."""
        self.width = width
        self.page.set_viewport_size({"width": width, "height": _HEIGHT})
        self.page.evaluate("(is_dark) => document.body.classList.toggle('dark', is_dark)", scheme == "dark")

    def picture(self, file: Path) -> None:
        """Write a picture of the window, for people who look at the pages."""
        self.page.screenshot(path=file, animations="disabled")

    def settled(self) -> Page:
        """Wait until the events of the page have been answered; its streams stay open."""
        end = time.monotonic() + _TIMEOUT_MS / 1000
        quiet = 0
        while quiet < _QUIET_STEPS:
            assert time.monotonic() < end, f"these requests are not answered: {self._open_requests}"
            self.page.wait_for_timeout(_STEP_MS)
            quiet = 0 if self._open_requests else quiet + 1
        return self.page

    def panel(self) -> str:
        """Return the text of the open tab."""
        return self.page.locator("[role=tabpanel]:visible").first.inner_text()

    def faults(self) -> list[str]:
        """Return what must never be: errors, requests to other hosts, and content beyond the window."""
        beyond = self.page.evaluate(_BEYOND_WINDOW)
        return self.errors + self.foreign + [f"{name} is beyond {self.width} pixels" for name in beyond]

    def close(self) -> None:
        self.context.close()

    def _note(self, is_error: bool, text: str) -> None:
        if is_error:
            self.errors.append(text)

    def _start(self, request: Request) -> None:
        self._note_host(request.url)
        if not any(stream in request.url for stream in _STREAMS):
            self._open_requests.append(request.url)

    def _end(self, request: Request) -> None:
        if request.url in self._open_requests:
            self._open_requests.remove(request.url)

    def _note_host(self, url: str) -> None:
        if not url.startswith((self._dashboard.url, "data:", "blob:")):
            self.foreign.append(url)
