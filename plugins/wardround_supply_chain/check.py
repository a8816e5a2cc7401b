"""The base class of the checks: the notes about the supply chain of a change, as findings."""

from __future__ import annotations

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Severity, Span
from wardround.semantics.semdiff.line_diff import span_of_line
from wardround.semantics.supply_chain.notes import SupplyChainNotes


class SupplyChainCheck(ChangeCheck):
    """Reports some of the notes that the security plane has as evidence."""

    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN

    def notes(self) -> SupplyChainNotes:
        """Return the notes about the files of the change that are not excluded; none at commit."""
        if not self.change.in_ci:
            return SupplyChainNotes()
        from wardround.semantics.supply_chain.analysis import (
            BothTexts,
            is_relevant,
            supply_chain_notes,
        )  # 30 ms

        files = [file for file in self.change.files if is_relevant(file.path)]
        both = [BothTexts(file.path, file.base_text, file.text) for file in files]
        return supply_chain_notes(both, self.change.project.read)

    def file(self, path: str) -> ChangedFileView | None:
        """Return a changed file that still exists."""
        file = self.change.file(path)
        return file if file is not None and file.text is not None else None

    def report_line(self, path: str, line: int, message: str) -> None:
        """Report a line of a changed file."""
        file = self.file(path)
        self.report(path, Span(1, 1, 1, 1) if file is None else span_of_line(file, line), message)
