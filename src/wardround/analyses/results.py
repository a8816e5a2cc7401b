"""The results of the analyses of a change."""

from __future__ import annotations

from typing import Any

import msgspec

from wardround.analyses.analysis import Analysis, Notes
from wardround.analyses.change_view import ChangeView
from wardround.analyses.derived import crash_of
from wardround.analyses.registry import known_analyses
from wardround.change.encoding import escape_undecodable
from wardround.context.surface.model import ComparingTool
from wardround.errors import PLUGIN_EXCEPTIONS, WardroundError


class AnalysisResults(msgspec.Struct, frozen=True):
    """The notes of the analyses that ran.

    Attributes:
        notes: by the name of the analysis; analyses without notes are absent.
        crashes: name -> the reason why an analysis has no notes.
        tools: the libraries that some of the notes are from.
        models: name and version of models that some of the notes are from.
        sources: that the table of precision may have.
    """

    notes: dict[str, Any] = {}
    crashes: dict[str, str] = {}
    tools: tuple[ComparingTool, ...] = ()
    models: tuple[tuple[str, str], ...] = ()
    sources: frozenset[str] = frozenset()


def analyse(view: ChangeView) -> AnalysisResults:
    """Run the analyses of the profile of a review; one that crashes only loses its own notes.

    Raises:
        WardroundError: an analysis cannot run for a reason that its user can remove.
    """
    ran = _FinishedAnalyses(view)
    for analysis in known_analyses():
        if view.profile in analysis.profiles:
            ran.add(analysis)
    return ran.results()


class _FinishedAnalyses:
    """The analyses that ran so far."""

    def __init__(self, view: ChangeView) -> None:
        self._view = view
        self._notes: dict[str, Any] = {}
        self._crashes: dict[str, str] = {}
        self._tools: list[ComparingTool] = []
        self._models: list[tuple[str, str]] = []
        self._sources: set[str] = set()

    def add(self, analysis: Analysis[Any]) -> None:
        try:
            notes = _read_recorded(analysis.analyse(self._view), analysis)
            self._tools += analysis.tools(notes)
            self._models += analysis.models(notes, self._view)
            self._sources.update(analysis.measured_sources(notes))
            if notes != analysis.no_notes():
                self._notes[analysis.name] = notes
        except WardroundError:
            raise
        except PLUGIN_EXCEPTIONS as cause:
            self._crashes[analysis.name] = escape_undecodable(f"{crash_of(analysis, cause)}: {cause}")

    def results(self) -> AnalysisResults:
        return AnalysisResults(
            self._notes,
            self._crashes,
            tuple(self._tools),
            tuple(self._models),
            frozenset(self._sources),
        )


def _read_recorded(notes: Notes, analysis: Analysis[Notes]) -> Notes:
    """Return notes as they are read from a record.

    Raises:
        ValueError: they are of another type, or JSON cannot hold them.
    """
    recorded: Notes = msgspec.json.decode(msgspec.json.encode(notes), type=analysis.notes_type)
    return recorded
