"""TS003."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_typescript.documented_check import JsDocCheck
from wardround_typescript.functions import ComparedFunction


class StaleComment(JsDocCheck):
    """A JSDoc comment."""

    ID = "TS003"
    NAME = "stale-comment"
    SEVERITY = Severity.INFO

    def look_at(self, one: ComparedFunction) -> None:
        return
