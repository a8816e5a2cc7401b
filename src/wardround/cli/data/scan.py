from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.messages import echo_err
from wardround.cli.run import emit


@click.command("scan")
@click.argument("repository", type=click.Path(path_type=Path), metavar="REPO")
@click.option("--head", default="HEAD", show_default=True, metavar="REV", help="Commit to scan.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Exclude these files. Repeatable.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Output file (default: standard output)."
)
def command(repository: Path, head: str, exclude: tuple[str, ...], out: Path | None) -> int:
    """Split the tracked files of REPO into chunks and print them as JSON lines.

    One line per language with its conventions, then one per function, class, statement, stage or file with
    its location, text, imports and related tests.
    """
    import msgspec

    from wardround.text.escaping import json_text
    from wardround_lab.corpora.chunks import chunks, files_of
    from wardround_lab.corpora.conventions import conventions
    from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory
    from wardround_lab.corpora.records import write_atomically

    with RepositoryHistory(repository, limits=HistoryLimits(head=head, exclude=exclude)) as history:
        files = list(files_of(history))
        if damage := history.trouble.describe():
            echo_err(f"{repository}: {damage}")
    lines = (msgspec.json.encode(row) + b"\n" for rows in (conventions(files), chunks(files)) for row in rows)
    if out is not None:
        write_atomically(out, lines)
    else:
        for line in lines:
            emit(json_text(line))
    return 0
