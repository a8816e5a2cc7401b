"""PY330."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround_python.check import PythonCheck

_OTHERS_WRITE = 0o002


class InsecureMode(PythonCheck):
    """Everybody on the machine may change what is made here.

    With ``umask(0)`` or a mode that lets others write, any local user can replace a file or plant one. Leave
    the umask at 0o022 or 0o077 and give the mode that is needed.
    """

    ID = "PY330"
    NAME = "insecure-mode"
    WORDS = ("umask(", "chmod(")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "permissive-file-mode"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "one, right"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import os\nos.umask(0o077)\n",
        "import os\ndef mask():\n    old = os.umask(0)\n    os.umask(old)\n    return old\n",
        "import os\nMODE = 0o750\ndef make(path):\n    os.chmod(path, MODE)\n",
        "import os\ndef make(path):\n    for folder, mode in {path: 0o755}.items():\n"
        "        os.chmod(folder, mode)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("import os\ndef detach():\n    os.umask(0)\n    os.chdir('/')\n", 3, 5),
        Invalid("import os\nMODE = 0o777\ndef make(path):\n    os.chmod(path, MODE)\n", 4, 5),
        Invalid(
            "import os\ndef make(path):\n    modes = {path: 0o777}\n    for folder, mode in modes.items():\n"
            "        os.chmod(folder, mode)\n",
            5,
            9,
        ),
        Invalid("def share(path):\n    path.chmod(0o666)\n", 2, 5),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.dotted(node.func) or ""
        if name == "os.umask" and node.args and _is_zero(node.args[0]):
            if isinstance(self.module.parents[node], ast.Expr) and not self._is_probe(node):
                self.report(
                    self.module.span(node), "from here on everything made can be changed by everybody"
                )
        elif name == "os.chmod" and len(node.args) > 1:
            if not isinstance(node.args[1], ast.Constant):
                self._look(node, node.args[1])
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "chmod" and len(node.args) == 1:
            self._look(node, node.args[0])

    def _look(self, node: ast.Call, mode: ast.expr) -> None:
        if any(value & _OTHERS_WRITE for value in self._values(mode, node)):
            self.report(self.module.span(node), "everybody on the machine may change this")

    def _values(self, mode: ast.expr, place: ast.AST) -> list[int]:
        """The numbers a mode can be, as far as they stand in this function or at the top of the module."""
        if isinstance(mode, ast.Constant):
            return [mode.value] if isinstance(mode.value, int) else []
        if not isinstance(mode, ast.Name):
            return []
        function = self.module.function_of(place)
        scope = [*self.module.tree.body, *(function.body if isinstance(function, ast.FunctionDef) else [])]
        found: list[int] = []
        for statement in scope:
            for node in (
                ast.walk(statement) if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else ()
            ):
                if isinstance(node, ast.Assign) and any(_binds(target, mode.id) for target in node.targets):
                    found += _numbers(node.value)
                elif isinstance(node, ast.For) and _binds(node.target, mode.id):
                    found += self._looped(node.iter, scope)
        return found

    def _looped(self, iterated: ast.expr, scope: Sequence[ast.stmt]) -> list[int]:
        names = {one.id for one in ast.walk(iterated) if isinstance(one, ast.Name)}
        found = _numbers(iterated)
        for statement in scope:
            if isinstance(statement, ast.Assign) and any(
                _binds(target, name) for target in statement.targets for name in names
            ):
                found += _numbers(statement.value)
        return found

    def _is_probe(self, node: ast.Call) -> bool:
        """Whether the umask is set again in the same function."""
        function = self.module.function_of(node)
        return function is not None and ast.unparse(function).count("umask(") > 1


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(target))


def _numbers(node: ast.expr) -> list[int]:
    return [
        one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and type(one.value) is int and 0o100 < one.value <= 0o7777
    ]


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0 and node.value is not False
