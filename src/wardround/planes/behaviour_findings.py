"""The findings about calls whose result the change altered. They state the difference, and never call it a
defect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import msgspec

from wardround.context.run_evidence import BehaviourDifference, Observed
from wardround.findings import RawFinding, Span
from wardround.planes.claims import MeasuredPrecision
from wardround.planes.kept_promises import guarantee_kept

_MOST_CALLERS = 3
_LONGEST = 160
UNMEASURED = 0.0
"""The confidence of a kind of finding whose precision nobody has counted yet."""


class BehaviourReading(msgspec.Struct, frozen=True):
    """The parts of a change by which a difference is judged.

    Attributes:
        head: path -> the content at the head; None if there is none.
        stated: the statement of the change that no behaviour changes; empty if there is none.
        published: ``(path, function)`` of the functions that users outside of the repository can call.
        precision: rule -> its measured precision.
    """

    head: Callable[[str], str | None]
    stated: str = ""
    published: Collection[tuple[str, str]] = frozenset()
    precision: Mapping[str, MeasuredPrecision] = {}


def behaviour_result(difference: BehaviourDifference, reading: BehaviourReading) -> RawFinding:
    """Return the finding about a difference, at the definition of the function."""
    promise = guarantee_kept(reading.head(difference.path) or "", difference)
    code, why = _kind(difference, reading, promise)
    change = f": {difference.part}" if difference.part else f" {_change(difference.before, difference.after)}"
    parts = [f"{_summary(difference)}: {difference.call}{change}"]
    parts += [why] if why else []
    parts += [f"through {difference.through}"] if difference.through else []
    parts += [_called_by_test(difference)] if difference.is_private_only else []
    parts += [_callers(difference)] if difference.callers else []
    known = reading.precision.get(f"run/{code}")
    span = Span(difference.line, 1, difference.line, 2)
    confidence = UNMEASURED if known is None else known.share
    return RawFinding(code, difference.path, span, "; ".join(parts), confidence=confidence)


def _kind(difference: BehaviourDifference, reading: BehaviourReading, promise: str) -> tuple[str, str]:
    """Return the rule of a difference, and the reason for it as a clause."""
    if difference.is_addition:
        return "behaviour", ""
    if reading.stated:
        return "unstated-behaviour", f"the change states {reading.stated}"
    if promise:
        return "promised-behaviour", promise
    if difference.callers and (difference.path, difference.function) in reading.published:
        return "published-behaviour", "the function is published"
    return "behaviour", ""


def _change(before: Observed, after: Observed) -> str:
    """Return both results: "returned None; it raises ValueError now"."""
    if (before.returned, before.raised) != (after.returned, after.raised):
        return f"{_result(before, 'returned', 'raised')}; it {_result(after, 'returns', 'raises')} now"
    if before.arguments != after.arguments:
        return f"left {_arguments(before)}; it leaves {_arguments(after)} now"
    if before.printed == after.printed:
        return "had another effect in a part that is too long to show"
    return f"printed {_shorten(repr(before.printed))}; it prints {_shorten(repr(after.printed))} now"


def _result(seen: Observed, returned: str, raised: str) -> str:
    return f"{raised} {_shorten(seen.raised)}" if seen.raised is not None else f"{returned} {_value(seen)}"


def _value(seen: Observed) -> str:
    return "nothing that can be shown" if seen.returned is None else _shorten(seen.returned)


def _arguments(seen: Observed) -> str:
    return _shorten(", ".join(seen.arguments)) if seen.arguments else "its arguments as they were"


def _summary(difference: BehaviourDifference) -> str:
    if difference.is_addition:
        return "the result is the same, and an argument has more entries for this input"
    return "the result changed for this input"


def _called_by_test(difference: BehaviourDifference) -> str:
    return (
        f"called by a test{f' through {difference.recorded_through}' if difference.recorded_through else ''}"
    )


def _callers(difference: BehaviourDifference) -> str:
    more = len(difference.callers) - _MOST_CALLERS
    return (
        f"called at {', '.join(difference.callers[:_MOST_CALLERS])}{f' and {more} more' if more > 0 else ''}"
    )


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
