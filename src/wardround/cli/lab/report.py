"""``wardround lab report``."""

from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.lab.sequence_options import open_named_storage, storage_option
from wardround.cli.run import emit_line
from wardround.errors import UsageError


@click.command("report")
@click.argument("run_id", metavar="RUN")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="The page (default: lab/RUN/report.html).",
)  # fmt: skip
@click.option("--sequences", type=click.IntRange(min=0), default=20, show_default=True,
              help="Instances whose sequences are on the page.")  # fmt: skip
@storage_option
def command(run_id: str, *, out: Path | None, sequences: int, storage_name: str) -> None:
    """Write one HTML page of a run: rewards, plots, and the sequences to read."""
    from wardround_lab.experiments.experiment_run import find_run
    from wardround_lab.training.dependencies import COMPARING, require_extra

    require_extra(COMPARING, "wardround[lab]")
    from wardround_lab.experiments.report.page import page_of

    with open_named_storage(storage_name, create=False) as storage:
        page = page_of(storage, find_run(storage, run_id), sequences)
    path = out or Path("lab") / run_id / "report.html"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, "utf-8", "backslashreplace")
    except OSError as cause:
        raise UsageError(f"{path}: {cause.strerror}; give another file with --out") from cause
    emit_line(f"page: {path}")
