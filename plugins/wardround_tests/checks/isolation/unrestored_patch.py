from __future__ import annotations

import ast
import re
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import last_name

_PATCHING = LazyPattern(
    r"(^|\.)(mock|mocker)\.patch(\.(object|dict|multiple))?$|^(unittest\.)?mock\.patch|^patch$|"
    r"(^|\.)(freeze_time|time_machine\.travel|requests_mock\.Mocker|mock_aws|aioresponses)$"
)
_PROCESS_WIDE = frozenset(
    {
        "sys.path.insert", "sys.path.append", "locale.setlocale", "logging.disable",
        "socket.setdefaulttimeout", "signal.signal", "asyncio.set_event_loop_policy", "time.tzset",
        "sys.setrecursionlimit", "gc.disable", "decimal.setcontext",
    }
)  # fmt: skip
"""Calls that affect the entire process."""
_UNDONE = LazyPattern(
    r"addCleanup|addfinalizer|addClassCleanup|addModuleCleanup|stopall|\.stop\b|ExitStack|callback\("
)


class UnrestoredPatch(PythonTestCheck):
    """A test replaces a process-wide object and does not restore it.

    Every later test uses the replacement, so its outcome depends on the order. Use ``monkeypatch.setattr`` or
    ``with mock.patch.object(...)``, which restore the original; stop a started patch with
    ``addCleanup(patcher.stop)``.
    """

    ID = "TE020"
    NAME = "unrestored-patch"
    DEFECT_CLASS = "order-dependent-tests"
    VALID = [
        code("""
            import shop
            def test_price(monkeypatch):
                monkeypatch.setattr(shop, 'rate', lambda: 2)
                assert shop.price(1) == 2
        """),
        code("""
            import shop
            def test_price():
                old = shop.rate
                shop.rate = lambda: 2
                try:
                    assert shop.price(1) == 2
                finally:
                    shop.rate = old
        """),
    ]
    INVALID = [
        code("""
            import shop
            def test_price():
                «shop.rate = lambda: 2»
                assert shop.price(1) == 2
        """),
        code("""
            from unittest.mock import Mock
            from shop import Basket
            def test_price():
                «Basket.rate = Mock(return_value=2)»
                assert Basket().price(1) == 2
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "import" in source.text

    def check_test(self, case: TestCase) -> None:
        for node in self.module.nodes_of(case):
            what = "" if _is_restoration(node, case) else self._replaced_attribute(node)
            if what and isinstance(node, ast.stmt) and not self._is_restored(what, node, case):
                text = f"{what} is not restored and affects later tests; use monkeypatch"
                self.report(
                    self.module.span(node), text, severity=None if _is_double(node) else Severity.INFO
                )
                return

    def visit_Call(self, node: ast.Call) -> None:
        """Check patches that are started manually."""
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr != "start" or node.args:
            return
        if not self.module.runs_in_tests(node) or not self._is_patch(function.value):
            return
        if not self.module.contains(_UNDONE):
            self.report(
                self.module.span(node),
                "patch is started and never stopped; register addCleanup(patcher.stop)",
            )

    def _is_patch(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return _PATCHING.search(self.module.qualified_name(node.func) or "") is not None
        return any(self._is_patch(call) for call in self._assigned_calls.get(unparse(node), ()))

    @cached_property
    def _assigned_calls(self) -> dict[str, list[ast.Call]]:
        """Calls whose results are assigned to variables and attributes, by target."""
        found: dict[str, list[ast.Call]] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                for target in node.targets:
                    found.setdefault(unparse(target), []).append(node.value)
        return found

    def _replaced_attribute(self, node: ast.AST) -> str:
        """Return the attribute of an imported module or class that a statement replaces, verbatim."""
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Subscript):
                return "sys.modules" if self.module.imported_name(target.value) == "sys.modules" else ""
            return unparse(target) if self._is_of_import(target) else ""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            name = self.module.imported_name(node.value.func) or ""
            return name if name in _PROCESS_WIDE else ""
        return ""

    def _is_of_import(self, target: ast.expr) -> bool:
        """Return True if a target is an attribute of an imported module or class."""
        if not isinstance(target, ast.Attribute):
            return False
        owner = target.value
        is_nested = isinstance(owner, ast.Attribute)
        dotted = self.module.imported_name(owner)
        if dotted is None or ("." not in dotted and is_nested):
            return False
        if unparse(owner) in self._module_paths or _is_class_name(unparse(owner)):
            return True
        is_module = isinstance(owner, ast.Name) and owner.id in self._modules
        return (is_nested or is_module) and self._is_plain(owner)

    def _is_plain(self, owner: ast.expr) -> bool:
        """Return True if an attribute chain can consist of modules and classes, judged by spelling."""
        return re.fullmatch(r"[a-z_]\w*(\.[a-z_]\w*)*(\.[A-Z][a-z]\w*)?", unparse(owner)) is not None and (
            isinstance(owner, ast.Name) or unparse(owner).rpartition(".")[2][:1].isupper()
        )

    @cached_property
    def _modules(self) -> frozenset[str]:
        """Local names of ``import a`` and ``import a.b as c``, which are certainly modules."""
        return frozenset(
            alias.asname or alias.name.partition(".")[0]
            for statement in self.module.tree.body
            if isinstance(statement, ast.Import)
            for alias in statement.names
        )

    @cached_property
    def _module_paths(self) -> frozenset[str]:
        """Dotted paths of ``import a.b.c``, verbatim."""
        found = (s for s in self.module.tree.body if isinstance(s, ast.Import))
        return frozenset(alias.name for s in found for alias in s.names if "." in alias.name)

    def _is_restored(self, patched: str, change: ast.stmt, case: TestCase) -> bool:
        """Return True if the test, its set-up or another function of the module undoes the change."""
        if any(
            isinstance(parent, (ast.With, ast.AsyncWith, ast.Try)) for parent in self.module.ancestors(change)
        ):
            return True
        if isinstance(change, ast.Expr) and self.module.text.count(_undo_call(patched)) > 1:
            return True
        name = patched.rpartition(".")[2]
        if _has_isolating_decorator(case, name):
            return True
        if any(_undoes_patch(node, patched, change) for node in self.module.nodes_of(case)):
            return True
        return any(name in other for other in self._others)

    @cached_property
    def _others(self) -> list[str]:
        """Source of all functions of the module that may run around tests."""
        tests = {case.node for case in self.module.tests}
        return [
            unparse(function)
            for function in self.module.functions
            if function not in tests
            and (
                function in self.module.test_code or re.search(r"(?i)tear|clean|reset|restore", function.name)
            )
        ]


def _is_class_name(dotted: str) -> bool:
    return re.match(r"[A-Z][a-z]", dotted.rpartition(".")[2]) is not None


def _has_isolating_decorator(case: TestCase, name: str) -> bool:
    """Return True if a decorator of a test or of its class restores a name, or everything."""
    decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
    return any(name in text or "isolat" in text for text in map(unparse, decorators))


def _is_restoration(node: ast.AST, case: TestCase) -> bool:
    """Return True if an assignment puts back the value that the test read from its target before."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, (ast.Name, ast.Attribute)):
        return False
    saved = (unparse(node.value), unparse(node.targets[0]))
    return any(saved in _read_into(inner) for inner in walk(case.node) if isinstance(inner, ast.Assign))


def _read_into(statement: ast.Assign) -> list[tuple[str, str]]:
    """Return the pairs of target and value of an assignment, verbatim."""
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
    else:
        pairs = [(target, value)]
    return [(unparse(left), unparse(other)) for left, other in pairs]


def _undo_call(what: str) -> str:
    """Return the text of the call that undoes a process-wide call."""
    return (
        what if what.startswith(("logging", "locale", "socket", "signal")) else what.rpartition(".")[0] + "."
    )


def _is_double(node: ast.stmt) -> bool:
    """Return True if a statement replaces a function or object, not a value."""
    if not isinstance(node, ast.Assign):
        return True
    return isinstance(node.value, (ast.Call, ast.Lambda, ast.Name)) and last_name(node.value) != "timedelta"


def _undoes_patch(node: ast.AST, patched: str, change: ast.stmt) -> bool:
    """Return True if another step of the test restores something or registers a cleanup."""
    line = getattr(node, "lineno", 0)
    if line == change.lineno:
        return False
    is_later = line > change.lineno
    match node:
        case ast.Try() if node.finalbody and is_later:
            return True
        case ast.Assign() | ast.Delete():
            return any(unparse(target).startswith(patched) for target in node.targets)
        case ast.Call():
            return _is_undoing_call(node, patched, is_later=is_later)
    return False


def _is_undoing_call(call: ast.Call, patched: str, *, is_later: bool) -> bool:
    name = unparse(call.func)
    if re.search(r"addCleanup|addfinalizer|(re)?setattr|delattr|restore|reload|stop$", name):
        return True
    is_about_it = name.startswith(patched) or last_name(call) == patched.rpartition(".")[2]
    return is_later and is_about_it
