"""A comparison of behaviour as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.context.run_evidence import BehaviourDifference, BehaviourRun, InputOrigin, Observed, RunState
from wardround.text.escaping import json_text, one_line

_ORIGINS = {
    InputOrigin.RECORDED: "recorded in",
    InputOrigin.MUTATED: "changed from a call recorded in",
    InputOrigin.CROSSED: "combined from calls, one of them recorded in",
}
_MOST_RESULT = 120
"""Characters of a result next to one of another kind."""
_MOST_NAME = 160
"""Maximum length of the id of a test; pytest includes large parameters in it."""


def as_json(run: BehaviourRun) -> str:
    """Return a comparison as indented JSON."""
    return json_text(msgspec.json.format(msgspec.json.encode(run))) + "\n"


def as_text(run: BehaviourRun) -> str:
    """Return a comparison for a terminal."""
    return "".join(f"{one_line(line)}\n" for line in _lines(run))


def is_message_only(difference: BehaviourDifference) -> bool:
    """Return True if base and head raise the same class, and only its message changed."""
    before, after = difference.before, difference.after
    if before.raised is None or after.raised is None:
        return False
    has_effects = before.arguments or after.arguments or before.printed or after.printed
    return not has_effects and before.raised.partition("(")[0] == after.raised.partition("(")[0]


def statement(difference: BehaviourDifference) -> str:
    """Return a difference as one sentence."""
    if is_message_only(difference) and difference.part:
        return f"{difference.call} raises the same error with another message: {difference.part}"
    if is_message_only(difference):
        messages = f"{difference.after.raised}, before {difference.before.raised}"
        return f"{difference.call} raises the same error with another message: {messages}"
    if difference.is_addition:
        before, after = (", ".join(call.arguments) for call in (difference.before, difference.after))
        part = difference.part or f"{after}, before {before}"
        return f"{difference.call} has the same result and adds to an argument: {part}"
    if difference.part:
        return f"the result changed for this input: {difference.call}: {difference.part}"
    before, after = _did(difference.before, "returned", "raised"), _did(difference.after, "returns", "raises")
    return f"the result changed for this input: {difference.call} {before}; it {after} now"


def _did(observed: Observed, returned: str, raised: str) -> str:
    text = _short(observed.returned or "") if observed.raised is None else _short(observed.raised)
    text = f"{returned if observed.raised is None else raised} {text}"
    if observed.arguments:
        text += f", with {', '.join(observed.arguments)} afterwards"
    return f"{text}, printing {observed.printed!r}" if observed.printed else text


def _short(text: str) -> str:
    return text if len(text) <= _MOST_RESULT else f"{text[:_MOST_RESULT]}..."


def _test_label(test: str) -> str:
    """Return the id of a test, without the end of long parameters."""
    name = test or "the start of the tests"
    return name if len(name) <= _MOST_NAME else f"{name[:_MOST_NAME]}..."


def _lines(run: BehaviourRun) -> Iterator[str]:
    if run.conditions.detail or run.conditions.state is not RunState.COMPLETE:
        yield f"{run.conditions.state.value}: {run.conditions.detail}"
    for difference in run.differences:
        through = f" (through {difference.through})" if difference.through else ""
        yield f"{difference.path}:{difference.line}: {difference.function}{through}"
        yield f"  {statement(difference)}"
        yield f"  {_ORIGINS[difference.origin]} {_test_label(difference.test)}"
        if difference.is_private_only:
            through = f" through {difference.recorded_through}" if difference.recorded_through else ""
            yield f"  called by a test{through}"
        if difference.callers:
            yield f"  called at {', '.join(difference.callers)}"
    changed = len(run.compared) + len(run.not_compared)
    if run.conditions.state in (RunState.REFUSED, RunState.FAILED) and not run.compared:
        return  # all functions have the same reason
    if not changed and run.conditions.state is RunState.COMPLETE:
        yield "no changed Python function to compare"
        return
    compared = f"{len(run.compared)} of {changed} changed functions compared"
    yield f"{compared}, {len(run.differences)} with a difference to show"
    for two in run.compared:
        why = f"; none is shown: {two.reason}" if two.reason else ""
        yield f"  {two.path}::{two.function}: {two.differing} of {two.inputs} inputs differ{why}"
    if run.not_compared:
        yield f"{len(run.not_compared)} not compared"
        for left in run.not_compared:
            yield f"  {left.path}::{left.function}: {left.reason}"
