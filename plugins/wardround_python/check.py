"""What every Python check is, and the single walk that serves them all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from wardround.checks.base import Check, Source
from wardround.checks.lazy import chosen
from wardround.findings import RawResult
from wardround.languages.python.cache import parsed
from wardround.languages.python.module import PythonModule, is_test_path

if TYPE_CHECKING:
    from wardround_python.analysis.call_resolution import Callees


class PythonCheck(Check):
    """A check on the syntax tree.

    Write ``visit_<Node>`` methods, named after the classes of ``ast``; each is called once for every such
    node, in source order. ``self.module`` answers what a name stands for and what a node is part of.
    """

    def __init__(self, source: Source, module: PythonModule | None = None) -> None:
        super().__init__(source)
        self.module = module or parsed(source.path, source.text)

    IN_TESTS: ClassVar[bool] = False
    """Whether the rule counts in test modules too."""
    WORDS: ClassVar[tuple[str, ...]] = ()
    """Of which one stands in every module the check can speak about; none if none can be named."""

    @classmethod
    def applies(cls, source: Source) -> bool:
        """Whether there is anything for this check to do in a file."""
        return (cls.IN_TESTS or not is_test_path(source.path)) and cls.wants(source)

    @classmethod
    def wants(cls, source: Source) -> bool:
        """Whether the file can have a hit at all; a cheap look at the text saves the work."""
        if cls.WORDS and not source.said.has_one(cls.WORDS):
            return False
        return not cls.LOOK or source.passes(cls.LOOK)

    @classmethod
    def marks(cls) -> tuple[Sequence[str], Sequence[str]]:
        return (), cls.WORDS

    def adds(self, node: ast.expr) -> bool:
        """Whether the change wrote a line of an expression."""
        return any(map(self.source.is_added, range(node.lineno, (node.end_lineno or node.lineno) + 1)))

    @cached_property
    def callees(self) -> Callees:
        """What the calls of the module reach, one answer for all checks."""
        from wardround_python.analysis.call_resolution import Callees  # few checks ask

        return Callees.shared(self.module, self.source.project)

    def run(self) -> None:
        walk(self.module, [self])


def run_python_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    """Run Python checks over one file: parsed once, walked once.

    Raises:
        SyntaxError: the text is not Python.
    """
    asked = chosen(checks, "", source)
    wanted = [c for c in asked if not issubclass(c, PythonCheck) or c.applies(source)]
    if not wanted:
        return
    try:
        module = parsed(source.path, source.text)
    except (ValueError, RecursionError, MemoryError) as cause:
        raise SyntaxError(str(cause) or type(cause).__name__) from cause
    made = [c(source, module) if issubclass(c, PythonCheck) else c(source) for c in wanted]
    walk(module, [check for check in made if isinstance(check, PythonCheck)])
    for check in made:
        if not isinstance(check, PythonCheck):
            check.run()
        yield from check.results


def walk(module: PythonModule, checks: Sequence[PythonCheck]) -> None:
    """Visit every node once, in source order, and call the checks that ask for its kind."""
    visitors: dict[type[ast.AST], list[Callable[[Any], None]]] = {}
    for check in checks:
        for name in dir(check):
            if name.startswith("visit_"):
                node_type = getattr(ast, name.removeprefix("visit_"))
                visitors.setdefault(node_type, []).append(getattr(check, name))
    for node in module.nodes:
        for visit in visitors.get(type(node), ()):
            visit(node)
