"""The static tool: the interface through which it is found, run and read."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.findings import Plane, RawFinding
from wardround.tools import process
from wardround.tools.excluded_files import ExcludedFiles
from wardround.tools.ignore_comments import IgnoreComment

if TYPE_CHECKING:
    from wardround.change.repository_view import RepositoryView


class Profile(enum.StrEnum):
    """Where a review runs: at a commit, where a second is long, or in CI."""

    COMMIT = "commit"
    CI = "ci"


class ToolScope(enum.StrEnum):
    """The input that the results of a file depend on: the file alone or the project."""

    FILE = "file"
    PROJECT = "project"


class Columns(enum.StrEnum):
    """The unit of a tool's columns; the engine converts all to code points."""

    CODE_POINTS = "code-points"
    UTF8 = "utf-8"
    UTF16 = "utf-16"


UNTRUSTED_PATHS_FILE = "untrusted-paths.json"
"""The name of an ``UntrustedPaths`` file, above the root of an invocation whose change is not trusted."""


class UntrustedPaths(msgspec.Struct, frozen=True):
    """The paths of a change whose code must not be run.

    Attributes:
        worktree: the folder where it may be checked out.
        paths: the changed paths, relative to that.
        with_settings: the settings of the change apply; a setting that it edits must not choose which code is
            run.
    """

    worktree: str
    paths: tuple[str, ...]
    with_settings: bool = False


class Invocation(msgspec.Struct, frozen=True):
    """One run of a tool over some files of a snapshot.

    Attributes:
        program: the executable.
        root: the snapshot: a folder with the layout of the repository.
        files: the files under review, relative to ``root``.
        environment: the project's virtual environment, if it has one.
        scratch: an empty folder outside ``root`` for files the command needs.
        requested: codes the configuration switches on beyond the selection of the tool's map; a family ends
            with a star.
        folder: the folder in which the program starts, relative to ``root``; all files are below it.
    """

    program: Path
    root: Path
    files: tuple[str, ...]
    environment: Path | None
    scratch: Path
    requested: tuple[str, ...] = ()
    folder: str = ""

    @property
    def files_from_folder(self) -> tuple[str, ...]:
        """The files relative to the folder in which the program starts."""
        return tuple(file.removeprefix(f"{self.folder}/") for file in self.files)

    @property
    def untrusted(self) -> UntrustedPaths | None:
        """The paths of a change whose code must not be run; None where the change is trusted."""
        note = self.root.parent / UNTRUSTED_PATHS_FILE
        return msgspec.json.decode(note.read_bytes(), type=UntrustedPaths) if note.is_file() else None


def install_line(extra: str = "") -> str:
    """Return the command that installs a tool of wardround, or of one of its extras."""
    return f"pip install 'wardround[{extra}]'" if extra else "pip install --force-reinstall wardround"


class Probe(msgspec.Struct, frozen=True):
    """A defect that a tool must report to prove that it works.

    Attributes:
        path: the name of the file with the defect, relative to an otherwise empty folder.
        text: its content; empty lines may precede it.
        code: the code that the tool must report, as ``parse`` returns it.
        line: the line of the defect, 1-based.
        settings: further files by path, as the project's configuration.
    """

    path: str
    text: str
    code: str
    line: int = 1
    settings: Mapping[str, str] = msgspec.field(default_factory=dict)


