"""``wardround lab run``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.exchange_options import exchange_options
from wardround.cli.lab.sequence_options import open_named_storage, storage_option
from wardround.cli.messages import echo_err
from wardround.cli.process import Interrupted, collect_garbage
from wardround.cli.run import emit_line, progress_line

if TYPE_CHECKING:
    from wardround_lab.experiments.experiment_run import OpenRun, RunRequest
    from wardround_lab.experiments.instances.instance_set import InstanceSet
    from wardround_lab.experiments.running import IncompleteTrial
    from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

_INCOMPLETE = 4
_SHOWN = 5


def _shard(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, int]:
    """Parse ``K/N``."""
    number, slash, total = (text or "1/1").partition("/")
    if not (slash and number.isdecimal() and total.isdecimal() and 1 <= int(number) <= int(total)):
        raise click.BadParameter(f"{text!r} is not K/N with K from 1 to N, such as 1/2")
    return int(number), int(total)


@click.command("run")
@click.argument("experiment", metavar="EXPERIMENT")
@click.option(
    "--instances", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE",
    help="Instances that data mine --instances wrote.",
)  # fmt: skip
@click.option(
    "--clone", "clones", multiple=True, required=True, metavar="[NAME=]PATH",
    help="A clone or mirror with the commits of instances; repeatable.",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N instances.")
@click.option(
    "--config", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="TOML with [endpoints.NAME], [roles] and [experiments.EXPERIMENT].",
)  # fmt: skip
@click.option(
    "--set", "assignments", multiple=True, metavar="NAME=VALUE",
    help="An option of the experiment; VALUE,VALUE for a list. Repeatable.",
)  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 1000), default=4, show_default=True,
              help="Trials at a time.")  # fmt: skip
@click.option(
    "--shard", callback=_shard, metavar="K/N",
    help="Run the K-th of N parts of the instances; other processes run the others with --resume.",
)  # fmt: skip
@exchange_options
@click.option("--offline", is_flag=True, help="Contact nothing on a network.")
@storage_option
@click.option("--resume", "resumed", default="", metavar="RUN", help="Continue a run where it ended.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder of the table and the plots (default: lab/RUN).",
)  # fmt: skip
def command(**options: Any) -> int:
    """Run all configurations of EXPERIMENT at all instances, and print the rewards.

    Each trial is recorded in a sequence. A run that was interrupted continues with --resume: completed trials
    and recorded exchanges are not repeated.

    Exit status: 0 all trials completed, 4 some did not, 130 interrupted.
    """
    from wardround_lab.experiments.experiment_run import OpenRun
    from wardround_lab.training.dependencies import COMPARING, require_extra

    require_extra(COMPARING, "wardround[lab]")
    collect_garbage()  # a run is long
    instances = _instances(options)
    with open_named_storage(options["storage_name"]) as storage, _logs() as logs:
        run = OpenRun(_request(options, instances, storage, logs))
        emit_line(f"run {run.run.id}: {len(instances.ids)} instances")
        for note in run.run.notes:
            emit_line(f"note: {note}")
        failures = _run_trials(run, options["workers"])
        _report(run, storage, options["out"], failures)
    return _INCOMPLETE if failures else 0


def _instances(options: dict[str, Any]) -> InstanceSet:
    from wardround_lab.experiments.instances.clones import named_clones
    from wardround_lab.experiments.instances.instance_file import read_instances
    from wardround_lab.experiments.instances.instance_set import InstanceSet

    found = read_instances(options["instances"])[: options["limit"]]
    return InstanceSet(found, named_clones(options["clones"]))


@contextmanager
def _logs() -> Iterator[Path]:
    from wardround.change.snapshot import Snapshot

    with Snapshot() as private:
        yield private.home


def _request(
    options: dict[str, Any], instances: InstanceSet, storage: SequenceStorage, logs: Path
) -> RunRequest:
    from wardround import host
    from wardround.authoring.endpoint.opening import EndpointAccess
    from wardround_lab.experiments.experiment_run import RunRequest
    from wardround_lab.experiments.lab_file import read_lab_file
    from wardround_lab.experiments.running import Shard

    access = EndpointAccess(
        os.environ,
        exchange=options["exchange"],
        wait_s=options["exchange_wait"],
        is_offline=options["offline"],
    )
    return RunRequest(
        experiment=options["experiment"],
        instances=instances,
        storage=storage,
        host=host.load(),
        file=read_lab_file(options["config"]),
        assignments=options["assignments"],
        access=access,
        environ=os.environ,
        logs=logs,
        resumed=options["resumed"],
        shard=Shard(*options["shard"]),
    )


def _run_trials(run: OpenRun, workers: int) -> list[IncompleteTrial]:
    try:
        with progress_line() as progress:
            failures = run.run_trials(workers, progress)
            progress("")
    except (Interrupted, BaseExceptionGroup) as cause:
        interruption = _interruption(cause)
        if interruption is None:
            raise
        echo_err(f"wardround: interrupted; the same command with --resume {run.run.id} continues the run")
        raise interruption from None
    return failures


def _interruption(cause: BaseException) -> Interrupted | None:
    """Return the interruption in an exception or in a group of them."""
    if isinstance(cause, Interrupted):
        return cause
    nested = cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()
    return next(filter(None, map(_interruption, nested)), None)


def _report(
    run: OpenRun, storage: SequenceStorage, out: Path | None, failures: list[IncompleteTrial]
) -> None:
    from wardround_lab.experiments.comparison.results import completed_results
    from wardround_lab.experiments.comparison.run_files import write_run

    for failure in failures[:_SHOWN]:
        echo_err(f"wardround: instance {failure.instance}, {failure.configuration}: {failure.reason}")
    if failures:
        echo_err(
            f"wardround: {len(failures)} trials did not complete; "
            f"the same command with --resume {run.run.id} runs them again"
        )
    results = completed_results(storage, run.run.id)
    if not results:
        return
    folder = out or Path("lab") / run.run.id
    for line in write_run(folder, run.run, results):
        emit_line(line)
    emit_line(f"table and plots: {folder}")
