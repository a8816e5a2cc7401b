"""The project's own TypeScript compiler: location, command line and output."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from wardround.errors import ToolFailed, ToolOutputError
from wardround.findings import Plane, RawFinding
from wardround.languages import jsonc
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import collapse_whitespace, span_of
from wardround.tools.setting_texts import resolve_sibling, texts_at
from wardround.tools.tool import Columns, Invocation, Probe, Profile, Tool, ToolScope
from wardround_typescript.generated_files import SCRIPTS, TYPED
from wardround_typescript.node_modules import missing, native_program, script
from wardround_typescript.specialist import SCRIPT_COMMENT
from wardround_typescript.tools.own_config import add_seal, check_seals

CONFIG_NAMES = ("tsconfig.json", "jsconfig.json")
PROJECT_FILES = (*(f"*{suffix}" for suffix in SCRIPTS), "*.json")
"""Files that a compiler needs besides those under review: imported modules and settings."""
_RESULT = r"(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)"
_SYNTAX = frozenset(
    f"TS{number}"
    for number in (
        1002, 1003, 1005, 1009, 1010, 1109, 1110, 1127, 1128, 1131, 1134, 1135, 1136, 1137, 1138, 1160, 1161,
        17002, 17008,
    )
)  # fmt: skip
"""Errors of the parser; with one of them in any file, tsc checks no types in the others."""
_PATHS = (
    "extends", "files", "include", "references.*.path", "compilerOptions.baseUrl", "compilerOptions.paths.*",
    "compilerOptions.rootDirs", "compilerOptions.typeRoots", "compilerOptions.types",
)  # fmt: skip
"""The settings that list its files and folders."""
_OWN_FOLDER = "${configDir}"
_GLOBAL = r"error TS\d+: .*"
_EACH = (
    'log=$1; shift; for p do "$0" --noEmit --pretty false --listFiles -p "$p" >"$log"; s=$?; cat "$log"; '
    '[ $s -le 2 ] || exit $s; cat "$log" >&2; echo "wardround: left with $s"; done; exit 0'
)
"""Compile one project after the other: a status above 2 is a failure, and every project prints its files.

