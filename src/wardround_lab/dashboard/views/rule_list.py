"""The rules whose findings people saw, dismissed, fixed or read: the noisiest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from wardround import host
from wardround.change.repository import INDEX, Repository
from wardround.config import loader
from wardround.processors import dismissals_file
from wardround.processors.dismissals_file import Dismissal
from wardround.records.store import Query, RecordStore, opened_if_present
from wardround.rules.intervals import wilson
from wardround.rules.judgement_files import load_judgements, read_no_longer_reported
from wardround.rules.reading_counts import ReadingCounts
from wardround.rules.renamed import current_ids
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.record_content import RecordContents
from wardround_lab.dashboard.views.rule_outcomes import RuleOutcome, rule_outcomes
from wardround_lab.evaluation.judging.agreement import majority_verdicts
from wardround_lab.evaluation.judging.rates import counts_by, rule_of, split_verdicts

NOT_READ = ReadingCounts(repositories=0)
_NO_OUTCOME = RuleOutcome()


class RuleRow(msgspec.Struct, frozen=True):
    """A rule and the reactions to its findings.

    Attributes:
        reviews: all recorded reviews with a finding of it.
        outcome: in the newest reviews.
        readings: the verdicts of readers.
    """

    rule: str
    reviews: int = 0
    outcome: RuleOutcome = _NO_OUTCOME
    dismissed: int = 0
    readings: ReadingCounts = NOT_READ

    @property
    def unwelcome(self) -> int:
        """The findings that people dismissed, or read as wrong or as not worth raising."""
        return self.dismissed + self.readings.wrong + self.readings.true

    @property
    def judged(self) -> int:
        """The findings to which people reacted: those, the fixed ones, and those read as worth raising."""
        return self.unwelcome + self.outcome.fixed + self.readings.worth

    @property
    def noise(self) -> float | None:
        """The share of unwelcome findings among the judged ones; None if there are none."""
        return self.unwelcome / self.judged if self.judged else None

    @property
    def order(self) -> tuple[float, int, float, str]:
        """The position in the list: by the reviews times the noise that is certain at 95%."""
        low = wilson(self.unwelcome, self.judged)[0] if self.judged else 0.0
        return (-low * self.reviews, -self.reviews, -low, self.rule)


class RuleList(msgspec.Struct, frozen=True):
    """All rules with a reaction or a finding, the noisiest first.

    Attributes:
        reviews: the number of the newest reviews, which the outcomes are from.
    """

    rows: Sequence[RuleRow]
    reviews: int


def rule_list(stores: Stores, contents: RecordContents) -> RuleList:
    """Return the rules of the records, the dismissals and the judgements.

    Raises:
        ConfigError: a file of dismissals or judgements, or the configuration, is not valid.
        StoreError: the record store cannot be read.
    """
    with opened_if_present(stores.records) as records:
        shown = _rules_shown(records)
        newest = [] if records is None else contents.newest(records, Query())
    outcomes = _by_current_id(rule_outcomes(newest))
    dismissed = Counter(current_id(entry.rule) for entry in stored_dismissals(stores))
    readings = _readings(stores)
    rows = [
        RuleRow(
            rule=rule,
            reviews=shown[rule],
            outcome=outcomes.get(rule, _NO_OUTCOME),
            dismissed=dismissed[rule],
            readings=readings.get(rule, NOT_READ),
        )
        for rule in {*shown, *dismissed, *readings}
    ]
    return RuleList(sorted(rows, key=lambda row: row.order), len(newest))


def stored_dismissals(stores: Stores) -> Sequence[Dismissal]:
    """Return the entries of the dismissals file in the work tree."""
    with Repository(stores.repository) as repository:
        settings = loader.read(repository.tree(INDEX).read, [], host.load().specialists)
    name = dismissals_file.path_for(settings.root.baseline)
    file = stores.repository / name
    return dismissals_file.load(file.read_bytes() if file.exists() else None, name).dismissed


def current_id(rule: str) -> str:
    """Return the present id of a rule: a renamed one keeps its findings."""
    ids = current_ids(rule)
    return ids[0] if len(ids) == 1 else rule


def _rules_shown(records: RecordStore | None) -> Counter[str]:
    shown: Counter[str] = Counter()
    for rule, number in [] if records is None else records.count_rules(Query()):
        shown[current_id(rule)] += number
    return shown


def _readings(stores: Stores) -> Mapping[str, ReadingCounts]:
    verdicts = majority_verdicts(load_judgements(stores.judgements))
    reported, _ = split_verdicts(verdicts, read_no_longer_reported(stores.judgements))
    return counts_by(reported, rule_of)


def _by_current_id(outcomes: Mapping[str, RuleOutcome]) -> dict[str, RuleOutcome]:
    merged: dict[str, RuleOutcome] = {}
    for rule, outcome in outcomes.items():
        merged[current_id(rule)] = merged.get(current_id(rule), _NO_OUTCOME) + outcome
    return merged
