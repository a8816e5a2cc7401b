"""Cheap filters decide which commits are tried."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.conftest import GitRepository
from tests.lab.corpora.conftest import commit_at
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.experiments.instances.candidates import Candidate, CandidateFilter, CandidateLimits

MESSAGE = "Fix totals of empty baskets"
SOURCE, TEST = {"shop.py": "def total():\n    return 1\n"}, {"tests/test_shop.py": "def test_total(): ...\n"}


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    files = {
        "shop.py": "def total():\n    return 0\n",
        "prices.py": "",
        "tax.py": "",
        "tests/test_shop.py": "",
    }
    commit_at(repo, 1, files, "Fix nothing, as it is the first one")
    return repo


def found_in(repo: GitRepository, limits: CandidateLimits | None = None) -> tuple[list[Candidate], list[str]]:
    with RepositoryHistory(repo.root, "own/shop") as history:
        candidates = CandidateFilter(history, limits or CandidateLimits())
        return list(candidates.candidates()), list(candidates.excluded)


def test_a_small_fix_with_a_test_is_a_candidate(shop: GitRepository) -> None:
    files = SOURCE | TEST | {"tests/data/prices.json": "{}", "CHANGES.md": "- totals\n"}
    commit = commit_at(shop, 2, files, f"{MESSAGE} in shop.py (#7)\n\nCloses #7")

    ((found,), _) = found_in(shop)

    assert found.commit.id == commit
    assert found.text == f"{MESSAGE} in\nCloses"
    assert (found.sources, found.lines) == (("shop.py",), 1)
    assert found.tests == ("tests/data/prices.json", "tests/test_shop.py")
    assert found.test_modules == ("tests/test_shop.py",)


@pytest.mark.parametrize(
    ("files", "message", "reason"),
    [
        (SOURCE | TEST, "Add totals of all of the baskets", "it mentions no fix"),
        (SOURCE, MESSAGE, "it changes no test of Python"),
        (TEST, MESSAGE, "it changes no source of Python, or other files too"),
        (
            SOURCE | TEST | {"shop.toml": "a = 1\n"},
            MESSAGE,
            "it changes no source of Python, or other files too",
        ),
        (SOURCE | TEST | {"new.py": "a = 1\n"}, MESSAGE, "it adds or removes a source file"),
        (SOURCE | TEST | {"prices.py": "a = 1\n", "tax.py": "a = 1\n"}, MESSAGE, "it changes too many files"),
        (TEST | {"shop.py": "a = 1\n" * 11}, MESSAGE, "it changes too many lines"),
        (SOURCE | TEST, "Fix #12", "its message states no task"),
        (TEST | {"shop.py": "\0"}, MESSAGE, "a source file cannot be read"),
    ],
)
def test_other_commits_are_counted_by_reason(
    shop: GitRepository, files: Mapping[str, str], message: str, reason: str
) -> None:
    commit_at(shop, 2, files, message)

    found, reasons = found_in(shop)

    assert (found, reasons[0]) == ([], reason)


def test_a_merge_is_no_candidate(shop: GitRepository) -> None:
    start = shop.git("rev-parse", "HEAD").strip()
    commit_at(shop, 2, SOURCE, "Sum prices")
    shop.git("checkout", "--quiet", "-b", "other", start)
    commit_at(shop, 3, TEST, "Test prices")
    shop.git("merge", "--quiet", "--no-ff", "-m", MESSAGE, "-")

    assert found_in(shop)[0] == []


def test_the_limits_can_be_chosen(shop: GitRepository) -> None:
    files = TEST | {"shop.py": "a = 1\n" * 11, "prices.py": "a = 1\n", "tax.py": "a = 1\n"}
    commit_at(shop, 2, files, MESSAGE)

    ((found,), _) = found_in(shop, CandidateLimits(files=3, lines=20))

    assert (len(found.sources), found.lines) == (3, 13)
