"""Coverage files are found in the work tree, and none of the repository counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.repository import Repository
from wardround.context.change_tests import ChangeCoverage, CoverageState
from wardround.context.line_coverage.work_tree import work_tree_coverage

SHOP = "def f(x):\n    return x\n"
LCOV = "TN:\nSF:shop.py\nDA:1,1\nDA:2,0\nend_of_record\n"


def found(repo: GitRepository, *names: str) -> ChangeCoverage:
    with Repository(repo.root) as repository:
        change = repository.between("HEAD~1", "HEAD")
        source = GitChangeSource(repository, change)
        texts = FileTexts(source, change)
        return work_tree_coverage(source, change, names, lambda file: True, texts.head)


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit({"README.md": "shop\n"})
    repo.commit({"shop.py": SHOP})
    return repo


def test_the_usual_files_are_found(shop: GitRepository) -> None:
    shop.write("coverage/lcov.info", LCOV)
    coverage = found(shop)
    assert [(item.path, item.state, item.is_required) for item in coverage.files] == [
        ("coverage/lcov.info", CoverageState.FRESH, False)
    ]
    assert (coverage.executed, coverage.missed) == (1, 1)


def test_without_a_file_there_is_not_a_coverage(shop: GitRepository) -> None:
    assert found(shop) == ChangeCoverage()


def test_a_named_file_is_required(shop: GitRepository) -> None:
    shop.write("lcov.info", LCOV)
    (missing,) = found(shop, "build/coverage.xml").files
    assert (missing.path, missing.state, missing.is_required) == (
        "build/coverage.xml",
        CoverageState.MISSING,
        True,
    )


def test_a_file_under_version_control_is_not_a_evidence(repo: GitRepository) -> None:
    repo.commit({"README.md": "shop\n"})
    repo.commit({"shop.py": SHOP, "lcov.info": LCOV.replace("2,0", "2,1")})
    coverage = found(repo)
    assert [item.state for item in coverage.files] == [CoverageState.TRACKED]
    assert not coverage.is_fresh


def test_a_file_that_is_older_than_the_source_is_stale(shop: GitRepository) -> None:
    os.utime(shop.write("lcov.info", LCOV), (1, 1))
    assert [item.reason for item in found(shop).files] == ["shop.py was changed after it was written"]


def test_a_work_tree_of_another_version_makes_it_stale(shop: GitRepository) -> None:
    shop.write("shop.py", SHOP + "\n")
    shop.write("lcov.info", LCOV)
    assert [item.reason for item in found(shop).files] == [
        "shop.py in the work tree is not the reviewed version"
    ]


@pytest.mark.parametrize("name", ["lcov.info", "coverage/lcov.info"])
def test_a_link_is_not_followed(shop: GitRepository, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "lcov.info").write_text(LCOV)
    if name == "lcov.info":
        (shop.root / name).symlink_to(outside / name)
    else:
        (shop.root / "coverage").symlink_to(outside)
    (file,) = found(shop, name).files
    assert (file.state, file.is_required) == (CoverageState.UNREADABLE, True)


def test_a_pipe_does_not_block(shop: GitRepository) -> None:
    os.mkfifo(shop.root / "lcov.info")
    (file,) = found(shop, "lcov.info").files
    assert file.reason == "it cannot be read: it is not a regular file"


def test_a_change_without_source_needs_no_coverage(repo: GitRepository) -> None:
    repo.commit({"README.md": "shop\n"})
    repo.commit({"README.md": "the shop\n"})
    assert found(repo, "coverage.xml") == ChangeCoverage()
