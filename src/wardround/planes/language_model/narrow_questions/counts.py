"""The outcome of narrow questions, as notes, signals and reports state it."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.planes.evidence import QuestionCounts


def question_counts(counts: QuestionCounts) -> str:
    """Return the number of questions and of each outcome: ``3 questions, 1 with a problem``; may be empty."""
    if not counts.sent:
        return ""
    return ", ".join((f"{counts.sent} question{'' if counts.sent == 1 else 's'}", *_outcomes(counts)))


def _outcomes(counts: QuestionCounts) -> Iterator[str]:
    numbers = {
        "with a problem": counts.problems,
        "unclear": counts.unclear,
        "unresolved": counts.unresolved,
        "not sent": counts.omitted,
    }
    yield from (f"{number} {outcome}" for outcome, number in numbers.items() if number)
