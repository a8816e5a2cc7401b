"""The base of Python checks, and the single walk that serves them all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from wardround.checks.base import Check, results_of
from wardround.checks.registry import candidate_checks
from wardround.checks.source import SourceFile
from wardround.errors import PLUGIN_EXCEPTIONS, WardroundError
from wardround.findings import Edit, RawFinding, SuggestedFix
from wardround.languages.python.cache import cached_module
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
        self.module = module or cached_module(source.path, source.text)

    IN_TESTS: ClassVar[bool] = False
    """True if the rule also applies to test modules."""
    WORDS: ClassVar[tuple[str, ...]] = ()
    """Substrings; every module with a hit contains at least one, unless there are none."""

    @classmethod
    def applies(cls, source: SourceFile) -> bool:
        """Return True if the check applies to a file."""
        return (cls.IN_TESTS or not is_test_path(source.path)) and cls.wants(source)

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        """Return True if the file can have a hit at all; a cheap test of its source."""
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

        return CallResolver.of_module(self.module, self.source.project)

    def run(self) -> None:
        walk(self.module, [self])


AnyCheck = TypeVar("AnyCheck", bound=PythonCheck)


def run_python_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run Python checks over one file: parsed once, walked once.

    Raises:
        SyntaxError: the text is not Python.
    """
    expected = [check for check in candidate_checks(checks, "", source) if _applies_to(check, source)]
    if not expected:
        return
    module = _parsed_module(source)
    walked = create_checks((check for check in expected if issubclass(check, PythonCheck)), source, module)
    results: dict[type[Check], list[RawFinding]] = {
        type(check): check.results for check in walk(module, walked)
    }
    for check_type in expected:
        is_walked = issubclass(check_type, PythonCheck)
        yield from results.get(check_type, ()) if is_walked else results_of(check_type, source)


def _parsed_module(source: SourceFile) -> PythonModule:
    try:
        return cached_module(source.path, source.text)
    except (ValueError, RecursionError, MemoryError) as cause:
        raise SyntaxError(str(cause) or type(cause).__name__) from cause


def _applies_to(check: type[Check], source: SourceFile) -> bool:
    if not issubclass(check, PythonCheck):
        return True
    with source.isolate(check.ID):
        return check.applies(source)
    return False


def create_checks(
    checks: Iterable[type[AnyCheck]], source: SourceFile, module: PythonModule
) -> list[AnyCheck]:
    """Return the checks of a parsed file, without those that crash where that is recorded."""
    found = []
    for check_type in checks:
        with source.isolate(check_type.ID):
            found.append(check_type(source, module))
    return found


def walk(module: PythonModule, checks: Sequence[AnyCheck]) -> list[AnyCheck]:
    """Visit every node once, in source order, and call the checks that visit its kind.

    Returns:
        The checks without those that crashed where that is recorded.
    """
    visitors: dict[type[ast.AST], list[tuple[AnyCheck, Callable[[Any], None]]]] = {}
    for check in checks:
        for name in dir(check):
            if name.startswith("visit_"):
                node_type = getattr(ast, name.removeprefix("visit_"))
                visitors.setdefault(node_type, []).append((check, getattr(check, name)))
    crashed = []
    for node in module.nodes:
        for check, visit in visitors.get(type(node), ()):
            try:
                visit(node)
            except PLUGIN_EXCEPTIONS as error:  # a handler costs nothing until it is needed, a context does
                record_crash(check, error)
                crashed.append(check)
    return [check for check in checks if check not in crashed]


def record_crash(check: PythonCheck, error: BaseException) -> None:
    """Record the crash of a check of a parsed module; raise it where crashes are not recorded."""
    crashes = check.source.crashes
    if crashes is None or isinstance(error, WardroundError):
        raise error
    crashes.add(check.ID, error)
