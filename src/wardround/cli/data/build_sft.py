from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.data.mine import seconds_of
from wardround.cli.run import emit_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround_lab.corpora.records import Curated


@click.command("build-sft")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER",
              help="Output folder of train.jsonl, eval.jsonl and sft.record.json.")  # fmt: skip
@click.option("--template", type=click.Choice(["chat", "plain"]), default="chat", show_default=True)
@click.option("--system", default="", metavar="TEXT", help="System prompt of every record.")
@click.option("--eval-share", type=float, default=0.1, show_default=True, metavar="SHARE",
              help="Share of the records to hold out, by repository.")  # fmt: skip
@click.option("--since", metavar="DATE",
              help="Train on older records, evaluate on the rest (default: the time that discards the "
                   "fewest records and keeps the share of the evaluation).")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--sequences",
    metavar="FILE|URL",
    help="Storage of lab run: add the conversations with the patches that were selected.",
)
@click.option(
    "--reward",
    "rewards",
    multiple=True,
    metavar="NAME>=X",
    help="With --sequences: only those with such a reward; required, repeatable.",
)
@click.option("--instances", type=click.Path(path_type=Path, dir_okay=False), multiple=True, metavar="FILE",
              help="With --sequences: the instances of the runs; repeatable.")  # fmt: skip
def command(files: tuple[Path, ...], **options: Any) -> int:
    """Build training and evaluation files from curated records or from what `data mine` wrote.

    A line of FILE is a JSON object with instruction, output, usually input, and its origin: repository and
    time (seconds since 1970), and licence and path if known. For a mined commit, the message is the
    instruction and the change the output; for a mined choice, the output is the numbers of the correct
    candidates.

    With --sequences, the question to the author of a patch is the instruction, and the answer with the
    selected patch the output. `data audit` checks the result for secrets, duplicates and shortcuts.
    """
    from wardround_lab.corpora.sft import SftOptions, build

    if not (files or options["sequences"]):
        raise UsageError("there are no records; give files, --sequences, or both")

    if not 0 < options["eval_share"] < 1:
        raise UsageError(f"--eval-share {options['eval_share']:g}: give a share between 0 and 1")
    wish = SftOptions(
        template=options["template"],
        system=options["system"],
        share=options["eval_share"],
        cut=seconds_of("--since", options["since"]),
        seed=options["seed"],
    )
    built = build(files, options["out"], wish, _conversations(options))
    emit_line(
        f"{built.train} records to train on, {built.evaluation} of {len(built.evaluation_repositories)} "
        f"other repositories to evaluate with; left out: {built.duplicates} duplicates, {built.near} that "
        f"resemble the evaluation, {built.unused} on the wrong side of the cut in time"
    )
    return 0


def _conversations(options: dict[str, Any]) -> dict[str, list[Curated]]:
    """Return the records of the storage by its name; none without one."""
    storage_name, rewards, files = options["sequences"], options["rewards"], options["instances"]
    if not storage_name:
        return {}
    if not (rewards and files):
        raise UsageError("--sequences needs --reward NAME>=X, which patches must reach, and --instances FILE")
    from wardround.cli.lab.sequence_options import open_named_storage, reward_condition
    from wardround_lab.experiments.instances.instance_file import read_instances
    from wardround_lab.experiments.training_records import training_records

    instances = [instance for file in files for instance in read_instances(file)]
    with open_named_storage(storage_name, create=False) as storage:
        found = list(training_records(storage, list(map(reward_condition, rewards)), instances))
    emit_line(f"{len(found)} conversations with a patch that reaches {' and '.join(rewards)}")
    return {"sequences": found}
