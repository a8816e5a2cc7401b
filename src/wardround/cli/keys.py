from __future__ import annotations

import os
from pathlib import Path

import click

from wardround.cli.run import emit, emit_line

_PASSPHRASE = click.option(
    "--passphrase-env", default="", metavar="VARIABLE",
    help="Environment variable with the passphrase of the private key.",
)  # fmt: skip


@click.group("keys")
def command() -> None:
    """Create the key that signs records, and choose the keys whose records are accepted."""


@command.command("new")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE",
              help="Private key to create (default: in the state folder).")  # fmt: skip
@_PASSPHRASE
def new(out: Path | None, passphrase_env: str) -> None:
    """Create an Ed25519 key pair; an existing key is never overwritten.

    The public key is written next to the private one, with the suffix .pub.
    """
    from wardround.cli.work_tree import current_work_tree
    from wardround.records import keys
    from wardround.records.signing import passphrase

    secret = passphrase(passphrase_env, os.environ)
    created = keys.create(out or keys.own_key_file(), secret, current_work_tree())
    emit_line(f"private key: {created.private}")
    emit_line(f"public key:  {created.public}")
    emit_line(f"key id:      {created.key_id}")
    emit_line(f"to accept its records here: wardround keys trust {created.public}")


@command.command("show")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@_PASSPHRASE
def show(file: Path | None, passphrase_env: str) -> None:
    """Print the public key of FILE and its id; by default of your own key.

    FILE is a private key as PEM, or a public key as PEM or JSON of securesystemslib. The private part is
    never printed.
    """
    from wardround.records import keys
    from wardround.records.public_keys import public_text
    from wardround.records.signing import passphrase

    key = keys.read_any(file or keys.own_key_file(), passphrase(passphrase_env, os.environ))
    emit(public_text(key))
    emit_line(f"key id: {key.keyid}")


@command.command("trust")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--remove", metavar="KEYID", help="Remove a trusted key, named by its id or first digits.")
def trust(file: Path | None, remove: str | None) -> None:
    """Accept records signed by the public key in FILE, or no longer accept those of KEYID."""
    from wardround.records import keys

    if (file is None) == (remove is None):
        raise click.UsageError("give either the FILE with a public key or --remove KEYID")
    if file is not None:
        emit_line(f"trusted: {keys.trust(file)}")
    elif remove is not None:
        emit_line(f"no longer trusted: {keys.remove(remove)}")


@command.command("list")
def listing() -> None:
    """List the trusted keys."""
    from wardround.records import keys

    found = keys.trusted_keys()
    for key in found:
        emit_line(f"{key.keyid}  {key.keytype}  {key.scheme}")
    emit_line(f"{len(found)} trusted key{'s' if len(found) != 1 else ''}")
