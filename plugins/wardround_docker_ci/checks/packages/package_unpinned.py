from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from wardround.findings import Severity
from wardround.languages.shell import Command, Word, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.commands import program

_GLOBAL = frozenset({"-g", "--global", "--location=global"})
_OF_NODE = {"npm": ("install", "i", "add"), "pnpm": ("add", "install", "i"), "bun": ("add", "install", "i")}
_WITH_VALUE = frozenset(
    {
        "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "--target", "--prefix",
        "--root", "--registry", "--cache", "--timeout", "--retries", "--trusted-host", "--source",
        "--platform", "-n", "--bindir", "--index", "--features", "--proxy", "--cert", "--python-version",
        "--jobs", "-j", "--install-dir", "--python", "--abi", "--implementation", "--only-binary",
        "--no-binary",
    }
)  # fmt: skip
_VERSION_OPTIONS = frozenset(
    {
        "-r", "--requirement", "-c", "--constraint", "-v", "--version", "-e", "--editable", "--path", "--git",
        "--no-index", "--require-hashes", "-U", "--upgrade",
    }
)  # fmt: skip
_BARE = LazyPattern(
    r"(?:@[\w.-]+/)?[A-Za-z](?:[\w-]|\.(?!whl$|t?gz$|tar|gem$|zip$))*(?:\[[\w,-]+\])?(?:@latest)?$"
)
_INSTALLERS = frozenset(
    {
        "pip", "setuptools", "wheel", "virtualenv", "npm", "yarn", "pnpm", "corepack", "bundler",
        "rubygems-update", "packaging",
    }
)  # fmt: skip
"""Installers of other packages, which are updated to the newest version deliberately."""
_NOT_SHIPPED = LazyPattern(
    r"(?:^|[/._-])(?:ci|dev|devcontainer|tests?|e2e|development|testing|examples?|benchmarks?|docs?|samples?)(?:[/._-]|$)"
)


class PackageUnpinned(CiCheck):
    """A package is installed into the image without a version.

    Two builds of the same commit then differ, and a broken or hijacked release gets into the image without
    a change here. Pin the version: `npm install -g pm2@5.4.2`, `pip install gunicorn==23.0.0`.
    """

    ID = "DC127"
    NAME = "package-unpinned"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "package-unpinned"
    KINDS = DOCKERFILE
    NEEDS = ("npm", "pnpm", "yarn", "bun", "pip", "gem", "cargo")
    VALID = [
        code("""
            FROM a:1
            RUN npm install -g pm2@5 && npm install -g npm@latest
        """),
        code("""
            FROM a:1
            RUN npm install && npm install left-pad && npm ci
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            RUN npm install -g «pm2» && npm cache clean --force
        """),
        code("""
            FROM a:1
            RUN npm i --global «@acme/cli@latest» b@1
        """),
    ]

    def run(self) -> None:
        if _NOT_SHIPPED.search(self.file.path):
            return
        for script in self.file.scripts:
            for command in script.commands:
                self._check(command)

    def _check(self, command: Command) -> None:
        unpinned = [word for word in _installed_packages(command) if _is_unpinned(word.text)]
        if unpinned:
            names = ", ".join(word.text for word in unpinned[:3])
            message = f"{names} is not pinned; name the version"
            self.report_at(unpinned[0].start, unpinned[-1].end, message)


def _is_unpinned(package: str) -> bool:
    if not _BARE.match(package):
        return False
    return re.split(r"[@\[]", package.lstrip("@"))[0] not in _INSTALLERS


def _installed_packages(command: Command) -> Iterator[Word]:
    """Yield the packages that a command installs by name; none if an option sets the versions."""
    name, words = _installer(command)
    texts = [word.text for word in words]
    verbs = _install_verbs(name, texts)
    positions = [number for number, text in enumerate(texts) if text in verbs]
    if not positions or _sets_versions(name, texts):
        return
    for before, word in pairwise(words[positions[0] :]):
        if not word.text.startswith("-") and before.text not in _WITH_VALUE:
            yield word


def _installer(command: Command) -> tuple[str, list[Word]]:
    """Return the program of a command with its arguments; pip for ``python -m pip``."""
    name, words = program(command), list(unwrap_command(command))
    if name.startswith("python") and [word.text for word in words[1:3]] == ["-m", "pip"]:
        return "pip", words[2:]
    return name, words


def _install_verbs(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the subcommands by which a command installs programs globally."""
    if name in _OF_NODE:
        return _OF_NODE[name] if _GLOBAL.intersection(texts) else ()
    if name == "yarn":
        return ("add",) if texts[1:3] == ["global", "add"] else ()
    return ("install",) if re.match(r"pip[\d.]*$|gem$|cargo$", name) else ()


def _sets_versions(name: str, texts: Sequence[str]) -> bool:
    others = {"-U", "--upgrade"} if name.startswith("pip") else {"-e", "-c", "-r"}
    return not (_VERSION_OPTIONS - others).isdisjoint(text.split("=")[0] for text in texts)
