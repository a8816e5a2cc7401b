"""PY031: predicate name without bool."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_PROMISING_DEF = LazyPattern(r"def[ ]+_*(?:is|has|get)_[a-z]|def[ ]+_*(?:can|should)_[a-z]")
_PREDICATE = LazyPattern(r"_*(is|has|can|should)_[a-z]\w*")
_OTHER_TYPES = LazyPattern(
    r"(Optional\[)?(str|int|float|bytes|list|dict|set|List|Dict|Set|datetime|date|Decimal)\b[^|]*(\| ?None)?"
)
_NAME = re.compile(r"_*(is|has|get)_[a-z]\w*")
_OWN_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "property", "cached_property", "cache", "lru_cache"}
)
_NEVER_RETURNS = frozenset({"NoReturn", "Never"})


class PredicateNameWithoutBool(PythonCheck):
    """A function's name promises a value, it never returns one, and the module uses its result.

    ``is_`` and ``has_`` read as predicates, ``get_`` as a value: callers that test or store the result
    get None, which is false. Usually a ``return`` is missing; add it, or rename the function.
    """

    ID = "PY031"
    NAME = "predicate-name-without-bool"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "answerless-name"
    WORDS = ("is_", "has_", "get_")
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def is_open(self):
                return self.state == 'open'

            x = is_open(1)
        """),
        code("""
            def get_rows(self):
                for row in self.rows:
                    yield row

            x = get_rows(1)
        """),
    ]
    INVALID = [
        code("""
            def «is_open»(self):
                self.state == 'open'

            if not is_open(door):
                knock()
        """),
        code(
            """
            def «is_listed»(party) -> str | None:
                return codes.get(party)
            """,
            base="""
            def is_listed(party) -> bool:
                return party in codes
            """,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return _PROMISING_DEF.search(source.text) is not None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        self._check_return_type(node)
        name = _NAME.fullmatch(node.name)
        if name is None or not self._is_changed(node) or not _is_own(node) or not _returns_nothing(node):
            return
        used = self._uses.get(node.name, ())
        if used and self._definitions[node.name] == 1:
            use = f"its result is used on line {used[0]}"
            self.report(
                self.module.name_span(node), f'"{node.name}" returns no value, but {use}; add the return'
            )

    def _check_return_type(self, node: FunctionNode) -> None:
        """Report a predicate's name on a function whose annotated return type changed from bool."""
        annotation = unparse(node.returns).strip("'\"") if node.returns is not None else ""
        if not _OTHER_TYPES.fullmatch(annotation) or not _PREDICATE.fullmatch(node.name):
            return
        bool_before = re.search(rf"\bdef {node.name}\([^()]*\) *-> *bool\b", self.source.base_text or "")
        if bool_before is not None and _is_own(node):
            self.report(
                self.module.name_span(node),
                f'"{node.name}" is named like a predicate but returns {annotation}; rename it',
            )

    @cached_property
    def _definitions(self) -> Counter[str]:
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        return Counter(n.name for n in self.module.nodes if isinstance(n, functions))

    @cached_property
    def _uses(self) -> dict[str, list[int]]:
        """Lines where the result of a plain name or own method is stored, tested or passed on."""
        found: dict[str, list[int]] = {}
        for node in self.module.nodes:
            if not isinstance(node, ast.Call) or _NAME.fullmatch(name := _called(node)) is None:
                continue
            parent = self.module.parents[node]
            user = self.module.parents[parent] if isinstance(parent, ast.Await) else parent
            if not isinstance(user, (ast.Expr, ast.Return, ast.Lambda)):
                found.setdefault(name, []).append(node.lineno)
        return found

    def _is_changed(self, node: FunctionNode) -> bool:
        return any(map(self.source.is_added, range(node.lineno, (node.end_lineno or node.lineno) + 1)))


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return node.func.attr if node.func.value.id in ("self", "cls") else ""
    return ""


def _is_own(node: FunctionNode) -> bool:
    """Return True if callers receive the function's own return value."""
    names = {getattr(decorator, "id", getattr(decorator, "attr", "?")) for decorator in node.decorator_list}
    return names <= _OWN_DECORATORS and (node.returns is None or unparse(node.returns) not in _NEVER_RETURNS)


def _returns_nothing(node: FunctionNode) -> bool:
    """Return True if the body has an effect, returns and yields nothing, and does not end by raising."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if not any(_has_effect(statement) for statement in body) or isinstance(body[-1], ast.Raise):
        return False
    return not any(
        isinstance(n, (ast.Yield, ast.YieldFrom)) or (isinstance(n, ast.Return) and n.value is not None)
        for n in nodes_run_by(body)
    )


def _has_effect(statement: ast.stmt) -> bool:
    is_empty = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return not is_empty and not isinstance(statement, (ast.Pass, ast.Raise, ast.Assert))
