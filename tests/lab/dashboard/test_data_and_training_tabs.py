"""The tabs of data and of training in Chromium: everything that a page can change, and by keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.installed import require_installed
from tests.lab.dashboard import curated, filling_data, filling_training
from tests.lab.dashboard.filling_reviews import HOSTILE
from tests.lab.dashboard.running import Dashboard, Visit, new_folder, running

require_installed("gradio", "playwright", "torch", "sklearn", "skl2onnx")

from tests.lab.training.test_boosting_pipeline import RECIPE, UNTIL, rows  # noqa: E402

Opener = Callable[..., Visit]
TRAINING_MS = 120_000


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard whose examples and trainings the tests change."""
    folder = new_folder(tmp_path_factory.mktemp("workshop"))
    filling_data.fill(folder)
    filling_training.fill(folder)
    (folder / "models/recipe.yml").write_text(RECIPE)
    (folder / "models/training.rows").write_bytes(rows(["acme/one", "acme/two"], UNTIL - 5, 1))
    with running(folder) as dashboard:
        yield dashboard


def test_an_example_is_found_opened_edited_and_added_by_keyboard(workshop: Dashboard, visit: Opener) -> None:
    file = workshop.folder / "data/reviewed.jsonl"
    before = file.read_bytes().splitlines()
    page = visit(workshop).open("?tab=data")
    page.get_by_role("link", name="reviewed.jsonl", exact=True).press("Enter")
    page.get_by_label("Text in any field").fill("CURSOR_13")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Examples 1 to 1 of 1 of 60 examples").wait_for()
    page.get_by_role("link", name="14", exact=True).press("Enter")
    page.get_by_role("heading", name="output").wait_for()
    assert page.url.endswith("?tab=data&file=reviewed.jsonl&line=14")

    page.get_by_role("button", name="Edit or add an example").press("Enter")
    record = page.get_by_label("Record, as JSON")
    record.fill(record.input_value().replace("It gives", "It hands"))
    page.get_by_role("button", name="Save the opened example").press("Enter")
    page.get_by_text("reviewed.jsonl: line 14 was written").wait_for()
    page.locator("pre", has_text="It hands").wait_for()
    after = file.read_bytes().splitlines()
    assert [*after[:13], *after[14:]] == [*before[:13], *before[14:]]
    assert json.loads(after[13])["output"].startswith("It hands")

    file.write_bytes(b"\n".join([*after[:13], after[13].replace(b"hands", b"sends"), *after[14:]]) + b"\n")
    page.get_by_role("button", name="Save the opened example").press("Enter")
    page.get_by_text("line 14 changed since it was opened; open it again").wait_for()
    record.fill('{"instruction": "x"}')
    page.get_by_role("button", name="Add as a new example").press("Enter")
    page.get_by_text("not a record: Object missing required field `output`").wait_for()
    page.get_by_role("button", name="Start from a template").press("Enter")
    page.wait_for_function("document.querySelector('.wr-mono textarea').value.includes('repository')")
    page.get_by_role("button", name="Add as a new example").press("Enter")
    page.get_by_text("the example was added as line 61").wait_for()
    assert len(file.read_bytes().splitlines()) == 61

    page.get_by_role("link", name="All files").press("Enter")
    page.get_by_role("link", name="mined/every-kind.jsonl").press("Enter")
    page.get_by_role("link", name="8", exact=True).press("Enter")
    page.locator("pre", has_text=HOSTILE).wait_for()
    assert page.title() == "wardround"


