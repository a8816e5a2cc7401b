"""Rebuild a model of choices from its recipe and clones of the repositories that the recipe names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.errors import UsageError
from wardround.training_tasks import Task
from wardround_lab.corpora.audit import audit_of
from wardround_lab.corpora.audit_runner import AuditPolicy
from wardround_lab.corpora.clones import clone_of
from wardround_lab.corpora.git_history import HistoryLimits
from wardround_lab.corpora.holdout import HoldoutRepositories
from wardround_lab.corpora.miner import Miner, MiningSource, RecordLocation
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.training.adapter_pipeline import AdapterPipeline, TrainingOutcome, clean_records
from wardround_lab.training.recipe import Recipe, read_recipe
from wardround_lab.training.recipe_kind import Files

if TYPE_CHECKING:
    from wardround.specialists import Specialist

_RAW = "raw"


@dataclass(frozen=True, slots=True)
class RecipeRebuild:
    """One recipe, with the clones that its records are mined from.

    Attributes:
        clones: a folder with ``owner/name``, ``owner+name`` or ``name`` for each repository.
        folder: where the runs go.
        tasks: those of the installed plugins.
    """

    recipe: Path
    clones: Path
    folder: Path
    tasks: Sequence[Task]
    specialists: Sequence[Specialist]
    places: Files
    progress: Callable[[str], None]

    def run(self) -> TrainingOutcome:
        """Mine, audit, train, export, measure, calibrate and promote; finished stages are skipped.

        Raises:
            UsageError: a clone or the task is missing, or the records fail their audit.
        """
        read = read_recipe(self.recipe)
        records = self._records(read)
        if not (records.is_file() and audit_of(records).is_file()):
            self._mine(read, records)
        return AdapterPipeline(read.task, self.recipe, self.folder, self.places, self.progress).run()

    def _records(self, read: Recipe) -> Path:
        if read.data.own is not None or len(read.data.records) != 1:
            raise UsageError(f"{self.recipe}: only a recipe with one file of records of several repositories "
                             "can be rebuilt from clones")  # fmt: skip
        return (self.recipe.parent / read.data.records[0]).resolve()

    def _mine(self, read: Recipe, records: Path) -> None:
        task = next((known for known in self.tasks if known.name == read.task), None)
        if task is None:
            raise UsageError(f"{self.recipe}: no installed plugin has the task {read.task!r}")
        locations = list(self._locations(read))
        retained, scan = HoldoutRepositories.read(None), SecretScan(self.specialists)
        raw = records.parent / _RAW
        mining = Miner(raw, HistoryLimits(), retained.__contains__, scan, self.progress)
        mining.mine([MiningSource(task.name, task)], locations)
        since = read.data.since_seconds if read.data.since else None
        demands = AuditPolicy(hold_out=frozenset(read.data.evaluation), since=since, kept=retained)
        failures = clean_records(raw / f"{task.name}.jsonl", records, demands, scan, self.progress)
        if failures:
            raise UsageError(f"{self.recipe}: its records fail their audit: {'; '.join(failures)}")

    def _locations(self, read: Recipe) -> Iterator[RecordLocation]:
        names = (*read.data.train, *read.data.validation, *read.data.evaluation)
        found = {name: clone_of(self.clones, name) for name in names}
        missing = [name for name, folder in found.items() if folder is None]
        if missing:
            raise UsageError(f"{self.clones}: no clone of {', '.join(missing)}; add them with their history")
        for name, folder in found.items():
            if folder is not None:
                yield RecordLocation(folder, name)
