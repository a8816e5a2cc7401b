"""Evaluate a model that classifies lines, on real fixes of unseen repositories.

A fix is compared with the same fix reversed. Fixes add code, so size alone separates most of them; the
deciding pairs are those whose two versions have as many lines and as many tokens. The inexpensive baseline is
fitted on the real fixes of the training repositories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import msgspec
import numpy as np

from wardround.errors import TrainingError
from wardround.inference.metadata import Evaluation, Improvement, Interval
from wardround.training_tasks import Window
from wardround_lab.corpora.defect_windows import tokens_of
from wardround_lab.training import conditional_logit
from wardround_lab.training.bootstrap import Figure, Flags, Floats, Repositories
from wardround_lab.training.line_defects.encoding import WindowSides, judged_lines
from wardround_lab.training.line_defects.sampling import growth

PAIRWISE = "pairwise"
MATCHED = "pairwise, same size"
"""The deciding metric: the share of real pairs of equal size whose broken version scores higher."""
FOUND = "found at 2 alarms per 1,000 lines"
LINE = "line"
_ALARMS = 0.002
_COLUMNS = 256
"""Number of columns into which changed tokens are hashed for the baseline."""
_SHUFFLES = 30
FEWEST_LINES = 3
"""Minimum number of judged lines of a window for localisation."""

Lines = Sequence[Floats]
"""For each window the scores of its judged lines, higher is worse."""
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Windows of real fixes: indices of the broken and of the matching correct ones.

    Attributes:
        alike: for each pair, True if its versions have as many lines and as many tokens.
    """

    windows: Sequence[Window]
    broken: tuple[int, ...]
    right: tuple[int, ...]
    alike: Flags

    @classmethod
    def of(cls, windows: Sequence[Window], origin: str = "real") -> Pairs:
        """Return the complete pairs of one origin."""
        sides: dict[tuple[str, str, str], dict[bool, int]] = {}
        for at, window in enumerate(windows):
            if window.origin == origin:
                key = (window.repository, window.group, window.pair)
                sides.setdefault(key, {}).setdefault(bool(window.faults), at)
        both = [found for found in sides.values() if len(found) == 2]
        alike = [_is_alike(windows[found[True]]) for found in both]
        return cls(
            windows, tuple(found[True] for found in both), tuple(found[False] for found in both),
            np.array(alike, dtype=np.bool_),
        )  # fmt: skip

    @property
    def repositories(self) -> list[str]:
        return [self.windows[at].repository for at in self.broken]

    def won(self, scores: Floats) -> Floats:
        """Return 1 for each pair whose broken window scores higher; ties count half."""
        bad, good = scores[list(self.broken)], scores[list(self.right)]
        answer: Floats = (bad > good) + 0.5 * (bad == good)
        return answer


def _is_alike(window: Window) -> bool:
    return window.marks.count("+") == window.marks.count("-") and growth(window) == 0


