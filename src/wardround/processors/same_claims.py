"""Claims of a language model that are one defect, reported by several planes, which do not see each other."""

from __future__ import annotations

from collections.abc import Hashable

from wardround.findings import LANGUAGE_MODEL, Finding, Plane
from wardround.text.search_terms import count_words

_LEAST_COMMON = 3
"""The least number of terms that two messages about one defect share, without those of the quoted lines."""
_SHARE = 0.35
"""The least share of the shorter message in the longer one, for claims that quote the same code."""
_SHARE_OF_OTHER_QUOTES = 0.6
"""The same for claims that quote other code, without the terms of the quoted lines.

Source: the pairs of claims in the tests of this module, and 135 pairs of a large language model about ten
commits, which a reader grouped by defect: 39 of 46 are recognized, and none of 89 others.
"""
_PREFERRED = {
    f"{LANGUAGE_MODEL}/{plane}": number
    for number, plane in enumerate(
        (Plane.SEMANTIC, Plane.SECURITY, Plane.CONTRACT, Plane.INTENT, Plane.PERF, Plane.TESTS)
    )
}
"""The rule of a plane -> its rank: planes that judge what the code does come before those that judge its
description, its speed and its tests.
"""


class SameClaim:
    """Claims of different planes about the same or adjacent lines whose messages agree are one defect.

    Messages also have to share words outside of the quoted lines: two defects of one line share its names.
    Two lines, such as mirrored ones, have different defects if each claim names something on its own line.
    What the plane of the tests reports, such as a missing test, is never the defect itself.
    """

    distance = 1

    def scope(self, finding: Finding) -> Hashable:
        """Return the file."""
        return finding.file

    def matches(self, first: Finding, second: Finding) -> bool:
        """Return True if two claims are one defect."""
        if abs(first.span.line - second.span.line) > self.distance:
            return False
        if Plane.TESTS in (first.plane, second.plane):
            return False
        quotes = _quote(first), _quote(second)
        code = _terms(quotes[0]), _terms(quotes[1])
        messages = _terms(_message(first)), _terms(_message(second))
        if messages[0] & code[0] - code[1] - messages[1] and messages[1] & code[1] - code[0] - messages[0]:
            return False
        words = messages[0] - code[0] - code[1], messages[1] - code[0] - code[1]
        if len(words[0] & words[1]) < _LEAST_COMMON:
            return False
        is_same_code = quotes[0] in quotes[1] or quotes[1] in quotes[0]
        return (is_same_code and _share(*messages) >= _SHARE) or _share(*words) >= _SHARE_OF_OTHER_QUOTES

    def preference(self, finding: Finding) -> int:
        """Return the rank of its plane."""
        return _PREFERRED.get(finding.rule, len(_PREFERRED))


def _share(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the common terms as a share of the smaller set, which is not empty."""
    return len(first & second) / min(len(first), len(second))


def _quote(finding: Finding) -> str:
    return "" if finding.claim is None else " ".join(finding.claim.quote.split())


def _message(finding: Finding) -> str:
    """Return the message of a claim without its kind, which follows in parentheses."""
    return finding.message.rpartition(" (")[0]


def _terms(text: str) -> frozenset[str]:
    return frozenset(count_words(text))
