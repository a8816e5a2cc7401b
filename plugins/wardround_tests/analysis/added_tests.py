"""Tests among the added lines of a test file: those that run, assert something, and use changed source."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import unparse
from wardround_tests.analysis.reached_assertions import Test, asserts_something
from wardround_tests.file_kinds import is_collected, is_script_test

_SKIPPING = LazyPattern(r"\b(?:skip\w*|importorskip|xfail|expectedfailure)\b", re.IGNORECASE)
_OF_ALL_TESTS = LazyPattern(r"(?:pytestmark|__test__)\b")
_SCRIPT_ASSERTION = LazyPattern(r"\b(?:expect|assert\w*)\s*(?:\.\w+\s*)*\(|\.should\b")
_SCRIPT_TEST = LazyPattern(r"\b(?:it|test|specify)\b[^\n]*\(")
_SCRIPT_SKIP = LazyPattern(r"\b(?:x(?:it|test|describe)|(?:it|test|describe|suite)\.(?:skip|todo|fails?))\b")
_SCRIPT_COMMENT = LazyPattern(r"^\s*(?://|\*|/\*)")
_RULE_TESTER = LazyPattern(r"[rR]uleTester\w{0,30}\.run\(")
"""The test of a linter's rule, which has its cases as data."""
_RULE_CASE = LazyPattern(r"^\s*(?:code|errors|messageId|output)\s*:")
_WORD = re.compile(r"\w+")
_HYPHENATED = re.compile(r"(?<![\w-])\w+(?:-\w+)+")
"""Names of modules as ``user-cart``, which no identifier has."""


def adds_test(path: str, text: str, added: Collection[int], words: frozenset[str]) -> bool:
    """Return True if added lines belong to a test that a runner runs, that asserts something, and whose file
    uses one of the words.

    Args:
        added: 1-based numbers of the added lines.
        words: names of changed modules and definitions.
    """
    if any(part.startswith(".") for part in path.split("/")):
        return False
    if is_script_test(path):
        return _adds_script_test(text, added, words)
    return is_collected(path) and _adds_python_test(text, added, words)


def _adds_python_test(text: str, added: Collection[int], words: frozenset[str]) -> bool:
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    if _is_skipped(module.body) or words.isdisjoint(_names(module)):
        return False
    return any(
        _is_changed(test, added) and not _skips_itself(test) and asserts_something(test)
        for test in _tests(module.body)
    )


def _is_skipped(body: list[ast.stmt]) -> bool:
    """Return True if a module or a class skips all its tests, or is declared to have none."""
    for one in body:
        text = unparse(one) if isinstance(one, ast.Assign | ast.Expr | ast.Raise) else ""
        if isinstance(one, ast.Assign) and not _OF_ALL_TESTS.match(text):
            continue
        if _SKIPPING.search(text) or text == "__test__ = False":
            return True
    return False


def _removed(body: list[ast.stmt]) -> set[str]:
    """Return the names that a module or a class deletes or assigns again."""
    deleted = (node for one in body if isinstance(one, ast.Delete) for node in one.targets)
    assigned = (node for one in body if isinstance(one, ast.Assign) for node in one.targets)
    return {node.id for node in (*deleted, *assigned) if isinstance(node, ast.Name)}


def _tests(body: list[ast.stmt]) -> Iterator[Test]:
    """Yield the tests that a runner collects and does not skip."""
    removed = _removed(body)
    for one in body:
        if not isinstance(one, Test | ast.ClassDef) or one.name in removed or _has_skip(one):
            continue
        if isinstance(one, Test) and one.name.startswith("test"):
            yield one
        elif isinstance(one, ast.ClassDef) and _is_collected_class(one) and not _is_skipped(one.body):
            yield from _tests(one.body)


def _has_skip(one: Test | ast.ClassDef) -> bool:
    return any(_SKIPPING.search(unparse(decorator)) for decorator in one.decorator_list)


def _is_collected_class(one: ast.ClassDef) -> bool:
    return one.name.startswith("Test") or any("TestCase" in unparse(base) for base in one.bases)


def _is_changed(test: Test, added: Collection[int]) -> bool:
    """Return True if a part of the test, its docstring apart, begins on an added line."""
    body = test.body[1:] if ast.get_docstring(test) is not None else test.body
    parts = (*test.decorator_list, *body)
    return any(getattr(node, "lineno", 0) in added for part in parts for node in ast.walk(part))


def _skips_itself(test: Test) -> bool:
    """Return True if a test begins by skipping itself."""
    first = test.body[0]
    return isinstance(first, ast.Expr | ast.Raise) and _SKIPPING.search(unparse(first)) is not None


def _names(module: ast.Module) -> set[str]:
    """Return the words in names, imports and strings of a module."""
    return {word for node in ast.walk(module) for text in _texts(node) for word in _WORD.findall(text)}


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield node.name
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _adds_script_test(text: str, added: Collection[int], words: frozenset[str]) -> bool:
    code = [
        (number, line) for number, line in enumerate(text.split("\n"), 1) if not _SCRIPT_COMMENT.match(line)
    ]
    whole = "\n".join(line for _, line in code)
    if words.isdisjoint(_WORD.findall(whole)) and words.isdisjoint(_HYPHENATED.findall(whole)):
        return False
    lines = [line for number, line in code if number in added]
    if any(map(_SCRIPT_SKIP.search, lines)):
        return False
    if _RULE_TESTER.search(whole) and any(map(_RULE_CASE.match, lines)):
        return True
    return _SCRIPT_TEST.search(whole) is not None and any(map(_SCRIPT_ASSERTION.search, lines))
