"""The modules that the arguments of the command name, and the type checker for them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wardround.authoring.types.checking import CheckerSettings, read_file
from wardround.change.repository import WORKTREE, Repository
from wardround.config import loader
from wardround.errors import ToolMissing, UsageError
from wardround.host import PluginHost
from wardround.specialists import Specialist
from wardround.tools.install_hints import install_hint
from wardround.tools.type_checker import TypeChecker


class TypeTargets:
    """The modules of a work tree that a specialist with a type checker reads.

    Raises:
        UsageError: no specialist has a type checker.
    """

    def __init__(self, repository: Repository, host: PluginHost) -> None:
        self._repository = repository
        self._host = host
        self._root = repository.root
        self._specialist = _typed_specialist(host)
        self._checker: TypeChecker = self._specialist.type_checkers[0]
        patterns = [f"*{suffix}" for suffix in self._checker.suffixes]
        self.project = repository.tracked_paths(WORKTREE, patterns)

    def settings(self) -> CheckerSettings:
        """Return the type checker with the environment and the configuration of the project.

        Raises:
            ToolMissing: its program is not installed.
        """
        tool = self._checker.tool
        program = tool.find(self._root)
        if program is None:
            raise ToolMissing(f"{tool.name} is not installed; {install_hint(tool.install)}")
        read = self._repository.tree(WORKTREE).read
        config = loader.read(read, (), self._host.specialists)
        options = config.for_file("").options[self._specialist.name]
        environment = self._specialist.environment(self._root, options)
        return CheckerSettings(self._checker, program, environment, tool.fallback_config(self._text))

    def _text(self, path: str) -> str | None:
        content = read_file(self._root, path)
        return content.decode("utf-8", "replace") if content is not None else None

    def modules_of(self, arguments: Sequence[str]) -> list[str]:
        """Return the modules that files and folders name, without tests where a folder contains them.

        Raises:
            UsageError: a path does not exist, or is not a module that can be parsed.
        """
        found: dict[str, None] = {}
        for argument in arguments or [str(self._root)]:
            found |= dict.fromkeys(self._below(argument))
        return sorted(found)

    def _below(self, argument: str) -> Iterator[str]:
        path = self._inside(argument)
        if not (self._root / path).exists():
            raise UsageError(f"{argument}: no such file or folder; name modules or folders of the repository")
        if (self._root / path).is_dir():
            prefix = f"{path}/" if path else ""
            inside = [item for item in self.project if item.startswith(prefix)]
            yield from (item for item in inside if self._is_source(item))
            return
        self._require_module(path, argument)
        yield path

    def _inside(self, argument: str) -> str:
        complete = Path(os.path.abspath(argument))
        folder = complete.parent.resolve() / complete.name
        root = self._root.resolve()
        if complete.resolve() == root:
            return ""
        if not folder.is_relative_to(root):
            raise UsageError(f"{argument}: it is outside of {root}; name files and folders of the repository")
        return folder.relative_to(root).as_posix()

    def _is_source(self, path: str) -> bool:
        """Return True for a module that can be parsed and is not for tests."""
        content = read_file(self._root, path)
        if content is None or _syntax_error(content) is not None:
            return False
        return not any(item.name == "tests" for item in self._host.specialists_for(path, content))

    def _require_module(self, path: str, argument: str) -> None:
        if not path.endswith(self._checker.suffixes):
            raise UsageError(
                f"{argument}: not a {self._specialist.name.capitalize()} module; "
                f"name files that end in {' or '.join(self._checker.suffixes)}"
            )
        if path not in self.project:
            raise UsageError(f"{argument}: git ignores it; name a file that git does not ignore")
        content = read_file(self._root, path)
        if content is None:
            raise UsageError(f"{argument}: it is a link or cannot be read; name the file itself")
        error = _syntax_error(content)
        if error is not None:
            raise UsageError(f"{argument}: {error}; repair it first")


def _typed_specialist(host: PluginHost) -> Specialist:
    typed = [specialist for specialist in host.specialists if specialist.type_checkers]
    if not typed:
        raise UsageError("no plugin has a type checker; install the plugin of the language")
    return typed[0]


def _syntax_error(content: bytes) -> str | None:
    """Return the reason why a module cannot be parsed."""
    try:
        ast.parse(content)
    except SyntaxError as cause:
        return f"line {cause.lineno or 1}: {cause.msg}"
    except (ValueError, RecursionError, MemoryError) as cause:
        return f"it cannot be parsed: {cause}"
    return None
