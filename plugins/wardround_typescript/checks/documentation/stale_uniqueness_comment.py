"""TS408: stale uniqueness comment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity, Span
from wardround.rules.maturity import Maturity
from wardround_typescript.before_after import base_code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_ONLY = LazyPattern(
    r"(?i)\b(?:only|just|solely|exclusively)\s+(?:the\s+|an?\s+|for\s+|by\s+|when\s+|if\s+|in\s+)*[`'\"]?(?P<who>[A-Za-z][\w-]{2,40})"
)
_AFTER = LazyPattern(r"(?i)\b(?P<who>[A-Za-z][\w-]{2,40})[`'\"]?\s+only\b")
_PATH = r"[A-Za-z_$][\w$]*(?:\??\.[\w$]+)*"
_COMPARED = LazyPattern(
    rf"(?P<left>{_PATH})\s*(?:===?|!==?)\s*(?:[\w$]+\.)*[`'\"]?(?P<value>[A-Za-z][\w-]*)[`'\"]?(?=[\s):;&|?,]|$)"
)
_LISTED = LazyPattern(rf"\[(?P<list>[^\[\]]{{1,300}})\]\s*\.includes\(\s*(?P<left>{_PATH})\s*\)")
_HELD = LazyPattern(rf"(?P<list>[A-Z][\w.]*|\w*[a-z]s)\.(?:includes|has)\(\s*(?P<left>{_PATH})\s*\)")
_VALUE = LazyPattern(r"(?:[\w$]+\.)*[`'\"]?(?P<value>[A-Za-z][\w-]*)[`'\"]?")
_BELOW = frozenset(
    {"function_declaration", "lexical_declaration", "export_statement", "method_definition", "if_statement"}
    | {"variable_declaration", "return_statement", "expression_statement", "public_field_definition", "pair"}
)
_LONGEST = 6_000
_NO_VALUES = frozenset({"null", "undefined", "true", "false", "typeof", "this", "void", "await", "new"})
_REMOVED = LazyPattern(r"===?|!==?|\bcase\b|\.includes\(|\.has\(")


class StaleUniquenessComment(TreeCheck):
    """A comment states "only one", and this change adds others.

    Readers rely on the old behaviour: that no other value is allowed, or that nothing else is checked. Update
    the comment in the same commit.
    """

    ID = "TS408"
    NAME = "stale-uniqueness-comment"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("only", "Only", "just", "Just", "xclusively", "olely")
    ALSO = (("//", "/*"),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            /** Only ADMINs may book more than one seat. */
            export function mayBook(user: User, seats: number) {
              return user.role === Role.ADMIN || seats === 1;
            }
        """),
        code(
            """
            /** Only ADMINs may book more than one seat. */
            export function mayBook(user: User, seats: number) {
              return user.role === Role.ADMIN || seats === ONE;
            }
            """,
            base="""
            /** Only ADMINs may book more than one seat. */
            export function mayBook(user: User, seats: number) {
              return user.role === Role.ADMIN || seats === 1;
            }
            """,
        ),
    ]
    INVALID = [
        code(
            """
            /** «Only ADMINs» may book more than one seat. */
            export function mayBook(user: User, seats: number) {
              return [Role.ADMIN, Role.GUIDE].includes(user.role) || seats === 1;
            }
            """,
            base="""
            /** Only ADMINs may book more than one seat. */
            export function mayBook(user: User, seats: number) {
              return user.role === Role.ADMIN || seats === 1;
            }
            """,
        ),
        code(
            """
            /** «Only ADMINs» may book more than one seat. */
            export function mayBook(user: User, seats: number) {
              return BOOKING_ROLES.includes(user.role) || seats === 1;
            }
            """,
            base="""
            /** Only ADMINs may book more than one seat. */
            export function mayBook(user: User, seats: number) {
              return user.role === Role.ADMIN || seats === 1;
            }
            """,
        ),
    ]

    def check(self) -> None:
        base = base_code(self.source, _REMOVED)
        if base is not None:
            self._compare(base)

    def _compare(self, base: Code) -> None:
        before = {base.text(comment): below for comment, below in _commented(base)}
        for comment, below in _commented(self.code):
            message = self.code.text(comment)
            old = before.get(message)
            if old is None or base.text(old) == self.code.text(below):
                continue
            for match in (*_ONLY.finditer(message), *_AFTER.finditer(message)):
                if self._is_untrue(match["who"], base.text(old), self.code.text(below)):
                    self._say_of(comment, match[0], match.start())
                    break

    def _is_untrue(self, who: str, before: str, now: str) -> bool:
        """Return True if a value was compared with one constant and is now compared with several."""
        name = _root(who)
        for left, values in _compared(before).items():
            if values != {name}:
                continue
            others = _compared(now).get(left, set())
            if others and name in others and others != values:
                return True
            held = {one["list"] for one in _HELD.finditer(now) if one["left"] == left}
            if any(one not in before for one in held) and name not in _words(now):
                return True
        return False

    def _say_of(self, comment: Node, words: str, at: int) -> None:
        text = self.code.text(comment)
        line, column = self.code.module.place(comment)
        row = text.count("\n", 0, at)
        start = at - text.rfind("\n", 0, at) if row else at + column
        first = words.partition("\n")[0]
        span = Span(line + row, start, line + row, start + len(first))
        self.report(
            span,
            f'comment states "{" ".join(words.split())}", but the code below now includes more; update it',
        )


_WORDS = LazyPattern(r"[A-Za-z][\w-]*")


def _root(word: str) -> str:
    """Return a word without plural and case."""
    small = word.lower().replace("_", "").replace("-", "")
    return small[:-1] if small.endswith("s") and len(small) > _SHORT else small


def _compared(text: str) -> dict[str, set[str]]:
    """Map each compared expression to its operands: names of constants and texts, as stems."""
    found: dict[str, set[str]] = {}
    for match in _COMPARED.finditer(text):
        if match["value"] not in _NO_VALUES:
            found.setdefault(match["left"], set()).add(_root(match["value"]))
    for match in _LISTED.finditer(text):
        values = {_root(one["value"]) for one in _VALUE.finditer(match["list"])}
        found.setdefault(match["left"], set()).update(values)
    return found


_SHORT = 3
"""Length in letters of the longest word that has no plural ending."""


def _words(text: str) -> set[str]:
    return {_root(one) for one in _WORDS.findall(text)}


def _commented(code: Code) -> Iterator[tuple[Node, Node]]:
    """Yield the comments with "only", each with the code below it."""
    for comment in code.kinds("comment"):
        if not _ONLY.search(code.text(comment)) and not _AFTER.search(code.text(comment)):
            continue
        below = comment.next_named_sibling
        if below is not None and below.type in _BELOW and below.end_byte - below.start_byte < _LONGEST:
            yield comment, below
