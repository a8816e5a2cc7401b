from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from wardround.cli.messages import echo_err
from wardround.errors import ModelError, UsageError


@click.command("describe")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--name", required=True, metavar="NAME", help="The name that local:NAME refers to.")
@click.option("--licence", required=True, metavar="ID", help="The licence of the weights.")
@click.option("--title", default="", metavar="TEXT", help="What it does, in one line.")
@click.option("--window", type=click.IntRange(min=256), metavar="N",
              help="Most tokens of a request with its answer, if fewer than the model permits.")  # fmt: skip
def command(folder: Path, name: str, licence: str, title: str, window: int | None) -> None:
    """Write the metadata of a decoder that other programs exported to DIR, so that reviews can use it.

    DIR has genai_config.json, model.onnx, tokenizer.json and a chat template, as the model builder of
    onnxruntime-genai writes them. The metadata has the digest of each file.
    """
    from wardround.inference.decoder_folder import decoder_metadata
    from wardround.inference.locations import DECODER_CONFIG, METADATA_FILE
    from wardround.inference.metadata import write_metadata
    from wardround.models.decoder_settings import read_settings

    if (folder / METADATA_FILE).exists():
        raise UsageError(f"{folder / METADATA_FILE} exists; remove it to describe the model again")
    today = datetime.now(UTC).date().isoformat()
    try:
        most = read_settings((folder / DECODER_CONFIG).read_bytes()).context_length
        metadata = decoder_metadata(
            folder, name, licence=licence, date=today, window=min(window or most, most), title=title
        )
        write_metadata(folder, metadata)
    except ModelError as cause:
        raise UsageError(str(cause)) from cause
    except OSError as cause:
        raise UsageError(f"{cause.filename}: {cause.strerror}; name a folder of a decoder") from cause
    echo_err(f"{folder / METADATA_FILE}: the metadata was written; name the folder in model-folders")