class Tool(ABC):
    """A static analyser: a program and a parser of its output.

    A plugin derives a class, sets its attributes and overrides what differs. Each object is a separate tool,
    compared by identity.

    Attributes:
        name: the prefix of its rules: ``ruff`` in ``ruff/B006``; its map is ``tools/<name>.yml``.
        program: the executable's name.
        success_codes: exit statuses that mean "it ran", findings or not.
        install: the line that installs it, shown when it is missing.
        distribution: the PyPI name of the distribution that contains it.
        optional: True if its absence is not reported, because the project does not use it or another own tool
            replaces it.
        opt_in: True if ``is_enabled`` is false everywhere until a project's options enable it.
        returns_end_lines: True if a single carriage return ends a line for it.
        endings: the suffixes by which it recognises its files; a file with another name is passed as a copy
            that ends in the first. Without any the name does not matter.
        timeout_s: seconds one run may take over ``files_in_time`` files or ``bytes_in_time`` bytes; in
            proportion longer over more.
        files_per_run: the most files of one run, where a larger change is split; each run sees all files of
            the change in the snapshot. None: as many as the scope allows.
        typical_s: seconds it takes over a file or two, measured with the others running: the slowest start
            first.
        version_options: the options that make it print its version.
        probe: the defect that it must report before any of its results count; without one it is trusted.
        config_names: its configuration files, searched from each file's folder to the root.
        config_folders: folders at the root whose YAML files are all its configuration.
        config_code: names of configuration files that are code, which it would run: it never reads one, and a
            change to one is a change of the rules.
        runs_config: True if its configuration may load code of the project. If the change is not trusted,
            ``Invocation.untrusted`` names the files that must not be run.
        config_at_root: True if its configuration counts at the repository's root only.
        starts_in_packages: True if it starts in the folder that ``package_of`` returns for a file, with the
            program that is installed there or above it.
        project_files: names of the files that it needs next to the reviewed ones, to know what is
            first-party.
        expected_error: a regular expression: its comments that assert an error in the next line of code, of
            which it reports the unused ones; empty if it has none.
        variables: environment variables that it needs; it gets no others of the caller's.
        map_package: the package that holds its tool map.
        ignore_comments: the comments by which it ignores findings.
        excluded_files: the settings by which a project excludes files from it.
        planes: the planes that its findings may belong to, which are inconclusive for a file where it fails;
            all by default.
        required_planes: those that judge each file of its specialist, and require its result for it.
    """

    name: str
    program: str
    success_codes: frozenset[int]
    install: str
    profiles: frozenset[Profile] = frozenset(Profile)
    scope: ToolScope = ToolScope.FILE
    columns: Columns = Columns.CODE_POINTS
    distribution: str | None = None
    optional: bool = False
    opt_in: bool = False
    returns_end_lines: bool = False
    endings: tuple[str, ...] = ()
    timeout_s: float = 10.0
    files_in_time: int = 100
    bytes_in_time: int = 1_000_000
    files_per_run: int | None = None
    typical_s: float = 0.03
    version_options: tuple[str, ...] = ("--version",)
    probe: Probe | None = None
    config_names: tuple[str, ...] = ()
    config_folders: tuple[str, ...] = ()
    config_code: tuple[str, ...] = ()
    runs_config: bool = False
    config_at_root: bool = False
    starts_in_packages: bool = False
    project_files: tuple[str, ...] = ()
    expected_error: str = ""
    variables: Mapping[str, str] = MappingProxyType({})
    map_package: str = "wardround_rules"
    ignore_comments: tuple[IgnoreComment, ...] = ()
    excluded_files: tuple[ExcludedFiles, ...] = ()
    planes: frozenset[Plane] = frozenset(Plane)
    required_planes: frozenset[Plane] = frozenset()

    @abstractmethod
    def command(self, run: Invocation) -> Sequence[str]:
        """Return the argument list of an invocation."""

    @abstractmethod
    def parse(self, output: bytes, run: Invocation) -> Sequence[RawFinding]:
        """Parse standard output: findings with paths relative to the root. No output is not "clean".

        Raises:
            ToolOutputError, msgspec.MsgspecError: it is not the output of a run over these files.
        """

    def skipped_files(self, errors: bytes, run: Invocation) -> Mapping[str, str]:
        """Parse standard error: the files it skipped, with the reason, for tools that report it nowhere
        else.

        Those files are unreviewed, the others count. Without a reason a file is not for the tool, by the
        project's own settings.
        """
        return {}

    def unparsed_files(self, output: bytes, run: Invocation) -> Mapping[str, str]:
        """Parse standard output: the files that it did not read to the end, with the reason.

        They are unreviewed, and its results elsewhere in them count.
        """
        return {}

    def find(self, root: Path) -> Path | None:
        """Return the program for a repository's root: by default in wardround's own environment, then on
        PATH.

        A program under version control is never started.
        """
        return process.find_program(self.program)

    def is_configured(self, read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
        """Return True if the project uses it, for tools that do not run without a configuration.

        Args:
            read: the text of a trusted file.
            paths: the files under review.
        """
        return True

    def is_in_config_folder(self, path: str) -> bool:
        """Return True for a file of its configuration that ``config_folders`` contain."""
        folders = tuple(f"{folder}/" for folder in self.config_folders)
        return path.startswith(folders) and path.endswith((".yml", ".yaml"))

    def package_of(self, path: str, configs: Mapping[str, str]) -> str | None:
        """Return the folder in which it must start for a file; None if it is not configured there.

        Args:
            configs: the configuration files that apply to the file, by path.
        """
        return ""

    def missing_notice(self, root: Path) -> str:
        """Return the reason why an optional tool that the project configures is not run, and how to install
        it.

        Empty if the project does not configure it. In CI it is a note.
        """
        return ""

    def is_enabled(self, options: Any, path: str, text: str) -> bool:
        """Return True if the options of its specialist enable it for a file."""
        return True

    def accepts(self, path: str, text: str) -> bool:
        """Return True for the specialist's files to which it applies."""
        return True

    def suits(self, options: Any, path: str, text: str, project: RepositoryView) -> bool:
        """Return False for a file that the rest of the project shows to be for another tool.

        Args:
            project: the other files, on the same side of the change.
        """
        return True

    def holds(self, finding: RawFinding, project: RepositoryView) -> bool:
        """Return False for a finding that the rest of the project shows to be wrong.

        The snapshot of a run is partial: a tool reports files as missing that the project has.

        Args:
            project: the other files, on the same side of the change.
        """
        return True

    def declines(self, path: str, text: str) -> str:
        """Return the reason why it cannot read a file it applies to, which is then unreviewed; empty if it
        can.
        """
        return ""

    def can_match(self, text: str) -> bool:
        """Return False if it certainly reports nothing about a file: a prefilter that saves a run."""
        return True

    def identity(self) -> str:
        """Return a string that changes with all inputs of the results besides the program: its own rules."""
        return ""

    def config_closure(self, path: str, text: str) -> Sequence[str]:
        """Return the paths of the files that a configuration file refers to."""
        return ()

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        """Return the files and folders that a configuration file makes it read, verbatim: configurations that
        it extends, and search paths of code.

        Raises:
            ToolFailed: that is unknown, because the file cannot be read as the tool reads it.
        """
        return ()

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        """Return the files to add to the snapshot for a folder, where the project's configuration is
        incomplete.

        Args:
            configs: the configuration files that apply there, by path.
        """
        return {}

    def fallback_config(self, read: Callable[[str], str | None]) -> tuple[str, str] | None:
        """Name and content of a file above the snapshot, for files without a configuration of the project.

        Args:
            read: the text of a trusted file.
        """
        return None
