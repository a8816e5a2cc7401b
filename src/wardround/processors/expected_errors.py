"""Comments in tests by which a tool expects an error, as ``@ts-expect-error``: assertions that it checks.

They waive nothing there: the tool reports an unused one, as a test runner reports that a call did not raise.
Outside of tests, and for other tools, they are ignore comments like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.config.config_files import tools_for
from wardround.findings import Finding
from wardround.processors.model import PipelineInputs

_COMMENT_LINE = re.compile(r"\s*(?://|/\*|\*|\{/\*|#|$)")


class ExpectedErrors:
    """The errors that tests of the changed files expect."""

    def __init__(self, inputs: PipelineInputs) -> None:
        self._inputs = inputs

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        """The comments by tool; loads the tools, which most reviews do not need here."""
        tools = tools_for(self._inputs.specialists)
        return {tool.name: re.compile(tool.expected_error) for tool in tools if tool.expected_error}

    def cover(self, finding: Finding) -> bool:
        """Return True if a test expects a finding, by a comment of its tool directly above it."""
        pattern = self._patterns.get(finding.rule.partition("/")[0])
        if pattern is None:
            return False
        lines = (self._inputs.texts.readable(finding.file) or "").split("\n")
        comments = list(_comments_above(lines, finding.span.line))
        expected = [number for number in comments if pattern.search(lines[number - 1])]
        return bool(expected) and self._is_in_test(finding.file, expected[0])

    def assert_at(self, path: str, line: int, marker: str) -> bool:
        """Return True if a comment, by its text and 1-based line, is such an assertion, and the only comment
        for a tool on its line.
        """
        patterns = [pattern for pattern in self._patterns.values() if pattern.search(marker)]
        if not patterns:
            return False
        text = (self._inputs.texts.readable(path) or "").split("\n")[line - 1]
        other = self._inputs.ignore_comments.ignore.search(patterns[0].sub("", text))
        return other is None and self._is_in_test(path, line)

    def _is_in_test(self, path: str, line: int) -> bool:
        text = self._inputs.texts.readable(path) or ""
        return any(specialist.is_in_test(path, text, line) for specialist in self._inputs.specialists)


def _comments_above(lines: Sequence[str], line: int) -> Iterator[int]:
    """Yield the 1-based numbers of the comment lines and empty lines above a line, the nearest first."""
    number = line - 1
    while 1 <= number <= len(lines) and _COMMENT_LINE.match(lines[number - 1]):
        yield number
        number -= 1
