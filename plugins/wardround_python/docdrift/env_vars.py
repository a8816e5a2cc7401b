"""The environment variables a module reads: by ``os.environ``, or as fields of a settings class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround.semantics.docdrift.env_vars import Variable

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_SETTINGS = frozenset({"pydantic.BaseSettings", "pydantic_settings.BaseSettings", "pydantic.v1.BaseSettings"})


@lru_cache(maxsize=16)
def variables(path: str, text: str) -> dict[str, Variable] | None:
    """Return the variables a module reads, each at its first read; None if it cannot be parsed."""
    try:
        module = PythonModule(path, text)
    except _UNREADABLE:
        return None
    result: dict[str, Variable] = {}
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            for field in _fields(module, node):
                result.setdefault(field.name, field)
        elif isinstance(node, (ast.Subscript, ast.Call)) and (read := _read(module, node)) is not None:
            result.setdefault(read.name, read)
    return result


def _read(module: PythonModule, node: ast.Subscript | ast.Call) -> Variable | None:
    if isinstance(node, ast.Subscript):
        if not isinstance(node.ctx, ast.Load) or module.imported_name(node.value) != "os.environ":
            return None
        key: ast.expr | None = node.slice
    else:
        if module.imported_name(node.func) not in ("os.getenv", "os.environ.get"):
            return None
        key = node.args[0] if node.args else None
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return None
    return Variable(
        key.value,
        module.span(node),
        isinstance(node, ast.Subscript) and not _is_guarded(module, node, key.value),
    )


def _is_guarded(module: PythonModule, node: ast.AST, name: str) -> bool:
    """Return True if the program continues if the variable is missing."""
    if any(f"{quote}{name}{quote} in os.environ" in module.text for quote in "\"'"):
        return True
    return any(isinstance(parent, ast.Try) for parent in module.ancestors(node))


def _fields(module: PythonModule, node: ast.ClassDef) -> Iterator[Variable]:
    """Return the fields of a settings class, under the names of their environment variables."""
    if not any(module.imported_name(base) in _SETTINGS for base in node.bases):
        return
    prefix = _prefix(node)
    for field in node.body:
        if prefix is None or not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        name = field.target.id
        if name.startswith("_") or name == "model_config" or _has_alias(field.value):
            continue
        optional = (
            field.value is not None
            or "None" in unparse(field.annotation)
            or "Optional" in unparse(field.annotation)
        )
        yield Variable(f"{prefix}{name}".upper(), module.span(field), not optional, (name,))


def _has_alias(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and any(
        keyword.arg in ("env", "alias", "validation_alias") for keyword in value.keywords
    )


def _prefix(node: ast.ClassDef) -> str | None:
    """Return the prefix of the variables of a settings class; None if it is computed."""
    for inner in walk(node):
        value = _prefix_in(inner)
        if value is not None:
            return str(value.value) if isinstance(value, ast.Constant) else None
    return ""


def _prefix_in(node: ast.AST) -> ast.expr | None:
    """Return the value of ``env_prefix`` of a node: an argument, a class attribute, or an entry of a dict."""
    if isinstance(node, ast.keyword):
        return node.value if node.arg == "env_prefix" else None
    if isinstance(node, ast.Assign):
        named = any(isinstance(target, ast.Name) and target.id == "env_prefix" for target in node.targets)
        return node.value if named else None
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == "env_prefix"), None)
    return None
