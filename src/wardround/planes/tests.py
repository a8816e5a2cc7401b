"""The tests plane: whether what changed is tested, and whether tests were weakened."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.analyses.change_tests import COVERAGE, ChangedSourceTests, reach_source
from wardround.context.change_tests import ChangeCoverage
from wardround.context.document import ContextDocument
from wardround.context.run_evidence import TestsRun
from wardround.context.run_summary import covers_change, shows_lines
from wardround.findings import Plane
from wardround.planes.claims import Claim, ClaimSource, SourceKind, claim, measured_source, static_source
from wardround.planes.coverage import FindingsPlane
from wardround.planes.evidence import Evidence, FileRole
from wardround.planes.run_judgement import COVERAGE as RUN_COVERAGE
from wardround.planes.run_judgement import add_test_run, coverage_claims
from wardround.planes.signal import PlaneStatus, Signal, add_claims


def _add_tests(signal: Signal, context: ContextDocument, evidence: Evidence) -> Signal:
    """Add the outcome of a run, and the claims that the changed source is tested, by any source."""
    signal = add_test_run(signal, context, evidence)
    if signal.status is PlaneStatus.NOT_APPLICABLE:
        return signal
    return add_claims(signal, *_claims(evidence, context.ran.tests), *coverage_claims(context, evidence))


def _claims(evidence: Evidence, run: TestsRun | None) -> Iterator[Claim]:
    tests = evidence.notes_of(ChangedSourceTests)
    if any(file.role is FileRole.SOURCE for file in evidence.files):
        reached = sum(function.is_reached for function in tests.functions)
        text = f"the changed source is tested, {reached} of {len(tests.functions)} functions reached"
        yield claim(text, _sources(evidence, run), counts=evidence.profile == "ci")
    if tests.coverage.is_fresh:
        source = measured_source(COVERAGE, SourceKind.COVERAGE, evidence.precision.get(COVERAGE))
        yield claim(_coverage_text(tests.coverage), [source], counts=False)


def _sources(evidence: Evidence, run: TestsRun | None) -> Iterator[ClaimSource]:
    """Yield the sources of the claim that the changed source is tested.

    Tests that reach it by the code graph are none where a run shows which lines the tests ran.
    """
    if any(file.tests_change for file in evidence.files):
        yield static_source("tests, a changed test asserts something about the changed source")
    if covers_change(run):
        yield measured_source(RUN_COVERAGE, SourceKind.RUN, evidence.precision.get(RUN_COVERAGE))
    tests = evidence.notes_of(ChangedSourceTests)
    name = reach_source(tests.functions, omitted=tests.omitted)
    if name and not shows_lines(run):
        yield measured_source(name, SourceKind.RETRIEVAL, evidence.precision.get(name))


def _coverage_text(coverage: ChangeCoverage) -> str:
    return f"{coverage.executed} of {coverage.executed + coverage.missed} changed lines ran"


TESTS = FindingsPlane(name=Plane.TESTS, profiles=frozenset({"ci"}), extend=_add_tests)
