from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedLog(TaintedCheck):
    """Data from the request is logged with its line breaks.

    The sender can end the line and forge log entries: a login that never happened, or noise that hides an
    error. Log it with ``%r``, or remove the line breaks.
    """

    ID = "PY315"
    NAME = "tainted-log"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "log-injection"
    SINK = SinkKind.LOG
    MESSAGE = "data from the request is logged with its line breaks; log it with %r"
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
