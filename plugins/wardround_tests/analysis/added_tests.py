"""Tests among the added lines of a test file: those that run, assert something, and use changed source."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
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
    """Return True if added lines belong to a test that a runner runs, that has an assertion, and whose file
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
    for statement in body:
        text = unparse(statement) if isinstance(statement, ast.Assign | ast.Expr | ast.Raise) else ""
        if isinstance(statement, ast.Assign) and not _OF_ALL_TESTS.match(text):
            continue
        if _SKIPPING.search(text) or text == "__test__ = False":
            return True
    return False


def _removed_names(body: list[ast.stmt]) -> set[str]:
    """Return the names that a module or a class deletes or assigns again."""
    names = set()
    for statement in body:
        if isinstance(statement, ast.Delete | ast.Assign):
            names |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return names


def _tests(body: list[ast.stmt]) -> Iterator[Test]:
    """Yield the tests that a runner collects and does not skip."""
    removed = _removed_names(body)
    for statement in body:
        if not isinstance(statement, Test | ast.ClassDef) or statement.name in removed:
            continue
        if _has_skip(statement):
            continue
        if isinstance(statement, Test):
            if statement.name.startswith("test"):
                yield statement
        elif _is_collected_class(statement) and not _is_skipped(statement.body):
            yield from _tests(statement.body)


def _has_skip(item: Test | ast.ClassDef) -> bool:
    return any(_SKIPPING.search(unparse(decorator)) for decorator in item.decorator_list)


def _is_collected_class(cls_node: ast.ClassDef) -> bool:
    return cls_node.name.startswith("Test") or any("TestCase" in unparse(base) for base in cls_node.bases)


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
    return {word for node in ast.walk(module) for text in _strings_in(node) for word in _WORD.findall(text)}


def _strings_in(node: ast.AST) -> Iterator[str]:
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
    numbered = enumerate(text.split("\n"), 1)
    code_lines = {number: line for number, line in numbered if not _SCRIPT_COMMENT.match(line)}
    code = "\n".join(code_lines.values())
    if words.isdisjoint((*_WORD.findall(code), *_HYPHENATED.findall(code))):
        return False
    added_lines = [line for number, line in code_lines.items() if number in added]
    if any(map(_SCRIPT_SKIP.search, added_lines)):
        return False
    if _RULE_TESTER.search(code) and any(map(_RULE_CASE.match, added_lines)):
        return True
    return _SCRIPT_TEST.search(code) is not None and any(map(_SCRIPT_ASSERTION.search, added_lines))
