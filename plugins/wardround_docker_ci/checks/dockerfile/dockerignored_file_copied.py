"""DC047."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.models.dockerignore import Ignored, ignored


class DockerignoredFileCopied(CiCheck):
    """A file is copied that .dockerignore keeps from the build.

    The build does not see it, so the COPY fails or finds nothing. Copy something else, or let the file
    through.
    """

    ID = "DC047"
    NAME = "dockerignored-file-copied"
    DEFECT_CLASS = "ignored-file-copied"
    SEVERITY = Severity.ERROR
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    NEEDS = ("COPY", "ADD", "copy", "add")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nCOPY a b\n", path="Dockerfile", others={".dockerignore": "*.md\n"}),
        Valid("FROM a:1\nCOPY a/b.txt b\n", path="Dockerfile", others={".dockerignore": "a\n!a/b.txt\n"}),
        Valid(
            "FROM a:1\nCOPY . .\nCOPY --from=x dist d\n",
            path="Dockerfile",
            others={".dockerignore": "dist\n*\n"},
        ),
        Valid("FROM a:1\nCOPY dist/*.js .\n", path="Dockerfile", others={".dockerignore": "dist/*.map\n"}),
        Valid("FROM a:1\nCOPY dist d\n", path="Dockerfile", others={".dockerignore": "dist\n!dist/a\n"}),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM a:1\nCOPY dist /d\n",
            line=2,
            column=6,
            path="Dockerfile",
            others={".dockerignore": "dist\n"},
        ),
        Invalid(
            "FROM a:1\nCOPY x ./README.md /d/\n",
            line=2,
            column=8,
            path="Dockerfile",
            others={".dockerignore": "# c\n*.md\n"},
        ),
        Invalid(
            "FROM a:1\nADD dist/app.js .\n",
            line=2,
            column=5,
            path="web/Dockerfile",
            others={"web/.dockerignore": "**/dist/\n"},
        ),
        Invalid(
            "FROM a:1\nCOPY a b\n",
            line=2,
            column=6,
            path="x.Dockerfile",
            others={"x.Dockerfile.dockerignore": "a\n", ".dockerignore": "b\n"},
        ),
    ]

    def run(self) -> None:
        patterns = self._patterns()
        if not patterns:
            return
        for one in self.file.dockerfile.instructions:
            if one.keyword in ("COPY", "ADD") and one.flag("from") is None:
                for word in one.words[:-1]:
                    is_plain = not re.search(r"[$*?\[<]|://|^git@", word.text)
                    if is_plain and ignored(word.text, patterns) is Ignored.WHOLLY:
                        self.report_at(
                            word.start, word.end, f".dockerignore keeps {word.text} from the build"
                        )

    def _patterns(self) -> Sequence[str]:
        """Those of the file beside the Dockerfile; whether one further up counts depends on the call."""
        folder, slash, _ = self.source.path.rpartition("/")
        own = self.source.project.read(f"{self.source.path}.dockerignore")
        text = own if own is not None else self.source.project.read(f"{folder}{slash}.dockerignore")
        return [
            line.strip() for line in (text or "").split("\n") if line.strip() and not line.startswith("#")
        ]
