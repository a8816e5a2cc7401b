"""Batches for several readers at once: the files ``READER-NUMBER.jsonl`` of one folder.

A finding in a batch counts as read by that reader, so two batches share only findings that are read twice.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from wardround.errors import UsageError
from wardround_lab.evaluation.judging.hits import Hit


class _Taken(msgspec.Struct, frozen=True):
    id: str


def readers_by_finding(folder: Path) -> Mapping[str, set[str]]:
    """Return the id of a finding -> the readers who have it in a batch.

    Raises:
        UsageError: a file cannot be read, or is not a batch.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted(folder.glob("*-*.jsonl")):
        reader = file.stem.rpartition("-")[0]
        try:
            rows = [msgspec.json.decode(line, type=_Taken) for line in file.read_bytes().splitlines()]
        except (OSError, msgspec.MsgspecError) as cause:
            raise UsageError(f"{file} is not a batch: {cause}; move it to another folder") from cause
        for row in rows:
            found[row.id].add(reader)
    return found


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Let one reader at a time take a batch from a folder, which is created if it does not exist.

    Raises:
        UsageError: the folder cannot be used.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY)
    except OSError as cause:
        raise UsageError(f"--out {folder}: {cause.strerror}; give a file in another folder") from cause
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def alternate_rules(hits: Iterable[Hit]) -> Sequence[Hit]:
    """Order findings so that each rule has had one before any has a second."""
    rounds: Counter[str] = Counter()
    ordered: list[tuple[int, int, Hit]] = []
    for number, hit in enumerate(hits):
        ordered.append((rounds[hit.rule], number, hit))
        rounds[hit.rule] += 1
    return [hit for _, _, hit in sorted(ordered, key=lambda entry: entry[:2])]
