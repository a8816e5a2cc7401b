"""The HTML report in a browser: readable without scripts, filtered by keyboard, silent on the network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wardround.findings import Severity, Unreviewed
from wardround.reports import html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.reports.conftest import Factory
    from wardround.review_result import ReviewResult

Open = Callable[..., "Page"]

HOSTILE = "</script><script>document.title = 'taken'</script><img src=https://x.example onerror=alert(1)>"


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens the report of a review; a request or an error of the page fails the test."""
    faults: list[str] = []
    pages: list[Page] = []

    def open_report(review: ReviewResult, **settings: bool) -> Page:
        file = tmp_path / "report.html"
        file.write_text(html.render(review), "utf-8")
        page = browser.new_page(**settings)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        page.on(
            "request", lambda request: faults.append(request.url) if request.url != file.as_uri() else None
        )
        page.goto(file.as_uri())
        pages.append(page)
        return page

    yield open_report
    for page in pages:
        page.close()
    assert faults == []


def shown(page: Page) -> list[str]:
    return [card.inner_text() for card in page.locator(".finding:visible").all()]


def test_the_filters_are_used_by_keyboard_and_the_count_follows(make: Factory, opened: Open) -> None:
    page = opened(make.review(*make.many(30)))
    assert len(shown(page)) == 30
    page.locator("#filter-severity").focus()
    page.keyboard.press("ArrowDown")
    assert len(shown(page)) == 10
    assert page.get_by_role("status").inner_text() == "10 of 30 findings"
    for _ in ("plane", "status", "file"):
        page.keyboard.press("Tab")
    page.keyboard.type("m07")
    assert page.get_by_role("status").inner_text() == "1 of 30 findings"
    page.emulate_media(media="print")
    assert len(shown(page)) == 30


def test_everything_is_readable_without_scripts(make: Factory, opened: Open) -> None:
    found = make.finding(suggested_fix=make.fix(place=(1, 10, 1, 12)))
    gap = Unreviewed("q.sql", "sql", "squawk", "timed out after 10 s")
    review = make.review(found, texts={"src/a.py": "def f(xs=[]): ...\n"}, unreviewed=[gap])
    page = opened(review, java_script_enabled=False)
    text = page.inner_text("body")
    for part in (
        "inconclusive",
        "Do not use mutable data",
        "def f(xs=[]): ...",
        "+def f(xs=None): ...",
        "q.sql",
    ):
        assert part in text
    assert not page.locator("#filters").is_visible()


def test_hostile_text_stays_text(make: Factory, opened: Open) -> None:
    found = make.finding(message=HOSTILE, rationale=HOSTILE, file=f"a/{HOSTILE}.py", rule="x/<b>")
    page = opened(make.review(found, texts={f"a/{HOSTILE}.py": HOSTILE + "\u202e\x1b[31m"}))
    assert page.title() == "wardround: pass"
    assert page.locator(".message").inner_text() == HOSTILE
    assert page.locator("img").count() == 0


def test_the_headings_form_an_outline_and_tables_have_heads(make: Factory, opened: Open) -> None:
    page = opened(make.review(make.finding(severity=Severity.ERROR)))
    assert [page.locator(f"h{level}").count() for level in (1, 2, 3)] == [1, 3, 1]
    assert page.locator("table:not(:has(th[scope=col]))").count() == 0


def test_a_secret_is_not_shown(make: Factory) -> None:
    review = make.review(make.finding(masked=True), texts={"src/a.py": "key = 'hunter2'\n"})
    assert "hunter2" not in html.render(review)


def test_the_policy_of_the_page_forbids_requests_and_foreign_scripts(make: Factory) -> None:
    page = html.render(make.review())
    assert re.search(r"default-src &#x27;none&#x27;; style-src &#x27;sha256-[\w+/=]+&#x27;; script-src", page)


def test_thousands_of_findings_are_one_page(make: Factory, opened: Open) -> None:
    page = opened(make.review(*make.many(6_000)))
    page.locator("#filter-severity").select_option("error")
    assert page.get_by_role("status").inner_text() == "2000 of 6000 findings"
    assert page.locator(".file[open]").count() == 1
    page.locator("#filter-file").fill("m07")
    assert page.locator(".file[open]:visible").count() == 1


def test_the_verdict_is_not_repeated_among_the_notes(make: Factory) -> None:
    review = replace(make.review(make.finding()), notes=("a limit was reached",))
    page = html.render(review)
    assert "<li>a limit was reached</li>" in page
    assert "verdict: " not in page
