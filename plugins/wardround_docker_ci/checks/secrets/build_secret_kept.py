"""DC114: build secret left in the image."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.dockerfile import Instruction
from wardround.languages.shell import Command, Word, commands
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.commands import program

_MOUNT = LazyPattern(r"--mount=\S*\btype=secret\b\S*")
_OPTION = LazyPattern(r"\b(id|target|dst|destination|env)=([^\s,\"']+)")
_COPIES = frozenset({"cp", "install", "mv", "ln"})
_KEEPING = LazyPattern(
    r"^(?:git config\b.*(?:insteadof|extraheader|credential)|(?:npm|pnpm|yarn) config set\b"
    r"|pip3? config set\b"
    r"|poetry config\b|composer config\b|bundle config\b|gem sources\b|go env -w\b|aws configure set\b"
    r"|dotnet nuget (?:add|update) source\b|nuget sources\b|conda config\b|uv auth login\b|docker login\b)",
    re.IGNORECASE,
)
"""Commands that write their arguments into a file of the image."""
_GONE_LATER = LazyPattern(r"^(?:/run/|/dev/shm/|/dev/null|/tmp/\.?mount|\$\{?GITHUB_)")
_UNDONE = {
    "git": "unset",
    "npm": "delete",
    "pnpm": "delete",
    "yarn": "unset",
    "pip": "unset",
    "docker": "logout",
}


_WRITTEN_TO = {
    "git": (".gitconfig", ".git-credentials"),
    "npm": (".npmrc",),
    "pnpm": (".npmrc", "rc"),
    "yarn": (".yarnrc", ".yarnrc.yml", ".npmrc"),
    "pip": ("pip.conf", ".pip", "pip"),
    "pip3": ("pip.conf", ".pip", "pip"),
    "poetry": ("auth.toml", "pypoetry"),
    "composer": ("auth.json", ".composer", "composer"),
    "bundle": (".bundle", "config"),
    "gem": (".gemrc",),
    "aws": (".aws", "credentials"),
    "docker": (".docker", "config.json"),
    "dotnet": ("NuGet.Config", "nuget.config", "NuGet"),
    "nuget": ("NuGet.Config", "nuget.config"),
    "conda": (".condarc",),
    "go": ("env",),
}
"""The configuration file of a program, or its directory."""


class BuildSecretKept(CiCheck):
    """A secret mounted for one step is written to a file that stays in the image.

    The mount exists only during the step, but its copy stays: anyone who pulls the image can read it in
    this layer, and a later RUN cannot remove it. Mount it where the program expects it
    (`--mount=type=secret,id=...,target=/root/.netrc`), or remove the copy in the same RUN.
    """

    ID = "DC114"
    NAME = "build-secret-kept"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-image"
    KINDS = DOCKERFILE
    NEEDS = ("type=secret",)
    VALID = [
        code("""
            FROM a:1
            RUN --mount=type=secret,id=n,target=/root/.npmrc npm ci
        """),
        code("""
            FROM a:1
            RUN --mount=type=secret,id=n cp /run/secrets/n /root/.npmrc && npm ci && rm -f /root/.npmrc
        """),
    ]
    INVALID = [
        code(r"""
            FROM a:1
            RUN --mount=type=secret,id=n \
                «install -m 600 /run/secrets/n /root/.netrc» && make
        """),
        code("""
            FROM a:1
            RUN --mount=type=secret,id=n,target=/n «npm config set //r/:_authToken $(cat /n)»
        """),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            if one.keyword == "RUN":
                shown = _shown_as(one)
                if shown:
                    self._check(one, shown)

    def _check(self, one: Instruction, shown: Sequence[str]) -> None:
        passages = one.heredocs if one.runs_document else (one.body,)
        found = [command for passage in passages for command in commands(passage)]
        holders = list(shown)
        for command in found:
            if command.depth:
                continue
            holders += _assigned(command.assignments, holders)
            if command.name == "export":
                holders += _assigned(command.words[1:], holders)
            target = _destination(command, holders)
            if target and not _is_gone(target, command, found) and not _is_elsewhere(one, target):
                message = "the mounted secret stays in this layer; remove it in the same RUN"
                self.report_at(command.start, command.end, message)
                return


def _shown_as(one: Instruction) -> list[str]:
    """Return the paths and variables under which the step can read its secrets."""
    shown = []
    for found in _MOUNT.finditer(" ".join(f"--{name}={value.text}" for name, value in one.flags)):
        options = dict(_OPTION.findall(found.group()))
        path = options.get("target") or options.get("dst") or options.get("destination")
        if "env" in options:
            shown.append(f"${options['env']}")
        else:
            shown.append(
                path if path and path.startswith("/") else f"/run/secrets/{path or options.get('id', '')}"
            )
    return shown


def _holds(text: str, holders: Sequence[str]) -> bool:
    plain = text.replace("${", "$")
    return any(re.search(re.escape(holder) + r"(?![\w.-])", plain) is not None for holder in holders)


def _assigned(words: Sequence[Word], holders: Sequence[str]) -> list[str]:
    """Return the variables that assignments set to a secret."""
    return [f"${word.text.partition('=')[0]}" for word in words if _holds(word.raw, holders)]


def _destination(command: Command, holders: Sequence[str]) -> str:
    """Return the file or the program whose configuration a command writes the secret to."""
    words = [word for word in command.words if _holds(word.raw, holders)]
    if not words:
        return ""
    if program(command) in _COPIES and words[-1] is not command.words[-1]:
        return command.words[-1].text if program(command) != "ln" else ""
    if _KEEPING.search(" ".join(command.texts)):
        return program(command)
    return _redirected(command) if command.name in _PRINTING else ""


def _redirected(command: Command) -> str:
    """Return the file that receives the output of a command; empty if none."""
    files = (one.target for one in command.redirects if one.sign.endswith((">", ">|")) and one.sign != ">&")
    return next(files, "")


_PRINTING = ("echo", "printf", "cat", "sed", "envsubst", "base64", "jq", "tee")


def _is_gone(target: str, command: Command, found: Sequence[Command]) -> bool:
    later = [one for one in found if one.start > command.start]
    if _GONE_LATER.search(target) or any(_same(path, target) for path in _removed(later, _REMOVERS)):
        return True
    files = _WRITTEN_TO.get(target, ())
    if any(path.rstrip("/*").rpartition("/")[2] in files for path in _removed(later, ("rm", "shred"))):
        return True
    undo = _UNDONE.get(target)
    calls = [one for one in later if program(one) == target]
    return undo is not None and any(undo in text for one in calls for text in one.texts)


def _removed(later: Sequence[Command], removers: Sequence[str]) -> Iterator[str]:
    """Yield the arguments of the commands that remove files."""
    return (word.text for one in later if program(one) in removers for word in one.words[1:])


_REMOVERS = ("rm", "shred", "unlink")


def _same(removed: str, target: str) -> bool:
    """Return True if a removed path is the target, or a directory or pattern that contains it."""
    removed, target = (re.sub(r"^(?:~|/root|\$\{?HOME\}?)/", "~/", text) for text in (removed, target))
    plain = removed.rstrip("*/")
    return bool(plain) and (
        target == plain or target.startswith((plain, plain + "/")) or target.endswith("/" + plain)
    )


def _is_elsewhere(one: Instruction, target: str) -> bool:
    """Return True if another mount of the step contains the file, which keeps it out of the layer."""
    mounts = [value.text for name, value in one.flags if name == "mount" and "type=secret" not in value.text]
    folders = [
        m.group(1) for text in mounts if (m := re.search(r"(?:target|dst|destination)=([^,\s]+)", text))
    ]
    return any(target.replace("~", "/root").startswith(folder) for folder in folders)
