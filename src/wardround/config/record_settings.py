"""The settings of records: which reviews are recorded, and how commits and CI use the records."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

RecordMode = Literal["off", "ci", "on"]
"""The profiles whose reviews are recorded in the store: none, CI, or all."""
CommitMode = Literal["off", "trailer", "note"]
"""Where a commit names the record of its review."""


class RecordSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The table ``records``; a string instead of a table is the value of ``profiles``.

    Attributes:
        profiles: the profiles whose reviews are recorded in the store: none, CI, or all.
        commit: other than ``off``, the reviews of the git hook are recorded too.
        accept: a review may accept an earlier record of the same input instead of running again.
        accept_days: the age from which on a record is not accepted.
    """

    profiles: RecordMode = "ci"
    commit: CommitMode = "off"
    accept: bool = False
    accept_days: Annotated[float, msgspec.Meta(gt=0, le=366)] = 7.0
