"""Curated examples for the tests of the dashboard: of every kind, audited, split, hostile and damaged."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from tests.lab.dashboard import curated
from tests.lab.dashboard.filling_reviews import HOSTILE
from wardround_lab.dashboard.actions.example_audit import AuditRequest, audit_examples
from wardround_lab.dashboard.actions.example_split import SplitRequest, split_examples


def fill(folder: Path) -> None:
    """Write files of examples below ``data``, two with an audit and two built from another."""
    data = folder / "data"
    reviewed = curated.write(data / "reviewed.jsonl", map(curated.curated, range(60)))
    odd = replace(curated.curated(70), instruction=HOSTILE, repository=HOSTILE, path=HOSTILE)
    mixed = curated.write(data / "mined/every-kind.jsonl", [*curated.every_kind(), odd])
    mixed.write_bytes(mixed.read_bytes() + b'{"instruction": "cut off\n')
    stolen = replace(curated.curated(50), output=f"token = '{curated.SECRET}'")
    failing = curated.write(
        data / "unreviewed.jsonl", [*map(curated.curated, range(8)), stolen, curated.curated(1)]
    )
    audit_examples(folder, AuditRequest(train=(failing,)), _ignore)
    split_examples(folder, data, SplitRequest(inputs=(reviewed,), name="sft", share=0.2), (), _ignore)


def _ignore(text: str) -> None:
    """Ignore progress."""
