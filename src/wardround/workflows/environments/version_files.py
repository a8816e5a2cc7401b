"""Files to which a build writes the version of its project: modules that only contain values."""

from __future__ import annotations

import ast
import posixpath

from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern

LARGEST_BYTES = 64 * 1024
_NAME = LazyPattern(r"(?i)^\w{0,40}(?:version|commit|revision|build_?info)\w{0,40}\.pyi?$")
_STATEMENTS = (ast.Assign, ast.AnnAssign, ast.If, ast.Pass)
_EXPRESSIONS = (
    ast.Attribute, ast.BinOp, ast.Constant, ast.Dict, ast.List, ast.Name, ast.Set, ast.Subscript, ast.Tuple,
    ast.UnaryOp,
)  # fmt: skip
_IMPORTED = frozenset({"__future__", "typing"})


def is_version_name(path: str) -> bool:
    """Return True for the usual names of such files."""
    return _NAME.search(posixpath.basename(path)) is not None


def only_states_values(content: bytes) -> bool:
    """Return True if a module calls nothing, defines no function, and imports at most names of types."""
    try:
        module = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(map(_is_inert, walk(module)))


def _is_inert(node: ast.AST) -> bool:
    match node:
        case ast.ImportFrom():
            return node.module in _IMPORTED and not node.level
        case ast.Expr():
            return isinstance(node.value, ast.Constant)
        case ast.Name() | ast.Attribute():
            return isinstance(node.ctx, ast.Load) or isinstance(node, ast.Name)
        case ast.stmt():
            return isinstance(node, _STATEMENTS)
        case ast.expr():
            return isinstance(node, _EXPRESSIONS)
    return True
