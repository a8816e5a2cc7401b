"""The acceptance of an earlier record instead of a review, by option or by configuration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.messages import echo_err
from wardround.cli.record_store import store_location
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.cli.options import RecordSpec
    from wardround.records.accepted_review import Accepted, Candidate, Refused
    from wardround.session import ReviewSession

_STORE = "store"
_MOST_CANDIDATES = 20
"""The newest records of a context that are considered; a context has one record for each CI run."""

accept_option = click.option(
    "--accept-record", "accepted_record", default="", metavar="FILE|store",
    help="Accept this record, or one of the store, of the same review in place of running it again.",
)  # fmt: skip


def accepted_review(spec: RecordSpec, session: ReviewSession) -> Accepted | None:
    """Return an earlier record that replaces the review; None if the review has to run.

    The configuration is that of the trusted side; only used in CI. The reasons against a record are
    printed: the first, or all of them in a verbose review.

    Raises:
        UsageError: the file that the option names cannot be read.
    """
    from wardround.tools.tool import Profile

    if spec.accept is None or (not spec.accept and session.request.profile is not Profile.CI):
        return None
    name = spec.accept or (_STORE if session.under_review.config.root.recording.accept else "")
    if not name:
        return None
    import datetime

    from wardround.records import accepted_review, keys

    trusted = keys.trusted_keys()
    if not trusted:
        echo_err("wardround: no record is accepted: no key is trusted; trust one with wardround keys trust")
        return None
    if not accepted_review.is_acceptable(session.change):
        echo_err("wardround: no record is accepted: only reviews of commits have records that can be")
        return None
    current = datetime.datetime.now(datetime.UTC)
    review = accepted_review.acceptable_review(session, trusted, current)
    accepted, refused = review.choose(_candidates(name, spec.store, review.context.id))
    if accepted is None:
        _explain(refused, is_verbose=session.request.verbose)
    return accepted


def write_accepted_record(spec: RecordSpec, accepted: Accepted, work_tree: Path) -> None:
    """Write the accepted record, unchanged, where that of the review is requested."""
    from wardround.records.bundle import write_file

    if spec.file is not None:
        write_file(accepted.data, spec.file, work_tree)
    if spec.sink is not None:
        spec.sink(accepted.data)


def _candidates(name: str, store_name: str, context_id: str) -> Iterator[Candidate]:
    from wardround.records import store
    from wardround.records.accepted_review import Candidate
    from wardround.records.verify import LARGEST_BYTES

    if name != _STORE:
        try:
            with Path(name).open("rb") as opened:
                yield Candidate(name, opened.read(LARGEST_BYTES + 1))
        except OSError as cause:
            raise UsageError(
                f"--accept-record {name}: {cause.strerror}; give the file of a record, or store"
            ) from cause
        return
    try:
        with store.opened_if_present(store_location(store_name)) as records:
            found = records.query(store.Query(context=context_id), _MOST_CANDIDATES) if records else ()
            for record in found:
                assert records is not None
                yield Candidate(f"sha256:{record.digest[:12]}", records.data(record))
    except store.StoreError as cause:
        echo_err(f"wardround: no record of the store is accepted: {cause}")


def _explain(refused: tuple[Refused, ...], *, is_verbose: bool) -> None:
    if not refused:
        echo_err("wardround: no record is accepted: there is none of this context")
    for refusal in refused:
        shown = refusal.reasons if is_verbose else refusal.reasons[:1]
        for reason in shown:
            echo_err(f"wardround: the record {refusal.name} is not accepted: {reason}")
