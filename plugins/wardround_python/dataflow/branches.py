"""Transfer functions of statements with branches: each is analysed by itself, and their states are joined."""

from __future__ import annotations

import ast

from wardround.languages.python.tree import walk
from wardround_python.dataflow.conditions import ConditionEvaluator
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.domain import EVERYTHING
from wardround_python.dataflow.evaluation import Evaluator
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.known_value import KnownConstant, KnownContainer, KnownEntry
from wardround_python.dataflow.scope import NameScope
from wardround_python.dataflow.state import Environment
from wardround_python.dataflow.value_tracking import KnownValues
from wardround_python.dataflow.walking import StatementTransfers, StatementWalker


class BranchWalker:
    """Analyses ``if`` and ``match``."""

    __slots__ = (
        "_conditions",
        "_containers",
        "_evaluator",
        "_folder",
        "_known",
        "_names",
        "_state",
        "_walker",
    )

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        names: NameScope,
        folder: ConstantFolder,
        containers: ContainerLookup,
        conditions: ConditionEvaluator,
        known: KnownValues,
        walker: StatementWalker,
    ) -> None:
        self._state = state
        self._evaluator = evaluator
        self._names = names
        self._folder = folder
        self._containers = containers
        self._conditions = conditions
        self._known = known
        self._walker = walker

    def transfers(self) -> StatementTransfers:
        """Return the transfer functions by kind of node."""
        return {ast.If: self._if, ast.Match: self._match}

    def _if(self, node: ast.If) -> bool:
        """Analyse every branch of an ``if`` that can be taken, and join their states."""
        left: list[Environment] = []
        ways, region, exits = 0, self._state.region, self._state.exits
        while True:
            self._containers.peek(node.test)
            decided = self._conditions.decided(node.test)
            when_true, when_false = self._conditions.sanitized(node.test)
            before = self._state.values.copied()
            if decided is not False:
                self._state.region = region if decided and not ways else self._state.flow.modules.new_region()
                self._names.sanitize(when_true)
                ways += 1
                if not self._walker.walk(node.body):
                    left.append(self._state.values)
            self._state.values = before
            self._names.sanitize(when_false)
            if decided or len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        if not decided:
            self._state.region = self._state.flow.modules.new_region() if ways else region
            ways += 1
            if not self._walker.walk(node.orelse):
                left.append(self._state.values)
        self._walker.join(left)
        self._walker.leave(region, exits)
        return not left

    def _match(self, node: ast.Match) -> bool:
        subject = self._containers.peek(node.subject)
        constant = self._folder.constant(node.subject)
        before, region, exits = self._state.values.copied(), self._state.region, self._state.exits
        left: list[Environment] = []
        ways = 0
        is_taken = False
        for case in node.cases:
            decided = self._is_case(case, constant)
            if decided is False:
                continue
            is_sure = bool(decided) and not ways
            self._state.region = region if is_sure else self._state.flow.modules.new_region()
            ways += 1
            self._state.values = before.copied()
            if _names_values(case.pattern):
                self._names.sanitize(dict.fromkeys(self._names.aliases(node.subject), EVERYTHING))
            for name in _captured(case.pattern):
                self._names.set(name, subject)
            self._bind_pattern(case.pattern, self._known.container(node.subject))
            if not self._walker.walk(case.body):
                left.append(self._state.values)
            if decided:
                is_taken = True
                break
        if not is_taken:
            left.append(before)
        self._walker.join(left)
        self._walker.leave(region, exits)
        return not left

    def _bind_pattern(self, pattern: ast.pattern, container: KnownContainer | None) -> None:
        """Bind the names of a pattern to the entries of the container it matches."""
        entries = container.entries if container is not None else None
        pairs: list[tuple[ast.pattern, KnownEntry]] = []
        if isinstance(pattern, ast.MatchSequence) and isinstance(entries, list):
            if len(entries) == len(pattern.patterns):
                pairs = list(zip(pattern.patterns, entries, strict=True))
        elif isinstance(pattern, ast.MatchMapping) and isinstance(entries, dict):
            keys = [self._folder.constant(key) for key in pattern.keys]
            results = [entries.get(key.value) if key is not None else None for key in keys]
            pairs = [(one, e) for one, e in zip(pattern.patterns, results, strict=True) if e is not None]
        for item, entry in pairs:
            if isinstance(item, ast.MatchAs) and item.pattern is None and item.name is not None:
                self._names.set(item.name, entry.value)
                self._known.bind(item.name, entry.known)

    def _is_case(self, case: ast.match_case, subject: KnownConstant | None) -> bool | None:
        """Return True if a case is taken unless an earlier one is; None if unknown."""
        fits = self._fits(case.pattern, subject)
        if fits is None or not fits or case.guard is None:
            return fits
        self._evaluator.value(case.guard)
        return self._conditions.decided(case.guard)

    def _fits(self, pattern: ast.pattern, subject: KnownConstant | None) -> bool | None:
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            return True
        if isinstance(pattern, ast.MatchOr):
            each = [self._fits(item, subject) for item in pattern.patterns]
            return True if True in each else None if None in each else False
        if subject is None:
            return None
        if isinstance(pattern, ast.MatchSingleton):
            return subject.value is pattern.value
        expected = self._folder.constant(pattern.value) if isinstance(pattern, ast.MatchValue) else None
        return subject.value == expected.value if expected is not None else None


def _names_values(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchValue) or (
        isinstance(pattern, ast.MatchOr)
        and all(isinstance(item, ast.MatchValue) for item in pattern.patterns)
    )


def _captured(pattern: ast.pattern) -> list[str]:
    return [
        node.name for node in walk(pattern) if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name
    ]
