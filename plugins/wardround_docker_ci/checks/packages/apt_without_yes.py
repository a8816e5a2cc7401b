"""DC011."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.shell import unwrapped
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
                words = unwrapped(command)
                if program(command) not in ("apt-get", "apt") or command.before == "|":
                    continue
                prompts = subcommand(words) in (
                    "install",
                    "upgrade",
                    "dist-upgrade",
                    "remove",
                    "purge",
                    "autoremove",
                )
                answered = any(_CONFIRMED.fullmatch(w.text) or w.text.startswith("$") for w in words[1:])
                if prompts and not answered:
                    what = next(word for word in words[1:] if not word.text.startswith("-"))
                    fix = self.replacing(what.end, what.end, " -y", "answer yes", safe=True)
                    self.report_at(
                        command.start,
                        command.end,
                        f"{program(command)} {what.text} prompts for confirmation; add -y",
                        fix,
                    )
