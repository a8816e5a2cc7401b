"""The base class of the checks: a removal or a change of a definition, with the uses that it breaks."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Severity, Span
from wardround.semantics.semdiff.line_diff import removal_site, span_of_line
from wardround_contract.analysis.uses import RemainingUse

_SHOWN = 3
_START = Span(1, 1, 1, 1)
"""The position of a finding about a deleted file."""


class BrokenUseCheck(ChangeCheck):
    """Reports a removed or changed definition once, with its uses.

    The position is the first use in a changed file; otherwise that of the removal or the definition.
    """

    PLANE = Plane.CONTRACT

    def report_removed_definition(
        self, file: ChangedFileView, line: int, what: str, uses: Sequence[RemainingUse], severity: Severity
    ) -> None:
        """Report uses of something that was at a line of the base.

        Args:
            what: the removal as the first part of a sentence: "`x` is removed".
        """
        span = _START if file.text is None else removal_site(file, line)
        self._report(file, span, what, uses, severity)

    def report_changed_definition(
        self, file: ChangedFileView, line: int, what: str, uses: Sequence[RemainingUse], severity: Severity
    ) -> None:
        """Report uses of something at a line of the head that they do not fit any more."""
        self._report(file, span_of_line(file, line), what, uses, severity)

    def _report(
        self, file: ChangedFileView, span: Span, what: str, uses: Sequence[RemainingUse], severity: Severity
    ) -> None:
        path = file.path
        for use in sorted(uses):
            other = self.change.file(use.path)
            if other is not None and other.text is not None:
                path, span = other.path, span_of_line(other, use.line)
                break
        self.report(path, span, f"{what}; {describe_uses(uses)}", severity)


def describe_uses(uses: Sequence[RemainingUse]) -> str:
    """Return up to three uses with path and line, and the number of files."""
    ordered = sorted(dict.fromkeys(uses))
    files = len({use.path for use in ordered})
    locations = list(dict.fromkeys(f"{use.path}:{use.line}" for use in ordered))
    more = f" and {len(locations) - _SHOWN} more" if len(locations) > _SHOWN else ""
    count = "1 file still uses it" if files == 1 else f"{files} files still use it"
    return f"{count}: {', '.join(locations[:_SHOWN])}{more}"
