"""Criteria whose literals are all in one range of added code that is about their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.analyses.criterion.added_change import PROGRAM, AddedChange
from wardround.analyses.criterion.added_code import AddedCode, LiveLine, is_constant
from wardround.analyses.criterion.defaults import sets_default
from wardround.analyses.criterion.demand import Demand, covered_words
from wardround.analyses.criterion.literal_search import identifying, locate_literals, nearest
from wardround.analyses.criterion.results import Judgement, met_judgement, spans_of
from wardround.analyses.criterion.shares import IMPLEMENTED, has_clauses, is_unread
from wardround.lazy import LazyPattern

_STRONG = LazyPattern(r"--|/|[A-Z][A-Z0-9]*_|\w\.\w|\s")
_REDIRECTS = LazyPattern(r"\bredirect", re.IGNORECASE)
_REDIRECT = LazyPattern(r"redirect|navigate|push|replace|location|href|return")
"""Code that sends the user to an address."""


def judge_literals(demand: Demand, change: AddedChange) -> Judgement | None:
    """Return that a criterion is met by the first file that has all its literals; None if there is none."""
    if not _names_enough(demand) or demand.is_negative or demand.bounds or demand.removes:
        return None
    for code in change.switched_on(demand):
        lines = _lines_of_all(demand, code)
        if _meets_demand(demand, lines, code) and all(change.is_reached(line, code) for line in lines):
            spans = spans_of(code.source.path, (line.number for line in lines))
            return met_judgement("the added code uses what the criterion names", spans)
    return None


def _names_enough(demand: Demand) -> bool:
    """Return True if the names of a criterion are unlikely to be in code by chance."""
    names = identifying(demand)
    if len(names) > 1 or any(_STRONG.search(name.text) for name in names):
        return True
    return bool(names and demand.default)


def _lines_of_all(demand: Demand, code: AddedCode) -> Sequence[LiveLine]:
    """Return a line for each literal, close together; none if one of them is elsewhere."""
    if code.language not in PROGRAM or code.is_stub:
        return ()
    found = locate_literals(demand, code)
    if len(found) != len(demand.literals):
        return ()
    return nearest(found) or ()


def _meets_demand(demand: Demand, lines: Sequence[LiveLine], code: AddedCode) -> bool:
    """Return True if the file is about the criterion, and the lines satisfy it."""
    if not lines or not _is_about(demand, code) or all(map(is_constant, lines)):
        return False
    if demand.default and not sets_default(demand, code):
        return False
    if any(is_unread(name, code) for name in identifying(demand)):
        return False
    if not has_clauses(demand, code.stems_with_path):
        return False
    redirects = any(_REDIRECT.search(line.code) for line in lines)
    return redirects or not _REDIRECTS.search(demand.text)


def _is_about(demand: Demand, code: AddedCode) -> bool:
    words = len(covered_words(demand.words, code.stems_with_path))
    evidence = words + len(demand.literals)
    return words >= IMPLEMENTED * len(demand.words) and evidence >= 2
