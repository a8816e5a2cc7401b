"""Reviews of the single commits of findings that windows have, as a user would have met them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from wardround.config.request import ReviewRequest
from wardround.host import PluginHost
from wardround.rules.judgements import FindingKey
from wardround_lab.evaluation.judging.history import reviewable_parent
from wardround_lab.evaluation.judging.hits import Hit, HitFile, Source, reviewed_commit
from wardround_lab.evaluation.judging.sample import Limits, sample
from wardround_lab.evaluation.judging.windows import ReviewedWindow


@dataclass(frozen=True, slots=True)
class Candidate:
    """A commit to review, with its findings in windows."""

    source: Source
    commit: str
    hits: tuple[Hit, ...]


def candidates(windows: Iterable[ReviewedWindow], known: Collection[tuple[str, str]]) -> list[Candidate]:
    """Return the commits of windows that have findings and are not reviewed alone yet."""
    folders: dict[tuple[str, str], str] = {}
    hits: dict[tuple[str, str], set[Hit]] = defaultdict(set)
    for window in windows:
        for hit in window.hits:
            key = (hit.repository, hit.commit)
            if key not in known:
                folders[key] = window.folder
                hits[key].add(hit)
    return [
        Candidate(Source(key[0], Path(folders[key])), key[1], tuple(sorted(some)))
        for key, some in sorted(hits.items())
    ]


class Verification:
    """Reviews candidates one by one, first those whose rules have the fewest findings in the sample."""

    def __init__(self, file: HitFile, judged: Collection[FindingKey], limits: Limits) -> None:
        self._file, self._judged, self._limits = file, judged, limits
        self._unfit: set[tuple[str, str]] = set()

    def review(
        self, windows: Iterable[ReviewedWindow], most: int, host: PluginHost, request: ReviewRequest
    ) -> int:
        """Review at most a number of commits, and return how many."""
        left, done = candidates(windows, self._file.known | self._unfit), 0
        while left and done < most:
            best, value = self._best(left)
            if not value:
                break
            left.remove(best)
            parent = reviewable_parent(best.source.folder, best.commit)
            if parent:
                self._file.add(reviewed_commit(best.source, parent, best.commit, host, request))
                done += 1
            else:
                self._unfit.add((best.source.name, best.commit))
        return done

    def _best(self, left: Iterable[Candidate]) -> tuple[Candidate, float]:
        """Return the candidate with the greatest value: each rule counts once, and none if it has enough."""
        drawn = sample(self._file.hits(), self._judged, self._limits)
        rules = Counter(hit.rule for hit in drawn)
        repositories = Counter(hit.repository for hit in drawn)

        def value(candidate: Candidate) -> float:
            if repositories[candidate.source.name] >= self._limits.per_repository:
                return 0.0
            return sum(1 / (1 + rules[rule]) for rule in {hit.rule for hit in candidate.hits}
                       if rules[rule] < self._limits.per_rule)  # fmt: skip

        best = max(left, key=value)
        return best, value(best)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The findings of windows whose commits were reviewed separately, and those that these reviews report."""

    checked: int
    confirmed: int


def confirmation(windows: Iterable[ReviewedWindow], file: HitFile) -> Confirmation:
    """Count the findings of windows that the review of their commit reports at the same line."""
    known, alone = file.known, {hit.key for hit in file.hits()}
    checked = {hit.key for window in windows for hit in window.hits if (hit.repository, hit.commit) in known}
    return Confirmation(len(checked), len(checked & alone))
