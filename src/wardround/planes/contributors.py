"""The sources that contributed to a review and have a measured precision."""

from __future__ import annotations

from collections.abc import Collection

from wardround.context.run_evidence import RunEvidence
from wardround.context.run_summary import covers_change
from wardround.planes.run_judgement import COVERAGE as RUN_COVERAGE
from wardround.planes.run_rules import MEASURED as RUN_RULES


def measured_sources(analyses: frozenset[str], run: RunEvidence, rules: Collection[str]) -> frozenset[str]:
    """Return the names of the sources, as the table of precision has them.

    Args:
        analyses: the sources of notes.
        rules: rules of the recorded findings.
    """
    of_run = {RUN_COVERAGE} if covers_change(run.tests) else set()
    return analyses | of_run | RUN_RULES.intersection(rules)
