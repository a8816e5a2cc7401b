"""GitLab accepts every entry: it stops reading at the first one that its schema rejects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from wardround.findings import Plane, Severity, Unreviewed
from wardround.reports import gitlab

if TYPE_CHECKING:
    from tests.reports.conftest import Factory

_TEXT = {"type": "string", "minLength": 1}
SCHEMA = Draft202012Validator(
    {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["description", "check_name", "fingerprint", "severity", "location"],
            "properties": {
                "description": _TEXT,
                "check_name": _TEXT,
                "fingerprint": _TEXT,
                "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                "location": {
                    "type": "object",
                    "required": ["path", "lines"],
                    "properties": {
                        "path": _TEXT,
                        "lines": {
                            "type": "object",
                            "required": ["begin"],
                            "properties": {"begin": {"type": "integer", "minimum": 1}},
                        },
                    },
                },
            },
        },
    }
)
"""What the documentation of GitLab requires of an entry."""


def issues(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)
    SCHEMA.validate(found)
    return found


def test_an_issue_reports_the_finding(make: Factory) -> None:
    finding = make.finding(place=(3, 9, 5, 1))
    (issue,) = issues(gitlab.render(make.review(finding)))
    assert issue == {
        "type": "issue",
        "check_name": "ruff/B006",
        "description": "Do not use mutable data structures for argument defaults",
        "categories": ["Bug Risk"],
        "severity": "minor",
        "fingerprint": finding.fingerprint,
        "location": {"path": "src/a.py", "lines": {"begin": 3, "end": 4}},
        "content": {
            "body": "The object is made once. Every call shares it. https://docs.astral.sh/ruff/rules/B006"
        },
    }


@pytest.mark.parametrize(
    ("severity", "expected"),
    [(Severity.INFO, "info"), (Severity.WARN, "minor"), (Severity.ERROR, "critical")],
)
def test_severities_are_those_of_gitlab(make: Factory, severity: Severity, expected: str) -> None:
    (issue,) = issues(gitlab.render(make.review(make.finding(severity=severity))))
    assert issue["severity"] == expected


def test_a_plane_is_a_category_of_code_climate(make: Factory) -> None:
    found = [make.finding(plane=plane, file=plane.value) for plane in Plane]
    categories = {i["location"]["path"]: i["categories"] for i in issues(gitlab.render(make.review(*found)))}
    assert categories["security"] == ["Security"]
    assert categories["perf"] == ["Performance"]
    assert categories["semantic"] == ["Bug Risk"]


def test_an_empty_message_is_no_reason_to_stop_reading(make: Factory) -> None:
    gap = Unreviewed(".", "python", "ruff", "")
    assert len(issues(gitlab.render(make.review(make.finding(message=""), unreviewed=[gap])))) == 2