def evaluate_lines(
    sides: WindowSides,
    models: Mapping[int, Lines],
    *,
    shipped: int,
    digests: Mapping[int, str],
) -> Evaluation:
    """Evaluate the scores of models on the evaluation part.

    Args:
        models: seed -> scores of the evaluation windows; an empty row for a window that cannot be encoded.
        shipped: the seed whose figures come first.
        digests: seed -> SHA-256 of the model file.

    Raises:
        TrainingError: there is no real fix of equal size, or none to fit the baseline on.
    """
    windows = sides.evaluation
    pairs = _judged_pairs(Pairs.of(windows), models)
    if not pairs.alike.any():
        raise TrainingError("the evaluation contains no real fix of equal size; mine more")
    scores = {
        "size": np.array([-float(growth(window)) for window in windows]),
        "cheap": _cheap(sides.training, windows),
    }
    for seed, lines in sorted(models.items()):
        scores["model" if seed == shipped else f"model@{seed}"] = np.array(
            [row.max() if len(row) else -np.inf for row in lines]
        )
    figures = {name: _measure(pairs, rows) for name, rows in scores.items()}
    metrics = {
        name: {key: sample.interval() for key, sample in found.items()} for name, found in figures.items()
    }
    for name in figures:
        lines = models[_seed_of(name, shipped)] if name.startswith("model") else _flat(scores[name], windows)
        metrics[name][FOUND] = _found_share(pairs, lines).interval()
    return Evaluation(
        repositories=tuple(sorted(set(pairs.repositories))),
        since=min(window.time for window in windows),
        items=int(pairs.alike.sum()),
        base_rate=0.5,
        metrics=metrics,
        gains=tuple(_gains(figures, sorted(models), shipped)),
        controls={"size": metrics["size"][MATCHED], "placebo": _placebo(pairs, scores)},
        notes=(*_notes(pairs), *_describe_ranks(windows, models[shipped])),
        models={str(seed): digest for seed, digest in sorted(digests.items())},
        records=_digest(windows),
        leaks=leaks([*sides.training, *sides.validation], windows),
    )


def leaks(fitted: Sequence[Window], evaluation: Sequence[Window]) -> int:
    """Count repositories, groups and windows of the evaluation that were fitted on too."""
    keys: tuple[Callable[[Window], object], ...] = (
        lambda window: window.repository.lower(),
        lambda window: (window.repository, window.group),
        lambda window: (window.marks, window.lines),
    )
    return sum(
        len({key(window) for window in fitted} & {key(window) for window in evaluation}) for key in keys
    )


def _seed_of(name: str, shipped: int) -> int:
    return int(name.partition("@")[2] or shipped)


def _judged_pairs(pairs: Pairs, models: Mapping[int, Lines]) -> Pairs:
    """Return the pairs whose windows every model could encode."""
    retained = [
        at
        for at, both in enumerate(zip(pairs.broken, pairs.right, strict=True))
        if all(len(lines[location]) for lines in models.values() for location in both)
    ]
    broken, right = (tuple(side[at] for at in retained) for side in (pairs.broken, pairs.right))
    return Pairs(pairs.windows, broken, right, pairs.alike[retained])


# --- figures


def _measure(pairs: Pairs, scores: Floats) -> dict[str, Figure]:
    won, alike = pairs.won(scores), np.flatnonzero(pairs.alike)
    names = pairs.repositories
    return {
        PAIRWISE: Repositories.resample(names).mean(won),
        MATCHED: Repositories.resample([names[at] for at in alike]).mean(won[alike]),
    }


def _gains(
    figures: Mapping[str, Mapping[str, Figure]], seeds: Sequence[int], shipped: int
) -> list[Improvement]:
    found = []
    for metric in (MATCHED, PAIRWISE):
        for seed in seeds:
            own = figures["model" if seed == shipped else f"model@{seed}"][metric]
            for over in ("cheap", "size"):
                gain = own.difference(figures[over][metric]).interval()
                found.append(Improvement(of="model", over=over, metric=metric, seed=seed, gain=gain))
    return found


def _placebo(pairs: Pairs, scores: Mapping[str, Floats]) -> Interval:
    """Return the advantage of the best scorer over one half when the broken window of each pair is
    randomised.
    """
    generator = np.random.Generator(np.random.PCG64(0))
    alike = np.flatnonzero(pairs.alike)
    drawn = Repositories.resample([pairs.repositories[at] for at in alike])
    coins = generator.random((_SHUFFLES, len(alike))) < 0.5
    found = []
    for name in sorted(scores):
        won = pairs.won(scores[name])[alike]
        found.append(drawn.mean(np.mean([np.where(coin, won, 1 - won) for coin in coins], axis=0) - 0.5))
    return max(found, key=lambda figure: figure.value).interval()


