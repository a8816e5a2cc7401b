"""The sequence of one configuration at one instance: its effects, patches and rewards in a storage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import msgspec

from wardround.authoring.sequence import EffectKeys
from wardround.authoring.stages import Message, Patch
from wardround_lab.experiments.storage.model import Entry, EntryKind, SequenceHeader
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

Result = TypeVar("Result")
SELECTED = "selected"
"""The name of the entry with the selected patch."""


class RecordedSequence:
    """A sequence to which a run appends; as ``Effects`` it repeats no effect that it has.

    Attributes:
        outcome: the recorded outcome; empty if the sequence is not complete.
    """

    def __init__(self, storage: SequenceStorage, header: SequenceHeader) -> None:
        self.header = header
        self._storage = storage
        self._entries: list[Entry] = []
        self._results: dict[str, bytes] = {}
        self._keys = EffectKeys()
        self._recorded: Counter[tuple[EntryKind, str, str]] = Counter()
        self.outcome = ""

    @classmethod
    def open(cls, storage: SequenceStorage, header: SequenceHeader) -> RecordedSequence:
        """Begin a sequence, or continue it where it ended."""
        storage.begin(header)
        sequence = cls(storage, header)
        for entry in storage.entries(header.id):
            sequence._add(entry)
            sequence._recorded[_identity(entry)] += 1
        return sequence

    @property
    def rewards(self) -> dict[str, float]:
        """Name -> value of the rewards so far."""
        found = (entry for entry in self._entries if entry.kind is EntryKind.REWARD)
        return {entry.name: msgspec.json.decode(bytes(entry.content), type=float) for entry in found}

    async def run(
        self, step: str, request: object, kind: type[Result], effect: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Return the result of an effect; see ``Effects``."""
        key = self._keys.next(step, request)
        recorded = self._results.get(key)
        if recorded is None:
            recorded = msgspec.json.encode(await effect())
            self._append([Entry(EntryKind.RESULT, step, msgspec.Raw(recorded), key)])
        return msgspec.json.decode(recorded, type=kind)

    def record_messages(self, messages: Iterable[Message]) -> None:
        """Append the messages of a conversation."""
        self._append_new([_entry(EntryKind.MESSAGE, message.role, message.content) for message in messages])

    def record_patches(self, patches: Iterable[Patch]) -> None:
        """Append proposed patches, in their order."""
        self._append_new([_entry(EntryKind.PATCH, patch.author, patch) for patch in patches])

    def record_selected(self, patch: Patch) -> None:
        """Append the selected patch."""
        self._append_new([_entry(EntryKind.PATCH, SELECTED, patch)])

    def record_judgement(self, name: str, content: object) -> None:
        """Append a judgement of a person; a sequence can have several."""
        self._append([_entry(EntryKind.JUDGEMENT, name, content)])

    def record_rewards(self, **rewards: float) -> None:
        """Append the rewards of a stage; one that the sequence has already stays as it is."""
        known = self.rewards
        new = {name: value for name, value in rewards.items() if name not in known}
        self._append([_entry(EntryKind.REWARD, name, float(value)) for name, value in new.items()])

    def end(self, outcome: str) -> None:
        """Append the outcome, such as ``completed``; the sequence is not run again."""
        self._append([_entry(EntryKind.OUTCOME, outcome, outcome)])

    def _append_new(self, entries: list[Entry]) -> None:
        """Append the entries that were not recorded before the run was interrupted."""
        self._append([entry for entry in entries if not self._is_recorded(entry)])

    def _is_recorded(self, entry: Entry) -> bool:
        identity = _identity(entry)
        is_recorded = self._recorded[identity] > 0
        self._recorded[identity] -= is_recorded
        return is_recorded

    def _append(self, entries: list[Entry]) -> None:
        if not entries:
            return
        self._storage.append(self.header.id, len(self._entries), entries)
        for entry in entries:
            self._add(entry)

    def _add(self, entry: Entry) -> None:
        self._entries.append(entry)
        if entry.kind is EntryKind.RESULT:
            self._results[entry.key] = bytes(entry.content)
        elif entry.kind is EntryKind.OUTCOME:
            self.outcome = entry.name


def _entry(kind: EntryKind, name: str, content: object) -> Entry:
    return Entry(kind, name, msgspec.Raw(msgspec.json.encode(content, order="deterministic")))


def _identity(entry: Entry) -> tuple[EntryKind, str, str]:
    return entry.kind, entry.name, entry.digest
