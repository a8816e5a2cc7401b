"""Tests of a Python module and their assertions, in a form that allows two versions to be compared."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from wardround.findings import Span
from wardround.languages.python.tree import children, unparse, walk
from wardround_tests.analysis.literal_values import is_written_out
from wardround_tests.models.assertions import EXACT, LOOSE, PARTIAL, Assertion, TestedCase
from wardround_tests.models.python_tests import TestCase, TestModule
from wardround_tests.models.syntax import body_of, is_certain_assertion, last_name

_SKIP = r"\b(skip|xfail|expectedFailure)\b"
_SKIP_ALWAYS = r"\bskip(if|If|Unless)\((True|1|False|0)\b"
_SKIP_CALLS = frozenset({"pytest.skip", "pytest.xfail", "self.skipTest", "unittest.SkipTest"})
_TOLERANCES = frozenset({"rel", "abs", "atol", "rtol", "delta", "abs_tol", "rel_tol", "tolerance"})
_PLACES = frozenset({"places", "decimal"})
_BY_POSITION = {
    "approx": (1, ("rel", "abs")),
    "isclose": (2, ("rtol", "atol")),
    "allclose": (2, ("rtol", "atol")),
    "assert_allclose": (2, ("rtol", "atol")),
    "assertAlmostEqual": (2, ("places",)),
    "assertAlmostEquals": (2, ("places",)),
    "assertNotAlmostEqual": (2, ("places",)),
    "assert_almost_equal": (2, ("decimal",)),
    "assert_array_almost_equal": (2, ("decimal",)),
}
"""Position and names of the tolerance arguments of a call."""
_DEFAULTS = {
    "approx": ("rel", 1e-6), "assertAlmostEqual": ("places", -7.0), "assertAlmostEquals": ("places", -7.0),
}  # fmt: skip
_RAISING = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
_METHOD_STRENGTH = {
    "assertTrue": LOOSE,
    "assertIsNotNone": LOOSE,
    "assertFalse": PARTIAL,
    "assertIn": PARTIAL,
    "assertCountEqual": PARTIAL,
    "assertIsInstance": LOOSE,
    "assertGreater": PARTIAL,
    "assertGreaterEqual": PARTIAL,
    "assertRegex": PARTIAL,
    "assert_called": LOOSE,
    "assert_called_once": LOOSE,
}


def python_tests(path: str, text: str) -> Iterator[TestedCase]:
    """Yield the tests of a Python module.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: the text is not valid Python.
    """
    module = TestModule(path, text)
    lists = _module_lists(module)
    module_skip = next((statement for statement in module.tree.body if _is_module_skip(statement)), None)
    skip_span = None if module_skip is None else _line_span(module, module_skip)
    for case in module.tests:
        skip, skipping = _skip(case)
        name = f"{case.cls.name}.{case.name}" if case.cls else case.name
        span = module.name_span(case.node)
        yield TestedCase(
            name,
            span,
            module.text_of(case.node),
            skip or (unparse(module_skip) if module_skip else ""),
            module.span(skipping) if skipping else skip_span or span,
            tuple(_parameters(case, lists)),
            partial(_assertions, module, case.node),
        )


def _line_span(module: TestModule, node: ast.stmt) -> Span:
    return Span(node.lineno, 1, node.lineno, len(module.text.split("\n")[node.lineno - 1]) + 1)


def _is_module_skip(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign) or [unparse(target) for target in node.targets] != ["pytestmark"]:
        return False
    return re.search(r"mark\.(skip|xfail)\b", unparse(node.value)) is not None


def _skip(case: TestCase) -> tuple[str, ast.expr | None]:
    """Return the skip or xfail mark of a test verbatim, and its node."""
    decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
    for decorator in decorators:
        text = unparse(decorator)
        if re.search(_SKIP, text.partition("(")[0]) or re.search(_SKIP_ALWAYS, text):
            return text, decorator
    match body_of(case.node)[:1]:
        case [ast.Expr(value=ast.Call() as call)] | [ast.Raise(exc=ast.Call() as call)]:
            if unparse(call.func) in _SKIP_CALLS:
                return unparse(call), call
    return "", None


def _module_lists(module: TestModule) -> dict[str, Sequence[ast.expr]]:
    """Return the lists that are bound to a name at module level."""
    return {
        target.id: node.value.elts
        for node in module.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Tuple))
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _parameters(case: TestCase, lists: dict[str, Sequence[ast.expr]]) -> Iterator[str]:
    """Yield the parameter sets of a test, each verbatim."""
    decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
    for decorator in decorators:
        if (
            isinstance(decorator, ast.Call)
            and last_name(decorator) == "parametrize"
            and len(decorator.args) > 1
        ):
            values, names = decorator.args[1], unparse(decorator.args[0])
            elements: Sequence[ast.expr] = ()
            if isinstance(values, (ast.List, ast.Tuple)):
                elements = values.elts
            elif isinstance(values, ast.Name):
                elements = lists.get(values.id, ())
            yield from (f"{names} = {unparse(element)}" for element in elements)


def _assertions(module: TestModule, function: ast.AST) -> Iterator[Assertion]:
    """Yield the assertions of a test; a call inside an assertion is part of it."""
    stack = [function]
    while stack:
        node = stack.pop()
        if is_certain_assertion(node) or module.helpers.is_called_by(node):
            yield replace(_assertion(node), line=getattr(node, "lineno", 0))
        else:
            stack += list(children(node))[::-1]


def _assertion(node: ast.AST) -> Assertion:
    if isinstance(node, ast.Assert):
        return _assert(node)
    text = unparse(node)
    if not isinstance(node, ast.Call):
        return Assertion(text, "", EXACT, _tolerance(node))
    if last_name(node.func) in _RAISING and node.args:
        return Assertion(text, last_name(node.func)[:12], _strength_of_raises(node))
    if not isinstance(node.func, ast.Attribute):
        return Assertion(text, "", EXACT, _tolerance(node))
    expected = _literal(node.args[1]) if len(node.args) > 1 else ""
    strength = _METHOD_STRENGTH.get(node.func.attr, EXACT)
    return Assertion(text, _subject_of_method(node, node.func), strength, _tolerance(node), expected)


def _subject_of_method(call: ast.Call, method: ast.Attribute) -> str:
    """Return the subject of an assertion method: the mock, or the first argument of unittest's."""
    if method.attr.startswith("assert_"):
        return unparse(method.value)
    is_unittest = method.attr.startswith("assert") and method.attr[6:7].isupper()
    return unparse(call.args[0]) if call.args and is_unittest else ""


