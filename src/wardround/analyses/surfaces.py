"""The changes of published surfaces: of interfaces that users outside of the repository rely on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from wardround.analyses.analysis import Analysis, ReportLine
from wardround.context.document import ContextDocument
from wardround.context.surface.model import ComparingTool, Surface
from wardround.findings import Plane

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView

_LABEL = "public surface: "
_SHOWN = 5
"""The number of changes that the report shows; --format json has all."""


class Surfaces(Analysis[Surface]):
    """The changes that break users, with the announcement of each."""

    name = "surface"
    plane = Plane.CONTRACT
    notes_type = Surface

    def analyse(self, view: ChangeView) -> Surface:
        return view.published.surface

    def variables(self, notes: Surface, context: ContextDocument) -> Mapping[str, Any]:
        numbers = {
            "breaking": len(notes.breaking),
            "unannounced": sum(change.is_unseen for change in notes.changes),
            "not_compared": len(notes.not_compared),
        }
        return {"contract": numbers}

    def lines(self, notes: Surface, context: ContextDocument) -> Iterator[ReportLine]:
        """Yield the changes that break users, unannounced ones first, and what was not compared."""
        breaking = sorted(notes.breaking, key=lambda change: change.announced_by is not None)
        if breaking:
            yield ReportLine(_summary(notes), _LABEL)
        for change in breaking[:_SHOWN]:
            yield ReportLine(f"{change.path}:{change.line} {change.name} {change.detail}", "  ", indent=4)
        if len(breaking) > _SHOWN:
            yield ReportLine(f"and {len(breaking) - _SHOWN} more: --format json has them", "  ")
        for missing in notes.not_compared:
            yield ReportLine(f"{missing.kind} not compared: {missing.reason}", _LABEL)

    def tools(self, notes: Surface) -> tuple[ComparingTool, ...]:
        return notes.tools


def _summary(surface: Surface) -> str:
    count, unannounced = len(surface.breaking), len(surface.unannounced)
    sources = Counter(change.announced_by for change in surface.breaking if change.announced_by is not None)
    named = ", ".join(source for source, _ in sources.most_common(2))
    text = f"{count} breaking change{'' if count == 1 else 's'}"
    if not sources:
        return f"{text}, not announced"
    if not unannounced:
        return f"{text}, announced by {named}"
    return f"{text}: {unannounced} not announced, {count - unannounced} announced by {named}"
