"""The sources that contributed to a review and have a measured precision."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from wardround.context.change_tests import ChangeTests
from wardround.context.run_evidence import RunEvidence
from wardround.context.run_summary import covers_change
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.intent import CRITERIA_MET, note_texts
from wardround.planes.intent_notes import IntentNotes
from wardround.planes.run_judgement import COVERAGE as RUN_COVERAGE
from wardround.planes.run_rules import MEASURED as RUN_RULES
from wardround.planes.tests import COVERAGE, reach_source


def measured_sources(
    tests: ChangeTests,
    criteria: Sequence[CriterionResult],
    intent: IntentNotes,
    run: RunEvidence,
    rules: Collection[str],
) -> frozenset[str]:
    """Return the names of the sources, as the table of precision has them.

    Args:
        rules: of the recorded findings.
    """
    names = {reach_source(tests.functions, omitted=tests.omitted), *note_texts(intent)} - {""}
    if criteria:
        names.add(CRITERIA_MET)
    if tests.coverage.is_fresh:
        names.add(COVERAGE)
    if covers_change(run.tests):
        names.add(RUN_COVERAGE)
    names |= RUN_RULES.intersection(rules)
    return frozenset(names)
