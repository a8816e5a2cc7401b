"""Claims of a docstring that a change made false: errors, numbers, fields, locks.

Each function yields the token, its position in the docstring, and the message.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.semantics.docdrift.numbers import numbers_in_prose
from wardround.storage.regex_cache import bounded
from wardround_python.analysis.return_types import called_by, every_number_of, raised_by

_SMALL = 2
_HARMLESS_CALLS = frozenset(
    {"get", "strip", "lower", "upper", "pop", "next", "len", "str", "int", "isinstance", "split", "append"}
)
_SAFE = LazyPattern(
    r"(?i)\bthread[- ]?safe\w*|\bsafe\b[^.\n]{0,40}\bthreads?\b|\btakes? (?:the|a|its)[^.\n]{0,20}\block\b"
    r"|\b(?:under|holding|holds) (?:the|a|its)[^.\n]{0,20}\block\b"
)
_LOCKS = LazyPattern(r"(?i)lock|mutex|semaphore|condition|synchroni[sz]ed|atomic")
_RAISES = LazyPattern(r"(?i)\braises?\b")
_Claim = tuple[str, int, str]


def by_error(old: FunctionNode, now: FunctionNode, words: str) -> Iterator[_Claim]:
    """Yield errors that are no longer raised, or are now caught and raised as another."""
    raised = raised_by(old) - raised_by(now)
    new_calls = called_by(now) - called_by(old) - _HARMLESS_CALLS
    for name in sorted(raised):
        match = re.search(rf"(?<![\w:]){re.escape(name)}(?!\w)", words)  # not the role of ":exc:`Error`"
        left = {n.id for n in walk(now) if isinstance(n, ast.Name)} | raised_by(now)
        if match and name not in left and not new_calls:
            yield name, match.start(), f"the docstring names {name}, which is no longer raised; update it"
    for name, instead in sorted(_turned(now) - _turned(old)):
        match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) if _RAISES.search(words) else None
        if match and instead not in words and name not in raised_by(now):
            yield (
                name,
                match.start(),
                f"the docstring names {name}, which is now raised as {instead}; update it",
            )


def _turned(function: FunctionNode) -> set[tuple[str, str]]:
    """Return the errors a function catches, and the error it raises for each."""
    results = set()
    for node in walk(function):
        if (
            isinstance(node, ast.ExceptHandler)
            and node.type is not None
            and isinstance(node.body[-1], ast.Raise)
        ):
            value = node.body[-1].exc
            kind = value.func if isinstance(value, ast.Call) else value
            if isinstance(kind, (ast.Name, ast.Attribute)) and unparse(kind) != node.name:
                kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                results |= {(unparse(item), unparse(kind)) for item in kinds}
    return {(name, instead) for name, instead in results if name != instead}


def by_number(
    old: ast.AST, now: ast.AST, words: str, given: Mapping[str, float | None], everywhere: set[float]
) -> Iterator[_Claim]:
    """Yield numbers that the code had, and that are replaced by another one throughout the module.

    Args:
        given: the numbers that names at the top of the module are bound to.
    """
    before, after = every_number_of(old), every_number_of(now)
    named = {n.id for n in walk(now) if isinstance(n, ast.Name)}
    by_name = {number for name, number in given.items() if name in named and number is not None}
    come = (after | by_name) - before
    gone = before - after - by_name - everywhere if come else set[float]()
    for item in numbers_in_prose(words) if gone else ():
        line = words[words.rfind("\n", 0, item.start) + 1 : item.start]
        plain = min(item.values)
        telling = plain > _SMALL or plain % 1 or "default" in line.lower()
        if item.values & gone and telling and ">>>" not in line and not item.is_spoken:
            became, said = ", ".join(f"{n:g}" for n in sorted(come)[:2]), words[item.start : item.end]
            yield (
                said,
                item.start,
                f'the docstring has "{said}", which the code changed to {became}; update it',
            )
            return


def by_lock(old: ast.AST, now: ast.AST, words: str) -> Iterator[_Claim]:
    """Yield locks that the docstring relies on and the code no longer takes."""
    match = _SAFE.search(words)
    if match is None:
        return
    before, after = (_locks(node) for node in (old, now))
    if before and not after:
        yield (
            match[0],
            match.start(),
            f"the docstring relies on {before}, which this change removed; update it",
        )


def _locks(node: ast.AST) -> str:
    """Return the lock that a node takes; the empty text if there is none."""
    taken = [unparse(item.context_expr) for n in walk(node) if isinstance(n, ast.With) for item in n.items]
    calls = [n.func for n in walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    taken += [unparse(func.value) for func in calls if func.attr == "acquire"]
    return next((element for element in taken if _LOCKS.search(element)), "")


def by_gone_field(old: ast.ClassDef, now: ast.ClassDef, words: str) -> Iterator[_Claim]:
    """Yield documented fields that were removed."""
    before, after = (_declared(node) for node in (old, now))
    left = {n.attr for n in walk(now) if isinstance(n, ast.Attribute)} | after
    for name in sorted(before - left) if after - before else ():
        match = bounded(
            rf"^[ \t]*(?:[-*:`]|ivar |var |param )*{re.escape(name)}\b[ `]*[(:]", re.MULTILINE
        ).search(words)
        if match:
            place = match.start() + match[0].index(name)
            yield name, place, f"the docstring documents {name}, which this change removed; update it"
            return


def _declared(node: ast.ClassDef) -> set[str]:
    fields = (n.target for n in node.body if isinstance(n, ast.AnnAssign))
    return {target.id for target in fields if isinstance(target, ast.Name)}
