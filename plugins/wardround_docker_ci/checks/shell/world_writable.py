from __future__ import annotations

import re
from itertools import pairwise, takewhile

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, PIPELINES, SCRIPTS, CiCheck
from wardround_docker_ci.libraries.commands import program

_FOR_ALL = LazyPattern(r"0?[0-7]{2}[2367]|[-+=,ugo]*a\+r?wx?|[ugo]*o[+=]\w*w\w*|ugo\+r?wx?")
_EXPLAINED = LazyPattern(
    r"(?i)^\s*(?:#|//).*(?:world|every (?:user|uid)|any (?:user|uid)|all users|non-?root|arbitrary|777|666"
    r"|writ(?:e|able))"
)
_COMMENT_LINES = 3
_IS_COMMENT = LazyPattern(r"\s*(?:#|//)")
_SHARED_DIRECTORIES = LazyPattern(r"^/(?:tmp|var/tmp|dev/shm)(?:/|$)")


class WorldWritable(CiCheck):
    """A chmod makes a file writable for every user of the system.

    Another user's program, or a compromised one, can then replace what others run. Grant the owner what it
    needs and nobody else: `chown` it, and 755 or 775.
    """

    ID = "DC032"
    NAME = "world-writable"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "world-writable"
    KINDS = SCRIPTS
    NEEDS = ("chmod", "mkdir", "install")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            chmod 755 a
            chmod +x b
            chmod 1777 /shared
        """),
        code("""
            chmod -R 777 /tmp/work
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            RUN mkdir /data && chmod -R «777» /data
            """,
            path="Dockerfile",
        ),
        code("""
            sudo chmod «0777» x
        """),
    ]

    def run(self) -> None:
        for instruction in self.file.dockerfile.instructions if self.file.kind in DOCKERFILE else ():
            mode = instruction.flag("chmod")
            if mode is not None and _FOR_ALL.fullmatch(mode.text):
                target = instruction.words[-1].text if instruction.words else "it"
                message = f"{mode.text} makes {target} writable for every user"
                self.report_at(mode.start, mode.end, message)
        for script in self.file.scripts:
            for command in script.commands:
                if program(command) in ("mkdir", "install"):
                    self._check_created_mode(command)
                elif program(command) == "chmod":
                    self._check_chmod(command)

    def _check_chmod(self, command: Command) -> None:
        words = [word for word in unwrap_command(command)[1:] if not re.match(r"-[A-Za-z-]+$", word.text)]
        if len(words) < 2:
            return
        mode, files = words[0], words[1:]
        if not _FOR_ALL.fullmatch(mode.text) or self._is_explained(mode.start):
            return
        if not all(_SHARED_DIRECTORIES.match(file.text) for file in files):
            severity = Severity.INFO if self._is_minor(mode.start) else None
            message = f"{mode.text} makes {files[0].text} writable for every user; use 755 or 775"
            self.report_at(mode.start, mode.end, message, severity=severity)

    def _is_minor(self, offset: int) -> bool:
        """Return True if the system is temporary, or a comment above explains the mode."""
        if self.file.kind in PIPELINES:
            return True
        above = self.file.text[:offset].split("\n")[-_COMMENT_LINES - 1 : -1]
        return any(_EXPLAINED.search(line) for line in above)

    def _is_explained(self, offset: int) -> bool:
        """Return True if the comment directly above explains the mode."""
        above = takewhile(_IS_COMMENT.match, reversed(self.file.text[:offset].split("\n")[:-1]))
        return any(_EXPLAINED.search(line) for line in above)

    def _check_created_mode(self, command: Command) -> None:
        """Check files and directories created with that mode."""
        words = unwrap_command(command)
        for option, mode in pairwise(words):
            is_mode = option.text in ("-m", "--mode") and _FOR_ALL.fullmatch(mode.text) is not None
            if (
                is_mode
                and not self._is_explained(mode.start)
                and not _SHARED_DIRECTORIES.match(words[-1].text)
            ):
                severity = Severity.INFO if self._is_minor(mode.start) else None
                message = f"{mode.text} makes {words[-1].text} writable for every user; use 755 or 775"
                self.report_at(mode.start, mode.end, message, severity=severity)
