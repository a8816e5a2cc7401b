from __future__ import annotations

import click

from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit_line

_DOES_NOT_HOLD = 1


@click.command("verify")
@store_option
def command(store_name: str) -> int:
    """Verify that no record of the store was changed, removed or moved.

    Exit status: 0 the chain holds, 1 it is not valid. The head is the digest of all records up to the last:
    with a copy of it elsewhere you can detect a store that was replaced.
    """
    from wardround.records import store

    location = store_location(store_name)
    with store.opened_if_present(location) as records:
        if records is None:
            emit_line(store.absent(location))
            return 0
        found, (count, head) = records.verify_chain(), records.head()
    if found is not None:
        emit_line(f"the chain does not hold: record {found.sequence}: {found.reason}")
        return _DOES_NOT_HOLD
    emit_line(f"the chain of {count} record{'s' if count != 1 else ''} holds; head: {head}")
    return 0
