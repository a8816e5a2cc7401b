"""The control flow of ``switch`` statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from tree_sitter import Node

from wardround_typescript.dataflow.constant_folding import Constant, fold
from wardround_typescript.dataflow.domain import EVERYTHING, SinkKind, Taint
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import FlowState

_LABELS = frozenset({"string", "number", "member_expression", "identifier"})
"""Types of the labels of a case that prove the value of the subject."""


class BlockWalker(Protocol):
    """Analyses statements."""

    def walk(self, body: Iterable[Node]) -> bool:
        """Analyse the statements of a block; return True if a jump ends it."""


class SwitchWalker:
    """Analyses the cases of ``switch`` statements whose subject is evaluated already."""

    __slots__ = ("_scope", "_state", "_statements")

    def __init__(self, state: FlowState, statements: BlockWalker) -> None:
        self._state = state
        self._scope = state.scope
        self._statements = statements

    def walk(self, subject: Node, body: Node) -> bool:
        """Analyse the cases of a subject; return True if all of them leave."""
        constant = fold(self._scope, subject)
        if constant is not None and self._walk_constant(body.named_children, constant):
            return False
        before = dict(self._state.values)
        outer, self._state.jumps = self._state.jumps, []
        ends = self._ends(subject, body.named_children, before)
        ends += self._state.jumps
        self._state.jumps = outer
        if not any(case.type == "switch_default" for case in body.named_children):
            ends.append(before)
        self._state.values = before
        self._state.join(ends)
        return not ends

    def _ends(
        self, subject: Node, cases: Sequence[Node], before: Mapping[str, Taint]
    ) -> list[dict[str, Taint]]:
        """Analyse each case from the state before the statement; return the states at the ends reached."""
        matched: Mapping[str, SinkKind] = dict.fromkeys(
            self._state.refinable_paths(bare(subject)), EVERYTHING
        )
        ends: list[dict[str, Taint]] = []
        is_matched = False
        for case in cases:
            test = case.child_by_field_name("value")
            self._state.values = dict(before)
            is_matched = is_matched or (test is not None and bare(test).type in _LABELS)
            if test is not None and is_matched:
                self._state.refine(matched)
            if not self._walk_case(case):
                ends.append(self._state.values)
        return ends

    def _walk_case(self, case: Node) -> bool:
        test = case.child_by_field_name("value")
        return self._statements.walk(
            part for part in case.named_children if test is None or part.id != test.id
        )

    def _walk_constant(self, cases: Sequence[Node], constant: Constant) -> bool:
        """Analyse the case that a constant selects and those that it falls through to; False if it is
        unknown.
        """
        labels = self._labels(cases)
        if labels is None:
            return False
        default = next((at for at, case in enumerate(cases) if case.type == "switch_default"), len(cases))
        first = next((at for at, label in labels.items() if label == constant), default)
        outer, self._state.jumps = self._state.jumps, []
        for case in cases[first:]:
            if self._walk_case(case):
                break
        self._state.jumps = outer
        return True

    def _labels(self, cases: Sequence[Node]) -> Mapping[int, Constant] | None:
        """Return the labels by the positions of their cases; None if one of them is not constant."""
        labels: dict[int, Constant] = {}
        for at, case in enumerate(cases):
            test = case.child_by_field_name("value")
            if test is None:
                continue
            label = fold(self._scope, test)
            if label is None:
                return None
            labels[at] = label
        return labels
