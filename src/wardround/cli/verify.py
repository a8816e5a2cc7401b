"""``wardround verify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit_line

if TYPE_CHECKING:
    from wardround.records.verify import Verification

_DOES_NOT_HOLD = 1
_STORED = "sha256:"
"""The prefix of a digest, which names a record of the store in place of a file."""


@click.command("verify")
@click.argument("record", metavar="RECORD")
@click.option("--key", "key_files", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Public key to accept instead of the trusted ones; may be repeated.")  # fmt: skip
@click.option("--threshold", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Number of accepted keys that must have signed.")  # fmt: skip
@store_option
def command(record: str, key_files: tuple[Path, ...], threshold: int, store_name: str) -> int:
    """Verify a record offline and name the first thing that does not hold.

    RECORD is a file, or sha256:DIGEST with the first digits of a record in the store.

    Exit status: 0 the record holds, 1 it does not hold, 2 usage error.
    """
    from wardround.records import keys
    from wardround.records.public_keys import read_public_key
    from wardround.records.reading import evidence_fault
    from wardround.records.verify import verify_record

    data = _content(record, store_name)
    accepted = tuple(read_public_key(one) for one in key_files) if key_files else keys.trusted()
    own = keys.own_public_key()
    found = verify_record(
        data, accepted, further_checks=(evidence_fault,), threshold=threshold, known=(own[1],) if own else ()
    )
    if found.problem is not None:
        emit_line(f"{record} does not hold: {found.problem}")
        if own and found.problem.untrusted == own[1].keyid:
            emit_line(f"it is your own key; to trust it: wardround keys trust {own[0]}")
        return _DOES_NOT_HOLD
    _show(record, found)
    return 0


def _show(name: str, found: Verification) -> None:
    review = found.review
    assert review is not None
    emit_line(f"{name} holds")
    emit_line(f"verdict:   {review.verdict.name} ({review.verdict.tier})")
    emit_line(f"policy:    {review.policy.name} {review.policy.digest}")
    emit_line(f"context:   {review.context.id}")
    emit_line(f"created:   {found.created}")
    for key_id in found.signers:
        emit_line(f"signed by: {key_id}")


def _content(record: str, store_name: str) -> bytes:
    if record.startswith(_STORED):
        return _stored(record, store_name)
    from wardround.records.reading import record_content

    return record_content(Path(record))


def _stored(digest: str, store_name: str) -> bytes:
    from wardround.records import store

    with store.opened_required(store_location(store_name)) as records:
        return records.data(records.get(digest))
