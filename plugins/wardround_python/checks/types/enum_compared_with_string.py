"""PY058: enum compared with string."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_PLAIN_ENUMS = frozenset({"enum.Enum", "Enum"})


class EnumComparedWithString(PythonCheck):
    """An enum member is compared with a string.

    A plain ``Enum`` equals only its own members: the comparison is False for every value. Compare with the
    member, or compare its ``.value``.
    """

    ID = "PY058"
    NAME = "enum-compared-with-string"
    MATURITY = Maturity.PREVIEW
    WORDS = ("Enum)",)
    DEFECT_CLASS = "useless-comparison"
    VALID = [
        code("""
            from enum import Enum
            class S(Enum):
                A = 'a'
            def f(s: S):
                return s == S.A or s.value == 'a'
        """),
        code("""
            from enum import Enum
            class S(str, Enum):
                A = 'a'
            def f(s: S):
                return s == 'a'
        """),
    ]
    INVALID = [
        code("""
            from enum import Enum
            class S(Enum):
                A = 'a'
            def f(s: S):
                return «s == 'a'»
        """),
        code("""
            import enum
            class S(enum.Enum):
                A = 'a'
            class Job:
                state: S
            def f(job):
                if «job.state in ('a', 'b')»:
                    return 1
        """),
    ]

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            return
        left, right = node.left, node.comparators[0]
        text = (_is_text(right) and self._is_member(left)) or (_is_text(left) and self._is_member(right))
        if text:
            always = "true" if isinstance(node.ops[0], (ast.NotEq, ast.NotIn)) else "false"
            self.report(
                self.module.span(node),
                f"an enum member is compared with a string, which is always {always}; "
                "compare with the member",
            )

    @cached_property
    def _enums(self) -> dict[str, ast.ClassDef]:
        return {
            n.name: n
            for n in self.module.nodes
            if isinstance(n, ast.ClassDef)
            and len(n.bases) == 1
            and (self.module.dotted(n.bases[0]) or "") in _PLAIN_ENUMS
            and not any(getattr(statement, "name", "") == "__eq__" for statement in n.body)
        }

    def _is_member(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Attribute):
            if isinstance(value.value, ast.Name) and value.value.id in self._enums:
                return value.attr.isupper()
            return self._fields.get(value.attr, {"?"}) <= self._enums.keys()
        if not isinstance(value, ast.Name):
            return False
        scope = self.module.function_of(value)
        kinds = {
            unparse(a.annotation) if a.annotation is not None else "?"
            for a in walk(scope or value)
            if isinstance(a, ast.arg) and a.arg == value.id
        }
        return bool(kinds) and kinds <= self._enums.keys()

    @cached_property
    def _fields(self) -> dict[str, set[str]]:
        """Return the annotation of each field of the module's classes."""
        result: dict[str, set[str]] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.AnnAssign):
                name = node.target.attr if isinstance(node.target, ast.Attribute) else unparse(node.target)
                result.setdefault(name, set()).add(unparse(node.annotation))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute):
                        result.setdefault(target.attr, set()).add("?")
        return result


def _is_text(value: ast.expr) -> bool:
    if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
        return bool(value.elts) and all(map(_is_text, value.elts))
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
