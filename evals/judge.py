"""Measure how well the judge separates findings that are worth raising from wrong ones, and fit the judge
that ships.

    python evals/judging_pool.py again --clones DIR --examples FILE
    python evals/judge.py [--judgements DIR] [--write FILE]

The rows are the judged findings that the present version reports, ``facts.csv`` in the folder of the
judgements. Ten folds of repositories: each finding is scored by a judge that was fitted without its
repository. The scorers are ``rule`` (the smoothed share of the rule), ``rates`` (the shares of the rule, its
defect class and its tool, also for this kind of file), ``numbers`` (features of the finding), both, which is
the judge, and boosted trees over both.

For each: how often a finding with the verdict ranks above one without (AUC) and the log-loss, with intervals
of 95% by bootstrap over repositories. ``later`` fits on the earlier half of the days and scores the later
half in other repositories; ``other rules`` fits without the rules that it scores. Then the effect for a user:
warnings that remain warnings, and notes that are not folded; and how many findings an additional comment line
changes. ``--write`` writes the judge of all rows.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from judging_pool import pool

from wardround import host
from wardround.findings import Severity
from wardround.processors.judge.facts import FindingFacts
from wardround.processors.judge.features import FEATURES, RATES
from wardround.processors.judge.judge_findings import decide_severity, is_foldable
from wardround.processors.judge.model import Judge, default_judge, judge_content
from wardround.rules.judgement_files import load_judgements
from wardround.rules.judgements import Judgement, Verdict
from wardround_lab.evaluation.judging.agreement import majority_verdicts
from wardround_lab.evaluation.judging.facts_table import ReadFinding, read_facts, read_findings
from wardround_lab.evaluation.judging.standing import read_overrides
from wardround_lab.training import conditional_logit
from wardround_lab.training.bootstrap import Figure, Repositories, auc
from wardround_lab.training.gradient_boosting import BoostingRecipe, train
from wardround_lab.training.judge.fit import JUDGED, RIDGE, THRESHOLDS, fit_judge, folds
from wardround_lab.training.judge.rows import Flags, Floats, flags, rate_table, training_rows, unseen_rows

DRAWS = 1000
SEED = 7
TREES = BoostingRecipe(rounds=150, rate=0.04, leaves=8, smallest_leaf=30, ridge=5.0, columns=0.5)
SEEDS = (0, 1)
LEAST = 1e-4
FRESH_KIND = "default rules"
"""Prefix of the kinds of repositories in which all warnings of the reviewed commits were judged."""
WARNINGS = (0.0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
NOTES = ((0.0, 1.0), (0.0, 0.3), (0.0, 0.2), (0.03, 0.3), (0.05, 0.3), (0.05, 0.2), (0.08, 0.3), (0.1, 0.3))
"""(least probability of worth, most of wrong)."""

Scorer = Callable[[Floats, Flags, Floats], Floats]
"""(rows to fit, their classes, rows to score) -> probabilities."""
Scores = dict[Verdict, dict[str, Floats]]
"""Verdict -> scorer -> the probability of each finding."""


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


def split_scores(
    findings: Sequence[ReadFinding], known: Flags, unseen: Flags, verdict: Verdict, score: Scorer
) -> Floats:
    """Return the probabilities of some findings by a judge that was fitted on others."""
    first, second = (
        [item for item, is_in in zip(findings, part, strict=True) if is_in] for part in (known, unseen)
    )
    right = flags(first, verdict)
    return score(training_rows(first), right, unseen_rows(second, rate_table(first)))


def out_of_fold_probabilities(findings: Sequence[ReadFinding], verdict: Verdict, score: Scorer) -> Floats:
    """Return the probability of each finding by a judge that was fitted without its fold."""
    found, fold = np.zeros(len(findings)), folds(findings)
    for number in sorted(set(fold)):
        found[fold == number] = split_scores(findings, fold != number, fold == number, verdict, score)
    return found


def later(findings: Sequence[ReadFinding], verdict: Verdict, score: Scorer) -> float:
    """Return the AUC on the later half of the days, in repositories that the earlier half does not have."""
    cut = float(np.median([finding.day for finding in findings]))
    is_known = np.array([sum(finding.repository.encode()) % 2 == 0 for finding in findings])
    is_early = np.array([finding.day <= cut for finding in findings])
    unseen = ~is_early & ~is_known
    scores = split_scores(findings, is_early & is_known, unseen, verdict, score)
    return auc(scores, flags(findings, verdict)[unseen])


def other_rules(findings: Sequence[ReadFinding], verdict: Verdict, score: Scorer) -> float:
    """Return the AUC for findings whose repository and rule were both excluded from the fit."""
    fold, found = folds(findings), np.zeros(len(findings))
    group = np.array([sum(finding.facts.rule.encode()) % 3 for finding in findings])
    for number in sorted(set(fold)):
        for part in range(3):
            unseen = (fold == number) & (group == part)
            if unseen.any():
                known = (fold != number) & (group != part)
                found[unseen] = split_scores(findings, known, unseen, verdict, score)
    return auc(found, flags(findings, verdict))


def loss(repositories: Repositories, scores: Floats, right: Flags) -> Figure:
    likely = np.clip(np.where(right, scores, 1 - scores), LEAST, 1.0)
    return repositories.mean(-np.log(likely))


def text(figure: Figure) -> str:
    item = figure.interval()
    return f"{item.value:.3f} [{item.low:.3f}, {item.high:.3f}]"


def ladder(findings: Sequence[ReadFinding]) -> Scores:
    """Print the figures of each scorer, and return the probabilities."""
    found: Scores = {}
    repositories = Repositories.resample([finding.repository for finding in findings], seed=SEED, draws=DRAWS)
    for verdict in JUDGED:
        right = flags(findings, verdict)
        for name, score in scorers(verdict).items():
            scores = out_of_fold_probabilities(findings, verdict, score)
            found.setdefault(verdict, {})[name] = scores
            figures = (
                f"AUC {text(repositories.auc(scores, right))} loss {text(loss(repositories, scores, right))}"
            )
            apart = later(findings, verdict, score), other_rules(findings, verdict, score)
            print(f"{verdict:6} {name:16} {figures} later {apart[0]:.2f} other rules {apart[1]:.2f}")
    return found


def print_auc_by_specialist(findings: Sequence[ReadFinding], found: Scores) -> None:
    """Print the AUC of the judge and of rates for each specialist."""
    names = np.array([finding.facts.specialist for finding in findings])
    for name in sorted(set(names)):
        part = names == name
        for verdict in JUDGED:
            right = flags(findings, verdict)[part]
            if right.any() and not right.all():
                figures = ", ".join(
                    f"{scorer} {auc(found[verdict][scorer][part], right):.2f}"
                    for scorer in ("rule", "rates", "rates + numbers")
                )
                print(f"{name:12} {verdict:6} {right.sum():4} of {part.sum():4}: {figures}")


def share(some: Flags) -> float:
    return float(some.mean()) if len(some) else float("nan")


def decisions(findings: Sequence[ReadFinding], found: Mapping[Verdict, Floats]) -> None:
    """Print what a user would see of the default rules."""
    worth, wrong, rates = flags(findings, Verdict.WORTH), flags(findings, Verdict.WRONG), rate_table(findings)
    runs, level = run_by_default(findings), np.array([finding.facts.severity for finding in findings])
    kept = runs & (level == Severity.WARN)
    print(
        f"\ndefault rules, warnings that are at least so likely to be worth raising; {worth[kept].sum()} are"
    )
    for least in WARNINGS:
        shown = kept & (found[Verdict.WORTH] >= least)
        shares = f"worth {share(worth[shown]):.2f} wrong {share(wrong[shown]):.2f}"
        left = worth[shown].sum() / worth[kept].sum()
        print(f"  >= {least:.2f} {shown.sum():6} {shares} of the worth ones {left:.2f}")
    notes = runs & (level < Severity.ERROR) & ~(kept & (found[Verdict.WORTH] >= THRESHOLDS.warning))
    print("default rules, notes and warnings below the threshold that are not folded")
    fixed = np.array([not is_foldable(finding.facts, rates) for finding in findings])
    for least, most in NOTES:
        shown = notes & (fixed | ((found[Verdict.WORTH] >= least) & (found[Verdict.WRONG] <= most)))
        shares = f"worth {share(worth[shown]):.2f} wrong {share(wrong[shown]):.2f}"
        left = f"of the worth ones {worth[shown].sum() / worth[notes].sum():.3f}"
        print(f"  worth >= {least:.2f} wrong <= {most:.2f} {shown.sum():6} of {notes.sum()} {shares} {left}")


def run_by_default(findings: Sequence[ReadFinding]) -> Flags:
    """Return which findings are of rules that run by default."""
    catalogue = host.load().catalogue
    return np.array([catalogue.rule(finding.facts.rule).maturity.runs(preview=False) for finding in findings])


def print_remaining_warnings(findings: Sequence[ReadFinding], found: Mapping[str, Floats]) -> None:
    """Print the warnings that each scorer leaves: of the pool, and of the readings of newest commits."""
    fresh = {name for kind, names in pool().items() if kind.startswith(FRESH_KIND) for name in names}
    is_warning = run_by_default(findings) & np.array(
        [finding.facts.severity == Severity.WARN for finding in findings]
    )
    parts = {
        "all": is_warning,
        "newest commits": is_warning & np.array([finding.repository in fresh for finding in findings]),
    }
    for title, part in parts.items():
        for name, scores in {"without": np.ones(len(findings)), **found}.items():
            shown = part & (scores >= THRESHOLDS.warning)
            some = [one for one, is_in in zip(findings, shown, strict=True) if is_in]
            repositories = Repositories.resample(
                [finding.repository for finding in some], seed=SEED, draws=DRAWS
            )
            figures = ", ".join(
                f"{verdict} {text(repositories.mean(flags(some, verdict).astype(float)))}"
                for verdict in JUDGED
            )
            print(f"{title:15} {name:16} {len(some):5} warnings: {figures}")


def calibration(findings: Sequence[ReadFinding], found: Mapping[Verdict, Floats]) -> None:
    """Print the mean probability and the share of the verdict, in fifths by the probability."""
    for verdict in JUDGED:
        right, scores = flags(findings, verdict), found[verdict]
        parts = np.array_split(np.argsort(scores, kind="stable"), 5)
        pairs = ", ".join(f"{scores[part].mean():.2f} {right[part].mean():.2f}" for part in parts)
        print(f"{verdict}: probability and share in fifths: {pairs}")


def with_comment(findings: Sequence[ReadFinding], judge: Judge) -> None:
    """Print how many findings are shown otherwise if the change has one comment line more above them."""
    changed: Counter[str] = Counter()
    for finding in findings:
        facts = finding.facts
        inside = facts.function_lines + 1 if facts.function_lines else facts.function_lines
        more = msgspec.structs.replace(
            facts, lines=facts.lines + 1, added_lines=facts.added_lines + 1, function_lines=inside
        )
        before, after = shown_as(facts, judge), shown_as(more, judge)
        if before != after:
            changed[f"{before} -> {after}"] += 1
    print(f"\nwith a comment line more: {dict(changed)} of {len(findings)}")


def shown_as(facts: FindingFacts, judge: Judge) -> str:
    """Return the severity with which a finding is shown, or "folded"."""
    severity, is_unlikely = decide_severity(
        facts.severity, *judge.probabilities(facts), judge.file.thresholds
    )
    return "folded" if is_unlikely and is_foldable(facts, judge.file.rates) else severity.label


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judgements", type=Path, default=Path(__file__).parent / "judgements")
    parser.add_argument("--write", type=Path, help="write the judge of all rows")
    arguments = parser.parse_args()
    judgements: list[Judgement] = load_judgements(arguments.judgements)
    findings = read_findings(read_facts(arguments.judgements), majority_verdicts(judgements))
    print(f"{len(findings)} findings of {len({finding.repository for finding in findings})} repositories")
    if arguments.write is not None:
        judge = fit_judge(
            findings, max(judgement.date for judgement in judgements), read_overrides(arguments.judgements)
        )
        content = judge_content(judge)
        arguments.write.write_bytes(content)
        print(f"{arguments.write}: {len(content)} bytes")
        return
    found = ladder(findings)
    print_auc_by_specialist(findings, found)
    probabilities = {verdict: found[verdict]["rates + numbers"] for verdict in JUDGED}
    calibration(findings, probabilities)
    decisions(findings, probabilities)
    print_remaining_warnings(findings, found[Verdict.WORTH])
    with_comment(findings, default_judge())


if __name__ == "__main__":
    main()
