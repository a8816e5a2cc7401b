"""The runner makes exactly the annotations that are meant, within GitHub's budget, and obeys nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wardround.context.repetition import RepetitionKind
from wardround.findings import Severity, Status, Unreviewed
from wardround.reports import github
from wardround.reports.text import summary_line

if TYPE_CHECKING:
    from tests.reports.conftest import Factory

COMMANDS = ("error", "warning", "notice", "debug", "add-mask", "set-env", "group", "stop-commands")


@dataclass(frozen=True)
class Made:
    """An annotation as the runner makes it."""

    kind: str
    properties: dict[str, str]
    message: str


def ran(output: str) -> tuple[list[Made], list[str]]:
    """The runner's interpretation of some output: annotations, and plain lines."""
    created, printed = [], []
    token: str | None = None
    for line in re.split(r"\r\n|\r|\n", output):
        match = re.match(r"\s*::([^: ]+)(?: (.*?))?::(.*)\Z", line, re.DOTALL)
        old = re.search(r"##\[([^ \]]+)[^\]]*\]", line)
        if token is not None:
            if match and match[1] == token:
                token = None
            else:
                printed.append(line)
        elif match and match[1] == "stop-commands":
            token = match[3]
        elif match and match[1] in COMMANDS:
            pairs = [pair.split("=", 1) for pair in (match[2] or "").split(",") if pair]
            given_ = {name: plain(value, (":", "%3A"), (",", "%2C")) for name, value in pairs}
            created.append(Made(match[1], given_, plain(match[3])))
        elif old and old[1] in COMMANDS:
            created.append(Made(old[1], {}, line))
        else:
            printed.append(line)
    assert token is None, "commands stay stopped"
    return created, printed


def plain(text: str, *more: tuple[str, str]) -> str:
    for char, code in (("\r", "%0D"), ("\n", "%0A"), *more, ("%", "%25")):
        text = text.replace(code, char)
    return text


class TestOneFinding:
    def test_the_command_reports_all_of_it(self, make: Factory) -> None:
        finding = make.finding(severity=Severity.ERROR, sources=("ruff/B006", "semgrep/PY201"))
        assert github.render(make.review(finding)).split("\n")[0] == (
            "::error file=src/a.py,line=1,endLine=1,col=9,endColumn=10,title=ruff/B006::"
            "Do not use mutable data structures for argument defaults%0A"
            "The object is made once. Every call shares it.%0A"
            "Also: semgrep/PY201%0A"
            "https://docs.astral.sh/ruff/rules/B006"
        )

    @pytest.mark.parametrize(
        ("severity", "kind"),
        [(Severity.INFO, "notice"), (Severity.WARN, "warning"), (Severity.ERROR, "error")],
    )
    def test_severity_becomes_kind(self, make: Factory, severity: Severity, kind: str) -> None:
        (created,), _ = ran(github.render(make.review(make.finding(severity=severity))))
        assert created.kind == kind

    @pytest.mark.parametrize(
        ("place", "properties"),
        [
            ((3, 5, 3, 9), {"line": "3", "endLine": "3", "col": "5", "endColumn": "8"}),
            ((3, 5, 3, 5), {"line": "3", "endLine": "3", "col": "5", "endColumn": "5"}),
            ((3, 5, 4, 1), {"line": "3", "endLine": "3", "col": "5"}),
            ((3, 5, 4, 2), {"line": "3", "endLine": "4"}),
            ((3, 1, 9, 1), {"line": "3", "endLine": "8"}),
        ],
    )
    def test_a_place_names_its_first_and_last_line_and_column(
        self, make: Factory, place: tuple[int, int, int, int], properties: dict[str, str]
    ) -> None:
        (created,), _ = ran(github.render(make.review(make.finding(place=place))))
        assert {k: v for k, v in created.properties.items() if k not in ("file", "title")} == properties

    def test_a_message_and_a_path_cannot_end_the_command(self, make: Factory) -> None:
        finding = make.finding(
            file="a,line=9::error ::%0A.py", message="100% wrong::\r\n::error::gotcha", rationale="", url=None
        )
        (created,), _ = ran(github.render(make.review(finding)))
        assert created.properties["file"] == "a,line=9::error ::%0A.py"
        assert created.message == "100% wrong::\\r\\n::error::gotcha"
        assert "\n::error::gotcha" not in github.render(make.review(finding))

    @pytest.mark.parametrize(
        ("status", "said"),
        [
            (Status.NEW, ""),
            (Status.CAUSED, " (caused by this change)"),
            (Status.EXISTING, " (was there before)"),
        ],
    )
    def test_status_is_reported(self, make: Factory, status: Status, said: str) -> None:
        finding = make.finding(message="x", status=status, rationale="", url=None)
        (created,), _ = ran(github.render(make.review(finding, filter_mode="nofilter")))
        assert created.message == f"x{said}"

    def test_what_is_waived_is_not_annotated(self, make: Factory) -> None:
        created, _ = ran(github.render(make.review(make.finding(status=Status.SUPPRESSED))))
        assert created == []

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.lists(st.text() | st.sampled_from(("::", "##[error]", "\n::add-mask::x", "%3A", ",")), max_size=5)
    )
    def test_no_text_makes_another_command(self, make: Factory, parts: list[str]) -> None:
        hostile = "".join(parts)
        finding = make.finding(message=hostile, file=f"d/{hostile}", rationale=hostile, url=None)
        lost = Unreviewed(f"u/{hostile}", "python", hostile or "tool", hostile)
        created, printed = ran(github.render(make.review(finding, unreviewed=[lost])))
        assert [m.kind for m in created] == ["warning", "warning"]
        assert created[1].properties["line"] == "1"
        assert [line for line in printed if line] == [summary_line(make.review(finding, unreviewed=[lost]))]


