"""``wardround replay``."""

from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.run import emit_line

_DIFFERS = 1


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> int:
    """Derive the signals and the verdict in FILE again from its evidence, and compare them bit by bit.

    Nothing else is read: no repository, no tool, no model, no network. Signatures are not checked; use
    wardround verify for that.

    Exit status: 0 the verdict follows from the evidence, 1 it does not, 2 usage error.
    """
    from wardround.records.reading import read_record_file
    from wardround.records.replay import replay_evidence

    record = read_record_file(file)
    replay = replay_evidence(record)
    if replay.note:
        emit_line(f"note: {replay.note}")
    if replay.agrees:
        emit_line(f"{file}: {record.verdict.name} ({record.verdict.tier}) follows from the evidence")
        return 0
    emit_line(f"{file}: the verdict does not follow from the evidence")
    for difference in replay.differences:
        emit_line(f"  {difference.part}: recorded {difference.recorded}, derived {difference.derived}")
    return _DIFFERS
