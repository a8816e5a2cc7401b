"""Measure how much the text of a finding (its rule, its message and the code around it) adds to the judge.

    python evals/judging_pool.py again --clones DIR --examples FILE
    python evals/judge_text.py FILE --out FOLDER [--judgements DIR] [--write-task] [--lora]

FILE has the code of the judged findings. In each of ten folds of repositories every scorer is fitted without
the fold. All but ``text`` add to the log-odds of the judge, which is fitted within the same nine folds: the
words of the text (TF-IDF of words and of parts of words), the vector of the frozen base model, and with
``--lora`` the base model with LoRA in all layers, which is trained for both probabilities at once, as
``judge_lora.py`` left it in FOLDER (``--write-task`` writes the findings for it and ends). Controls:
``permuted`` has the vectors exchanged among the findings of a rule, ``text`` has no judge.

For each: the AUC and the gain over the judge (AUC, log-loss), with intervals of 95% by bootstrap over
repositories, of all findings and of each specialist.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from judge import warnings_left
from judge_lora import Task, score_file

from wardround.config.schema import RunSettings
from wardround.inference.base_embedder import base_embedder
from wardround.rules.judgement_files import load_judgements
from wardround.rules.judgements import Verdict, key_id
from wardround_lab.evaluation.judging.agreement import majority_verdicts
from wardround_lab.evaluation.judging.examples import JudgedExample, ReviewedExamples
from wardround_lab.evaluation.judging.facts_table import ReadFinding, facts_of, read_findings
from wardround_lab.evaluation.judging.row_file import RowFile
from wardround_lab.training import conditional_logit
from wardround_lab.training.bootstrap import Repositories
from wardround_lab.training.judge.fit import JUDGED, folds, held_out, held_out_of
from wardround_lab.training.judge.rows import Flags, Floats, flags

SEED = 7
DRAWS = 1000
LEAST = 1e-4
RIDGE = 300.0
"""Penalty on the weights of a vector of 384 numbers."""
WORDS_RIDGE = 3.0
AROUND = 6
"""Lines of code before and after the finding."""
MARK = ">>"

Scores = Mapping[Verdict, Floats]
Fit = Callable[[Flags, Floats, Flags, Floats], Floats]
"""(rows to fit on, log-odds of the judge for all rows, classes of all rows, rows to score) -> log-odds."""


def text_of(example: JudgedExample) -> str:
    """Return the text of a finding: rule, message and the lines around it, its own marked."""
    at = example.key.line - example.first_line
    lines = []
    for number, line in enumerate(example.code):
        if abs(number - at) <= AROUND:
            lines.append(
                f"{MARK} {line}" if at <= number <= at + example.end_line - example.key.line else line
            )
    return "\n".join([f"{example.key.rule} {example.facts.kind}: {example.message}", *lines])


def load(file: Path, judgements: Path) -> tuple[list[ReadFinding], list[str]]:
    """Return the findings, and their texts in the same order."""
    reviewed = RowFile(file, ReviewedExamples).rows
    verdicts = majority_verdicts(load_judgements(judgements))
    findings = read_findings(facts_of(reviewed, verdicts), verdicts)
    texts = {key_id(example.key): text_of(example) for row in reviewed for example in row.examples}
    return findings, [texts.get(finding.id, finding.facts.rule) for finding in findings]


def nested(findings: Sequence[ReadFinding]) -> list[Scores]:
    """For each fold, return the log-odds of the judge: of the fold by all others, of these held out."""
    fold, found = folds(findings), []
    for number in sorted(set(fold)):
        known = fold != number
        inner = held_out([item for item, is_in in zip(findings, known, strict=True) if is_in])
        outer = held_out_of(findings, known)
        scores = {}
        for verdict in JUDGED:
            probabilities = outer[verdict].copy()
            probabilities[known] = inner[verdict]
            scores[verdict] = np.log(np.clip(probabilities, LEAST, 1)) - np.log(
                np.clip(1 - probabilities, LEAST, 1)
            )
        found.append(scores)
    return found


def linear(vectors: Floats, *, is_alone: bool = False) -> Fit:
    def fit(known: Flags, judge: Floats, right: Flags, unseen: Flags) -> Floats:
        columns = vectors if is_alone else np.column_stack([judge, vectors])
        rows = columns / columns[known].std(axis=0).clip(1e-9)
        if not is_alone:
            rows[:, 0] *= 30  # the penalty is for the vector, not for the judge
        fitted = ridge_fit(rows[known], right[known], RIDGE)
        return rows[unseen] @ fitted[1:] + fitted[0]

    return fit


def ridge_fit(rows: Floats, right: Flags, ridge: float) -> Floats:
    """Return the bias and the weights of a logistic regression with a penalty on the raw columns."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1 / ridge, max_iter=2000)
    model.fit(rows, right)
    return np.concatenate([model.intercept_, model.coef_[0]])


def words(texts: Sequence[str]) -> Fit:
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_union

    def fit(known: Flags, judge: Floats, right: Flags, unseen: Flags) -> Floats:
        union = make_union(
            TfidfVectorizer(min_df=3, sublinear_tf=True, token_pattern=r"[A-Za-z_]\w+"),
            TfidfVectorizer(min_df=5, sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5)),
        )
        columns = union.fit_transform([item for item, is_in in zip(texts, known, strict=True) if is_in])
        others = union.transform([item for item, is_in in zip(texts, unseen, strict=True) if is_in])
        model = LogisticRegression(C=1 / WORDS_RIDGE, max_iter=2000)
        scale = 10 / judge[known].std()
        model.fit(hstack([csr_matrix(judge[known, None] * scale), columns]), right[known])
        return model.decision_function(hstack([csr_matrix(judge[unseen, None] * scale), others]))

    return fit


