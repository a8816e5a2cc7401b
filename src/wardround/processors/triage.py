"""Which of the findings are worth a reader's time first, without a model: rates by rule and eight counters.

How often a rule's complaints were acted on is compared with how often a plain line nearby was edited (the
placebo): the table is measured on the histories of repositories, and shipped. What is folded is still counted
and can be shown; nothing is dropped.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping, Sequence

import msgspec

from wardround.findings import Finding, Plane, Severity

WORTH = 2.0
"""A rule is shown whose fix rate is at least this many times its placebo rate."""
REPOSITORIES = 5
"""Rules seen in fewer repositories have no rate."""
SMOOTHING = 20
"""Items by which a rule's own count outweighs the prior: a rate is (fixed + 1) / (items + 20)."""
FOLD_AFTER = 3.0
"""Dismissals, each counted by its age, after which a rule folds."""
CROWD = 8
"""Findings of one rule that are better mended in one sweep: what counted as one when rates were measured."""
SHOWN_OF_CROWD = 3
COUNTERS = (
    "prior", "is-test", "file-lines", "in-file", "same-in-file", "same-in-repository", "no-fix", "is-import",
    "function-lines",
)  # fmt: skip
COSTLY = (
    "ruff/S[0-9]*", "ruff/ASYNC*", "ruff/PLE*", "ruff/E9*", "ruff/F5*", "ruff/F6*", "ruff/F7*", "ruff/F8*",
    "ruff/B00[23568]", "ruff/B01[2568]", "ruff/B02[01356]", "ruff/B03[0159]", "ruff/B909", "ruff/RUF006",
    "wardround/*",
)  # fmt: skip
"""Rules about defects a reader would not forgive missing, however seldom anybody acts on them."""
_TEST_FOLDERS = {"test", "tests", "testing"}


class ActionRate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often a rule's complaints were acted on, and how often a plain line nearby was edited; 0 to 1."""

    fix: float
    placebo: float
    repositories: int
    items: int


class ActionRates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logistic regression: weights by counter, for the columns as they come.

    Attributes:
        means: what stands for a counter that is not known; ``prior`` is that of a rule without a rate.
        threshold: log-odds; nine in ten of the complaints that were acted on are above.
    """

    bias: float
    weights: dict[str, float]
    means: dict[str, float]
    threshold: float

    def __post_init__(self) -> None:
        if set(self.weights) != set(COUNTERS) or set(self.means) != set(COUNTERS):
            raise ValueError(f"weights and means must be of {', '.join(COUNTERS)}")


class Rates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``wardround_rules/triage/<tool>.yml``: rates by the tool's own codes."""

    tool: str
    version: str
    repositories: tuple[str, ...]
    items: int
    rules: dict[str, ActionRate]
    ranking: ActionRates


class Counters(msgspec.Struct, frozen=True):
    """What is counted about a finding.

    Attributes:
        lines: of its file.
        in_file: complaints in its file, old ones too.
        same_in_file: of them, those of its rule.
        same_in_repository: of its rule, as far as is known.
        function_lines: of the function it is in, 0 outside of any; None where that is not known.
    """

    is_test: bool
    lines: int
    in_file: int
    same_in_file: int
    same_in_repository: int
    no_fix: bool
    is_import: bool
    function_lines: int | None

    def row(self, prior: float | None, means: Mapping[str, float]) -> list[float]:
        """The values in the order of ``COUNTERS``; ``prior`` is the log-odds of the rule's fix rate."""
        function = self.function_lines
        return [
            means["prior"] if prior is None else prior,
            float(self.is_test),
            math.log1p(self.lines),
            math.log1p(self.in_file),
            math.log1p(self.same_in_file),
            math.log1p(self.same_in_repository),
            float(self.no_fix),
            float(self.is_import),
            means["function-lines"] if function is None else math.log1p(function),
        ]


class ScoredFinding(msgspec.Struct, frozen=True):
    """A finding that may be shown, with what is known about it.

    Attributes:
        rate: of its rule; None if that was not measured.
        dismissed: how often the rule was dismissed here, old dismissals counting less.
    """

    finding: Finding
    counters: Counters
    rate: ActionRate | None = None
    dismissed: float = 0.0


class RuleGroupFold(msgspec.Struct, frozen=True):
    """Many findings of one rule at once.

    Attributes:
        shown: the findings of the change.
        known: those of the repository, as far as is known.
        fixable: of the findings of the change, those with a safe fix.
    """

    rule: str
    shown: int
    known: int
    fixable: int


class Triage(msgspec.Struct, frozen=True):
    """An order, and what is folded.

    Attributes:
        order: fingerprint -> rank; 0 is the first to look at.
        folded: fingerprints of findings that are counted and not shown.
    """

    order: Mapping[str, int]
    folded: frozenset[str] = frozenset()
    crowds: tuple[RuleGroupFold, ...] = ()


