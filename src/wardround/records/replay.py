"""Replay of a record: level 1 derives the verdict again from the recorded evidence, on any machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from wardround import __version__
from wardround.context.canonical import canonical_json
from wardround.context.document import document_id
from wardround.context.run_evidence import RUN_PARTS
from wardround.policy.conclude import conclude
from wardround.records.record import NOT_COVERED, ReviewRecord, record_values
from wardround.records.recorded_evidence import evidence_values
from wardround.records.statement import FIRST_SCHEMA


class Difference(msgspec.Struct, frozen=True):
    """A part of a record that does not follow from the rest.

    Attributes:
        part: the path in the predicate, such as ``signals[2].severity``. recorded, derived: the two values as
            JSON, shortened.
    """

    part: str
    recorded: str
    derived: str


class Replay(msgspec.Struct, frozen=True):
    """The result of a replay.

    Attributes:
        differences: none if the record follows from its evidence.
        note: a difference in version or schema that may explain them; empty if there is none.
    """

    differences: tuple[Difference, ...]
    note: str = ""

    @property
    def agrees(self) -> bool:
        """True if nothing differs."""
        return not self.differences


def replay_evidence(record: ReviewRecord) -> Replay:
    """Derive the context id, the gate, the signals and the verdict again, and compare them bit by bit.

    The results of a run are part of the context, so that nothing is run here.
    """
    conclusion = conclude(record.context.document, record.evidence, record.policies)
    policies = {
        name: {"name": part.document.name, "digest": part.document.digest}
        for name, part in (("policy", record.policy), ("floor", record.floor))
        if part is not None
    }
    derived = {
        "context": {"id": document_id(record.context.document), "not_covered": NOT_COVERED},
        "gate": {"outcome": record.evidence.gate, "fail_level": record.evidence.fail_level},
        "evidence": evidence_values(conclusion.evidence),
        "signals": msgspec.to_builtins(conclusion.signals),
        "verdict": msgspec.to_builtins(conclusion.verdict),
        "request": {"run": _parts(record)},
        **policies,
    }
    recorded = record_values(record)
    return Replay(tuple(_differences("", recorded, derived)), _note(record))


def _note(record: ReviewRecord) -> str:
    """Return the reason for which a record may not follow from its evidence; empty if there is none."""
    notes = []
    if record.components.version != __version__:
        notes.append(f"the record is of version {record.components.version}, this is {__version__}")
    if record.schema == FIRST_SCHEMA:
        notes.append(
            f"records of the schema {FIRST_SCHEMA} do not cover tools, target branch, messages and time"
        )
    return "; ".join(notes)


def _parts(record: ReviewRecord) -> list[str]:
    """Return the parts by the outcomes in the context, so that a requested one cannot be omitted."""
    without_outcome = [part for part in record.request.run if part not in RUN_PARTS]
    return [*record.context.document.ran.parts, *without_outcome]


def _differences(place: str, recorded: Any, derived: Any) -> Iterator[Difference]:
    """Return the smallest parts that differ; of an object, only the keys that were derived."""
    if isinstance(derived, dict) and isinstance(recorded, dict):
        for key in sorted(derived):
            yield from _differences(f"{place}.{key}" if place else key, recorded.get(key), derived[key])
    elif isinstance(derived, (list, tuple)) and isinstance(recorded, (list, tuple)):
        if len(derived) != len(recorded):
            yield Difference(place, f"{len(recorded)} entries", f"{len(derived)} entries")
            return
        for number, (old, new) in enumerate(zip(recorded, derived, strict=True)):
            yield from _differences(f"{place}[{number}]", old, new)
    elif canonical_json(recorded) != canonical_json(derived):
        yield Difference(place, _shorten_value(recorded), _shorten_value(derived))


def _shorten_value(value: Any) -> str:
    text = canonical_json(value).decode()
    return text if len(text) <= 80 else f"{text[:77]}..."
