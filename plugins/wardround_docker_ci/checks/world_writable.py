"""DC032."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import PIPELINES, SCRIPTS, CiCheck
from wardround_docker_ci.programs import program
from wardround_docker_ci.shell import unwrapped

_FOR_ALL = LatePattern(r"0?777|[-+=,ugo]*a\+rwx|[ugo]*o\+\w*w\w*|ugo\+rwx")
_MEANT = LatePattern(r"^/(?:tmp|var/tmp|dev/shm)(?:/|$)")


class WorldWritable(CiCheck):
    """Every user of the system may change what this chmod touches.

    A program of another user, or one that was broken into, can then replace what others run. Give the owner
    what it needs and nobody else: `chown` it, and 755 or 775.
    """

    ID = "DC032"
    NAME = "world-writable"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "world-writable"
    TRIED_ON = "trees of 27 repositories: 4 hits; 640 commits of 16 that touch such files: 2"
    KINDS = SCRIPTS
    NEEDS = ("chmod",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("chmod 755 a\nchmod +x b\nchmod 1777 /shared\n", path="a.sh"),
        Valid("chmod -R 777 /tmp/work\n", path="a.sh"),
        Valid("echo chmod 777 a\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1\nRUN mkdir /data && chmod -R 777 /data\n", 2, 29, path="Dockerfile"),
        Invalid("sudo chmod 0777 x\n", 1, 12, path="a.sh"),
        Invalid("chmod a+rwx /srv\n", 1, 7, path="a.sh"),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                words = [w for w in unwrapped(command)[1:] if not re.match(r"-[A-Za-z-]+$", w.text)]
                if program(command) != "chmod" or len(words) < 2 or not _FOR_ALL.fullmatch(words[0].text):
                    continue
                if not all(_MEANT.match(word.text) for word in words[1:]):
                    # A hosted runner is thrown away after the job.
                    severity = Severity.INFO if self.file.kind in PIPELINES else None
                    message = f"{words[0].text} lets every user change {words[1].text}"
                    self.report_at(words[0].start, words[0].end, message, severity=severity)
