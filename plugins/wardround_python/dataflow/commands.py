"""Commands that calls run: text for a shell, here or on another machine, and the program that is started."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from wardround.languages.python.module import PythonModule
from wardround.lazy import LazyPattern
from wardround_python.dataflow.domain import Taint
from wardround_python.dataflow.known_value import KnownConstant, KnownEntry

_SHELLS = frozenset({"sh", "bash", "/bin/sh", "/bin/bash", "zsh", "cmd", "cmd.exe", "powershell"})
COMMAND_FLAGS = frozenset({"-c", "-lc", "-ec", "-ic", "-euc", "/c", "/C", "-Command"})
RUNS = frozenset({"run", "Popen", "call", "check_call", "check_output", "spawn", "create_subprocess_exec"})
"""The last parts of those names."""
PROCESSES = ("subprocess.", "asyncio.create_subprocess_exec", "pty.spawn")
"""Prefixes of functions that take a program with its arguments."""
_REPLACING = LazyPattern(r"^os\.(exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)$")
"""Functions that start a program: its path first, behind a mode for the family of ``spawn``."""
_REMOTE = frozenset({"fabric", "fabric2", "invoke", "asyncssh", "spur", "plumbum"})
"""Libraries whose objects run command lines through a shell, mostly on another machine."""
_REMOTE_RUNS = frozenset({"run", "sudo", "local", "create_process"})
_IN_CONTAINER = frozenset({"exec_run", "exec_create"})


def commands(module: PythonModule, call: ast.Call, name: str) -> Iterator[ast.expr]:
    """Yield the arguments of a call that choose the command; ``name`` is its dotted name."""
    if name.startswith(PROCESSES):
        yield from _processes(call)
    elif _REPLACING.search(name):
        words = call.args[1:] if ".spawn" in name else call.args
        yield from words[:1]
        yield from _read_by_shell(_flat(words[1:]))
    elif isinstance(call.func, ast.Attribute):
        yield from _remote(module, call, call.func)


def _remote(module: PythonModule, call: ast.Call, func: ast.Attribute) -> Iterator[ast.expr]:
    if func.attr in _REMOTE_RUNS and _imports_any(module, _REMOTE):
        yield from call.args[:1]
        yield from _keyword_values(call, "command")
    elif func.attr in _IN_CONTAINER and _imports_any(module, {"docker"}):
        yield _container_command(call, func)
    elif func.attr == "run" and isinstance(func.value, ast.Attribute) and func.value.attr == "containers":
        yield from call.args[:2]


def _container_command(call: ast.Call, func: ast.Attribute) -> ast.expr:
    """Return the argument with the command; the function itself if there is none."""
    if not call.args:
        return func
    return call.args[-1] if func.attr == "exec_create" else call.args[0]


def _keyword_values(call: ast.Call, name: str) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords if keyword.arg == name]


def _imports_any(module: PythonModule, packages: Collection[str]) -> bool:
    return any(name.partition(".")[0] in packages for name in module.imported.values())


def _processes(call: ast.Call) -> Iterator[ast.expr]:
    """Yield a command line for a shell: with ``shell=True``, or as the argument of a shell."""
    command = next(iter([*call.args, *_keyword_values(call, "args")]), None)
    if command is None:
        return
    if _starts_shell(call):
        yield command
        return
    if isinstance(command, (ast.List, ast.Tuple)):
        words = command.elts
        yield from words[:1]
    else:
        words = call.args
        yield from words[:1] if len(words) > 1 else ()
    yield from _split_string(command)
    yield from _read_by_shell(words)


def _starts_shell(call: ast.Call) -> bool:
    """Return True unless ``shell`` is left out or a constant that is not true."""
    shell = next(iter(_keyword_values(call, "shell")), None)
    return shell is not None and not (isinstance(shell, ast.Constant) and not shell.value)


def read_by_shell(entries: Sequence[KnownEntry]) -> Iterator[Taint]:
    """Yield the taint of the program a list starts, and of the text it passes to a shell."""
    yield from (item.value for item in entries[:1])
    texts = [entry.known.value if isinstance(entry.known, KnownConstant) else None for entry in entries]
    for at, text in enumerate(texts[:-2]):
        if text in _SHELLS and texts[at + 1] in COMMAND_FLAGS:
            yield entries[at + 2].value


def _split_string(command: ast.expr) -> Iterator[ast.expr]:
    """Return the string that is split into the command line: ``f"convert {name}".split()``."""
    if not isinstance(command, ast.Call) or not isinstance(command.func, ast.Attribute):
        return
    if command.func.attr == "split":
        is_shlex = isinstance(command.func.value, ast.Name) and command.func.value.id == "shlex"
        yield from command.args[:1] if is_shlex else [command.func.value]


def _read_by_shell(words: list[ast.expr]) -> Iterator[ast.expr]:
    for at, word in enumerate(words[:-2]):
        if _equals_any(word, _SHELLS) and _equals_any(words[at + 1], COMMAND_FLAGS):
            yield words[at + 2]
            return


def _flat(words: list[ast.expr]) -> list[ast.expr]:
    return [
        part for word in words for part in (word.elts if isinstance(word, (ast.List, ast.Tuple)) else [word])
    ]


def _equals_any(node: ast.expr, values: Collection[str]) -> bool:
    return isinstance(node, ast.Constant) and node.value in values
