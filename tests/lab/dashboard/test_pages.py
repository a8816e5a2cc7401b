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
@pytest.mark.parametrize(("scheme", "width"), list(product(SCHEMES, WIDTHS)))
def test_no_tab_has_a_fault(
    kind: str, scheme: str, width: int, visit: Opener, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    dashboard: Dashboard = request.getfixturevalue(f"{kind}_dashboard")
    opened = visit(dashboard, scheme, width)
    for index, tab in enumerate(_tabs()):
        page = opened.select(tab) if index else opened.open(f"?tab={tab}")
        page.screenshot(path=tmp_path / f"{kind}-{tab}-{scheme}-{width}.png", full_page=True)
        assert opened.faults() == [], tab
        assert opened.panel().strip(), f"{tab} is empty"
        if kind == "empty":
            assert "wardround " in opened.panel(), f"{tab} does not name what to run"
    assert not dashboard.connections.exists(), dashboard.connections.read_text()  # of the server