def _strength_of_raises(call: ast.Call) -> int:
    """Return the strength of an expected exception: its text, its type, or only its presence."""
    if last_name(call.args[0]) in ("Exception", "BaseException"):
        return LOOSE
    has_text = last_name(call.func) == "assertRaisesRegex" or any(k.arg == "match" for k in call.keywords)
    return EXACT if has_text else PARTIAL


def _assert(node: ast.Assert) -> Assertion:
    test = node.test
    text = unparse(test)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _comparison(text, test)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance":
        return Assertion(text, unparse(test.args[0]) if test.args else "", LOOSE)
    return Assertion(text, text, LOOSE, _tolerance(test))


def _comparison(text: str, test: ast.Compare) -> Assertion:
    operator, right = test.ops[0], test.comparators[0]
    subject, strength = unparse(test.left), EXACT
    if isinstance(operator, ast.In):
        subject, strength = unparse(right), PARTIAL
    elif isinstance(operator, ast.IsNot):
        strength = LOOSE
    elif not isinstance(operator, (ast.Eq, ast.Is)):
        strength = PARTIAL
    expected = _literal(right) if isinstance(operator, ast.Eq) else ""
    return Assertion(text, subject, strength, (*_tolerance(test), *_distance(test)), expected)


def _literal(node: ast.expr) -> str:
    return unparse(node) if is_written_out(node) else ""


def _tolerance(node: ast.AST) -> tuple[tuple[str, float], ...]:
    """Return the tolerances in every call of an assertion."""
    return tuple(pair for inner in walk(node) if isinstance(inner, ast.Call) for pair in _tolerances(inner))


def _tolerances(call: ast.Call) -> Iterator[tuple[str, float]]:
    """Yield the tolerances of a call; decimal places are negated, since fewer of them allow more."""
    name = last_name(call)
    found = list(_stated_tolerances(call, name))
    if not found and name in _DEFAULTS and not call.keywords:
        found = [_DEFAULTS[name]]
    yield from found


def _stated_tolerances(call: ast.Call, name: str) -> Iterator[tuple[str, float]]:
    first, names = _BY_POSITION.get(name, (0, ()))
    arguments = [*zip(names, call.args[first:], strict=False)]
    arguments += [(keyword.arg or "", keyword.value) for keyword in call.keywords]
    for key, value in arguments:
        if key not in _TOLERANCES and key not in _PLACES:
            continue
        number = _number(value)
        if number is not None:
            yield key, -number if key in _PLACES else number


def _distance(test: ast.Compare) -> Iterator[tuple[str, float]]:
    """Yield the limit in ``abs(a - b) < limit``."""
    limit = _number(test.comparators[0]) if isinstance(test.ops[0], (ast.Lt, ast.LtE)) else None
    if limit is not None and isinstance(test.left, ast.Call) and last_name(test.left) in ("abs", "fabs"):
        yield "distance", limit


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
