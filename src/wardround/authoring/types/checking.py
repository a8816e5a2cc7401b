"""Runs of a type checker over versions of modules, in a private snapshot of the repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from wardround.authoring.types.model import Module, PublicFunction
from wardround.authoring.types.prediction import Signatures
from wardround.change.snapshot import Snapshot, leads_out
from wardround.errors import ToolOutputError
from wardround.tools.process import Processes, minimal_env
from wardround.tools.tool import Invocation
from wardround.tools.type_checker import CheckedFiles, Diagnostic, TypeChecker


class CheckedVersion(msgspec.Struct, frozen=True):
    """The result for one version of the modules.

    Attributes:
        diagnostics: those in the lines of the modules and of their callers.
    """

    diagnostics: tuple[Diagnostic, ...]
    signatures: Signatures


class CheckerSettings(msgspec.Struct, frozen=True):
    """A type checker with what it needs of a project.

    Attributes:
        environment: the virtual environment of the project, if it has one.
        note: a file above the snapshot, name and text, that the command reads.
    """

    checker: TypeChecker
    program: Path
    environment: Path | None
    note: tuple[str, str] | None


class ProjectChecker:
    """A type checker for versions of some modules of a work tree.

    Args:
        modules: those with functions whose types are predicted.
        callers: further modules by path, which are checked with each version.
    """

    def __init__(
        self,
        settings: CheckerSettings,
        root: Path,
        snapshot: Snapshot,
        modules: Sequence[Module],
        callers: Mapping[str, bytes],
    ) -> None:
        self._settings = settings
        self._root = root
        self._snapshot = snapshot
        self._modules = {module.path: module for module in modules}
        self._callers = callers
        self._processes = Processes()
        self.runs = 0

    def check(self, contents: Mapping[str, bytes]) -> CheckedVersion:
        """Check a version of the modules.

        Args:
            contents: path -> the content of the modules that differ from the work tree.

        Raises:
            ToolFailed: the checker did not run to its end.
        """
        self.runs += 1
        room = f"version-{self.runs}"
        versions = {path: contents.get(path, module.content) for path, module in self._modules.items()}
        places: dict[tuple[str, int], tuple[str, str]] = {}
        lengths = {}
        for path, content in versions.items():
            lengths[path] = line_count(content)
            self._snapshot.write_as(room, path, self._with_revealing_lines(path, content, places))
        for path, content in self._callers.items():
            lengths[path] = line_count(content)
            self._snapshot.write_as(room, path, _ending_in_line(content, [self._settings.checker.strictness]))
        self._link(room)
        checked = self._run(room, tuple(lengths))
        return _version(checked, places, lengths)

    def _with_revealing_lines(
        self, path: str, content: bytes, places: dict[tuple[str, int], tuple[str, str]]
    ) -> bytes:
        """Return a module followed by the lines at which signatures are reported; record their places."""
        lines = [self._settings.checker.strictness]
        first = line_count(content) + 1
        for function in self._modules[path].functions:
            places[path, first + len(lines)] = (path, function.name)
            lines.append(self._revealing_line(function))
        return _ending_in_line(content, lines)

    def _revealing_line(self, function: PublicFunction) -> str:
        return self._settings.checker.revealing_line(function.name, is_property=function.is_property)

    def _link(self, room: str) -> None:
        tool = self._settings.checker.tool
        if self._settings.note is not None:
            self._snapshot.write_above(room, *self._settings.note)
        patterns = (*tool.project_files, *tool.config_names)
        self._snapshot.link_project(room, self._root, (), partial(read_file, self._root), patterns)

    def _run(self, room: str, files: tuple[str, ...]) -> CheckedFiles:
        settings = self._settings
        tool = settings.checker.tool
        run = Invocation(
            settings.program, self._snapshot.side(room), files, settings.environment, self._snapshot.home
        )
        output = self._processes.run(
            settings.checker.command(run), cwd=run.root, timeout_s=tool.timeout_s, clean=tool.success_codes,
            env=minimal_env(settings.program, self._snapshot.home, tool.variables),
        )  # fmt: skip
        try:
            return settings.checker.parse(output, run)
        except msgspec.MsgspecError as cause:
            raise ToolOutputError(f"the output of {tool.name} cannot be read: {cause}") from cause


def line_count(content: bytes) -> int:
    """Return the number of lines of a module, the last one possibly without an end."""
    return len(content.splitlines())


def read_file(root: Path, path: str) -> bytes | None:
    """Return the content of a file of the work tree; None for a link and for a file behind one."""
    file = root / path
    if file.is_symlink() or leads_out(root, path):
        return None
    try:
        return file.read_bytes()
    except OSError:
        return None


def _ending_in_line(content: bytes, lines: Iterable[str]) -> bytes:
    ending = b"" if not content or content.endswith((b"\n", b"\r")) else b"\n"
    return content + ending + "".join(f"{line}\n" for line in lines).encode()


def _version(
    checked: CheckedFiles, places: Mapping[tuple[str, int], tuple[str, str]], lengths: Mapping[str, int]
) -> CheckedVersion:
    own = (item for item in checked.diagnostics if item.line <= lengths[item.path])
    signatures = {
        places[place]: signature for place, signature in checked.signatures.items() if place in places
    }
    return CheckedVersion(tuple(own), signatures)
