"""The pages of data and of training as HTML: values are escaped, addresses of nothing are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.dashboard import filling_data, filling_training
from tests.lab.dashboard.filling_reviews import HOSTILE
from wardround.errors import UsageError
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.data_pages import data_page
from wardround_lab.dashboard.tabs.training_pages import lists, log_page, model_page, run_page, runs_page
from wardround_lab.dashboard.views.recipes import recipe_rows


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    folder = tmp_path_factory.mktemp("pages")
    filling_data.fill(folder)
    filling_training.fill(folder)
    return stores_of(folder)


def stores_of(folder: Path) -> Stores:
    return Stores(
        repository=folder, records=folder / "records.sqlite", judgements=folder / "judgements",
        data=folder / "data", training=folder / "runs", experiments=None, runs=folder / "artifacts",
    )  # fmt: skip


def test_an_empty_installation_shows_the_commands_to_run(tmp_path: Path) -> None:
    stores = stores_of(tmp_path)
    assert "wardround data mine . --kind bug-fix --out data" in data_page(stores.data, {})
    assert "wardround adapters train RECIPE --out runs/NAME" in runs_page(stores)
    assert "shipped: new_parameters" in lists(stores, recipe_rows(stores))


def test_examples_of_every_kind_are_shown_as_text(stores: Stores) -> None:
    name = "mined/every-kind.jsonl"
    pages = [data_page(stores.data, {"file": name, "line": str(line)}) for line in range(1, 10)]
    assert all("<h2>mined/every-kind.jsonl, line" in page for page in pages)
    assert all("<img" not in page for page in [*pages, data_page(stores.data, {"file": name})])
    assert "&lt;img" in pages[7]
    assert "candidate 2, right" in pages[0]
    assert "not a record: JSON is malformed" in pages[8]


def test_logs_and_recipes_are_shown_as_text(stores: Stores) -> None:
    shown = [
        runs_page(stores), run_page(stores, "failed"), log_page(stores, "failed"),
        lists(stores, recipe_rows(stores)),
        data_page(stores.data, {"file": "reviewed.jsonl", "text": HOSTILE}),
    ]  # fmt: skip
    assert all("<img" not in page for page in shown)
    assert "&lt;img" in shown[2]
    assert log_page(stores, "") == log_page(stores, "by-hand/seed-0") == ""


def test_pages_of_a_search_keep_its_conditions(stores: Stores) -> None:
    page = data_page(stores.data, {"tab": "data", "file": "reviewed.jsonl", "text": "module", "page": "2"})
    assert "Examples 26 to 50 of 60" in page
    assert 'href="?tab=data&amp;file=reviewed.jsonl&amp;text=module&amp;page=3"' in page


def test_plots_of_a_model_are_images_without_scripts(stores: Stores) -> None:
    page = model_page(stores, "shipped: new_parameters")
    assert "Its recorded evaluation permits report." in page
    assert "<script" not in page
    assert page.count('<img src="data:image/svg+xml;base64,') == len(
        list((stores.training / "ended/model").glob("*.svg"))
    )


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"file": "../secrets.jsonl"}, "no file of examples in"),
        ({"file": "reviewed.jsonl", "line": "999"}, "line 999 does not exist"),
        ({"file": "reviewed.jsonl", "line": "x"}, "line x does not exist"),
    ],
)
def test_an_address_without_an_example_is_refused(
    stores: Stores, query: dict[str, str], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        data_page(stores.data, query)


def test_an_address_without_a_run_or_a_model_is_refused(stores: Stores) -> None:
    for name in ("../..", "none", "/etc"):
        with pytest.raises(UsageError, match="no training in"):
            run_page(stores, name)
        with pytest.raises(UsageError, match="no model of these trainings or of wardround"):
            model_page(stores, name)
