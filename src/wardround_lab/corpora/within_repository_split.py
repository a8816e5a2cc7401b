"""Split the questions of one repository: training questions are older, and from other files.

Between repositories nothing is shared by accident, so a split by repository needs only their names. Within
one repository a later commit may touch a file of the training, and the evaluation would then measure memory.
So each file is in one part only, regardless of the time of its commits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import msgspec

Side = Literal["train", "validation", "evaluation"]
WEEK = 7 * 24 * 3600


class WithinRepositorySplit(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True
):
    """The rule by which the questions of one repository are split.

    Attributes:
        repository: the repository of all questions.
        held: share of the files that are never trained on, 0 to 1.
        validation: share of the files for validation, 0 to 1.
    """

    repository: str
    held: float = 0.35
    validation: float = 0.12

    def __post_init__(self) -> None:
        if not self.repository:
            raise ValueError("scope names no repository")
        if min(self.held, self.validation) < 0 or self.held + self.validation >= 1:
            raise ValueError(f"held {self.held} and validation {self.validation} leave nothing to train on")

    @property
    def told(self) -> str:
        """Return the rule in one line, for the records that were split by it."""
        return f"{self.repository}, held {self.held:g}, validation {self.validation:g}"

    def fold(self, unit: str) -> Side:
        """Return the part of a unit, at any time; a week is never held out, since later weeks differ."""
        digest = hashlib.sha256(
            f"{self.repository.lower()}\0{unit}".encode("utf-8", "surrogatepass")
        ).digest()
        location = int.from_bytes(digest[:8], "big") / 2**64
        held = 0.0 if is_week(unit) else self.held
        if location < held:
            return "evaluation"
        return "validation" if location < held + self.validation else "train"


def file_of(group: str) -> str:
    """Return the file of a group, such as ``src/a.py`` of ``src/a.py:name@commit``; empty if there is
    none.
    """
    location, at, _ = group.partition("@")
    return location.partition(":")[0] if at else ""


def week_of(time: int) -> str:
    """Return the number of the week of a time since 1970."""
    return f"week {time // WEEK}"


def is_week(unit: str) -> bool:
    return unit.startswith("week ") and unit.removeprefix("week ").isdecimal()


def unit_of(group: str, time: int) -> str:
    """Return the unit that must be in one part: the file, or the week for a group without a file."""
    return file_of(group) or week_of(time)


@dataclass(frozen=True, slots=True)
class OwnSides:
    """The parts of the questions of one repository.

    Attributes:
        until: seconds since 1970; training and validation are older.
        since: the evaluation is at or after it.
        seen: units of the training and the validation part.
    """

    split: WithinRepositorySplit
    until: int
    since: int
    seen: frozenset[str]

    @classmethod
    def of(
        cls, split: WithinRepositorySplit, until: int, since: int, items: Iterable[tuple[str, str, int]]
    ) -> OwnSides:
        """Assign the files to the parts; ``items`` are (repository, group, time)."""
        bare = cls(split, until, since, frozenset())
        seen = {
            unit_of(group, time)
            for repository, group, time in items
            if bare.side(repository, group, time) in ("train", "validation")
        }
        return cls(split, until, since, frozenset(seen))

    def side(self, repository: str, group: str, time: int) -> Side | None:
        """Return the part of one question; None if it is of another repository or would leak."""
        if repository.lower() != self.split.repository.lower():
            return None
        unit = unit_of(group, time)
        if time >= self.since:
            return None if unit in self.seen else "evaluation"
        fold = self.split.fold(unit)
        return fold if fold != "evaluation" and time < self.until else None
