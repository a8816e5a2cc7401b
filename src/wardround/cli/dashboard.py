"""``wardround dashboard``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from wardround.cli.change_options import repo_option
from wardround.cli.process import collect_garbage
from wardround.cli.record_store import store_location, store_option

_PORT = 7860
_HIGHEST_PORT = 65_535
_FOLDER = click.Path(path_type=Path)


@click.command("dashboard")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
    help="Address to listen on; one of another machine needs WARDROUND_DASHBOARD_PASSWORD.",
)  # fmt: skip
@click.option("--port", type=click.IntRange(0, _HIGHEST_PORT), default=_PORT, show_default=True)
@store_option
@repo_option
@click.option(
    "--judgements", type=_FOLDER, default=Path("evals/judgements"), show_default=True, metavar="DIR",
    help="Judgements of findings, below the repository.",
)  # fmt: skip
@click.option(
    "--data", type=_FOLDER, default=Path("data"), show_default=True, metavar="DIR",
    help="Curated examples, below the repository.",
)  # fmt: skip
@click.option(
    "--training", type=_FOLDER, default=Path("runs"), show_default=True, metavar="DIR",
    help="Run directories of trainings, below the repository.",
)  # fmt: skip
@click.option(
    "--experiments", metavar="FILE|URL", help="Storage of experiments, as --storage of wardround lab."
)
@click.option(
    "--runs", type=_FOLDER, default=Path("artifacts/wardround"), show_default=True, metavar="DIR",
    help="Reports of test runs and of behaviour comparisons, below the repository.",
)  # fmt: skip
def command(
    host: str, port: int, store_name: str, repo: Path | None, judgements: Path, data: Path, training: Path,
    experiments: str | None, runs: Path,
) -> None:  # fmt: skip
    """Show reviews, rules, data, trainings, experiments and test runs in a browser.

    The page shows what the other commands have stored and has no state of its own. It listens on this
    machine only, unless WARDROUND_DASHBOARD_PASSWORD is set. Needs the extra: pip install
    'wardround[dashboard]'.
    """
    from wardround_lab.training.dependencies import require_extra

    require_extra(("gradio",), "wardround[dashboard]")
    from wardround.change.repository import Repository
    from wardround_lab.dashboard.server import Address, serve
    from wardround_lab.dashboard.stores import Stores

    with Repository(repo) as repository:
        root = repository.root
    stores = Stores(
        repository=root,
        records=store_location(store_name),
        judgements=root / judgements,
        data=root / data,
        training=root / training,
        experiments=experiments,
        runs=root / runs,
    )
    collect_garbage()
    serve(stores, Address(host, port), os.environ, lambda url: click.echo(f"wardround dashboard: {url}"))
