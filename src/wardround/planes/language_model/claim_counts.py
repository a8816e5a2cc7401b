"""The number of claims of a plane by their outcome, as notes, signals and reports state it."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.planes.evidence import Exchange
from wardround.planes.language_model.narrow_questions.counts import question_counts
from wardround.planes.language_model.verified_claims import REFUTED, UNFOUNDED, UNJUDGED


def claim_counts(exchange: Exchange) -> str:
    """Return the number of claims of a first pass and of each outcome: ``2 claims, 1 upheld, 1 refuted``.

    Those of narrow questions follow.
    """
    claims = exchange.findings + sum(exchange.discarded.values())
    text = ", ".join((f"{claims} claim{'' if claims == 1 else 's'}", *_outcomes(exchange)))
    questions = question_counts(exchange.questions)
    return f"{text}; {questions}" if questions else text


def _outcomes(exchange: Exchange) -> Iterator[str]:
    """Yield the outcomes of claims, without those of none."""
    reasons = dict(sorted(exchange.discarded.items()))
    refuted, unfounded, unjudged = (reasons.pop(name, 0) for name in (REFUTED, UNFOUNDED, UNJUDGED))
    if exchange.findings:
        yield f"{exchange.findings} upheld"
    if refuted:
        yield f"{refuted} {REFUTED}"
    if unfounded:
        yield f"{unfounded} {UNFOUNDED}"
    if unjudged:
        yield f"{unjudged} {UNJUDGED}"
    if len(reasons) == 1:
        yield from (f"{number} discarded ({reason})" for reason, number in reasons.items())
    elif reasons:
        listed = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
        yield f"{sum(reasons.values())} discarded ({listed})"
