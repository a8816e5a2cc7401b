from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.record_store import store_location, store_option
from wardround.cli.run import emit, emit_line
from wardround.text.escaping import one_line

if TYPE_CHECKING:
    from wardround.records.commit_check import CommitCheck, NamedRecord
    from wardround.records.predicates import ReviewPredicate
    from wardround.records.record import ReviewRecord
    from wardround.records.verify import FurtherCheck, Verification

_DOES_NOT_HOLD = 1
_STORED = "sha256:"
"""The prefix of a digest, which names a record of the store instead of a file."""


@click.command("verify")
@click.argument("record", metavar="[RECORD]", required=False)
@click.option(
    "--commit",
    "commit",
    metavar="REV",
    help="Verify every record that this commit names in a trailer or note, and that it is about it.",
)
@click.option(
    "--repo",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="With --commit: the repository (default: current directory).",
)
@click.option(
    "--key",
    "key_files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Public key to accept instead of the trusted ones; may be repeated.",
)
@click.option(
    "--threshold",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of accepted keys that must have signed.",
)
@click.option(
    "--policy",
    "shows_page",
    is_flag=True,
    help="Print a page for an auditor: review, policy, result, signers, and what the record does not prove.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown"]),
    help="With --policy: the form of the page (default: text).",
)
@store_option
def command(
    record: str | None, commit: str | None, repo: Path | None, key_files: tuple[Path, ...], threshold: int,
    shows_page: bool, form: str | None, store_name: str,
) -> int:  # fmt: skip
    """Verify a record offline and name the first fault.

    RECORD is a file, or sha256:DIGEST with the first digits of a record in the store. With --commit, the
    records are those of the store, or RECORD, and a commit that names none is invalid.

    Exit status: 0 the record holds, 1 it is not valid, 2 usage error.
    """
    if form is not None and not shows_page:
        raise click.UsageError("--format needs --policy; give both")
    verifier = _Verifier(key_files, threshold, (form or "text") if shows_page else None)
    if commit is not None:
        return _verify_commit(verifier, commit, repo, record, store_name)
    if record is None:
        raise click.UsageError("give a record: a file or sha256:DIGEST, or --commit REV")
    if repo is not None:
        raise click.UsageError("--repo needs --commit; a record is verified without a repository")
    return 0 if verifier.verify(record, _record_content(record, store_name)) else _DOES_NOT_HOLD


class _Verifier:
    """Verifies records with the accepted keys, and prints the result.

    Args:
        key_files: files of the accepted public keys; without any, the trusted keys.
        page_form: print the audit page in this form, instead of a few lines; None does not.
    """

    def __init__(self, key_files: Sequence[Path], threshold: int, page_form: str | None) -> None:
        from wardround.records import keys
        from wardround.records.public_keys import read_public_key

        self._accepted = tuple(map(read_public_key, key_files)) if key_files else keys.trusted_keys()
        self._own = keys.own_public_key()
        self._threshold = threshold
        self._page_form = page_form

    def verify(self, name: str, data: bytes, *checks: FurtherCheck) -> bool:
        """Return True if a record holds."""
        from wardround.records.reading import derivation_note, evidence_fault, parse_record
        from wardround.records.verify import verify_record

        found = verify_record(
            data, self._accepted, (evidence_fault, *checks),
            threshold=self._threshold, known=(self._own[1],) if self._own else (),
        )  # fmt: skip
        if found.problem is None:
            record = parse_record(data, name)
            if self._page_form is None:
                _show(name, found, derivation_note(record))
            else:
                self._show_page(name, record, found)
            return True
        emit_line(f"{name} does not hold: {found.problem}")
        if self._own and found.problem.untrusted == self._own[1].keyid:
            emit_line(f"it is your own key; to trust it: wardround keys trust {self._own[0]}")
        return False

    def _show_page(self, name: str, record: ReviewRecord, found: Verification) -> None:
        from wardround.records.audit_page import audit_page
        from wardround.records.audit_text import markdown, plain_text

        title = f"wardround audit page: the record {name} holds"
        render = markdown if self._page_form == "markdown" else plain_text
        emit(render(title, audit_page(record, found, self._threshold)))


def _verify_commit(
    verifier: _Verifier, commit: str, repo: Path | None, record: str | None, store_name: str
) -> int:
    """Verify the records that a commit names."""
    from wardround.change.repository import Repository
    from wardround.records.commit_check import CommitCheck

    with Repository(repo) as repository:
        check = CommitCheck(repository, commit)
        named = check.named_records()
        if not named:
            emit_line(f"the commit {check.commit[:12]} names no record")
        holds = [_is_record_valid(verifier, check, entry, record, store_name) for entry in named]
    return 0 if holds and all(holds) else _DOES_NOT_HOLD


def _is_record_valid(
    verifier: _Verifier, check: CommitCheck, named: NamedRecord, record: str | None, store_name: str
) -> bool:
    """Return True if a record that the commit names exists, holds and is about the commit."""
    from wardround.records.store import RecordNotFound, StoreError

    problem: str | None = "it is not the digest of a record; the form is sha256: and 64 digits"
    data = b""
    if named.digest:
        try:
            data = _record_content(record or f"{_STORED}{named.digest}", store_name)
            problem = check.fault(named, data)
        except (RecordNotFound, StoreError) as cause:
            problem = str(cause)
    if problem is not None:
        emit_line(f"{named.value} of the commit {check.commit[:12]} does not hold: {problem}")
        return False
    return verifier.verify(named.value, data, check.content_fault)


def _show(name: str, found: Verification, note: str) -> None:
    review = found.review
    assert review is not None
    emit_line(f"{name} holds")
    emit_line(f"verdict:   {review.verdict.name} ({review.verdict.tier})")
    emit_line(f"policy:    {review.policy.name} {review.policy.digest}")
    emit_line(
        f"floor:     {'none' if review.floor is None else f'{review.floor.name} {review.floor.digest}'}"
    )
    emit_line(f"context:   {review.context.id}")
    emit_line(f"created:   {found.created}")
    for label, value in _origin(review):
        emit_line(f"{label:<10} {value}")
    for key_id in found.signers:
        emit_line(f"signed by: {key_id}")
    if note:
        emit_line(f"note:      {note}")


def _origin(review: ReviewPredicate) -> Iterator[tuple[str, str]]:
    """Return the known parts of the CI run that made the review."""
    origin = review.origin
    if origin is None:
        return
    change = f" #{origin.change_request}" if origin.change_request else ""
    parts = (
        ("from:", f"{origin.repository}{change}"),
        ("workflow:", origin.workflow),
        ("run:", origin.workflow_run),
        ("actor:", origin.actor),
    )
    yield from ((label, one_line(value)) for label, value in parts if value)


def _record_content(record: str, store_name: str) -> bytes:
    if record.startswith(_STORED):
        return _stored_data(record, store_name)
    from wardround.records.reading import record_content

    return record_content(Path(record))


def _stored_data(digest: str, store_name: str) -> bytes:
    from wardround.records import store

    with store.open_existing(store_location(store_name)) as records:
        return records.data(records.get(digest))
