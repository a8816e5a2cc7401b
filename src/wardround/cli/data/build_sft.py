"""``wardround data build-sft``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wardround.cli.data.mine import seconds_of
from wardround.cli.run import emit_line
from wardround.errors import UsageError


@click.command("build-sft")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER",
              help="Where train.jsonl, eval.jsonl and sft.record.json go.")  # fmt: skip
@click.option("--template", type=click.Choice(["chat", "plain"]), default="chat", show_default=True)
@click.option("--system", default="", metavar="TEXT", help="What every record begins with.")
@click.option("--eval-share", type=float, default=0.1, show_default=True, metavar="SHARE",
              help="Repositories are held out until they have this share of the records.")  # fmt: skip
@click.option("--since", metavar="DATE",
              help="Train on what is older, evaluate with the rest. Without it: the time that loses the "
                   "fewest records and leaves the evaluation its share of what is kept.")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True)
def command(files: tuple[Path, ...], **options: Any) -> int:
    """Make training and evaluation files of curated records.

    A line of FILE is a JSON object with instruction, output, mostly input, and where it is from: repository
    and time (seconds since 1970), and if they are known licence and path.
    """
    from wardround_lab.corpora.sft import SftOptions, build

    if not 0 < options["eval_share"] < 1:
        raise UsageError(f"--eval-share {options['eval_share']:g}: give a share between 0 and 1")
    wish = SftOptions(
        template=options["template"],
        system=options["system"],
        share=options["eval_share"],
        cut=seconds_of("--since", options["since"]),
        seed=options["seed"],
    )
    built = build(files, options["out"], wish)
    emit_line(
        f"{built.train} records to train on, {built.evaluation} of {len(built.evaluation_repositories)} "
        f"other repositories to evaluate with; left out: {built.duplicates} duplicates, {built.near} that "
        f"resemble the evaluation, {built.unused} on the wrong side of the cut in time"
    )
    return 0
