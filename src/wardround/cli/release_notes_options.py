"""The options of ``wardround release-notes`` as one value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.release_notes.history.revisions import Revisions


class ReleaseNotesOptions(msgspec.Struct, frozen=True):
    """The options, named as on the command line."""

    revisions: str | None
    since_last_tag: bool
    head: str | None
    form: str
    version: str | None
    output: Path | None
    changelog: str | None
    is_reworded: bool
    is_shown: bool
    exchange: Path | None
    exchange_wait: float
    store_name: str
    repo: Path | None

    def require_consistent(self) -> None:
        """Reject options that contradict each other, and an output file that exists.

        Raises:
            UsageError: they do.
        """
        if self.since_last_tag == (self.revisions is not None):
            raise UsageError("release-notes: give either FROM..TO, such as v1.2.0..HEAD, or --since-last-tag")
        if self.head is not None and not self.since_last_tag:
            raise UsageError(f"--to {self.head}: it belongs to --since-last-tag; write FROM..{self.head}")
        if self.output is not None and self.output.exists():
            # a changelog has more than the notes of one range
            raise UsageError(
                f"--output {self.output}: it exists; name a new file, and insert the notes yourself"
            )

    def range_in(self, repository: Repository) -> Revisions:
        """Return the requested range.

        Raises:
            UsageError: a revision or a tag of a version is missing.
        """
        from wardround.release_notes.history.revisions import revisions_of_range, revisions_since_last_tag

        if self.revisions is None:
            return revisions_since_last_tag(repository, self.head or "HEAD")
        return revisions_of_range(repository, self.revisions)
