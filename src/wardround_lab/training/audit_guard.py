"""Require that the records of a training passed an audit for the exact split of the recipe."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from wardround.errors import TrainingError
from wardround.inference.metadata import TrainingData
from wardround_lab.corpora.audit import audit_of, read_audit
from wardround_lab.training.choice_dataset import record_files, records_digest
from wardround_lab.training.recipe import DataPart, recipe_digest


def audited_data(recipe_file: Path, data: DataPart, items: int) -> TrainingData:
    """Return the metadata of the training data: ``items`` of audited records.

    Raises:
        TrainingError: see ``passed_audit``.
    """
    files = record_files(data, recipe_file.parent)
    return TrainingData(
        recipe=recipe_digest(recipe_file),
        records=records_digest(files),
        repositories=tuple(sorted(data.trained)),
        items=items,
        until=data.until_seconds,
        audit=passed_audit(files, data),
    )


def passed_audit(files: Sequence[Path], data: DataPart) -> str:
    """Return the result of the audits of the records for the metadata: ``passed`` and a digest.

    Raises:
        TrainingError: an audit is missing, failed, is of other records, or did not check for leaks into the
            evaluation data of the recipe.
    """
    digest = hashlib.sha256()
    held: set[str] = set()
    for file in files:
        audit = read_audit(file)
        _require_same_rule(file, audit.scope, data)
        mixed = {name.lower() for name in audit.train_repositories} & {
            name.lower() for name in data.evaluation
        }
        if mixed:
            raise TrainingError(
                f"{file}: its audit has {min(mixed)} on the training side, but the recipe evaluates on it; "
                f"run wardround data audit {file} --hold-out {min(mixed)}"
            )
        if audit.since and not 0 < data.until_seconds <= audit.since:
            raise TrainingError(
                f"{file}: its audit looked at what is older than {audit.since} seconds after 1970; "
                "set data.until in the recipe to that day, or to one before it"
            )
        held |= {name.lower() for name in audit.evaluation_repositories}
        digest.update(audit_of(file).read_bytes())
    if data.own is not None:
        return f"passed, {digest.hexdigest()[:16]}"
    unheard = sorted(name for name in data.evaluation if name.lower() not in held)
    if unheard:
        raise TrainingError(
            f"{files[0]}: its audit does not have {unheard[0]} on the evaluation side; "
            f"run wardround data audit {files[0]} --hold-out {unheard[0]}"
        )
    return f"passed, {digest.hexdigest()[:16]}"


def _require_same_rule(file: Path, audited: str, data: DataPart) -> None:
    """Require that records of one repository were audited by its split, and records of several by
    repository.
    """
    expected = "" if data.own is None else data.own.told
    if audited != expected:
        hint = "with --recipe" if expected else "without a recipe of one repository"
        raise TrainingError(
            f"{file}: its audit divided the records by another rule ({audited or 'whole repositories'}) than "
            f"the recipe ({expected or 'whole repositories'}); run wardround data audit {hint} again"
        )
