"""How well rates of verdicts, facts about a finding and its text tell findings that are worth raising.

    python evals/judging_pool.py again --clones DIR --examples FILE
    python evals/judge.py FILE [--judgements DIR] [--json FILE]

Ten folds of repositories: each finding is scored by a judge that was fitted without its repository. The
scorers are ``rule`` (the smoothed share of the rule), ``rates`` (those of the rule, its defect class and its
tool, in this kind of file too), ``numbers`` (facts about the finding), both, and boosted trees over both.
For each: how often a finding that is worth raising ranks above one that is not (AUC), and the same for wrong
ones, with intervals of 95% by bootstrap over repositories. Then what a user would see: findings at warn and
above with at least some probability of being worth raising, and findings with at most some probability of
being wrong. ``later`` fits on the earlier half of the days and scores the later half in other repositories.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from wardround.findings import Severity
from wardround.inference.metadata import Interval
from wardround.processors.judge.features import FEATURES, RATES
from wardround.rules.judgements import Verdict
from wardround.storage.judgement_files import load_judgements
from wardround_lab.evaluation.judging.agreement import resolved
from wardround_lab.evaluation.judging.examples import ReviewedExamples
from wardround_lab.evaluation.judging.judge_rows import (
    Floats,
    ReadExample,
    rate_table,
    read_examples,
    training_rows,
    unseen_rows,
)
from wardround_lab.evaluation.judging.row_file import RowFile
from wardround_lab.training import conditional_logit
from wardround_lab.training.bootstrap import Flags, Repositories, auc
from wardround_lab.training.gradient_boosting import BoostingRecipe, train

FOLDS = 10
DRAWS = 1000
SEED = 7
RIDGE = 20.0
TREES = BoostingRecipe(rounds=150, rate=0.04, leaves=8, smallest_leaf=30, ridge=5.0, columns=0.5)
SEEDS = (0, 1)
WORTH_AT_LEAST = (0.3, 0.4, 0.5, 0.6)
WRONG_AT_MOST = (0.1, 0.2, 0.3, 0.4, 0.5)

Scorer = Callable[[Floats, Flags, Floats], Floats]
"""(rows to fit, their classes, rows to score) -> probabilities."""


def columns(names: Sequence[str]) -> list[int]:
    return [FEATURES.index(name) for name in names]


def logistic(names: Sequence[str]) -> Scorer:
    chosen = columns(names)

    def score(rows: Floats, right: Flags, unseen: Floats) -> Floats:
        fitted = conditional_logit.fit(rows[:, chosen], right, ridge=RIDGE)
        return conditional_logit.probabilities(fitted.scores(unseen[:, chosen]))

    return score


def trees(rows: Floats, right: Flags, unseen: Floats) -> Floats:
    scores = [
        train(rows, right, FEATURES, msgspec.structs.replace(TREES, seed=seed)).scores(unseen)
        for seed in SEEDS
    ]
    return conditional_logit.probabilities(np.mean(scores, axis=0))


def scorers(verdict: Verdict) -> dict[str, Scorer]:
    return {
        "rule": logistic([f"rule-{verdict}"]),
        "rates": logistic(RATES),
        "numbers": logistic(FEATURES[len(RATES) :]),
        "rates + numbers": logistic(FEATURES),
        "trees": trees,
    }


def folds(examples: Sequence[ReadExample]) -> Floats:
    """Return the fold of each finding; a repository is in one."""
    names = sorted({one.repository for one in examples})
    np.random.default_rng(SEED).shuffle(names)
    fold = {name: number % FOLDS for number, name in enumerate(names)}
    return np.array([fold[one.repository] for one in examples])


def held_out(examples: Sequence[ReadExample], right: Flags, score: Scorer) -> Floats:
    """Return the probability of each finding by a judge that was fitted without its fold."""
    found, fold = np.zeros(len(examples)), folds(examples)
    for number in range(FOLDS):
        fitted = [one for one, part in zip(examples, fold, strict=True) if part != number]
        unseen = [one for one, part in zip(examples, fold, strict=True) if part == number]
        rows = training_rows(fitted), unseen_rows(unseen, rate_table(fitted))
        found[fold == number] = score(rows[0], right[fold != number], rows[1])
    return found


def later(examples: Sequence[ReadExample], right: Flags, score: Scorer) -> float:
    """Return the AUC on the later half of the days, in repositories that the earlier half does not have."""
    cut = float(np.median([one.day for one in examples]))
    known = {one.repository for one in examples if hash_half(one.repository)}
    fitted = np.array([one.day <= cut and one.repository in known for one in examples])
    unseen = np.array([one.day > cut and one.repository not in known for one in examples])
    first, second = (
        [one for one, is_in in zip(examples, part, strict=True) if is_in] for part in (fitted, unseen)
    )
    rows = training_rows(first), unseen_rows(second, rate_table(first))
    return auc(score(rows[0], right[fitted], rows[1]), right[unseen])


def hash_half(name: str) -> bool:
    return sum(name.encode()) % 2 == 0


def share(flags: Flags) -> float:
    return float(flags.mean()) if len(flags) else float("nan")


def text(figure: Interval) -> str:
    return f"{figure.value:.2f} [{figure.low:.2f}, {figure.high:.2f}]"


def ladder(examples: Sequence[ReadExample]) -> dict[str, dict[str, Floats]]:
    """Print the AUC of each scorer, and return the probabilities: verdict -> scorer -> one each."""
    found: dict[str, dict[str, Floats]] = {}
    repositories = Repositories.resample([one.repository for one in examples], seed=SEED, draws=DRAWS)
    for verdict in (Verdict.WORTH, Verdict.WRONG):
        right = np.array([one.verdict is verdict for one in examples])
        for name, score in scorers(verdict).items():
            scores = held_out(examples, right, score)
            found.setdefault(verdict, {})[name] = scores
            figure = text(repositories.auc(scores, right).interval())
            print(f"{verdict:6} {name:16} AUC {figure}  later {later(examples, right, score):.2f}")
    return found


def decisions(examples: Sequence[ReadExample], found: dict[str, dict[str, Floats]], name: str) -> None:
    """Print what a user would see with the probabilities of a scorer."""
    worth = np.array([one.verdict is Verdict.WORTH for one in examples])
    wrong = np.array([one.verdict is Verdict.WRONG for one in examples])
    serious = np.array([one.example.facts.severity >= Severity.WARN for one in examples])
    print(f"\n{name}: findings at warn and above, by the probability of being worth raising")
    for least in (0.0, *WORTH_AT_LEAST):
        shown = serious & (found[Verdict.WORTH][name] >= least)
        shares = f"worth {share(worth[shown]):.2f} wrong {share(wrong[shown]):.2f}"
        print(f"  >= {least:.1f} {shown.sum():6} {shares}")
    print(f"{name}: all findings, by the probability of being wrong")
    for most in (*WRONG_AT_MOST, 1.0):
        shown = found[Verdict.WRONG][name] <= most
        kept = worth[shown].sum() / worth.sum()
        print(f"  <= {most:.1f} {shown.sum():6} wrong {share(wrong[shown]):.2f} worth kept {kept:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("examples", type=Path)
    parser.add_argument("--judgements", type=Path, default=Path(__file__).parent / "judgements")
    parser.add_argument("--json", type=Path, help="write the probabilities of each finding")
    arguments = parser.parse_args()
    reviewed = RowFile(arguments.examples, ReviewedExamples).rows
    examples = read_examples(reviewed, resolved(load_judgements(arguments.judgements)))
    print(f"{len(examples)} findings of {len({one.repository for one in examples})} repositories")
    found = ladder(examples)
    for name in ("rates + numbers", "trees"):
        decisions(examples, found, name)
    if arguments.json is not None:
        arguments.json.write_text(
            json.dumps({verdict: {n: list(s) for n, s in some.items()} for verdict, some in found.items()})
        )


if __name__ == "__main__":
    main()
