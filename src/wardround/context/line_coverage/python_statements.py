"""The executable statements of a Python file, for data that lists only the lines that ran."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from wardround.context.line_coverage.model import Lines
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern

_PRAGMA = LazyPattern(r"#\s*pragma:\s*no\s*cover")
_EXCLUDED = LazyPattern(
    r"^\s*(?:el)?if\b.*(?:\bTYPE_CHECKING\b|__name__\s*==|\bsys\.(?:version_info|platform)\b|\bos\.name\b)"
)
_NO_CODE = (ast.Global, ast.Nonlocal, ast.Pass)
_FAILED_IMPORTS = ("ImportError", "ModuleNotFoundError")
_SPECIAL_DECORATORS = ("abstractmethod", "overload")


def executable_lines(text: str, executed: Lines, added: Collection[int] = ()) -> Lines | None:
    """Return the first line of each statement, True if one of its own lines was executed; None if the file
    does not parse.

    Statements that projects usually exclude from coverage are omitted: those under ``no cover``,
    ``TYPE_CHECKING``, ``__main__``, conditions on the version or the platform and handlers of failed imports,
    since no environment runs both branches, abstract methods, and bodies without an effect.

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
    return {statement.lineno: not ran.isdisjoint(statement_lines(statement)) for statement in found}


def _statements(
    body: list[ast.stmt], lines: list[str], excluded: Collection[int], added: frozenset[int]
) -> Iterator[ast.stmt]:
    for statement in body:
        is_excluded = statement.lineno in excluded or _is_excluded(statement, lines)
        if _is_for_checkers(statement) or (is_excluded and not _is_touched([statement], added)):
            continue
        if not _is_without_code(statement):
            yield statement
        for inner in bodies_of(statement):
            if not _handles_import(statement, inner) or _is_touched(inner, added):
                yield from _statements(inner, lines, excluded, added)


def _is_touched(statements: Iterable[ast.stmt], added: frozenset[int]) -> bool:
    return any(not added.isdisjoint(_lines_of(statement)) for statement in statements)


def _lines_of(item: ast.stmt) -> range:
    return range(item.lineno, (item.end_lineno or item.lineno) + 1)


def _is_for_checkers(item: ast.stmt) -> bool:
    """Return True for a block ``TYPE_CHECKING`` that only imports, which no run executes."""
    if not isinstance(item, ast.If) or item.orelse:
        return False
    is_import = all(isinstance(each, ast.Import | ast.ImportFrom | ast.Pass) for each in item.body)
    return is_import and unparse(item.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _handles_import(item: ast.stmt, body: list[ast.stmt]) -> bool:
    """Return True for the block that runs if an import of a statement ``try`` fails."""
    handlers = item.handlers if isinstance(item, ast.Try) else []
    kind = next((handler.type for handler in handlers if handler.body is body), None)
    is_import = isinstance(item, ast.Try) and isinstance(item.body[0], ast.Import | ast.ImportFrom)
    return is_import and isinstance(kind, ast.Name) and kind.id in _FAILED_IMPORTS


def _is_excluded(item: ast.stmt, lines: list[str]) -> bool:
    first = lines[item.lineno - 1] if item.lineno <= len(lines) else ""
    decorators = [unparse(node) for node in getattr(item, "decorator_list", ())]
    return bool(_EXCLUDED.search(first)) or any(
        text.rpartition(".")[2] in _SPECIAL_DECORATORS or _EXCLUDED.search(text) for text in decorators
    )


def _is_without_code(item: ast.stmt) -> bool:
    """Return True for a string or ``...`` alone, and for statements that the compiler may drop or report
    elsewhere.
    """
    if isinstance(item, ast.Expr):
        return isinstance(item.value, ast.Constant)
    if isinstance(item, ast.Raise):
        return "NotImplementedError" in unparse(item)
    return isinstance(item, (*_NO_CODE, ast.Try, ast.With, ast.AsyncWith)) or (
        isinstance(item, ast.AnnAssign) and item.value is None
    )


def bodies_of(item: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        yield getattr(item, name, [])
    for part in (*getattr(item, "handlers", ()), *getattr(item, "cases", ())):
        yield part.body


def statement_lines(item: ast.stmt) -> set[int]:
    """Return the lines of a statement without those of the statements in it, but with its decorators."""
    first = min([item.lineno, *(node.lineno for node in getattr(item, "decorator_list", ()))])
    inner = [each.lineno for body in bodies_of(item) for each in body]
    last = min(inner) - 1 if inner else (item.end_lineno or item.lineno)
    return set(range(first, max(last, item.lineno) + 1))
