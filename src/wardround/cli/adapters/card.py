from __future__ import annotations

import click

from wardround.cli.run import emit


@click.command("card")
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a card is out of date.")
def command(models: tuple[str, ...], check: bool) -> int:
    """Write card.md for each MODEL from its metadata; equal metadata gives equal bytes."""
    from wardround.inference.locations import CARD_FILE
    from wardround_lab.training import promote
    from wardround_lab.training.model_card import card

    status = 0
    for name in models:
        found = promote.model_of(name)
        file = found.folder / CARD_FILE
        if found.metadata.shares is not None:
            emit(f"{found.folder}: a base as it was published; it was not trained here and has no card\n")
        elif found.metadata.source is not None:
            emit(f"{found.folder}: an export of {found.metadata.source.name}, whose card it is\n")
        elif not check:
            promote.write(found.folder, found.metadata)
            emit(f"{file}: written\n")
        elif not file.is_file() or file.read_text("utf-8") != card(
            found.metadata, promote.users_of_model(found.metadata)
        ):
            emit(f"{file}: not what its metadata says; run `wardround adapters card {name}`\n")
            status = 1
    return status
