"""The differences between replayed calls that the change explains, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import msgspec

from wardround.context.run_evidence import InputOrigin
from wardround.lazy import LazyPattern
from wardround.text.redaction import redact_literals
from wardround.workflows.behaviour.normal_text import has_same_message, normal
from wardround.workflows.behaviour.shown_text import MOST_SHOWN, observed_text
from wardround.workflows.behaviour.stages import ReplayedCall
from wardround.workflows.behaviour.targets import Targets

_COMPARABLE = frozenset({"returned", "raised"})
_OF_UNFIT_INPUTS = frozenset({"TypeError", "AttributeError", "AssertionError", "NameError"})
_LAST_ERROR = LazyPattern(r"(iterator \[[^\n]{0,8000}raises \w{1,80})\([^\n]{0,8000}\)\]\Z")
_LACKS_ATTRIBUTE = ", whose repr raises AttributeError>"
"""The representation of ``values`` for an object in a result, possibly created before the change."""
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
    """The same call at base and head, with different results."""

    base: ReplayedCall
    head: ReplayedCall

    @property
    def is_message_only(self) -> bool:
        """True if both raise the same class, or their iterators do, with another message."""
        before, after = self.base, self.head
        if before.kind != after.kind or before.type != after.type or _effects(before) != _effects(after):
            return False
        return before.kind == "raised" or (
            before.text != after.text and _strip_message(before.text) == _strip_message(after.text)
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
        """True if the printed strings differ."""
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
        texts = [_argument_representations(name, self) for name in {*before.changed, *after.changed}]
        return all(first == other or _is_gain(first, other) for first, other in texts)

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
    after = {call.call: call for call in head}
    second = {call.call: call for call in again}
    stateful = {(call.function, call.type) for call in base if call.returned and call.kind == "raised"}
    count = len(targets.targets)
    inputs, recorded = [0] * count, [0] * count
    pairs: list[list[CallPair]] = [[] for _ in range(count)]
    tests: list[set[str]] = [set() for _ in range(count)]
    reasons: list[Counter[str]] = [Counter() for _ in range(count)]
    for call in base:
        is_repeated = call.call in after and call.call in second
        if call.function >= count or (is_comparable(call) and not is_repeated):
            continue
        pair = CallPair(call, after.get(call.call, call))
        reason = _objection(pair, second.get(call.call, call), targets)
        if not reason and (call.function, call.type) in stateful:
            reason = _REASONS["stateful"]
        if reason:
            reasons[call.function][reason] += 1
            continue
        inputs[call.function] += 1
        if call.origin is InputOrigin.RECORDED:
            tests[call.function].add(call.test)
            recorded[call.function] += 1
        if _results_differ(pair, targets.renamed) and not (
            targets.targets[call.function].is_entry and pair.is_state_only
        ):
            pairs[call.function].append(pair)
    return tuple(
        FunctionResult(
            inputs[at],
            recorded[at],
            tuple(sorted(pairs[at], key=_rank)),
            _most_frequent(reasons[at]),
            frozenset(tests[at]),
        )
        for at in range(count)
    )


def drop_unstable(
    results: Sequence[FunctionResult],
    base: Sequence[ReplayedCall],
    head: Sequence[ReplayedCall],
    repeated: Collection[int],
) -> tuple[FunctionResult, ...]:
    """Remove calls whose result differs in a separate run, without preceding calls.

    Args:
        base: the differing calls, repeated on the base, each in a process of its own.
        head: the same on the head.
        repeated: the numbers of these calls; others count where one of their function is stable.
    """
    before, after = {call.call: call for call in base}, {call.call: call for call in head}

    def is_stable(pair: CallPair) -> bool:
        if pair.base.call not in repeated:
            return True
        sides = (pair.base, before.get(pair.base.call)), (pair.head, after.get(pair.head.call))
        return all(other is not None and result_key(other) == result_key(first) for first, other in sides)

    def stable(result: FunctionResult) -> list[CallPair]:
        found = [pair for pair in result.differing if is_stable(pair)]
        return found if any(pair.base.call in repeated for pair in found) else []

    return tuple(_filter_pairs(outcome, stable(outcome)) for outcome in results)


def _filter_pairs(result: FunctionResult, stable: list[CallPair]) -> FunctionResult:
    lost = len(result.differing) - len(stable)
    return msgspec.structs.replace(
        result, inputs=result.inputs - lost, differing=tuple(stable),
        reason=result.reason or (_REASONS["noisy"] if lost else ""),
    )  # fmt: skip


def _most_frequent(reasons: Counter[str]) -> str:
    return reasons.most_common(1)[0][0] if reasons else ""


def _objection(pair: CallPair, again: ReplayedCall, targets: Targets) -> str:
    """Return the reason for which a pair shows nothing; empty if there is none."""
    for call in (pair.base, pair.head, again):
        if objection := _objection_to_call(call):
            return objection
    if result_key(pair.base) != result_key(again):
        return _REASONS["noisy"]
    if _is_stale(pair.head) and not _is_stale(pair.base):
        return _REASONS["remade"]
    if any(_is_of(name, targets.remade) for name in pair.base.classes):
        return _REASONS["remade"]
    if any(_has_replaced(pattern, targets.replaced) for pattern in pair.base.patterns):
        return _REASONS["replaced"]
    return ""


def _objection_to_call(call: ReplayedCall) -> str:
    """Return the reason for which a call cannot be compared; empty if it can."""
    if not is_comparable(call):
        detail = f" ({observed_text(call.text)})" if call.text else ""
        return _REASONS.get(call.kind, "its calls cannot be repeated") + detail
    return "its calls exceed the depth of recursion" if call.type == "RecursionError" else ""


def _is_stale(call: ReplayedCall) -> bool:
    """Return True if an object in the arguments, or the text of the result, lacked an attribute."""
    return call.is_stale or _LACKS_ATTRIBUTE in call.text


def _has_replaced(pattern: str, replaced: frozenset[str]) -> bool:
    """Return True if a removed string is in a regular expression, more than one character of it."""
    return any(name in pattern for name in replaced if len(name) > 1)


def _is_of(used: str, remade: frozenset[str]) -> bool:
    """Return True if ``module:class`` is one of ``path::class``."""
    module, _, name = used.partition(":")
    inner = module.replace(".", "/")
    paths = (f"{inner}.py::{name}", f"{inner}/__init__.py::{name}")
    return any(suffix == path or suffix.endswith(f"/{path}") for suffix in remade for path in paths)


def result_key(call: ReplayedCall) -> tuple[object, ...]:
    """Return what two calls with the same result and effects have in common."""
    return call.kind, normal(call.text), _effects(call)


def _effects(call: ReplayedCall) -> tuple[object, ...]:
    return tuple(sorted((name, normal(texts[0])) for name, texts in call.changed.items())), normal(
        call.printed
    )


def _strip_message(text: str) -> str:
    """Return the representation of an iterator without the message of its final exception."""
    return _LAST_ERROR.sub(r"\1", text)


def _results_differ(pair: CallPair, renamed: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
    before, after = result_key(pair.base), result_key(pair.head)
    if before == after or _is_negligible(pair):
        return False
    if _UNPRINTABLE in pair.base.text and _UNPRINTABLE in pair.head.text:
        return False
    return not _is_renamed(repr(before), repr(after), renamed)


def _is_negligible(pair: CallPair) -> bool:
    """Return True for another wording of an error, and for results of made-up inputs that prove little."""
    if pair.is_message_only and _is_other_name(pair):
        return True
    is_made_up = pair.base.origin is not InputOrigin.RECORDED
    return is_made_up and (pair.is_message_only or pair.is_addition or _is_unfit(pair))


def _is_renamed(before: str, after: str, renamed: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
    """Return True if two representations only differ by a new name."""
    old_names, new_names = renamed
    held = [name for name in old_names if name in before]
    return any(before.replace(old, new) == after for old in held for new in new_names)


def _is_other_name(pair: CallPair) -> bool:
    """Return True for a message about an object of another type than the function takes, even in a test, and
    for one that differs only in names of the code.
    """
    before, after = pair.base, pair.head
    return before.type == "AttributeError" or has_same_message(before.type, before.text, after.text)


def _is_unfit(pair: CallPair) -> bool:
    """Return True if a function already failed for an input of another type than it takes."""
    return pair.head.kind == "raised" and pair.base.kind == "raised" and pair.base.type in _OF_UNFIT_INPUTS


def _argument_representations(name: str, pair: CallPair) -> tuple[str, str]:
    """Return an argument after the call at base and head; an unchanged one has its earlier text."""
    before, after = pair.base.changed.get(name), pair.head.changed.get(name)
    earlier = (before or after or ("", "", ""))[2]
    return normal(before[0] if before else earlier), normal(after[0] if after else earlier)


def _is_gain(before: str, after: str) -> bool:
    """Return True if a representation has one more entry of a dictionary than another one, and is otherwise
    the same.
    """
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
    """Return a smaller number for an input that a user is more likely to pass: the base accepts it."""
    if pair.base.kind == "raised":
        return 2
    return int(pair.head.kind == "raised" and pair.base.origin is not InputOrigin.RECORDED)
