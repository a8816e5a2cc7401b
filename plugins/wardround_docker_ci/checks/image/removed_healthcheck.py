"""DC221."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.languages import dockerfile
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class RemovedHealthcheck(CiCheck):
    """The image said how to tell whether its service works, and the change takes that away.

    What waits for it to be healthy then waits in vain or not at all, and a hanging process stays. Keep a
    HEALTHCHECK, or say with `HEALTHCHECK NONE` that it is meant.
    """

    ID = "DC221"
    NAME = "removed-healthcheck"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "no-healthcheck"
    KINDS = DOCKERFILE
    NEEDS = ("CMD", "cmd", "ENTRYPOINT", "entrypoint")
    VALID = [
        code(
            """
            FROM a:1
            CMD ["a"]
            """,
            base="""
            FROM a:1
            CMD ["b"]
            """,
        ),
        code("""
            FROM a:1
            CMD ["a"]
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            «CMD» ["a"]
            """,
            base="""
            FROM a:1
            HEALTHCHECK CMD x
            CMD ["a"]
            """,
        ),
        code(
            """
            FROM a:2
            USER x
            «ENTRYPOINT» ["a"]
            """,
            base="""
            FROM a:1
            ENTRYPOINT ["a"]
            healthcheck --interval=5s CMD x
            """,
        ),
    ]

    def run(self) -> None:
        base = self.source.base_text
        if base is None or "healthcheck" not in base.lower():
            return
        shipped = self.file.dockerfile.shipped
        programs = [one for stage in shipped[:1] for one in stage.all("CMD", "ENTRYPOINT")]
        before = [one for stage in dockerfile.read(base).shipped for one in stage.all("HEALTHCHECK")]
        asked = any(one.text.upper() != "NONE" for one in before)
        if programs and asked and not any(stage.all("HEALTHCHECK") for stage in shipped):
            said = "before the change this image had a HEALTHCHECK"
            self.report_at(programs[-1].start, programs[-1].written.end, said)
