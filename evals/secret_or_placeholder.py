"""Classify ambiguous literals as secret or placeholder: a model and scanners on the same lines.

    python evals/secret_or_placeholder.py mine --side training --until 2024-01-01 --keep FOLDER CLONE ...
    python evals/secret_or_placeholder.py mine --side evaluation --since 2024-01-01 --keep FOLDER CLONE ...
    python evals/secret_or_placeholder.py rows --keep FOLDER
    python evals/secret_or_placeholder.py compare --keep FOLDER --model DIR [--detect-secrets PROGRAM]
        [--gitleaks PROGRAM] [--credsweeper PROGRAM] [--json FILE]
    python evals/secret_or_placeholder.py history --model DIR [--commits 300] CLONE ...

``mine`` extracts the ambiguous literals from a repository's trees, presumed not to be secrets, and ``rows``
injects generated secrets into the same lines: a line's name and position do not reveal the label if both
classes occur in it. Evaluation has repositories, days and families of secrets that training does not have.
FOLDER then contains ``SIDE.found`` (the original literals), ``SIDE.cases`` (lines, for scanners),
``SIDE.rows`` (numbers, for ``wardround adapters``), ``asked.rows`` (those of the evaluation that a review
would score) and ``trigrams.txt``, counted in the training code. FOLDER must not be committed. ``compare``
prints recall at the rate of false alarms of each scanner, and by family. ``history`` prints the model's
scores on real commits, most certain first, with the values, which are confidential.
"""

from __future__ import annotations

import argparse
import bisect
import datetime
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from wardround_secrets.classifier import trigrams
from wardround_secrets.classifier.candidates import is_ambiguous
from wardround_secrets.classifier.features import NAMES
from wardround_secrets.classifier.history import (
    PATTERNS,
    HistoricalLiteral,
    found_in,
    names_in,
    review_literals,
)
from wardround_secrets.classifier.synthetic_secrets import FAMILIES

from wardround.inference.metadata import Interval
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory
from wardround_lab.training import evaluate_shipped, tabular_evaluation
from wardround_lab.training.bootstrap import Flags, Floats, Repositories
from wardround_lab.training.calibrate import probability
from wardround_lab.training.promote import model_of

LARGEST = 150_000
NOT_OURS = ("ee/*", "*/ee/*")
DRAWS = 500
YEARS = {True: 1, False: 3}
"""Years between two snapshots of a repository, for evaluation and for training."""
PLANTED, PLANTED_WHERE_ASKED = 2, 10
"""Number of secrets injected into one line; more where there are few lines, and only for evaluation."""
TYPED_ELSEWHERE = 0.35
"""Rate at which a user-chosen password is assigned to a name that does not suggest one."""
LENGTHS = (8, 9, 10, 11, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40, 48, 64)
"""Boundaries of the size groups of rows."""
CHEAP = ("made_length", "made_entropy")
RATES = (0.001, 0.005, 0.01, 0.02, 0.05)
_RANDOM_ANYWAY = re.compile(
    r"(?:^|[^a-z])(?:u?u?id|guid|kid|sha\d*|hash|rev|uid)s?(?:$|[^a-z])|[a-z](?:Id|ID|Uuid|Sha|Hash)s?$|revision"
    r"|commit|digest|checksum|signature|integrity|etag|fingerprint|nonce|ciphertext|colou?r|fill|stroke|version",
    re.IGNORECASE,
)
"""Names that explain a random-looking value; no secret is injected there."""
_WORD = re.compile(r"\b[a-z]{4,9}\b")
_PASSWORD = re.compile(r"pass|pwd", re.IGNORECASE)


Kind = TypeVar("Kind")


class Case(msgspec.Struct, frozen=True):
    """A literal in its line; ``family`` is empty for an original one."""

    found: HistoricalLiteral
    family: str = ""

    @property
    def is_secret(self) -> bool:
        return bool(self.family)


# --- lines


