"""PY440: stale default in docs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity, Span
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.semantics.docdrift.model import DocEntry
from wardround_python.check import PythonCheck
from wardround_python.docdrift.docstring_parser import words_of

_STATED = LazyPattern(
    r"(?i)\bdefaults?(?: value)?(?: is| to|:| =|=)\s*"
    r"(?P<value>``?[^`\n]+``?|\"[^\"\n]*\"|'[^'\n]*'|[+-]?\d[\d_.e+-]*|True\b|False\b|None\b)"
    r"(?P<after>[^\n]*)"
)
_ENDS = LazyPattern(r"\s*(?:$|[.,;)\]](?:\s|$)|\()")
"""Text after a complete value: no unit, no ``if``, no further choice."""
_HEDGES = LazyPattern(r"(?i)\b(?:if|when|unless|for|on|else|otherwise|depending|except|or)\b")
_UNKNOWN = object()


class StaleDefaultInDocs(PythonCheck):
    """The docstring states another default than the signature.

    Readers omit the argument and get another value. State the default of the code, or correct the code.
    """

    ID = "PY440"
    NAME = "stale-default-in-docs"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "stale-documentation"
    WORDS = ("efault",)
    VALID = [
        code('''
            def send(to, tries=3):
                """Send it.

                Args:
                    to: who gets it
                    tries: how often. Defaults to 3.
                """
                post(to, tries)
        '''),
        code('''
            def send(to, tries=180):
                """Send it.

                Args:
                    to: who gets it
                    tries: how often. Defaults to 3 minutes.
                """
                post(to, tries)
        '''),
    ]
    INVALID = [
        code('''
            def send(to, tries=3):
                """Send it.

                Args:
                    to: who gets it
                    tries: how often. «Defaults to 5».
                """
                post(to, tries)
        '''),
        code('''
            def send(to, tries='once'):
                """Send it.

                Args:
                    to: who gets it
                    tries: how often. «Defaults to "often"».
                """
                post(to, tries)
        '''),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._compare(node, node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._compare(node, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        constructors = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        if len(constructors) == 1:
            self._compare(node, constructors[0])

    def _compare(self, documented: FunctionNode | ast.ClassDef, node: FunctionNode) -> None:
        words = _docstring(documented)
        if words is None or "efault" not in (text := str(words.value)):
            return
        defaults = dict(_defaults(node))
        for entry in words_of(text).parameters:
            default = defaults.get(entry.name)
            stated = _stated(entry)
            if default is None or stated is None:
                continue
            value = self._value(default)
            if _differ(_literal(stated), value):
                self._report(words, entry, stated, unparse(default))

    def _report(self, words: ast.Constant, entry: DocEntry, stated: str, default: str) -> None:
        start = words.lineno + entry.line
        for number in range(start, min(start + 12, len(self.source.lines) + 1)):
            found = _STATED.search(self.source.lines[number - 1])
            if found and found["value"].startswith(stated):
                start_of_value = found.start("value") + len(stated)
                span = Span(number, found.start() + 1, number, start_of_value + 1)
                self.report(
                    span, f"the docstring gives {stated} as default of {entry.name}, but it is {default}"
                )
                return

    def _value(self, default: ast.expr) -> object:
        if isinstance(default, ast.Name):
            return self._constants.get(default.id, _UNKNOWN)
        return _literal(unparse(default))

    @cached_property
    def _constants(self) -> dict[str, object]:
        """Literal values of names that the module assigns once, at its top level."""
        found: dict[str, object] = {}
        for node in self.module.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                found[name] = _UNKNOWN if name in found else _literal(unparse(node.value))
        return found


def _docstring(node: FunctionNode | ast.ClassDef) -> ast.Constant | None:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first.value if isinstance(first.value.value, str) else None
    return None


def _defaults(node: FunctionNode) -> Iterator[tuple[str, ast.expr]]:
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    for one, value in zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True):
        yield one.arg, value
    for one, default_or_none in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default_or_none is not None:
            yield one.arg, default_or_none


def _stated(entry: DocEntry) -> str | None:
    """Return the value an entry states as the default, if it states one without a condition."""
    found = list(_STATED.finditer(entry.text))
    if len(found) != 1:
        return None
    value, after = found[0]["value"], found[0]["after"]
    trimmed = value.rstrip(".-+e_") if value[-1] in ".-+e_" else value
    rest = value[len(trimmed) :] + after
    if not _ENDS.match(rest) or _HEDGES.search(entry.text[found[0].end("value") :]):
        return None
    return trimmed


def _literal(text: str) -> object:
    try:
        value = ast.literal_eval(text.strip("`").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN
    return value if isinstance(value, (bool, int, float, str, type(None))) else _UNKNOWN


def _differ(stated: object, value: object) -> bool:
    """Return True if two values of one type differ; None is a default that code fills in later."""
    if {type(stated), type(value)} & {type(_UNKNOWN), type(None)}:
        return False
    if isinstance(stated, str) and isinstance(value, str):
        return _texts_differ(stated, value)
    kinds = {type(stated), type(value)}
    return (kinds == {bool} or kinds <= {int, float}) and stated != value


def _texts_differ(stated: str, value: str) -> bool:
    """Return True if neither text abbreviates the other."""
    documented, actual = (text.strip(" ./").lower() for text in (stated, value))
    is_short = documented.startswith(actual) or actual.startswith(documented)
    return not is_short and actual != "deprecated" and "\\" not in ascii(stated + value)