def triage(weighed: Sequence[ScoredFinding], ranking: ActionRates) -> Triage:
    """Rank findings and fold the least of them. Values in, values out; the same for any order given."""
    scores = {one.finding.fingerprint: score(one, ranking) for one in weighed}
    ranked = sorted(weighed, key=lambda one: _rank(one.finding, scores))
    folded = {
        one.finding.fingerprint
        for one in weighed
        if is_foldable(one.finding) and is_folded(one, scores[one.finding.fingerprint], ranking)
    }
    crowds = _crowds(ranked, folded)
    order = {one.finding.fingerprint: place for place, one in enumerate(ranked)}
    return Triage(order, frozenset(folded), crowds)


def score(one: ScoredFinding, ranking: ActionRates) -> float:
    """Log-odds that somebody will act on a finding.

    Every dismissal of its rule counts as a complaint more on which nobody acted.
    """
    prior = None if one.rate is None else log_odds(_after_dismissals(one.rate.fix, one.dismissed))
    row = one.counters.row(prior, ranking.means)
    weighted = sum(ranking.weights[name] * value for name, value in zip(COUNTERS, row, strict=True))
    lowered = 0.0
    if one.rate is None and one.dismissed:
        lowered = ranking.weights["prior"] * math.log(1 + one.dismissed / SMOOTHING)
    return ranking.bias + weighted - lowered


def is_foldable(finding: Finding) -> bool:
    """Whether a finding may be folded at all: never where a miss is costly."""
    if finding.severity >= Severity.ERROR or finding.plane is Plane.SECURITY or finding.masked:
        return False
    return not any(is_high_impact(rule) for rule in {finding.rule, *finding.sources})


def is_high_impact(rule: str) -> bool:
    return any(fnmatch.fnmatchcase(rule, pattern) for pattern in COSTLY)


def is_folded(one: ScoredFinding, scored: float, ranking: ActionRates) -> bool:
    """Whether a finding that may be folded is: few act on its rule, and its place does not speak for it."""
    if one.dismissed >= FOLD_AFTER:
        return True
    return one.rate is not None and not is_worth(one.rate) and scored < ranking.threshold


def is_worth(rate: ActionRate) -> bool:
    return rate.fix >= WORTH * rate.placebo


def _rank(finding: Finding, scores: Mapping[str, float]) -> tuple[int, float, tuple[object, ...]]:
    return (-finding.severity, -round(scores[finding.fingerprint], 9), finding.sort_key)


def _crowds(ranked: Sequence[ScoredFinding], folded: set[str]) -> tuple[RuleGroupFold, ...]:
    """The crowds; all but the first of each are folded."""
    by_rule: dict[str, list[ScoredFinding]] = {}
    for one in ranked:
        if is_foldable(one.finding):
            by_rule.setdefault(one.finding.rule, []).append(one)
    found = []
    for rule, members in sorted(by_rule.items()):
        if len(members) < CROWD:
            continue
        open_ones = [one for one in members if one.finding.fingerprint not in folded]
        folded |= {one.finding.fingerprint for one in open_ones[SHOWN_OF_CROWD:]}
        known = max(one.counters.same_in_repository for one in members)
        fixes = [one.finding.suggested_fix for one in members]
        fixable = sum(1 for fix in fixes if fix is not None and fix.safe)
        found.append(RuleGroupFold(rule, len(members), max(known, len(members)), fixable))
    return tuple(found)


def log_odds(share: float) -> float:
    """Of a share between 0 and 1, both excluded."""
    return math.log(share / (1 - share))


def _after_dismissals(fix: float, dismissed: float) -> float:
    return fix * SMOOTHING / (SMOOTHING + dismissed)


def smoothed(hits: int, items: int) -> float:
    """A rate that is never 0 or 1."""
    return (hits + 1) / (items + SMOOTHING)


def is_test(path: str) -> bool:
    """Whether a file is a test, by its path."""
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    named = stem.startswith("test_") or stem.endswith(("_test", "_tests")) or stem in ("conftest", "tests")
    return named or bool(_TEST_FOLDERS & set(folders)) or ".test." in name or ".spec." in name


def is_import(line: str) -> bool:
    return line.lstrip().startswith(("import ", "from "))


def function_lengths(lines: Sequence[str]) -> list[int]:
    """For each line of Python, how long the innermost function around it is; 0 outside of any.

    It goes by indentation: a dedent inside a string of several lines ends a function early.
    """
    lengths = [0] * len(lines)
    open_ones: list[tuple[int, int, int]] = []
    spans: list[tuple[int, int, int]] = []
    last = -1
    for number, line in enumerate(lines):
        text = line.lstrip()
        if not text or text.startswith(("#", ")", "]", "}")):
            continue
        indent = len(line) - len(text)
        while open_ones and indent <= open_ones[-1][0]:
            _, start, depth = open_ones.pop()
            spans.append((depth, start, last))
        if text.startswith(("def ", "async def ")):
            open_ones.append((indent, number, len(open_ones)))
        last = number
    spans += [(depth, start, last) for _, start, depth in open_ones]
    for _, start, end in sorted(spans):  # outer ones first, so that the innermost stays
        lengths[start : end + 1] = [end - start + 1] * (end - start + 1)
    return lengths
