"""Dismissals suppress single findings, each with its reason, and lower the rank of their rule for a time."""

from __future__ import annotations

import datetime

import pytest
from msgspec.structs import replace

from tests.processors.factory import inputs, review
from wardround.errors import ConfigError
from wardround.findings import Finding, Plane, Severity, Span, Status
from wardround.processors import dismissals_file
from wardround.processors.dismissals import ApplyDismissals, DismissalMatcher
from wardround.processors.dismissals_file import Dismissal, Dismissals, dismissals_by_rule

TODAY = datetime.date(2026, 11, 22)
PLAIN = Finding(
    "0" * 16, "ruff/SIM108", "ruff-SIM108", Plane.SEMANTIC, "python", Severity.INFO, "a.py",
    Span(1, 1, 1, 2), "m", "", Status.NEW,
)  # fmt: skip


def entry(fingerprint: str = "f1", rule: str = "ruff/SIM108", age: int = 0) -> Dismissal:
    day = TODAY - datetime.timedelta(days=age)
    return Dismissal("a.py", rule, fingerprint, day, "seen", f"c-{fingerprint}")


def test_what_is_written_is_read() -> None:
    stored = Dismissals().with_entry(entry("f2")).with_entry(entry("f1"))
    content = dismissals_file.dump(stored)
    assert dismissals_file.load(content, "d.json") == stored
    assert content.count(b"\n") == 4


def test_a_later_dismissal_of_the_same_finding_takes_its_place() -> None:
    stored = Dismissals().with_entry(entry(age=9)).with_entry(entry())
    assert stored.dismissed == (entry(),)
    assert stored.without("f1") == Dismissals()


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"schema": "wardround.dismissals/2"}', b'{"dismissed": [{}]}', b"\xff"],
)
def test_anything_else_stops_the_run_and_names_the_file(content: bytes) -> None:
    with pytest.raises(ConfigError, match=r"^d\.json holds no dismissals: "):
        dismissals_file.load(content, "d.json")


def test_one_without_a_reason_stops_the_run() -> None:
    content = dismissals_file.dump(Dismissals((replace_reason(entry(), " "),)))
    with pytest.raises(ConfigError, match="f1 is dismissed without a reason"):
        dismissals_file.load(content, "d.json")


def test_each_suppresses_one_finding() -> None:
    dismissing = DismissalMatcher(Dismissals((entry(),)), {"a.py"})
    assert dismissing.entry(replace(PLAIN, fingerprint="f2"), "c-f1") is None
    assert dismissing.entry(replace(PLAIN, fingerprint="f1"), "c-f1") == entry()
    assert dismissing.entry(replace(PLAIN, fingerprint="f1"), "c-f1") is None


def test_a_finding_of_a_renamed_file_is_suppressed_too() -> None:
    dismissing = DismissalMatcher(Dismissals((entry(),)), {"b.py"})
    assert dismissing.entry(replace(PLAIN, fingerprint="f9", file="b.py"), "c-f1") == entry()


def test_findings_about_the_review_itself_cannot_be_dismissed() -> None:
    dismissing = DismissalMatcher(Dismissals((entry(),)), {"a.py"})
    assert dismissing.entry(replace(PLAIN, fingerprint="f1", rule="wardround/config-changed"), "") is None


def test_the_weight_of_a_dismissal_halves_with_its_age() -> None:
    ages = (0, dismissals_file.HALF_LIFE_DAYS, 2 * dismissals_file.HALF_LIFE_DAYS, -30)
    stored = Dismissals(tuple(entry(f"f{n}", age=age) for n, age in enumerate(ages)))
    assert dismissals_by_rule(stored, TODAY) == {"ruff/SIM108": pytest.approx(1 + 0.5 + 0.25 + 1)}


def test_the_file_is_in_the_folder_of_the_baseline() -> None:
    assert dismissals_file.path_for(".wardround-baseline.json") == ".wardround-dismissals.json"
    assert dismissals_file.path_for("ci/known.json") == "ci/.wardround-dismissals.json"


def test_the_step_suppresses_open_findings_with_the_reason_of_their_dismissal() -> None:
    first, second = replace(PLAIN, fingerprint="f1"), replace(PLAIN, fingerprint="f2")
    waived = replace(PLAIN, fingerprint="f1", status=Status.SUPPRESSED)
    given = inputs(dismissals=Dismissals((entry(),)))
    done = ApplyDismissals().apply(review(waived, first, second, content_names=("c1", "c2", "c3")), given)
    assert [(f.status.value, f.dismissal_reason) for f in done.findings] == [
        ("suppressed", ""), ("suppressed", "seen"), ("new", ""),
    ]  # fmt: skip


def replace_reason(entry: Dismissal, reason: str) -> Dismissal:
    return Dismissal(entry.file, entry.rule, entry.fingerprint, entry.day, reason, entry.content)
