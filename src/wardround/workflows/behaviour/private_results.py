"""Results of private functions that changed with their only users: another form of an internal value."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.context.run_evidence import InputOrigin
from wardround.lazy import LazyPattern
from wardround.workflows.behaviour.comparison import CallPair, FunctionResult
from wardround.workflows.behaviour.normal_text import STRING_LITERAL
from wardround.workflows.behaviour.targets import Target

_LEAST_INPUTS = 10
"""The number of recorded inputs from which on a difference in all of them is a rule."""
_TEXTS = LazyPattern(rf"[bB]?(?:{STRING_LITERAL})")
_NUMBERS = LazyPattern(r"(?<![\w.])-?\d[\d_.e+-]*")


def internal_form(target: Target, result: FunctionResult) -> str:
    """Return the reason for which results of a private function are another form of the same, as a clause.

    It is empty for a function that changes some results only, or few results of the same form.
    """
    before, after = target.base.returns, target.head.returns
    if before and after and before != after:
        return "its return annotation changed with its results"
    recorded = [pair for pair in result.differing if pair.base.origin is InputOrigin.RECORDED]
    if not recorded:
        return ""
    if all(pair.is_gain for pair in recorded):
        return "its results only have more entries"
    if len(recorded) == result.recorded and _is_evident(recorded):
        return "all recorded inputs differ, as for another form of an internal value"
    return ""


def _is_evident(differing: Sequence[CallPair]) -> bool:
    """Return True if enough results differ, or each one in its form."""
    return len(differing) >= _LEAST_INPUTS or all(map(_has_other_form, differing))


def _has_other_form(pair: CallPair) -> bool:
    """Return True if two results differ in more than the values of strings and numbers."""
    return pair.base.kind == pair.head.kind == "returned" and _form(pair.base.text) != _form(pair.head.text)


def _form(text: str) -> str:
    return _NUMBERS.sub("0", _TEXTS.sub("''", text))
