"""Statements that choose between ways: each is walked apart, and what goes on behind them put together."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.tree import walk
from wardround_python.dataflow.domain import EVERYTHING
from wardround_python.dataflow.expressions import Expressions
from wardround_python.dataflow.known_value import Exactly, Held, KnownEntry
from wardround_python.dataflow.state import State, merged


class Branches(Expressions):
    """Walks the ways that can be taken through ``if`` and ``match``."""

    def _if(self, node: ast.If) -> bool:
        """Walk every branch of an ``if`` that can be taken; what goes on after it is put together."""
        left: list[State] = []
        ways, where, leaves = 0, self._where, self._left
        while True:
            self._peek(node.test)
            decided = self._decided(node.test)
            when_true, when_false = self._clears(node.test)
            before = self._values.copied()
            if decided is not False:
                self._where = where if decided and not ways else self._owner.modules.stretch()
                self._clear(when_true)
                ways += 1
                if not self.walk(node.body):
                    left.append(self._values)
            self._values = before
            self._clear(when_false)
            if decided or len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                break
            node = node.orelse[0]
        if not decided:
            self._where = self._owner.modules.stretch() if ways else where
            ways += 1
            if not self.walk(node.orelse):
                left.append(self._values)
        self._go_on(left)
        self._come_back(where, leaves)
        return not left

    def _go_on(self, left: Sequence[State]) -> None:
        """Go on with what any of the ways that lead here may have left."""
        if left:
            self._values = left[0]
            for other in left[1:]:
                self._values = merged(self._values, other)

    def _come_back(self, where: int, leaves: int) -> None:
        """Go on behind a statement; what it may have left by is not always gone on from."""
        self._where = where
        if self._left != leaves and (self._loops or self._tries or self._entered is not None):
            self._stretch()

    def _match(self, node: ast.Match) -> bool:
        subject = self._peek(node.subject)
        exact = self._exact(node.subject)
        before, where, leaves = self._values.copied(), self._where, self._left
        left: list[State] = []
        ways = 0
        is_taken = False
        for case in node.cases:
            decided = self._is_case(case, exact)
            if decided is False:
                continue
            is_sure = bool(decided) and not ways
            self._where = where if is_sure else self._owner.modules.stretch()
            ways += 1
            self._values = before.copied()
            if _names_values(case.pattern):
                self._clear(dict.fromkeys(self._keys(node.subject), EVERYTHING))
            for name in _captured(case.pattern):
                self._set(name, subject)
            self._take_apart(case.pattern, self._table(node.subject))
            if not self.walk(case.body):
                left.append(self._values)
            if decided:
                is_taken = True
                break
        if not is_taken:
            left.append(before)
        self._go_on(left)
        self._come_back(where, leaves)
        return not left

    def _take_apart(self, pattern: ast.pattern, held: Held | None) -> None:
        """Give the names of a pattern the entries of the table it is held against."""
        entries = held.entries if held is not None else None
        pairs: list[tuple[ast.pattern, KnownEntry]] = []
        if isinstance(pattern, ast.MatchSequence) and isinstance(entries, list):
            if len(entries) == len(pattern.patterns):
                pairs = list(zip(pattern.patterns, entries, strict=True))
        elif isinstance(pattern, ast.MatchMapping) and isinstance(entries, dict):
            keys = [self._exact(key) for key in pattern.keys]
            found = [entries.get(key.value) if key is not None else None for key in keys]
            pairs = [(one, e) for one, e in zip(pattern.patterns, found, strict=True) if e is not None]
        for one, entry in pairs:
            if isinstance(one, ast.MatchAs) and one.pattern is None and one.name is not None:
                self._set(one.name, entry.value)
                self._learn(one.name, entry.known)

    def _is_case(self, case: ast.match_case, subject: Exactly | None) -> bool | None:
        """Whether a case is taken if those before it are not; None where that can't be told."""
        fits = self._fits(case.pattern, subject)
        if fits is None or not fits or case.guard is None:
            return fits
        self.value(case.guard)
        return self._decided(case.guard)

    def _fits(self, pattern: ast.pattern, subject: Exactly | None) -> bool | None:
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            return True
        if isinstance(pattern, ast.MatchOr):
            each = [self._fits(one, subject) for one in pattern.patterns]
            return True if True in each else None if None in each else False
        if subject is None:
            return None
        if isinstance(pattern, ast.MatchSingleton):
            return subject.value is pattern.value
        wanted = self._exact(pattern.value) if isinstance(pattern, ast.MatchValue) else None
        return subject.value == wanted.value if wanted is not None else None


def _names_values(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchValue) or (
        isinstance(pattern, ast.MatchOr) and all(isinstance(one, ast.MatchValue) for one in pattern.patterns)
    )


def _captured(pattern: ast.pattern) -> list[str]:
    return [one.name for one in walk(pattern) if isinstance(one, (ast.MatchAs, ast.MatchStar)) and one.name]
