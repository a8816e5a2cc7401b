"""The tab of experiments in Chromium: runs, instances, and patches judged by keys."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing

from tests.installed import require_installed
from tests.lab.dashboard.filling_experiments import HOSTILE
from tests.lab.dashboard.running import Dashboard, Visit, environment
from wardround_lab.experiments.storage.model import SequenceQuery
from wardround_lab.experiments.storage.opening import open_storage

require_installed("gradio", "playwright")

Opener = Callable[..., Visit]


def test_runs_are_put_side_by_side_compared_and_read(full_dashboard: Dashboard, visit: Opener) -> None:
    opened = visit(full_dashboard)
    page = opened.open("?tab=experiments")
    page.get_by_role("link", name="sized-1").click()
    page.get_by_role("heading", name="Results").wait_for()
    page.get_by_label("Side by side with").select_option(label="sized-2")
    page.get_by_role("link", name="leave out").first.wait_for()
    page.get_by_role("link", name="Comparison").click()
    page.get_by_text("A less B as a share of the larger mean").wait_for()
    assert page.locator("select[name=second]").input_value() == "run sized-2, size 3"
    page.get_by_role("link", name="Instances").click()
    page.locator("td.wr-is-code a").nth(1).click()
    page.get_by_text(HOSTILE.replace("\x1b", "\\x1b")).wait_for()
    assert page.locator("main img, main b").count() == 0
    page.go_back()
    page.get_by_role("heading", name="Instances").wait_for()


def test_two_patches_are_judged_by_keys_and_revealed_after_the_choice(
    full_dashboard: Dashboard, visit: Opener
) -> None:
    opened = visit(full_dashboard, "dark", 390)
    page = opened.open("?tab=experiments")
    page.get_by_role("button", name="Judge two patches").click()
    page.get_by_label("Run", exact=True).click()
    page.get_by_role("option", name="sized-1").click()
    page.get_by_label("Your name").fill("ada")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("heading", name="Left").wait_for()
    assert "size 1" not in opened.panel()
    page.locator("body").press("0")
    page.get_by_text("Neither is acceptable", exact=True).wait_for()
    assert "size 1" in opened.panel()
    assert "size 2" in opened.panel()
    page.keyboard.press("n")
    page.get_by_text("instance 2 of 5").wait_for()
    page.keyboard.press("s")
    page.get_by_text("instance 3 of 5").wait_for()
    page.keyboard.press("1")
    page.get_by_text("Left is better", exact=True).wait_for()

    state = environment(full_dashboard.folder)["XDG_STATE_HOME"]
    with closing(open_storage(os.path.join(state, "wardround", "lab.sqlite"), {})) as storage:
        judged = list(storage.find(SequenceQuery(configuration={"judge": "ada"})))
    assert sorted(summary.header.instance[-1] for summary in judged) == ["0", "2"]


def test_a_judge_without_a_name_is_named_in_one_sentence(full_dashboard: Dashboard, visit: Opener) -> None:
    page = visit(full_dashboard).open("?tab=experiments")
    page.get_by_role("button", name="Judge two patches").click()
    page.get_by_role("button", name="Begin").click()
    page.get_by_text("the judge needs a name of printable characters; give one").wait_for()
