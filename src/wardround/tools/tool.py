"""What a static tool is, for a specialist that wants one run."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wardround.findings import RawFinding


class Profile(enum.StrEnum):
    """Where a review runs: at a commit, where a second is long, or in CI."""

    COMMIT = "commit"
    CI = "ci"


class ToolScope(enum.StrEnum):
    """What a tool's answer about a file depends on."""

    FILE = "file"
    PROJECT = "project"


class Columns(enum.StrEnum):
    """What a tool counts when it names a column; the host turns all into code points."""

    CODE_POINTS = "code-points"
    UTF8 = "utf-8"
    UTF16 = "utf-16"


BROUGHT = "brought-by-the-change.json"
"""The name of a ``Brought``, above the root of an invocation whose change may not run anything."""


class UntrustedPaths(msgspec.Struct, frozen=True):
    """What a change brings whose code must not be run.

    Attributes:
        worktree: the folder where it may be checked out.
        paths: what it touches, relative to that.
    """

    worktree: str
    paths: tuple[str, ...]


class Invocation(msgspec.Struct, frozen=True):
    """One run of a tool over some files of a snapshot.

    Attributes:
        program: the executable.
        root: the snapshot: a folder that looks like the repository.
        files: what to look at, relative to ``root``.
        environment: the project's virtual environment, where one was found.
        scratch: an empty folder outside ``root`` for files the command needs.
        requested: codes the configuration switches on beyond the selection of the tool's map; a family ends
            with a star.
    """

    program: Path
    root: Path
    files: tuple[str, ...]
    environment: Path | None
    scratch: Path
    requested: tuple[str, ...] = ()

    @property
    def brought(self) -> UntrustedPaths | None:
        """What a change touches whose code must not be run; None where the change is trusted."""
        note = self.root.parent / BROUGHT
        return msgspec.json.decode(note.read_bytes(), type=UntrustedPaths) if note.is_file() else None


def install_line(extra: str = "") -> str:
    """What a user types to get a tool that comes with wardround, or with one of its extras."""
    return f"pip install 'wardround[{extra}]'" if extra else "pip install --force-reinstall wardround"


class Probe(msgspec.Struct, frozen=True):
    """A defect with which a tool proves that it works, since it must report it.

    Attributes:
        path: the name of a file that holds the defect, relative to an otherwise empty folder.
        text: its content; lines may be put in front of it.
        code: what the tool must report there, as ``parse`` returns it.
        line: where, 1-based.
        settings: further files by path, as the project's configuration.
    """

    path: str
    text: str
    code: str
    line: int = 1
    settings: Mapping[str, str] = msgspec.field(default_factory=dict)


