from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.policy_floor import policy_floor_option
from wardround.cli.process import Interrupted, collect_garbage
from wardround.errors import UsageError


@click.command("serve")
@click.option(
    "--config",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Server configuration: address, tokens, repositories, limits.",
)
@policy_floor_option
def command(config: Path, policy_floor: Path | None) -> int:
    """Serve reviews over HTTP until SIGTERM or SIGINT; docs/service.md describes the API.

    Needs the extra: pip install 'wardround[serve]'.
    """
    from wardround import host  # the server's packages take most of a second to import

    try:
        from wardround.service.server import serve
    except ModuleNotFoundError as cause:
        raise UsageError(_missing_extra_message(cause)) from cause
    from wardround.service.logs import EventLog
    from wardround.service.settings import load_settings

    settings = load_settings(config)
    collect_garbage()
    try:
        serve(settings, host.load(), settings.request(policy_floor), EventLog())
    except Interrupted:  # the signal that the server has stopped for
        return 0
    return 0


def _missing_extra_message(cause: ModuleNotFoundError) -> str:
    return f"serve: the package {cause.name} is not installed; run pip install 'wardround[serve]'"
