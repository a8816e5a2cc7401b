"""Reports about names that a change removed from a module while other files still use them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Severity, Span
from wardround.semantics.semdiff.line_diff import removal_site, span_of_line

_SHOWN = 3
_START = Span(1, 1, 1, 1)
"""The position of a finding about a deleted file."""


class RemovedUse(msgspec.Struct, frozen=True, order=True):
    """One use of a name; ``name`` is empty if it uses the module itself."""

    path: str
    line: int
    name: str
    is_for_types: bool = False


class RemovedUsesCheck(ChangeCheck):
    """Reports each removal once, at its position, with the remaining uses."""

    def report_module(self, file: ChangedFileView, called: str, uses: Sequence[RemovedUse]) -> None:
        """Report the uses of a module that no longer exists at its old path.

        Args:
            called: the module's name for people.
        """
        if file.path != file.base_path and file.text is not None:
            self._report(file.path, span_of_line(file, 1), f'module "{called}" is moved to {file.path}', uses)
        else:
            self._report(file.path, _START, f'module "{called}" is removed', uses)

    def report_names(
        self, file: ChangedFileView, current: str, before: Mapping[str, int], uses: Sequence[RemovedUse]
    ) -> None:
        """Report the names that are still used, those that were removed at one position together.

        Args:
            current: the path of the module after the change.
            before: the line of each name before it.
        """
        target = self.change.file(current) or file
        locations: dict[Span, list[str]] = defaultdict(list)
        for name in sorted({use.name for use in uses}, key=lambda use: (before[use], use)):
            locations[_span(file, target, before[name])].append(name)
        for span, names in locations.items():
            listed = ", ".join(f'"{name}"' for name in names[:_SHOWN])
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            what = f"{listed}{more} {'is' if len(names) == 1 else 'are'} removed"
            self._report(target.path, span, what, [use for use in uses if use.name in names])

    def _report(self, path: str, span: Span, what: str, uses: Sequence[RemovedUse]) -> None:
        locations = list(dict.fromkeys(f"{use.path}:{use.line}" for use in uses))
        more = f" and {len(locations) - _SHOWN} more" if len(locations) > _SHOWN else ""
        text = (
            f"{what} but still used at {', '.join(locations[:_SHOWN])}{more}; change them in the same commit"
        )
        self.report(path, span, text, Severity.WARN if all(use.is_for_types for use in uses) else None)


def _span(file: ChangedFileView, target: ChangedFileView, line: int) -> Span:
    """Return the span of a removal, as precisely as the new text of a file permits."""
    if target.text is None:
        return _START
    return removal_site(file, line) if target is file and file.text else span_of_line(target, 1)
