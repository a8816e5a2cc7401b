"""The base of Python checks, and the single walk that serves them all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from wardround.checks.base import Check
from wardround.checks.registry import candidate_checks
from wardround.checks.source import SourceFile
from wardround.findings import Edit, RawFinding, SuggestedFix
from wardround.languages.python.cache import parsed
from wardround.languages.python.module import PythonModule, is_test_path

if TYPE_CHECKING:
    from wardround_python.analysis.call_resolution import CallResolver
    from wardround_python.fixes.rewrite import StatementRewrite


class PythonCheck(Check):
    """A check on the syntax tree.

    Write ``visit_<Node>`` methods, named after the classes of ``ast``; each is called once for every such
    node, in source order. ``self.module`` resolves names and returns the parents of a node.
    """

    def __init__(self, source: SourceFile, module: PythonModule | None = None) -> None:
        super().__init__(source)
        self.module = module or parsed(source.path, source.text)

    IN_TESTS: ClassVar[bool] = False
    """True if the rule also applies to test modules."""
    WORDS: ClassVar[tuple[str, ...]] = ()
    """Texts; every module with a hit contains at least one, unless there are none."""

    @classmethod
    def applies(cls, source: SourceFile) -> bool:
        """Return True if the check applies to a file."""
        return (cls.IN_TESTS or not is_test_path(source.path)) and cls.wants(source)

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        """Return True if the file can have a hit at all; a cheap test of its text."""
        if cls.WORDS and not source.keywords.contains_any(cls.WORDS):
            return False
        return not cls.PREFILTER or source.passes_prefilter(cls.PREFILTER)

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return (), cls.WORDS

    def adds(self, node: ast.expr) -> bool:
        """Return True if the change added a line of an expression."""
        return any(map(self.source.is_added, range(node.lineno, (node.end_lineno or node.lineno) + 1)))

    def fix(
        self,
        node: ast.expr | ast.stmt | ast.keyword,
        change: Callable[[StatementRewrite], Edit | None],
        description: str,
        *,
        safe: bool = False,
        needed_import: str = "",
    ) -> SuggestedFix | None:
        """Return the fix that rewrites the statement around a node; see ``fixes.rewrite.suggest``."""
        from wardround_python.fixes.rewrite import suggest  # only a finding needs it

        return suggest(self.source, self.module, node, change, description, safe, needed_import)

    @cached_property
    def callees(self) -> CallResolver:
        """The resolved calls of the module, shared by all checks."""
        from wardround_python.analysis.call_resolution import CallResolver  # few checks need it

        return CallResolver.shared(self.module, self.source.project)

    def run(self) -> None:
        walk(self.module, [self])


def run_python_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run Python checks over one file: parsed once, walked once.

    Raises:
        SyntaxError: the text is not Python.
    """
    asked = candidate_checks(checks, "", source)
    expected = [c for c in asked if not issubclass(c, PythonCheck) or c.applies(source)]
    if not expected:
        return
    try:
        module = parsed(source.path, source.text)
    except (ValueError, RecursionError, MemoryError) as cause:
        raise SyntaxError(str(cause) or type(cause).__name__) from cause
    values = [c(source, module) if issubclass(c, PythonCheck) else c(source) for c in expected]
    walk(module, [check for check in values if isinstance(check, PythonCheck)])
    for check in values:
        if not isinstance(check, PythonCheck):
            check.run()
        yield from check.results


def walk(module: PythonModule, checks: Sequence[PythonCheck]) -> None:
    """Visit every node once, in source order, and call the checks that visit its kind."""
    visitors: dict[type[ast.AST], list[Callable[[Any], None]]] = {}
    for check in checks:
        for name in dir(check):
            if name.startswith("visit_"):
                node_type = getattr(ast, name.removeprefix("visit_"))
                visitors.setdefault(node_type, []).append(getattr(check, name))
    for node in module.nodes:
        for visit in visitors.get(type(node), ()):
            visit(node)
