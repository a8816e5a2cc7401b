"""DC047: dockerignored file copied."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.models.dockerignore import Ignored, ignored


class DockerignoredFileCopied(CiCheck):
    """COPY or ADD copies a file that .dockerignore excludes.

    The file is not in the build context, so the instruction fails or copies nothing. Copy another file, or
    remove the pattern.
    """

    ID = "DC047"
    NAME = "dockerignored-file-copied"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "ignored-file-copied"
    SEVERITY = Severity.ERROR
    KINDS = DOCKERFILE
    NEEDS = ("COPY", "ADD", "copy", "add")
    VALID = [
        code(
            """
            FROM a:1
            COPY a b
            """,
            others={
                ".dockerignore": """
                *.md
                """,
            },
        ),
        code(
            """
            FROM a:1
            COPY a/b.txt b
            """,
            others={
                ".dockerignore": """
                a
                !a/b.txt
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            COPY «dist» /d
            """,
            others={
                ".dockerignore": """
                dist
                """,
            },
        ),
        code(
            """
            FROM a:1
            COPY x «./README.md» /d/
            """,
            others={
                ".dockerignore": """
                # c
                *.md
                """,
            },
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
                            word.start, word.end, f".dockerignore excludes {word.text} from the build context"
                        )

    def _patterns(self) -> Sequence[str]:
        """Return the patterns of the .dockerignore next to the Dockerfile; others depend on the call."""
        folder, slash, _ = self.source.path.rpartition("/")
        own = self.source.project.read(f"{self.source.path}.dockerignore")
        text = own if own is not None else self.source.project.read(f"{folder}{slash}.dockerignore")
        return [
            line.strip() for line in (text or "").split("\n") if line.strip() and not line.startswith("#")
        ]
