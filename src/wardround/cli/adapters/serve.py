from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.messages import echo_err
from wardround.errors import ModelError, UsageError

if TYPE_CHECKING:
    from wardround.models.decoder import Decoder
    from wardround.models.loopback_server import DecoderServer


@click.command("serve")
@click.argument("name", metavar="NAME")
@click.option("--model-folder", "folders", multiple=True, type=click.Path(path_type=Path), metavar="DIR",
              help="A folder of models, besides those shipped with wardround. Repeatable.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, metavar="N",
              help="The port on 127.0.0.1; 0 for any free one.")  # fmt: skip
@click.option("--provider", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True,
              help="Where the model runs.")  # fmt: skip
@click.option("--threads", type=click.IntRange(0, 1024), default=0, show_default=True, metavar="N",
              help="Threads of the model; 0 for every core.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=600.0, show_default=True,
              metavar="SECONDS", help="The limit on one answer.")  # fmt: skip
def command(
    name: str, folders: tuple[Path, ...], port: int, provider: str, threads: int, timeout: float
) -> int:
    """Serve the local model NAME on 127.0.0.1, by the chat completions of OpenAI's API.

    Answers are constrained to the JSON schema of a request. No other machine can connect.
    Needs the extra: pip install 'wardround[local-model]'.
    """
    from wardround.cli.process import Interrupted, collect_garbage
    from wardround.models.loading import DecoderLocation, find_decoder

    location = DecoderLocation(folders, provider, threads)  # type: ignore[arg-type]
    try:
        found = find_decoder(name, location)
        server = _open(found.load(), name, found.identity, port, timeout)
    except ModelError as cause:
        raise UsageError(str(cause)) from cause
    collect_garbage()
    with server:
        echo_err(f"wardround: {found.identity} is served at {server.url}")
        try:
            server.serve_forever()
        except (Interrupted, KeyboardInterrupt):  # the signal that ends the command
            return 0
    return 0


def _open(decoder: Decoder, name: str, identity: str, port: int, timeout: float) -> DecoderServer:
    from wardround.models.loopback_server import DecoderServer

    try:
        return DecoderServer(decoder, name, identity, port, timeout)
    except OSError as cause:
        raise UsageError(f"--port {port}: {cause.strerror}; give another one") from cause
