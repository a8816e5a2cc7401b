"""DC010: add remote file."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround.storage.regex_cache import bounded
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_REMOTE = LazyPattern(r"https?://", re.IGNORECASE)


class AddRemoteFile(CiCheck):
    """ADD downloads a file into the image without verifying it.

    Anyone who controls the server or the connection controls the contents of the image. Give ADD a
    `--checksum=sha256:...`.
    """

    ID = "DC010"
    NAME = "add-remote-file"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unverified-download"
    NEEDS = ("ADD", "add", "Add")
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM a:1
            ADD --checksum=sha256:00 https://example.org/a.tgz /a.tgz
        """),
        code("""
            FROM a:1
            ADD a.tgz /a
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            ADD «https://example.org/a.tgz» /a.tgz
        """),
        code("""
            FROM a:1
            ADD --chmod=755 «http://example.org/tini» /tini
        """),
    ]

    def run(self) -> None:
        if bounded(r"sha\d+sum|gpg .*--verify|gpg --batch").search(self.file.text):
            return
        for one in self.file.dockerfile.instructions:
            if one.keyword == "ADD" and one.flag("checksum") is None:
                for word in one.words[:-1]:
                    if _REMOTE.match(word.text) and not re.search(r"\.git(?:#|$)", word.text):
                        self.report_at(
                            word.start, word.end, f"download of {word.text} is not verified; add --checksum"
                        )
