"""The tests of a file and what each asserts, in a form that two versions can be compared by."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from wardround.findings import Span

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


@dataclass(frozen=True, slots=True)
class TestedCase:
    """One test of a file.

    Attributes:
        name: with its class or title, unique in the file.
        skip: how it is skipped or expected to fail, as written; empty if it runs.
        words: the names it mentions.
    """

    __test__ = False

    name: str
    span: Span
    assertions: tuple[Assertion, ...]
    skip: str = ""
    words: frozenset[str] = field(default_factory=frozenset)


def tests_of(path: str, text: str) -> dict[str, TestedCase] | None:
    """The tests of a file by name; None if it cannot be read."""
    try:
        found = python_tests(path, text) if path.endswith(".py") else script_tests(text)
    except _UNREADABLE:
        return None
    return {case.name: case for case in found}


# Python


_SKIP = re.compile(r"\b(skip|xfail|expectedFailure)\b")
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
    from wardround_tests.module import (
        TestModule,
        is_certain_assertion,
    )  # parsing is needed only where a test file changed

    module = TestModule(path, text)
    for case in module.tests:
        name = f"{case.cls.name}.{case.name}" if case.cls else case.name
        skips = [ast.unparse(one) for one in case.node.decorator_list]
        found = [n for n in ast.walk(case.node) if is_certain_assertion(n) or module.calls_own_helper(n)]
        inner = {id(n) for outer in found for n in ast.walk(outer) if n is not outer}
        yield TestedCase(
            name,
            module.name_span(case.node),
            tuple(_python_assertion(n) for n in found if id(n) not in inner and not isinstance(n, ast.Raise)),
            next((one for one in skips if _SKIP.search(one.partition("(")[0])), ""),
            frozenset(_names(case.node)),
        )


def _names(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr


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


_SCRIPT_CASE = re.compile(
    r"(?<![\w.$])(?P<call>(?:it|test|xit|xtest|fit)(?:\.\w+)*)\s*\(\s*(?P<quote>['\"`])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote)",
    re.DOTALL,
)
_EXPECT = re.compile(r"(?<![\w.$])expect(?:\.\w+)?\s*\(")
_MATCHER = re.compile(r"\s*\.\s*(\w+)\s*(\(?)")
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|[()]", re.DOTALL
)
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
    """The tests of a script, in source order; titles that come again are numbered."""
    ends = _closing(text)
    seen: dict[str, int] = {}
    for match in _SCRIPT_CASE.finditer(text):
        start = text.index("(", match.end("call"))
        end = ends.get(start, match.end())
        title = match["title"]
        seen[title] = seen.get(title, 0) + 1
        name = title if seen[title] == 1 else f"{title} ({seen[title]})"
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
        span = Span(line, column, line, column + len(match["call"]))
        body = text[start:end]
        is_skipped = ".skip" in match["call"] or match["call"].startswith("x") or ".fails" in match["call"]
        yield TestedCase(
            name,
            span,
            tuple(_expects(text, start, end, ends)),
            match["call"] if is_skipped else "",
            frozenset(re.findall(r"[A-Za-z_$][\w$]*", body)),
        )


def _closing(text: str) -> dict[int, int]:
    """Where each round bracket closes, strings and comments left out."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for token in _TOKEN.finditer(text):
        if token[0] == "(":
            stack.append(token.start())
        elif token[0] == ")" and stack:
            found[stack.pop()] = token.end()
    return found


def _expects(text: str, start: int, end: int, ends: dict[int, int]) -> Iterator[Assertion]:
    for match in _EXPECT.finditer(text, start, end):
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
