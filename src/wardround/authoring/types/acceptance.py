"""The annotations with which a type checker accepts the modules: those that cause no new diagnostic."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wardround.authoring.types.call_sites import CallSites
from wardround.authoring.types.checking import CheckedVersion
from wardround.authoring.types.model import Annotation, Module
from wardround.lazy import LazyPattern
from wardround.tools.type_checker import Diagnostic

Check = Callable[[Sequence[Annotation]], CheckedVersion]
"""Check the modules with some annotations."""

_WORD = LazyPattern(r"\w+")
_MOST_ROUNDS = 8
"""The number of runs in which new diagnostics are traced to functions by their lines."""
_MOST_RUNS = 24
"""The number of runs for the annotations of functions with new diagnostics; the rest is not offered."""


class Acceptance:
    """The annotations that a checker accepts together.

    Args:
        before: the diagnostics of the modules as they are.
        calls: the known calls of their functions.
    """

    def __init__(
        self, check: Check, before: Sequence[Diagnostic], modules: Sequence[Module], calls: CallSites
    ) -> None:
        self._check = check
        self._before = Counter(map(_identity, before))
        self._modules = {module.path: module for module in modules}
        self._calls = calls
        self._runs = _MOST_RUNS

    def accept(self, annotations: Sequence[Annotation], base: Sequence[Annotation] = ()) -> list[Annotation]:
        """Return the annotations that cause no new diagnostic on top of accepted ones.

        Functions with a new diagnostic in their lines are set apart, then their annotations are tried again
        on top of the others, in halves.
        """
        kept, rejected = self._without_blamed(list(annotations), base)
        return [*kept, *self._accept_on_top([*base, *kept], rejected)]

    def _without_blamed(
        self, annotations: list[Annotation], base: Sequence[Annotation]
    ) -> tuple[list[Annotation], list[Annotation]]:
        """Return annotations without new diagnostics, and those of the functions that have them."""
        kept, rejected = annotations, list[Annotation]()
        for _ in range(_MOST_ROUNDS if annotations else 0):
            new = self._new_diagnostics([*base, *kept])
            if not new:
                return kept, rejected
            blamed = self._functions_at(new)
            found = [item for item in kept if (item.path, item.function) in blamed]
            if not found:
                break
            rejected += found
            kept = [item for item in kept if item not in found]
        return [], [*kept, *rejected]

    def _accept_on_top(
        self, base: Sequence[Annotation], candidates: Sequence[Annotation]
    ) -> list[Annotation]:
        """Return the candidates that are accepted on top of others, by halves."""
        if not candidates or self._runs <= 0:
            return []
        self._runs -= 1
        if not self._new_diagnostics([*base, *candidates]):
            return list(candidates)
        if len(candidates) == 1:
            return []
        middle = len(candidates) // 2
        first = self._accept_on_top(base, candidates[:middle])
        return [*first, *self._accept_on_top([*base, *first], candidates[middle:])]

    def _new_diagnostics(self, annotations: Sequence[Annotation]) -> list[Diagnostic]:
        if not annotations:
            return []
        found: dict[tuple[str, int, str], list[Diagnostic]] = defaultdict(list)
        for diagnostic in self._check(annotations).diagnostics:
            found[_identity(diagnostic)].append(diagnostic)
        return [item for place, items in found.items() for item in items[self._before[place] :]]

    def _functions_at(self, diagnostics: Iterable[Diagnostic]) -> set[tuple[str, str]]:
        """Return the functions around diagnostics; those that are called there, where no function is."""
        found = set[tuple[str, str]]()
        for diagnostic in diagnostics:
            found |= set(self._functions_around(diagnostic)) or set(self._functions_called(diagnostic))
        return found

    def _functions_around(self, diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
        module = self._modules.get(diagnostic.path)
        for function in module.functions if module is not None else ():
            if function.line <= diagnostic.line <= function.end_line:
                yield diagnostic.path, function.name

    def _functions_called(self, diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
        """Yield the functions with a known call at the line, or with a name in the message."""
        place = (diagnostic.path, diagnostic.line)
        words = set(_WORD.findall(diagnostic.message))
        for module in self._modules.values():
            for function in module.functions:
                is_called = place in self._calls.lines(module.path, function.name)
                if is_called or function.name.rpartition(".")[2] in words:
                    yield module.path, function.name


def _identity(diagnostic: Diagnostic) -> tuple[str, int, str]:
    """Return what two complaints share that are the same: annotations change messages, and no lines."""
    return diagnostic.path, diagnostic.line, diagnostic.rule


def by_path(annotations: Iterable[Annotation]) -> Mapping[str, list[Annotation]]:
    """Return annotations by the path of their module."""
    found: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        found[annotation.path].append(annotation)
    return found