The output is copied to standard error too, from which the unchecked files are read.
"""
_LEFT = "wardround: left with "


def is_configured(read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
    """Return True if the project has a configuration at its root, or in a folder above one of its files."""
    folders = dict.fromkeys(
        str(folder) for path in ("root", *paths) for folder in PurePosixPath(path).parents
    )
    names = (f"{folder}/{name}".removeprefix("./") for folder in folders for name in CONFIG_NAMES)
    return any(read(name) is not None for name in names)


def _projects(run: Invocation) -> list[str]:
    return sorted({project for file in run.files for project in _projects_of(run.root, file)})


def _require_trusted_bases(run: Invocation, trusted: Iterable[str]) -> None:
    """Make sure that no configuration extends a package of the project that the change edits.

    Raises:
        ToolFailed: one does, and the change is not trusted.
    """
    untrusted = run.untrusted
    if untrusted is None or untrusted.with_settings:
        return
    worktree = os.path.realpath(untrusted.worktree)
    for path in trusted:
        for package in _extended_packages(run.root, path):
            found = os.path.relpath(os.path.realpath(package), worktree)
            touched = next((edited for edited in untrusted.paths if edited.startswith(f"{found}/")), None)
            if touched is not None:
                raise ToolFailed(f"the change edits a file that tsc would read: {touched}")


def _extended_packages(root: Path, path: str) -> Iterator[Path]:
    """Yield the folders in which a package that a configuration extends may be installed."""
    names = {_package(name) for name in extended_by((root / path).read_text("utf-8", "replace"))}
    for folder, name in itertools.product(PurePosixPath(path).parents, names - {""}):
        yield root / folder / "node_modules" / name


def _package(extended: str) -> str:
    """Return the package of an extended configuration; empty if it is named by a path."""
    if extended.startswith((".", "/")):
        return ""
    return "/".join(extended.split("/")[: 2 if extended.startswith("@") else 1])


def _projects_of(root: Path, file: str) -> list[str]:
    """Return the nearest configuration above a file, with those that it references."""
    candidates = (str(folder / name) for folder in PurePosixPath(file).parents for name in CONFIG_NAMES)
    path = next((path for path in candidates if (root / path).is_file()), None)
    if path is None:
        return []
    referred = _referred_projects(path, (root / path).read_text("utf-8", "replace"))
    return [path, *(project for project in referred if (root / project).is_file())]


def config_closure(path: str, text: str) -> Sequence[str]:
    """Return the configurations that a configuration extends or references, relative to the root."""
    found: list[str] = []
    for name in extended_by(text):
        target = resolve_sibling(path, name) if name.startswith(".") else None
        if target:
            found += [target, f"{target}.json"]
    return found + _referred_projects(path, text)


def extended_by(text: str) -> list[str]:
    extended = (jsonc.loads(text) or {}).get("extends", [])
    names = extended if isinstance(extended, list) else [extended]
    return [name for name in names if isinstance(name, str)]


def _referred_projects(path: str, text: str) -> list[str]:
    """Return the configurations that a configuration references, relative to the root."""
    references = (jsonc.loads(text) or {}).get("references")
    found = []
    for reference in references if isinstance(references, list) else []:
        referred = reference.get("path") if isinstance(reference, dict) else None
        target = resolve_sibling(path, referred) if isinstance(referred, str) else None
        if target is not None:
            found.append(_config_at(target))
    return found


def _config_at(target: str) -> str:
    """Return the configuration that a reference to a file or a folder means."""
    return target if target.endswith(".json") else f"{target}/{CONFIG_NAMES[0]}".removeprefix("./")


def config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Return only the seal that restricts the compiler to these configurations."""
    own = (f"{folder}/{name}".removeprefix("/") for name in CONFIG_NAMES)
    return add_seal("tsc", folder, configs) if any(path in configs for path in own) else {}


class _OutputReader:
    """Reads the output of the compiler line by line, one project after the other."""

    def __init__(self, run: Invocation) -> None:
        self._run = run
        self._has_errors = False
        self._lists_files = False
        self._projects_left = 0
        self._findings: list[RawFinding] = []

    def read(self, line: str) -> None:
        result = re.fullmatch(_RESULT, line)
        if result:
            self._read_result(result)
        elif re.fullmatch(_GLOBAL, line):
            raise ToolOutputError(f"tsc could not read the project: {collapse_whitespace(line)}")
        elif line.startswith(_LEFT):
            self._leave_project(line)
        elif line.endswith(TYPED) or line.startswith("Version "):
            self._lists_files = True

    def _read_result(self, result: re.Match[str]) -> None:
        self._has_errors = True
        path = os.path.normpath(result[1])
        if path in self._run.files:
            span = span_of(int(result[2]), int(result[3]))
            self._findings.append(RawFinding(result[4], path, span, collapse_whitespace(result[5])))
        elif result[4] in _SYNTAX:
            raise ToolOutputError(f"tsc checked no types, because {path} does not parse")

    def _leave_project(self, line: str) -> None:
        if self._has_errors != (line != f"{_LEFT}0"):
            raise ToolOutputError(f"tsc {line.removeprefix('wardround: ')}, which is not what it printed")
        self._projects_left += 1
        self._has_errors = False

    def findings(self) -> list[RawFinding]:
        """Return the findings after the last line."""
        if not self._lists_files:
            raise ToolOutputError("tsc listed none of the requested files")
        if self._projects_left < len(_projects(self._run)):
            raise ToolOutputError("tsc did not run to its end")
        return list(dict.fromkeys(self._findings))


