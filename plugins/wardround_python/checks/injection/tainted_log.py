"""PY315."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedLog(TaintedCheck):
    """Data from the request goes into the log with its line ends.

    Whoever sends it can end the line and write lines of their own: a login that never was, an error that
    hides theirs. Log it with ``%r``, or take the line ends out.
    """

    ID = "PY315"
    NAME = "tainted-log"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "log-injection"
    SINK = SinkKind.LOG
    MESSAGE = "data from the request goes into the log with its line ends"
    WORDS = ("syslog", ".debug(", ".info(", ".warning(", ".warn(", ".error(", ".critical(", ".exception(")
    VALID = [
        code("""
            def asked(request, log):
                log.info('asked for %r', request.GET['q'])
        """),
        code("""
            def asked(request, log):
                log.info(f"asked for {request.GET['q']!r}")
        """),
    ]
    INVALID = [
        code("""
            def asked(request, log):
                log.info('asked for %s', «request.GET['q']»)
        """),
        code("""
            def asked(request, logger):
                logger.warning(«f"no {request.GET['q']}"»)
        """),
    ]
