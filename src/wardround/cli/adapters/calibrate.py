from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wardround.cli.run import emit, progress_line
from wardround.errors import UsageError


@click.command("calibrate")
@click.argument("model", metavar="MODEL")
@click.option("--recipe", type=click.Path(path_type=Path), metavar="FILE",
              help="Recipe of a ranker; its evaluation repositories are used.")  # fmt: skip
@click.option("--rows", type=click.Path(path_type=Path), metavar="FILE",
              help="For a tabular model: rows at their natural rate, none of them trained on.")  # fmt: skip
@click.option("--base", type=click.Path(path_type=Path), metavar="DIR",
              help="Exported frozen base (default: the one shipped with wardround).")  # fmt: skip
@click.option("--method", type=click.Choice(["platt", "isotonic"]), default="platt", show_default=True)
@click.option("--alarms", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.003,
              show_default=True, metavar="SHARE",
              help="Highest share of true negatives above the threshold.")  # fmt: skip
def command(model: str, **options: Any) -> int:
    """Calibrate the scores of MODEL and choose its threshold.

    Calibration is fitted on half of the repositories and checked on the others; the model must have been
    trained on none of them.
    """
    from wardround_lab.training.dependencies import MEASURING, require_extra

    require_extra(MEASURING)
    from wardround_lab.training import evaluate_shipped, promote

    found = promote.model_of(model)
    method, alarms = options["method"], options["alarms"]
    with progress_line() as progress:
        if options["recipe"] is not None:
            base = promote.base_of(options["base"])
            metadata, done = evaluate_shipped.calibrate_choices(
                found, options["recipe"], base, method, alarms, progress
            )
        elif options["rows"] is not None:
            metadata, done = evaluate_shipped.calibrate_rows(found, options["rows"], method, alarms, progress)
        else:
            raise UsageError("give --recipe FILE, or for a model over numbers --rows FILE")
    units = "files" if metadata.scope else "repositories"
    emit(
        f"{metadata.name}: {method} on {metadata.calibration.items} items of "
        f"{len(metadata.calibration.repositories)} {units}, checked on "
        f"{len(metadata.calibration.checked)} others: error {done.reliability.error:.3f}, "
        f"Brier {done.reliability.brier:.4f}\n"
        f"threshold {done.threshold:.4f}: {alarms:.2%} of the negatives may pass, {done.alarms:.2%} of the "
        "others' do\n"
    )
    return 0
