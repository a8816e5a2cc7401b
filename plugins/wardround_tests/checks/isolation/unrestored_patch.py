"""TE020: patches that are not undone."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
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
            what = "" if _is_restoration(node, case) else self._replaced(node)
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
            return _PATCHING.search(self.module.dotted(node.func) or "") is not None
        return any(self._is_patch(one) for one in self._assigned_calls.get(unparse(node), ()))

    @cached_property
    def _assigned_calls(self) -> dict[str, list[ast.Call]]:
        """Calls whose results are assigned to variables and attributes, by target."""
        found: dict[str, list[ast.Call]] = {}
        for one in self.module.nodes:
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
                for target in one.targets:
                    found.setdefault(unparse(target), []).append(one.value)
        return found

    def _replaced(self, node: ast.AST) -> str:
        """Return the attribute of an imported module or class that a statement replaces, as written."""
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
        local = owner.id if isinstance(owner, ast.Name) else ""
        dotted = self.module.imported_name(owner)
        if dotted is None or ("." not in dotted and isinstance(owner, ast.Attribute)):
            return False
        if unparse(owner) in self._module_paths:
            return True
        is_module = local in self._modules or isinstance(owner, ast.Attribute)
        is_class = re.match(r"[A-Z][a-z]", local or unparse(owner).rpartition(".")[2]) is not None
        return (is_module and self._is_plain(owner)) or is_class

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
        """Dotted paths of ``import a.b.c``, as written."""
        found = (s for s in self.module.tree.body if isinstance(s, ast.Import))
        return frozenset(alias.name for s in found for alias in s.names if "." in alias.name)

    def _is_restored(self, what: str, change: ast.stmt, case: TestCase) -> bool:
        """Return True if the test, its set-up or another function of the module undoes the change."""
        if any(isinstance(p, (ast.With, ast.AsyncWith, ast.Try)) for p in self.module.ancestors(change)):
            return True
        if isinstance(change, ast.Expr) and self.module.text.count(_undoing(what)) > 1:
            return True
        last = what.rpartition(".")[2]
        around = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
        if any(last in unparse(one) or "isolat" in unparse(one) for one in around):
            return True
        if any(_undoes(node, what, change) for node in self.module.nodes_of(case)):
            return True
        return any(last in one for one in self._others)

    @cached_property
    def _others(self) -> list[str]:
        """Source of all functions of the module that may run around tests."""
        tests = {case.node for case in self.module.tests}
        return [
            unparse(one)
            for one in self.module.functions
            if one not in tests
            and (one in self.module.test_code or re.search(r"(?i)tear|clean|reset|restore", one.name))
        ]


def _is_restoration(node: ast.AST, case: TestCase) -> bool:
    """Return True if an assignment puts back the value that the test read from its target before."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, (ast.Name, ast.Attribute)):
        return False
    saved = (unparse(node.value), unparse(node.targets[0]))
    return any(saved in _read_into(one) for one in walk(case.node) if isinstance(one, ast.Assign))


def _read_into(statement: ast.Assign) -> list[tuple[str, str]]:
    """Return the pairs of target and value of an assignment, as written."""
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
    else:
        pairs = [(target, value)]
    return [(unparse(one), unparse(other)) for one, other in pairs]


def _undoing(what: str) -> str:
    """Return the text of the call that undoes a process-wide call."""
    return (
        what if what.startswith(("logging", "locale", "socket", "signal")) else what.rpartition(".")[0] + "."
    )


def _is_double(node: ast.stmt) -> bool:
    """Return True if a statement replaces a function or object, not a value."""
    if not isinstance(node, ast.Assign):
        return True
    return isinstance(node.value, (ast.Call, ast.Lambda, ast.Name)) and last_name(node.value) != "timedelta"


def _undoes(node: ast.AST, what: str, change: ast.stmt) -> bool:
    """Return True if another step of the test restores something or registers a cleanup."""
    if getattr(node, "lineno", 0) == change.lineno:
        return False
    if isinstance(node, ast.Try) and node.finalbody and node.lineno > change.lineno:
        return True
    if isinstance(node, (ast.Assign, ast.Delete)):
        return any(unparse(target).startswith(what) for target in node.targets)
    if not isinstance(node, ast.Call):
        return False
    name = unparse(node.func)
    if name.startswith(what) and node.lineno > change.lineno:
        return True
    is_undoing = re.search(r"addCleanup|addfinalizer|(re)?setattr|delattr|restore|reload|stop$", name)
    return bool(is_undoing) or (last_name(node) == what.rpartition(".")[2] and node.lineno > change.lineno)
