"""The tests of a file and what each asserts, in a form that two versions can be compared by."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from wardround.findings import Span

if TYPE_CHECKING:
    from wardround_tests.module import TestModule

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
EXACT, PARTIAL, LOOSE = 3, 2, 1
"""How much an assertion pins down: the value, a part or kind of it, only that there is one."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion.

    Attributes:
        text: normalised, the same in two versions if nothing changed.
        subject: what it is about, without what is expected of it.
        strength: how much it pins down, from ``LOOSE`` to ``EXACT``.
        tolerance: the numbers that say how far off the value may be, by name.
        expected: the literal it compares with; empty if it is none.
    """

    text: str
    subject: str
    strength: int
    tolerance: tuple[tuple[str, float], ...] = ()
    expected: str = ""


@dataclass(frozen=True)
class TestedCase:
    """One test of a file.

    Attributes:
        name: with its class or title, unique in the file.
        source: its text; where two versions have the same, they assert the same.
        skip: how it is skipped or expected to fail, as written; empty if it runs.
        read: finds its assertions, which costs more than all else.
    """

    __test__ = False

    name: str
    span: Span
    source: str
    skip: str
    read: Callable[[], Iterable[Assertion]]

    @cached_property
    def assertions(self) -> tuple[Assertion, ...]:
        return tuple(self.read())


def tests_of(path: str, text: str) -> dict[str, TestedCase] | None:
    """The tests of a file by name; None if it cannot be read."""
    try:
        found = python_tests(path, text) if path.endswith(".py") else script_tests(text)
    except _UNREADABLE:
        return None
    return {case.name: case for case in found}


# Python


_SKIP = r"\b(skip|xfail|expectedFailure)\b"
_TOLERANCES = frozenset({"rel", "abs", "atol", "rtol", "delta", "abs_tol", "rel_tol", "tolerance"})
_METHOD_STRENGTH = {
    "assertTrue": LOOSE,
    "assertIsNotNone": LOOSE,
    "assertFalse": PARTIAL,
    "assertIn": PARTIAL,
    "assertIsInstance": LOOSE,
    "assertGreater": PARTIAL,
    "assertGreaterEqual": PARTIAL,
    "assertRegex": PARTIAL,
    "assert_called": LOOSE,
    "assert_called_once": LOOSE,
}


def python_tests(path: str, text: str) -> Iterator[TestedCase]:
    """The tests of a Python module.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is not Python this interpreter can read.
    """
    from wardround_tests.module import TestModule  # parsing is needed only where a test file changed

    module = TestModule(path, text)
    for case in module.tests:
        name = f"{case.cls.name}.{case.name}" if case.cls else case.name
        skips = [ast.unparse(one) for one in case.node.decorator_list]
        yield TestedCase(
            name,
            module.name_span(case.node),
            module.text_of(case.node),
            next((one for one in skips if re.search(_SKIP, one.partition("(")[0])), ""),
            partial(_python_assertions, module, case.node),
        )


def _python_assertions(module: TestModule, function: ast.AST) -> Iterator[Assertion]:
    """What a test asserts; a call inside an assertion is part of it."""
    from wardround_tests.module import is_certain_assertion

    stack = [function]
    while stack:
        node = stack.pop()
        if is_certain_assertion(node) or module.calls_own_helper(node):
            yield _python_assertion(node)
        else:
            stack += list(ast.iter_child_nodes(node))[::-1]


def _python_assertion(node: ast.AST) -> Assertion:
    if isinstance(node, ast.Assert):
        return _python_assert(node)
    text = ast.unparse(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method = node.func.attr
        subject = (
            ast.unparse(node.args[0])
            if node.args and method.startswith("assert") and method[6:7].isupper()
            else ""
        )
        if method.startswith("assert_"):
            subject = ast.unparse(node.func.value)
        expected = _literal(node.args[1]) if len(node.args) > 1 else ""
        return Assertion(text, subject, _METHOD_STRENGTH.get(method, EXACT), _tolerance(node), expected)
    return Assertion(text, "", EXACT, _tolerance(node))


def _python_assert(node: ast.Assert) -> Assertion:
    test = node.test
    text = ast.unparse(test)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        operator, right = test.ops[0], test.comparators[0]
        subject, strength = ast.unparse(test.left), EXACT
        if isinstance(operator, ast.In):
            subject, strength = ast.unparse(right), PARTIAL
        elif isinstance(operator, ast.IsNot):
            strength = LOOSE
        elif not isinstance(operator, (ast.Eq, ast.Is)):
            strength = PARTIAL
        expected = _literal(right) if isinstance(operator, ast.Eq) else ""
        return Assertion(text, subject, strength, _tolerance(test), expected)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance":
        return Assertion(text, ast.unparse(test.args[0]) if test.args else "", LOOSE)
    return Assertion(text, text, LOOSE, _tolerance(test))


def _literal(node: ast.expr) -> str:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ""
    return ast.unparse(node)


def _tolerance(node: ast.AST) -> tuple[tuple[str, float], ...]:
    found = []
    for one in ast.walk(node):
        if isinstance(one, ast.keyword) and one.arg and isinstance(one.value, ast.Constant):
            value = one.value.value
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                if one.arg in _TOLERANCES:
                    found.append((one.arg, float(value)))
                elif one.arg == "places":
                    found.append((one.arg, -float(value)))
    return tuple(found)


# JavaScript and TypeScript: read as far as brackets, strings and comments go


_SCRIPT_CASE = (
    r"(?s)(?<![\w.$])(?P<call>(?:it|test|xit|xtest|fit)(?:\.\w+)*)\s*\(\s*"
    r"(?P<quote>['\"`])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote)"
)
_EXPECT = r"(?<![\w.$])expect(?:\.\w+)?\s*\("
_MATCHER = re.compile(r"\s*\.\s*(\w+)\s*(\(?)")
_BRACKETS = r"(?s)//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|[()]"
_SCRIPT_STRENGTH = {
    "toBeDefined": LOOSE,
    "toBeTruthy": LOOSE,
    "toHaveBeenCalled": LOOSE,
    "toBeInstanceOf": LOOSE,
    "toBeInTheDocument": LOOSE,
    "toContain": PARTIAL,
    "toMatch": PARTIAL,
    "toBeGreaterThan": PARTIAL,
    "toBeGreaterThanOrEqual": PARTIAL,
    "toMatchObject": PARTIAL,
}


def script_tests(text: str) -> Iterator[TestedCase]:
    """The tests of a script whose title no other test there has, in source order."""
    ends = _closing(text)
    found = list(re.finditer(_SCRIPT_CASE, text))
    titles = Counter(match["title"] for match in found)
    for match in found:
        if titles[match["title"]] > 1:
            continue
        start = text.index("(", match.end("call"))
        end = ends.get(start, match.end())
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
        span = Span(line, column, line, column + len(match["call"]))
        is_skipped = ".skip" in match["call"] or match["call"].startswith("x") or ".fails" in match["call"]
        yield TestedCase(
            match["title"],
            span,
            text[match.start() : end],
            match["call"] if is_skipped else "",
            partial(_expects, text, start, end, ends),
        )


def _closing(text: str) -> dict[int, int]:
    """Where each round bracket closes, strings and comments left out."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for token in re.finditer(_BRACKETS, text):
        if token[0] == "(":
            stack.append(token.start())
        elif token[0] == ")" and stack:
            found[stack.pop()] = token.end()
    return found


def _expects(text: str, start: int, end: int, ends: dict[int, int]) -> Iterator[Assertion]:
    for match in re.compile(_EXPECT).finditer(text, start, end):
        opening = match.end() - 1
        closing = ends.get(opening)
        if closing is None:
            continue
        subject = _squeezed(text[opening + 1 : closing - 1])
        names, expected, at = [], "", closing
        while (step := _MATCHER.match(text, at)) is not None:
            names.append(step[1])
            at = step.end()
            if step[2]:
                expected = _squeezed(text[at : ends.get(at - 1, at) - 1])
                at = ends.get(at - 1, at)
        matcher = ".".join(names)
        strength = _SCRIPT_STRENGTH.get(names[-1] if names else "", EXACT)
        if matcher in ("not.toBeNull", "not.toBeUndefined", "not.toThrow"):
            strength = LOOSE
        is_literal = re.fullmatch(r"-?[\d._]+|true|false|null|(['\"]).*\1|[\[{].*[\]}]", expected) is not None
        yield Assertion(
            f"expect({subject}).{matcher}({expected})", subject, strength, (), expected if is_literal else ""
        )


def _squeezed(text: str) -> str:
    return re.sub(r",$", "", " ".join(text.split()))