class TestOrderAndBudget:
    def test_the_worst_comes_first_then_new_before_caused_then_the_path(self, make: Factory) -> None:
        error, warn, new, caused = Severity.ERROR, Severity.WARN, Status.NEW, Status.CAUSED
        findings = [
            make.finding(file="a.py", severity=warn, status=new),
            make.finding(file="b.py", severity=error, status=caused),
            make.finding(file="c.py", severity=error, status=new),
            make.finding(file="d.py", severity=error, status=new, place=(2, 1, 2, 2)),
            make.finding(file="d.py", severity=error, status=new, place=(1, 1, 1, 2)),
        ]
        created, _ = ran(github.render(make.review(*findings)))
        order = [(m.properties["file"], m.properties["line"]) for m in created]
        assert order == [("c.py", "1"), ("d.py", "1"), ("d.py", "2"), ("b.py", "1"), ("a.py", "1")]

    def test_ten_of_a_kind_are_shown_and_the_rest_counted_exactly(self, make: Factory) -> None:
        counts = {Severity.ERROR: 12, Severity.WARN: 11, Severity.INFO: 3}
        findings = [
            make.finding(place=(n + 1, 1, n + 1, 2), severity=severity, rule=f"ruff/{severity.label}")
            for severity, count in counts.items()
            for n in range(count)
        ]
        created, _ = ran(github.render(make.review(*findings)))
        assert [m.kind for m in created] == ["error"] * 10 + ["warning"] * 10 + ["notice"] * 4
        assert created[-1].message == (
            "3 are not shown here, because GitHub accepts 10 of a kind from one step: 2 errors, 1 warning. "
            "The text, JSON and SARIF reports have all of them."
        )

    def test_the_notice_about_the_rest_is_within_the_budget_too(self, make: Factory) -> None:
        findings = [make.finding(place=(n + 1, 1, n + 1, 2), severity=Severity.INFO) for n in range(11)]
        created, _ = ran(github.render(make.review(*findings)))
        assert [m.kind for m in created] == ["notice"] * 10
        assert created[-1].message.startswith("2 are not shown here")
        assert "2 notices" in created[-1].message

    @pytest.mark.parametrize("count", [0, 1, 9, 10])
    def test_nothing_is_reported_where_nothing_is_held_back(self, make: Factory, count: int) -> None:
        findings = [make.finding(place=(n + 1, 1, n + 1, 2), severity=Severity.INFO) for n in range(count)]
        created, _ = ran(github.render(make.review(*findings)))
        assert len(created) == count
        assert not any("not shown" in m.message for m in created)

    def test_what_was_not_reviewed_comes_before_other_warnings(self, make: Factory) -> None:
        findings = [make.finding(place=(n + 1, 1, n + 1, 2)) for n in range(10)]
        lost = [Unreviewed(f"q{n}.py", "python", "ruff", "timed out after 10 s") for n in range(5)]
        lost.append(Unreviewed("one.py", "python", "ty", "crashed"))
        created, _ = ran(github.render(make.review(*findings, unreviewed=lost)))
        warnings = [m for m in created if m.kind == "warning"]
        assert len(warnings) == 10
        assert warnings[0] == Made(
            "warning",
            {"title": "ruff"},
            "not reviewed: q0.py, q1.py, q2.py and 2 more: timed out after 10 s",
        )
        assert warnings[1].properties == {"file": "one.py", "title": "ty"}
        assert "2 warnings" in created[-1].message

    def test_3_000_findings_are_30_annotations(self, make: Factory) -> None:
        created, _ = ran(github.render(make.review(*make.many(3_000))))
        assert len(created) == 30
        assert created[-1].message.startswith("2971 are not shown here")


class TestClosingLine:
    def test_it_is_where_the_runner_looks_for_no_commands(self, make: Factory) -> None:
        review = make.review(make.finding())
        *_, stop, line, resume, end = github.render(review).split("\n")
        assert line == summary_line(review)
        assert end == ""
        token = stop.removeprefix("::stop-commands::")
        assert resume == f"::{token}::"
        assert re.fullmatch(r"[0-9a-f]{64}", token)

    def test_the_token_is_the_same_for_the_same_review_and_for_no_other(self, make: Factory) -> None:
        def token(seconds: float) -> str:
            return github.render(make.review(make.finding(), seconds=seconds)).split("\n")[-4]

        assert token(1.0) == token(1.0)
        assert token(1.0) != token(2.0)


def test_a_shown_repetition_is_a_notice_after_the_findings(make: Factory) -> None:
    review = make.repeating(
        make.review(make.finding(severity=Severity.INFO)), RepetitionKind.IDENTICAL, RepetitionKind.LITERALS
    )
    created, _ = ran(github.render(review))
    assert [item.kind for item in created] == ["notice", "notice"]
    assert created[1].message == "`slug0` repeats src/b.py:5 `make_slug`: import it"
    assert created[1].properties == {
        "file": "src/a.py", "line": "3", "endLine": "9", "title": "wardround/repetition",
    }  # fmt: skip
