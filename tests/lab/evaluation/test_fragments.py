"""Reconstruction of a file from the lines of a diff, and which findings about it are valid."""

from __future__ import annotations

import ast

import pytest

from wardround.findings import Finding, Plane, Severity, Span, Status
from wardround.tools.tool import ToolScope
from wardround_lab.evaluation.fragments import CaseFragment


def _lines(first: int, text: str) -> dict[int, str]:
    return dict(enumerate(text.split("\n"), first))


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\ny = 2",
        "        a = 1\n        return a",
        "            break\n        else:\n            pass\n    return 1",
        "        await x\n    y = 2",
        "        raise\n    except E:\n        pass\n\ndef g():\n    pass",
        "    else:\n        x = 1\n    return x",
        "def f(a):",
        "        yield 1\n\n    def g(self):\n        return 2",
    ],
)
def test_a_python_fragment_gets_a_context_in_which_it_parses(text: str) -> None:
    lines = _lines(40, text)
    fragment = CaseFragment.of("m.py", lines)
    ast.parse(fragment.text)
    out = fragment.text.split("\n")
    assert [out[number - 1] for number in lines] == list(lines.values())
    assert fragment.known == set(lines)
    assert not fragment.unparsed


def test_a_fragment_that_cannot_be_parsed_is_commented_out() -> None:
    fragment = CaseFragment.of("m.py", {**_lines(10, "    'a': 1,\n  )"), **_lines(20, "x = 1")})
    ast.parse(fragment.text)
    assert fragment.unparsed == {10, 11}
    assert fragment.known == {20}
    assert fragment.text.split("\n")[9] == "#     'a': 1,"


def test_other_languages_keep_their_lines_at_their_numbers() -> None:
    assert CaseFragment.of("a.ts", _lines(3, "f(")).text == "\n\nf(\n"


@pytest.mark.parametrize("lines", [{}, {1: ""}, {5_000_000: "x"}])
def test_any_lines_are_survived(lines: dict[int, str]) -> None:
    assert len(CaseFragment.of("m.py", lines).text) < 10


def _finding(line: int, defect_class: str = "eval", status: Status = Status.NEW) -> Finding:
    return Finding("", "t/1", defect_class, Plane.SECURITY, "python", Severity.WARN, "m.py",
                   Span(line, 1, line, 2), "", "", status)  # fmt: skip


@pytest.mark.parametrize(
    ("finding", "scope", "whole", "proven"),
    [
        (_finding(2), ToolScope.FILE, False, True),
        (_finding(2), None, False, True),
        (_finding(9), ToolScope.FILE, False, False),
        (_finding(2), ToolScope.PROJECT, False, False),
        (_finding(2), None, True, False),
        (_finding(2, "undefined-name"), ToolScope.FILE, False, False),
        (_finding(2, "unused-import"), ToolScope.FILE, False, False),
        (_finding(2, status=Status.CAUSED), ToolScope.FILE, False, False),
    ],
)
def test_only_findings_that_known_lines_show_are_proven(
    finding: Finding, scope: ToolScope | None, whole: bool, proven: bool
) -> None:
    fragment = CaseFragment("a\nb\n", frozenset({1, 2}), frozenset())
    assert fragment.proves(finding, scope, whole_change=whole) is proven
