"""Reviews as the record store counts and lists them; no record is read for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import PurePath

import msgspec

from wardround.errors import UsageError
from wardround.policy.verdict import Tier, VerdictName
from wardround.records.queries import Group
from wardround.records.store import Query, RecordStore, StoredRecord

PAGE = 50
_MOST_BARS = 60
_MOST_PARTS = 10**6
_WEEK_DAYS = 7


class ReviewFilters(msgspec.Struct, frozen=True):
    """The conditions on the listed reviews as an address has them; an empty one is not checked.

    Attributes:
        since: a day, such as ``2030-01-31``.
        part: the page of the list, from 1.
    """

    repository: str = ""
    verdict: str = ""
    tier: str = ""
    rule: str = ""
    author: str = ""
    since: str = ""
    part: int = 1

    @classmethod
    def from_address(cls, query: Mapping[str, str]) -> ReviewFilters:
        """Return the filters that the parameters of an address name; other parameters are ignored.

        Raises:
            UsageError: the day or the page is not valid.
        """
        texts = {name: query.get(name, "").strip() for name in cls.__struct_fields__ if name != "part"}
        _require_day(texts["since"])
        part = query.get("part", "1")
        if not (part.isascii() and part.isdecimal() and 0 < int(part) <= _MOST_PARTS):
            raise UsageError(f"part {part!r} is not a page of the list; give a number from 1")
        return cls(**texts, part=int(part))

    @property
    def conditions(self) -> Query:
        """The conditions as the store checks them."""
        return Query(
            repository=self.repository or None,
            verdict=self.verdict or None,
            tier=self.tier or None,
            rule=self.rule or None,
            author=self.author or None,
            since=f"{self.since}T00:00:00Z" if self.since else None,
        )

    def address(self, **changes: str | int) -> dict[str, str]:
        """Return the parameters of the address with some filters replaced; empty ones are left out."""
        values = {**msgspec.structs.asdict(self), **changes}
        return {name: str(value) for name, value in values.items() if value and (name, value) != ("part", 1)}


class Tally(msgspec.Struct, frozen=True):
    """The number of reviews with each verdict, of a repository, a tier or a time."""

    name: str
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())


class ReviewList(msgspec.Struct, frozen=True):
    """A page of the reviews that meet the filters, and the counts of all of them.

    Attributes:
        periods: weeks, or months if there are many, without gaps.
        choices: the values of each filter that occur in the store.
    """

    filters: ReviewFilters
    total: int
    records: Sequence[StoredRecord]
    periods: Sequence[Tally]
    repositories: Sequence[Tally]
    tiers: Sequence[Tally]
    choices: Mapping[str, Sequence[str]]

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PAGE))


def review_list(records: RecordStore, filters: ReviewFilters) -> ReviewList:
    """Return the page of the reviews that the filters select."""
    conditions = filters.conditions
    days = _tallies(records, "day", conditions)
    return ReviewList(
        filters=filters,
        total=sum(day.total for day in days),
        records=records.query(conditions, PAGE, PAGE * (filters.part - 1)),
        periods=by_period(days),
        repositories=sorted(
            _tallies(records, "repository", conditions), key=lambda tally: (-tally.total, tally.name)
        ),
        tiers=_tallies(records, "tier", conditions),
        choices={
            "repository": [name for name, _ in records.count(["repository"], Query())],
            "verdict": list(VerdictName),
            "tier": list(Tier),
            "rule": sorted(rule for rule, _ in records.count_rules(Query())),
        },
    )


def _tallies(records: RecordStore, group: Group, conditions: Query) -> list[Tally]:
    counts: dict[str, dict[str, int]] = {}
    for name, verdict, number in records.count([group, "verdict"], conditions):
        counts.setdefault(str(name), {})[str(verdict)] = int(number)
    return [Tally(name, verdicts) for name, verdicts in counts.items()]


def by_period(days: Sequence[Tally]) -> list[Tally]:
    """Return the counts of weeks, named by their Monday, or of months; those without reviews are included.

    Args:
        days: sorted, named as in ``2030-01-31``.
    """
    if not days:
        return []
    first, last = (_monday(date.fromisoformat(day.name)) for day in (days[0], days[-1]))
    weeks = [first + timedelta(weeks=number) for number in range((last - first).days // _WEEK_DAYS + 1)]
    if len(weeks) <= _MOST_BARS:
        return _merge(days, [week.isoformat() for week in weeks], _week_of)
    months = {_month_of(week.isoformat()) for week in weeks[1:]} | {_month_of(day.name) for day in days}
    return _merge(days, sorted(months), _month_of)


def _merge(days: Sequence[Tally], periods: Sequence[str], period_of: Callable[[str], str]) -> list[Tally]:
    counts: dict[str, Counter[str]] = {period: Counter() for period in periods}
    for day in days:
        counts[period_of(day.name)].update(day.counts)
    return [Tally(period, found) for period, found in counts.items()]


def _week_of(day: str) -> str:
    return _monday(date.fromisoformat(day)).isoformat()


def _month_of(day: str) -> str:
    return day[: len("2030-01")]


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _require_day(text: str) -> None:
    try:
        if text:
            date.fromisoformat(text)
    except ValueError as cause:
        raise UsageError(f"since {text!r} is not a day; give one such as 2030-01-31") from cause


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Return the shortest end of each path, in whole parts, that no other path has."""
    names: dict[str, str] = {}
    remaining = list(paths)
    length = 1
    while remaining:
        ends = Counter(_end(path, length) for path in paths)
        names |= {path: _end(path, length) for path in remaining if _is_final(path, length, ends)}
        remaining = [path for path in remaining if path not in names]
        length += 1
    return names


def _is_final(path: str, length: int, ends: Counter[str]) -> bool:
    end = _end(path, length)
    return ends[end] == 1 or end == path or length > len(PurePath(path).parts)


def _end(path: str, length: int) -> str:
    return "/".join(PurePath(path).parts[-length:]) or path