def mined(clone: Path, since: int, until: int) -> tuple[str, list[HistoricalLiteral], Counter[str]]:
    """Return a repository's name, its ambiguous literals of that time, and the names of its code."""
    limits = HistoryLimits(largest=LARGEST, exclude=NOT_OURS, until=until or None)
    with RepositoryHistory(clone, limits=limits) as history:
        commits = snapshots(sorted(zip(history.times(), history.ids(), strict=True)), since)
        found = [literal for literal in found_in(history, commits, broadly=True) if literal.time >= since]
        names = names_in(history, commits[-1][1]) if commits else Counter()
        return history.repository, found, names


def snapshots(commits: Sequence[tuple[int, str]], since: int) -> list[tuple[int, str]]:
    """Return the last commit before ``since``, if any, and one commit per interval of some years after it."""
    times = [when for when, _ in commits]
    first = since or (times[0] if times else 0)
    years = range(datetime.datetime.fromtimestamp(first, datetime.UTC).year, 2200, YEARS[bool(since)])
    ends = [
        since,
        *(int(datetime.datetime(year + 1, 1, 1, tzinfo=datetime.UTC).timestamp()) for year in years),
    ]
    locations = sorted({bisect.bisect_left(times, end) - 1 for end in ends if end})
    return [commits[at] for at in locations if at >= 0]


def words_around(found: Sequence[HistoricalLiteral]) -> list[str]:
    """Return words that people of a project could use in a password: those around its literals."""
    lines = {line for literal in found for line in (*literal.before, *literal.behind)}
    counts = Counter(word for line in lines for word in set(_WORD.findall(line)))
    return sorted(word for word, count in counts.items() if count >= 2) or ["falcon", "garden", "silver"]


def replace_by_secrets(
    found: Sequence[HistoricalLiteral], words: Sequence[str], measuring: bool, rng: random.Random
) -> Iterator[Case]:
    """Return the original literals and generated secrets in their place, if a review would be uncertain."""
    for literal in found:
        if not is_ambiguous(literal.name, literal.value, literal.place):
            continue
        yield Case(literal)
        planted = PLANTED_WHERE_ASKED if measuring and literal.is_named else PLANTED
        for _ in range(0 if _RANDOM_ANYWAY.search(literal.name) and not literal.is_named else planted):
            family = drawn_family(literal, measuring, rng)
            value = FAMILIES[family].make(rng, words)
            if fits(literal, value) and is_ambiguous(literal.name, value, literal.place):
                yield Case(literal.holding(value), family)


def drawn_family(literal: HistoricalLiteral, measuring: bool, rng: random.Random) -> str:
    """Return a random family that fits a name; for evaluation, a held-out one half of the time."""
    typed = (bool(_PASSWORD.search(literal.name)) and rng.random() < 0.7) or rng.random() < TYPED_ELSEWHERE
    held_out = measuring and rng.random() < 0.6
    kinds = [name for name, kind in FAMILIES.items() if (kind.typed, kind.held_out) == (typed, held_out)]
    return rng.choice(sorted(kinds))


def fits(literal: HistoricalLiteral, value: str) -> bool:
    """Return True if a value can be written in the line without changing its syntax."""
    before = literal.line[literal.column - 1] if literal.column else ""
    if before in "\"'`":
        return before not in value and "\\" not in value
    return not set(value) & set(" \t\"'`,;(){}[]<>|&#\\$")


def digest_of(found: HistoricalLiteral) -> str:
    """Return an identifier of a value that does not reveal it."""
    return hashlib.sha256(f"{found.value}\0{found.name}".encode()).hexdigest()[:16]


def row_of(case: Case, weight: float = 1.0) -> tabular_evaluation.FeatureRow:
    found = case.found
    return tabular_evaluation.FeatureRow(
        repository=found.repository,
        time=found.time,
        group=digest_of(found),
        right=case.is_secret,
        features=found.row,
        bin=bisect.bisect_right(LENGTHS, len(found.value)),
        weight=weight,
    )


def mine(given: argparse.Namespace) -> None:
    given.keep.mkdir(parents=True, exist_ok=True)
    since, until = (seconds(day) for day in (given.since, given.until))
    everything: list[HistoricalLiteral] = []
    names: Counter[str] = Counter()
    for clone in given.clones:
        repository, found, of_clone = mined(clone, since, until)
        everything += thinned(found, given.most, random.Random(f"{given.seed} {repository}"))
        names.update(dict.fromkeys(of_clone, 1))
        asked = sum(literal.is_named for literal in found)
        print(f"{repository}: {len(found)} literals, {asked} of them asked about", flush=True)
    write(given.keep / f"{given.side}.found", everything)
    if given.side == "training":
        (given.keep / trigrams.TABLE).write_bytes(trigrams.serialize(trigrams.trigram_table(sorted(names))))
        print(f"{given.keep / trigrams.TABLE}: put it into the plugin before `rows`")


