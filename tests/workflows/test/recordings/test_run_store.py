from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.workflows.test.tiny_project import FILES, TinyProject, recorded_project, run_with_coverage, tree
from wardround.context.line_coverage.context_lines import read_contexts
from wardround.context.line_coverage.model import CoverageUnreadable
from wardround.storage.repository_database import RepositoryDatabase
from wardround.workflows.test.plans.selection import Target, plan_tests
from wardround.workflows.test.recordings import run_store
from wardround.workflows.test.recordings.recording import read_recording
from wardround.workflows.test.recordings.run_store import RunStore


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> TinyProject:
    return recorded_project(tmp_path_factory.mktemp("shop"))


def store_in(folder: Path) -> RunStore:
    return RunStore.open(folder / "repository", folder / "runs")


def test_a_stored_recording_is_read_back_as_it_was(project: TinyProject, tmp_path: Path) -> None:
    store_in(tmp_path).add(project.recording)

    assert store_in(tmp_path).load() == (project.recording,)


def test_a_later_run_of_a_test_replaces_the_earlier_one(project: TinyProject, tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.add(project.recording)
    later = replace(project.recording, runs=project.recording.runs[:2], is_complete=False)

    store.add(later)

    newest, oldest = store.load()
    assert newest == later
    assert {run.test for run in oldest.runs}.isdisjoint(run.test for run in later.runs)
    assert len(oldest.runs) == len(project.recording.runs) - 2


def test_a_recording_whose_runs_are_all_replaced_is_removed(project: TinyProject, tmp_path: Path) -> None:
    store = store_in(tmp_path)
    for _ in range(5):
        store.add(project.recording)

    assert store.load() == (project.recording,)


def test_the_tests_recorded_first_are_removed_beyond_the_limit(project: TinyProject, tmp_path: Path) -> None:
    database = RepositoryDatabase.open(run_store._KIND, tmp_path / "repository", tmp_path / "runs")
    store = RunStore(database, most_tests=3)

    store.add(project.recording)

    assert [run.test for run in store.load()[0].runs] == [run.test for run in project.recording.runs[-3:]]


def test_a_partial_run_updates_only_its_own_tests(tmp_path: Path) -> None:
    project = recorded_project(tmp_path / "shop")
    edited = project.edited("shop/prices.py", "math.floor(value)", "int(value)")
    data = run_with_coverage(tmp_path / "shop", edited, "tests/test_prices.py", "-k", "rounded")
    partial = read_recording(data, tree(edited), str(tmp_path / "shop"), is_complete=False)
    store = store_in(tmp_path)
    store.add(project.recording)
    store.add(partial)

    plan = plan_tests(store.load(), tree(edited), Target())

    assert not any("rounded" in item.id for item in plan.selected), "it ran with this version"
    assert any("test_a_name_is_found" in item.id for item in plan.selected), "it ran with the version before"


def test_a_damaged_store_is_empty(project: TinyProject, tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.add(project.recording)
    store._database.execute("UPDATE runs SET ran = x'c1'")

    assert store.load() == ()


def test_a_store_that_cannot_be_written_keeps_nothing_of_a_recording(
    project: TinyProject, tmp_path: Path
) -> None:
    store = store_in(tmp_path)
    store._database.execute(
        "CREATE TRIGGER full BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'full'); END"
    )

    with pytest.raises(sqlite3.Error):
        store.add(project.recording)

    assert store.load() == ()


def test_import_time_code_is_recorded_outside_of_tests(project: TinyProject) -> None:
    outside = {
        project.recording.files[key].outline.functions[number].name
        for key, numbers in project.recording.outside.items()
        for number in numbers
        if number >= 0
    }

    assert outside == {"marked", "cases", "lines"}


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "it is not"), (b"SQLite format 3\0" + b"x" * 200, "is not a data file")],
    ids=["empty", "damaged"],
)
def test_a_file_that_coverage_has_not_written_is_rejected(content: bytes, words: str) -> None:
    with pytest.raises(CoverageUnreadable, match=words):
        list(read_contexts(content))


def test_data_without_contexts_is_rejected_with_the_option_to_use(tmp_path: Path) -> None:
    data = run_with_coverage(tmp_path / "shop", FILES)
    file = tmp_path / "plain.data"
    file.write_bytes(data)
    with sqlite3.connect(file) as database:
        database.execute("UPDATE context SET context = '' WHERE id = 1")
        database.execute("DELETE FROM context WHERE id > 1")
        database.execute("DELETE FROM line_bits WHERE context_id > 1")
    database.close()

    with pytest.raises(CoverageUnreadable, match="--cov-context=test"):
        list(read_contexts(file.read_bytes()))


def test_a_view_instead_of_a_table_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "view.data"
    with sqlite3.connect(file) as database:
        for name in ("arc", "context", "file"):
            database.execute(f"CREATE TABLE {name} (id, path, context)")
        database.execute("CREATE VIEW line_bits AS SELECT randomblob(1000000000)")
    database.close()

    with pytest.raises(CoverageUnreadable, match="lacks a table"):
        list(read_contexts(file.read_bytes()))
