"""The counters of a finding: numbers about its file, its rule and the function around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from wardround.findings import Finding
from wardround.processors.baseline_file import Baseline


class Counters(msgspec.Struct, frozen=True):
    """The counters of one finding.

    Attributes:
        lines: number of lines of the finding's file.
        in_file: findings in its file, existing ones too.
        same_in_file: findings of its rule in its file, existing ones too.
        same_in_repository: the known findings of its rule.
        function_lines: number of lines of the enclosing function, 0 outside of functions; None where that is
            unknown.
    """

    lines: int
    in_file: int
    same_in_file: int
    same_in_repository: int
    function_lines: int | None


def known_by_rule(findings: Sequence[Finding], baseline: Baseline) -> Mapping[str, int]:
    """Return the number of known findings of each rule: those of the review, and accepted ones elsewhere."""
    reviewed = {finding.file for finding in findings}
    accepted = (entry.rule for entry in baseline.findings if entry.file not in reviewed)
    return Counter([*(finding.rule for finding in findings), *accepted])


class FindingCounters:
    """The counters of the findings of a review; each file is read once.

    Args:
        findings: all of the reviewed files, existing ones too.
        baseline: its findings in other files count as known.
    """

    def __init__(
        self, findings: Sequence[Finding], text_of: Callable[[str], str | None], baseline: Baseline
    ) -> None:
        self._text_of = text_of
        self._files: dict[str, tuple[Sequence[str], Sequence[int] | None]] = {}
        self._in_file = Counter(finding.file for finding in findings)
        self._same_in_file = Counter((finding.file, finding.rule) for finding in findings)
        self._same = known_by_rule(findings, baseline)

    def of(self, finding: Finding) -> Counters:
        """Return the counters of one of the findings."""
        lines, functions = self._file(finding.file)
        index = finding.span.line - 1
        return Counters(
            lines=len(lines),
            in_file=self._in_file[finding.file],
            same_in_file=self._same_in_file[finding.file, finding.rule],
            same_in_repository=self._same[finding.rule],
            function_lines=None if functions is None or index >= len(functions) else functions[index],
        )

    def _file(self, path: str) -> tuple[Sequence[str], Sequence[int] | None]:
        if path not in self._files:
            lines = (self._text_of(path) or "").split("\n")
            self._files[path] = lines, function_lengths(lines) if path.endswith((".py", ".pyi")) else None
        return self._files[path]


def function_lengths(lines: Sequence[str]) -> list[int]:
    """For each line of Python, the length of the innermost function around it; 0 outside of functions.

    Indentation decides: a dedent inside a string of several lines ends a function early.
    """
    lengths = [0] * len(lines)
    open_functions: list[tuple[int, int, int]] = []
    spans: list[tuple[int, int, int]] = []
    last = -1
    for number, line in enumerate(lines):
        text = line.lstrip()
        if not text or text.startswith(("#", ")", "]", "}")):
            continue
        indent = len(line) - len(text)
        while open_functions and indent <= open_functions[-1][0]:
            _, start, depth = open_functions.pop()
            spans.append((depth, start, last))
        if text.startswith(("def ", "async def ")):
            open_functions.append((indent, number, len(open_functions)))
        last = number
    spans += [(depth, start, last) for _, start, depth in open_functions]
    for _, start, end in sorted(spans):  # outer functions first, so that the innermost counts
        lengths[start : end + 1] = [end - start + 1] * (end - start + 1)
    return lengths
