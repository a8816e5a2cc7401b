"""DC035."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import PIPELINES, CiCheck
from wardround_docker_ci.secret_names import is_secret_name
from wardround_docker_ci.shell import Command, Word

_SECRET_CONTEXT = LatePattern(
    r"\$\{\{\s*(?:secrets\.(?!GITHUB_TOKEN\b)(\w+)|github\.token|secrets\.GITHUB_TOKEN)\s*\}\}"
)
_VARIABLE = LatePattern(r"(?<!\\)\$(?:(\w+)|\{(\w+)\})")
_BARE = LatePattern(r"[\"']?[^\"'$]*\$\{?\w+\}?[\"']?$")


class SecretPrinted(CiCheck):
    """A secret is written to the log of the build.

    Masking knows only the exact text: base64, JSON escapes or a part of it pass, and whoever may read the
    log has it. Print that it is set, not what it is.
    """

    ID = "DC035"
    NAME = "secret-printed"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "secret-in-log"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = PIPELINES
    NEEDS = ("echo", "printf")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("a:\n  script:\n    - echo $TOKEN | docker login --password-stdin\n", path=".gitlab-ci.yml"),
        Valid('a:\n  script:\n    - echo "$NPM_TOKEN" > .npmrc\n', path=".gitlab-ci.yml"),
        Valid('a:\n  script:\n    - echo "::add-mask::$TOKEN"\n', path=".gitlab-ci.yml"),
        Valid("a:\n  script:\n    - export A=$(echo $API_KEY)\n", path=".gitlab-ci.yml"),
        Valid('a:\n  script:\n    - echo "length ${#TOKEN}"\n', path=".gitlab-ci.yml"),
        Valid("a:\n  script:\n    - echo 'token=$TOKEN'\n", path=".gitlab-ci.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ secrets.API_KEY }}\n",
            6,
            19,
            path=".github/workflows/a.yml",
        ),
        Invalid('a:\n  script:\n    - echo "token is $DEPLOY_TOKEN"\n', 3, 12, path=".gitlab-ci.yml"),
        Invalid("node { sh 'echo $DB_PASSWORD | base64' }\n", 1, 17, path="Jenkinsfile"),
        Invalid("a:\n  script:\n    - printf '%s' \"$API_KEY\"\n", 3, 19, path=".gitlab-ci.yml"),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            commands = script.commands
            for at, command in enumerate(commands):
                if (
                    command.name in ("echo", "printf")
                    and command.depth == 0
                    and _reaches_the_log(commands, at)
                ):
                    self._look(command)

    def _look(self, command: Command) -> None:
        for word in command.words[1:]:
            name = _secret_in(word)
            if name and "add-mask" not in word.text:
                self.report_at(word.start, word.end, f"{name} is written to the log")
                return


def _reaches_the_log(commands: Sequence[Command], at: int) -> bool:
    """Whether what is printed ends in the log, as it is or only encoded."""
    command = commands[at]
    if any(redirect.sign.endswith((">", ">>", ">|", "&>")) for redirect in command.redirects):
        return False
    if command.after in ("|", "|&"):
        behind = commands[at + 1 : at + 2]
        return (
            bool(behind)
            and behind[0].name in ("base64", "rev", "xxd")
            and not (
                behind[0].after == "|" or behind[0].redirects or {"-d", "--decode"} & set(behind[0].texts)
            )
        )
    return command.after in ("\n", "", ";", "&&", "||") and not _in_block(commands, at)


def _in_block(commands: Sequence[Command], at: int) -> bool:
    """Whether a group whose output goes elsewhere may be around it."""
    depth = 0
    for one in commands[at + 1 :]:
        if one.name in ("}", "done", "fi") and depth == 0 and (one.redirects or one.after == "|"):
            return True
    return commands[at].before == "(" or any(one.after == ")" for one in commands[at : at + 6])


def _secret_in(word: Word) -> str:
    found = _SECRET_CONTEXT.search(word.raw)
    if found:
        return found.group(1) or "the token"
    if word.raw.startswith("'"):
        return ""
    names = [m.group(1) or m.group(2) for m in _VARIABLE.finditer(word.text)]
    return next((name for name in names if name.isupper() and is_secret_name(name)), "")
