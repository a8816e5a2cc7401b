from __future__ import annotations

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class FromAsCasing(CiCheck):
    """FROM and AS are written in different case.

    They are one instruction, and a search for ` AS ` misses this stage. Write both in the same case.
    """

    ID = "DC042"
    NAME = "from-as-casing"
    SEVERITY = Severity.INFO
    KINDS = DOCKERFILE
    NEEDS = (" as ", " AS ", " As ", " aS ")
    VALID = [
        code("""
            FROM a:1 AS b
        """),
        code("""
            from a:1 as b
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1 «as» b
            """,
            fixed="""
            FROM a:1 AS b
            """,
        ),
        code(
            """
            from a:1 «AS» b
            """,
            fixed="""
            from a:1 as b
            """,
        ),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            written = stage.start.written.text
            if stage.name is None or not (written.isupper() or written.islower()):
                continue
            word = stage.start.words[1]
            right = "AS" if written.isupper() else "as"
            if word.text != right:
                fix = self.replacing(word.start, word.end, right, f"write {right}", safe=True)
                self.report_at(
                    word.start, word.end, f"{written} and {word.text} have different case; write {right}", fix
                )
