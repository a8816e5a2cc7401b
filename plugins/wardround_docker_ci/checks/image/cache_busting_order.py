"""DC014."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.dockerfile import Instruction, KeyValuePair, Stage
from wardround.languages.shell import Command, unwrapped
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
        copied: Instruction | None = None
        sources: Instruction | None = None
        changing: KeyValuePair | None = None
        for one in stage.instructions:
            installs = [c for c in by_instruction.get(id(one), ()) if _installs_listed(c)]
            if sources is not None and copied is None and any(map(_needs_no_sources, installs)):
                copied = sources
            if one.keyword in ("COPY", "ADD") and _is_everything(one):
                copied = copied or one
            elif one.keyword in ("COPY", "ADD") and _is_sources(one):
                sources = sources or one
            elif one.keyword == "ARG":
                changing = changing or next((p for p in one.pairs if _CHANGES.search(p.name.text)), None)
            elif installs and copied is None and changing is not None:
                self._report_argument(changing, installs[0], one)
                return
            elif installs and copied is None:
                return
            elif installs and copied is not None:
                cached = any(name == "mount" and "type=cache" in value.text for name, value in one.flags)
                if not cached:
                    self.report_at(
                        copied.start, copied.end,
                        f"every edit runs {' '.join(installs[0].texts[:3])} again; copy the lock file first",
                    )  # fmt: skip
                return

    def _report_argument(self, changing: KeyValuePair, install: Command, one: Instruction) -> None:
        """Report an argument that changes with every build; it is part of the cache key of each later RUN."""
        if not any(name == "mount" and "type=cache" in value.text for name, value in one.flags):
            name = changing.name
            installs = " ".join(install.texts[:3])
            message = f"{name.text} differs in every build, so {installs} is never cached; move the ARG down"
            self.report_at(name.start, name.end, message)


_CHANGES = LazyPattern(
    r"(?:^|_)(?:(?:GIT|COMMIT|VCS|BUILD|SOURCE)_?(?:SHA|REF|HASH|COMMIT|REV|REVISION|DATE|TIME|TIMESTAMP|NUMBER|ID)"
    r"|COMMIT|REVISION|CACHE_?BUST(?:ER)?|SHA)$",
    re.IGNORECASE,
)


_SOURCES = LazyPattern(r"(?:\./)?(?:src|app|lib|source|sources|cmd|internal|pkg)/?\*{0,2}$")


def _is_everything(one: Instruction) -> bool:
    words = [word.text for word in one.words]
    return (
        one.flag("from") is None and len(words) >= 2 and any(text in (".", "./", "*") for text in words[:-1])
    )


def _is_sources(one: Instruction) -> bool:
    """Return True if a directory of sources is copied, by its usual name."""
    words = [word.text for word in one.words]
    return one.flag("from") is None and any(_SOURCES.match(text) for text in words[:-1])


def _needs_no_sources(command: Command) -> bool:
    """Return True if an installation needs only the project's manifests, which can be copied alone."""
    return program(command) in ("npm", "go", "pip", "pip3", "bundle", "composer", "mvn", "cargo", "dotnet")


def _installs_listed(command: Command) -> bool:
    """Return True if a command installs the dependencies in a manifest and nothing of the sources."""
    name = program(command)
    texts = [word.text for word in unwrapped(command)]
    if {"--offline", "--prefer-offline"}.intersection(texts):
        return False
    rest = [text for text in texts[1:] if not text.startswith("-")]
    if name == "npm":
        return rest in (["ci"], ["install"], ["i"]) and "-g" not in texts
    if name in ("yarn", "pnpm", "bun"):
        return rest == ["install"] or (name == "yarn" and not rest and len(texts) == 1)
    if re.match(r"pip[\d.]*$", name):
        return "install" in rest and any(text in ("-r", "--requirement") for text in texts)
    if name == "dotnet":
        return rest[:1] == ["restore"]
    if name == "cargo":
        return rest[:1] == ["fetch"]
    if name == "go":
        return rest[:2] == ["mod", "download"]
    return (name in ("bundle", "composer") and rest[:1] == ["install"]) or (
        name == "mvn" and any(text.endswith("dependency:go-offline") for text in rest)
    )
