from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wardround.findings import Plane
from wardround.languages.shell import Command, Word, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.commands import program

_OCTAL = LazyPattern(r"0?[46][0-7]{3}$")
_SYMBOLIC = LazyPattern(r"(?:^|,)(?:[ga]*u[uga]*|a?)[+=][rwxX]*s\w*(?:,|$)")


class SetuidBit(CiCheck):
    """A program in the image has the setuid bit, so it runs as its owner, root.

    A vulnerability in it makes any process of the container root, despite USER. Add the one capability that
    it needs (`setcap cap_net_raw+ep`), or do the work before USER.
    """

    ID = "DC125"
    NAME = "setuid-bit"
    PLANE = Plane.SECURITY
    KINDS = DOCKERFILE
    NEEDS = ("chmod", "install")
    VALID = [
        code("""
            FROM a:1
            RUN chmod 0755 /a && chmod +x /b && chmod u-s /c && chmod 1777 /d
        """),
        code("""
            FROM a:1
            RUN chmod g+s /shared && chmod 2775 /shared
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            RUN chown root /a && chmod «u+s» /a
        """),
        code("""
            FROM a:1
            RUN chmod -v «4755» /a
        """),
    ]

    def run(self) -> None:
        for instruction in self.file.dockerfile.instructions:
            mode = instruction.flag("chmod") if instruction.keyword in ("COPY", "ADD") else None
            if mode is not None and _OCTAL.match(mode.text):
                self._report(mode.start, mode.end)
        for script in self.file.scripts:
            for command in script.commands:
                location = _mode(command)
                if location is not None:
                    self._report(*location)
                    break

    def _report(self, start: int, end: int) -> None:
        self.report_at(start, end, "setuid lets anyone run this as its owner; set a capability instead")


def _mode(command: Command) -> tuple[int, int] | None:
    """Return the offsets of the mode by which a command sets the setuid bit."""
    if program(command) == "chmod":
        return _chmod_mode(unwrap_command(command)[1:])
    return _install_mode(unwrap_command(command)) if program(command) == "install" else None


def _chmod_mode(words: Sequence[Word]) -> tuple[int, int] | None:
    mode = next((word for word in words if not word.text.startswith("-")), None)
    is_set = mode is not None and (_OCTAL.match(mode.text) or _SYMBOLIC.search(mode.text))
    return (mode.start, mode.end) if mode is not None and is_set else None


def _install_mode(words: Sequence[Word]) -> tuple[int, int] | None:
    for before, word in pairwise(words):
        text = word.text
        if text.startswith(("--mode=", "-m")):
            text = text.removeprefix("--mode=").removeprefix("-m")
        elif before.text not in ("-m", "--mode"):
            continue
        if _OCTAL.match(text):
            return word.start, word.end
    return None
