"""How often readers judged the findings of a rule, and with which verdicts."""

from __future__ import annotations

from functools import cache
from typing import Annotated

import msgspec
from msgspec import Meta

from wardround.errors import WardroundError
from wardround.rules.judgements import Verdict
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.yaml_loader import load_yaml

FILE = "reading_counts.yml"

_Count = Annotated[int, Meta(ge=0)]


class ReadingCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Counts of judged findings of one rule; each finding counts once, with the verdict of the majority.

    Attributes:
        no_longer_reported: further judged findings, which the present version does not report.
    """

    repositories: _Count
    worth: _Count = 0
    true: _Count = 0
    wrong: _Count = 0
    unclear: _Count = 0
    no_longer_reported: _Count = 0

    @property
    def read(self) -> int:
        return self.worth + self.true + self.wrong + self.unclear

    def of(self, verdict: Verdict) -> int:
        return int(getattr(self, verdict.value))

    def share(self, *verdicts: Verdict) -> float:
        """Return the share of some verdicts; 0 if nothing was read."""
        return sum(self.of(verdict) for verdict in verdicts) / self.read if self.read else 0.0

    def summary(self) -> str:
        """Return the counts as text: ``read 36 times in 21 repositories: 31 worth, 4 true, 1 wrong``."""
        if not self.read:
            return f"{self.no_longer_reported} read, and not reported any longer"
        parts = ", ".join(f"{self.of(verdict)} {verdict}" for verdict in Verdict if self.of(verdict))
        times = "once" if self.read == 1 else f"{self.read} times"
        where = "1 repository" if self.repositories == 1 else f"{self.repositories} repositories"
        more = f"; {self.no_longer_reported} more, not reported any longer" if self.no_longer_reported else ""
        return f"read {times} in {where}: {parts}{more}"


@cache
def reading_counts() -> dict[str, ReadingCounts]:
    """Return the counts of every rule that was read, from the table that ships with the rules.

    Raises:
        WardroundError: the table is absent or invalid.
    """
    try:
        text = (package_folder(RULES_PACKAGE) / FILE).read_text("utf-8")
        return msgspec.convert(load_yaml(text) or {}, dict[str, ReadingCounts])
    except (OSError, ValueError, msgspec.ValidationError) as cause:
        raise WardroundError(f"{RULES_PACKAGE}/{FILE} has no counts: {cause}; install it again") from cause
