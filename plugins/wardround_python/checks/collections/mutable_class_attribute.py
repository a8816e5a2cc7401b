"""PY027."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_MAKERS = frozenset({"list", "dict", "set", "collections.defaultdict", "collections.deque"})
_CHANGES = frozenset(
    {
        "append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "add",
        "discard", "appendleft", "popleft",
    }
)  # fmt: skip
# Where a class attribute is made anew for each instance, or is meant for all of them.
_OWN_RULES = LazyPattern(
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
    """A list, dict or set of the class is changed through ``self``.

    It is made once, with the class, so what one instance puts in all others see. Make it in ``__init__``;
    where it is meant for all, change it through the class, which says so.
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
        if node.decorator_list or any(_OWN_RULES.search(ast.unparse(base)) for base in node.bases):
            return
        made = dict(self._made(node))
        if not made:
            return
        inside = [n for method in node.body for n in walk(method)]
        for name, value in made.items():
            uses = [
                n for n in inside if isinstance(n, ast.Attribute) and n.attr == name and _is_self(n.value)
            ]
            if any(isinstance(use.ctx, ast.Store) for use in uses) or not any(map(self._changes, uses)):
                continue
            self.report(self.module.span(value), f'every instance of "{node.name}" changes this one "{name}"')

    def _made(self, node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
        for statement in node.body:
            # With a base an annotation may declare a field, of which each instance gets its own copy.
            if isinstance(statement, ast.AnnAssign) and not node.bases:
                if "ClassVar" in ast.unparse(statement.annotation):
                    continue
                target: ast.expr = statement.target
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
            else:
                continue
            value = statement.value
            if not isinstance(target, ast.Name) or _SHARED_NAME.fullmatch(target.id):
                continue
            if value is not None and self._is_collection(value):
                yield target.id, value

    def _is_collection(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            return self.module.dotted(value.func) in _MAKERS
        return isinstance(value, (ast.List, ast.Dict, ast.Set))

    def _changes(self, use: ast.Attribute) -> bool:
        parent = self.module.parents[use]
        if isinstance(parent, ast.Subscript):
            return parent.value is use and isinstance(parent.ctx, (ast.Store, ast.Del))
        called = self.module.parents[parent] if isinstance(parent, ast.Attribute) else None
        changes = isinstance(parent, ast.Attribute) and parent.attr in _CHANGES
        return changes and isinstance(called, ast.Call) and called.func is parent


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
