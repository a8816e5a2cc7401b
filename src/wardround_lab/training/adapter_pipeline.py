"""Turn audited records into an adapter: two trainings, export, measurement, calibration and promotion.

A stage is skipped where its files exist, so that an interrupted command continues.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wardround.errors import TrainingError
from wardround.inference.locations import METADATA_FILE
from wardround.inference.metadata import Metadata, PromotionState, read_metadata
from wardround_lab.corpora.audit import audit_of
from wardround_lab.corpora.audit_runner import AuditPolicy, AuditRunner
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.training.recipe import read_recipe
from wardround_lab.training.recipe_kind import Files
from wardround_lab.training.run_directory import MODEL_FOLDER

SEEDS = (0, 1)
_CLEANINGS = 4

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """The result of one task.

    Attributes:
        metadata: metadata of the model; None where there is none.
        notes: the deviations from the usual course, a sentence each.
        folder: folder of the model.
        base: folder of the frozen base that the model needs; None if it needs none.
    """

    task: str
    metadata: Metadata | None
    notes: tuple[str, ...]
    folder: Path
    base: Path | None = None


@dataclass(frozen=True, slots=True)
class AdapterPipeline:
    """The stages of one recipe of choices whose records are audited.

    Attributes:
        task: its name, for messages.
        folder: where the runs go, one folder a seed.
    """

    task: str
    recipe: Path
    folder: Path
    places: Files
    progress: Progress

    def run(self) -> TrainingOutcome:
        """Train, export, measure, calibrate, and apply the promotion gates."""
        from wardround_lab.training import promote

        base = self._train()
        notes = self._measure(base)
        model = self._run_folder(SEEDS[0]) / MODEL_FOLDER
        data = read_recipe(self.recipe).data
        seen = promote.files_seen(
            model, read_metadata(model), base=base, recipe=self.recipe,
            records=[self.recipe.parent / name for name in data.records],
        )  # fmt: skip
        return TrainingOutcome(
            self.task, promote.promote(model, PromotionState.RANK, seen), notes, model, base
        )

    def _train(self) -> Path | None:
        """Train and export each seed; the folder of the frozen base."""
        from wardround_lab.training.packaging import finish, shipped_base
        from wardround_lab.training.train import train

        base, base_folder = self.places.base, self.places.base_folder
        for number, seed in enumerate(SEEDS, 1):
            run = self._run_folder(seed)
            say = self._label_progress(f"training {number} of {len(SEEDS)}")
            train(self.recipe, run, seed=seed, hub=self.places.hub, base_folder=base_folder, progress=say)
            base = shipped_base(run, base, base_folder=base_folder, progress=say)
            if not (run / MODEL_FOLDER / METADATA_FILE).is_file():  # written last
                finish(run, base, base_folder=base_folder, progress=say)
        return base

    def _measure(self, base: Path | None) -> tuple[str, ...]:
        """Measure and calibrate the first model, unless that is done; a failed calibration is a note."""
        from wardround_lab.training import evaluate_shipped
        from wardround_lab.training.promote import model_of

        models = [model_of(str(self._run_folder(seed))) for seed in SEEDS]
        digests = {str(model.metadata.seed): model.metadata.model.sha256 for model in models}
        first = models[0].metadata
        if first.evaluation is None or first.evaluation.models != digests:
            evaluate_shipped.evaluate_choices(
                models, self.recipe, base, {}, self._label_progress("measuring")
            )
            models[0] = model_of(str(models[0].folder))
        if models[0].metadata.calibration.model == first.model.sha256:
            return ()
        try:
            say = self._label_progress("calibrating")
            evaluate_shipped.calibrate_choices(models[0], self.recipe, base, "platt", 0.003, say)
        except TrainingError as trouble:
            return (f"{self.task}: not calibrated, so its scores only order candidates: {trouble}",)
        return ()

    def _run_folder(self, seed: int) -> Path:
        return self.folder / f"seed-{seed}"

    def _label_progress(self, stage: str) -> Progress:
        return lambda text: self.progress(f"{self.task}, {stage}: {text}")


def clean_records(
    mined: Path, target: Path, demands: AuditPolicy, scan: SecretScan, progress: Progress
) -> list[str]:
    """Remove the items that fail the audit until it passes, and copy records and audit to ``target``.

    Several rounds are needed: an item that leaves the training part may allow one of the evaluation.

    Returns:
        Return the defects that the last audit reports; none if it passed.
    """
    records = mined
    for number in range(_CLEANINGS):
        progress(f"{mined.stem}: audit")
        auditing = AuditRunner([records], (), demands, scan, progress)
        audit = auditing.run()[0]
        if audit.passed:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(records, target)
            shutil.copyfile(audit_of(records), audit_of(target))
            return []
        cleaned = mined.parent / f"cleaned-{number}"
        cleaned.mkdir(exist_ok=True)
        records = auditing.clean(cleaned)[0]
    return audit.failures()
