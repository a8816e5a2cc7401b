"""A reader of Checkstyle's XML gets each finding with its file, position, severity, message and rule."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from wardround.findings import Severity
from wardround.reports import checkstyle

if TYPE_CHECKING:
    from tests.reports.conftest import Factory


def test_an_error_reports_the_finding(make: Factory) -> None:
    root = ET.fromstring(checkstyle.render(make.review(make.finding())))
    assert (root.tag, list(root.attrib)) == ("checkstyle", ["version"])
    (file,) = root
    assert (file.tag, file.attrib) == ("file", {"name": "src/a.py"})
    (error,) = file
    assert error.tag == "error"
    assert error.attrib == {
        "line": "1",
        "column": "9",
        "severity": "warning",
        "message": "Do not use mutable data structures for argument defaults. "
        "The object is made once. Every call shares it.",
        "source": "wardround.semantic.ruff/B006",
    }


def test_a_file_is_one_element(make: Factory) -> None:
    root = ET.fromstring(checkstyle.render(make.review(*make.many(60))))
    names = [file.attrib["name"] for file in root]
    assert names == sorted(set(names))
    assert [len(file) for file in root] == [3] * 20


@pytest.mark.parametrize(
    ("severity", "expected"),
    [(Severity.INFO, "info"), (Severity.WARN, "warning"), (Severity.ERROR, "error")],
)
def test_severities_are_those_of_checkstyle(make: Factory, severity: Severity, expected: str) -> None:
    root = ET.fromstring(checkstyle.render(make.review(make.finding(severity=severity))))
    assert [error.attrib["severity"] for error in root.iter("error")] == [expected]
