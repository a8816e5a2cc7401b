"""Findings of a run replace those that only infer which changed lines the tests run."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.conftest import GitRepository
from tests.planes.run_factory import UNISOLATED, run_of_tests
from tests.run_reviews import LINES, PORTS, SETTINGS, Runner, reviewed
from wardround.context.run_evidence import RunEvidence

PREVIEW = "preview = true\n"
LCOV = "TN:\nSF:app.py\nDA:6,1\nDA:7,0\nend_of_record\n"
AFTER = PORTS.replace("return int(text) if text else None", "number = int(text)\n    return number or None")
COVERED = replace(LINES, covered=(6,), uncovered=(7,))


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A change with a coverage file that shows a line that did not run."""
    repo.commit({"app.py": PORTS, ".wardround.toml": SETTINGS + PREVIEW})
    repo.commit({"app.py": AFTER})
    repo.write("lcov.info", LCOV)
    return repo


def rules(shop: GitRepository, run: RunEvidence | None) -> set[str]:
    found = reviewed(shop, Runner(run or RunEvidence()), run=("tests",) if run else ())
    return {
        finding.rule for finding in found.result.findings if finding.rule.startswith(("tests/TE20", "run/"))
    }


def test_without_a_run_the_coverage_file_counts(shop: GitRepository) -> None:
    assert "tests/TE205" in rules(shop, None)


def test_a_run_in_the_sandbox_takes_its_place(shop: GitRepository) -> None:
    assert rules(shop, RunEvidence(run_of_tests(lines=(COVERED,)))) == {"run/uncovered-lines"}


def test_a_run_without_isolation_replaces_nothing(shop: GitRepository) -> None:
    run = RunEvidence(run_of_tests(lines=(COVERED,), conditions=UNISOLATED))
    assert rules(shop, run) == {"run/uncovered-lines", *rules(shop, None)}


def test_a_run_of_other_files_replaces_nothing(shop: GitRepository) -> None:
    other = replace(COVERED, path="other.py")
    assert rules(shop, RunEvidence(run_of_tests(lines=(other,)))) == rules(shop, None)
