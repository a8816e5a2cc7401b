"""The executable statements of a Python file, for data that lists only the lines that ran."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from wardround.checks.lazy import LazyPattern
from wardround.context.line_coverage.model import Lines
from wardround.languages.python.tree import unparse

_PRAGMA = LazyPattern(r"#\s*pragma:\s*no\s*cover")
_EXCLUDED = LazyPattern(
    r"^\s*(?:el)?if\b.*(?:\bTYPE_CHECKING\b|__name__\s*==|\bsys\.(?:version_info|platform)\b|\bos\.name\b)"
)
_NO_CODE = (ast.Global, ast.Nonlocal, ast.Pass)
_FAILED_IMPORTS = ("ImportError", "ModuleNotFoundError")
_SPECIAL_DECORATORS = ("abstractmethod", "overload")


def executable_lines(text: str, executed: Lines, added: Collection[int] = ()) -> Lines | None:
    """Return the first line of each statement, True if one of its own lines ran; None if it does not parse.

    Statements that projects usually exclude from coverage are left out: those under ``no cover``,
    ``TYPE_CHECKING``, ``__main__``, conditions on the version or the platform and handlers of failed imports,
    whose sides no environment runs both, abstract methods, and bodies without an effect.

    Args:
        added: lines that nothing excludes but a block of imports for type checkers, since the change adds
            them: code that no test ran is not shown to work, whatever is around it.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.split("\n")
    ran = {number for number, did in executed.items() if did}
    excluded = {number for number, line in enumerate(lines, 1) if _PRAGMA.search(line)}.difference(added)
    found = _statements(tree.body, lines, excluded, frozenset(added))
    return {one.lineno: not ran.isdisjoint(own_lines(one)) for one in found}


def _statements(
    body: list[ast.stmt], lines: list[str], excluded: Collection[int], added: frozenset[int]
) -> Iterator[ast.stmt]:
    for one in body:
        is_excluded = one.lineno in excluded or _is_excluded(one, lines)
        if _is_for_checkers(one) or (is_excluded and added.isdisjoint(_lines_of(one))):
            continue
        if not _is_without_code(one):
            yield one
        for inner in bodies_of(one):
            if not _handles_import(one, inner) or not all(
                added.isdisjoint(_lines_of(each)) for each in inner
            ):
                yield from _statements(inner, lines, excluded, added)


def _lines_of(one: ast.stmt) -> range:
    return range(one.lineno, (one.end_lineno or one.lineno) + 1)


def _is_for_checkers(one: ast.stmt) -> bool:
    """Return True for a block ``TYPE_CHECKING`` that only imports, which no run executes."""
    if not isinstance(one, ast.If) or one.orelse:
        return False
    is_import = all(isinstance(each, ast.Import | ast.ImportFrom | ast.Pass) for each in one.body)
    return is_import and unparse(one.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _handles_import(one: ast.stmt, body: list[ast.stmt]) -> bool:
    """Return True for the block that runs if an import of a statement ``try`` fails."""
    handlers = one.handlers if isinstance(one, ast.Try) else []
    kind = next((handler.type for handler in handlers if handler.body is body), None)
    is_import = isinstance(one, ast.Try) and isinstance(one.body[0], ast.Import | ast.ImportFrom)
    return is_import and isinstance(kind, ast.Name) and kind.id in _FAILED_IMPORTS


def _is_excluded(one: ast.stmt, lines: list[str]) -> bool:
    first = lines[one.lineno - 1] if one.lineno <= len(lines) else ""
    decorators = [unparse(node) for node in getattr(one, "decorator_list", ())]
    return bool(_EXCLUDED.search(first)) or any(
        text.rpartition(".")[2] in _SPECIAL_DECORATORS or _EXCLUDED.search(text) for text in decorators
    )


def _is_without_code(one: ast.stmt) -> bool:
    """Return True for a text or ``...`` alone, and for what the compiler may drop or report elsewhere."""
    if isinstance(one, ast.Expr):
        return isinstance(one.value, ast.Constant)
    if isinstance(one, ast.Raise):
        return "NotImplementedError" in unparse(one)
    return isinstance(one, (*_NO_CODE, ast.Try, ast.With, ast.AsyncWith)) or (
        isinstance(one, ast.AnnAssign) and one.value is None
    )


def bodies_of(one: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        yield getattr(one, name, [])
    for part in (*getattr(one, "handlers", ()), *getattr(one, "cases", ())):
        yield part.body


def own_lines(one: ast.stmt) -> set[int]:
    """Return the lines of a statement without those of the statements in it, but with its decorators."""
    first = min([one.lineno, *(node.lineno for node in getattr(one, "decorator_list", ()))])
    inner = [each.lineno for body in bodies_of(one) for each in body]
    last = min(inner) - 1 if inner else (one.end_lineno or one.lineno)
    return set(range(first, max(last, one.lineno) + 1))
