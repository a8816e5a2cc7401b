"""DC221: removed healthcheck."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.languages import dockerfile
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class RemovedHealthcheck(CiCheck):
    """A change removes the HEALTHCHECK of an image.

    Containers that wait for it to be healthy then never start or do not wait, and a hanging process keeps
    running. Keep the HEALTHCHECK, or write `HEALTHCHECK NONE` if it is deliberate.
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
        if programs and not any(stage.all("HEALTHCHECK") for stage in shipped) and _had_check(base):
            message = "this change removes the image's HEALTHCHECK; keep it or write HEALTHCHECK NONE"
            self.report_at(programs[-1].start, programs[-1].written.end, message)


def _had_check(base: str) -> bool:
    checks = (one for stage in dockerfile.read(base).shipped for one in stage.all("HEALTHCHECK"))
    return any(one.text.upper() != "NONE" for one in checks)
