"""Score outcomes: recall, alerts and precision, by set, by rule and by category.

An expected line is *found* if a shown finding of its file is within the distance, by the finding's first
line; a case is *found* if one of its lines is. Positions that are anchors of a fix, and not the defect
itself, are counted separately. A finding of a defect case is *right* if an expected line is within three
lines of it. A clean case with a finding is a false alarm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from wardround.findings import Severity
from wardround.rules.intervals import wilson
from wardround_lab.evaluation.batch import CaseFinding, CaseOutcome, ExpectedPosition
from wardround_lab.evaluation.cases import ANCHOR

NEAR = 3
"""Maximum distance in lines at which a reader still relates a finding to an expected position."""


@dataclass(frozen=True, slots=True)
class Share:
    """A proportion as its counts."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.hits, self.of)


@dataclass(slots=True)
class Recall:
    """How many of some expected positions were found.

    Attributes:
        named: found on the line by a rule, of wardround or of a tool, with the name of the expected category,
            which is how suites of linters are scored.
    """

    expected: int = 0
    exact: int = 0
    near: int = 0
    near_held_back: int = 0
    named: int = 0

    def add(self, place: ExpectedPosition, said: Sequence[CaseFinding]) -> None:
        shown = [finding for finding in said if not finding.held_back]
        self.expected += 1
        self.exact += any(is_near(place, finding, 0) for finding in shown)
        self.near += any(is_near(place, finding, NEAR) for finding in shown)
        self.near_held_back += any(is_near(place, finding, NEAR) for finding in said)
        self.named += any(
            is_near(place, finding, 0) and _has_name(finding, place.category) for finding in shown
        )

    def extend(self, other: Recall) -> None:
        """Add other counts."""
        for counter in fields(self):
            setattr(self, counter.name, getattr(self, counter.name) + getattr(other, counter.name))


@dataclass(slots=True)
class SetScore:
    """Scores of the cases of one set.

    Attributes:
        recall: over the expected positions of the defect cases, without anchors.
        anchored: the same over the positions that are anchors of a fix.
        found_exact, found_near: defect cases with a found position, on its line or within three.
        right: findings shown in defect cases that are near an expected position.
        shown_in_defects: findings shown in defect cases.
        alarmed: clean cases with a finding.
        shown: shown findings by severity.
        held_back: findings that were not shown, by reason.
        seconds: seconds that all cases took.
    """

    name: str
    cases: int = 0
    defect_cases: int = 0
    clean_cases: int = 0
    unusable: int = 0
    crashed: int = 0
    not_fully_reviewed: int = 0
    added_lines: int = 0
    recall: Recall = field(default_factory=Recall)
    anchored: Recall = field(default_factory=Recall)
    found_exact: int = 0
    found_near: int = 0
    right: int = 0
    shown_in_defects: int = 0
    alarmed: int = 0
    shown: Counter[str] = field(default_factory=Counter)
    held_back: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def alerts(self) -> int:
        return sum(self.shown.values())

    @property
    def precision(self) -> Share:
        return Share(self.right, self.shown_in_defects)

    def found_cases(self, distance: int) -> Share:
        """Return the share of defect cases with a finding within 0 or ``NEAR`` lines of an expected
        position.
        """
        return Share(self.found_near if distance else self.found_exact, self.defect_cases)

    @property
    def false_alarms(self) -> Share:
        return Share(self.alarmed, self.clean_cases)

    def rate(self, *severities: str) -> float | None:
        """Return the shown findings per 100 added lines, of some severities or of all."""
        if not self.added_lines:
            return None
        count = sum(n for name, n in self.shown.items() if not severities or name in severities)
        return 100 * count / self.added_lines


@dataclass(slots=True)
class RuleScore:
    """Scores of one rule over all cases of a set."""

    rule: str
    defect_class: str
    severity: str
    shown: int = 0
    right: int = 0
    exact: int = 0
    in_defects: int = 0
    in_clean: int = 0
    held_back: int = 0

    @property
    def precision(self) -> Share:
        """Share of its findings in defect cases that are near an expected position."""
        return Share(self.right, self.in_defects)


@dataclass(slots=True)
class CategoryScore:
    """Scores of the positions of one expected category.

    Attributes:
        by_rule: number of its positions near a finding of each rule; a position may count for several.
        by_class: the same by defect class.
    """

    category: str
    recall: Recall = field(default_factory=Recall)
    by_rule: Counter[str] = field(default_factory=Counter)
    by_class: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Score:
    """Scores of all cases.

    Attributes:
        unreviewed: (tool, reason) -> number of cases.
        unusable: (place, reason) of cases that cannot be scored.
        crashed: (place, reason) of cases with an internal error of wardround.
    """

    sets: dict[str, SetScore] = field(default_factory=dict)
    rules: dict[tuple[str, str], RuleScore] = field(default_factory=dict)
    categories: dict[tuple[str, str], CategoryScore] = field(default_factory=dict)
    unreviewed: Counter[tuple[str, str]] = field(default_factory=Counter)
    unusable: list[tuple[str, str]] = field(default_factory=list)
    crashed: list[tuple[str, str]] = field(default_factory=list)

    @property
    def total(self) -> SetScore:
        """All sets as one."""
        return sum_scores(self.sets.values())


