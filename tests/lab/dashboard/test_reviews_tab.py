"""The tabs of reviews and rules in Chromium: addresses, filters, pages, keys, and hostile text."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.installed import require_installed
from tests.lab.dashboard.filling_reviews import HOSTILE, REVIEWS
from tests.lab.dashboard.running import Dashboard, Visit

require_installed("gradio", "playwright")

Opener = Callable[..., Visit]


def test_filters_pages_and_the_back_button_change_the_list_and_the_address(
    full_dashboard: Dashboard, visit: Opener
) -> None:
    page = visit(full_dashboard).open("?tab=reviews")
    page.get_by_role("heading", name=f"{REVIEWS} reviews").wait_for()
    page.get_by_role("link", name="Older").click()
    page.get_by_text("Page 2 of 2").wait_for()
    assert page.url.endswith("?tab=reviews&part=2")
    page.get_by_label("Repository").select_option("shop")
    page.get_by_role("heading", name="22 reviews").wait_for()
    assert page.url.endswith("?tab=reviews&repository=shop")
    page.go_back()
    page.get_by_text("Page 2 of 2").wait_for()
    page.reload()
    page.get_by_text("Page 2 of 2").wait_for()


def test_a_record_is_opened_and_downloaded_as_it_is_stored(full_dashboard: Dashboard, visit: Opener) -> None:
    page = visit(full_dashboard).open("?tab=reviews")
    page.locator("td.wr-is-code a").nth(1).click()
    page.get_by_role("heading", name="Why this verdict").wait_for()
    assert "default#tiers." in page.inner_text("body")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the record").click()
    assert re.fullmatch(r"[0-9a-f]{64}\.intoto\.jsonl", download.value.suggested_filename)
    assert len(download.value.path().read_bytes().splitlines()) == 4


def test_text_of_a_change_is_shown_as_text_and_neither_loaded_nor_run(
    full_dashboard: Dashboard, visit: Opener
) -> None:
    opened = visit(full_dashboard)
    page = opened.open("?tab=reviews")
    page.locator("td.wr-is-code a").first.click()
    page.get_by_role("heading", name=HOSTILE).wait_for()
    assert page.locator("main img, main script").count() == 0
    page.get_by_role("link", name=f"ruff/{HOSTILE}").click()
    page.get_by_role("heading", name=f"ruff/{HOSTILE}").wait_for()
    assert page.title() == "wardround"
    opened.open("?tab=rules&rule=ruff/B006")
    page.get_by_text(HOSTILE).wait_for()


def test_the_policy_of_the_page_runs_no_script_that_a_value_brings(
    full_dashboard: Dashboard, visit: Opener
) -> None:
    opened = visit(full_dashboard)
    page = opened.open()
    page.evaluate(
        """() => {
            const part = document.createElement("div");
            part.innerHTML = '<img src="data:," onerror="document.title=1"><a href="javascript:0">x</a>';
            document.body.append(part);
            const script = document.createElement("script");
            script.textContent = "document.title = 2";
            document.body.append(script);
        }"""
    )
    page.wait_for_timeout(100)
    assert page.title() == "wardround"
    assert [error for error in opened.errors if "Content Security Policy" in error]
    opened.errors.clear()


def test_tabs_are_reached_and_changed_by_keyboard_with_a_visible_focus(
    full_dashboard: Dashboard, visit: Opener
) -> None:
    page = visit(full_dashboard).open()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Reviews"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="Rules, the noisiest first").wait_for()
    assert page.url.endswith("?tab=rules")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") in ("A", "BUTTON")


def test_a_rule_shows_its_reactions_and_its_documentation(full_dashboard: Dashboard, visit: Opener) -> None:
    page = visit(full_dashboard).open("?tab=rules")
    page.get_by_role("link", name="ruff/S608").click()
    page.get_by_role("heading", name="Reasons of its readings").wait_for()
    assert "misread" in page.inner_text("main")
    assert "to suppress it once" in page.inner_text("main")


def test_an_address_that_names_nothing_is_one_sentence(full_dashboard: Dashboard, visit: Opener) -> None:
    opened = visit(full_dashboard)
    for query, sentence in {
        "?tab=reviews&record=ffffff": "no record begins with 'ffffff'",
        "?tab=reviews&since=soon": "since 'soon' is not a day",
        "?tab=rules&rule=ruff/NONE": "unknown rule 'ruff/NONE'",
    }.items():
        page = opened.open(query)
        page.get_by_text(sentence).first.wait_for()
