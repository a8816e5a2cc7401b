"""PY482: wrong result count in docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity, Span
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import children
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.references import TELLS_HISTORY
from wardround.storage.regex_cache import bounded
from wardround_python.check import PythonCheck
from wardround_python.docdrift.docstring_parser import indent_of

_SECTION = LazyPattern(
    r"(?im)^[ \t]*(?:returns?:?[ \t]*$|returns?:|:returns?:|@returns?:?|return value:?[ \t]*$|yields:?[ "
    r"\t]*$)"
)
_NEXT_SECTION = LazyPattern(r"(?m)^[ \t]*(?:[A-Z]\w+:[ \t]*$|:\w+|-{3,}|@\w+|\w+\n[ \t]*---)")
_COUNTED = {
    "pair": 2, "couple": 2, "triple": 3, "triplet": 3, "quadruple": 4, "2-tuple": 2, "3-tuple": 3,
    "4-tuple": 4,
    "two-tuple": 2, "three-tuple": 3, "tuple of two": 2, "tuple of three": 3, "tuple of four": 4,
    "two values": 2, "three values": 3, "four values": 4, "two-element tuple": 2, "three-element tuple": 3,
}  # fmt: skip
_WORD = LazyPattern(
    r"(?im)(?<![\w-])(pair|couple|triple|triplet|quadruple|(?:[234]|two|three)-tuple|tuple of (?:two"
    r"|three|four)(?= (?:values|elements|items)\b|\s*[.,:`]?\s*$)"
    r"|(?:two|three|four) values|(?:two|three)-element tuple)(?![\w-]|s\b)"
)
_LISTED = LazyPattern(r"(?<![\w\])])\(([A-Za-z_]\w*(?:, ?[A-Za-z_]\w*){1,6})\)")


class WrongResultCountInDocstring(PythonCheck):
    """A docstring states another number of results than the function returns.

    Callers that unpack the documented number get an error, or, with a star, the wrong values under the
    right names. Document the present result.
    """

    ID = "PY482"
    NAME = "wrong-result-count-in-docstring"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "stale-docstring"
    WORDS = ("pair", "couple", "triple", "quadruple", "tuple", "Pair", "Tuple", "Triple", "----")
    VALID = [
        code('''
            def f(a):
                """Cut.

                Returns:
                    A pair of halves.
                """
                return a[1:], a[:1]
        '''),
        code('''
            def f(a):
                """Cut.

                Returns:
                    A list of pairs.
                """
                return a, a, a
        '''),
    ]
    INVALID = [
        code('''
            def f(a):
                """Cut.

                Returns:
                    A «pair» of halves.
                """
                return a, a, a
        '''),
        code('''
            def f(a):
                """Cut.

                :returns: tuple «(head, tail)»
                """
                if not a:
                    return None, None, 0
                return a, a, len(a)
        '''),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        counts = _counts(node)
        first = node.body[0]
        if len(counts) != 1 or not isinstance(first, ast.Expr):
            return
        (count,) = counts
        lines = self.source.text.split("\n")[first.lineno - 1 : first.end_lineno]
        stated = _stated_count("\n".join(lines))
        if stated is None or stated[0] == count or TELLS_HISTORY.search("\n".join(lines)):
            return
        if any(map(self.source.is_added, range(node.lineno, (node.end_lineno or node.lineno) + 1))):
            _, start, end = stated
            before = "\n".join(lines)[:start]
            line, column = first.lineno + before.count("\n"), start - before.rfind("\n")
            span = Span(line, column, line, column + end - start)
            self.report(
                span, f"the docstring documents {stated[0]} results, but {count} are returned; update it"
            )


def _counts(node: FunctionNode) -> set[int]:
    """Return the lengths of the tuples a function returns; empty if one of them is unknown."""
    found: set[int] = set()
    for item in _own_returns(node):
        value = item.value
        if not isinstance(value, ast.Tuple) or any(isinstance(e, ast.Starred) for e in value.elts):
            return set()
        found.add(len(value.elts))
    return found


def _own_returns(node: ast.AST) -> Iterator[ast.Return]:
    for child in children(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, ast.expr):
            yield from _own_returns(child)


def _stated_count(docstring: str) -> tuple[int, int, int] | None:
    """Return the number of results a docstring states and its position; None for none or several."""
    section = _SECTION.search(docstring)
    if section is None:
        summary = re.match(r"(?i)\s*[rbu]{0,2}[\"']{1,3}\s*(returns?\b[^\n]*)", docstring)
        start, end = summary.span(1) if summary else (-1, -1)
    else:
        start = section.end()
        listed = _listed_below(docstring, start)
        if listed is not None:
            return listed
        below = re.match(r"\s*-{3,}[ \t]*\n", docstring[start:])
        start += below.end() if below else 0
        following = _NEXT_SECTION.search(docstring, start)
        end = following.start() if following else len(docstring)
    if start < 0:
        return None
    statements = list(_statements(docstring, start, end))
    return statements[0] if len({count for count, _, _ in statements}) == 1 else None


def _listed_below(docstring: str, start: int) -> tuple[int, int, int] | None:
    """Return the number of results listed below a line of dashes, ``name : type`` each."""
    match = _LIST.match(docstring, start)
    if match is None:
        return None
    entries = [item for item in _ENTRY.finditer(match["list"]) if item["indent"] == match["indent"]]
    lines = [
        one for one in match["list"].split("\n") if one.strip() and indent_of(one) == len(match["indent"])
    ]
    if len(entries) < _LISTED_AT_LEAST or len(entries) != len(lines):
        return None
    first = match.start("list") + entries[0].start("name")
    return len(entries), first, first + len(entries[0]["name"])


_LISTED_AT_LEAST = 2
_LIST = LazyPattern(
    r"\n(?P<indent>[ \t]*)-{3,}[ \t]*\n(?P<list>(?:(?P=indent)[^\n]*\n|(?!(?P=indent))[ \t]*\n"
    r"(?=(?P=indent)[^\n]*\n(?![ \t]*-{3,})))+)"
)
_ENTRY = LazyPattern(r"(?m)^(?P<indent>[ \t]*)(?P<name>[A-Za-z_]\w*) ?: ?\S")


def _statements(docstring: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    for match in _WORD.finditer(docstring, start, end):
        before = docstring[start : match.start()]
        if not bounded(r"(?i)[\s\W]*(?:returns?\s+)?(?:an?|the|this)?\s*").fullmatch(before):
            continue
        yield _COUNTED[match[1].lower()], match.start(1), match.end(1)
    for match in _LISTED.finditer(docstring, start, end):
        before = docstring[start : match.start()]
        after = docstring[match.end() : match.end() + 12]
        is_tuple = re.search(r"(?i)\b(?:tuple|pair|triple)(?: of)?[:\s`]*$", before) or re.match(
            r"[`\s]*(?:tuple|pair|triple)\b", after
        )
        is_all = bounded(
            r"(?i)[\s\W]*(?:returns?\s+)?(?:an?|the)?[\s`]*(?:tuple|pair|triple)?[\s`:]*"
        ).fullmatch(before)
        if is_tuple and is_all:
            yield match[1].count(",") + 1, match.start(), match.end()
