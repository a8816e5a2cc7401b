"""The common base of the checks on guards of scripts."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.semantics.semdiff.guard_checks import GuardCheck
from wardround.semantics.semdiff.guards import GuardedFunction
from wardround_typescript.check import SCRIPTS, is_test_path


class ScriptGuards(GuardCheck):
    """Reads scripts for the checks on guards."""

    PATHS = ENDINGS = SCRIPTS

    def is_test(self, path: str) -> bool:
        return is_test_path(path)

    def bodies(self, path: str, text: str) -> Sequence[GuardedFunction]:
        from wardround_typescript.analysis.guarded_functions import bodies  # loads the parser

        return bodies(path, text)
