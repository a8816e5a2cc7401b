from __future__ import annotations

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, KUBERNETES, CiCheck

_ON = {
    "FLASK_DEBUG": ("1", "true", "on", "yes"),
    "FLASK_ENV": ("development",),
    "DJANGO_DEBUG": ("1", "true", "on", "yes"),
    "APP_DEBUG": ("1", "true"),
    "WERKZEUG_DEBUG_PIN": ("off",),
}
"""Variables of Flask, Django, Laravel and Werkzeug, and the values that enable debugging."""
_FOR_DEVELOPMENT = LazyPattern(r"(?i)(?:^|[/_.-])(?:dev(?:el(?:op(?:ment)?)?)?|local|debug|test(?:s|ing)?|ci"
                               r"|examples?|demo|\.devcontainer)(?:[/_.-]|$)")  # fmt: skip


class DebugInImage(CiCheck):
    """An image or a pod enables the debug mode of its web framework.

    Error pages then show source, settings and variables, and Werkzeug's debugger runs code for anyone who
    opens it. Remove the variable, and set it only on the developer's machine.
    """

    ID = "DC131"
    NAME = "debug-in-image"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "debug-in-production"
    KINDS = DOCKERFILE | KUBERNETES
    NEEDS = tuple(_ON)
    VALID = [
        code("""
            FROM a:1
            ENV FLASK_DEBUG=0
        """),
        code(
            """
            FROM a:1
            ENV FLASK_DEBUG=1
            """,
            path="Dockerfile.dev",
        ),
    ]
    INVALID = [
        code("""
            FROM a:1
            ENV FLASK_DEBUG=«1»
        """),
        code("""
            FROM a:1
            ENV APP=x FLASK_ENV=«development»
        """),
    ]

    def run(self) -> None:
        if _FOR_DEVELOPMENT.search(self.source.path):
            return
        first = self._start_of_last_stage()
        for variable in self.file.variables:
            value = variable.value.strip("\"'").lower()
            if variable.start >= first and value in _ON.get(variable.name, ()):
                self.report_at(
                    variable.start,
                    variable.end,
                    f"{variable.name} enables debug mode in a deployment; remove it",
                )

    def _start_of_last_stage(self) -> int:
        """Return the offset of the final stage; other stages of a Dockerfile may be for development."""
        found = list(_STAGE.finditer(self.file.text)) if self.file.kind in DOCKERFILE else []
        return found[-1].start() if found else 0


_STAGE = LazyPattern(r"(?im)^[ \t]*FROM[ \t]")
