"""Sequences as a reader of the page sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from wardround.authoring.stages import Patch
from wardround_lab.experiments.comparison.results import configuration_name
from wardround_lab.experiments.comparison.run_table import number_in_words
from wardround_lab.experiments.lab_inputs import DIFF
from wardround_lab.experiments.storage.model import Entry, EntryKind, SequenceQuery, SequenceSummary
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

_LONGEST = 6000
_CUT = "\n... {left} more characters; wardround lab query --show {sequence}"


class ShownEntry(msgspec.Struct, frozen=True):
    """An entry as a heading and a text."""

    heading: str
    text: str


class ShownSequence(msgspec.Struct, frozen=True):
    """A sequence of one configuration."""

    id: str
    configuration: str
    rewards: tuple[tuple[str, str], ...]
    outcome: str
    entries: tuple[ShownEntry, ...]


class ShownInstance(msgspec.Struct, frozen=True):
    """An instance with its sequences.

    Attributes:
        spread: how much the first reward differs between the configurations.
    """

    id: str
    repository: str
    spread: float
    sequences: tuple[ShownSequence, ...]


def shown_instances(storage: SequenceStorage, run: str, reward: str, most: int) -> tuple[ShownInstance, ...]:
    """Return the instances at which the configurations of a run differ most in a reward, those first."""
    groups: dict[str, list[SequenceSummary]] = {}
    for summary in storage.find(SequenceQuery(run=run)):
        groups.setdefault(summary.header.instance, []).append(summary)
    order = sorted(groups, key=lambda instance: (-_spread(groups[instance], reward), instance))
    return tuple(
        ShownInstance(
            instance,
            groups[instance][0].header.repository,
            _spread(groups[instance], reward),
            tuple(sequence_to_read(storage, summary) for summary in groups[instance]),
        )
        for instance in order[:most]
    )


def _spread(summaries: Sequence[SequenceSummary], reward: str) -> float:
    values = [summary.rewards[reward] for summary in summaries if reward in summary.rewards]
    return max(values) - min(values) if values else 0.0


def sequence_to_read(storage: SequenceStorage, summary: SequenceSummary) -> ShownSequence:
    """Return a sequence with its entries."""
    header = summary.header
    entries = storage.entries(header.id)
    return ShownSequence(
        header.id,
        configuration_name(header.configuration),
        tuple((name, number_in_words(value)) for name, value in summary.rewards.items()),
        summary.outcome or "not complete",
        tuple(shown_entries(entries, header.id)),
    )


def shown_entries(entries: Sequence[Entry], sequence: str) -> Iterator[ShownEntry]:
    """Yield the entries that people read; rewards and the outcome are shown apart."""
    for entry in entries:
        if entry.kind not in (EntryKind.REWARD, EntryKind.OUTCOME):
            text = _text(entry)
            left = len(text) - _LONGEST
            end = _CUT.format(left=left, sequence=sequence) if left > 0 else ""
            yield ShownEntry(f"{entry.kind}: {entry.name}", text[:_LONGEST] + end)


def _text(entry: Entry) -> str:
    content = bytes(entry.content)
    match entry.kind:
        case EntryKind.MESSAGE:
            return msgspec.json.decode(content, type=str)
        case EntryKind.PATCH:
            return _patch_text(msgspec.json.decode(content, type=Patch))
        case _:
            return _result_text(msgspec.json.decode(content))


def _patch_text(patch: Patch) -> str:
    others = {name: value for name, value in patch.metadata.items() if name != DIFF}
    facts = "".join(f"{name}: {value}\n" for name, value in others.items())
    return f"{patch.reason}\n{facts}\n{patch.metadata.get(DIFF, '')}"


def _result_text(value: object) -> str:
    """Return a result as JSON, with the lines of its texts as lines."""
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {_result_text(part)}" for name, part in value.items())
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()
