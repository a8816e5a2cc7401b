"""The judge from judged findings: rates, two regressions, and thresholds."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from wardround.errors import TrainingError
from wardround.processors.judge.features import FEATURES
from wardround.processors.judge.model import JudgeFile, Regression, Thresholds
from wardround.rules.judgements import Verdict
from wardround_lab.evaluation.judging.facts_table import ReadFinding
from wardround_lab.training import conditional_logit
from wardround_lab.training.judge.rows import Flags, Floats, flags, rate_table, training_rows, unseen_rows

RIDGE = 20.0
FOLDS = 10
SEED = 7
THRESHOLDS = Thresholds(warning=0.45, note=0.04, wrong=0.3)
"""Chosen on held-out probabilities, see evals/README.md."""

Probabilities = Mapping[Verdict, Floats]
"""Verdict -> the probability of each finding."""
JUDGED = (Verdict.WORTH, Verdict.WRONG)


def fit_judge(findings: Sequence[ReadFinding], until: datetime.date, exempt: Iterable[str] = ()) -> JudgeFile:
    """Return the judge of all findings.

    Args:
        until: the day of the last judgement.
        exempt: patterns of rules that are neither lowered nor folded.

    Raises:
        TrainingError: one of the verdicts does not occur.
    """
    if len({finding.repository for finding in findings}) < 2:
        raise TrainingError("the judged findings are of one repository; judge those of others, too")
    rows = training_rows(findings)
    worth, wrong = (_regression(rows, flags(findings, verdict), verdict) for verdict in JUDGED)
    return JudgeFile(
        repositories=len({finding.repository for finding in findings}),
        until=until.isoformat(),
        rates=rate_table(findings),
        worth=worth,
        wrong=wrong,
        thresholds=THRESHOLDS,
        exempt=tuple(exempt),
    )


def _regression(rows: Floats, right: Flags, verdict: Verdict) -> Regression:
    fitted = _fit_verdict(rows, right, verdict)
    return Regression(fitted.bias, dict(zip(FEATURES, fitted.weights, strict=True)))


def _fit_verdict(rows: Floats, right: Flags, verdict: Verdict) -> conditional_logit.Logistic:
    if right.all() or not right.any():
        raise TrainingError(
            f"every or no judged finding is {verdict}, so nothing can be learned; judge more findings"
        )
    return conditional_logit.fit(rows, right, ridge=RIDGE)


def folds(findings: Sequence[ReadFinding]) -> Floats:
    """Return the fold of each finding; a repository is in one."""
    names = sorted({finding.repository for finding in findings})
    np.random.default_rng(SEED).shuffle(names)
    fold = {name: number % FOLDS for number, name in enumerate(names)}
    return np.array([fold[finding.repository] for finding in findings])


def held_out(findings: Sequence[ReadFinding]) -> Probabilities:
    """Return the probabilities of each finding by judges that were fitted without its fold.

    Raises:
        TrainingError: one of the verdicts does not occur.
    """
    found, fold = {verdict: np.zeros(len(findings)) for verdict in JUDGED}, folds(findings)
    for number in sorted(set(fold)):
        scores = held_out_of(findings, fold != number)
        for verdict in JUDGED:
            found[verdict][fold == number] = scores[verdict][fold == number]
    return found


def held_out_of(findings: Sequence[ReadFinding], known: Flags) -> Probabilities:
    """Return the probabilities of the other findings by a judge of the known ones; 0 for these.

    Args:
        known: shape (findings,).

    Raises:
        TrainingError: one of the verdicts does not occur.
    """
    first, second = (
        [finding for finding, is_in in zip(findings, part, strict=True) if is_in] for part in (known, ~known)
    )
    rows, scored = training_rows(first), unseen_rows(second, rate_table(first))
    found = {}
    for verdict in JUDGED:
        fitted = _fit_verdict(rows, flags(first, verdict), verdict)
        found[verdict] = np.zeros(len(findings))
        found[verdict][~known] = conditional_logit.probabilities(fitted.scores(scored))
    return found
