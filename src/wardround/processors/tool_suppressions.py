"""Comments that switch a tool off, as far as a change adds them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from wardround.change.diff import ChangedFile
from wardround.checks.lazy import LazyPattern
from wardround.config.globs import matches_any_case
from wardround.context.ignore_comments import FORMS, IGNORE_COMMENTS, CommentForm, reported_pattern
from wardround.findings import Finding
from wardround.processors.expected_errors import ExpectedErrors
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.notices import new_notice

_SHOWN = 3
"""Comments of one file that are reported one by one."""


class ReportToolSuppressions:
    """Report added comments that switch a tool off, where the configuration of the target applies.

    One that waives findings of a single line and states why is for its readers; what it hides counts anyway.
    One by which a test expects an error is an assertion.
    """

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if inputs.is_trusted:
            return review
        expected = ExpectedErrors(inputs)
        paths = sorted(inputs.reviewers)
        notices = (notice for path in paths for notice in _notices_of_file(path, inputs, expected))
        return replace(review, notices=(*review.notices, *notices))


def _notices_of_file(path: str, inputs: PipelineInputs, expected: ExpectedErrors) -> Iterator[Finding]:
    rule = inputs.catalogue.rule("wardround/waiver-added")
    severity = inputs.config.for_file(path).severity(rule.id, rule.severity)
    after = inputs.texts.readable(path) if severity is not None else None
    if severity is None or after is None:
        return
    before = partial(_base_text, path, inputs)
    is_assertion = partial(expected.assert_at, path)
    for added in added_tool_suppressions(inputs.files[path], before, after, is_assertion):
        message = f"{added.marker!r} switches a tool off here, which this change cannot decide alone"
        message += f"; {added.more} more below" if added.more else ""
        position = (added.line, added.column)
        yield replace(new_notice(inputs, "waiver-added", path, position, message), severity=severity)


def _base_text(path: str, inputs: PipelineInputs) -> str:
    return inputs.texts.readable(path, base=True) or ""


class _Marker(msgspec.Struct, frozen=True):
    """The ignore comments of one form on a line."""

    pattern: LazyPattern
    opener: LazyPattern | None = None

    def position(self, line: str) -> tuple[int, str] | None:
        """The 0-based start of a comment on a line, and its reported text."""
        opener = None if self.opener is None else self.opener.search(line)
        if self.opener is not None and opener is None:
            return None
        match = self.pattern.search(line, 0 if opener is None else opener.end())
        if match is None:
            return None
        if opener is None:
            return match.start(), match[match.lastindex or 0]
        start = opener.start(1) if opener.lastindex else match.start(match.lastindex or 0)
        return opener.start(), line[start : match.end()]


_REGION = LazyPattern("|".join(f"(?:{one.region})" for one in IGNORE_COMMENTS if one.region), re.IGNORECASE)
_CODES = LazyPattern(
    r"(?:\s*[:=]?\s*(?:\[[^\]]*\]|[A-Za-z]{1,9}\d[\w-]*(?![a-z])|[\w@]+(?:[-/][\w-]+)+|\w+(?=:)|,"
    r"|(?<=[:=])\s*[\w-]+))*+"
)
"""Names of rules after a marker: ``[name-defined]``, ``: F821,S603``, ``no-eval``, ``lint/style/noVar``."""
_REASON = LazyPattern(r"[^\W\d_]{2,}[^\w\n]+(?:\w+[^\w\n]+)*?[^\W\d_]{2,}")
"""Two words at least."""
_ANOTHER = LazyPattern(r"(?i)#\s*(?:noqa|nosec|type:|ty:|pyright:|mypy:|pylint:|ruff:|wardround:)")


def _states_reason(line: str, end: int) -> bool:
    """Return True if a comment for one line, whose marker ends at an offset, has a reason after its rules."""
    if _REGION.search(line) is not None or line.lstrip().startswith(("/* eslint ", "# pyright:")):
        return False
    rest = _ANOTHER.split(line[end:])[0]
    codes = _CODES.match(rest)
    return _REASON.search(rest, codes.end() if codes is not None else 0) is not None


def _marker(form: CommentForm) -> _Marker:
    return _Marker(reported_pattern(form), LazyPattern(form.opener) if form.opener else None)


_MARKERS = tuple((form.files, _marker(form)) for form in FORMS)
_Search = Callable[[str], tuple[int, str] | None]


class ToolSuppression(msgspec.Struct, frozen=True):
    """An added comment that switches a tool off.

    Attributes:
        line, column: of its start, 1-based.
        marker: the text that switches the tool off.
        more: how many the change adds further down in the same file, which are not reported.
    """

    line: int
    column: int
    marker: str
    more: int = 0


def added_tool_suppressions(
    file: ChangedFile,
    before: Callable[[], str],
    after: str,
    is_assertion: Callable[[int, str], bool] = lambda line, marker: False,
) -> list[ToolSuppression]:
    """The comments a change adds to a file; the code before a known comment may change.

    Args:
        before: reads the text before the change; called if ``after`` has such a comment.
        is_assertion: True for a comment, by its line and marker, that is not reported.
    """
    markers = [marker for names, marker in _MARKERS if matches_any_case(file.path, names)]
    markers = [marker for marker in markers if marker.pattern.search(after)]
    if not markers:
        return []

    def search(line: str) -> tuple[int, str] | None:
        return next((position for marker in markers if (position := marker.position(line))), None)

    found = _added(file, before().split("\n"), after.split("\n"), search)
    added = [one for one in found if not is_assertion(one.line, one.marker)]
    shown = added[:_SHOWN]
    return [*shown[:-1], *(replace(last, more=len(added) - len(shown)) for last in shown[-1:])]


def _added(
    file: ChangedFile, old: Sequence[str], new: Sequence[str], search: _Search
) -> Iterator[ToolSuppression]:
    hunks = () if file.base_path is None else file.hunks
    known = Counter(
        (hunk.head_start, line[match[0] :])
        for hunk in hunks
        for line in old[max(hunk.base_start - 1, 0) : max(hunk.base_start - 1, 0) + hunk.base_length]
        if (match := search(line))
    )
    starts = [hunk.head_start for hunk in hunks]
    for number in file.added_line_numbers(len(new)):
        line = new[number - 1]
        match = search(line)
        if match is not None:
            start, marker = match
            last = bisect_right(starts, number)
            key = (starts[last - 1] if last else 0, line[start:])
            known[key] -= 1
            if known[key] < 0 and not _states_reason(line, line.find(marker, start) + len(marker)):
                yield ToolSuppression(number, start + 1, " ".join(marker.split()))
