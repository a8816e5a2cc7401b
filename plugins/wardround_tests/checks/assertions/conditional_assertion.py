from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import last_name, own_nodes, root_name

_READING_METHODS = frozenset(
    {"get", "json", "is_visible", "exists", "strip", "first", "count", "items", "values", "keys"}
)
"""Methods that read the content of a result."""
_CONTENT_ATTRIBUTES = frozenset(
    {"data", "items", "results", "rows", "records", "hits", "objects", "entries", "json"}
)
"""Attributes that hold the content of a result."""
_SETTINGS = r"(?i)environ|env$|config|conf$|settings|options|kwargs|params|cache|_MAP$|os$"


class ConditionalAssertion(PythonTestCheck):
    """All assertions of a test are in a branch or loop that depends on the result.

    If the code under test returns nothing, no assertion runs and the test passes, so it hides the failure it
    should detect. Assert the condition first, or that the collection is not empty.
    """

    ID = "TE011"
    NAME = "conditional-assertion"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def test_find():
                found = find('a')
                assert found
                for one in found:
                    assert one.ok
        """),
        code("""
            def test_find():
                for name in ['a', 'b']:
                    assert find(name)
        """),
    ]
    INVALID = [
        code("""
            from pathlib import Path
            HERE = Path(__file__).parent
            def test_samples():
                «for» path in HERE.glob('*.csv'):
                    assert read(path).ok
        """),
        code("""
            def test_find():
                found = find('a')
                «found and check_one(found)»
        """),
    ]

    def check_test(self, case: TestCase) -> None:
        assertions = self._outermost_assertions(case)
        if not assertions or self._asserts_elsewhere(case) or _is_property_based(case):
            return
        if self._reports_early_return(case, assertions) or self._reports_guard(case, assertions):
            return
        branches = {self._branch(node, case) for node in assertions}
        branch = next(iter(branches))
        if len(branches) == 1 and branch is not None:
            self._check_branch(branch, case)

    def _outermost_assertions(self, case: TestCase) -> list[ast.AST]:
        found = [node for node in self.module.nodes_of(case) if self.module.asserts(node)]
        return [node for node in found if not any(p in found for p in self.module.ancestors(node))]

    def _check_branch(self, branch: ast.For | ast.If, case: TestCase) -> None:
        """Report a branch or loop that contains all assertions if the result decides whether it runs."""
        if self._fails_only(branch) or (isinstance(branch, ast.For) and self._asserts_in(branch.orelse)):
            return
        if isinstance(branch, ast.If) and self._asserts_both_ways(branch, case):
            text = f'"{case.name}" accepts either result; assert the expected one'
            self.report(self.module.keyword_span(branch, len("if")), text, severity=Severity.INFO)
        if not self._is_decided_by_result(branch, case):
            return
        keyword, condition = (
            ("for", "the loop runs") if isinstance(branch, ast.For) else ("if", "the condition holds")
        )
        text = f'"{case.name}" asserts only if {condition}; assert the condition first'
        self.report(self.module.keyword_span(branch, len(keyword)), text)

    def _reports_early_return(self, case: TestCase, assertions: Sequence[ast.AST]) -> bool:
        """Report a return before all assertions if the result is missing."""
        first = min(node.lineno for node in assertions if isinstance(node, (ast.stmt, ast.expr)))
        for statement in case.node.body:
            if statement.lineno >= first or not isinstance(statement, ast.If):
                continue
            is_return = len(statement.body) == 1 and isinstance(statement.body[0], ast.Return)
            if is_return and not statement.orelse and self._is_about_result(statement.test, case):
                text = f'"{case.name}" asserts nothing if it returns here; assert the condition instead'
                self.report(self.module.keyword_span(statement, len("if")), text)
                return True
        return False

    def _reports_guard(self, case: TestCase, assertions: Sequence[ast.AST]) -> bool:
        """Report a statement other than an if or a loop that contains all assertions and may skip them."""
        for statement in case.node.body:
            inside = set(walk(statement))
            if not all(node in inside for node in assertions):
                continue
            condition = self._guard_of(statement, case)
            if condition and statement not in assertions:
                text = f'"{case.name}" asserts only if {condition}; assert the condition first'
                self.report(self.module.keyword_span(statement, _width(statement)), text)
                return True
        return False

    def _guard_of(self, statement: ast.stmt, case: TestCase) -> str:
        """Return the condition under which the assertions in a statement run; empty if none or unknown."""
        match statement:
            case ast.Expr():
                return self._guard_of_expression(statement.value, case)
            case ast.Match() if self._is_result(statement.subject, case) and self._may_match_silently(
                statement
            ):
                return "a case matches"
            case ast.Try() if _is_quiet(statement) and self._has_assertion(statement.orelse):
                return "nothing is raised"
        return ""

    def _may_match_silently(self, statement: ast.Match) -> bool:
        """Return True if a case without an assertion may match, or none at all."""
        if not _is_open(statement):
            return True
        return not all(self._has_assertion(case.body) for case in statement.cases)

    def _has_assertion(self, body: Sequence[ast.stmt]) -> bool:
        return any(map(self.module.asserts, _walk(body)))

    def _guard_of_expression(self, value: ast.expr, case: TestCase) -> str:
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.And):
            return "the left operand is true" if self._is_about_result(value.values[0], case) else ""
        if isinstance(value, (ast.ListComp, ast.SetComp)):
            is_result = self._is_iterated_result(value.generators[0].iter, case)
            return "the collection is not empty" if is_result else ""
        return ""

    def _is_iterated_result(self, node: ast.expr, case: TestCase) -> bool:
        """Return True if a loop iterates over a result, also enumerated or in another order."""
        iterated = _iterated_in(node)
        if iterated:
            return all(self._is_iterated_result(value, case) for value in iterated)
        if isinstance(node, ast.Call) and last_name(node.func) in ("glob", "rglob"):
            return self._is_of_project(node, case)
        if isinstance(node, ast.Attribute) and node.attr in _CONTENT_ATTRIBUTES:
            node = node.value
        is_own = isinstance(node, ast.Name) and node.id in ("self", "cls")
        return not is_own and self._is_result(node, case)

    def _is_of_project(self, node: ast.Call, case: TestCase) -> bool:
        """Return True if files are searched in a folder of the project, not in one that the test fills."""
        root = root_name(node.func)
        return root in self.module.assigned and root not in case.parameters | self._bound_names(case)

    def _asserts_in(self, statements: Sequence[ast.stmt]) -> bool:
        return any(map(self.module.asserts, own_nodes(statements)))

    def _fails_only(self, branch: ast.For | ast.If) -> bool:
        """Return True if a branch is the assertion itself: it only raises a failure."""
        return not any(map(self._can_pass, own_nodes(branch.body))) and not branch.orelse

    def _is_of_input(self, test: ast.expr, case: TestCase) -> bool:
        """Return True if a condition reads a parameter of the test, or an attribute that the test sets."""
        parameters = case.parameters - self._bound_names(case)
        attributes = set(self._set_attributes(case))
        for node in walk(test):
            if isinstance(node, ast.Name) and node.id in parameters:
                return True
            if isinstance(node, ast.Attribute) and unparse(node) in attributes:
                return True
        return False

    def _set_attributes(self, case: TestCase) -> Iterator[str]:
        for node in self.module.nodes_of(case):
            if isinstance(node, ast.Assign):
                yield from (unparse(target) for target in node.targets if isinstance(target, ast.Attribute))

    def _bound_names(self, case: TestCase) -> set[str]:
        return {
            n.id
            for n in self.module.nodes_of(case)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }

    def _asserts_both_ways(self, branch: ast.If, case: TestCase) -> bool:
        """Return True if the result decides which of two assertions runs."""
        if self._is_of_input(branch.test, case):
            return False
        ways = (branch.body, branch.orelse)
        return self._is_about_result(branch.test, case) and all(
            any(self._can_pass(node) for node in own_nodes(way)) for way in ways
        )

    def _can_pass(self, node: ast.AST) -> bool:
        """Return True if a node has an assertion that can pass, unlike one that marks unreachable code."""
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and last_name(node) == "fail"):
            return False
        is_false = isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant)
        return not is_false and self.module.asserts(node)

    def _asserts_elsewhere(self, case: TestCase) -> bool:
        """Return True if another part of the test can fail: a context manager, a nested function."""
        nested = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return any(
            isinstance(node, nested) and any(self.module.asserts(n) for n in walk(node))
            for node in self.module.all_nodes_of(case)
            if node is not case.node
        )

    def _branch(self, node: ast.AST, case: TestCase) -> ast.For | ast.If | None:
        """Return the outermost loop or branch of the test around a node."""
        found: ast.For | ast.If | None = None
        for parent in self.module.ancestors(node):
            if parent is case.node:
                break
            if isinstance(parent, (ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match, ast.AsyncFor)):
                found = None
                break
            if isinstance(parent, (ast.For, ast.If)):
                found = parent
        return found

    def _is_decided_by_result(self, branch: ast.For | ast.If, case: TestCase) -> bool:
        decided = branch.iter if isinstance(branch, ast.For) else branch.test
        if isinstance(branch, ast.If) and branch.orelse:
            return False
        if isinstance(branch, ast.For):
            return self._is_iterated_result(decided, case)
        return self._is_about_result(decided, case)

    def _is_about_result(self, test: ast.expr, case: TestCase) -> bool:
        """Return True if a condition tests the presence, length or content of a result."""
        if isinstance(test, ast.BoolOp):
            return any(self._is_about_result(value, case) for value in test.values)
        if isinstance(test, ast.UnaryOp):
            test = test.operand
        subject = _subject_of(test)
        if isinstance(subject, ast.Call) and last_name(subject.func) in ("len", "isinstance", "hasattr"):
            subject = subject.args[0] if subject.args else subject
        owner = _owner_of(subject) if subject is not None else None
        return isinstance(owner, ast.Name) and self._is_result(owner, case)

    def _is_result(self, node: ast.expr, case: TestCase) -> bool:
        """Return True if an expression is the unmodified result of the code under test."""
        if isinstance(node, ast.Await):
            node = node.value
        if isinstance(node, ast.Call):
            return self._is_project_call(node)
        if not isinstance(node, ast.Name):
            return False
        values = [
            n.value
            for n in self.module.nodes_of(case)
            if isinstance(n, ast.Assign) and any(_is_name(t, node.id) for t in n.targets)
        ]
        is_call = len(values) == 1 and isinstance(values[0], (ast.Call, ast.Await))
        return is_call and not self._is_builtin(values[0])

    def _is_project_call(self, call: ast.Call) -> bool:
        root = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or last_name(call.func) in _PLAIN_METHODS:
            return False
        is_reached = root.id in self.module.imported or root is not call.func
        return is_reached and not self._is_builtin(call)

    def _is_builtin(self, node: ast.expr) -> bool:
        call = node.value if isinstance(node, ast.Await) else node
        if isinstance(call, ast.Call) and last_name(call.func) == "get":
            owner = unparse(call.func).rpartition(".")[0]
            return re.search(_SETTINGS, owner) is not None
        return isinstance(call, ast.Call) and last_name(call.func) in (
            "list",
            "dict",
            "tuple",
            "set",
            "range",
            "zip",
            "sorted",
            "enumerate",
            "split",
            "splitlines",
            "glob",
            "environ",
            "getenv",
            "product",
            "iterdir",
            "rglob",
        )


def _is_quiet(statement: ast.Try) -> bool:
    """Return True if a handler does nothing."""
    return any(all(isinstance(step, ast.Pass) for step in handler.body) for handler in statement.handlers)


def _walk(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    return (node for statement in statements for node in walk(statement))


def _width(statement: ast.stmt) -> int:
    """Return the width of the reported text: the keyword, or the first line of an expression."""
    names = {ast.Match: "match", ast.Try: "try"}
    return len(names.get(type(statement), unparse(statement).split("\n")[0]))


def _is_open(statement: ast.Match) -> bool:
    """Return True if a match statement has a catch-all case."""
    last = statement.cases[-1]
    return isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None


def _is_property_based(case: TestCase) -> bool:
    """Return True if a test is property-based: of many inputs, some produce a result."""
    calls = (node.func if isinstance(node, ast.Call) else node for node in case.node.decorator_list)
    return any(last_name(call) == "given" for call in calls)


_PLAIN_METHODS = frozenset({"items", "keys", "values", "product", "parametrize", "copy"})


def _is_name(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def _iterated_in(node: ast.expr) -> list[ast.expr]:
    """Return the iterables that a call passes through unchanged: ``enumerate(xs)``, ``xs.items()``."""
    match node:
        case ast.Call(func=ast.Name(id="zip"), args=arguments):
            return arguments
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _PASSING:
            return [first]
        case ast.Call(func=ast.Attribute(attr="items" | "values" | "keys" | "json", value=value), args=[]):
            return [value]
    return []


_PASSING = ("enumerate", "reversed", "sorted", "list", "tuple", "iter", "set")


def _subject_of(test: ast.expr) -> ast.expr | None:
    """Return the expression that a condition compares with a constant; None if with anything else."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return test
    left, right = test.left, test.comparators[0]
    if isinstance(test.ops[0], (ast.In, ast.NotIn)) and isinstance(left, ast.Constant):
        return right
    return left if isinstance(right, ast.Constant) else None


def _owner_of(node: ast.expr) -> ast.expr | None:
    """Return the object at the root of attributes, items and reading methods; None at any other call."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        if not isinstance(node, ast.Call):
            node = node.value
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _READING_METHODS:
            node = node.func.value
        else:
            return None
    return node
