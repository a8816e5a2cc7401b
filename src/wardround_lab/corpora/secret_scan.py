"""Detect secrets in training data, with the checks of the specialists that scan any text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from wardround.checks.base import Check
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.specialists import Specialist

_KEPT_ANSWERS = 200_000


class SecretScan:
    """Detects secrets in texts; each text is scanned once.

    Args:
        specialists: all loaded ones; those that detect secrets are selected.
    """

    def __init__(self, specialists: Iterable[Specialist]) -> None:
        self._seeing: list[tuple[Specialist, Sequence[type[Check]]]] = [
            (specialist, checks)
            for specialist in specialists
            if specialist.reviews_all_text
            and (checks := [check for check in specialist.checks if check.MASKED])
        ]
        self._known: dict[bytes, tuple[str, ...]] = {}

    @property
    def is_able(self) -> bool:
        """Return True if a specialist that detects secrets is installed."""
        return bool(self._seeing)

    def kinds(self, text: str, path: str = "records.txt") -> tuple[str, ...]:
        """Return the rules that report a secret in a text, never the secret; notes do not count."""
        key = hashlib.blake2b(f"{path}\0{text}".encode("utf-8", "surrogatepass"), digest_size=12).digest()
        if key not in self._known:
            if len(self._known) >= _KEPT_ANSWERS:
                self._known.clear()
            self._known[key] = tuple(sorted(self._reporting_rules(text, path)))
        return self._known[key]

    def _reporting_rules(self, text: str, path: str) -> set[str]:
        found = set()
        for specialist, checks in self._seeing:
            severity = {check.ID: check.SEVERITY for check in checks}
            for result in specialist.run_checks(checks, SourceFile(path, text)):
                if (result.severity or severity.get(result.code, Severity.WARN)) >= Severity.WARN:
                    found.add(f"{specialist.name}/{result.code}")
        return found
