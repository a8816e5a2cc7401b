"""One defect is one finding, with all of its sources."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from wardround.findings import Finding, Plane, Severity, Span, Status, SuggestedFix
from wardround.processors.deduplicate import deduplicate

PLAIN = Finding(
    fingerprint="",
    rule="ruff/B006",
    defect_class="mutable-default",
    plane=Plane.SEMANTIC,
    specialist="python",
    severity=Severity.WARN,
    file="a.py",
    span=Span(1, 9, 1, 11),
    message="from ruff",
    rationale="",
    status=Status.NEW,
    sources=("ruff/B006",),
)
FIX = SuggestedFix("do it", True, ())


def said(rule: str, place: tuple[int, int, int, int] = (1, 9, 1, 11), **values: Any) -> Finding:
    return replace(PLAIN, rule=rule, sources=(rule,), span=Span(*place), **values)


class TestMerging:
    @pytest.mark.parametrize(
        "place",
        [(1, 9, 1, 11), (1, 1, 1, 2), (1, 10, 1, 30), (1, 9, 1, 9)],
        ids=["same", "same line", "overlapping", "empty"],
    )
    def test_one_defect_at_one_place_is_one_finding(self, place: tuple[int, int, int, int]) -> None:
        (item,) = deduplicate([said("ruff/B006"), said("semgrep/PY201", place)])
        assert item.sources == ("ruff/B006", "semgrep/PY201")

    def test_spans_of_several_lines_meet_where_they_overlap(self) -> None:
        assert len(deduplicate([said("a/1", (1, 1, 5, 1)), said("b/1", (4, 1, 9, 1))])) == 1
        assert len(deduplicate([said("a/1", (1, 1, 4, 1)), said("b/1", (4, 1, 9, 1))])) == 2

    def test_one_rule_is_never_merged_with_itself(self) -> None:
        assert len(deduplicate([said("ruff/B006"), said("ruff/B006", (1, 20, 1, 22))])) == 2

    @pytest.mark.parametrize(
        "other", [{"defect_class": "other"}, {"file": "b.py"}, {"span": Span(2, 1, 2, 2)}]
    )
    def test_what_differs_in_class_file_or_line_stays_apart(self, other: dict[str, Any]) -> None:
        assert len(deduplicate([said("a/1"), replace(said("b/1"), **other)])) == 2

    def test_no_note_hides_an_error_in_a_file_that_does_not_parse(self) -> None:
        syntax = {"defect_class": "syntax-error"}
        note = said("squawk/syntax-error", (1, 1, 1, 2), severity=Severity.INFO, **syntax)
        wrong = said("secrets/SE015", (7, 1, 7, 8), severity=Severity.ERROR, **syntax)
        later = said("secrets/SE015", (9, 1, 9, 8), severity=Severity.ERROR, **syntax)
        (item,) = deduplicate([note, later, wrong])
        assert (item.rule, item.span.line, item.severity) == ("secrets/SE015", 7, Severity.ERROR)
        assert item.sources == ("secrets/SE015", "squawk/syntax-error")

    def test_the_most_severe_speaks_then_one_with_a_fix_then_the_first_by_name(self) -> None:
        loud = said("z/1", severity=Severity.ERROR, message="loud")
        fixing = said("y/1", suggested_fix=FIX, message="fixing")
        plain = said("a/1", message="plain")
        assert [f.message for f in deduplicate([plain, fixing, loud])] == ["loud"]
        assert [f.message for f in deduplicate([plain, fixing])] == ["fixing"]
        assert [f.message for f in deduplicate([said("b/1", message="other"), plain])] == ["plain"]

    def test_of_equals_the_tool_named_first_speaks(self) -> None:
        both = [said("a/1", message="from a"), said("b/1", message="from b")]
        assert [f.message for f in deduplicate(both, ["b", "a"])] == ["from b"]
        assert [f.message for f in deduplicate(both, ["a", "b"])] == ["from a"]

    @pytest.mark.parametrize(
        ("one", "other", "all_"),
        [
            (Status.NEW, Status.EXISTING, Status.NEW),
            (Status.CAUSED, Status.EXISTING, Status.CAUSED),
            (Status.NEW, Status.CAUSED, Status.NEW),
            (Status.EXISTING, Status.EXISTING, Status.EXISTING),
        ],
    )
    def test_the_status_is_the_one_that_concerns_the_change_most(
        self, one: Status, other: Status, all_: Status
    ) -> None:
        assert [f.status for f in deduplicate([said("a/1", status=one), said("b/1", status=other)])] == [all_]
        assert [f.status for f in deduplicate([said("a/1", status=other), said("b/1", status=one)])] == [all_]

    def test_confidence_mask_reason_and_url_are_read_from_whoever_has_them(self) -> None:
        speaker = said("a/1", severity=Severity.ERROR, confidence=0.4)
        other = said("b/1", confidence=0.9, masked=True, rationale="why", url="https://x")
        (item,) = deduplicate([speaker, other])
        assert (item.rule, item.confidence, item.masked, item.rationale, item.url) == (
            "a/1", 0.9, True, "why", "https://x",
        )  # fmt: skip


findings = st.lists(
    st.builds(
        lambda rule, class_, file, line, column, length, severity, status: replace(
            said(rule, (line, column, line, column + length)),
            defect_class=class_, file=file, severity=severity, status=status,
        ),
        st.sampled_from(["a/1", "a/2", "b/1", "c/1"]),
        st.sampled_from(["x", "y"]),
        st.sampled_from(["a.py", "b.py"]),
        st.integers(1, 4),
        st.integers(1, 6),
        st.integers(0, 3),
        st.sampled_from(Severity),
        st.sampled_from(Status),
    ),
    max_size=12,
)  # fmt: skip


class TestProperties:
    @settings(max_examples=200, deadline=None)
    @given(findings)
    def test_nothing_reported_is_lost_and_nothing_is_made_up(self, given_: list[Finding]) -> None:
        out = deduplicate(given_)
        assert len(out) <= len(given_)
        assert {(f.file, f.defect_class, s) for f in out for s in f.sources} == {
            (f.file, f.defect_class, f.rule) for f in given_
        }
        assert sum(len(f.sources) for f in out) == len(given_)

    @settings(max_examples=200, deadline=None)
    @given(findings)
    def test_nothing_becomes_milder_or_older(self, given_: list[Finding]) -> None:
        out = deduplicate(given_)
        for group in ("severity", "status"):
            worst = max((getattr(f, group) for f in given_), default=None, key=rank)
            assert max((getattr(f, group) for f in out), default=None, key=rank) == worst

    @settings(max_examples=200, deadline=None)
    @given(findings, st.randoms(use_true_random=False))
    def test_the_order_of_arrival_does_not_matter(self, given_: list[Finding], random_: Any) -> None:
        distinct = list({f.sort_key: f for f in given_}.values())
        shuffled = distinct[:]
        random_.shuffle(shuffled)
        assert deduplicate(shuffled) == deduplicate(distinct)


def rank(value: Any) -> int:
    order = [Status.EXISTING, Status.SUPPRESSED, Status.CAUSED, Status.NEW]
    return order.index(value) if isinstance(value, Status) else int(value)
