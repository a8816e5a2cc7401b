"""The differences between replayed calls that the change explains, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.context.run_evidence import InputOrigin
from wardround.text.redaction import redact_literals
from wardround.workflows.behaviour.normal_text import has_same_message, normal
from wardround.workflows.behaviour.shown_text import MOST_SHOWN, observed_text
from wardround.workflows.behaviour.stages import ReplayedCall
from wardround.workflows.behaviour.targets import Targets

_COMPARABLE = frozenset({"returned", "raised"})
_OF_UNFIT_INPUTS = frozenset({"TypeError", "AttributeError", "AssertionError", "NameError"})
_LAST_ERROR = LazyPattern(r"(iterator \[[^\n]{0,8000}raises \w{1,80})\([^\n]{0,8000}\)\]\Z")
_LACKS_ATTRIBUTE = ", whose repr raises AttributeError>"
"""The text of ``values`` for an object in a result, perhaps made before the change."""
_UNPRINTABLE = ", whose repr raises "
_REASONS = {
    "timeout": "its calls take longer than 0.25 s of CPU time",
    "memory": "its calls use too much memory",
    "budget": "the CPU time for repeating its calls was used up",
    "crashed": "its calls end the process",
    "unloadable": "its recorded arguments cannot be loaded again",
    "incompatible": "its changed parameters do not accept the recorded arguments",
    "undecorated": "its decorators take other arguments than the function",
    "noisy": "its results differ between two runs of the base",
    "stateful": "its calls raise an exception when they are repeated without the calls before them",
    "replaced": "its arguments have matches of regular expressions that the change replaces",
    "remade": "its arguments have objects whose class makes them in another way after the change",
}


def is_comparable(call: ReplayedCall) -> bool:
    """Return True if a call had a result."""
    return call.kind in _COMPARABLE


class CallPair(msgspec.Struct, frozen=True):
    """The same call on both sides, with different results."""

    base: ReplayedCall
    head: ReplayedCall

    @property
    def is_message_only(self) -> bool:
        """True if both raise the same class, or their iterators do, with another message."""
        before, after = self.base, self.head
        if before.kind != after.kind or before.type != after.type or _effects(before) != _effects(after):
            return False
        return before.kind == "raised" or (
            before.text != after.text and _without_message(before.text) == _without_message(after.text)
        )

    @property
    def is_state_only(self) -> bool:
        """True if both return or raise the same, and only an object or another argument has another state."""
        before, after = self.base, self.head
        return (before.kind, normal(before.text)) == (
            after.kind,
            normal(after.text),
        ) and not self.is_printed

    @property
    def is_printed(self) -> bool:
        """True if the printed texts differ."""
        return self.base.printed != self.head.printed

    @property
    def is_addition(self) -> bool:
        """True if the only difference is that an argument has more entries after the call."""
        before, after = self.base, self.head
        if (before.kind, normal(before.text), before.printed) != (
            after.kind,
            normal(after.text),
            after.printed,
        ):
            return False
        texts = [_argument_texts(name, self) for name in {*before.changed, *after.changed}]
        return all(one == other or _is_gain(one, other) for one, other in texts)

    @property
    def is_gain(self) -> bool:
        """True if the result has one more entry of a dictionary, and nothing else differs."""
        before, after = self.base, self.head
        is_same = before.kind == after.kind and _effects(before) == _effects(after)
        return is_same and before.text != after.text and _is_gain(normal(before.text), normal(after.text))


class FunctionResult(msgspec.Struct, frozen=True):
    """The comparison of one function.

    Attributes:
        inputs: the number of compared calls.
        recorded: the number of those that a test made.
        differing: those with another result, the one to show first.
        reason: the most frequent reason for which a call was not compared, as a clause; empty if none was.
        tests: those in which the compared calls were recorded.
    """

    inputs: int = 0
    recorded: int = 0
    differing: tuple[CallPair, ...] = ()
    reason: str = ""
    tests: frozenset[str] = frozenset()


def compare_calls(
    targets: Targets,
    base: Sequence[ReplayedCall],
    head: Sequence[ReplayedCall],
    again: Sequence[ReplayedCall],
) -> tuple[FunctionResult, ...]:
    """Compare the calls of each target.

    Args:
        again: the second run of the base.
    """
    after = {one.call: one for one in head}
    second = {one.call: one for one in again}
    stateful = {(one.function, one.type) for one in base if one.returned and one.kind == "raised"}
    count = len(targets.targets)
    inputs, recorded = [0] * count, [0] * count
    pairs: list[list[CallPair]] = [[] for _ in range(count)]
    tests: list[set[str]] = [set() for _ in range(count)]
    reasons: list[Counter[str]] = [Counter() for _ in range(count)]
    for one in base:
        is_repeated = one.call in after and one.call in second
        if one.function >= count or (is_comparable(one) and not is_repeated):
            continue
        pair = CallPair(one, after.get(one.call, one))
        reason = _objection(pair, second.get(one.call, one), targets)
        if not reason and (one.function, one.type) in stateful:
            reason = _REASONS["stateful"]
        if reason:
            reasons[one.function][reason] += 1
            continue
        inputs[one.function] += 1
        if one.origin is InputOrigin.RECORDED:
            tests[one.function].add(one.test)
            recorded[one.function] += 1
        if _differs(pair, targets.renamed) and not (
            targets.targets[one.function].is_entry and pair.is_state_only
        ):
            pairs[one.function].append(pair)
    return tuple(
        FunctionResult(
            inputs[at],
            recorded[at],
            tuple(sorted(pairs[at], key=_rank)),
            _frequent(reasons[at]),
            frozenset(tests[at]),
        )
        for at in range(count)
    )


def without_unstable(
    results: Sequence[FunctionResult],
    base: Sequence[ReplayedCall],
    head: Sequence[ReplayedCall],
    repeated: Collection[int],
) -> tuple[FunctionResult, ...]:
    """Leave out calls whose result is another one in a run of their own, without calls before them.

    Args:
        base: the differing calls, repeated on the base, each in a process of its own.
        head: the same on the head.
        repeated: the numbers of these calls; others count where one of their function is stable.
    """
    before, after = {one.call: one for one in base}, {one.call: one for one in head}

    def is_stable(pair: CallPair) -> bool:
        if pair.base.call not in repeated:
            return True
        sides = (pair.base, before.get(pair.base.call)), (pair.head, after.get(pair.head.call))
        return all(other is not None and result_key(other) == result_key(one) for one, other in sides)

    def stable(result: FunctionResult) -> list[CallPair]:
        found = [pair for pair in result.differing if is_stable(pair)]
        return found if any(pair.base.call in repeated for pair in found) else []

    return tuple(_filtered(one, stable(one)) for one in results)


def _filtered(result: FunctionResult, stable: list[CallPair]) -> FunctionResult:
    lost = len(result.differing) - len(stable)
    return msgspec.structs.replace(
        result, inputs=result.inputs - lost, differing=tuple(stable),
        reason=result.reason or (_REASONS["noisy"] if lost else ""),
    )  # fmt: skip


def _frequent(reasons: Counter[str]) -> str:
    return reasons.most_common(1)[0][0] if reasons else ""


def _objection(pair: CallPair, again: ReplayedCall, targets: Targets) -> str:
    """Return the reason for which a pair shows nothing; empty if there is none."""
    for one in (pair.base, pair.head, again):
        if not is_comparable(one):
            detail = f" ({observed_text(one.text)})" if one.text else ""
            return _REASONS.get(one.kind, "its calls cannot be repeated") + detail
        if one.type == "RecursionError":
            return "its calls exceed the depth of recursion"
    if result_key(pair.base) != result_key(again):
        return _REASONS["noisy"]
    if _is_stale(pair.head) and not _is_stale(pair.base):
        return _REASONS["remade"]
    if any(_is_of(one, targets.remade) for one in pair.base.classes):
        return _REASONS["remade"]
    if any(_has_replaced(one, targets.replaced) for one in pair.base.patterns):
        return _REASONS["replaced"]
    return ""


def _is_stale(call: ReplayedCall) -> bool:
    """Return True if an object in the arguments, or the text of the result, lacked an attribute."""
    return call.is_stale or _LACKS_ATTRIBUTE in call.text


def _has_replaced(pattern: str, replaced: frozenset[str]) -> bool:
    """Return True if a removed text is in a regular expression, more than one character of it."""
    return any(one in pattern for one in replaced if len(one) > 1)


def _is_of(used: str, remade: frozenset[str]) -> bool:
    """Return True if ``module:class`` is one of ``path::class``."""
    module, _, name = used.partition(":")
    inner = module.replace(".", "/")
    paths = (f"{inner}.py::{name}", f"{inner}/__init__.py::{name}")
    return any(one == path or one.endswith(f"/{path}") for one in remade for path in paths)


def result_key(call: ReplayedCall) -> tuple[object, ...]:
    """Return what two calls with the same result and effects have in common."""
    return call.kind, normal(call.text), _effects(call)


def _effects(call: ReplayedCall) -> tuple[object, ...]:
    return tuple(sorted((name, normal(texts[0])) for name, texts in call.changed.items())), normal(
        call.printed
    )


def _without_message(text: str) -> str:
    """Return the text of an iterator without the message of the exception that it raises at last."""
    return _LAST_ERROR.sub(r"\1", text)


def _differs(pair: CallPair, renamed: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
    before, after = result_key(pair.base), result_key(pair.head)
    if before == after:
        return False
    if pair.base.origin is not InputOrigin.RECORDED and (
        pair.is_message_only or pair.is_addition or _is_unfit(pair)
    ):
        return False
    if _UNPRINTABLE in pair.base.text and _UNPRINTABLE in pair.head.text:
        return False
    if pair.is_message_only and _is_other_name(pair):
        return False
    texts = repr(before), repr(after)
    return not any(
        old in texts[0] and texts[0].replace(old, new) == texts[1] for old in renamed[0] for new in renamed[1]
    )


def _is_other_name(pair: CallPair) -> bool:
    """Return True for a message about an object of another type than the function takes, even in a test, and
    for one that differs only in names of the code.
    """
    before, after = pair.base, pair.head
    return before.type == "AttributeError" or has_same_message(before.type, before.text, after.text)


def _is_unfit(pair: CallPair) -> bool:
    """Return True if a function already failed for an input of another type than it takes."""
    return pair.head.kind == "raised" and pair.base.kind == "raised" and pair.base.type in _OF_UNFIT_INPUTS


def _argument_texts(name: str, pair: CallPair) -> tuple[str, str]:
    """Return the text of an argument after the call on both sides; an unchanged one has its earlier text."""
    before, after = pair.base.changed.get(name), pair.head.changed.get(name)
    earlier = (before or after or ("", "", ""))[2]
    return normal(before[0] if before else earlier), normal(after[0] if after else earlier)


def _is_gain(before: str, after: str) -> bool:
    """Return True if a text has one more entry of a dictionary than another one, and is else the same."""
    first = next((at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    added = after[first : len(after) - (len(before) - first)]
    if before != after[:first] + after[len(after) - (len(before) - first) :] or ": " not in added:
        return False
    depth = 0
    for character in added.strip(", "):
        depth += (character in "{[(") - (character in "}])")
        if depth < 0:
            return False
    return depth == 0 and not added.strip(", ").startswith(("{", "[", "("))


_ORIGINS = (InputOrigin.RECORDED, InputOrigin.MUTATED, InputOrigin.CROSSED)


def _rank(pair: CallPair) -> tuple[object, ...]:
    """Order pairs: without secrets, with another result, plausible, with few arguments, short ones first."""
    written = pair.base.written
    shown = [text[:MOST_SHOWN] for text in (written, pair.base.shown, pair.head.shown)]
    return (
        any(redact_literals(text) != text for text in shown),
        pair.is_message_only or pair.is_addition,
        pair.is_state_only,
        _implausibility(pair),
        _ORIGINS.index(pair.base.origin),
        not written,
        pair.base.arguments,
        len(written),
        pair.base.call,
    )


def _implausibility(pair: CallPair) -> int:
    """Return a smaller number for an input that is more probably one of a user: the base takes it."""
    if pair.base.kind == "raised":
        return 2
    return int(pair.head.kind == "raised" and pair.base.origin is not InputOrigin.RECORDED)
