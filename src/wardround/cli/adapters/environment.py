from __future__ import annotations

import tempfile
from pathlib import Path

import click

from wardround.cli.run import emit_line, progress_line


@click.command("environment")
@click.option(
    "--trial", is_flag=True, help="Train a tiny recipe, export it, and compare its scores with the CPU's."
)
@click.option("--require-gpu", is_flag=True, help="Fail if a training or a model would not run on a GPU.")
def command(trial: bool, require_gpu: bool) -> int:
    """Show what this machine offers to a training: PyTorch, a GPU, onnxruntime with CUDA, memory.

    Exit status: 4 with --require-gpu if something is missing for the GPU.
    """
    from wardround_lab.training.environment_check import check_environment

    found = check_environment(Path.cwd())
    for line in found.lines():
        emit_line(line)
    if trial:
        _run_trial()
    return 4 if require_gpu and found.missing else 0


def _run_trial() -> None:
    from wardround_lab.training.dependencies import require_extra

    require_extra()
    from wardround_lab.training.trial.trial import run_trial

    with tempfile.TemporaryDirectory(prefix="wardround-trial-") as folder, progress_line() as progress:
        found = run_trial(Path(folder), progress)
        progress("")
    for line in found.lines():
        emit_line(line)