def thinned(found: Sequence[HistoricalLiteral], most: int, rng: random.Random) -> list[HistoricalLiteral]:
    """Return all that a review would ask about, and a limited number of the others."""
    others = [literal for literal in found if not literal.is_named]
    return [literal for literal in found if literal.is_named] + rng.sample(others, min(most, len(others)))


def write(file: Path, values: Iterable[object]) -> None:
    """Write values as JSON lines."""
    encoder = msgspec.json.Encoder()
    file.write_bytes(b"".join(encoder.encode(value) + b"\n" for value in values))


def read(file: Path, kind: type[Kind]) -> list[Kind]:
    decoder = msgspec.json.Decoder(kind)
    return [decoder.decode(line) for line in file.read_bytes().splitlines()]


def write_rows(given: argparse.Namespace) -> None:
    """Write cases and rows for training and evaluation; literals of the training part are not evaluated."""
    training = planted_in(read(given.keep / "training.found", HistoricalLiteral), False, given.seed)
    evaluation = planted_in(_evaluated_literals(given, training), True, given.seed)
    asked = [case for case in evaluation if case.found.is_named]
    write(given.keep / "training.cases", training)
    write(given.keep / "evaluation.cases", evaluation)
    for side, cases in (("training", training), ("evaluation", evaluation), ("asked", asked)):
        right = sum(case.is_secret for case in cases)
        weight = given.rate / (1 - given.rate) * (len(cases) - right) / right
        weight = 1.0 if side == "training" else weight
        rows = [row_of(case, weight if case.is_secret else 1.0) for case in cases]
        write(given.keep / f"{side}.rows", rows)
        repositories = len({row.repository for row in rows})
        print(f"{side}: {len(rows)} rows, {right} generated, {repositories} repositories")


def _evaluated_literals(given: argparse.Namespace, training: Sequence[Case]) -> list[HistoricalLiteral]:
    """Return some literals of each repository on the evaluation side, neither trained on nor real."""
    known = {(case.found.value, case.found.name) for case in training}
    real = set(given.real.read_text("utf-8").split()) if given.real else set()
    by_repository: dict[str, list[HistoricalLiteral]] = {}
    for literal in read(given.keep / "evaluation.found", HistoricalLiteral):
        if (literal.value, literal.name) not in known and digest_of(literal) not in real:
            by_repository.setdefault(literal.repository, []).append(literal)
    thin = (thinned(group, given.most, random.Random(name)) for name, group in by_repository.items())
    return [literal for group in thin for literal in group]


def planted_in(found: Sequence[HistoricalLiteral], measuring: bool, seed: int) -> list[Case]:
    """Return the cases of training or evaluation, by repository."""
    cases: list[Case] = []
    for repository in dict.fromkeys(literal.repository for literal in found):
        own = [literal for literal in found if literal.repository == repository]
        cases += replace_by_secrets(own, words_around(own), measuring, random.Random(f"{seed} {repository}"))
    return cases


def seconds(day: str) -> int:
    when = datetime.date.fromisoformat(day) if day else None
    return int(datetime.datetime.combine(when, datetime.time(), datetime.UTC).timestamp()) if when else 0


# --- scanners


def scanned_by(cases: Sequence[Case], given: argparse.Namespace) -> dict[str, Flags]:
    """Return the lines that each scanner reports, by its name; each line is a separate file."""
    programs = {"detect-secrets": detect_secrets, "gitleaks": gitleaks, "credsweeper": credsweeper}
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = {}
        for number, case in enumerate(cases):
            file = folder / f"{number:05}" / case.found.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(
                "\n".join((*case.found.before, case.found.line, *case.found.behind)) + "\n", "utf-8"
            )
            lines[file.relative_to(folder).as_posix()] = len(case.found.before) + 1
        for scanner, run in programs.items():
            program = getattr(given, scanner.replace("-", "_"))
            if program:
                started = time.monotonic()
                reported_items = run(program, folder)
                hits = {name for name, line in lines.items() if line in reported_items.get(name, ())}
                found[scanner] = np.array([name in hits for name in lines])
                print(f"{scanner}: {time.monotonic() - started:.0f} s, {len(hits)} lines", file=sys.stderr)
    return found


