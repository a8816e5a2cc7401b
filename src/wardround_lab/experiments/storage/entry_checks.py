"""The checks of entries that are appended, the same in all storages."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround_lab.experiments.storage.model import Entry, EntryKind, Run
from wardround_lab.experiments.storage.sequence_storage import StorageError


def check_same_run(stored: Run, run: Run) -> None:
    """Require that a run which begins is the stored one with its id.

    Raises:
        StorageError: it is another one.
    """
    if stored != run:
        raise StorageError(f"another run has the id {run.id} already; give this one another id")


def check_append(
    sequence: str, length: int, outcome: str | None, position: int, entries: Sequence[Entry]
) -> None:
    """Require that entries can follow those that a sequence has.

    Args:
        length: the number of its entries.
        outcome: the recorded outcome; None if it has none.

    Raises:
        StorageError: they cannot.
    """
    if length != position:
        raise StorageError(
            f"sequence {sequence} has {length} entries, not {position}: another process appended to it;"
            " run it again, which continues it"
        )
    is_complete = outcome is not None
    for entry in entries:
        if is_complete and entry.kind is not EntryKind.JUDGEMENT:
            raise StorageError(
                f"sequence {sequence} has an outcome already, so that no {entry.kind} can follow;"
                " begin another run"
            )
        _check_content(sequence, entry)
        is_complete = is_complete or entry.kind is EntryKind.OUTCOME


def missing_sequence(sequence: str) -> StorageError:
    """Return the error for entries of a sequence that was not begun."""
    return StorageError(f"there is no sequence {sequence}; begin it before its entries")


def reward_value(entry: Entry) -> float:
    """Return the value of a reward."""
    return msgspec.json.decode(bytes(entry.content), type=float)


def _check_content(sequence: str, entry: Entry) -> None:
    content = bytes(entry.content)
    kind = float if entry.kind is EntryKind.REWARD else msgspec.Raw
    try:
        content.decode()
        msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise StorageError(
            f"sequence {sequence}: the content of {entry.kind} {entry.name!r} is not valid ({cause});"
            f" give {'a number' if kind is float else 'JSON'}"
        ) from None
