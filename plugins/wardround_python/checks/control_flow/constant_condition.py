"""PY042."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.findings import SuggestedFix
from wardround_python.check import PythonCheck

_PREDICATE = ("is_", "has_", "can_", "should_", "was_", "needs_", "supports_")
_TEXT_METHODS = frozenset(
    [
        "isdigit",
        "isalpha",
        "isalnum",
        "isdecimal",
        "isnumeric",
        "isupper",
        "islower",
        "isspace",
        "lower",
        "upper",
        "strip",
        "splitlines",
    ]
)


class ConstantCondition(PythonCheck):
    """A condition is true, or false, whatever the values are.

    ``x != 1 or x != 2`` holds for everything, a method that is named and not called is always true, and
    ``type=bool`` makes every text but the empty one True, "false" too. Write what was meant: ``and``, the
    call, ``action="store_true"``.
    """

    ID = "PY042"
    NAME = "constant-condition"
    PREFILTER = "wardround_python.prefilters:may_be_decided"
    DEFECT_CLASS = "useless-comparison"
    VALID = [
        code("""
            def f(x):
                return len(x) > 0 and x.lower() == 'yes' and x in ('admin',) and x is not y
        """),
        code("""
            def f(x):
                return x != 1 and x != 2
        """),
    ]
    INVALID = [
        code("""
            def f(xs):
                return «len(xs) >= 0»
        """),
        code(
            """
            def f(x):
                return «x.lower() == 'Yes'»
            """,
            fixed="""
            def f(x):
                return x.lower() == 'yes'
            """,
        ),
    ]

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        wanted = ast.NotEq if isinstance(node.op, ast.Or) else ast.Eq
        if sum(isinstance(one, ast.Compare) for one in node.values) > 1:
            self._look_at_values(node, wanted)
        for one in node.values[:-1]:
            self._look_at(one)

    def _look_at_values(self, node: ast.BoolOp, wanted: type[ast.cmpop]) -> None:
        """One thing compared with two values, in a way that both or neither can hold."""
        told: dict[str, set[str]] = {}
        for one in node.values:
            if isinstance(one, ast.Compare) and len(one.ops) == 1 and isinstance(one.ops[0], wanted):
                value = one.comparators[0]
                if isinstance(value, ast.Constant) and value.value is not None:
                    told.setdefault(ast.unparse(one.left), set()).add(repr(value.value))
        for name, values in told.items():
            if len(values) > 1 and "(" not in name:
                always = "true" if isinstance(node.op, ast.Or) else "false"
                message = f"this is always {always}, whatever {name} is"
                self.report(self.module.span(node), message, self._other_operator(node))
                return

    def _other_operator(self, node: ast.BoolOp) -> SuggestedFix | None:
        other, word = (ast.And, "and") if isinstance(node.op, ast.Or) else (ast.Or, "or")
        return self.fix(node, lambda one: one.joined(node, other), f'join them by "{word}"')

    def visit_If(self, node: ast.If) -> None:
        self._look_at(node.test)

    def visit_While(self, node: ast.While) -> None:
        self._look_at(node.test)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._look_at(node.test)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._look_at(node.operand)

    def visit_Compare(self, node: ast.Compare) -> None:
        told = self._outcome(node) if len(node.ops) == 1 else ""
        if told:
            self.report(self.module.span(node), told, self._corrected(node))
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Lt, ast.Gt, ast.LtE, ast.GtE)):
            for side in (node.left, node.comparators[0]):
                if not isinstance(side, ast.Attribute) or side.attr not in ("lower", "upper", "strip"):
                    continue
                if ast.unparse(side.value) not in ("str", "bytes"):
                    self._report(side)

    def _corrected(self, node: ast.Compare) -> SuggestedFix | None:
        """Return the fix of ``is (not x)`` and of a comparison of ``lower()`` with another case."""
        left, right = node.left, node.comparators[0]
        negated = right.operand if isinstance(right, ast.UnaryOp) else None
        if isinstance(node.ops[0], ast.Is) and isinstance(negated, (ast.Name, ast.Attribute, ast.Constant)):
            parts = {"left": left, "right": negated}
            return self.fix(
                node, lambda one: one.expression(node, "{left} is not {right}", **parts), 'use "is not"'
            )
        if not isinstance(left, ast.Call) or not isinstance(left.func, ast.Attribute):
            return None
        is_equality = isinstance(node.ops[0], (ast.Eq, ast.NotEq))
        if not is_equality or not isinstance(right, ast.Constant) or left.func.attr not in ("lower", "upper"):
            return None
        cased = str.lower if left.func.attr == "lower" else str.upper
        description = f"compare with {cased(str(right.value))!r}"
        return self.fix(right, lambda one: one.text(right, cased), description, safe=True)

    def _outcome(self, node: ast.Compare) -> str:
        """What is to be said of a comparison whose outcome its two sides decide."""
        left, operator, right = node.left, node.ops[0], node.comparators[0]
        if isinstance(operator, (ast.Is, ast.IsNot)):
            negated = isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.Not)
            return "this compares with True or False; is not was meant" if negated else ""
        if not isinstance(right, ast.Constant):
            return ""
        if isinstance(operator, (ast.In, ast.NotIn)):
            before = self.source.lines[right.lineno - 1].encode()[: right.col_offset]
            is_bracketed = isinstance(right.value, str) and before.endswith(b"(") and len(right.value) > 1
            return "one text in brackets is no tuple: every part of it counts" if is_bracketed else ""
        if not isinstance(left, ast.Call):
            return ""
        if isinstance(left.func, ast.Name) and left.func.id == "len" and right.value == 0:
            always = {ast.GtE: "true", ast.Lt: "false"}.get(type(operator))
            return f"a length is never below 0: this is always {always}" if always else ""
        if not isinstance(left.func, ast.Attribute) or left.args or not isinstance(right.value, str):
            return ""
        is_never = {"lower": str.lower, "upper": str.upper}.get(left.func.attr)
        if (
            is_never is None
            or not isinstance(operator, (ast.Eq, ast.NotEq))
            or is_never(right.value) == right.value
        ):
            return ""
        return f"what {left.func.attr}() gives never equals this"

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            for keyword in node.keywords:
                if (
                    keyword.arg == "type"
                    and isinstance(keyword.value, ast.Name)
                    and keyword.value.id == "bool"
                ):
                    self.report(
                        self.module.span(keyword),
                        'bool("false") is True: every text but the empty one switches it on',
                    )

    def _look_at(self, test: ast.expr) -> None:
        if isinstance(test, ast.Attribute):
            is_method = isinstance(test.value, ast.Name) and test.value.id == "self" and self._is_method(test)
            is_named = isinstance(test.value, ast.Name) and test.attr.startswith(_PREDICATE)
            is_asked = test.attr in _TEXT_METHODS or (is_named and test.attr in self._predicates)
            if is_method or (is_asked and self._never_set(test.attr)):
                self._report(test)
        elif isinstance(test, ast.Name) and test.id in self._named_functions and test.id in self._functions:
            self._report(test)

    def _report(self, node: ast.expr) -> None:
        self.report(
            self.module.span(node), f"{ast.unparse(node)} is not called here: a function is always true"
        )

    def _never_set(self, name: str) -> bool:
        """Whether the module nowhere gives an attribute of that name a value."""
        return name not in self._set

    @cached_property
    def _set(self) -> set[str]:
        found = {
            n.attr
            for n in self.module.nodes
            if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
        }
        found |= {n.arg for n in self.module.nodes if isinstance(n, ast.arg)}
        for node in self.module.nodes:
            if isinstance(node, ast.ClassDef):
                for one in node.body:
                    if isinstance(one, (ast.Assign, ast.AnnAssign)):
                        targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                        found |= {t.id for t in targets if isinstance(t, ast.Name)}
        return found

    def _is_method(self, test: ast.Attribute) -> bool:
        holder = next((p for p in self.module.ancestors(test) if isinstance(p, ast.ClassDef)), None)
        if holder is None:
            return False
        named = [n for n in holder.body if getattr(n, "name", None) == test.attr]
        return (
            len(named) == 1
            and isinstance(named[0], (ast.FunctionDef, ast.AsyncFunctionDef))
            and not named[0].decorator_list
            and self._never_set(test.attr)
        )

    @cached_property
    def _predicates(self) -> set[str]:
        """What classes of the module answer yes or no with, by the name, and only by being called."""
        plain: set[str] = set()
        other: set[str] = set()
        for node in self.module.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith(_PREDICATE):
                is_method = isinstance(self.module.parents[node], ast.ClassDef) and not node.decorator_list
                (plain if is_method else other).add(node.name)
        return plain - other

    @cached_property
    def _named_functions(self) -> set[str]:
        return {
            n.name for n in self.module.tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
        }

    @cached_property
    def _functions(self) -> set[str]:
        """The functions of the module whose names mean nothing else in it."""
        names = [
            n.name for n in self.module.tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
        ]
        other = {
            n.id for n in self.module.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        other |= {n.arg for n in self.module.nodes if isinstance(n, ast.arg)} | set(self.module.imported)
        return {name for name in names if names.count(name) == 1} - other
