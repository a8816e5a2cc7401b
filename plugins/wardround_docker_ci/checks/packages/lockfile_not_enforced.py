from __future__ import annotations

import re
from functools import cached_property

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, GITLAB, STEPS, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_LOCKED = {
    "npm": LazyPattern(
        r"package-lock\.json|npm-shrinkwrap|package\*\.json|\bnpm ci\b|cache:[ \t]*['\"]?npm\b"
    ),
    "yarn": LazyPattern(r"yarn\.lock|cache:[ \t]*['\"]?yarn\b|--frozen-lockfile|--immutable"),
}
_MODERN = LazyPattern(
    r"\.yarn(?:/|rc\.yml)|enableGlobalCache|yarn set version (?:berry|stable|[2-9])"
    r"|\byarn@(?:[2-9]|berry|stable)"
)
_OTHER_USE = frozenset(
    {"--package-lock-only", "--no-save", "-g", "--global", "--location=global", "--no-package-lock"}
)


class LockfileNotEnforced(CiCheck):
    """Packages are installed without enforcing the lock file.

    `npm install` installs newer versions if the lock file does not match `package.json`, and rewrites it,
    so the build differs from the tested one. `npm ci` and `yarn install --frozen-lockfile` fail instead.
    Yarn since version 2 does so by itself on CI, and needs `--immutable` elsewhere.
    """

    ID = "DC219"
    NAME = "lockfile-not-enforced"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "npm-unpinned"
    KINDS = DOCKERFILE | STEPS | GITLAB
    NEEDS = ("npm i", "yarn")
    VALID = [
        code("""
            FROM a:1
            COPY package*.json ./
            RUN npm ci
        """),
        code("""
            FROM a:1
            COPY package.json ./
            RUN npm install
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            COPY package*.json ./
            RUN «npm install --omit=dev»
        """),
        code("""
            FROM a:1
            COPY package.json yarn.lock ./
            RUN «yarn» && yarn build
        """),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                tool = _installs(command)
                if tool and _LOCKED[tool].search(self._mentions) and not self._writes_it():
                    self._report(tool, command)

    def _report(self, tool: str, command: Command) -> None:
        """Report a command; Yarn since version 2 enforces the lock file wherever ``CI`` is set."""
        held = "npm ci"
        if tool == "yarn":
            if self._is_modern_yarn and self.file.kind is not FileKind.DOCKERFILE:
                return
            held = f"yarn install {'--immutable' if self._is_modern_yarn else '--frozen-lockfile'}"
        self.report_at(command.start, command.end, f"the lock file is not enforced; use {held}")

    @cached_property
    def _is_modern_yarn(self) -> bool:
        """Return True if the project uses Yarn 2 or later: by its settings, or by the file itself."""
        folder, slash, _ = self.source.path.rpartition("/")
        read = self.source.project.read
        if read(".yarnrc.yml") is not None or (slash and read(f"{folder}/.yarnrc.yml") is not None):
            return True
        manifest = read("package.json") or ""
        return _MODERN.search(f"{self.source.text}\n{manifest}") is not None

    @cached_property
    def _mentions(self) -> str:
        """The text that may mention a lock file."""
        if self.file.kind is not FileKind.DOCKERFILE:
            return self.file.text
        copied = (
            instruction.text
            for instruction in self.file.dockerfile.instructions
            if instruction.keyword in ("COPY", "ADD")
        )
        return "\n".join(copied)

    def _writes_it(self) -> bool:
        """Return True if a workflow exists to update the lock file."""
        changes = r"git (?:commit|push)|create-pull-request|git-auto-commit"
        return self.file.kind is not FileKind.DOCKERFILE and re.search(changes, self.file.text) is not None


def _installs(command: Command) -> str:
    """Return the tool if a command installs exactly the dependencies of the project."""
    texts = [word.text for word in unwrap_command(command)]
    if not texts:
        return ""
    tool, arguments = texts[0], texts[1:]
    if tool not in _LOCKED or _OTHER_USE.intersection(arguments):
        return ""
    plain = [argument for argument in arguments if not argument.startswith("-")]
    if plain not in _INSTALLING.get(tool, (["install"], [])):
        return ""
    return "" if _is_enforced(tool, arguments) else tool


def _is_enforced(tool: str, arguments: list[str]) -> bool:
    """Return True if an option makes a tool fail when the lock file is out of date; npm has no such
    option.
    """
    return tool != "npm" and any(argument.startswith(_ENFORCING) for argument in arguments)


_INSTALLING = {"npm": (["install"], ["i"])}
"""Arguments that install all dependencies, where they differ from those of other tools."""


_ENFORCING = ("--frozen-lockfile", "--immutable", "--mode", "--version", "-v")