def gitleaks(program: str, folder: Path) -> Mapping[str, set[int]]:
    argv = [program, "dir", "-f", "json", "-r", "-", "--exit-code", "0", "--no-banner", "--redact", "."]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True)
    found: dict[str, set[int]] = defaultdict(set)
    for row in json.loads(done.stdout):
        found[row["File"].removeprefix("./")].add(row["StartLine"])
    return found


def detect_secrets(program: str, folder: Path) -> Mapping[str, set[int]]:
    argv = [program, "scan", "--all-files", "--no-verify", "."]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["results"]
    return {name.removeprefix("./"): {row["line_number"] for row in found} for name, found in rows.items()}


def credsweeper(program: str, folder: Path) -> Mapping[str, set[int]]:
    """It runs with its bundled model and default threshold."""
    report = folder.parent / f"{folder.name}.credsweeper.json"
    argv = [program, "--path", ".", "--save-json", str(report), "--jobs", "1", "--log", "error"]
    subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True)
    found: dict[str, set[int]] = defaultdict(set)
    for row in json.loads(report.read_text("utf-8")):
        for line in row["line_data_list"]:
            location = Path(line["path"])
            path = location.relative_to(folder) if location.is_absolute() else location
            found[path.as_posix().removeprefix("./")].add(line["line_num"])
    report.unlink()
    return found


# --- figures


@dataclass(frozen=True, slots=True, eq=False)
class CaseSample:
    """A subset of the cases, and the samples of their repositories."""

    of: Flags
    right: Flags
    repositories: Repositories

    @classmethod
    def cut(cls, cases: Sequence[Case], of: Flags) -> CaseSample:
        names = [case.found.repository for case, inside in zip(cases, of, strict=True) if inside]
        right = np.array([case.is_secret for case in cases])
        return cls(of, right[of], Repositories.resample(names, draws=DRAWS))

    def alarms(self, hits: Flags) -> float:
        """Return the share of original literals that is reported."""
        return float(hits[self.of][~self.right].mean())

    def recall(self, hits: Flags) -> Interval:
        return self._bootstrap_interval(lambda counts: weighted(hits[self.of], self.right, counts))

    def recall_at(self, scores: Floats, rate: float) -> Interval:
        """Return the recall at a rate of false alarms."""
        return self._bootstrap_interval(lambda counts: recall_at(scores[self.of], self.right, counts, rate))

    def gain(self, scores: Floats, hits: Flags) -> Interval:
        """Return the gain in recall of a score over a scanner at that scanner's rate of false alarms."""
        inside, reported = scores[self.of], hits[self.of]

        def more(counts: Floats) -> float:
            rate = weighted(reported, ~self.right, counts)
            return recall_at(inside, self.right, counts, rate) - weighted(reported, self.right, counts)

        return self._bootstrap_interval(more)

    def auc(self, scores: Floats) -> Interval:
        return self.repositories.auc(scores[self.of], self.right).interval()

    def _bootstrap_interval(self, statistic: Callable[[Floats], float]) -> Interval:
        return self.repositories.drawn_again(statistic).interval()


def weighted(hits: Flags, of: Flags, counts: Floats) -> float:
    """Return the weighted share of rows that are reported; NaN if a sample has no such rows."""
    complete = float(counts[of].sum())
    return float(counts[of & hits].sum()) / complete if complete else float("nan")


def recall_at(scores: Floats, right: Flags, counts: Floats, rate: float) -> float:
    """Return the recall at the lowest threshold with at most this share of false alarms."""
    order = np.argsort(-scores, kind="stable")
    wrong = np.cumsum(np.where(right, 0.0, counts)[order])
    found = np.cumsum(np.where(right, counts, 0.0)[order])
    if not len(order) or not found[-1] or not wrong[-1]:
        return float("nan")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    allowed = last[wrong[last] <= rate * wrong[-1] * (1 + 1e-9)]
    return float(found[allowed[-1]] / found[-1]) if len(allowed) else 0.0


