"""The section of the text report about published surfaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wardround.context.surface.model import Surface
from wardround.reports.terminal import wrapped
from wardround.text.escaping import one_line

_SHOWN = 5
"""The number of changes that the report shows; --format json has all."""


def surface_lines(surface: Surface) -> Iterator[str]:
    """Return the changes that break users, those that nothing announces first, and what was not compared."""
    breaking = sorted(surface.breaking, key=lambda one: one.announced_by is not None)
    if breaking:
        yield from wrapped(_summary(surface), 2, "public surface: ")
    for one in breaking[:_SHOWN]:
        yield from wrapped(one_line(f"{one.path}:{one.line} {one.name} {one.detail}"), 4, "  ")
    if len(breaking) > _SHOWN:
        yield f"  and {len(breaking) - _SHOWN} more: --format json has them"
    for missing in surface.not_compared:
        yield from wrapped(one_line(f"{missing.kind} not compared: {missing.reason}"), 2, "public surface: ")


def _summary(surface: Surface) -> str:
    count, open_ = len(surface.breaking), len(surface.unannounced)
    sources = Counter(one.announced_by for one in surface.breaking if one.announced_by is not None)
    named = ", ".join(one_line(source) for source, _ in sources.most_common(2))
    text = f"{count} breaking change{'' if count == 1 else 's'}"
    if not sources:
        return f"{text}, not announced"
    if not open_:
        return f"{text}, announced by {named}"
    return f"{text}: {open_} not announced, {count - open_} announced by {named}"
