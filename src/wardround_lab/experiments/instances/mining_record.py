"""The record next to a file of mined instances: the number of tries, and the reasons why they failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from wardround_lab.experiments.instances.try_log import Try

SCHEMA = "wardround.instance-mining/1"


class RepositoryTries(msgspec.Struct, frozen=True, kw_only=True):
    """The tries of one repository.

    Attributes:
        head: the newest commit that was read.
        commits: those within the limits.
        excluded: the other commits, by reason.
        candidates: all of them; those behind the last instance that was requested are not tried.
        rejected: candidates that did not become instances, by reason.
        cpu_s: CPU time of all tries, builds of environments included.
    """

    name: str
    head: str
    commits: int
    excluded: Mapping[str, int]
    candidates: int
    tries: int
    instances: int
    rejected: Mapping[str, int]
    cpu_s: float

    @classmethod
    def of(
        cls,
        name: str,
        head: str,
        commits: int,
        excluded: Mapping[str, int],
        candidates: int,
        tries: Sequence[Try],
    ) -> RepositoryTries:
        """Count tries."""
        rejected = Counter(result.reason for result in tries if result.reason)
        return cls(
            name=name,
            head=head,
            commits=commits,
            excluded=dict(sorted(excluded.items())),
            candidates=candidates,
            tries=len(tries),
            instances=len(tries) - rejected.total(),
            rejected=dict(sorted(rejected.items())),
            cpu_s=round(sum(result.cpu_s for result in tries), 1),
        )

    def lines(self) -> Iterator[str]:
        """Yield the lines for a person."""
        each = f", {self.cpu_s / self.instances:.1f} CPU s each" if self.instances else ""
        yield (
            f"{self.name}: {self.instances} instances of {self.tries} tries, {self.candidates} candidates, "
            f"{self.commits} commits{each}"
        )
        for reason, count in sorted(self.rejected.items(), key=lambda row: (-row[1], row[0])):
            yield f"  {count} rejected: {reason}"


class MiningRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The origin of a file of instances.

    Attributes:
        filters: the requested limits.
        sha256: digest of the file.
    """

    schema: str = SCHEMA
    version: str
    filters: Mapping[str, str]
    repositories: tuple[RepositoryTries, ...]
    instances: int
    sha256: str
