from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.findings import SuggestedFix
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
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
    """A condition is always true, or always false.

    ``x != 1 or x != 2`` holds for every value, a method that is referenced and not called is always true,
    and ``type=bool`` converts every non-empty string to True, "false" too. Use ``and``, the call, or
    ``action="store_true"``.
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
        operator_type = ast.NotEq if isinstance(node.op, ast.Or) else ast.Eq
        if sum(isinstance(value, ast.Compare) for value in node.values) > 1:
            self._check_values(node, operator_type)
        for value in node.values[:-1]:
            self._check_test(value)

    def _check_values(self, node: ast.BoolOp, operator_type: type[ast.cmpop]) -> None:
        """Report an operand compared with two values so that both or neither can hold."""
        compared: dict[str, set[str]] = {}
        for operand in node.values:
            match operand:
                case ast.Compare(left=left, ops=[operator], comparators=[ast.Constant(value=value)]):
                    if isinstance(operator, operator_type) and value is not None:
                        compared.setdefault(unparse(left), set()).add(repr(value))
        for name, values in compared.items():
            if len(values) > 1 and "(" not in name:
                always = "true" if isinstance(node.op, ast.Or) else "false"
                message = f"condition is always {always}, whatever the value of {name}"
                self.report(self.module.span(node), message, self._other_operator(node))
                return

    def _other_operator(self, node: ast.BoolOp) -> SuggestedFix | None:
        other, word = (ast.And, "and") if isinstance(node.op, ast.Or) else (ast.Or, "or")
        return self.fix(node, lambda rewrite: rewrite.join_with(node, other), f'join them by "{word}"')

    def visit_If(self, node: ast.If) -> None:
        self._check_test(node.test)

    def visit_While(self, node: ast.While) -> None:
        self._check_test(node.test)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._check_test(node.test)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._check_test(node.operand)

    def visit_Compare(self, node: ast.Compare) -> None:
        message = self._outcome(node) if len(node.ops) == 1 else ""
        if message:
            self.report(self.module.span(node), message, self._comparison_fix(node))
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Lt, ast.Gt, ast.LtE, ast.GtE)):
            for side in (node.left, node.comparators[0]):
                if not isinstance(side, ast.Attribute) or side.attr not in ("lower", "upper", "strip"):
                    continue
                if unparse(side.value) not in ("str", "bytes"):
                    self._report(side)

    def _comparison_fix(self, node: ast.Compare) -> SuggestedFix | None:
        """Return the fix of ``is (not x)`` and of a comparison of ``lower()`` with another case."""
        left, right = node.left, node.comparators[0]
        negated = right.operand if isinstance(right, ast.UnaryOp) else None
        if isinstance(node.ops[0], ast.Is) and isinstance(negated, (ast.Name, ast.Attribute, ast.Constant)):
            parts = {"left": left, "right": negated}
            template = "{left} is not {right}"
            return self.fix(node, lambda rewrite: rewrite.expression(node, template, **parts), 'use "is not"')
        if not isinstance(left, ast.Call) or not isinstance(left.func, ast.Attribute):
            return None
        is_equality = isinstance(node.ops[0], (ast.Eq, ast.NotEq))
        if not is_equality or not isinstance(right, ast.Constant) or left.func.attr not in ("lower", "upper"):
            return None
        cased = str.lower if left.func.attr == "lower" else str.upper
        description = f"compare with {cased(str(right.value))!r}"
        return self.fix(right, lambda rewrite: rewrite.text(right, cased), description, safe=True)

    def _outcome(self, node: ast.Compare) -> str:
        """Return the message for a comparison whose operands decide its result, or an empty string."""
        left, operator, right = node.left, node.ops[0], node.comparators[0]
        if isinstance(operator, (ast.Is, ast.IsNot)):
            negated = isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.Not)
            return "this compares with the result of not; use the operator is not" if negated else ""
        if not isinstance(right, ast.Constant):
            return ""
        if isinstance(operator, (ast.In, ast.NotIn)):
            return self._outcome_of_membership(right)
        return _outcome_of_call(left, operator, right) if isinstance(left, ast.Call) else ""

    def _outcome_of_membership(self, right: ast.Constant) -> str:
        before = self.source.lines[right.lineno - 1].encode()[: right.col_offset]
        if not isinstance(right.value, str) or not before.endswith(b"(") or len(right.value) < 2:
            return ""
        return "a string in parentheses is not a tuple, so substrings match; add a comma"

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
                        'bool("false") is True, so every non-empty value enables it; use action="store_true"',
                    )

    def _check_test(self, test: ast.expr) -> None:
        if isinstance(test, ast.Attribute):
            is_uncalled = self._is_uncalled(test)
        else:
            is_uncalled = isinstance(test, ast.Name) and test.id in self._functions
        if is_uncalled:
            self._report(test)

    def _is_uncalled(self, test: ast.Attribute) -> bool:
        """Return True for a method of the class or a known predicate that is not called."""
        owner = test.value.id if isinstance(test.value, ast.Name) else ""
        if owner == "self" and self._is_method(test):
            return True
        is_predicate = owner and test.attr.startswith(_PREDICATE) and test.attr in self._predicates
        return bool(test.attr in _TEXT_METHODS or is_predicate) and self._is_never_assigned(test.attr)

    def _report(self, node: ast.expr) -> None:
        self.report(
            self.module.span(node),
            f"{unparse(node)} is not called, and a function is always true; call it",
        )

    def _is_never_assigned(self, name: str) -> bool:
        """Return True if the module never assigns an attribute of the name."""
        return name not in self._assigned_names

    @cached_property
    def _assigned_names(self) -> set[str]:
        found: set[str] = set()
        for node in self.module.nodes:
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.ClassDef):
                found.update(_class_attributes(node))
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
            and self._is_never_assigned(test.attr)
        )

    @cached_property
    def _predicates(self) -> set[str]:
        """Names of methods that classes of the module define as predicates and nothing else."""
        plain: set[str] = set()
        other: set[str] = set()
        for node in self.module.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith(_PREDICATE):
                is_method = isinstance(self.module.parents[node], ast.ClassDef) and not node.decorator_list
                (plain if is_method else other).add(node.name)
        return plain - other

    @cached_property
    def _functions(self) -> set[str]:
        """Functions of the module whose names are not bound again in it."""
        names = [
            n.name for n in self.module.tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
        ]
        other = {
            n.id for n in self.module.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        other |= {n.arg for n in self.module.nodes if isinstance(n, ast.arg)} | set(self.module.imported)
        return {name for name in names if names.count(name) == 1} - other


def _outcome_of_call(left: ast.Call, operator: ast.cmpop, right: ast.Constant) -> str:
    """Return the message for a length below 0 or a text in the wrong case, or an empty string."""
    match left.func, right.value:
        case ast.Name(id="len"), 0:
            always = {ast.GtE: "true", ast.Lt: "false"}.get(type(operator))
            return f"a length is never negative, so this is always {always}" if always else ""
        case ast.Attribute(attr="lower" | "upper" as case), str() as text if not left.args:
            converted = text.lower() if case == "lower" else text.upper()
            if text == converted or not isinstance(operator, (ast.Eq, ast.NotEq)):
                return ""
            return f"the result of {case}() never equals this literal"
        case _:
            return ""


def _class_attributes(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names that a class body assigns."""
    for statement in node.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
