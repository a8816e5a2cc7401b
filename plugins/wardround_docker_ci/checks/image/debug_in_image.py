"""DC131."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_docker_ci.check import DOCKERFILE, KUBERNETES, CiCheck

_ON = {
    "FLASK_DEBUG": ("1", "true", "on", "yes"),
    "FLASK_ENV": ("development",),
    "DJANGO_DEBUG": ("1", "true", "on", "yes"),
    "APP_DEBUG": ("1", "true"),
    "WERKZEUG_DEBUG_PIN": ("off",),
}
"""Variables of Flask, Django, Laravel and Werkzeug, and the values that switch debugging on."""
_FOR_DEVELOPMENT = LazyPattern(r"(?i)(?:^|[/_.-])(?:dev(?:el(?:op(?:ment)?)?)?|local|debug|test(?:s|ing)?|ci"
                               r"|examples?|demo|\.devcontainer)(?:[/_.-]|$)")  # fmt: skip


class DebugInImage(CiCheck):
    """An image or a pod switches the debugging of its web framework on.

    Error pages then show source, settings and variables, and Werkzeug's debugger runs code for anyone who
    opens it. Leave the variable out, and set it on the developer's machine only.
    """

    ID = "DC131"
    NAME = "debug-in-image"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "debug-in-production"
    TRIED_ON = "only its cases"
    KINDS = DOCKERFILE | KUBERNETES
    NEEDS = tuple(_ON)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nENV FLASK_DEBUG=0\n", path="Dockerfile"),
        Valid("FROM a:1\nENV FLASK_DEBUG=1\n", path="Dockerfile.dev"),
        Valid('FROM a:1 AS development\nENV FLASK_DEBUG=1\nFROM a:1\nCMD ["app"]\n', path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1\nENV FLASK_DEBUG=1\n", 2, 17, path="Dockerfile"),
        Invalid("FROM a:1\nENV APP=x FLASK_ENV=development\n", 2, 21, path="Dockerfile"),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: a:1\n    env:\n"
            "    - name: DJANGO_DEBUG\n      value: 'True'\n",
            9,
            15,
            path="pod.yaml",
        ),
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
                    f"{variable.name} switches debugging on where strangers come",
                )

    def _start_of_last_stage(self) -> int:
        """Where the stage that is shipped begins; other stages of a Dockerfile may be for development."""
        found = list(_STAGE.finditer(self.file.text)) if self.file.kind in DOCKERFILE else []
        return found[-1].start() if found else 0


_STAGE = LazyPattern(r"(?im)^[ \t]*FROM[ \t]")
