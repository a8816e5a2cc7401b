"""The differences to show: one of each changed function, and of private ones if they have a public effect."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from wardround.context.run_evidence import BehaviourDifference, InputOrigin
from wardround.workflows.behaviour.comparison import CallPair, FunctionResult
from wardround.workflows.behaviour.private_results import internal_form
from wardround.workflows.behaviour.public_callers import leads_to
from wardround.workflows.behaviour.shown_text import (
    call_text,
    difference_text,
    is_visible,
    observe,
    observed_text,
)  # fmt: skip
from wardround.workflows.behaviour.targets import Target
from wardround.workflows.test.recordings.shown_ids import shown_id

Compared = tuple[Target, FunctionResult]


class ShownPair(msgspec.Struct, frozen=True):
    """A differing call of a function, or of the public function through which a private one is shown."""

    target: Target
    pair: CallPair
    through: Target | None = None

    @property
    def called(self) -> tuple[str, str]:
        """The path and the name of the function that is called."""
        item = self.through or self.target
        return item.path, item.name

    def difference(self, callers: Sequence[str]) -> BehaviourDifference:
        """Return it for a person.

        Args:
            callers: ``path:line`` of calls of the function that is called.
        """
        target, pair, through = self.target, self.pair, self.through
        is_own = through is None and target.head.is_private
        return BehaviourDifference(
            path=target.path,
            function=target.name,
            line=target.head.line,
            call=call_text(pair.base.written or f"{self.called[1]}(...)"),
            before=observe(pair.base, pair.head),
            after=observe(pair.head, pair.base),
            origin=pair.base.origin,
            test=shown_id(pair.base.test),
            through="" if through is None else through.name if through.path == target.path else through.key,
            is_addition=pair.is_addition,
            part=difference_text(pair.base, pair.head),
            recorded_through=observed_text(pair.base.through) if is_own else "",
            callers=tuple(callers),
        )


def shown_pairs(targets: Sequence[Target], results: Sequence[FunctionResult]) -> Iterator[ShownPair]:
    """Yield one differing call of each changed function, those of public functions first.

    A function without a difference, and a private one, is shown through another one that leads to it and
    differs. A private one is shown itself, for a recorded call only, if no function that leads to it was
    compared on the calls of the same test.
    """
    compared = [(target, _visible(result)) for target, result in zip(targets, results, strict=True)]
    shown: set[str] = set()
    used: set[int] = set()
    for target, result in compared:
        if target.is_changed and not target.head.is_private and result.differing:
            shown.add(target.key)
            yield ShownPair(target, result.differing[0])
    for candidate in compared:
        if (
            candidate[0].is_changed
            and candidate[0].key not in shown
            and (pair := _hidden_pair(candidate, compared, shown, used))
        ):
            shown.add(candidate[0].key)
            used.add(pair.pair.base.call)
            yield pair


def hidden_reason(target: Target, result: FunctionResult) -> str:
    """Return the reason for which no difference of a function is shown, as a clause; empty if there is
    none.
    """
    if not result.differing:
        return ""
    if not _visible(result).differing:
        return "the results differ only in parts that are hidden or too long to show"
    if form := internal_form(target, result):
        return f"it is private, and {form}"
    if not any(_is_recorded(pair) for pair in result.differing):
        return "it is private, and differs only for inputs that no test passes to it"
    return "it is private, and no difference of a public function that leads to it shows it"


def _visible(result: FunctionResult) -> FunctionResult:
    pairs = tuple(pair for pair in result.differing if is_visible(pair.base, pair.head))
    return msgspec.structs.replace(result, differing=pairs)


def _is_recorded(pair: CallPair) -> bool:
    return pair.base.origin is InputOrigin.RECORDED


def _hidden_pair(
    item: Compared, compared: Sequence[Compared], shown: Collection[str], used: Collection[int]
) -> ShownPair | None:
    """Return the difference of a function that is private, or on whose own calls there was none."""
    target, _ = item
    for through, other in compared:
        if target.key not in through.reaches or through.is_changed:
            continue
        if pairs := _caused_by(item, (through, other), shown):
            pair = next((pair for pair in pairs if pair.base.call not in used), pairs[0])
            return ShownPair(target, pair, through)
    return _private(item, compared) if target.head.is_private else None


def _caused_by(item: Compared, through: Compared, shown: Collection[str]) -> Sequence[CallPair]:
    """Return the differing calls of a caller for which a function is perhaps the reason.

    If the caller leads to another function that is shown too, they are those of a test in which the function
    itself differs.
    """
    caller, result = through
    reaches_shown = not frozenset(shown).isdisjoint(caller.reaches)
    if not item[1].differing:
        return () if reaches_shown or (shown and not caller.is_entry) else result.differing
    tests = {pair.base.test for pair in item[1].differing}
    return [pair for pair in result.differing if pair.base.test in tests or not reaches_shown]


def _private(item: Compared, compared: Sequence[Compared]) -> ShownPair | None:
    target, result = item
    if internal_form(target, result):
        return None
    for pair in result.differing:
        if _is_recorded(pair) and not any(_decides_private(other, target, pair) for other in compared):
            return ShownPair(target, pair)
    return None


def _decides_private(item: Compared, private: Target, pair: CallPair) -> bool:
    """Return True if the result of a caller shows whether a difference of a private function matters.

    A caller that changed too perhaps expects the new result. Another function was compared, on its own call
    in the test if the test called the private function through a public one.
    """
    caller, result = item
    if caller is private:
        return False
    is_near = caller.path == private.path and leads_to(caller.head, private.head)
    was_called = pair.base.test in result.tests if pair.base.through else result.inputs > 0
    return (is_near and caller.is_changed) or ((is_near or private.key in caller.reaches) and was_called)
