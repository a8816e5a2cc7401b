"""Files that were not reviewed, by reason; missing tools share one reason with one command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

import msgspec

from wardround.findings import Unreviewed

_NOT_INSTALLED = " is not installed; "
_NAMED_TOOLS = 3
"""The number of missing tools that the shared reason names."""


class UnreviewedGroup(msgspec.Struct, frozen=True):
    """The files that were not reviewed for one reason, in their order.

    Attributes:
        tool: the name of the tool; empty if the reason is about several tools, which it names.
    """

    tool: str
    reason: str
    files: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The reason, with the tool that it is about."""
        is_named = not self.tool or self.reason.startswith((f"{self.tool} ", "it "))
        return self.reason if is_named else f"{self.tool}: {self.reason}"


def unreviewed_groups(unreviewed: Sequence[Unreviewed]) -> list[UnreviewedGroup]:
    """Return the groups by tool and reason; the tools that extras install come first, as one group."""
    extras = _missing_extras(unreviewed)
    if len({entry.tool for entry in extras}) < 2:
        return list(_by_reason(unreviewed))
    others = [entry for entry in unreviewed if entry not in extras]
    return [_shared_group(extras), *_by_reason(others)]


def _by_reason(unreviewed: Sequence[Unreviewed]) -> Iterator[UnreviewedGroup]:
    by_reason = attrgetter("tool", "reason")
    ordered = sorted(unreviewed, key=attrgetter("tool", "reason", "file"))
    for (tool, reason), group in groupby(ordered, key=by_reason):
        yield UnreviewedGroup(tool, reason, tuple(entry.file for entry in group))


def _missing_extras(unreviewed: Sequence[Unreviewed]) -> dict[Unreviewed, str]:
    """Return the entries whose tool an extra installs, with that extra."""
    missing = [entry for entry in unreviewed if _NOT_INSTALLED in entry.reason]
    if not missing:
        return {}
    from wardround.tools.install_hints import extra_in_hint  # nothing is missing in most reviews

    named = {entry: extra_in_hint(entry.reason.partition(_NOT_INSTALLED)[2]) for entry in missing}
    return {entry: extra for entry, extra in named.items() if extra is not None}


def _shared_group(extras: dict[Unreviewed, str]) -> UnreviewedGroup:
    from wardround.tools.install_hints import hint_for_extras

    programs = sorted({entry.reason.partition(_NOT_INSTALLED)[0] for entry in extras})
    names = frozenset(name for extra in extras.values() for name in extra.split(","))
    reason = f"{_enumeration(programs)} not installed; {hint_for_extras(names)}"
    return UnreviewedGroup("", reason, tuple(sorted({entry.file for entry in extras})))


def _enumeration(programs: Sequence[str]) -> str:
    """Return the first programs, the number of the others, and the verb that follows them."""
    named, more = ", ".join(programs[:_NAMED_TOOLS]), len(programs) - _NAMED_TOOLS
    if len(programs) == 1:
        return f"{named} is"
    if more > 0:
        return f"{named} and {more} more {'tool' if more == 1 else 'tools'} are"
    *others, last = programs
    return f"{', '.join(others)} and {last} are"
