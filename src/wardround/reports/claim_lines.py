"""The claim of a language model under its finding: the quote and the verdict of the second pass."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.model_claims import ModelClaim
from wardround.reports.terminal import label_lines, wrap
from wardround.text.escaping import one_line


def second_pass_text(claim: ModelClaim) -> str:
    """Return the verdict of the second pass with its reason; empty if there is none."""
    second = claim.second_pass
    if second is None:
        return ""
    return f"second pass: {second.verdict}{f': {second.reason}' if second.reason else ''}"


def claim_lines(claim: ModelClaim, shown: str = "") -> Iterator[str]:
    """Yield the quote of a claim, unless a line that the report shows has it, and its verdict.

    Args:
        shown: the line of source above.
    """
    if claim.quote and claim.quote not in " ".join(shown.split()):
        yield from label_lines("quote", one_line(claim.quote))
    verdict = second_pass_text(claim)
    if verdict:
        yield from wrap(one_line(verdict), 9, "    ")
