"""The Markdown report shows everything, lets nothing of the change become markup, and respects a limit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wardround.findings import Severity, Status, Unreviewed
from wardround.reports import markdown

if TYPE_CHECKING:
    from tests.reports.conftest import Factory


def test_a_finding_is_shown_with_its_code_its_reason_and_its_fix(make: Factory) -> None:
    found = make.finding(suggested_fix=make.fix(place=(1, 10, 1, 12)))
    review = make.review(found, texts={"src/a.py": "def f(xs=[]): ...\n"})
    report = markdown.render(review)
    assert report.startswith("### wardround: pass\n\n**Verdict: ")
    assert (
        "**Warning** <code>src&#47;a&#46;py&#58;1</code> Do not use mutable data structures for argument "
        "defaults ([<code>ruff&#47;B006</code>](https://docs.astral.sh/ruff/rules/B006))\n\n"
        "```\ndef f(xs=[]): ...\n```\n\n"
        "The object is made once. Every call shares it.\n\n"
        "Fix: Replace with &#96;None&#96;\n\n"
        "```diff\n-def f(xs=[]): ...\n+def f(xs=None): ...\n```"
    ) in report


def test_the_code_of_a_finding_about_a_secret_is_not_shown(make: Factory) -> None:
    review = make.review(make.finding(masked=True), texts={"src/a.py": "key = 'hunter2'\n"})
    assert "hunter2" not in markdown.render(review)


def test_code_cannot_end_its_block_and_a_message_is_no_markup(make: Factory) -> None:
    hostile = make.finding(message="<img src=x> @maria #1 [x](https://x.example)\n| a |")
    review = make.review(hostile, texts={"src/a.py": "````\n# heading ``` \x1b[31m\u202e\n"})
    report = markdown.render(review)
    assert "`````\n````\n`````" in report
    assert not re.search(r"<img|\]\(https://x|^\| a", report, re.MULTILINE)
    assert "@maria" not in report


def test_a_file_that_was_not_reviewed_is_named_with_the_reason(make: Factory) -> None:
    gap = Unreviewed("q.sql", "sql", "squawk", "timed out after 10 s")
    assert "**Not reviewed**\n\n- q.sql: squawk: timed out after 10 s" in markdown.render(
        make.review(unreviewed=[gap])
    )


def test_a_report_within_a_limit_counts_what_it_leaves_out(make: Factory) -> None:
    review = make.review(*make.many(3_000))
    report = markdown.render_within(review, 65_535)
    assert len(report.encode()) <= 65_535
    shown = len(re.findall(r"^\*\*(?:Error|Warning|Note)\*\*", report, re.MULTILINE))
    (left,) = re.findall(r"^and (\d+) more findings in report.json$", report, re.MULTILINE)
    assert shown + int(left) == 3_000
    assert report.splitlines()[-1].startswith("wardround: ")


@pytest.mark.parametrize("most", [65_535, 1024 * 1024 - 1024])
def test_long_lists_around_the_findings_stay_within_the_limit(make: Factory, most: int) -> None:
    hostile = "\U000e0001@\u202e<&" * 500
    gaps = [Unreviewed(f"f{number}.sql", "sql", f"squawk{number}", hostile) for number in range(60)]
    review = make.review(*make.many(300), unreviewed=gaps)
    gate = replace(review.gate, reasons=tuple(f"{number} {hostile}" for number in range(60)))
    review = replace(review, gate=gate, notes=tuple(f"{number} {hostile}" for number in range(60)))
    report = markdown.render_within(review, most, hostile)
    assert len(report.encode()) <= most
    assert "**Verdict: " in report
    assert "\n- and more in report.json\n" in report
    assert re.search(r"^\*\*Error\*\*", report, re.MULTILINE)
    assert report.splitlines()[-1].startswith("wardround: ")


def test_errors_come_first(make: Factory) -> None:
    findings = [make.finding(file="a.py"), make.finding(file="b.py", severity=Severity.ERROR)]
    report = markdown.render(make.review(*findings))
    assert report.index("b&#46;py") < report.index("a&#46;py")


def test_what_is_not_shown_is_counted_and_the_verdict_is_stated_once(make: Factory) -> None:
    existing = make.finding(status=Status.EXISTING)
    report = markdown.render(replace(make.review(existing), notes=("a limit was reached",)))
    assert "**Notes**\n\n- a limit was reached" in report
    assert "**Not shown**\n\n- 1 finding is outside of the lines that --filter-mode added shows" in report
    assert "verdict: " not in report
