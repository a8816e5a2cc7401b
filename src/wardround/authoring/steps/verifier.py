"""The verification of a candidate by evidence that its author did not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.authoring.candidate import Candidate
from wardround.authoring.endpoint.author import ShownTest
from wardround.authoring.endpoint.roles import Role
from wardround.authoring.endpoint.verifier import Judgement, ShownDifference, VerifierInput, judge
from wardround.authoring.instance import Instance
from wardround.authoring.steps.objection import Objection
from wardround.context.run_evidence import BehaviourRun, Observed

NAME = "verifier"
_MOST_DIFFERENCES = 10


async def verify(
    role: Role,
    instance: Instance,
    candidate: Candidate,
    behaviour: BehaviourRun,
    tests: Sequence[ShownTest],
    context: str,
) -> Judgement:
    """Ask a verifier about a candidate whose tests pass."""
    content = VerifierInput(
        instance.text,
        tuple(constraint.text for constraint in instance.constraints),
        tuple(tests),
        candidate.diff,
        context,
        tuple(
            ShownDifference(difference.call, _result_text(difference.before), _result_text(difference.after))
            for difference in behaviour.differences[:_MOST_DIFFERENCES]
        ),
    )
    return await judge(role, content)


def _result_text(observed: Observed) -> str:
    if observed.raised is None:
        return f"returns {observed.returned}"
    return f"raises {observed.raised}"


def objections(judgement: Judgement) -> Iterator[Objection]:
    """Yield the reasons for which a verifier rejects a candidate."""
    if judgement.agrees is None:
        yield Objection(NAME, "the verifier gave no usable answer")
    elif not judgement.agrees:
        reasons = [f"{item.reason} ({item.quote.strip()})" for item in judgement.problems]
        yield from (Objection(NAME, reason) for reason in reasons or ["the verifier does not agree"])
