from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.languages.dockerfile import Instruction, KeyValuePair, Stage
from wardround.languages.shell import Command, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.commands import program


class CacheBustingOrder(CiCheck):
    """All files are copied before the dependencies are installed, so every edit installs them again.

    A layer is rebuilt when anything before it changes. Copy the lock file and the manifest first, install,
    and copy the rest after that.
    """

    ID = "DC014"
    NAME = "cache-busting-order"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE
    NEEDS = ("COPY", "ADD", "copy", "add")
    VALID = [
        code("""
            FROM node:22
            COPY package*.json ./
            RUN npm ci
            COPY . .
            RUN npm run build
        """),
        code("""
            FROM python:3
            COPY . .
            RUN pip install .
        """),
    ]
    INVALID = [
        code("""
            FROM mcr/dotnet:8
            COPY NuGet.config ./
            «COPY src/ src/»
            RUN dotnet restore src/A.csproj
        """),
        code("""
            FROM node:22
            COPY package.json ./
            «COPY ./src ./src»
            RUN npm ci
        """),
    ]

    def run(self) -> None:
        by_instruction = {id(script.owner): script.commands for script in self.file.scripts}
        for stage in self.file.dockerfile.stages:
            self._check(stage, by_instruction)

    def _check(self, stage: Stage, by_instruction: dict[int, list[Command]]) -> None:
        order = _Order()
        for instruction in stage.instructions:
            commands = by_instruction.get(id(instruction), ())
            installs = [command for command in commands if _installs_manifest(command)]
            if installs:
                if not _has_cache_mount(instruction):
                    self._report(order, installs)
                return
            order.add(instruction)

    def _report(self, order: _Order, installs: Sequence[Command]) -> None:
        install = " ".join(installs[0].texts[:3])
        copied = order.copied
        if copied is None and any(map(_needs_no_sources, installs)):
            copied = order.sources
        if copied is not None:
            message = f"every edit runs {install} again; copy the lock file first"
            self.report_at(copied.start, copied.end, message)
        elif order.changing is not None:
            name = order.changing.name
            message = f"{name.text} differs in every build, so {install} is never cached; move the ARG down"
            self.report_at(name.start, name.end, message)


class _Order:
    """The instructions of a stage before the installation that decide about its cache.

    Attributes:
        copied: the first copy of all files.
        sources: the first copy of a directory of sources.
        changing: the first ARG that changes with every build; it is part of the cache key of each later RUN.
    """

    def __init__(self) -> None:
        self.copied: Instruction | None = None
        self.sources: Instruction | None = None
        self.changing: KeyValuePair | None = None

    def add(self, instruction: Instruction) -> None:
        match instruction.keyword:
            case "ARG":
                self._add_argument(instruction)
            case "COPY" | "ADD" if _is_everything(instruction):
                self.copied = self.copied or instruction
            case "COPY" | "ADD" if _is_sources(instruction):
                self.sources = self.sources or instruction

    def _add_argument(self, instruction: Instruction) -> None:
        for pair in instruction.pairs:
            if self.changing is None and _CHANGES.search(pair.name.text):
                self.changing = pair


def _has_cache_mount(instruction: Instruction) -> bool:
    return any(name == "mount" and "type=cache" in value.text for name, value in instruction.flags)


_CHANGES = LazyPattern(
    r"(?:^|_)(?:(?:GIT|COMMIT|VCS|BUILD|SOURCE)_?(?:SHA|REF|HASH|COMMIT|REV|REVISION|DATE|TIME|TIMESTAMP|NUMBER|ID)"
    r"|COMMIT|REVISION|CACHE_?BUST(?:ER)?|SHA)$",
    re.IGNORECASE,
)


_SOURCES = LazyPattern(r"(?:\./)?(?:src|app|lib|source|sources|cmd|internal|pkg)/?\*{0,2}$")


def _is_everything(instruction: Instruction) -> bool:
    words = [word.text for word in instruction.words]
    if instruction.flag("from") is not None or len(words) < 2:
        return False
    return not {".", "./", "*"}.isdisjoint(words[:-1])


def _is_sources(instruction: Instruction) -> bool:
    """Return True if a directory of sources is copied, by its usual name."""
    if instruction.flag("from") is not None:
        return False
    return any(_SOURCES.match(word.text) for word in instruction.words[:-1])


def _needs_no_sources(command: Command) -> bool:
    """Return True if an installation needs only the project's manifests, which can be copied alone."""
    return program(command) in ("npm", "go", "pip", "pip3", "bundle", "composer", "mvn", "cargo", "dotnet")


def _installs_manifest(command: Command) -> bool:
    """Return True if a command installs the dependencies in a manifest and nothing of the sources."""
    name = program(command)
    texts = [word.text for word in unwrap_command(command)]
    if {"--offline", "--prefer-offline"}.intersection(texts):
        return False
    rest = [text for text in texts[1:] if not text.startswith("-")]
    subcommands = _SUBCOMMANDS.get(name)
    if subcommands is not None:
        return rest[: len(subcommands)] == subcommands
    if re.match(r"pip[\d.]*$", name):
        return "install" in rest and not {"-r", "--requirement"}.isdisjoint(texts)
    if name == "mvn":
        return any(text.endswith("dependency:go-offline") for text in rest)
    return _installs_packages_of_node(name, texts, rest)


def _installs_packages_of_node(name: str, texts: Sequence[str], rest: Sequence[str]) -> bool:
    if name == "npm":
        return rest in (["ci"], ["install"], ["i"]) and "-g" not in texts
    if name == "yarn" and len(texts) == 1:
        return True
    return name in ("yarn", "pnpm", "bun") and rest == ["install"]


_SUBCOMMANDS = {
    "dotnet": ["restore"],
    "cargo": ["fetch"],
    "go": ["mod", "download"],
    "bundle": ["install"],
    "composer": ["install"],
}
