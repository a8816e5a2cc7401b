"""PY027: mutable class attribute."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CONSTRUCTORS = frozenset({"list", "dict", "set", "collections.defaultdict", "collections.deque"})
_MUTATING_METHODS = frozenset(
    {
        "append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "add",
        "discard", "appendleft", "popleft",
    }
)  # fmt: skip
# Bases whose class attributes are copied for each instance, or are shared on purpose.
_FIELD_BASES = LazyPattern(
    r"Model|Schema|Struct|Settings|Enum|NamedTuple|TypedDict|Protocol|Meta|Table|Document|Field"
)
_SHARED_NAME = LazyPattern(
    r"_*(registry|registered|instances?|cache\w*|\w+_cache|by_\w+|all_\w+|known\w*|shared\w*|lock)|__\w+__"
    r"|[A-Z_0-9]+"
)
_AT_CLASS = LazyPattern(
    r"^[ \t]+\w+[ \t]*(?::[^\n=]+)?=[ \t]*(?:[\[{]|(?:list|dict|set|(?:\w+\.)?(?:defaultdict|deque))\()",
    re.MULTILINE,
)


class MutableClassAttribute(PythonCheck):
    """A list, dict or set of the class is modified through ``self``.

    It is created once, with the class, so an item added by one instance is visible to all others. Create
    it in ``__init__``; if sharing is intended, modify it through the class to make that explicit.
    """

    ID = "PY027"
    NAME = "mutable-class-attribute"
    MATURITY = Maturity.PREVIEW
    WORDS = ("class ",)
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "mutable-class-attribute"
    VALID = [
        code("""
            class A:
                def __init__(self):
                    self.rows = []
                def f(self):
                    self.rows.append(1)
        """),
        code("""
            class A:
                rows = []
                def __init__(self):
                    self.rows = []
                def f(self):
                    self.rows.append(1)
        """),
    ]
    INVALID = [
        code("""
            class A:
                rows = «[]»
                def f(self):
                    self.rows.append(1)
        """),
        code("""
            class A:
                table: dict = «{}»
                async def f(self, key):
                    self.table[key] = 1
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "class " in source.text and _AT_CLASS.search(source.text) is not None

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if node.decorator_list or any(_FIELD_BASES.search(unparse(base)) for base in node.bases):
            return
        candidates = dict(self._collections(node))
        if not candidates:
            return
        inside = [n for method in node.body for n in walk(method)]
        of_self = [n for n in inside if isinstance(n, ast.Attribute) and _is_self(n.value)]
        for name, value in candidates.items():
            if self._is_only_modified([use for use in of_self if use.attr == name]):
                self.report(
                    self.module.span(value),
                    f'all instances of "{node.name}" share and modify this "{name}"; create it in __init__',
                )

    def _is_only_modified(self, uses: Sequence[ast.Attribute]) -> bool:
        """Return True if an attribute is modified and never assigned."""
        return not any(isinstance(use.ctx, ast.Store) for use in uses) and any(map(self._modifies, uses))

    def _collections(self, node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
        for statement in node.body:
            target = _class_attribute(statement, has_bases=bool(node.bases))
            if target is None or _SHARED_NAME.fullmatch(target.id):
                continue
            value = getattr(statement, "value", None)
            if value is not None and self._is_collection(value):
                yield target.id, value

    def _is_collection(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            return self.module.dotted(value.func) in _CONSTRUCTORS
        return isinstance(value, (ast.List, ast.Dict, ast.Set))

    def _modifies(self, use: ast.Attribute) -> bool:
        parent = self.module.parents[use]
        if isinstance(parent, ast.Subscript):
            return parent.value is use and isinstance(parent.ctx, (ast.Store, ast.Del))
        called = self.module.parents[parent] if isinstance(parent, ast.Attribute) else None
        is_mutating = isinstance(parent, ast.Attribute) and parent.attr in _MUTATING_METHODS
        return is_mutating and isinstance(called, ast.Call) and called.func is parent


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _class_attribute(statement: ast.stmt, has_bases: bool) -> ast.Name | None:
    """Return the name that a statement of a class body assigns."""
    target: ast.expr | None = None
    # With a base an annotation may declare a field, and each instance gets its own copy.
    if isinstance(statement, ast.AnnAssign) and not has_bases:
        target = None if "ClassVar" in unparse(statement.annotation) else statement.target
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    return target if isinstance(target, ast.Name) else None
