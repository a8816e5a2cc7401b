"""The default values that added code assigns to names of a criterion."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.analyses.criterion.added_change import AddedChange
from wardround.analyses.criterion.added_code import AddedCode, LiveLine
from wardround.analyses.criterion.demand import Demand, Literal
from wardround.analyses.criterion.literal_search import identifying, lines_with
from wardround.lazy import LazyPattern

_BOOLEANS = ("true", "false")


def other_default(demand: Demand, change: AddedChange) -> str:
    """Return the reason why added code gives another default than a criterion; empty if it does not."""
    if not demand.default:
        return ""
    for code in change.implementation:
        for name, value in _defaults(demand, code):
            if value and value != demand.default and _is_comparable(value, demand.default):
                return f"the added default of {name.text} is {value}, not {demand.default}"
    return ""


def sets_default(demand: Demand, code: AddedCode) -> bool:
    """Return True if a line gives a name of the criterion its default."""
    return any(value == demand.default for _, value in _defaults(demand, code))


def _defaults(demand: Demand, code: AddedCode) -> Iterator[tuple[Literal, str]]:
    """Yield each name of a criterion with the value that a line assigns to it; empty if it assigns
    nothing.
    """
    for name in identifying(demand):
        for line in lines_with(name, code.effective):
            yield name, _assigned_value(name, line)


def _assigned_value(name: Literal, line: LiveLine) -> str:
    spelled = re.escape(name.spellings[0])
    assignment = LazyPattern(
        rf"{spelled}[\"']?\s*(?::\s*[\w\[\]| .]+?)?\s*(?:=|:|\?\?=?|\|\|)\s*[{{\"']?([\w.-]+)|"
        rf"{spelled}.*\bdefault\s*=\s*[\"']?([\w.-]+)"
    )
    match = assignment.search(line.code)
    if match is None:
        return ""
    return match[1] or match[2] or ""


def _is_comparable(value: str, expected: str) -> bool:
    """Return True for two truth values, two numbers, or two of neither."""
    if (value in _BOOLEANS) != (expected in _BOOLEANS):
        return False
    return value[:1].isdigit() == expected[:1].isdigit()