def test_examples_are_audited_and_split_with_a_check_for_leaks(workshop: Dashboard, visit: Opener) -> None:
    page = visit(workshop).open("?tab=data&file=unreviewed.jsonl")
    page.get_by_role("button", name=re.compile("^Audit: secrets")).click()
    page.get_by_label("Held-out repositories").fill("acme/parser")
    page.get_by_role("button", name="Audit", exact=True).click()
    page.get_by_text("unreviewed.jsonl, audited now").wait_for()
    page.get_by_text("wardround data audit data/unreviewed.jsonl --hold-out acme/parser").wait_for()
    assert curated.SECRET not in page.content()

    page.get_by_role("link", name="All files").click()
    page.get_by_role("link", name="reviewed.jsonl", exact=True).click()
    page.get_by_role("heading", name="reviewed.jsonl", exact=True).wait_for()
    page.get_by_role("button", name="Split into training and evaluation").click()
    page.get_by_label("New folder").fill("parts")
    page.get_by_label("Share to evaluate with").fill("0.2")
    page.get_by_role("button", name="Split and check for leaks").click()
    page.get_by_text(re.compile(r"\d+ examples to train on, \d+ of 1 other repositories")).wait_for()
    page.get_by_text("wardround data build-sft data/reviewed.jsonl --out data/parts").wait_for()
    assert (workshop.folder / "data/parts/train.jsonl.audit.json").is_file()


def test_a_training_is_started_followed_and_its_model_asked_about(workshop: Dashboard, visit: Opener) -> None:
    page = visit(workshop).open("?tab=training")
    page.get_by_role("button", name="Start a training").press("Enter")
    page.get_by_label("Name of the run").fill("failed")
    shown = "document.querySelector('.wr-mono textarea[disabled]').value.endsWith('runs/failed')"
    page.wait_for_function(shown)  # the name has reached the form
    page.get_by_role("button", name="Start the training").press("Enter")
    page.get_by_text("failed: this run exists; resume it, or choose another name").wait_for()
    page.get_by_label("Name of the run").fill("numbers")
    page.wait_for_function(
        "document.querySelector('.wr-mono textarea[disabled]').value.endsWith('runs/numbers')"
    )
    command = page.locator(".wr-mono textarea[disabled]").input_value()
    assert command == "wardround adapters train models/recipe.yml --out runs/numbers"
    page.get_by_role("button", name="Start the training").press("Enter")
    page.get_by_text("numbers is running; it goes on without this page").wait_for()
    row = page.locator("tr", has=page.get_by_role("link", name="numbers"))
    row.locator("[data-tag=ended]").wait_for(timeout=TRAINING_MS)  # by the clock of the page, without a click
    row.get_by_role("link").first.click()  # the clock may replace a focused row before a key
    page.get_by_text("numbers: 30 steps in").wait_for()
    assert page.get_by_role("button", name="Cancel the training").is_disabled()

    page.get_by_role("link", name="All trainings and models").click()
    page.locator("a[href='?tab=training&model=numbers']").click()
    page.get_by_text("It was not evaluated; run `wardround adapters evaluate`.").first.wait_for()
    page.get_by_role("button", name="Ask the gates").press("Enter")
    page.get_by_text("numbers may not become rank: it would be shadow").wait_for()
    page.get_by_text("wardround adapters promote runs/numbers/model --to rank").wait_for()
    page.get_by_role("button", name="Record the refusal").press("Enter")
    page.get_by_text("numbers is now shadow").wait_for()
    metadata = json.loads((workshop.folder / "runs/numbers/model/adapter.metadata.json").read_bytes())
    assert metadata["reasons"][0].startswith("It was not evaluated")


def test_a_run_shows_its_curves_and_why_it_ended(workshop: Dashboard, visit: Opener) -> None:
    page = visit(workshop, "dark", 390).open("?tab=training&run=cancelled")
    page.get_by_role("img", name="Training loss: training loss").wait_for()
    page.get_by_role("img", name="Validation metric: validation metric").wait_for()
    page.get_by_text("cancelled at 2030-01-02 09:03 UTC").wait_for()
    assert page.get_by_role("button", name="Resume the training").is_enabled()
    page.get_by_role("link", name="All trainings and models").click()
    page.get_by_role("link", name="failed", exact=True).click()
    page.get_by_text(HOSTILE).first.wait_for()
    failed: Path = workshop.folder / "runs/failed/training.log"
    with failed.open("a") as log:
        log.write("and the last one\n")
    page.locator("pre", has_text="and the last one").wait_for()
