"""Making the record of a review: signed, written to a file, and appended to the store."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from wardround.change.encoding import escape_undecodable
from wardround.host import PluginHost
from wardround.policy.conclude import Conclusion
from wardround.records import bundle
from wardround.records.bundle import Bundle, Facts
from wardround.records.record import RecordedOrigin, predicate_of, record_of

if TYPE_CHECKING:
    from securesystemslib.signer import Signer

    from wardround.review_result import ReviewResult


def facts_of(conclusion: Conclusion, repository: str, author: str) -> Facts:
    """Return the properties by which the record of a review is found."""
    context = conclusion.context
    return Facts(
        repository=escape_undecodable(repository),
        base=context.base,
        head=context.head,
        author=escape_undecodable(author),
        rules=tuple(sorted({finding.rule for finding in conclusion.evidence.introduced})),
    )


def make_record(
    result: ReviewResult,
    host: PluginHost,
    facts: Facts,
    signer: Signer | None,
    current: datetime,
    origin: RecordedOrigin | None = None,
) -> Bundle:
    """Return the record of a review.

    Args:
        signer: None leaves it unsigned.
        current: the time of the review, with a time zone.
        origin: the run that made the review.

    Raises:
        SigningError: the signer failed.
    """
    record = record_of(result, host, origin)
    return bundle.write(predicate_of(record), facts, signer, current)
