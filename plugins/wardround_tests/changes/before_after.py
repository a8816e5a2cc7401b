"""The tests of a file before and after a change, and where removed tests moved to."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from wardround.checks.source import ChangedFileView
from wardround_tests.changes.test_regressions import LITERAL
from wardround_tests.models.assertions import LOOSE, TestedCase
from wardround_tests.models.test_files import tests_of

_IDENTIFIER = r"[A-Za-z_]\w{3,}"
_MEMBER = r"\.(\w+)"
_OF_A_RUNNER = r"(to[A-Z]|assert|not$|resolves$|rejects$|deep$|equal$)"
_TELLING_LITERALS = 2
"""Minimum number of literals of a test that must all occur in another test for the two to be the same."""
_TELLING_LENGTH = 3
_SAME = 0.5
"""Minimum share of a test's words in a new test by which it is recognised as renamed."""


class Versions(msgspec.Struct, frozen=True):
    """The tests of one file by name, before and after the change."""

    file: ChangedFileView
    before: dict[str, TestedCase]
    after: dict[str, TestedCase]

    @classmethod
    def of(cls, file: ChangedFileView) -> Versions | None:
        """Parse base and head; None if one of them cannot be parsed."""
        before = tests_of(file.base_path or file.path, file.base_text) if file.base_text else {}
        after = tests_of(file.path, file.text) if file.text else {}
        return None if before is None or after is None else cls(file, before, after)

    @property
    def removed(self) -> list[TestedCase]:
        return [case for name, case in self.before.items() if name not in self.after]

    @property
    def changed(self) -> list[TestedCase]:
        """The tests of the new version that are new or changed."""
        previous = self.before
        return [
            case
            for name, case in self.after.items()
            if name not in previous
            or previous[name].source != case.source
            or previous[name].parameters != case.parameters
        ]


def is_asserted_by_new(assertion: str, versions: Versions) -> bool:
    """Return True if a new test of the file asserts the same attribute or method."""
    names = [member for member in re.findall(_MEMBER, assertion) if not re.match(_OF_A_RUNNER, member)]
    new = [
        a.text
        for title, case in versions.after.items()
        if title not in versions.before
        for a in case.assertions
    ]
    return bool(names) and any(re.search(rf"\.{re.escape(names[-1])}\b", text) for text in new)


def is_replaced(removed: Sequence[TestedCase], versions: Versions, name: str) -> bool:
    """Return True if new tests of a file assert at least as much of a function as the removed ones."""
    new = [
        case for title, case in versions.after.items() if title not in versions.before and name in case.source
    ]
    return bool(new) and _assertion_count(new) >= _assertion_count(removed)


def _assertion_count(cases: Sequence[TestedCase]) -> int:
    """Count the assertions that check more than presence, over all parameter sets."""
    return sum(
        max(len(case.parameters), 1) * sum(a.strength > LOOSE for a in case.assertions) for case in cases
    )


def is_moved_to(case: TestedCase, target: TestedCase) -> bool:
    """Return True if a test moved: same name, shared assertions or most of its words."""
    if case.name.rpartition(".")[2] == target.name.rpartition(".")[2]:
        return True
    if {a.text for a in case.assertions if len(a.text) > 12} & {a.text for a in target.assertions}:
        return True
    words = set(re.findall(_IDENTIFIER, case.source))
    if len(words & set(re.findall(_IDENTIFIER, target.source))) > _SAME * len(words):
        return True
    return bool(target.parameters) and _is_parameter_set_of(case, target)


def _is_parameter_set_of(case: TestedCase, target: TestedCase) -> bool:
    """Return True if the parameter sets of another test contain the literals of a test."""
    literals = _literals(case.source)
    is_telling = len(literals) >= _TELLING_LITERALS and any(
        len(literal) >= _TELLING_LENGTH for literal in literals
    )
    return is_telling and literals <= _literals("\n".join(target.parameters))


def _literals(source: str) -> set[str]:
    """Return the literals of a test, without their quotes."""
    return {literal.strip("\"'`") for literal in re.findall(LITERAL, source)}
