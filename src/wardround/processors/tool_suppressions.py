"""Comments that switch a tool off, as far as a change adds them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial

import msgspec
from msgspec.structs import replace

from wardround.change.diff import ChangedFile, Hunk
from wardround.findings import Finding
from wardround.lazy import LazyPattern
from wardround.processors.expected_errors import ExpectedErrors
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.processors.notices import new_notice
from wardround.text.globs import matches_any_case
from wardround.tools.ignore_comments import CommentForm, IgnoreComments

_SHOWN = 3
"""Maximum number of comments of one file that are reported individually."""


class ReportToolSuppressions:
    """Report added comments that switch a tool off, where the configuration of the target applies.

    A comment that waives findings of a single line and states why is for its readers; the waived findings
    count anyway. A comment by which a test expects an error is an assertion.
    """

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if inputs.is_trusted:
            return review
        suppressions = ToolSuppressions(inputs.ignore_comments)
        expected = ExpectedErrors(inputs)
        paths = sorted(inputs.reviewers)
        notices = (
            notice for path in paths for notice in _notices_of_file(path, inputs, suppressions, expected)
        )
        return replace(review, notices=(*review.notices, *notices))


def _notices_of_file(
    path: str, inputs: PipelineInputs, suppressions: ToolSuppressions, expected: ExpectedErrors
) -> Iterator[Finding]:
    rule = inputs.catalogue.rule("wardround/waiver-added")
    severity = inputs.config.for_file(path).severity(rule.id, rule.severity)
    after = inputs.texts.readable(path) if severity is not None else None
    if severity is None or after is None:
        return
    before = partial(_base_text, path, inputs)
    is_assertion = partial(expected.assert_at, path)
    for added in suppressions.added_comments(inputs.files[path], before, after, is_assertion):
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
        """Return the 0-based start of a comment on a line, and its reported text."""
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


_CODES = LazyPattern(
    r"(?:\s*[:=]?\s*(?:\[[^\]]*\]|[A-Za-z]{1,9}\d[\w-]*(?![a-z])|[\w@]+(?:[-/][\w-]+)+|\w+(?=:)|,"
    r"|(?<=[:=])\s*[\w-]+))*+"
)
"""Names of rules after a marker: ``[name-defined]``, ``: F821,S603``, ``no-eval``, ``lint/style/noVar``."""
_REASON = LazyPattern(r"[^\W\d_]{2,}[^\w\n]+(?:\w+[^\w\n]+)*?[^\W\d_]{2,}")
"""Two words at least."""
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


class ToolSuppressions:
    """Finds the comments that switch a tool off.

    Args:
        comments: those of all tools.
    """

    def __init__(self, comments: IgnoreComments) -> None:
        self._comments = comments

    def added_comments(
        self,
        file: ChangedFile,
        before: Callable[[], str],
        after: str,
        is_assertion: Callable[[int, str], bool] = lambda line, marker: False,
    ) -> list[ToolSuppression]:
        """Return the comments a change adds to a file; the code before a known comment may change.

        Args:
            before: reads the text before the change; called if ``after`` has such a comment.
            is_assertion: True for a comment, by its line and marker, that is not reported.
        """
        markers = [marker for names, marker in self._markers if matches_any_case(file.path, names)]
        markers = [marker for marker in markers if marker.pattern.search(after)]
        if not markers:
            return []

        def search(line: str) -> tuple[int, str] | None:
            return next((position for marker in markers if (position := marker.position(line))), None)

        found = self._find_added_suppressions(file, before().split("\n"), after.split("\n"), search)
        added = [comment for comment in found if not is_assertion(comment.line, comment.marker)]
        shown = added[:_SHOWN]
        return [*shown[:-1], *(replace(last, more=len(added) - len(shown)) for last in shown[-1:])]

    @cached_property
    def _markers(self) -> Sequence[tuple[tuple[str, ...], _Marker]]:
        """The patterns of file names, and the comments of one form in these files."""
        return [(form.files, self._marker(form)) for form in self._comments.forms]

    def _marker(self, form: CommentForm) -> _Marker:
        opener = LazyPattern(form.opener) if form.opener else None
        return _Marker(self._comments.reported_pattern(form), opener)

    def _find_added_suppressions(
        self, file: ChangedFile, old: Sequence[str], new: Sequence[str], search: _Search
    ) -> Iterator[ToolSuppression]:
        hunks = () if file.base_path is None else file.hunks
        known = Counter(_comments_of(hunks, old, search))
        starts = [hunk.head_start for hunk in hunks]
        for number in file.added_line_numbers(len(new)):
            line = new[number - 1]
            match = search(line)
            if match is None:
                continue
            start, marker = match
            last = bisect_right(starts, number)
            key = (starts[last - 1] if last else 0, line[start:])
            known[key] -= 1
            if known[key] < 0 and not self._states_reason(line, line.find(marker, start) + len(marker)):
                yield ToolSuppression(number, start + 1, " ".join(marker.split()))

    def _states_reason(self, line: str, end: int) -> bool:
        """Return True if a comment for one line, whose marker ends at an offset, has a reason after its
        rules.
        """
        is_setting = line.lstrip().startswith(self._comments.settings)
        if is_setting or self._comments.region.search(line) is not None:
            return False
        rest = self._comments.after_reason.split(line[end:])[0]
        codes = _CODES.match(rest)
        return _REASON.search(rest, codes.end() if codes is not None else 0) is not None


def _comments_of(hunks: Iterable[Hunk], old: Sequence[str], search: _Search) -> Iterator[tuple[int, str]]:
    """Yield the comments in the lines that hunks replace, each with the start of its hunk."""
    for hunk in hunks:
        first = max(hunk.base_start - 1, 0)
        for line in old[first : first + hunk.base_length]:
            if match := search(line):
                yield hunk.head_start, line[match[0] :]
