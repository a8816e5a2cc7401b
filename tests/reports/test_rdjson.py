"""reviewdog reads each diagnostic with columns in bytes, and can post its suggestion."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from wardround.findings import Edit, Severity, Span, SuggestedFix
from wardround.reports import rdjson, rdjsonl

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.reports.conftest import Factory

_INT32 = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
_POSITION = {
    "type": "object",
    "properties": {"line": _INT32, "column": _INT32},
    "additionalProperties": False,
}
_RANGE = {
    "type": "object",
    "required": ["start"],
    "properties": {"start": _POSITION, "end": _POSITION},
    "additionalProperties": False,
}
_NAMED = {"type": "object", "additionalProperties": {"type": "string"}}
_SUGGESTION = {
    "type": "object",
    "properties": {"range": _RANGE, "text": {"type": "string"}},
    "additionalProperties": False,
}
DIAGNOSTIC = Draft202012Validator(
    {
        "type": "object",
        "required": ["message", "location"],
        "properties": {
            "message": {"type": "string"},
            "location": {
                "type": "object",
                "required": ["path"],
                "properties": {"path": {"type": "string"}, "range": _RANGE},
                "additionalProperties": False,
            },
            "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
            "source": _NAMED,
            "code": _NAMED,
            "suggestions": {"type": "array", "items": _SUGGESTION},
        },
        "additionalProperties": False,
    }
)
"""The message ``Diagnostic`` of the protocol, without fields that it does not have."""


def diagnostics(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["diagnostics"]
    for diagnostic in found:
        DIAGNOSTIC.validate(diagnostic)
    return found


def test_a_diagnostic_reports_the_finding(make: Factory) -> None:
    review = make.review(make.finding(suggested_fix=make.fix()), texts={"src/a.py": "def f(x=[]): ...\n"})
    assert json.loads(rdjson.render(review))["source"] == {"name": "wardround"}
    (diagnostic,) = diagnostics(rdjson.render(review))
    assert diagnostic == {
        "message": "Do not use mutable data structures for argument defaults. "
        "The object is made once. Every call shares it.",
        "location": {
            "path": "src/a.py",
            "range": {"start": {"line": 1, "column": 9}, "end": {"line": 1, "column": 11}},
        },
        "severity": "WARNING",
        "code": {"value": "ruff/B006", "url": "https://docs.astral.sh/ruff/rules/B006"},
        "suggestions": [{"range": {"start": {"line": 1}, "end": {"line": 1}}, "text": "def f(x=None): ..."}],
    }


def test_columns_are_bytes(make: Factory) -> None:
    review = make.review(make.finding(place=(1, 3, 1, 4)), texts={"src/a.py": "é𐐀b\n"})
    (diagnostic,) = diagnostics(rdjson.render(review))
    assert diagnostic["location"]["range"] == {
        "start": {"line": 1, "column": 7},
        "end": {"line": 1, "column": 8},
    }


def test_without_the_text_there_are_lines_and_no_columns(make: Factory) -> None:
    (diagnostic,) = diagnostics(rdjson.render(make.review(make.finding(place=(2, 3, 4, 1)))))
    assert diagnostic["location"]["range"] == {"start": {"line": 2}, "end": {"line": 3}}


@pytest.mark.parametrize(
    ("severity", "expected"),
    [(Severity.INFO, "INFO"), (Severity.WARN, "WARNING"), (Severity.ERROR, "ERROR")],
)
def test_severities_are_those_of_reviewdog(make: Factory, severity: Severity, expected: str) -> None:
    (diagnostic,) = diagnostics(rdjson.render(make.review(make.finding(severity=severity))))
    assert diagnostic["severity"] == expected


def test_a_fix_that_needs_another_file_is_no_suggestion(make: Factory) -> None:
    edits = (Edit("src/a.py", Span(1, 1, 1, 2), "y"), Edit("b.py", Span(1, 1, 1, 1), "import y\n"))
    finding = make.finding(suggested_fix=SuggestedFix("Move it", True, edits))
    review = make.review(finding, texts={"src/a.py": "x = 1\n"})
    assert "suggestions" not in diagnostics(rdjson.render(review))[0]


def test_a_suggestion_on_a_real_file_gives_what_the_fix_gives(repo: GitRepository) -> None:
    repo.commit()
    repo.stage({"a.py": "# é\nimport os\n\nprint(1)\n"})
    found = diagnostics(repo.wardround("review", "--format", "rdjson").stdout)
    (unused,) = [diagnostic for diagnostic in found if diagnostic["code"]["value"] == "ruff/F401"]
    assert unused["suggestions"] == [{"range": {"start": {"line": 2}, "end": {"line": 2}}, "text": ""}]


class TestLines:
    def test_each_diagnostic_is_a_line_with_its_source(self, make: Factory) -> None:
        review = make.review(*make.many(3))
        lines = [json.loads(line) for line in rdjsonl.render(review).splitlines()]
        for line in lines:
            DIAGNOSTIC.validate(line)
        expected = diagnostics(rdjson.render(review))
        assert lines == [{**diagnostic, "source": {"name": "wardround"}} for diagnostic in expected]

    def test_no_line_is_longer_than_the_buffer_of_reviewdog(self, make: Factory) -> None:
        wide = "\U0001f600\x1b" * 512
        fix = make.fix("é\x01" * 9_000)
        found = make.finding(message=wide, rationale=wide, suggested_fix=fix, file="\x1b" * 4_000)
        ordinary = make.finding(suggested_fix=fix)
        text = rdjsonl.render(make.review(found, ordinary, texts={"src/a.py": "def f(x=[]): ...\n"}))
        assert max(len(line.encode()) for line in text.splitlines()) < 64 * 1024
        assert json.loads(text.splitlines()[-1])["suggestions"] == []
