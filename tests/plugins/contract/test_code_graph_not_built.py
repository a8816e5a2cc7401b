"""A review that needs the code graph and has none reports that the contract plane was not reviewed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import GitRepository

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
    (found,) = [one for one in report["signals"] if one["plane"] == "contract"]
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
    assert [one["rule"] for one in report["findings"]] == ["contract/CT001"]


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
