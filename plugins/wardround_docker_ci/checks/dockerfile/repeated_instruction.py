"""DC018: repeated instruction."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class RepeatedInstruction(CiCheck):
    """A stage has CMD, ENTRYPOINT or HEALTHCHECK twice, and only the last one has an effect.

    Edits of the first one change nothing. Delete the one that is not intended.
    """

    ID = "DC018"
    NAME = "repeated-instruction"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "repeated-instruction"
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM a:1
            ENTRYPOINT ["a"]
            CMD ["b"]
        """),
        code("""
            FROM a:1 AS x
            CMD ["a"]
            FROM x
            CMD ["b"]
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            «CMD ["a"]»
            CMD ["b"]
        """),
        code("""
            FROM a:1
            «ENTRYPOINT ["a"]»
            RUN x
            ENTRYPOINT ["b"]
        """),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            for keyword in ("CMD", "ENTRYPOINT", "HEALTHCHECK"):
                for one in stage.all(keyword)[:-1]:
                    last = self.file.places.line(stage.all(keyword)[-1].start)
                    self.report_at(one.start, one.end, f"{keyword} has no effect: line {last} overrides it")
