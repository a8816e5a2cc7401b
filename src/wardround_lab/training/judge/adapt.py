"""A judge for a team: the rates of the shipped one and of the team's own judgements, calibrated on these.

The shipped regressions remain; two numbers for each of them are fitted, so that a few hundred judgements are
enough. The judge is written only if it predicts the team's verdicts better than the shipped one does, in
parts of the judgements that it was not fitted on.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import msgspec
import numpy as np

from wardround.errors import TrainingError
from wardround.inference.metadata import Interval
from wardround.processors.judge.features import FEATURES
from wardround.processors.judge.model import JudgeFile, Regression
from wardround_lab.evaluation.judging.facts_table import ReadFinding
from wardround_lab.training import conditional_logit
from wardround_lab.training.bootstrap import Repositories
from wardround_lab.training.judge.fit import JUDGED
from wardround_lab.training.judge.rows import Floats, flags, rate_table, unseen_rows

FEWEST = 100
"""Judged findings below which nothing is fitted."""
FEWEST_UNITS = 8
"""Fewest commits or repositories for an interval."""
_PARTS = 5
_DRAWS = 1000
_LEAST = 1e-3
_RIDGE = 5.0


class Adaptation(msgspec.Struct, frozen=True):
    """A team's judge, and the evidence for it.

    Attributes:
        gain: how much lower the log-loss of both probabilities is than that of the shipped judge, on
            judgements that it was not fitted on.
    """

    file: JudgeFile
    gain: Interval

    @property
    def is_better(self) -> bool:
        """Return True if the lower bound of the gain is above 0."""
        return self.gain.low > 0


def adapt(shipped: JudgeFile, findings: Sequence[ReadFinding], until: datetime.date) -> Adaptation:
    """Return the judge of a team.

    Args:
        until: the day of the last judgement.

    Raises:
        TrainingError: there are too few judgements, or all of them agree.
    """
    if len(findings) < FEWEST:
        raise TrainingError(
            f"{len(findings)} judged findings are reported by this version; {FEWEST} are needed: "
            "judge more with wardround eval judge"
        )
    units = _units(findings)
    if len(set(units)) < FEWEST_UNITS:
        raise TrainingError(
            f"the judged findings are of {len(set(units))} commits; {FEWEST_UNITS} are needed: judge others"
        )
    for verdict in JUDGED:
        right = flags(findings, verdict)
        if right.all() or not right.any():
            raise TrainingError(f"every or no judged finding is {verdict}, so nothing can be learned")
    file = msgspec.structs.replace(
        _adapt_judge(shipped, findings),
        until=max(until.isoformat(), shipped.until),
        repositories=shipped.repositories + len({finding.repository for finding in findings}),
    )
    return Adaptation(file, _gain(shipped, findings, units))


def _units(findings: Sequence[ReadFinding]) -> list[str]:
    """Return the repository of each finding, or its commit where there are few repositories."""
    repositories = [finding.repository for finding in findings]
    if len(set(repositories)) >= FEWEST_UNITS:
        return repositories
    return [finding.commit for finding in findings]


def _adapt_judge(shipped: JudgeFile, findings: Sequence[ReadFinding]) -> JudgeFile:
    """Return the judge with the rates of the findings, its regressions calibrated on them."""
    rows = unseen_rows(findings, shipped.rates)
    found = {}
    for verdict in JUDGED:
        known: Regression = getattr(shipped, verdict.value)
        scores = _scores(known, rows)
        right = flags(findings, verdict)
        if right.all() or not right.any():
            raise TrainingError(
                f"every or no judged finding of a part of the commits is {verdict}, so that nothing can be "
                "learned there; judge more commits"
            )
        fitted = conditional_logit.fit(scores[:, None], right, ridge=_RIDGE)
        slope = fitted.weights[0]
        found[verdict.value] = Regression(
            slope * known.bias + fitted.bias, {name: slope * value for name, value in known.weights.items()}
        )
    return msgspec.structs.replace(shipped, rates=shipped.rates.plus(rate_table(findings)), **found)


def _scores(regression: Regression, rows: Floats) -> Floats:
    """Return the log-odds, shape (rows,)."""
    found: Floats = rows @ np.array([regression.weights[name] for name in FEATURES]) + regression.bias
    return found


def _gain(shipped: JudgeFile, findings: Sequence[ReadFinding], units: Sequence[str]) -> Interval:
    part_of = {name: number % _PARTS for number, name in enumerate(sorted(set(units)))}
    parts, gained = np.array([part_of[name] for name in units]), np.zeros(len(findings))
    for number in range(_PARTS):
        known = [finding for finding, part in zip(findings, parts, strict=True) if part != number]
        unseen = [finding for finding, part in zip(findings, parts, strict=True) if part == number]
        gained[parts == number] = _loss(shipped, unseen) - _loss(_adapt_judge(shipped, known), unseen)
    return Repositories.resample(units, draws=_DRAWS).mean(gained).interval()


def _loss(judge: JudgeFile, findings: Sequence[ReadFinding]) -> Floats:
    """Return the log-loss of both probabilities of each finding, shape (findings,)."""
    rows, losses = unseen_rows(findings, judge.rates), np.zeros(len(findings))
    for verdict in JUDGED:
        scores = conditional_logit.probabilities(_scores(getattr(judge, verdict.value), rows))
        likely = np.where(flags(findings, verdict), scores, 1 - scores)
        losses -= np.log(np.clip(likely, _LEAST, 1.0))
    return losses
