"""A review that needs the code graph and has none reports that the contract plane was not reviewed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from wardround.context.code_graph import background_index
from wardround.errors import GraphNotBuilt

pytestmark = pytest.mark.usefixtures("without_slow_tools")

MANY = {f"m{at}.py": f"x{at} = {at}\n" for at in range(70)}
BEFORE = {
    "box.py": "class Box:\n    def send_all(self): ...\n",
    "app.py": "from box import Box\n\nBox().send_all()\n",
}
AFTER = {"box.py": BEFORE["box.py"].replace("send_all", "post_all")}


@pytest.fixture
def large(repo: GitRepository) -> GitRepository:
    repo.commit({"pyproject.toml": "[tool.wardround]\npreview = true\n", **MANY, **BEFORE})
    repo.stage(AFTER)
    return repo


def contract(report: dict[str, Any]) -> dict[str, Any]:
    (found,) = [item for item in report["signals"] if item["plane"] == "contract"]
    return found


def test_a_commit_before_the_first_index_is_not_reviewed_for_broken_uses(large: GitRepository) -> None:
    report = large.report("--staged")
    signal = contract(report)
    assert signal["status"] == "inconclusive"
    assert signal["reasons"] == [
        "the code graph was not built because more than 60 files are not indexed yet; "
        "run `wardround index` once"
    ]
    assert report["gate"]["outcome"] == "pass"


def test_a_commit_after_the_first_index_is_reviewed(large: GitRepository) -> None:
    assert large.wardround("index").stdout == "72 files indexed, 72 of them new\n"
    report = large.report("--staged")
    assert contract(report)["status"] == "reviewed"
    assert [finding["rule"] for finding in report["findings"]] == ["contract/CT001"]


def test_the_first_review_indexes_in_the_background(
    large: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    store = large.root.parent / "graph.sqlite"
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "Popen", lambda command, **options: started.append(command))
        assert background_index.start_indexing(large.root, store, {})
        assert background_index.start_indexing(large.root, store, {})
    ((_, *command),) = started
    assert command == ["-P", "-m", "wardround", "index", "--background", "--repo", str(large.root)]
    assert large.wardround(*command[3:]).stdout == "72 files indexed, 72 of them new\n"
    assert contract(large.report("--staged"))["status"] == "reviewed"


@pytest.mark.parametrize(
    ("store", "environ"),
    [
        (None, {}),
        ("graph.sqlite", {"CI": "true"}),
        ("graph.sqlite", {background_index.SWITCH: "off"}),
        ("missing/graph.sqlite", {}),
    ],
)
def test_nothing_is_indexed_in_the_background(
    tmp_path: Path, store: str | None, environ: dict[str, str]
) -> None:
    file = None if store is None else tmp_path / store
    assert not background_index.start_indexing(tmp_path, file, environ)


def test_one_process_indexes_a_repository_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "nice", lambda increment: increment)
    store = tmp_path / "graph.sqlite"
    with background_index.alone(store), pytest.raises(GraphNotBuilt), background_index.alone(store):
        pass


def test_a_change_that_no_graph_is_needed_for_is_reviewed(large: GitRepository) -> None:
    large.git("reset", "-q", "--hard")
    large.stage({"m1.py": "x1 = 2\n"})
    assert contract(large.report("--staged"))["status"] == "reviewed"


def test_ci_builds_the_graph(large: GitRepository) -> None:
    large.commit()
    report = large.report("--base", "HEAD~1", "--profile", "ci")
    assert contract(report)["status"] == "reviewed"


def test_a_diff_without_a_repository_is_not_reviewed_for_broken_uses(large: GitRepository) -> None:
    (large.root.parent / "change.diff").write_text(large.git("diff", "--cached"))
    signal = contract(large.report("--diff-file", large.root.parent / "change.diff"))
    assert signal["status"] == "inconclusive"
    assert "a diff file has no repository" in signal["reasons"][0]
