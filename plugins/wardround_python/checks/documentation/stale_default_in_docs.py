"""PY440."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity, Span
from wardround.languages.python.module import FunctionNode
from wardround.semantics.docdrift.model import DocEntry
from wardround_python.check import PythonCheck
from wardround_python.docdrift.docstring_parser import words_of

_STATED = LazyPattern(
    r"(?i)\bdefaults?(?: value)?(?: is| to|:| =|=)\s*"
    r"(?P<value>``?[^`\n]+``?|\"[^\"\n]*\"|'[^'\n]*'|[+-]?\d[\d_.e+-]*|True\b|False\b|None\b)"
    r"(?P<after>[^\n]*)"
)
_ENDS = LazyPattern(r"\s*(?:$|[.,;)\]](?:\s|$)|\()")
"""What follows a value that stands for itself: no unit, no ``if``, no further choice."""
_HEDGES = LazyPattern(r"(?i)\b(?:if|when|unless|for|on|else|otherwise|depending|except|or)\b")
_UNKNOWN = object()


class StaleDefaultInDocs(PythonCheck):
    """The docstring names another default than the signature has.

    Whoever reads the words leaves the argument out and gets something else. Say what the code does, or
    change the code to what is said.
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
        makers = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        if len(makers) == 1:
            self._compare(node, makers[0])

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
                self._tell(words, entry, stated, ast.unparse(default))

    def _tell(self, words: ast.Constant, entry: DocEntry, stated: str, default: str) -> None:
        start = words.lineno + entry.line
        for number in range(start, min(start + 12, len(self.source.lines) + 1)):
            found = _STATED.search(self.source.lines[number - 1])
            if found and found["value"].startswith(stated):
                start_of_value = found.start("value") + len(stated)
                span = Span(number, found.start() + 1, number, start_of_value + 1)
                self.report(span, f"the default of {entry.name} is {default}, the docstring says {stated}")
                return

    def _value(self, default: ast.expr) -> object:
        if isinstance(default, ast.Name):
            return self._constants.get(default.id, _UNKNOWN)
        return _literal(ast.unparse(default))

    @cached_property
    def _constants(self) -> dict[str, object]:
        """The literal values of names that the module gives a value once, at its top."""
        found: dict[str, object] = {}
        for node in self.module.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                found[name] = _UNKNOWN if name in found else _literal(ast.unparse(node.value))
        return found


def _docstring(node: FunctionNode | ast.ClassDef) -> ast.Constant | None:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first.value if isinstance(first.value.value, str) else None
    return None


def _defaults(node: FunctionNode) -> Iterator[tuple[str, ast.expr]]:
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    for one, value in zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True):
        yield one.arg, value
    for one, maybe in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if maybe is not None:
            yield one.arg, maybe


def _stated(entry: DocEntry) -> str | None:
    """The value an entry names as the default, where it names one and no condition."""
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
    """Whether two values of one kind are not the same; None is what code fills in later."""
    if stated is _UNKNOWN or value is _UNKNOWN or value is None or stated is None:
        return False
    if isinstance(stated, str) and isinstance(value, str):
        said, done = (one.strip(" ./").lower() for one in (stated, value))
        is_short = said.startswith(done) or done.startswith(said)
        return not is_short and done != "deprecated" and "\\" not in ascii(stated + value)
    kinds = {type(one) for one in (stated, value)}
    return (kinds == {bool} or kinds <= {int, float}) and stated != value
