"""PY330: insecure file mode."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround_python.check import PythonCheck

_OTHERS_WRITE = 0o002
_OTHERS_READ = 0o004
_SECRET = LazyPattern(
    r"(?i)(private|secret|ssh|tls|signing|api|save|write|store)_?key|secret|credential|passw|token(?!iz)"
)
_CHMOD = LazyPattern(r"(^|[ /;&])chmod( -\w+)* (0?[0-7]{2}[2367]\b|[ugoa]*[oa][ugoa]*\+[rx]*w|\+[rx]*w)")
# Function that creates a file or folder -> the position of its mode.
_MAKING = {"os.open": 2, "os.mkfifo": 1, "os.mknod": 1, "os.makedirs": 1, "os.mkdir": 1}
_PUBLIC = LazyPattern(r"(?i)pub(lic)?|cert|dir|folder|bin|script")


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
        name = self.module.dotted(node.func) or ""
        if name == "os.umask" and node.args and _is_zero(node.args[0]):
            if isinstance(self.module.parents[node], ast.Expr) and not self._is_probe(node):
                self.report(
                    self.module.span(node),
                    "all files created from here on are world-writable; leave the umask at 0o022 or 0o077",
                )
        elif name == "os.chmod" and len(node.args) > 1:
            self._check(node, node.args[1])
        elif name in _MAKING:
            self._check_created(node, name)
        elif name.startswith(("subprocess.", "os.system")) and _CHMOD.search(_command(node)):
            self.report(self.module.span(node), "this is world-writable; use a narrower mode")
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "chmod" and len(node.args) == 1:
            self._check(node, node.args[0])

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
        if isinstance(mode, ast.Constant):
            return [mode.value] if isinstance(mode.value, int) else []
        if isinstance(mode, ast.BinOp) and isinstance(mode.op, ast.BitOr):
            return [0o002] if _names_others(mode) else []
        if isinstance(mode, ast.Attribute):
            return self._of_attribute(mode, place)
        if not isinstance(mode, ast.Name):
            return []
        function = self.module.function_of(place)
        scope = [*self.module.tree.body, *(function.body if isinstance(function, ast.FunctionDef) else [])]
        results: list[int] = []
        for statement in scope:
            for node in walk(statement) if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else ():
                if isinstance(node, ast.Assign) and any(_binds(target, mode.id) for target in node.targets):
                    results += [0o002] if _names_others(node.value) else _numbers(node.value)
                elif isinstance(node, ast.For) and _binds(node.target, mode.id):
                    results += self._looped(node.iter, scope)
        return results

    def _of_attribute(self, mode: ast.Attribute, place: ast.AST) -> list[int]:
        """Return the number that a class of this module assigns to an attribute."""
        if _names_others(mode):
            return [0o002]
        return [
            value
            for node in self.module.nodes
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, (ast.Name, ast.Attribute))
            and (target.attr if isinstance(target, ast.Attribute) else target.id) == mode.attr
            for value in _numbers(node.value)
        ]

    def _looped(self, iterated: ast.expr, scope: Sequence[ast.stmt]) -> list[int]:
        names = {node.id for node in walk(iterated) if isinstance(node, ast.Name)}
        result = _numbers(iterated)
        for statement in scope:
            if isinstance(statement, ast.Assign) and any(
                _binds(target, name) for target in statement.targets for name in names
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
    return is_number and module.dotted(node.func) == "os.chmod"


def _command(node: ast.Call) -> str:
    """Return the literal command line that a call runs."""
    first = node.args[0] if node.args else None
    parts = first.elts if isinstance(first, (ast.List, ast.Tuple)) else [first]
    return " ".join(str(part.value) if isinstance(part, ast.Constant) else "?" for part in parts)


def _names_others(mode: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in {"S_IWOTH", "S_IRWXO"} for node in walk(mode))


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in walk(target))


def _numbers(node: ast.expr) -> list[int]:
    return [
        inner.value
        for inner in walk(node)
        if isinstance(inner, ast.Constant) and type(inner.value) is int and 0o100 < inner.value <= 0o7777
    ]


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and node.value is not False
