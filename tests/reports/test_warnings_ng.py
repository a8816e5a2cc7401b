"""The warnings plugin of Jenkins reads each issue: columns of Java, a plain message, HTML to explain it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from wardround.findings import Severity
from wardround.reports import warnings_ng

if TYPE_CHECKING:
    from tests.reports.conftest import Factory

TYPES = {
    "fileName": str, "lineStart": int, "lineEnd": int, "columnStart": int, "columnEnd": int, "severity": str,
    "category": str, "type": str, "message": str, "description": str, "fingerprint": str, "origin": str,
    "additionalProperties": str,
}  # fmt: skip
"""The properties of an issue with the types that the plugin requires."""


def issues(text: str) -> list[dict[str, Any]]:
    report = json.loads(text)
    assert list(report) == ["issues"]
    found: list[dict[str, Any]] = report["issues"]
    for issue in found:
        assert all(type(value) is TYPES[name] for name, value in issue.items())
        assert issue["severity"] in ("ERROR", "HIGH", "NORMAL", "LOW")
    return found


def test_an_issue_reports_the_finding(make: Factory) -> None:
    finding = make.finding(sources=("ruff/B006", "semgrep/PY201"))
    (issue,) = issues(warnings_ng.render(make.review(finding, texts={"src/a.py": "def f(x=[]): ...\n"})))
    url = "https://docs.astral.sh/ruff/rules/B006"
    assert issue == {
        "fileName": "src/a.py",
        "lineStart": 1,
        "lineEnd": 1,
        "columnStart": 9,
        "columnEnd": 10,
        "severity": "NORMAL",
        "category": "semantic",
        "type": "ruff/B006",
        "message": "Do not use mutable data structures for argument defaults",
        "description": "<p>The object is made once. Every call shares it.</p><p>Also: semgrep/PY201</p>"
        f'<p><a href="{url}">{url}</a></p>',
        "fingerprint": finding.fingerprint,
        "origin": "wardround",
        "additionalProperties": "mutable-default",
    }


def test_columns_are_those_of_java_and_the_last_one_is_inside(make: Factory) -> None:
    review = make.review(make.finding(place=(1, 3, 1, 4)), texts={"src/a.py": "é𐐀b\n"})
    (issue,) = issues(warnings_ng.render(review))
    assert (issue["columnStart"], issue["columnEnd"]) == (4, 4)


def test_several_lines_are_marked_as_lines(make: Factory) -> None:
    review = make.review(make.finding(place=(1, 3, 3, 1)), texts={"src/a.py": "abcd\nx\ny\n"})
    (issue,) = issues(warnings_ng.render(review))
    assert (issue["lineStart"], issue["lineEnd"]) == (1, 2)
    assert "columnStart" not in issue


@pytest.mark.parametrize(
    ("severity", "expected"),
    [(Severity.INFO, "LOW"), (Severity.WARN, "NORMAL"), (Severity.ERROR, "ERROR")],
)
def test_severities_are_those_of_the_plugin(make: Factory, severity: Severity, expected: str) -> None:
    (issue,) = issues(warnings_ng.render(make.review(make.finding(severity=severity))))
    assert issue["severity"] == expected


def test_the_description_has_no_markup_of_the_reviewed_code(make: Factory) -> None:
    finding = make.finding(rationale="<img src=x> & <script>", url="javascript:alert(1)", message="List<int>")
    (issue,) = issues(warnings_ng.render(make.review(finding)))
    assert issue["description"] == "<p>&lt;img src=x&gt; &amp; &lt;script&gt;</p><p>javascript:alert(1)</p>"
    assert issue["message"] == "List<int>"
