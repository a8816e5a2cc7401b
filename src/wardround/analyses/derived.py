"""The values that a review and a replay derive from notes; a crash only loses those of its analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wardround.analyses.analysis import Analysis, Notes, ReportLine
from wardround.context.document import ContextDocument
from wardround.errors import PLUGIN_EXCEPTIONS


def crash_of(analysis: Analysis[Any], cause: BaseException) -> str:
    """Return a sentence about the crash of an analysis, the same in each replay."""
    return f"the analysis {analysis.name} crashed: {type(cause).__name__}"


def variables_of(analysis: Analysis[Notes], notes: Notes, context: ContextDocument) -> Mapping[str, Any]:
    """Return the variables of policies; none after a crash, so that a condition with one counts as true."""
    try:
        return dict(analysis.variables(notes, context))
    except PLUGIN_EXCEPTIONS:
        return {}


def lines_of(analysis: Analysis[Notes], notes: Notes, context: ContextDocument) -> Sequence[ReportLine]:
    """Return the lines of the text report."""
    try:
        return list(analysis.lines(notes, context))
    except PLUGIN_EXCEPTIONS as cause:
        return [ReportLine(crash_of(analysis, cause), "note: ")]


def derivation_of(analysis: Analysis[Notes], notes: Notes) -> Sequence[str]:
    """Return the lines for the derivation of a signal."""
    try:
        return list(analysis.derivation(notes))
    except PLUGIN_EXCEPTIONS as cause:
        return [crash_of(analysis, cause)]
