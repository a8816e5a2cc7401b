"""The tab of test runs in Chromium: a failure, code that no test ran, and a changed result."""

from __future__ import annotations

from collections.abc import Callable

from tests.installed import require_installed
from tests.lab.dashboard.filling_test_runs import HOSTILE
from tests.lab.dashboard.running import Dashboard, Visit

require_installed("gradio", "playwright")

Opener = Callable[..., Visit]


def test_a_failed_run_is_opened_with_the_changed_line_and_hostile_text_stays_text(
    full_dashboard: Dashboard, visit: Opener
) -> None:
    page = visit(full_dashboard).open("?tab=test-runs")
    page.get_by_role("link", name="failed.json").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Changed lines in its traceback: ports.py:4").wait_for()
    assert f"LookupError: {HOSTILE}" in page.inner_text("body")
    assert page.locator("main img").count() == 0
    page.get_by_role("link", name="1 passed").click()
    page.get_by_text("1 passed", exact=True).and_(page.locator("[aria-current]")).wait_for()
    assert page.url.endswith("run=file%2Ffailed.json&outcome=passed")


def test_lines_that_no_test_ran_and_changed_results_are_shown(
    full_dashboard: Dashboard, visit: Opener
) -> None:
    opened = visit(full_dashboard, "dark", 390)
    page = opened.open("?tab=test-runs&run=file/passed.json")
    page.get_by_text("ports.py: 1 changed line that no test ran").wait_for()
    assert "raise ValueError(text)" in opened.panel()
    assert "small edits of the changed lines" in opened.panel()
    opened.open("?tab=test-runs&run=file/behaviour.json")
    page.get_by_text("returned None").wait_for()
    assert f"raised LookupError({HOSTILE!r})" in opened.panel().replace("\n", " ")
