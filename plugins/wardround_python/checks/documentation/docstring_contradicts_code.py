"""PY047: docstring contradicts code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity, Span
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import parse, unparse, walk
from wardround.rules.maturity import Maturity
from wardround.storage.regex_cache import bounded
from wardround_python.analysis.return_types import (
    code_names,
    defaults_of,
    defined_names,
    every_number_of,
    kinds_returned,
    number_in,
    numbers_of,
    raised_by,
)
from wardround_python.check import PythonCheck
from wardround_python.docdrift.docstring_claims import by_error, by_gone_field, by_lock, by_number

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_HISTORY = LazyPattern(
    r"versionchanged|versionadded|deprecated|[Cc]hanged in|[Ss]ince version|[Ff]ormerly|[Pp]reviously"
)
_KIND_WORDS = {
    "list": "list", "lists": "list", "dict": "dict", "dictionary": "dict", "mapping": "dict", "set": "set",
    "tuple": "tuple", "pair": "tuple", "generator": "iterator", "iterator": "iterator", "yields": "iterator",
    "string": "str", "None": "None",
}  # fmt: skip
_OF_RESULT = LazyPattern(r"return|yield|give|as an?|:rtype|\bnone\b", re.IGNORECASE)
_UNITS = LazyPattern(
    r"\b(micro|milli|nano)?seconds?\b|\bmsecs?\b|\bms\b|\bminutes?\b|\bhours?\b|\bdays?\b|\b(kilo|mega|kibi"
    r"|mebi)?bytes?\b|\b[KM]i?B\b"
    r"|\bpercent\b|\bcents?\b|\beuros?\b|\bdollars?\b|\bmet(?:re|er)s?\b|\bkilomet(?:re|er)s?\b"
    r"|\bgrams?\b|\bkg\b",
    re.IGNORECASE,
)
_FACTORS = frozenset({60, 100, 1000, 1024, 3600, 86400, 1000000, 1048576, 24})
_DURATIONS = ("microseconds", "milliseconds", "seconds", "minutes", "hours", "days", "weeks")
_MARKED = LazyPattern(r"`{1,2}([A-Za-z_][\w.]*)(?:\(\))?`{1,2}")


class DocstringContradictsCode(PythonCheck):
    """A docstring is unchanged although the code no longer matches it.

    It names an exception that is not raised any more, a return type that changed, a unit that was
    converted, a default or a name that is removed. Callers rely on the docstring. Update it in the same
    commit.
    """

    ID = "PY047"
    NAME = "docstring-contradicts-code"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:rewrites_beside_words"
    WORDS = ('"""', "'''")
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "stale-docstring"
    VALID = [
        code(
            '''
            def shrink(size):
                """Shrink it 40 times."""
                return cut(size, 41 - 1)


            MOST = 40
            ''',
            base='''
            def shrink(size):
                """Shrink it 40 times."""
                return cut(size, 40)
            ''',
        ),
        code(
            '''
            def f(k):
                """Return a dict of the rows."""
                return dict(g(k))
            ''',
            base='''
            def f(k):
                """Return a list of the rows."""
                return list(g(k))
            ''',
        ),
    ]
    INVALID = [
        code(
            '''
            class Hits:
                """«Safe to be shared by threads»."""

                def hit(self):
                    pass
            ''',
            base='''
            class Hits:
                """Safe to be shared by threads."""

                def hit(self):
                    with self._lock:
                        self.n += 1
            ''',
        ),
        code(
            '''
            def took(a, b):
                """The time in «seconds»."""
                return (b - a) * 1000
            ''',
            base='''
            def took(a, b):
                """The time in seconds."""
                return b - a
            ''',
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        try:
            base = parse(self.source.base_text or "")
        except _UNREADABLE:
            return
        before, after = _documented(base), _documented(node)
        changed = _changed_constants(base, node)
        removed_names = defined_names(base) - defined_names(node)
        removed = self._undefined(removed_names - code_names(node)) if removed_names else frozenset()
        for name, now in after.items():
            old = before.get(name) or _renamed_from(now, before, after)
            words = ast.get_docstring(now, clean=False) or ""
            if old is None or ast.get_docstring(old, clean=False) != words or _HISTORY.search(words):
                continue
            contradictions = list(self._contradictions(old, now, words)) if self._differ(old, now) else []
            contradictions = contradictions or [
                *self._by_constant(now, words, changed),
                *self._by_name(words, removed),
            ]
            for token, start, message in contradictions[:1]:
                self.report(self._span(now, token, start), message)

    @cached_property
    def _lines(self) -> tuple[list[str], list[str]]:
        """Lines of the module before the change and after it."""
        return (self.source.base_text or "").split("\n"), self.source.text.split("\n")

    @cached_property
    def _numbers(self) -> tuple[dict[str, float | None], set[float]]:
        """Named numbers of the module, and all numbers in it."""
        named_numbers = {name: number_in(value) for name, value in _fields(self.module.tree).items()}
        return named_numbers, every_number_of(self.module.tree)

    def _differ(self, old: ast.stmt, now: ast.stmt) -> bool:
        """Return True if two definitions differ in text and in meaning."""
        lines_before, lines_after = self._lines
        before = lines_before[old.lineno - 1 : old.end_lineno]
        after = lines_after[now.lineno - 1 : now.end_lineno]
        return before != after and ast.dump(old) != ast.dump(now)

    def _undefined(self, names: frozenset[str]) -> frozenset[str]:
        """Return the names that nothing else in the project defines."""
        project = self.source.project
        found = set()
        for name in names:
            defines = bounded(rf"^\s*(?:async )?(?:def|class) {re.escape(name)}\b", re.MULTILINE)
            others = (project.read(path) for path in project.files_with_word([name], ["*.py"]) if "_" in name)
            if "_" in name and not any(defines.search(text) for text in others if text):
                found.add(name)
        return frozenset(found)

    def _contradictions(
        self, old: _Documented, now: _Documented, words: str
    ) -> Iterator[tuple[str, int, str]]:
        """Yield each outdated token of a docstring with its offset and the message."""
        yield from by_number(old, now, words, *self._numbers)
        yield from by_lock(old, now, words)
        if isinstance(old, ast.ClassDef) or isinstance(now, ast.ClassDef):
            if isinstance(old, ast.ClassDef) and isinstance(now, ast.ClassDef):
                yield from by_gone_field(old, now, words)
                yield from self._by_field(old, now, words)
            return
        yield from by_error(old, now, words)
        yield from self._by_kind(old, now, words)
        yield from self._by_unit(old, now, words)

    def _by_kind(self, old: FunctionNode, now: FunctionNode, words: str) -> Iterator[tuple[str, int, str]]:
        kinds_before, kinds_after = kinds_returned(old), kinds_returned(now)
        if not kinds_after or "?" in kinds_after:
            return
        returned = " or ".join(sorted(kinds_after)).replace("None", "no None")
        for match in re.finditer(r"\w+", words):
            kind = _KIND_WORDS.get(match[0]) or _KIND_WORDS.get(match[0].lower(), "") * (match[0] != "none")
            if not kind or kind not in kinds_before - kinds_after:
                continue
            if not _OF_RESULT.search(_line_of(match)):
                continue
            instead = f"the function now returns {returned}"
            if kind == "None":
                if not raised_by(now) - raised_by(old):
                    continue
                instead = "the function never returns None now"
            yield match[0], match.start(), f'the docstring states "{match[0]}", but {instead}; update it'

    def _by_unit(self, old: FunctionNode, now: FunctionNode, words: str) -> Iterator[tuple[str, int, str]]:
        for unit in _UNITS.finditer(words):
            if self._unit_changed(old, now, unit[0].lower()):
                yield (
                    unit[0],
                    unit.start(),
                    f'the docstring states "{unit[0]}", but this change converts the unit; update it',
                )
                return

    def _unit_changed(self, old: FunctionNode, now: FunctionNode, unit: str) -> bool:
        removed, added = _by_duration(old), _by_duration(now)
        for value, name in removed.items():
            if added.get(value, name) != name:
                return unit.rstrip("s") in name
        was, is_now = numbers_of(old.body), numbers_of(now.body)
        scaled = {n for n in was ^ is_now if n in _FACTORS}
        if scaled and _scales(old, now, scaled):
            return True
        before, after = defaults_of(old), defaults_of(now)
        return any(_is_scaled(number, after.get(name)) for name, number in before.items())

    def _by_field(self, old: ast.ClassDef, now: ast.ClassDef, words: str) -> Iterator[tuple[str, int, str]]:
        """Yield the fields whose documented default or unit changed."""
        before, after = _fields(old), _fields(now)
        for name, value in before.items():
            match = bounded(
                rf"^[ \t]*(?:[-*:`]|param |ivar |var )*{re.escape(name)}\b.*(?:\n(?![ \t]*\w+[ (:]).*)*",
                re.MULTILINE,
            ).search(words)
            new = after.get(name)
            if match is None or new is None or ast.dump(new) == ast.dump(value):
                continue
            was, is_now = number_in(value), number_in(new)
            written = unparse(value).strip("'\"")
            default = bounded(rf"default\D*?(?<!\w){re.escape(written)}(?![\w.])", re.IGNORECASE).search(
                match[0]
            )
            unit = _UNITS.search(match[0])
            if default:
                place = match.start() + default.end() - len(written)
                yield (
                    written,
                    place,
                    f'the docstring states "{written}", but the default of {name} is now {unparse(new)}',
                )
            elif unit and was is not None and _is_scaled(was, is_now):
                yield (
                    unit[0],
                    match.start() + unit.start(),
                    f'the docstring states "{unit[0]}", but {name} changed from {unparse(value)} to '
                    f"{unparse(new)}",
                )

    def _by_constant(
        self, now: _Documented, words: str, changed: dict[str, tuple[str, str]]
    ) -> Iterator[tuple[str, int, str]]:
        used = {n.id for n in walk(now) if isinstance(n, ast.Name)} if changed else set()
        for name, (was, is_now) in changed.items():
            match = re.search(rf"(?<![\w.]){re.escape(was)}(?![\w]|\.\d)", words) if name in used else None
            if match and not re.search(rf"(?<![\w.]){re.escape(is_now)}(?![\w]|\.\d)", words):
                yield (
                    was,
                    match.start(),
                    f'the docstring states "{was}", but {name} is now {is_now}; update it',
                )

    def _by_name(self, words: str, removed: frozenset[str]) -> Iterator[tuple[str, int, str]]:
        for match in _MARKED.finditer(words) if removed else ():
            if match[1].rpartition(".")[2] in removed and "_" in match[1]:
                yield (
                    match[1],
                    match.start(1),
                    f'the docstring names "{match[1]}", which this file no longer defines',
                )

    def _span(self, node: _Documented, token: str, start: int) -> Span:
        """Return the span of a docstring's token in the file."""
        owner = node.body[0]
        assert isinstance(owner, ast.Expr)
        words = ast.get_docstring(node, clean=False) or ""
        number = owner.lineno + words.count("\n", 0, start)
        line = self.source.lines[number - 1]
        column = start - (words.rfind("\n", 0, start) + 1)
        offset = line.find(token, column if number > owner.lineno else owner.col_offset)
        return Span(number, max(offset, 0) + 1, number, max(offset, 0) + 1 + len(token))


_Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _documented(tree: ast.Module) -> dict[str, _Documented]:
    """Return the functions and classes with a docstring by qualified name, except names bound twice."""
    found: dict[str, _Documented] = {}
    twice: set[str] = set()
    todo: list[tuple[str, ast.AST]] = [("", tree)]
    while todo:
        stem, owner = todo.pop()
        for node in getattr(owner, "body", ()):
            if isinstance(node, _Documented):
                name = f"{stem}{node.name}"
                twice |= {name} & found.keys()
                if ast.get_docstring(node, clean=False):
                    found[name] = node
                if isinstance(node, ast.ClassDef):
                    todo.append((f"{name}.", node))
    return {name: node for name, node in found.items() if name not in twice}


def _renamed_from(
    now: _Documented, before: dict[str, _Documented], after: dict[str, _Documented]
) -> _Documented | None:
    """Return the only removed definition with the same docstring."""
    words = ast.get_docstring(now, clean=False)
    same = [
        one
        for name, one in before.items()
        if name not in after and ast.get_docstring(one, clean=False) == words
    ]
    return same[0] if len(same) == 1 else None


def _changed_constants(base: ast.Module, now: ast.Module) -> dict[str, tuple[str, str]]:
    """Return the top-level constants whose number changed."""
    before, after = ({n: v for n, v in _fields(tree).items() if n.isupper()} for tree in (base, now))
    changed = {}
    for name, value in before.items():
        was, is_now = number_in(value), number_in(after.get(name))
        if was is not None and is_now is not None and was != is_now and was not in (0, 1):
            changed[name] = (unparse(value), unparse(after[name]))
    return changed


def _fields(owner: ast.ClassDef | ast.Module) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for node in owner.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                found[target.id] = node.value
    return found


def _by_duration(function: FunctionNode) -> dict[str, str]:
    """Return expression -> unit of each duration: ``timedelta(seconds=ttl)``."""
    return {
        unparse(node.value): node.arg
        for node in nodes_run_by(function.body)
        if isinstance(node, ast.keyword) and node.arg in _DURATIONS
    }


def _scales(old: FunctionNode, now: FunctionNode, factors: set[float]) -> bool:
    """Return True if one of the versions multiplies or divides by one of these numbers."""
    return any(
        isinstance(n, ast.BinOp)
        and isinstance(n.op, (ast.Mult, ast.Div, ast.FloorDiv))
        and number_in(n.right) in factors
        for function in (old, now)
        for n in nodes_run_by(function.body)
    )


def _is_scaled(was: float, is_now: float | None) -> bool:
    if not was or not is_now:
        return False
    ratio = max(was, is_now) / min(was, is_now) if was > 0 and is_now > 0 else 0
    return ratio in _FACTORS


def _line_of(match: re.Match[str]) -> str:
    """Return the line of a match."""
    text = match.string
    start = text.rfind("\n", 0, match.start()) + 1
    return text[start : text.find("\n", match.end()) % (len(text) + 1)]
