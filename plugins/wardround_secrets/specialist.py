"""The secrets specialist: every text file, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks.base import Check
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding
from wardround.lazy import LazySequence
from wardround.specialists import Specialist
from wardround.tools.tool import Tool


class SecretsSpecialist(Specialist):
    """Reviews every text file for secrets."""

    name = "secrets"
    planes = frozenset({Plane.SECURITY})
    patterns = ("*",)
    reviews_all_text = True
    reviews_history = True
    tools = LazySequence[Tool]("wardround_secrets.tools:TOOLS")
    checks = LazySequence[type[Check]]("wardround_secrets.checks:CHECKS")
    models = ("secrets",)

    def run_checks(self, checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
        from wardround_secrets.checks import CHECKS
        from wardround_secrets.detection.scanner import scan

        return scan(CHECKS, checks, source)