def logistic_scores(
    training: Sequence[tabular_evaluation.FeatureRow],
    rows: Sequence[tabular_evaluation.FeatureRow],
    names: Sequence[str],
) -> Floats:
    return tabular_evaluation.cheap_scores(training, rows, NAMES, names)["cheap"]


def model_scores(folder: Path, rows: Sequence[tabular_evaluation.FeatureRow]) -> Floats:
    return evaluate_shipped.raw_scores(model_of(str(folder)), rows, lambda told: None)


def compare(given: argparse.Namespace) -> None:
    """Print all figures, for all rows and for subsets."""
    cases = read(given.keep / "evaluation.cases", Case)
    rows, training = (
        tabular_evaluation.read_rows(given.keep / f"{side}.rows") for side in ("evaluation", "training")
    )
    scores = {
        "this model": model_scores(given.model, rows),
        "logistic: entropy, length": logistic_scores(training, rows, CHEAP),
        "logistic: all features": logistic_scores(training, rows, NAMES),
        "length alone": np.array([float(len(case.found.value)) for case in cases]),
    }
    hits = scanned_by(cases, given)
    known = np.array([not case.family or not FAMILIES[case.family].held_out for case in cases])
    requested, tried = (
        np.array([getattr(c.found, name) for c in cases]) for name in ("is_named", "is_example")
    )
    unseen = np.array([not case.family or FAMILIES[case.family].held_out for case in cases])
    slices = {
        "all, families never trained on": unseen, "all, families trained on": known,
        "asked about in a review's names, unseen families": unseen & requested,
        "outside of tests and manuals, unseen families": unseen & ~tried,
    }  # fmt: skip
    result: dict[str, object] = {"counts": counts_of(cases)}
    for title, of in slices.items():
        result[title] = figures(title, CaseSample.cut(cases, of), scores, hits)
    result["by family"] = print_recall_by_family(cases, scores["this model"], hits, requested)
    if given.json:
        given.json.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1))