def score(outcomes: Iterable[CaseOutcome], level: str = "info") -> Score:
    """Score the outcomes of cases; findings below ``level`` do not count."""
    floor = Severity.from_label(level)
    total = Score()
    for outcome in outcomes:
        item = total.sets.setdefault(outcome.set, SetScore(outcome.set))
        item.cases += 1
        item.seconds += outcome.seconds
        if outcome.unusable:
            item.unusable += 1
            total.unusable.append((outcome.place, outcome.unusable))
            continue
        if outcome.crashed:
            item.crashed += 1
            total.crashed.append((outcome.place, outcome.crashed))
        reported = [s for s in outcome.said if Severity.from_label(s.severity) >= floor]
        _add_to_set(item, outcome, reported)
        _add_to_rules(total, outcome, reported)
        _add_to_categories(total, outcome, reported)
        total.unreviewed.update({(u.tool, u.reason) for u in outcome.unreviewed})
    return total


def is_near(place: ExpectedPosition, said: CaseFinding, distance: int) -> bool:
    """Return True if a finding is near an expected position, by file and line."""
    return said.file == place.file and place.line - distance <= said.line <= place.last_line + distance


def _has_name(said: CaseFinding, category: str) -> bool:
    return category != "" and any(f"/{source}".endswith(f"/{category}") for source in said.sources)


def _is_correct(said: CaseFinding, outcome: CaseOutcome) -> bool:
    return any(is_near(location, said, NEAR) for location in outcome.expected)


def _add_to_set(item: SetScore, outcome: CaseOutcome, said: Sequence[CaseFinding]) -> None:
    shown = [s for s in said if not s.held_back]
    item.added_lines += outcome.added_lines
    item.shown.update(s.severity for s in shown)
    item.held_back.update(s.held_back for s in said if s.held_back)
    item.not_fully_reviewed += bool(outcome.unreviewed)
    if not outcome.expected:
        item.clean_cases += 1
        item.alarmed += bool(shown)
        return
    item.defect_cases += 1
    item.shown_in_defects += len(shown)
    item.right += sum(_is_correct(s, outcome) for s in shown)
    item.found_exact += any(is_near(location, s, 0) for location in outcome.expected for s in shown)
    item.found_near += any(_is_correct(s, outcome) for s in shown)
    for location in outcome.expected:
        (item.anchored if location.how == ANCHOR else item.recall).add(location, said)


def _add_to_rules(total: Score, outcome: CaseOutcome, said: Sequence[CaseFinding]) -> None:
    for s in said:
        key = (outcome.set, s.rule)
        rule = total.rules.setdefault(key, RuleScore(s.rule, s.defect_class, s.severity))
        if s.held_back:
            rule.held_back += 1
            continue
        rule.shown += 1
        rule.in_defects += bool(outcome.expected)
        rule.in_clean += not outcome.expected
        rule.right += _is_correct(s, outcome)
        rule.exact += any(is_near(location, s, 0) for location in outcome.expected)


def _add_to_categories(total: Score, outcome: CaseOutcome, said: Sequence[CaseFinding]) -> None:
    for location in outcome.expected:
        key = (outcome.set, location.category)
        category = total.categories.setdefault(key, CategoryScore(location.category))
        category.recall.add(location, said)
        near = [s for s in said if not s.held_back and is_near(location, s, NEAR)]
        category.by_rule.update({s.rule for s in near})
        category.by_class.update({s.defect_class for s in near})


def sum_scores(sets: Iterable[SetScore]) -> SetScore:
    """Sum several sets."""
    total = SetScore("all")
    for set_score in sets:
        for name in ("cases", "defect_cases", "clean_cases", "unusable", "crashed", "not_fully_reviewed",
                     "added_lines", "found_exact", "found_near", "right", "shown_in_defects", "alarmed",
                     "seconds"):  # fmt: skip
            setattr(total, name, getattr(total, name) + getattr(set_score, name))
        total.recall.extend(set_score.recall)
        total.anchored.extend(set_score.anchored)
        total.shown += set_score.shown
        total.held_back += set_score.held_back
    return total


def sum_over_sets(score: Score) -> tuple[list[RuleScore], list[CategoryScore]]:
    """Return the rules and the categories, each summed over all sets."""
    rules: dict[str, RuleScore] = {}
    for (_, name), rule_score in sorted(score.rules.items()):
        rule = rules.setdefault(name, RuleScore(name, rule_score.defect_class, rule_score.severity))
        for key in ("shown", "right", "exact", "in_defects", "in_clean", "held_back"):
            setattr(rule, key, getattr(rule, key) + getattr(rule_score, key))
    categories: dict[str, CategoryScore] = {}
    for (_, name), found in sorted(score.categories.items()):
        category = categories.setdefault(name, CategoryScore(name))
        category.recall.extend(found.recall)
        category.by_rule += found.by_rule
        category.by_class += found.by_class
    return list(rules.values()), list(categories.values())
