from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.languages.python.module import PythonModule, last_name, targets_of
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.calls import called_method

_OTHERS_WRITE = 0o002
_OTHERS_READ = 0o004
_SECRET = LazyPattern(
    r"(?i)(private|secret|ssh|tls|signing|api|save|write|store)_?key|secret|credential|passw|token(?!iz)"
)
_CHMOD = LazyPattern(r"(^|[ /;&])chmod( -\w+)* (0?[0-7]{2}[2367]\b|[ugoa]*[oa][ugoa]*\+[rx]*w|\+[rx]*w)")
# Function that creates a file or folder -> the position of its mode.
_MAKING = {"os.open": 2, "os.mkfifo": 1, "os.mknod": 1, "os.makedirs": 1, "os.mkdir": 1}
_PUBLIC = LazyPattern(r"(?i)pub(lic)?|cert|dir|folder|bin|script")


_BY_OTHERS = 0o002
"""The mode that lets others write."""


class InsecureFileMode(PythonCheck):
    """A file or folder is world-writable.

    With ``umask(0)`` or a mode that allows others to write, any local user can replace a file or plant one.
    Leave the umask at 0o022 or 0o077 and set the narrowest mode.
    """

    ID = "PY330"
    NAME = "insecure-file-mode"
    WORDS = ("umask(", "chmod", "os.open(", "mkfifo(", "mode=0o")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "permissive-file-mode"
    VALID = [
        code("""
            import os
            os.umask(0o077)
        """),
        code("""
            import os
            def mask():
                old = os.umask(0)
                os.umask(old)
                return old
        """),
    ]
    INVALID = [
        code("""
            MODE = 0o644
            def save_key(path, pem):
                path.write_bytes(pem)
                «path.chmod(MODE)»
        """),
        code("""
            import os, stat
            OPEN = stat.S_IRWXU | stat.S_IRWXO
            «os.chmod('/srv/in', OPEN)»
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.qualified_name(node.func) or ""
        arguments = node.args
        if name == "os.umask":
            self._check_umask(node)
        elif name == "os.chmod" and len(arguments) > 1:
            self._check(node, arguments[1])
        elif name in _MAKING:
            self._check_created(node, name)
        elif name.startswith(("subprocess.", "os.system")) and _CHMOD.search(_command(node)):
            self.report(self.module.span(node), "this is world-writable; use a narrower mode")
        elif called_method(node) == "chmod" and len(arguments) == 1:
            self._check(node, arguments[0])

    def _check_umask(self, node: ast.Call) -> None:
        if not node.args or not _is_zero(node.args[0]):
            return
        if isinstance(self.module.parents[node], ast.Expr) and not self._is_probe(node):
            self.report(
                self.module.span(node),
                "all files created from here on are world-writable; leave the umask at 0o022 or 0o077",
            )

    def _check(self, node: ast.Call, mode: ast.expr) -> None:
        values = self._values(mode, node)
        if values and all(value & _OTHERS_READ for value in values) and self._is_secret(node):
            self.report(self.module.span(node), "this secret is world-readable; use mode 0o600")
        elif any(value & _OTHERS_WRITE for value in values) and not _is_reported_by_ruff(self.module, node):
            self.report(self.module.span(node), "this is world-writable; use a narrower mode")

    def _check_created(self, node: ast.Call, name: str) -> None:
        """Report the mode of a new file or folder, which the umask may still narrow."""
        at = _MAKING[name]
        arguments = [k.value for k in node.keywords if k.arg == "mode"] or node.args[at : at + 1]
        values = self._values(arguments[0], node) if arguments else []
        if any(value & _OTHERS_WRITE for value in values):
            self.report(
                self.module.span(node),
                "this is world-writable unless the umask narrows it; use a narrower mode",
                None,
                Severity.INFO,
            )

    def _is_secret(self, node: ast.Call) -> bool:
        """Return True if the names of the function and of the file indicate a key or a password."""
        function = self.module.function_of(node)
        path = node.args[0] if len(node.args) > 1 else node.func
        text = f"{getattr(function, 'name', '')} {unparse(path)}"
        return _SECRET.search(text) is not None and _PUBLIC.search(text) is None

    def _values(self, mode: ast.expr, place: ast.AST) -> list[int]:
        """Return the possible values of a mode, as far as this function or the module defines them."""
        match mode:
            case ast.Constant(value=int(value)):
                return [value]
            case ast.BinOp(op=ast.BitOr()):
                return [_BY_OTHERS] if _names_others(mode) else []
            case ast.Attribute():
                return self._attribute_values(mode, place)
            case ast.Name():
                return self._bound_numbers(mode.id, place)
        return []

    def _bound_numbers(self, name: str, place: ast.AST) -> list[int]:
        """Return the numbers that the function around a node and the module bind to a name."""
        function = self.module.function_of(place)
        own = function.body if isinstance(function, ast.FunctionDef) else []
        scope = [*self.module.tree.body, *own]
        values: list[int] = []
        for statement in scope:
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                for node in walk(statement):
                    values += self._bound_values(node, name, scope)
        return values

    def _bound_values(self, node: ast.AST, name: str, scope: list[ast.stmt]) -> list[int]:
        if isinstance(node, ast.Assign) and any(_binds_name(target, name) for target in node.targets):
            return _modes_in(node.value)
        if isinstance(node, ast.For) and _binds_name(node.target, name):
            return self._looped_numbers(node.iter, scope)
        return []

    def _attribute_values(self, mode: ast.Attribute, place: ast.AST) -> list[int]:
        """Return the number that a class of this module assigns to an attribute."""
        if _names_others(mode):
            return [_BY_OTHERS]
        assignments = [node for node in self.module.nodes if isinstance(node, (ast.Assign, ast.AnnAssign))]
        values = [item.value for item in assignments if mode.attr in map(last_name, targets_of(item))]
        return [number for value in values if value is not None for number in _numbers(value)]

    def _looped_numbers(self, iterated: ast.expr, scope: Sequence[ast.stmt]) -> list[int]:
        names = {node.id for node in walk(iterated) if isinstance(node, ast.Name)}
        result = _numbers(iterated)
        for statement in scope:
            if isinstance(statement, ast.Assign) and any(
                _binds_name(target, name) for target in statement.targets for name in names
            ):
                result += _numbers(statement.value)
        return result

    def _is_probe(self, node: ast.Call) -> bool:
        """Return True if the umask is reset in the same function."""
        function = self.module.function_of(node)
        return function is not None and unparse(function).count("umask(") > 1


def _is_reported_by_ruff(module: PythonModule, node: ast.Call) -> bool:
    """Return True if S103 of ruff reports it: a number passed to ``os.chmod`` directly."""
    is_number = len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    return is_number and module.qualified_name(node.func) == "os.chmod"


def _command(node: ast.Call) -> str:
    """Return the literal command line that a call runs."""
    first = node.args[0] if node.args else None
    parts = first.elts if isinstance(first, (ast.List, ast.Tuple)) else [first]
    return " ".join(str(part.value) if isinstance(part, ast.Constant) else "?" for part in parts)


def _names_others(mode: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in {"S_IWOTH", "S_IRWXO"} for node in walk(mode))


def _binds_name(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in walk(target))


def _numbers(node: ast.expr) -> list[int]:
    return [
        inner.value
        for inner in walk(node)
        if isinstance(inner, ast.Constant) and type(inner.value) is int and 0o100 < inner.value <= 0o7777
    ]


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and node.value is not False


def _modes_in(value: ast.expr) -> list[int]:
    return [_BY_OTHERS] if _names_others(value) else _numbers(value)
