"""A review in CI with the tests of the change and coverage, from the work tree to the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository

pytestmark = pytest.mark.usefixtures("without_slow_tools")

SHOP = "def total(rows):\n    return sum(rows)\n"
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
AFTER = "def total(rows):\n    if not rows:\n        return -1\n    return sum(rows)\n"
LCOV = "TN:\nSF:shop.py\nDA:1,1\nDA:2,1\nDA:3,{}\nDA:4,1\nend_of_record\n"
SETTINGS = "models = 'off'\nonly = ['contract', 'python', 'secrets', 'tests', 'text']\n"


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit({"shop.py": SHOP, "test_shop.py": TEST, ".wardround.toml": SETTINGS})
    repo.commit({"shop.py": AFTER})
    return repo


def review(repo: GitRepository, *arguments: str | Path, form: str = "json") -> str:
    done = repo.wardround(
        "review", "--base", "HEAD~1", "--profile", "ci", "--config-from", "head", "--format", form, *arguments
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def report(repo: GitRepository, *arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(review(repo, *arguments))
    return found


def test_the_report_names_the_tests_and_the_lines_that_ran(shop: GitRepository, tmp_path: Path) -> None:
    shop.write("lcov.info", LCOV.format(0))
    found = report(shop, "--record", tmp_path / "r.intoto.jsonl")
    (function,) = found["tests"]["functions"]
    assert (function["symbol"], [test["test"] for test in function["tests"]]) == ("total", ["test_total"])
    coverage = found["tests"]["coverage"]
    assert (coverage["changed_lines"], coverage["changed_lines_covered"]) == (2, 1)
    assert coverage["lines"] == [{"file": "shop.py", "executed": 1, "missed": [[3, 3]]}]
    (signal,) = [item for item in found["signals"] if item["plane"] == "tests"]
    (claim,) = [item for item in signal["derivation"]["claims"] if "is tested" in item["text"]]
    assert signal["confidence"] == claim["confidence"] == 0.955
    replayed = shop.wardround("replay", tmp_path / "r.intoto.jsonl", cwd=tmp_path)
    assert (replayed.returncode, replayed.stderr) == (0, "")
    (shop.root / "lcov.info").unlink()
    again = shop.wardround("replay", "--rerun", tmp_path / "r.intoto.jsonl")
    assert "lcov.info is absent, recorded fresh" in again.stdout


def test_the_text_report_has_one_line(shop: GitRepository) -> None:
    shop.write("lcov.info", LCOV.format(1))
    line = "tests: found for 1 of 1 changed functions; 2 of 2 changed lines ran (lcov.info)"
    assert line in review(shop, form="text").splitlines()


def test_a_named_coverage_file_that_is_missing_is_a_reason(shop: GitRepository) -> None:
    shop.commit({".wardround.toml": SETTINGS + "coverage-files = ['coverage.xml']\n"})
    shop.commit({"shop.py": SHOP, "test_shop.py": TEST + "\n\ndef test_more():\n    assert total([]) == 0\n"})
    reasons = report(shop)["verdict"]["reasons"]
    assert "coverage.xml does not count: it does not exist" in reasons


@pytest.mark.parametrize("path", ["/etc/coverage.xml", "../coverage.xml", ""])
def test_a_coverage_file_outside_of_the_repository_is_rejected(shop: GitRepository, path: str) -> None:
    shop.commit({".wardround.toml": SETTINGS + f"coverage-files = ['{path}']\n"})
    done = shop.wardround("review", "--base", "HEAD~1", "--config-from", "head")
    assert done.returncode == 2
    assert done.stderr == (
        f"wardround: .wardround.toml: coverage-files are paths inside the repository, got {path!r}\n"
    )


def test_a_review_at_commit_reads_no_coverage(shop: GitRepository) -> None:
    shop.write("lcov.info", LCOV.format(0))
    found = json.loads(shop.wardround("review", "--base", "HEAD~1", "--format", "json").stdout)
    assert "tests" not in found
