"""DC010."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.storage.regex_cache import bounded
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_REMOTE = LazyPattern(r"https?://", re.IGNORECASE)


class AddRemoteFile(CiCheck):
    """A file is fetched into the image from the network and nothing checks that it is the right one.

    Whoever controls the server or the way to it decides what the image holds. Give ADD a
    `--checksum=sha256:...`.
    """

    ID = "DC010"
    NAME = "add-remote-file"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unverified-download"
    NEEDS = ("ADD", "add", "Add")
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nADD --checksum=sha256:00 https://example.org/a.tgz /a.tgz\n", path="Dockerfile"),
        Valid("FROM a:1\nADD a.tgz /a\n", path="Dockerfile"),
        Valid("FROM a:1\nADD https://github.com/a/b.git#v1 /b\n", path="Dockerfile"),
        Valid(
            "FROM a:1\nADD https://example.org/a /a\nRUN echo '0 /a' | sha256sum -c -\n", path="Dockerfile"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1\nADD https://example.org/a.tgz /a.tgz\n", line=2, column=5, path="Dockerfile"),
        Invalid(
            "FROM a:1\nADD --chmod=755 http://example.org/tini /tini\n", line=2, column=17, path="Dockerfile"
        ),
        Invalid('FROM a:1\nADD ["https://example.org/x", "/x"]\n', line=2, column=6, path="Dockerfile"),
    ]

    def run(self) -> None:
        if bounded(r"sha\d+sum|gpg .*--verify|gpg --batch").search(self.file.text):
            return
        for one in self.file.dockerfile.instructions:
            if one.keyword == "ADD" and one.flag("checksum") is None:
                for word in one.words[:-1]:
                    if _REMOTE.match(word.text) and not re.search(r"\.git(?:#|$)", word.text):
                        self.report_at(word.start, word.end, f"nothing checks what {word.text} answers")
