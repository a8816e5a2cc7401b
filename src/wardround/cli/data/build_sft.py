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
              help="Output folder of train.jsonl, eval.jsonl and sft.record.json.")  # fmt: skip
@click.option("--template", type=click.Choice(["chat", "plain"]), default="chat", show_default=True)
@click.option("--system", default="", metavar="TEXT", help="System prompt of every record.")
@click.option("--eval-share", type=float, default=0.1, show_default=True, metavar="SHARE",
              help="Share of the records to hold out, by repository.")  # fmt: skip
@click.option("--since", metavar="DATE",
              help="Train on older records, evaluate on the rest (default: the time that discards the "
                   "fewest records and keeps the share of the evaluation).")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True)
def command(files: tuple[Path, ...], **options: Any) -> int:
    """Build training and evaluation files from curated records or from what `data mine` wrote.

    A line of FILE is a JSON object with instruction, output, usually input, and its origin: repository and
    time (seconds since 1970), and licence and path if known. For a mined commit, the message is the
    instruction and the change the output; for a mined choice, the output is the numbers of the correct
    candidates.
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
