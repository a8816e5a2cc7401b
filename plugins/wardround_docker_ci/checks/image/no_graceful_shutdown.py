"""DC108: no graceful shutdown."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.yaml.nodes import Mapping
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, KUBERNETES, CiCheck

_KILL = LazyPattern(r"(?:SIG)?KILL|9", re.IGNORECASE)
_NO_TIME = LazyPattern(r"0+(?:ms|s|m)?")


class NoGracefulShutdown(CiCheck):
    """The container is killed immediately when it is stopped.

    Requests are aborted and unwritten data is lost. Keep the default stop signal, and allow a grace period.
    """

    ID = "DC108"
    NAME = "no-graceful-shutdown"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "killed-at-stop"
    KINDS = DOCKERFILE | COMPOSE | KUBERNETES
    NEEDS = ("STOPSIGNAL", "stopsignal", "stop_signal", "stop_grace_period", "terminationGracePeriodSeconds")
    VALID = [
        code("""
            FROM a:1
            STOPSIGNAL SIGQUIT
        """),
        code(
            """
            services:
              a:
                image: b:1
                stop_grace_period: 30s
                stop_signal: SIGINT
            """,
            path="compose.yml",
        ),
    ]
    INVALID = [
        code("""
            FROM a:1
            «STOPSIGNAL SIGKILL»
        """),
        code("""
            FROM a:1
            «STOPSIGNAL 9»
        """),
    ]

    def run(self) -> None:
        if self.file.kind in DOCKERFILE:
            for one in self.file.dockerfile.instructions:
                if one.keyword == "STOPSIGNAL" and _KILL.fullmatch(one.text):
                    self.report_at(
                        one.start, one.end, "SIGKILL leaves the program no time to shut down; keep SIGTERM"
                    )
        elif self.file.kind in COMPOSE:
            for service in self.file.services:
                self._value(service.node, "stop_signal", _KILL)
                self._value(service.node, "stop_grace_period", _NO_TIME)
        else:
            for pod in self.file.pods:
                self._value(pod.node, "terminationGracePeriodSeconds", _NO_TIME)

    def _value(self, node: Mapping, key: str, pattern: LazyPattern) -> None:
        value = node.scalar(key)
        if value is not None and pattern.fullmatch(value.value):
            text = self.file.passage(value)
            self.report_at(
                text.start, text.end, f"{key} {value.value} leaves the program no time to shut down"
            )
