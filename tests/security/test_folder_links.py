"""Tracked links to folders outside the repository: tools see nothing there, and no such change is T1."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import build_context
from wardround.change.change_source import GitChangeSource, SideName
from wardround.change.repository import Repository
from wardround.change.snapshot import Snapshot
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.execution.resources import Resources
from wardround.execution.review_run import ReviewRun


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside of the repository."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "mod.py").write_text("SECRET = 1\n")
    return folder


@pytest.mark.parametrize("side", ["head", "base"])
@pytest.mark.parametrize("path", ["pkg", "src/deep/pkg"])
def test_tools_see_nothing_through_a_link_that_the_change_adds(
    repo: GitRepository, outside: Path, side: SideName, path: str
) -> None:
    repo.commit({"src/a.py": "A = 1\n", "src/deep/b.py": "B = 1\n"})
    _link(repo, path, outside)

    assert sorted(_seen(repo, side)) == ["src/a.py", "src/deep/b.py"]


@pytest.mark.parametrize("target", [".git/hooks", "../outside", "inner"])
def test_tools_see_nothing_through_a_link_that_leads_on(
    repo: GitRepository, outside: Path, target: str
) -> None:
    repo.commit({"src/a.py": "A = 1\n", ".gitignore": "/inner\n"})
    os.symlink(outside, repo.root / "inner")
    (repo.root / ".git/hooks").mkdir(exist_ok=True)
    (repo.root / ".git/hooks/mod.py").write_text("SECRET = 1\n")
    _link(repo, "pkg", target)

    assert "pkg/mod.py" not in _seen(repo, "head")


def test_tools_see_nothing_through_a_link_of_the_base(repo: GitRepository, outside: Path) -> None:
    repo.commit({"src/a.py": "A = 1\n"})
    _link(repo, "pkg", outside)
    _link(repo, "src/mod.py", outside / "mod.py")
    repo.commit({"src/a.py": "A = 2\n"})

    assert sorted(_seen(repo, "head")) == ["src/a.py"]


def test_links_inside_the_repository_and_untracked_ones_are_followed(
    repo: GitRepository, outside: Path
) -> None:
    repo.commit({"src/a.py": "A = 1\n", ".gitignore": "/packages\n"})
    os.symlink(outside, repo.root / "packages")
    _link(repo, "lib", "src")

    assert sorted(_seen(repo, "head")) == ["lib/a.py", "packages/mod.py", "src/a.py"]


def _link(repo: GitRepository, path: str, target: str | Path) -> None:
    (repo.root / path).parent.mkdir(parents=True, exist_ok=True)
    os.symlink(target, repo.root / path)
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "-m", "Link")


def _seen(repo: GitRepository, side: SideName) -> dict[str, str]:
    """The Python files that a tool sees at base or head, with their content."""
    request = ReviewRequest(config_from="base")
    with Repository(repo.root) as repository:
        change = repository.between("HEAD~1", "HEAD")
        origin = GitChangeSource(repository, change)
        loaded = host.load()
        review = ChangeUnderReview(origin, change, loaded, request, Config())
        sides = ReviewRun(review, build_context(review), Resources())
        with Snapshot(repo.root.parent) as snapshot:
            sides.side(side).link_project(snapshot, "room", ("*.py",))
            root = snapshot.side("room")
            found = (
                Path(folder, name) for folder, _, names in os.walk(root, followlinks=True) for name in names
            )
            return {str(item.relative_to(root)): item.read_text() for item in found}
