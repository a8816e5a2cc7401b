from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.literals import assigned_value, entries
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.analysis.constant_texts import is_constant_text
from wardround_python.check import PythonCheck

_SHELLS = frozenset(
    {"asyncio.create_subprocess_shell", "asyncio.subprocess.create_subprocess_shell", "anyio.run_process",
     "subprocess.getoutput", "subprocess.getstatusoutput"}
)  # fmt: skip

_COMMAND_LINES = frozenset(
    {"ash", "bash", "cmd", "cmd.exe", "dash", "ksh", "powershell", "pwsh", "sh", "zsh"}
)
_OPTIONS = frozenset({"-c", "-lc", "-ec", "-ic", "-command", "-Command", "/c", "/C"})
"""The options after which a shell takes a command line."""
_STARTERS = frozenset({"system", "popen"})
"""The functions of ``os`` that run a command line."""


class InterpolatedShellCommand(PythonCheck):
    """A command line with interpolated values is run by a shell.

    A quote, a semicolon or a backtick in a value starts a second command; file names and personal names can
    contain them. Start the program with ``create_subprocess_exec`` and a list of arguments, or quote each
    value. A shell that a call does not name, as in ``__import__("os").popen(command)`` or
    ``run(command, **{"shell": True})``, is reported for any command that is not a constant, and so is the
    command line of ``run(["sh", "-c", line])``.
    """

    ID = "PY337"
    NAME = "interpolated-shell-command"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "shell-injection"
    WORDS = (
        "create_subprocess_shell",
        "run_process",
        "getoutput",
        "getstatusoutput",
        "__import__",
        "import_module",
        "getattr",
        '"shell"',
        "'shell'",
        "shell=",
        "__dict__",
        "vars(",
        *(f"{quote}{option}{quote}" for option in _OPTIONS for quote in "\"'"),
    )
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
        if not node.args:
            return
        line = _command_line(node) if self._starts_named_program(node) else None
        if line is not None:
            self._check_text(
                node,
                line,
                "a command line reaches a shell; pass the program and its arguments in place of the shell",
            )
        if self._is_hidden_shell(node):
            self._check_text(
                node,
                node.args[0],
                "a command reaches a shell that the call does not name; pass a list of arguments",
            )
        text = self._interpolated_text(node)
        if text is not None:
            self._check_text(
                node,
                text,
                "interpolated values reach a shell; pass a list of arguments or quote each value",
            )

    def _check_text(self, node: ast.Call, text: ast.expr, message: str) -> None:
        if not is_constant_text(self.module, text, node):
            self.report(self.module.span(node), message)

    def _interpolated_text(self, node: ast.Call) -> ast.expr | None:
        """Return the text with values in it that a call passes to a shell."""
        if (self.module.qualified_name(node.func) or "") not in _SHELLS:
            return None
        text = self._assigned_string(node)
        return text if isinstance(text, (ast.JoinedStr, ast.BinOp)) or _is_filled(text) else None

    def _starts_named_program(self, node: ast.Call) -> bool:
        """Return True for a call that starts the program which its arguments name."""
        name = self.module.qualified_name(node.func) or ""
        return name.startswith("subprocess.") or name.endswith(".create_subprocess_exec")

    def _is_hidden_shell(self, node: ast.Call) -> bool:
        """Return True if a call starts a shell in a way by which readers and tools do not see one."""
        match node.func:
            case ast.Attribute(value=module, attr=name) if _is_module_by_name(module):
                return name in _STARTERS
            case ast.Call() | ast.Subscript() as func:
                return self._is_starter_by_name(func)
            case func if (self.module.qualified_name(func) or "").startswith("subprocess."):
                return any(map(self._enables_shell, node.keywords))
            case _:
                return False

    def _enables_shell(self, keyword: ast.keyword) -> bool:
        """Return True for ``shell`` with a name for True, alone or in an unpacked mapping."""
        match keyword.arg:
            case None:
                return self._sets_shell(keyword.value)
            case "shell":
                return self._is_true_name(keyword.value)
            case _:
                return False

    def _sets_shell(self, node: ast.expr) -> bool:
        """Return True for ``{"shell": True}`` and ``dict(shell=True)``, also by a name."""
        value = assigned_value(self.module, node) if isinstance(node, ast.Name) else node
        shell = entries(value).get("shell")
        return isinstance(shell, ast.Constant) and bool(shell.value)

    def _is_true_name(self, node: ast.expr) -> bool:
        """Return True for a name that is bound to ``True``, where tools see no shell."""
        value = assigned_value(self.module, node) if isinstance(node, ast.Name) else None
        return isinstance(value, ast.Constant) and bool(value.value)

    def _is_starter_by_name(self, node: ast.Call | ast.Subscript) -> bool:
        """Return True for ``getattr(os, "system")`` and ``os.__dict__["system"]``."""
        match node:
            case ast.Subscript(
                value=ast.Attribute(value=module, attr="__dict__")
                | ast.Call(func=ast.Name(id="vars"), args=[module]),
                slice=ast.Constant(value=str(name)),
            ):
                return (self.module.qualified_name(module) or "") == "os" and name in _STARTERS
            case ast.Call(func=ast.Name(id="getattr"), args=[module, ast.Constant(value=str(name)), *_]):
                is_os = (self.module.qualified_name(module) or "") == "os" or _is_module_by_name(module)
                return is_os and name in _STARTERS
        return False

    def _assigned_string(self, node: ast.Call) -> ast.expr:
        """Return the string, or the value of its only assignment in the same function."""
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


def _is_module_by_name(node: ast.expr) -> bool:
    """Return True for ``__import__("os")`` and ``importlib.import_module("os")``."""
    match node:
        case ast.Call(func=func, args=[ast.Constant(value="os" | "posix"), *_]):
            return last_name(func) in ("__import__", "import_module")
    return False


def _command_line(node: ast.Call) -> ast.expr | None:
    """Return the command line of a list that starts a shell, as ``["sh", "-c", line]``."""
    elements = node.args[0].elts if isinstance(node.args[0], (ast.List, ast.Tuple)) else node.args
    texts = [element.value if isinstance(element, ast.Constant) else None for element in elements[:2]]
    match texts:
        case [str(program), str(option)] if len(elements) > 2 and option in _OPTIONS:
            return elements[2] if program.rpartition("/")[2].lower() in _COMMAND_LINES else None
    return None


def _is_filled(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"format", "join"}
    )