def counts_of(cases: Sequence[Case]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for case in cases:
        row = found.setdefault(case.found.repository, {"really there": 0, "asked about": 0, "generated": 0})
        row["generated" if case.is_secret else "really there"] += 1
        row["asked about"] += not case.is_secret and case.found.is_named
    for name, row in sorted(found.items()):
        print(f"{name:45}", row)
    return found


def figures(
    title: str, part: CaseSample, scores: Mapping[str, Floats], hits: Mapping[str, Flags]
) -> dict[str, object]:
    """Print one subset: each score at fixed rates of false alarms, each scanner at its own."""
    print(f"\n{title}: {int((~part.right).sum())} that really stood there, {int(part.right.sum())} generated")
    found: dict[str, object] = {}
    for name, values in scores.items():
        auc = part.auc(values)
        at = {rate: part.recall_at(values, rate) for rate in RATES}
        cells = "  ".join(f"{rate:.1%}: {told(item)}" for rate, item in at.items())
        print(f"  {name:28} AUC {told(auc)}  recall at {cells}")
        found[name] = {"auc": auc, **{f"recall at {rate}": item for rate, item in at.items()}}
    for name, reported in hits.items():
        rate, recall, gain = (
            part.alarms(reported),
            part.recall(reported),
            part.gain(scores["this model"], reported),
        )
        same = part.recall_at(scores["this model"], rate)
        print(f"  {name:28} false alarms {rate:.2%}  recall {told(recall)}  this model there {told(same)}  "
              f"gain {told(gain)}")  # fmt: skip
        found[name] = {"alarms": rate, "recall": recall, "model there": same, "gain": gain}
    return found


def told(interval: Interval) -> str:
    return f"{interval.value:.3f} [{interval.low:.2f}, {interval.high:.2f}]"


def print_recall_by_family(
    cases: Sequence[Case], scores: Floats, hits: Mapping[str, Flags], requested: Flags
) -> dict[str, dict[str, float]]:
    """Print the recall of each family, by the model at 1% of false alarms."""
    right = np.array([case.is_secret for case in cases])
    threshold = np.sort(scores[~right])[::-1][int(0.01 * (~right).sum())]
    reported = {"this model at 1%": scores > threshold, **hits}
    print(f"\n{'family':24}{'':10}{'cases':>6}  " + "  ".join(f"{name:>16}" for name in reported))
    found = {}
    for family, kind in FAMILIES.items():
        of = np.array([case.family == family for case in cases])
        if of.any():
            found[family] = {name: round(float(item[of].mean()), 3) for name, item in reported.items()}
            shares = "  ".join(f"{share:16.2f}" for share in found[family].values())
            print(f"{family:24}{'unseen' if kind.held_out else 'trained':10}{int(of.sum()):6}  {shares}")
    return found


# --- real history


def history(given: argparse.Namespace) -> None:
    """Print the model's scores of the newest commits of each clone, most certain first."""
    everything = []
    for clone in given.clones:
        with RepositoryHistory(clone, limits=HistoryLimits(largest=LARGEST, commits=given.commits)) as past:
            found, lines = added_in(past)
            everything += [(past.repository, *literal) for literal in found]
            print(f"{past.repository}: {lines} added lines, {len(found)} literals asked about", flush=True)
    rows = [item.row for *_, item in everything]
    if not rows:
        return
    model = model_of(str(given.model))
    scores = evaluate_shipped.raw_scores(model, [as_row(row) for row in rows], lambda told: None)
    known = model.metadata
    likely = scores if known.calibration.method == "none" else probability(known.calibration, scores)
    print(f"threshold {known.thresholds.get(evaluate_shipped.REPORT, float('inf')):.4f}")
    for at in np.argsort(-likely, kind="stable")[: given.show]:
        repository, commit, item = everything[int(at)]
        print(f"{likely[at]:.4f} {repository} {commit[:10]} {item.path} {item.name} = {item.value[:100]!r}")


def as_row(features: Sequence[float]) -> tabular_evaluation.FeatureRow:
    return tabular_evaluation.FeatureRow("", 0, "", False, tuple(features))


def added_in(past: RepositoryHistory) -> tuple[list[tuple[str, HistoricalLiteral]], int]:
    """Return the ambiguous literals that commits added where a review would ask, and the number of added
    lines.
    """
    found, lines = [], 0
    for commit in past.commits(PATTERNS):
        for change in commit.changes:
            new, old = past.text(change.blob), past.text(change.base_blob)
            if new is None:
                continue
            added = Counter(new.split("\n")) - Counter((old or "").split("\n"))
            lines += added.total()
            literals = review_literals(past.repository, commit.time, change.path, new)
            found += [(commit.id, literal) for literal in literals if literal.line in added]
    return found, lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("mine")
    part.add_argument("clones", nargs="+", type=Path)
    part.add_argument("--side", choices=["training", "evaluation"], required=True)
    part.add_argument("--since", default="")
    part.add_argument("--until", default="")
    part.add_argument("--keep", type=Path, required=True)
    part.add_argument("--most", type=int, default=300, help="literals of any name, of each repository")
    part.add_argument("--seed", type=int, default=0)
    part = parts.add_parser("rows")
    part.add_argument("--keep", type=Path, required=True)
    part.add_argument("--seed", type=int, default=0)
    part.add_argument("--most", type=int, default=60, help="literals of any name that are evaluated, of each")
    part.add_argument("--real", type=Path, help="digests of literals that reading showed to be secrets")
    part.add_argument("--rate", type=float, default=0.02, help="share of secrets among literals in doubt")
    part = parts.add_parser("compare")
    part.add_argument("--keep", type=Path, required=True)
    part.add_argument("--model", type=Path, required=True)
    part.add_argument("--detect-secrets", default="")
    part.add_argument("--gitleaks", default="")
    part.add_argument("--credsweeper", default="")
    part.add_argument("--json", type=Path)
    part = parts.add_parser("history")
    part.add_argument("clones", nargs="+", type=Path)
    part.add_argument("--model", type=Path, required=True)
    part.add_argument("--commits", type=int, default=300)
    part.add_argument("--show", type=int, default=100)
    given = parser.parse_args()
    {"mine": mine, "rows": write_rows, "compare": compare, "history": history}[given.part](given)


if __name__ == "__main__":
    main()