def _flat(scores: Floats, windows: Sequence[Window]) -> list[Floats]:
    """Return a window's score as that of each of its lines."""
    return [np.full(len(judged_lines(window)), score) for window, score in zip(windows, scores, strict=True)]


def _found_share(pairs: Pairs, lines: Lines) -> Figure:
    """Return the share of broken windows of equal size with a line above the score of 2 in 1,000 correct
    lines.
    """
    right = [
        row for window, row in zip(pairs.windows, lines, strict=True) if window.origin == "clean" or
        (window.origin == "real" and not window.faults)
    ]  # fmt: skip
    negatives = np.sort(np.concatenate([row for row in right if len(row)]))[::-1]
    threshold = negatives[min(int(len(negatives) * _ALARMS), len(negatives) - 1)]
    alike = np.flatnonzero(pairs.alike)
    hit = np.array([float(lines[pairs.broken[at]].max() > threshold) for at in alike])
    return Repositories.resample([pairs.repositories[at] for at in alike]).mean(hit)


def _notes(pairs: Pairs) -> list[str]:
    return [
        f"{len(pairs.broken)} real pairs in all; what decides are the {int(pairs.alike.sum())} whose sides "
        "have as many lines and as many tokens",
        "no defect is missing code there: an edit that only adds or only takes away is never of equal size",
        "labels are the subjects of commits: some of what is called a fix mends no defect",
    ]


def _describe_ranks(windows: Sequence[Window], lines: Lines) -> list[str]:
    """Describe how often the broken line ranks first, compared with the middle line and after the fix."""
    pairs = Pairs.of(windows, "injected")
    hits = middles = twins = chance = 0.0
    count = 0
    for bad, good in zip(pairs.broken, pairs.right, strict=True):
        item, locations = windows[bad], judged_lines(windows[bad])
        faulty = [locations.index(fault.at) for fault in item.faults if fault.at in locations]
        usable = len(lines[bad]) == len(locations) == len(lines[good]) >= FEWEST_LINES
        if not faulty or not usable:
            continue
        count += 1
        hits += int(np.argmax(lines[bad])) in faulty
        twins += int(np.argmax(lines[good])) in faulty
        middles += len(locations) // 2 in faulty
        chance += len(faulty) / len(locations)
    if not count:
        return []
    shares = [f"{value / count:.2f}" for value in (hits, middles, chance, twins)]
    return [
        f"the broken line of {count} injected windows with at least {FEWEST_LINES} judged lines comes first "
        f"in {shares[0]} of them; the middle line is it in {shares[1]}, a guess in {shares[2]}; with the "
        f"line mended it still comes first in {shares[3]}"
    ]


# --- the cheap judge


def _cheap(training: Sequence[Window], windows: Sequence[Window]) -> Floats:
    """Logistic regression on added and removed tokens, fitted on real fixes and their reversals."""
    real = [window for window in training if window.origin == "real"]
    right = np.array([bool(window.faults) for window in real])
    try:
        judge = conditional_logit.fit(_changes(real), right, ridge=5.0)
    except ValueError as cause:
        raise TrainingError(f"the cheap baseline cannot be fitted: {cause}; mine more real fixes") from cause
    return judge.scores(_changes(windows))


def _changes(windows: Sequence[Window]) -> Floats:
    """Return hashed added less removed tokens, and the size of the edit."""
    table = np.zeros((len(windows), _COLUMNS + 2))
    for row, window in zip(table, windows, strict=True):
        for mark, line in zip(window.marks, window.lines, strict=True):
            sign = {"+": 1.0, "-": -1.0}.get(mark, 0.0)
            for token in tokens_of(line) if sign else ():
                row[crc32(token.encode()) % _COLUMNS] += sign
        row[-2:] = growth(window), window.marks.count("+") - window.marks.count("-")
    return table


def _digest(windows: Sequence[Window]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for window in windows:
        digest.update(msgspec.json.encode(window) + b"\n")
    return digest.hexdigest()
