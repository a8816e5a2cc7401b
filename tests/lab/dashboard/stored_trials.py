"""Runs with trials in a storage, without running an experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wardround.authoring.stages import Message, Patch, PatchedFile, Value
from wardround_lab.experiments.lab_inputs import COMPLETED, DIFF, TASK
from wardround_lab.experiments.recorded_sequence import RecordedSequence
from wardround_lab.experiments.storage.model import Run, SequenceHeader
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

CREATED = "2026-01-02T03:04:05Z"


def begin_run(storage: SequenceStorage, name: str, instances: Iterable[str], digest: str = "d") -> Run:
    """Store a run with one reward."""
    run = Run(
        id=name, experiment="stage", created=CREATED, version="0.3.0", instances=tuple(instances),
        instances_digest=digest, settings={"options": {"by": ["words", "fusion"], "limit": None}},
        rewards={"lines": True}, notes=("no endpoint has the role author",),
    )  # fmt: skip
    storage.begin_run(run)
    return run


def add_trial(
    storage: SequenceStorage, run: Run, instance: str, configuration: Mapping[str, Value],
    lines: float | None = None, patch: str = "", task: str = "the task",
) -> str:  # fmt: skip
    """Store a trial and return its id; without a reward it is not complete."""
    header = SequenceHeader(
        run=run.id, experiment=run.experiment, configuration=configuration, instance=instance,
        repository="acme/shop", created=CREATED,
    )  # fmt: skip
    sequence = RecordedSequence.open(storage, header)
    sequence.record_messages([Message(TASK, task)])
    if patch:
        sequence.record_selected(Patch((PatchedFile("a.py", patch),), "author", metadata={DIFF: patch}))
    if lines is not None:
        sequence.record_rewards(lines=lines)
        sequence.end(COMPLETED)
    return header.id
