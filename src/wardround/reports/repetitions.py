"""The notes about added functions that repeat an existing one, for the reports that people read."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.context.repetition import Repetition
from wardround.review import ReviewResult
from wardround.storage.digest import digest_key

RULE = "wardround/repetition"
"""The id of the notes in formats that need one; it is not a rule that a configuration can name."""
RATIONALE = (
    "An added function repeats an existing one of the repository, so that a later fix has to be made twice."
)


class RepetitionNote(msgspec.Struct, frozen=True):
    """A note about an added function; lines are 1-based and inclusive.

    Attributes:
        fingerprint: the identity of the note across line moves.
    """

    path: str
    line: int
    end_line: int
    message: str
    fingerprint: str


def repetition_notes(review: ReviewResult) -> Iterator[RepetitionNote]:
    """Return the notes about the repetitions that are shown."""
    for one in review.conclusion.evidence.repetitions:
        if one.is_shown:
            place = f"{one.existing_path}:{one.existing_line}"
            message = f"`{one.name}` repeats {place} `{one.existing_name}`: {_reuse(one)}"
            key = digest_key(RULE, one.path, one.name, one.existing_path, one.existing_name)
            yield RepetitionNote(one.path, one.line, one.end_line, message, key.hex()[:16])


def _reuse(one: Repetition) -> str:
    """Return the way to use the existing function."""
    if one.path == one.existing_path:
        return "call it"
    return "import it" if one.is_exported else "make it public and import it"
