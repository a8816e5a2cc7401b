"""``wardround lab judge``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wardround.cli.lab.sequence_options import open_named_storage, storage_option
from wardround.cli.messages import echo_err
from wardround.cli.run import emit, emit_line
from wardround.text.escaping import one_line

if TYPE_CHECKING:
    from wardround_lab.experiments.judging import Choice, Judging, PatchPair

_CHOICES: dict[str, Choice] = {"1": "first", "2": "second", "=": "equal", "0": "neither"}
_SKIP, _QUIT = "s", "q"


@click.command("judge")
@click.argument("run_id", metavar="RUN")
@click.option("--judge", required=True, metavar="NAME", help="The name under which choices are stored.")
@storage_option
def command(run_id: str, *, judge: str, storage_name: str) -> None:
    """Choose between two patches of one task, without a hint where they came from.

    The patches are those that the configurations of RUN selected. Each choice is stored at once; pairs that
    were judged are not shown again.
    """
    from wardround_lab.experiments.experiment_run import find_run
    from wardround_lab.experiments.judging import Judging, require_judge

    require_judge(judge)
    with open_named_storage(storage_name, create=False) as storage:
        judging = Judging(storage, find_run(storage, run_id), judge)
        pairs = list(judging.open_pairs())
        judged = _judge(judging, pairs)
    emit_line(f"{judged} of {len(pairs)} pairs judged")


def _judge(judging: Judging, pairs: list[PatchPair]) -> int:
    judged = 0
    for number, pair in enumerate(pairs, 1):
        emit(_pair_text(pair, f"{number} of {len(pairs)}"))
        answer = _answer()
        if answer == _QUIT:
            break
        if answer in _CHOICES:
            judging.record(pair, _CHOICES[answer])
            judged += 1
    return judged


def _pair_text(pair: PatchPair, position: str) -> str:
    return (
        f"\n== {position}: {one_line(pair.repository)}\n{pair.task}\n\n"
        f"== patch 1\n{pair.first}\n== patch 2\n{pair.second}\n"
    )


def _answer() -> str:
    while True:
        try:
            text = click.prompt(
                "better patch: 1, 2, = (equal), 0 (neither), s (skip), q (quit)", type=str, err=True
            )
        except click.Abort:
            return _QUIT
        answer = str(text).strip().lower()
        if answer in (*_CHOICES, _SKIP, _QUIT):
            return answer
        echo_err(f"{one_line(text)} is none of 1, 2, =, 0, s, q")
