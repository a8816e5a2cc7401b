"""Less evidence, a silenced finding or a claim of the author makes no tier better and no verdict milder."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.planes.evidence_factory import (
    PYTHON,
    TEST,
    criterion,
    document,
    evidence,
    finding,
    missing,
    weaker_tests,
)
from tests.planes.run_factory import FAILED, MISSED, REFUSED, TIMED_OUT, UNISOLATED, ran, run_of_tests
from wardround.analyses.change_tests import ChangedSourceTests
from wardround.analyses.criteria import AcceptanceCriteria
from wardround.analyses.surfaces import Surfaces
from wardround.context.document import ContextDocument
from wardround.context.run_evidence import RunEvidence, TestsRun
from wardround.context.surface.model import COMMIT_MESSAGE, Surface, SurfaceChange, SurfaceKind
from wardround.context.ticket.model import Criterion, Ticket
from wardround.findings import Plane, Status
from wardround.planes.evidence import Evidence
from wardround.policy.bundled import BUNDLED
from wardround.policy.conclude import conclude
from wardround.policy.loading import bundled_policy, parse_policy
from wardround.policy.schema import Policy

PERMISSIVE = parse_policy(
    b"""
name: permissive
version: 1
tiers: {T1: auto-merge, T2: auto-approve, T3: human-review, T4: escalate, T5: declined}
rules:
  - {id: breaks, when: contract.unannounced > 0, at-least: escalate, because: a break}
  - {id: eval, when: 'findings.exists(f, f.rule == "ruff/S307")', at-least: declined, because: eval}
""",
    "permissive.yml",
)
POLICIES = (*map(bundled_policy, BUNDLED), PERMISSIVE)
Review = tuple[ContextDocument, Evidence]
Weakening = Callable[[Review, random.Random], Review]


def _with_run(review: Review, run: TestsRun | None) -> Review:
    context, known = review
    return replace(context, run=UNSET if run is None else RunEvidence(run)), known


def _without_run(review: Review, source: random.Random) -> Review:
    return _with_run(review, None)


def _with_weaker_run(review: Review, source: random.Random) -> Review:
    if review[0].ran.tests is None:
        return review
    conditions = [run_of_tests(conditions=item) for item in (UNISOLATED, TIMED_OUT, REFUSED)]
    return _with_run(
        review,
        source.choice(
            [*conditions, run_of_tests(FAILED), run_of_tests(lines=()), run_of_tests(lines=(MISSED,))]
        ),
    )


def _with_fewer_reviewers(review: Review, source: random.Random) -> Review:
    files = tuple(
        replace(file, reviewers=file.reviewers[1:]) if source.random() < 0.5 else file
        for file in review[1].files
    )
    return review[0], replace(review[1], files=files)


def _with_missing(review: Review, source: random.Random) -> Review:
    return review[0], replace(review[1], missing=(*review[1].missing, missing()))


def _without_test(review: Review, source: random.Random) -> Review:
    files = tuple(replace(file, tests_change=False) for file in review[1].files)
    return review[0], replace(review[1], files=files)


def _with_weaker_tests(review: Review, source: random.Random) -> Review:
    tests = review[1].notes_of(ChangedSourceTests)
    return review[0], review[1].with_notes(ChangedSourceTests, weaker_tests(tests, source))


def _silencing(review: Review, source: random.Random) -> Review:
    hidden = (Status.SUPPRESSED, Status.EXISTING)
    findings = tuple(
        replace(item, status=source.choice(hidden), is_silenced=True) if item.is_introduced else item
        for item in review[1].findings
    )
    return review[0], replace(review[1], findings=findings)


def _failing_a_criterion(review: Review, source: random.Random) -> Review:
    criteria = list(review[1].notes_of(AcceptanceCriteria))
    if not criteria:
        return review
    index, state = source.randrange(len(criteria)), source.choice(("not-met", "not-checkable"))
    if criteria[index].state == "not-met":
        return review
    criteria[index] = criterion(criteria[index].criterion, state)
    return review[0], review[1].with_notes(AcceptanceCriteria, tuple(criteria))


def _not_judging_a_criterion(review: Review, source: random.Random) -> Review:
    criteria = review[1].notes_of(AcceptanceCriteria)
    return review[0], review[1].with_notes(AcceptanceCriteria, criteria[1:])


def _claiming(review: Review, source: random.Random) -> Review:
    """Announce every breaking change in the commit message, and state anything in it."""
    changes = tuple(
        replace(change, announced_by=change.announced_by or COMMIT_MESSAGE)
        for change in review[1].notes_of(Surfaces).changes
    )
    messages = (
        source.choice(("fix!: small", "docs: typo", "refactor: nothing changes")),
        *review[1].messages,
    )
    return review[0], replace(review[1], messages=messages).with_notes(Surfaces, Surface(changes))


def _without_precision(review: Review, source: random.Random) -> Review:
    return review[0], replace(review[1], precision={})


def _with_failed_plane(review: Review, source: random.Random) -> Review:
    return review[0], replace(review[1], plane_failures={source.choice(list(Plane)): "it timed out"})


WEAKENINGS: tuple[Weakening, ...] = (
    _without_run, _with_weaker_run, _with_fewer_reviewers, _with_missing, _without_test, _with_weaker_tests,
    _silencing, _failing_a_criterion, _not_judging_a_criterion, _claiming, _without_precision,
    _with_failed_plane,
)  # fmt: skip


def _review(source: random.Random) -> Review:
    """A change with a run and a ticket, mostly, and with some findings."""
    context = ran(document()) if source.random() < 0.8 else document()
    states = source.choices(("met", "not-met", "not-checkable"), (6, 1, 1), k=source.randrange(4))
    criteria = tuple(criterion(f"AC{n}", state) for n, state in enumerate(states))
    if criteria:
        context = replace(context, ticket=_ticket(len(criteria)))
    found = tuple(
        finding(source.choice(list(Plane)), source.choice(("info", "warn", "error")), rule="ruff/S307")
        for _ in range(source.choice((0, 0, 1, 2)))
    )
    broken = SurfaceChange(SurfaceKind.PYTHON_API, "app.py", 1, "app.f", "is removed", True)
    surface = Surface((broken,) if source.random() < 0.3 else ())
    return context, evidence(PYTHON, TEST, findings=found, criteria=criteria, surface=surface)


def _ticket(count: int) -> Ticket:
    criteria = tuple(Criterion(f"AC{n}", "it works", "checklist") for n in range(count))
    return Ticket(key="1", title="Prices", source="file", criteria=criteria)


@pytest.mark.parametrize("weakening", WEAKENINGS, ids=lambda one: str(one.__name__))
@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: str(one.name))
def test_nothing_becomes_milder(policy: Policy, weakening: Weakening) -> None:
    source = random.Random(30)
    for _ in range(40):
        review = _review(source)
        before = conclude(*review, (policy,)).verdict
        after = conclude(*weakening(review, source), (policy,)).verdict
        assert after.tier.number >= before.tier.number, (review, before, after)
        assert after.name.strictness >= before.name.strictness, (review, before, after)
        assert after.approvals >= before.approvals


def test_the_best_review_is_merged_by_the_permissive_policy() -> None:
    assert conclude(ran(document()), evidence(), (PERMISSIVE,)).verdict.name == "auto-merge"
