"""Runs of experiments, comparisons, instances and sequences, and the pages that show them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.installed import require_installed
from tests.lab.dashboard.dashboard_stores import stores_in
from tests.lab.dashboard.stored_trials import add_trial, begin_run
from wardround.errors import UsageError
from wardround_lab.dashboard.views.experiment_comparison import compare
from wardround_lab.dashboard.views.experiment_instances import PAGE, instance_page, sequences_of
from wardround_lab.dashboard.views.experiment_runs import (
    have_other_instances,
    options_in_words,
    reward_table,
    shown_runs,
    side_by_side,
)
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.sql import SqlStorage, open_sql_storage

require_installed("jinja2", "scipy")

from wardround_lab.dashboard.pages.experiments import show_experiments  # noqa: E402

INSTANCES = [f"i{number:02}" for number in range(30)]
HOSTILE = '<script>document.title="x"</script> ![x](https://example.com/x.png) \x1b[31m'


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[SqlStorage]:
    """Two runs; in the first one the configurations differ at the last instance only."""
    with closing(open_sql_storage(tmp_path / "lab.sqlite")) as opened:
        run = begin_run(opened, "stage-1", INSTANCES)
        for number, instance in enumerate(INSTANCES):
            add_trial(opened, run, instance, {"by": "words"}, 0.5, "+one", HOSTILE)
            add_trial(opened, run, instance, {"by": "fusion"}, 0.5 + 0.5 * (number == 29), "+two", HOSTILE)
        other = begin_run(opened, "stage-2", INSTANCES[:3], "e")
        add_trial(opened, other, "i00", {"by": HOSTILE}, 1.0)
        add_trial(opened, other, "i01", {"by": HOSTILE})
        yield opened


def page(folder: Path, **query: str) -> str:
    return str(show_experiments(stores_in(folder), query))


def test_runs_are_side_by_side_with_their_intervals(storage: SequenceStorage) -> None:
    runs = shown_runs(storage, ["stage-1", "stage-2"])

    assert [(run.completed, run.incomplete) for run in runs] == [(60, 0), (1, 1)]
    assert [found.name for found in side_by_side(runs)][:2] == [
        "run stage-1, by fusion",
        "run stage-1, by words",
    ]
    table = reward_table(runs)
    assert [(row.run, row.values, row.instances) for row in table.rows][1] == ("stage-1", ("words",), 30)
    interval = table.rows[1].rewards[0]
    assert interval is not None
    assert (interval.low, interval.value, interval.high) == (0.5, 0.5, 0.5)
    assert have_other_instances(runs)
    assert options_in_words(runs[0].run) == "by: words, fusion; limit: none"


def test_two_configurations_are_compared_on_their_common_instances(storage: SequenceStorage) -> None:
    runs = shown_runs(storage, ["stage-1"])

    (row,) = compare(runs, "by fusion", "by words").rows

    assert (row.reward, row.pairs, row.verdict) == ("lines", 30, "no difference shown")
    assert row.difference.startswith("+0.017 [+0.00, ")
    for names, message in {
        ("by fusion", "by none"): "the chosen runs have no configuration 'by none'",
        ("by fusion", "by fusion"): "A and B are the same configuration",
    }.items():
        with pytest.raises(UsageError, match=message):
            compare(runs, *names)


def test_instances_are_paged_those_that_differ_first_and_found_by_text(storage: SequenceStorage) -> None:
    runs = shown_runs(storage, ["stage-1"])

    first = instance_page(runs, "lines")
    assert (len(first.rows), first.pages, first.total) == (PAGE, 2, 30)
    assert (first.rows[0].instance, first.rows[0].cells()) == ("i29", ("1.00", "0.50"))
    assert [row.instance for row in instance_page(runs, "lines", "I07").rows] == ["i07"]
    assert len(instance_page(runs, "lines", "", 99).rows) == 5
    (row, *_) = instance_page(shown_runs(storage, ["stage-2"]), "lines", "i02").rows
    assert (row.spread, row.cells()) == (None, ("-",))


def test_sequences_that_are_not_complete_can_be_read_too(storage: SequenceStorage) -> None:
    assert [choice.outcome for choice in sequences_of(storage, ["stage-2"], "i01")] == [""]
    assert len(sequences_of(storage, ["stage-1", "stage-2"], "i00")) == 3


def test_pages_show_text_of_a_storage_as_text(storage: SequenceStorage, tmp_path: Path) -> None:
    shown = [
        page(tmp_path, runs="stage-1,stage-2"),
        page(tmp_path, runs="stage-2", view="instances"),
        page(tmp_path, runs="stage-1,stage-2", view="comparison"),
        page(tmp_path, runs="stage-1", instance="i00"),
    ]

    assert all("<script" not in html and "<img" not in html and "\x1b" not in html for html in shown)
    assert "&lt;script&gt;" in shown[0]
    assert r"\x1b[31m" in shown[3]
    assert '<span class="wr-added">+' in shown[3]
    assert "message: task" in shown[3]


def test_addresses_that_name_nothing_are_one_sentence(storage: SequenceStorage, tmp_path: Path) -> None:
    for query, sentence in (
        ({"runs": "none-1"}, "run &#39;none-1&#39; does not exist; the newest runs are: stage-"),
        ({"runs": "stage-1", "instance": "none"}, "no run has the instance none"),
        ({"runs": "stage-2", "view": "comparison"}, "there is one configuration only"),
    ):
        html = page(tmp_path, **query)
        assert sentence in html
        assert 'role="alert"' in html
    assert "stage-1" in page(tmp_path, page="no number")


def test_a_run_without_a_complete_trial_names_the_command_that_continues_it(tmp_path: Path) -> None:
    with closing(open_sql_storage(tmp_path / "lab.sqlite")) as opened:
        add_trial(opened, begin_run(opened, "stage-1", ["i0"]), "i0", {"by": "words"})

    assert "continue the run with wardround lab run --resume stage-1" in page(tmp_path, runs="stage-1")


def test_without_a_storage_the_page_names_what_to_run_and_creates_nothing(tmp_path: Path) -> None:
    assert "wardround lab run hybrid-localization" in page(tmp_path)
    assert list(tmp_path.glob("lab*")) == []
    open_sql_storage(tmp_path / "lab.sqlite").close()
    assert "wardround lab run hybrid-localization" in page(tmp_path)


def test_a_storage_that_cannot_be_read_is_one_sentence(storage: SqlStorage, tmp_path: Path) -> None:
    (tmp_path / "no-storage").write_text("no database" * 100)
    html = str(show_experiments(stores_in(tmp_path, experiments=str(tmp_path / "no-storage")), {}))
    assert f"the storage {tmp_path}/no-storage" in html
    assert "cannot be of the kind" in str(show_experiments(stores_in(tmp_path, experiments="x://y"), {}))

    with closing(sqlite3.connect(tmp_path / "lab.sqlite")) as database, database:
        database.execute(
            "INSERT INTO lab_runs VALUES ('stage-3', ?, ?)", ("2026-01-02T03:04:05Z", b'{"id": 1}')
        )
    assert "has an entry that this version cannot read" in page(tmp_path)
    with closing(sqlite3.connect(tmp_path / "lab.sqlite")) as database, database:
        database.execute("INSERT INTO lab_migrations (number) VALUES (99)")
    assert "upgrade wardround" in page(tmp_path)
