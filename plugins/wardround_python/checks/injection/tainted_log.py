"""PY315."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, flask and apprise, 400,000 lines: "
        "seven findings, all right, in debug lines too: a note"
    )
    DANGER = SinkKind.LOG
    MESSAGE = "data from the request goes into the log with its line ends"
    WORDS = ("syslog", ".debug(", ".info(", ".warning(", ".warn(", ".error(", ".critical(", ".exception(")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def asked(request, log):\n    log.info('asked for %r', request.GET['q'])\n",
        "def asked(request, log):\n    log.info(f\"asked for {request.GET['q']!r}\")\n",
        "def asked(request, log):\n    text = request.GET['q'].replace('\\n', ' ')\n"
        "    log.info('for %s', text)\n",
        "def asked(request, log):\n    log.info('asked for %d', int(request.GET['page']))\n",
        "def asked(request, log):\n    log.info('asked by %s', request.user)\n",
        "def asked(request, log):\n    log.info('asked for %s', request.GET['order_id'])\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def asked(request, log):\n    log.info('asked for %s', request.GET['q'])\n", 2, 30),
        Invalid("def asked(request, logger):\n    logger.warning(f\"no {request.GET['q']}\")\n", 2, 20),
        Invalid(
            "import logging\ndef asked(request):\n    name = request.POST.get('name', '').strip()\n"
            "    logging.error('no user ' + name)\n",
            4,
            19,
        ),
    ]
