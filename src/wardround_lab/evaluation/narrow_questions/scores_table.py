"""The scores of a model as a table."""

from __future__ import annotations

from collections.abc import Iterator

from wardround_lab.evaluation.narrow_questions.scores import Measured, Proportion, Score

_HEAD = (
    f"{'cases':>5} {'accuracy':>16} {'found':>6} {'passed':>6} {'unclear':>7} {'invalid':>7} {'seconds':>7} "
    f"{'rules':>16}"
)


def lines(result: Measured) -> Iterator[str]:
    """Yield the scores as a table, one line for each question, for each specialist, and for all."""
    base = f" {'base':>16}" if result.base_model else ""
    yield f"{_HEAD}{base}  {result.model}"
    for score in (*result.questions, *result.specialists, result.total):
        yield _line(score, with_base=bool(result.base_model))
    for problem, number in sorted(result.problems.items()):
        yield f"{number} cases without an answer: {problem}"


def _line(score: Score, *, with_base: bool) -> str:
    base = f" {_format_interval(score.base):>16}" if with_base else ""
    return (
        f"{score.cases:5} {_format_interval(score.accuracy):>16} {_percent(score.found):>6} "
        f"{_percent(score.passed):>6} {score.unclear.hits:7} {score.invalid.hits:7} {score.seconds:7.2f} "
        f"{_format_interval(score.rules):>16}{base}  {score.name}"
    )


def _format_interval(part: Proportion | None) -> str:
    if part is None or not part.of:
        return "-"
    return f"{_percent(part)} [{100 * part.low:.0f}, {100 * part.high:.0f}]"


def _percent(part: Proportion) -> str:
    return f"{100 * part.hits / part.of:.0f}%" if part.of else "-"
