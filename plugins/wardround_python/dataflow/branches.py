"""Transfer functions of statements with branches: each branch is analysed separately, and their states are
joined.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.languages.python.tree import walk
from wardround_python.dataflow.domain import EVERYTHING
from wardround_python.dataflow.known_value import KnownConstant, KnownContainer, KnownEntry
from wardround_python.dataflow.state import Environment
from wardround_python.dataflow.walking import StatementTransfers

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow


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

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._folder = flow.folder
        self._containers = flow.containers
        self._conditions = flow.conditions
        self._known = flow.known
        self._walker = flow.walker

    def transfers(self) -> StatementTransfers:
        """Return the transfer functions by kind of node."""
        return {ast.If: self._if, ast.Match: self._match}

    def _if(self, node: ast.If) -> bool:
        """Analyse every branch of an ``if`` that can be taken, and join their states."""
        left: list[Environment] = []
        ways, region, exits = 0, self._state.region, self._state.exits
        while True:
            self._containers.peek(node.test)
            decided = self._conditions.truth_value(node.test)
            when_true, when_false = self._conditions.sanitized_branches(node.test)
            before = self._state.values.copy()
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
        before, region, exits = self._state.values.copy(), self._state.region, self._state.exits
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
            self._state.values = before.copy()
            if _names_values(case.pattern):
                self._names.sanitize(dict.fromkeys(self._names.aliases(node.subject), EVERYTHING))
            for name in _captured_names(case.pattern):
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
        if container is None:
            return
        for item, entry in self._matched_entries(pattern, container.entries):
            if isinstance(item, ast.MatchAs) and item.pattern is None and item.name is not None:
                self._names.set(item.name, entry.value)
                self._known.bind(item.name, entry.known)

    def _matched_entries(
        self, pattern: ast.pattern, entries: object
    ) -> Iterator[tuple[ast.pattern, KnownEntry]]:
        """Yield the parts of a pattern with the entries that they match."""
        if isinstance(pattern, ast.MatchSequence) and isinstance(entries, list):
            if len(entries) == len(pattern.patterns):
                yield from zip(pattern.patterns, entries, strict=True)
        elif isinstance(pattern, ast.MatchMapping) and isinstance(entries, dict):
            for key, item in zip(pattern.keys, pattern.patterns, strict=True):
                constant = self._folder.constant(key)
                entry = entries.get(constant.value) if constant is not None else None
                if entry is not None:
                    yield item, entry

    def _is_case(self, case: ast.match_case, subject: KnownConstant | None) -> bool | None:
        """Return True if a case is taken unless an earlier one is; None if unknown."""
        fits = self._pattern_fits(case.pattern, subject)
        if fits is None or not fits or case.guard is None:
            return fits
        self._evaluator.value(case.guard)
        return self._conditions.truth_value(case.guard)

    def _pattern_fits(self, pattern: ast.pattern, subject: KnownConstant | None) -> bool | None:
        """Return True if a pattern matches a constant, None if that is unknown."""
        match pattern:
            case ast.MatchAs(pattern=None):
                return True
            case ast.MatchOr():
                return self._fits_any(pattern.patterns, subject)
            case ast.MatchSingleton() if subject is not None:
                return subject.value is pattern.value
            case ast.MatchValue() if subject is not None:
                expected = self._folder.constant(pattern.value)
                return subject.value == expected.value if expected is not None else None
        return None

    def _fits_any(self, patterns: Sequence[ast.pattern], subject: KnownConstant | None) -> bool | None:
        results = [self._pattern_fits(pattern, subject) for pattern in patterns]
        if True in results:
            return True
        return None if None in results else False


def _names_values(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchValue) or (
        isinstance(pattern, ast.MatchOr)
        and all(isinstance(item, ast.MatchValue) for item in pattern.patterns)
    )


def _captured_names(pattern: ast.pattern) -> list[str]:
    return [
        node.name for node in walk(pattern) if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name
    ]
