from __future__ import annotations

import click

from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit_line


@click.command("show")
@click.argument("digest")
@store_option
def command(digest: str, store_name: str) -> None:
    """Show the record whose digest begins with DIGEST, without verifying it."""
    from wardround.records import envelope, store

    with store.open_existing(store_location(store_name)) as records:
        found = records.get(digest)
        first = envelope.parse(records.data(found).split(b"\n", 1)[0])
    fields = {
        "record": found.digest, "number": str(found.sequence), "created": found.created,
        "verdict": f"{found.verdict} ({found.tier})", "policy": found.policy, "context": found.context,
        "repository": found.repository, "base": found.base, "head": found.head, "author": found.author,
        "rules": ", ".join(found.rules),
        "signed by": ", ".join(signature.key_id for signature in first.signatures),
    }  # fmt: skip
    for name, value in fields.items():
        emit_line(f"{name + ':':<12}{value or '-'}")