class Tool(msgspec.Struct, frozen=True, eq=False):
    """A static analyser, found as a program and read through its output. Each object is a tool of its own.

    Attributes:
        name: the prefix of its rules: ``ruff`` in ``ruff/B006``; its map is ``tools/<name>.yml``.
        program: the executable's name.
        find: where the program is, given the repository's root, for tools a project brings itself; by default
            wardround's own environment, then PATH. A program under version control is never started.
        optional: whether its absence is nothing to speak of, because the project does not use it or something
            else of ours does its part.
        is_configured: (reader of trusted files, paths under review) -> whether the project's configuration
            asks for it, for tools that do not run without one; by default they always run.
        missed: repository's root -> why an optional tool is not run that the project's own configuration asks
            for, with what installs it; empty where it does not. In CI that is noted.
        takes: which of its specialist's files it is for: (path, text) -> whether; all of them by default.
        declines: (path, text) -> why it cannot read a file it is for, which is then unreviewed; empty where
            it can.
        wanted: whether the options of its specialist ask for it for a file: (options, path, text) -> whether;
            always by default.
        opt_in: whether ``wanted`` is false everywhere until a project's options ask for it.
        command: the argument list for an invocation.
        parse: standard output -> results with paths relative to the root. It raises ``ToolOutputError`` or
            ``msgspec.MsgspecError`` for anything it does not understand; nothing printed is not "clean".
        passed_over: standard error -> files it was given and did not look at, with the reason, for tools that
            say so nowhere else; those files are unreviewed, the others count. Without a reason a file is not
            for the tool, by the project's own settings.
        clean: exit statuses that mean "it ran", findings or not.
        install: the line that installs it, shown when it is missing.
        config_names: its configuration files, looked for from each file's folder up to the root.
        config_code: names of configuration files that are code, which it would run: it never gets to see one,
            and a change to one is a change of the rules.
        runs_config: whether its configuration may load code of the project. Where the change is not trusted
            it is then told in ``BROUGHT``, beside ``root``, which files must not be run.
        config_at_root: whether its configuration counts at the repository's root only.
        config_closure: files a configuration file refers to: (path, content) -> paths.
        config_overlay: (folder, configuration files by path that count there) -> files to add to the snapshot
            for that folder, where the project's configuration leaves open what wardround has a view on.
        fallback_config: reader of trusted files -> ``(name, content)`` placed above the snapshot: what counts
            for files that no configuration of the project covers.
        can_match: whether the tool can have anything to say about a text; a cheap look that spares a run,
            and true whenever in doubt.
        identity: what else its answers depend on, as text: its own rules, built-in options.
        returns_end_lines: whether it takes a carriage return alone for the end of a line.
        endings: by which it knows its files; one whose name ends otherwise it gets as a copy that ends in the
            first. Without any the name does not matter.
        project_files: names of the files it must see beside those it is given, to know what is first-party.
        timeout_s: seconds one run may take over ``files_in_time`` files or ``bytes_in_time`` bytes; as much
            longer over more.
        files_per_run: the most files of one run, where a change of more is to be split; each run sees all
            files of the change in the snapshot. None: as many as the scope allows.
        typical_s: seconds it takes over a file or two, measured beside the others: the slowest start first.
        distribution: the PyPI name it is installed by.
        version_options: what makes it print its version.
        probe: the defect it must report before anything it says counts; without one it is taken on trust.
        variables: environment variables it needs; it gets no others of the caller's.
    """

    name: str
    program: str
    command: Callable[[Invocation], Sequence[str]]
    parse: Callable[[bytes, Invocation], Sequence[RawFinding]]
    success_codes: frozenset[int]
    install: str
    profiles: frozenset[Profile] = frozenset(Profile)
    scope: ToolScope = ToolScope.FILE
    columns: Columns = Columns.CODE_POINTS
    returns_end_lines: bool = False
    endings: tuple[str, ...] = ()
    timeout_s: float = 10.0
    files_in_time: int = 100
    bytes_in_time: int = 1_000_000
    files_per_run: int | None = None
    typical_s: float = 0.03
    distribution: str | None = None
    version_options: tuple[str, ...] = ("--version",)
    probe: Probe | None = None
    config_names: tuple[str, ...] = ()
    config_code: tuple[str, ...] = ()
    runs_config: bool = False
    config_at_root: bool = False
    config_closure: Callable[[str, str], Sequence[str]] | None = None
    config_overlay: Callable[[str, Mapping[str, str]], Mapping[str, str]] | None = None
    fallback_config: Callable[[Callable[[str], str | None]], tuple[str, str]] | None = None
    can_match: Callable[[str], bool] | None = None
    identity: Callable[[], str] | None = None
    project_files: tuple[str, ...] = ()
    find: Callable[[Path], Path | None] | None = None
    optional: bool = False
    is_configured: Callable[[Callable[[str], str | None], Iterable[str]], bool] | None = None
    missing_notice: Callable[[Path], str] | None = None
    accepts: Callable[[str, str], bool] | None = None
    declines: Callable[[str, str], str] | None = None
    is_enabled: Callable[[Any, str, str], bool] | None = None
    opt_in: bool = False
    skipped_files: Callable[[bytes, Invocation], Mapping[str, str]] | None = None
    variables: Mapping[str, str] = msgspec.field(default_factory=dict)
    map_package: str = "wardround_rules"
