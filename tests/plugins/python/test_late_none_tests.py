"""Findings of type checkers about a value that its function tests for None only later."""

from __future__ import annotations

from pathlib import Path

import pytest
from wardround_python.tools.late_none_tests import refute_by_later_test

from tests.conftest import GitRepository
from wardround.findings import Span

_MESSAGE = "Attribute `group` is not defined on `None` in union `Match[str] | None`"
_LATE = {
    "is-none": "name = x.group()\nif x is None:\n    return ''",
    "not": "name = x.group()\nlog(name)\nif not x:\n    return ''",
    "truth": "name = x.group()\nif x and name:\n    return ''",
    "then-assigned": "name = x.group()\nif x is None:\n    x = make()",
    "nested-test": "name = x.group()\nfor y in name:\n    log(y if x else 1)",
    "within-with": "with x.group() as name:\n    log(name)\nif x is None:\n    return ''",
    "head-of-a-loop": "for name in x.group():\n    log(name)\nif x is None:\n    return ''",
    "head-of-a-branch": "if x.group():\n    log(a)\nif x is None:\n    return ''",
    "same-branch": "if a:\n    x.group()\n    if x is None:\n        return ''",
}
_NOT_LATE = {
    "assigned-between": "name = x.group()\nx = make()\nif x is None:\n    return ''",
    "assigned-by-the-use": "x = x.group()\nif x is None:\n    return ''",
    "in-a-branch": "if a:\n    x.group()\nif x is None:\n    return ''",
    "in-a-loop": "for y in a:\n    log(x.group())\nif x is None:\n    return ''",
    "short-circuit": "name = a and x.group()\nif x is None:\n    return ''",
    "never": "name = x.group()\nif name is None:\n    return ''",
    "before": "if x is None:\n    return ''\nname = x.group()",
    "handled": "try:\n    name = x.group()\nexcept AttributeError:\n    pass\nif x is None:\n    return ''",
    "other-function": "name = x.group()\ndef g():\n    return x is None",
}


def _has_later_test(
    root: Path, body: str, code: str = "missing-union-attribute", message: str = _MESSAGE
) -> bool:
    lines = ["def f(a, x):", *(f"    {line}" for line in body.split("\n"))]
    (root / "app.py").write_text("\n".join(lines) + "\n")
    line = next(number for number, line in enumerate(lines, 1) if "x.group" in line)
    column = lines[line - 1].index("x.group") + 1
    return refute_by_later_test(root)("app.py", code, message, Span(line, column, line, column + 7))


@pytest.mark.parametrize("body", _LATE.values(), ids=_LATE)
def test_a_use_before_the_test_is_recognised(tmp_path: Path, body: str) -> None:
    assert _has_later_test(tmp_path, body)
    assert _has_later_test(
        tmp_path, body, "reportOptionalMemberAccess", '"group" is not a known attribute of "None"'
    )


@pytest.mark.parametrize("body", _NOT_LATE.values(), ids=_NOT_LATE)
def test_other_uses_are_not(tmp_path: Path, body: str) -> None:
    assert not _has_later_test(tmp_path, body)


def test_a_finding_about_other_types_is_not(tmp_path: Path) -> None:
    assert not _has_later_test(
        tmp_path, _LATE["is-none"], message="no attribute `group` in union `int | str`"
    )
    assert not _has_later_test(tmp_path, _LATE["is-none"], code="invalid-argument-type")


@pytest.mark.parametrize(
    ("call", "is_late"),
    [
        ("len(x.group)", True),
        ("sorted(x.group)", True),
        ("len = log\nlen(x.group)", False),
        ("other(x.group)", False),
        ("len(y for y in x.group)", False),
        ("x.group.join(x.group)", False),
    ],
)
def test_an_argument_of_python_s_own_functions_is(tmp_path: Path, call: str, is_late: bool) -> None:
    body = f"{call}\nif x.group is None:\n    return ''"
    message = "Argument to function `len` is incorrect: Expected `Sized`, found `list[int] | None`"
    for code in ("invalid-argument-type", "reportArgumentType"):
        assert _has_later_test(tmp_path, body, code, message) == is_late


def test_a_commit_reports_a_use_before_the_test(repo: GitRepository) -> None:
    text = """\
    import re


    def title(text: str) -> str:
        found = re.match("# (.*)", text)
        name = found.group(1)
        if found is None:
            return ""
        return name


    def other(text: str) -> str:
        return re.match("# (.*)", text).group(1)
    """
    repo.stage({"app.py": "\n".join(line[4:] for line in text.split("\n"))})
    report = repo.report("--staged")
    found = [item for item in report["findings"] if item["rule"] == "ty/missing-union-attribute"]
    assert [item["line"] for item in found] == [6]
    assert "tests for None only after this use" in found[0]["message"]
    assert found[0]["severity"] == "warn"
