"""The result of a run of tests: how each project ran, each test, and the coverage of the changed lines."""

from __future__ import annotations

import msgspec

from wardround import __version__
from wardround.context.run_evidence import CoverageDelta, LineEvidence, RunState, TestOutcome
from wardround.workflows.mutation.result import MutationResult
from wardround.workflows.test.plans.plan import Cause
from wardround.workflows.test.project.projects import Fact

SCHEMA = "wardround.test-report/1"


class UsedEnvironment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The interpreter and the packages of a run.

    Attributes:
        source: the file, setting or variable that names it.
        digest: digest of the interpreter's version and the installed packages.
        version: version of the interpreter.
        supplied: what a build or an installation of the project would make, and the run got instead, as noun
            phrases.
    """

    source: str
    digest: str
    version: str
    supplied: tuple[str, ...] = ()


class ProjectRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The run of the tests of one project with one framework.

    Attributes:
        root: the folder of the project; empty for the top of the repository.
        command: the detected command; the run adds its own options to it.
        command_source: the file and the key that name the command; None if nothing was started.
        environment: None if there was none.
        isolation: the back end of the sandbox; empty if nothing was started.
        detail: one sentence unless the run is complete.
        logs: paths of the output, relative to the report.
        is_recorded: the functions that each test ran were recorded.
        unrecorded: otherwise the reason, as a clause, unless it was not requested.
    """

    root: str
    framework: str
    state: RunState
    command: tuple[str, ...] = ()
    command_source: Fact | None = None
    environment: UsedEnvironment | None = None
    isolation: str = ""
    isolation_version: str = ""
    detail: str = ""
    logs: tuple[str, ...] = ()
    wall_s: float = 0.0
    cpu_s: float = 0.0
    is_recorded: bool = False
    unrecorded: str = ""


class TestResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one test.

    Attributes:
        project: the root of its project.
        cause: the kind of the reason for which it was chosen; None if only the framework knew it.
        reason: that reason, as a clause.
        detail: one sentence where the outcome needs it: why it did not run, what ended it, or what a
            repetition showed.
        excerpt: the end of its failure, without secrets.
        places: ``path:line`` of changed lines in the traceback of its failure, the innermost first.
        attempts: how often it ran.
    """

    __test__ = False

    id: str
    project: str
    outcome: TestOutcome
    cause: Cause | None = None
    reason: str = ""
    seconds: float = 0.0
    detail: str = ""
    excerpt: str = ""
    places: tuple[str, ...] = ()
    attempts: int = 1


class OrderDependence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test that fails after other tests and passes alone.

    Attributes:
        after: the fewest earlier tests found with which it fails.
    """

    id: str
    after: tuple[str, ...]


class TestReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one ``wardround test``.

    Attributes:
        base: the commit before the change; empty if the repository has none.
        head: the tested commit, or ``index`` for the staged content.
        state: state of all runs together, the least complete one.
        detail: one sentence unless all selected tests ran.
        omitted: the number of tests that the plan left out.
        lines: the coverage of the changed lines by file; empty if it was not recorded.
        delta: the coverage of the changed files before and after; empty unless requested.
        mutation: the small edits of the changed lines that were tried; None unless requested.
        notes: what limits the result, one sentence each.
    """

    __test__ = False

    base: str
    head: str
    state: RunState
    detail: str = ""
    runs: tuple[ProjectRun, ...] = ()
    tests: tuple[TestResult, ...] = ()
    omitted: int = 0
    lines: tuple[LineEvidence, ...] = ()
    delta: tuple[CoverageDelta, ...] = ()
    order: tuple[OrderDependence, ...] = ()
    mutation: MutationResult | None = None
    notes: tuple[str, ...] = ()
    schema: str = SCHEMA
    version: str = __version__

    def with_outcome(self, *outcomes: TestOutcome) -> list[TestResult]:
        """Return the tests that have one of these outcomes."""
        return [test for test in self.tests if test.outcome in outcomes]