def permuted(vectors: Floats, findings: Sequence[ReadFinding]) -> Floats:
    """Return the vectors exchanged among the findings of a rule."""
    rules: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(findings):
        rules[item.facts.rule].append(number)
    generator, order = np.random.default_rng(SEED), np.arange(len(findings))
    for members in rules.values():
        order[members] = generator.permutation(members)
    return vectors[order]


def scored(findings: Sequence[ReadFinding], judge: Sequence[Scores], fit: Fit) -> dict[Verdict, Floats]:
    fold, found = folds(findings), {verdict: np.zeros(len(findings)) for verdict in JUDGED}
    for number in sorted(set(fold)):
        for verdict in JUDGED:
            unseen = fold == number
            found[verdict][unseen] = fit(
                ~unseen, judge[int(number)][verdict], flags(findings, verdict), unseen
            )
    return {verdict: conditional_logit.probabilities(scores) for verdict, scores in found.items()}


def report(findings: Sequence[ReadFinding], found: Mapping[str, Scores]) -> None:
    """Print the AUC of each scorer and its gain over the judge."""
    specialists = np.array([finding.facts.specialist for finding in findings])
    for name in ("", *sorted(set(specialists))):
        part = (specialists == name) if name else np.ones(len(findings), dtype=bool)
        some = [one for one, is_in in zip(findings, part, strict=True) if is_in]
        repositories = Repositories.resample([finding.repository for finding in some], seed=SEED, draws=DRAWS)
        for verdict in JUDGED:
            right = flags(some, verdict)
            if min(right.sum(), (~right).sum()) < 10:
                continue
            base = found["judge"][verdict][part]
            for scorer, scores in found.items():
                own = scores[verdict][part]
                value = repositories.auc(own, right)
                text = f"AUC {value.value:.3f}"
                if scorer != "judge":
                    gain = value.difference(repositories.auc(base, right)).interval()
                    less = repositories.mean(loss(base, right) - loss(own, right)).interval()
                    text += f", gain {gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"
                    text += f", log-loss lower by {less.value:+.4f} [{less.low:+.4f}, {less.high:+.4f}]"
                print(f"{name or 'all':12} {verdict:6} {scorer:12} {text}")


def loss(scores: Floats, right: Flags) -> Floats:
    return -np.log(np.clip(np.where(right, scores, 1 - scores), LEAST, 1.0))


def write_task(
    findings: Sequence[ReadFinding], texts: Sequence[str], judge: Sequence[Scores], folder: Path
) -> None:
    """Write the findings for ``judge_lora.py``."""
    Task(
        texts=np.array(texts),
        repositories=np.array([finding.repository for finding in findings]),
        specialists=np.array([finding.facts.specialist for finding in findings]),
        fold=folds(findings),
        offsets=np.array(
            [np.column_stack([scores[verdict] for verdict in JUDGED]) for scores in judge]
        ).astype(np.float32),
        right=np.column_stack([flags(findings, verdict) for verdict in JUDGED]).astype(np.float32),
    ).save(folder)


def trained(fold: Floats, folder: Path) -> dict[str, Scores]:
    """Return the probabilities of the trained models whose folds are complete, and the means over seeds."""
    found: dict[str, Scores] = {}
    for kind in ("shared", "apart"):
        seeds = []
        while all(score_file(folder, kind, len(seeds), int(number)).exists() for number in set(fold)):
            odds = np.zeros((len(fold), len(JUDGED)))
            for number in sorted(set(fold)):
                odds[fold == number] = np.load(score_file(folder, kind, len(seeds), int(number)))
            seeds.append(odds)
        for seed, odds in enumerate(seeds):
            found[f"{kind} {seed}"] = _scores_of_columns(odds)
        if len(seeds) > 1:
            found[f"{kind} mean"] = _scores_of_columns(np.mean(seeds, axis=0))
    return found


def _scores_of_columns(odds: Floats) -> Scores:
    return {
        verdict: conditional_logit.probabilities(odds[:, column]) for column, verdict in enumerate(JUDGED)
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("examples", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judgements", type=Path, default=Path(__file__).parent / "judgements")
    parser.add_argument("--write-task", action="store_true")
    parser.add_argument("--lora", action="store_true")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    findings, texts = load(arguments.examples, arguments.judgements)
    print(f"{len(findings)} findings of {len({finding.repository for finding in findings})} repositories")
    judge = nested(findings)
    if arguments.write_task:
        write_task(findings, texts, judge, arguments.out)
        return
    vectors = base_embedder(RunSettings(), Path()).embed(texts).astype(np.float64)
    found: dict[str, Scores] = {
        "judge": scored(findings, judge, lambda known, odds, right, unseen: odds[unseen]),
        "text": scored(findings, judge, linear(vectors, is_alone=True)),
        "words": scored(findings, judge, words(texts)),
        "frozen": scored(findings, judge, linear(vectors)),
        "permuted": scored(findings, judge, linear(permuted(vectors, findings))),
    }
    if arguments.lora:
        found |= trained(folds(findings), arguments.out)
    report(findings, found)
    warnings_left(findings, {name: scores[Verdict.WORTH] for name, scores in found.items()})


if __name__ == "__main__":
    main()
