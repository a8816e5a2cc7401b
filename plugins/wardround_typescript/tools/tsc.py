"""The project's own TypeScript compiler: location, command line and output."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from wardround.errors import ToolFailed, ToolOutputError
from wardround.findings import RawFinding
from wardround.languages import jsonc
from wardround.tools.parsing import collapse_whitespace, span_of
from wardround.tools.setting_texts import path_beside, texts_at
from wardround.tools.tool import Columns, Invocation, Probe, Profile, Tool, ToolScope
from wardround_typescript.generated_files import SCRIPTS, TYPED
from wardround_typescript.node_modules import missing, native_program, script
from wardround_typescript.tools.own_config import check_seals, sealed

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
"""The settings from which it takes files and folders to read."""
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


def _check_extended(run: Invocation, trusted: Iterable[str]) -> None:
    """Make sure that no configuration extends a package of the project that the change edits.

    Raises:
        ToolFailed: one does, and the change is not trusted.
    """
    untrusted = run.untrusted
    if untrusted is None or untrusted.with_settings:
        return
    worktree = os.path.realpath(untrusted.worktree)
    for path in trusted:
        packages = {_package(one) for one in extended_by((run.root / path).read_text("utf-8", "replace"))}
        for folder, name in itertools.product(PurePosixPath(path).parents, packages - {""}):
            found = os.path.relpath(os.path.realpath(run.root / folder / "node_modules" / name), worktree)
            touched = next((one for one in untrusted.paths if one.startswith(f"{found}/")), None)
            if touched is not None:
                raise ToolFailed(f"the change edits a file that tsc would read: {touched}")


def _package(extended: str) -> str:
    """Return the package of an extended configuration; None if it is named by a path."""
    parts = extended.split("/")
    return "" if extended.startswith((".", "/")) else "/".join(parts[: 2 if extended.startswith("@") else 1])


def _projects_of(root: Path, file: str) -> list[str]:
    """Return the nearest configuration above a file, with those that it references."""
    for folder in PurePosixPath(file).parents:
        for name in CONFIG_NAMES:
            path = str(folder / name)
            if (root / path).is_file():
                referred = _referred(path, (root / path).read_text("utf-8", "replace"))
                return [path, *(one for one in referred if (root / one).is_file())]
    return []


def config_closure(path: str, text: str) -> Sequence[str]:
    """Return the configurations that a configuration extends or references, relative to the root."""
    beside = [path_beside(path, one) for one in extended_by(text) if one.startswith(".")]
    return [one for target in beside if target for one in (target, f"{target}.json")] + _referred(path, text)


def extended_by(text: str) -> list[str]:
    extended = (jsonc.loads(text) or {}).get("extends", [])
    named = extended if isinstance(extended, list) else [extended]
    return [one for one in named if isinstance(one, str)]


def _referred(path: str, text: str) -> list[str]:
    references = (jsonc.loads(text) or {}).get("references")
    found = []
    for one in references if isinstance(references, list) else []:
        target = (
            path_beside(path, one["path"])
            if isinstance(one, dict) and isinstance(one.get("path"), str)
            else None
        )
        if target is not None:
            found.append(
                target if target.endswith(".json") else f"{target}/{CONFIG_NAMES[0]}".removeprefix("./")
            )
    return found


def config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Return only the seal that restricts the compiler to these configurations."""
    return (
        sealed("tsc", folder, configs)
        if any(f"{folder}/{n}".removeprefix("/") in configs for n in CONFIG_NAMES)
        else {}
    )


class Tsc(Tool):
    """The project's own TypeScript compiler."""

    name = "tsc"
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
        _check_extended(run, check_seals("tsc", run))
        projects = _projects(run)
        if not projects:
            return [str(run.program), "--version"]
        log = run.scratch / f"tsc-{run.root.name}.log"
        return ["/bin/sh", "-c", _EACH, str(run.program), str(log), *projects]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``tsc --pretty false --listFiles``; errors in other files are not part of this review.

        Raises:
            ToolOutputError: a project cannot be read, another file of it does not parse, or the output is
                incomplete, as of a program that did not run.
        """
        found = []
        listed = is_wrong = False
        left = 0
        for line in output.decode("utf-8", "replace").splitlines():
            if match := re.fullmatch(_RESULT, line):
                is_wrong = True
                path = os.path.normpath(match[1])
                if path in run.files:
                    found.append(
                        RawFinding(
                            match[4],
                            path,
                            span_of(int(match[2]), int(match[3])),
                            collapse_whitespace(match[5]),
                        )
                    )
                elif match[4] in _SYNTAX:
                    raise ToolOutputError(f"tsc checked no types, because {path} does not parse")
            elif re.fullmatch(_GLOBAL, line):
                raise ToolOutputError(f"tsc could not read the project: {collapse_whitespace(line)}")
            elif line.startswith(_LEFT):
                if is_wrong != (line != f"{_LEFT}0"):
                    raise ToolOutputError(
                        f"tsc {line.removeprefix('wardround: ')}, which is not what it printed"
                    )
                left, is_wrong = left + 1, False
            else:
                listed = listed or line.endswith(TYPED) or line.startswith("Version ")
        if not listed:
            raise ToolOutputError("tsc listed none of the requested files")
        if left < len(_projects(run)):
            raise ToolOutputError("tsc did not run to its end")
        return list(dict.fromkeys(found))

    def skipped_files(self, stderr: bytes, run: Invocation) -> Mapping[str, str]:
        """Return the files that no project includes, although there is one: this tool does not check them."""
        lines = stderr.decode("utf-8", "replace").splitlines()
        seen = {os.path.normpath(match[1]) for line in lines if (match := re.fullmatch(_RESULT, line))}
        listed = {os.path.realpath(line) for line in lines if line.endswith(TYPED)} if lines else set()
        return {
            file: ""
            for file in run.files
            if listed
            and file not in seen
            and os.path.realpath(run.root / file) not in listed
            and _projects_of(run.root, file)
        }

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


TSC = Tsc()
