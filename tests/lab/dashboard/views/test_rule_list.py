"""The reactions to the findings of each rule, and the order of the rules."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.conftest import GitRepository
from tests.planes.evidence_factory import evidence, finding
from tests.records.sample_reviews import FACTS, review
from wardround.errors import ConfigError, UsageError
from wardround.findings import Status
from wardround.planes.evidence import FindingEvidence
from wardround.processors.dismissals_file import FILE_NAME, Dismissal, Dismissals, dump
from wardround.records import bundle
from wardround.records.record import RecordedOrigin, predicate_of
from wardround.records.store import open_store
from wardround.rules.judgement_files import record_judgement
from wardround.rules.judgements import FindingKey, judgement_of
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.record_content import RecordContents
from wardround_lab.dashboard.views.rule_list import RuleRow, rule_list
from wardround_lab.dashboard.views.rule_page import rule_page

DAY = date(2030, 1, 1)
FIRST, SECOND = finding(), finding(file="b.py")


@pytest.fixture
def stores(repo: GitRepository, tmp_path: Path) -> Stores:
    return Stores(
        repository=repo.root, records=tmp_path / "records.sqlite", judgements=repo.root / "judgements",
        data=tmp_path, training=tmp_path, experiments=None, runs=tmp_path,
    )  # fmt: skip


def store(
    stores: Stores, *reviews: tuple[FindingEvidence, ...], base: str = "b" * 40, request: str = ""
) -> None:
    """Store reviews of one change, in the order of time."""
    assert isinstance(stores.records, Path)
    with open_store(stores.records) as records:
        for findings in reviews:
            record = review(evidence(findings=findings))
            if request:
                record = replace(record, origin=RecordedOrigin("shop", request))
            facts = replace(FACTS, base=base, rules=tuple({found.rule for found in findings}))
            moment = datetime(2030, 1, 1, tzinfo=UTC) + timedelta(hours=records.head()[0])
            records.append(bundle.write(predicate_of(record), facts, None, moment), facts)


def judge(stores: Stores, rule: str, *verdicts: tuple[str, str]) -> None:
    for number, (verdict, code) in enumerate(verdicts):
        key = FindingKey("shop", f"{number}" * 40, "a.py", 1, rule)
        record_judgement(stores.judgements, judgement_of(key, verdict, code, "ada", DAY), None)


def row(stores: Stores, rule: str = "ruff/B006") -> RuleRow:
    return next(row for row in rule_list(stores, RecordContents()).rows if row.rule == rule)


def test_nothing_stored_is_an_empty_list(stores: Stores) -> None:
    assert rule_list(stores, RecordContents()).rows == []


def test_a_finding_that_a_later_review_of_the_change_does_not_have_is_fixed(stores: Stores) -> None:
    store(stores, (FIRST, SECOND), (FIRST,))
    outcome = row(stores).outcome
    assert (outcome.shown, outcome.reviewed_again, outcome.fixed) == (2, 2, 1)


def test_a_finding_of_a_change_that_was_reviewed_once_is_neither_fixed_nor_left(stores: Stores) -> None:
    store(stores, (FIRST,), base="1" * 40)
    store(stores, (), base="2" * 40)
    outcome = row(stores).outcome
    assert (outcome.shown, outcome.reviewed_again, outcome.fixed) == (1, 0, 0)


def test_a_finding_on_an_edited_line_is_not_fixed(stores: Stores) -> None:
    store(stores, (FIRST,), (replace(FIRST, fingerprint="another", line=7),))
    assert row(stores).outcome.fixed == 0


def test_a_finding_that_the_last_review_shows_first_counts_as_shown_once(stores: Stores) -> None:
    store(stores, (), (FIRST,))
    outcome = row(stores).outcome
    assert (outcome.shown, outcome.reviewed_again, outcome.fixed) == (1, 0, 0)


def test_reviews_of_one_pull_request_are_of_one_change_after_a_rebase(stores: Stores) -> None:
    store(stores, (FIRST,), base="1" * 40, request="7")
    store(stores, (), base="2" * 40, request="7")
    assert row(stores).outcome.fixed == 1


def test_suppressed_findings_are_not_shown(stores: Stores) -> None:
    store(stores, (replace(FIRST, status=Status.SUPPRESSED), SECOND))
    assert row(stores).outcome.shown == 1


def test_dismissals_and_readings_are_counted_by_the_rule(stores: Stores) -> None:
    entries = (Dismissal("a.py", "ruff/B006", "1" * 16, DAY, "a test"),)
    (stores.repository / FILE_NAME).write_bytes(dump(Dismissals(entries)))
    judge(stores, "ruff/B006", ("worth", "defect"), ("true", "trivial"), ("wrong", "misread"))
    found = row(stores)
    assert (found.dismissed, found.unwelcome, found.judged, found.noise) == (1, 3, 4, 0.75)
    page = rule_page(stores, RecordContents(), "ruff/B006")
    assert [entry.reason for entry in page.dismissals] == ["a test"]
    assert [reason[0] for reason in page.reasons] == ["defect", "trivial", "misread"]


def test_the_noisiest_rule_is_first_and_one_reading_is_not_much(stores: Stores) -> None:
    judge(stores, "ruff/A001", ("wrong", "misread"))
    judge(stores, "ruff/A002", *[("wrong", "misread")] * 9)
    judge(stores, "ruff/A003", *[("worth", "defect")] * 9)
    rules = [row.rule for row in rule_list(stores, RecordContents()).rows]
    assert rules == ["ruff/A002", "ruff/A001", "ruff/A003"]


def test_a_rule_opens_with_its_documentation_and_its_newest_findings(stores: Stores) -> None:
    store(stores, (FIRST,))
    page = rule_page(stores, RecordContents(), "ruff/B006")
    assert "wardround: ignore[ruff/B006]" in page.documentation
    assert [(shown.finding.file, shown.finding.message) for shown in page.findings] == [
        ("app.py", "mutable default")
    ]
    unseen = rule_page(stores, RecordContents(), "ruff/B008")
    assert (unseen.row, bool(unseen.documentation)) == (RuleRow("ruff/B008"), True)


def test_a_rule_that_is_not_known_here_is_shown_if_it_has_findings(stores: Stores) -> None:
    store(stores, (replace(FIRST, rule="gone/X1"),))
    assert rule_page(stores, RecordContents(), "gone/X1").documentation == ""
    with pytest.raises(UsageError, match="unknown rule 'gone/X2'"):
        rule_page(stores, RecordContents(), "gone/X2")


def test_files_that_are_not_valid_are_named(stores: Stores) -> None:
    (stores.repository / FILE_NAME).write_text("[]")
    with pytest.raises(ConfigError, match="holds no dismissals"):
        rule_list(stores, RecordContents())
