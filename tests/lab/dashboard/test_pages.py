"""Every tab in Chromium: light and dark, wide and narrow, over an empty and a full installation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.installed import require_installed
from tests.lab.dashboard.running import SCHEMES, WIDTHS, Dashboard, Visit

require_installed("gradio", "playwright")

Opener = Callable[..., Visit]


def _tabs() -> list[str]:
    from wardround_lab.dashboard.application import TABS, address_of

    return [address_of(tab) for tab in TABS]


@pytest.mark.parametrize("kind", ["empty", "full"])
def test_no_tab_has_a_fault_in_any_colours_and_width(
    kind: str, visit: Opener, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    dashboard: Dashboard = request.getfixturevalue(f"{kind}_dashboard")
    opened = visit(dashboard)
    for index, tab in enumerate(_tabs()):
        _ = opened.select(tab) if index else opened.open(f"?tab={tab}")
        assert opened.panel().strip(), f"{tab} is empty"
        if kind == "empty":
            assert "wardround " in opened.panel(), f"{tab} does not name what to run"
        for scheme, width in product(SCHEMES, WIDTHS):
            opened.show_in(scheme, width)
            opened.picture(tmp_path / f"{kind}-{tab}-{scheme}-{width}.png")
            assert opened.faults() == [], (tab, scheme, width)
    assert not dashboard.connections.exists(), dashboard.connections.read_text()  # of the server


def test_the_colours_are_those_that_the_reader_prefers_or_the_address_names(
    empty_dashboard: Dashboard, visit: Opener
) -> None:
    cases = [("dark", "", True), ("light", "", False), ("light", "?__theme=dark", True)]
    for scheme, query, is_dark in cases:
        page = visit(empty_dashboard, scheme).open(query)
        assert page.evaluate("document.body.classList.contains('dark')") is is_dark, (scheme, query)
