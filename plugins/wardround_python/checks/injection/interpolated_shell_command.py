"""PY337: interpolated shell command."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.languages.python.tree import unparse, walk
from wardround_python.analysis.constant_texts import is_constant_text
from wardround_python.check import PythonCheck

_SHELLS = frozenset(
    {"asyncio.create_subprocess_shell", "asyncio.subprocess.create_subprocess_shell", "anyio.run_process",
     "subprocess.getoutput", "subprocess.getstatusoutput"}
)  # fmt: skip


class InterpolatedShellCommand(PythonCheck):
    """A command line with interpolated values is run by a shell.

    A quote, a semicolon or a backtick in a value starts a second command; file names and personal names can
    contain them. Start the program with ``create_subprocess_exec`` and a list of arguments, or quote each
    value.
    """

    ID = "PY337"
    NAME = "interpolated-shell-command"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "shell-injection"
    WORDS = ("create_subprocess_shell", "run_process", "getoutput", "getstatusoutput")
    VALID = [
        code("""
            import asyncio
            async def f():
                await asyncio.create_subprocess_shell('df | tail -n 1')
        """),
        code("""
            import asyncio, shlex
            async def f(name):
                await asyncio.create_subprocess_shell(f'wc -l {shlex.quote(name)}')
        """),
    ]
    INVALID = [
        code("""
            import asyncio
            async def f(name):
                await «asyncio.create_subprocess_shell(f'wc -l {name}')»
        """),
        code("""
            import asyncio
            async def run(template, **fields):
                await «asyncio.create_subprocess_shell(template.format(**fields))»
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if not node.args or (self.module.dotted(node.func) or "") not in _SHELLS:
            return
        text = self._assigned_text(node)
        is_built = isinstance(text, (ast.JoinedStr, ast.BinOp)) or _is_filled(text)
        if is_built and not is_constant_text(self.module, text, node):
            self.report(
                self.module.span(node),
                "interpolated values reach a shell; pass a list of arguments or quote each value",
            )

    def _assigned_text(self, node: ast.Call) -> ast.expr:
        """Return the text, or the value of its only assignment in the same function."""
        text = node.args[0]
        function = self.module.function_of(node)
        if isinstance(text, ast.Name) and function is not None:
            values = [
                inner.value
                for inner in walk(function)
                if isinstance(inner, ast.Assign) and unparse(inner.targets[0]) == text.id
            ]
            return values[0] if len(values) == 1 else text
        return text


def _is_filled(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"format", "join"}
    )
