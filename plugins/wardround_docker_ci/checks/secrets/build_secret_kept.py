from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.findings import Plane
from wardround.languages.dockerfile import Instruction
from wardround.languages.shell import Command, Word, commands
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
        for instruction in self.file.dockerfile.instructions:
            if instruction.keyword == "RUN":
                shown = _shown_as(instruction)
                if shown:
                    self._check(instruction, shown)

    def _check(self, item: Instruction, shown: Sequence[str]) -> None:
        passages = item.heredocs if item.runs_document else (item.body,)
        found = [command for passage in passages for command in commands(passage)]
        holders = list(shown)
        for command in found:
            if command.depth:
                continue
            holders += _assigned_variables(command.assignments, holders)
            if command.name == "export":
                holders += _assigned_variables(command.words[1:], holders)
            target = _destination(command, holders)
            if target and not _is_removed_later(target, command, found) and not _is_elsewhere(item, target):
                message = "the mounted secret stays in this layer; remove it in the same RUN"
                self.report_at(command.start, command.end, message)
                return


def _shown_as(item: Instruction) -> list[str]:
    """Return the paths and variables under which the step can read its secrets."""
    shown = []
    for found in _MOUNT.finditer(" ".join(f"--{name}={value.text}" for name, value in item.flags)):
        options = dict(_OPTION.findall(found.group()))
        path = options.get("target") or options.get("dst") or options.get("destination")
        if "env" in options:
            shown.append(f"${options['env']}")
        else:
            shown.append(
                path if path and path.startswith("/") else f"/run/secrets/{path or options.get('id', '')}"
            )
    return shown


def _contains_holder(text: str, holders: Sequence[str]) -> bool:
    plain = text.replace("${", "$")
    return any(re.search(re.escape(holder) + r"(?![\w.-])", plain) is not None for holder in holders)


def _assigned_variables(words: Sequence[Word], holders: Sequence[str]) -> list[str]:
    """Return the variables that assignments set to a secret."""
    return [f"${word.text.partition('=')[0]}" for word in words if _contains_holder(word.raw, holders)]


def _destination(command: Command, holders: Sequence[str]) -> str:
    """Return the file or the program whose configuration a command writes the secret to."""
    words = [word for word in command.words if _contains_holder(word.raw, holders)]
    if not words:
        return ""
    name, last = program(command), command.words[-1]
    if name in _COPIES and words[-1] is not last:
        return last.text if name != "ln" else ""
    if _KEEPING.search(" ".join(command.texts)):
        return name
    return _redirect_target(command) if command.name in _PRINTING else ""


def _redirect_target(command: Command) -> str:
    """Return the file that receives the output of a command; empty if none."""
    files = (
        redirect.target
        for redirect in command.redirects
        if redirect.sign.endswith((">", ">|")) and redirect.sign != ">&"
    )
    return next(files, "")


_PRINTING = ("echo", "printf", "cat", "sed", "envsubst", "base64", "jq", "tee")


def _is_removed_later(target: str, command: Command, commands: Sequence[Command]) -> bool:
    """Return True if a later command removes the file that has the secret, or undoes the configuration."""
    if _GONE_LATER.search(target):
        return True
    later = [other for other in commands if other.start > command.start]
    if any(_is_same_path(path, target) for path in _removed_files(later, _REMOVERS)):
        return True
    files = _WRITTEN_TO.get(target, ())
    if any(_base_name(path) in files for path in _removed_files(later, ("rm", "shred"))):
        return True
    undo = _UNDONE.get(target)
    return undo is not None and _has_argument(later, target, undo)


def _has_argument(commands: Sequence[Command], name: str, part: str) -> bool:
    """Return True if a call of a program has an argument with a part."""
    calls = (command for command in commands if program(command) == name)
    return any(part in text for call in calls for text in call.texts)


def _base_name(path: str) -> str:
    return path.rstrip("/*").rpartition("/")[2]


def _removed_files(later: Sequence[Command], removers: Sequence[str]) -> Iterator[str]:
    """Yield the arguments of the commands that remove files."""
    return (word.text for command in later if program(command) in removers for word in command.words[1:])


_REMOVERS = ("rm", "shred", "unlink")


def _is_same_path(removed: str, target: str) -> bool:
    """Return True if a removed path is the target, or a directory or pattern that contains it."""
    removed, target = (re.sub(r"^(?:~|/root|\$\{?HOME\}?)/", "~/", text) for text in (removed, target))
    plain = removed.rstrip("*/")
    return bool(plain) and (
        target == plain or target.startswith((plain, plain + "/")) or target.endswith("/" + plain)
    )


def _is_elsewhere(item: Instruction, target: str) -> bool:
    """Return True if another mount of the step contains the file, which keeps it out of the layer."""
    mounts = [value.text for name, value in item.flags if name == "mount" and "type=secret" not in value.text]
    folders = [
        m.group(1) for text in mounts if (m := re.search(r"(?:target|dst|destination)=([^,\s]+)", text))
    ]
    return any(target.replace("~", "/root").startswith(folder) for folder in folders)
