from __future__ import annotations

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class NoHealthcheck(CiCheck):
    """An image of a service has no HEALTHCHECK.

    Docker and Compose then report a hanging process as healthy. Add a HEALTHCHECK, or monitor it from
    outside.
    """

    ID = "DC017"
    NAME = "no-healthcheck"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "no-healthcheck"
    OFF = "Kubernetes ignores HEALTHCHECK, and most images run there or are not services."
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM a:1
            EXPOSE 80
            HEALTHCHECK CMD ["x"]
            CMD ["a"]
        """),
        code("""
            FROM a:1
            CMD ["a"]
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            EXPOSE 80
            «CMD» ["a"]
        """),
        code("""
            FROM a:1
            EXPOSE 80
            «ENTRYPOINT» a
        """),
    ]

    def run(self) -> None:
        shipped = self.file.dockerfile.shipped
        programs = [instruction for stage in shipped[:1] for instruction in stage.all("CMD", "ENTRYPOINT")]
        serves = any(stage.all("EXPOSE") for stage in shipped)
        if programs and serves and not any(stage.all("HEALTHCHECK") for stage in shipped):
            self.report_at(
                programs[-1].start, programs[-1].written.end, "service without a HEALTHCHECK; add one"
            )