class Tsc(Tool):
    """The project's own TypeScript compiler."""

    name = "tsc"
    planes = frozenset({Plane.CONTRACT, Plane.SEMANTIC})
    ignore_comments = (
        IgnoreComment(
            r"@ts-(?:ignore|nocheck|expect-error)\b",
            ("@ts-",),
            ((SCRIPT_COMMENT, r"(@ts-(?:ignore|nocheck|expect-error)\b)"),),
            region=r"@ts-nocheck",
        ),
    )
    probe = Probe(
        "probe.ts",
        'export const number: number = "text";\n',
        "TS2322",
        settings={CONFIG_NAMES[0]: '{"compilerOptions": {"types": []}, "files": ["probe.ts"]}\n'},
    )
    program = "tsc"
    success_codes = frozenset({0, 1, 2})
    typical_s = 3.0
    install = "npm install --save-dev typescript"
    profiles = frozenset({Profile.CI})
    scope = ToolScope.PROJECT
    columns = Columns.UTF16
    timeout_s = 300.0
    optional = True
    config_names = CONFIG_NAMES
    runs_config = True
    project_files = PROJECT_FILES
    expected_error = r"@ts-expect-error\b"

    def command(self, run: Invocation) -> Sequence[str]:
        _require_trusted_bases(run, check_seals("tsc", run))
        projects = _projects(run)
        if not projects:
            return [str(run.program), "--version"]
        log = run.scratch / f"tsc-{run.root.name}.log"
        return ["/bin/sh", "-c", _EACH, str(run.program), str(log), *projects]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Parse ``tsc --pretty false --listFiles``; errors in other files are not part of this review.

        Raises:
            ToolOutputError: a project cannot be read, a file outside of the review does not parse, or the
                output is incomplete, for example because tsc did not start.
        """
        reader = _OutputReader(run)
        for line in output.decode("utf-8", "replace").splitlines():
            reader.read(line)
        return reader.findings()

    def skipped_files(self, stderr: bytes, run: Invocation) -> Mapping[str, str]:
        """Return the files that no project includes, although there is one: this tool does not check them."""
        lines = stderr.decode("utf-8", "replace").splitlines()
        listed = {os.path.realpath(line) for line in lines if line.endswith(TYPED)}
        if not listed:
            return {}
        seen = set(_files_with_results(lines))
        others = [file for file in run.files if file not in seen]
        return {file: "" for file in others if _is_unlisted(run.root, file, listed)}

    def find(self, root: Path) -> Path | None:
        """Return the compiler that the project has installed."""
        return native_program(root, "typescript", "@typescript", "typescript-", "lib/tsc") or script(
            root, "typescript", "bin/tsc"
        )

    def is_configured(self, read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
        return is_configured(read, paths)

    def missing_notice(self, root: Path) -> str:
        """Return the reason why a configured tsc is not run."""
        return missing(root, "tsc", "typescript")

    def accepts(self, path: str, text: str) -> bool:
        return path.endswith(TYPED)

    def config_closure(self, path: str, text: str) -> Sequence[str]:
        return config_closure(path, text)

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        """Return the paths in a configuration; ``${configDir}`` is its folder.

        Raises:
            ToolFailed: it is not valid; tsc reads the rest of such a file.
        """
        document = jsonc.loads(text)
        if document is None and jsonc.has_content(text):
            raise ToolFailed(f"{path} is not valid JSON with comments; correct it")
        return [name.replace(_OWN_FOLDER, ".", 1) for name in texts_at(document, *_PATHS)]

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        return config_overlay(folder, configs)


def _files_with_results(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        match = re.fullmatch(_RESULT, line)
        if match:
            yield os.path.normpath(match[1])


def _is_unlisted(root: Path, file: str, listed: set[str]) -> bool:
    """Return True for a file that its projects do not list."""
    return os.path.realpath(root / file) not in listed and bool(_projects_of(root, file))


TSC = Tsc()
