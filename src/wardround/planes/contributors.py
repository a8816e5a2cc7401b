"""The sources that contributed to a review and have a measured precision."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.context.change_tests import ChangeTests
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.intent import CRITERIA_MET, note_texts
from wardround.planes.intent_notes import IntentNotes
from wardround.planes.tests import COVERAGE, reach_source


def measured_sources(
    tests: ChangeTests, criteria: Sequence[CriterionResult], intent: IntentNotes
) -> frozenset[str]:
    """Return the names of the sources, as the table of precision has them."""
    names = {reach_source(tests.functions, omitted=tests.omitted), *note_texts(intent)} - {""}
    if criteria:
        names.add(CRITERIA_MET)
    if tests.coverage.is_fresh:
        names.add(COVERAGE)
    return frozenset(names)
