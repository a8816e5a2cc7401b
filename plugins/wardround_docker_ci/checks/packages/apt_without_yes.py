from __future__ import annotations

import re

from wardround.languages.shell import Command, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.commands import program, subcommand

_CONFIRMED = LazyPattern(
    r"-[a-zA-Z]*y[a-zA-Z]*|-qq+|-[a-zA-Z]*qq[a-zA-Z]*|-q=[2-9]|--yes|--assume-yes|--force-yes|--dry-run|-s|--simulate"
)


class AptWithoutYes(CiCheck):
    """apt-get prompts for confirmation, which a build cannot give.

    Without -y the install stops at "Do you want to continue?" and the build fails as soon as a package
    pulls in another. Add -y.
    """

    ID = "DC011"
    NAME = "apt-without-yes"
    DEFECT_CLASS = "apt-asks"
    KINDS = DOCKERFILE
    NEEDS = ("apt",)
    VALID = [
        code("""
            FROM a:1
            RUN apt-get update && apt-get install -y curl
        """),
        code("""
            FROM a:1
            RUN apt-get -qq install curl && apt-get -qy upgrade
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            RUN apt-get update && «apt-get install curl»
            """,
            fixed="""
            FROM a:1
            RUN apt-get update && apt-get install -y curl
            """,
        ),
        code("""
            FROM a:1
            RUN «sudo apt-get --no-install-recommends install a b»
        """),
    ]

    def run(self) -> None:
        if re.search(r"Assume-Yes|APT_GET_YES|(?:alias|function)\s+apt", self.file.text):
            return
        for script in self.file.scripts:
            for command in script.commands:
                if _may_prompt(command):
                    self._report(command)

    def _report(self, command: Command) -> None:
        words = unwrap_command(command)
        what = next(word for word in words[1:] if not word.text.startswith("-"))
        fix = self.replacing(what.end, what.end, " -y", "answer yes", safe=True)
        message = f"{program(command)} {what.text} prompts for confirmation; add -y"
        self.report_at(command.start, command.end, message, fix)


def _may_prompt(command: Command) -> bool:
    """Return True if a command of apt prompts and nothing answers."""
    words = unwrap_command(command)
    if program(command) not in ("apt-get", "apt") or subcommand(words) not in _PROMPTING:
        return False
    is_answered = any(_CONFIRMED.fullmatch(word.text) or word.text.startswith("$") for word in words[1:])
    return command.before != "|" and not is_answered


_PROMPTING = ("install", "upgrade", "dist-upgrade", "remove", "purge", "autoremove")
