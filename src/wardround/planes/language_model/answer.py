"""The answer of a model: validated against the schema of the plane, and every claim against the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from wardround.config.language_model import LanguageModelSettings
from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.model_claims import DroppedClaim, ModelClaim
from wardround.planes.language_model.answer_text import claims_in
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.prompts import Prompt
from wardround.planes.language_model.sent_lines import SentLines, quoted_line
from wardround.planes.language_model.verified_claims import CheckedClaim, ClaimsSoFar, Verified
from wardround.text.escaping import one_line
from wardround.text.redaction import beginning

MOST_FINDINGS = 20
_LONGEST_TEXT = 300
_MOST_LINES = 10_000_000
_OTHER_SCALES = {
    "note": "info",
    "low": "info",
    "warning": "warn",
    "medium": "warn",
    "high": "error",
    "critical": "error",
}
"""The severities of other scales that models use, and ours."""


class UnusableAnswer(Exception):
    """The answer cannot be used; the message is the reason, which quotes nothing of the answer.

    Attributes:
        partial: the part that can be parsed nevertheless, as of a truncated answer; None if there is none.
    """

    def __init__(self, reason: str, partial: Any = None) -> None:
        super().__init__(reason)
        self.partial = partial


class Claim(msgspec.Struct, frozen=True):
    """One claim of a model, not yet verified; further fields are not read."""

    file: str
    line: int
    quote: str
    severity: Literal["info", "warn", "error"]
    message: str
    kind: str


class Answer(msgspec.Struct, frozen=True):
    """The claims of a model in the form of the output schema, and reason -> the number of the others."""

    claims: tuple[Claim, ...] = ()
    discarded: dict[str, int] = {}


def decode_answer(content: str, prompt: Prompt) -> Answer:
    """Return the claims of an answer, if they match the output schema; the others are counted.

    Raises:
        UnusableAnswer: it has no document of the output schema, or none of its claims matches it.
    """
    found = claims_in(content)
    answer = _valid_claims(found.values, prompt)
    if not found.has_documents:
        raise UnusableAnswer("the answer is not JSON")
    if not found.is_complete or (found.values and not answer.claims):
        raise UnusableAnswer("the answer does not match the output schema", answer)
    return answer


def read_claims(content: str, prompt: Prompt) -> Answer:
    """Return the claims of a text that is not a complete answer."""
    return _valid_claims(claims_in(content).values, prompt)


class ClaimReader:
    """Reads the claims of the first pass of a plane.

    Args:
        verified: returns the claims of an answer that quote the input.
    """

    def __init__(self, prompt: Prompt, verified: Callable[[Answer], Verified]) -> None:
        self._prompt = prompt
        self._verified = verified

    def decode(self, content: str) -> Verified:
        """Return the verified claims of a complete answer; see ``decode_answer``."""
        try:
            return self._verified(decode_answer(content, self._prompt))
        except UnusableAnswer as cause:
            partial = None if cause.partial is None else self._verified(cause.partial)
            raise UnusableAnswer(str(cause), partial) from cause

    def read(self, content: str) -> Verified:
        """Return the verified claims of a text that is not a complete answer."""
        return self._verified(read_claims(content, self._prompt))

    def join(self, before: Verified, after: Verified) -> Verified:
        """Return the claims of two answers: a second one does not take back those of the first."""
        return before.merge(after, MOST_FINDINGS)

    def objection(self, content: Verified) -> str:
        """Return a reason if an answer makes claims and none can be used."""
        is_unfounded = content.dropped and not content.findings
        return "none of the findings in the answer quotes a line of the input" if is_unfounded else ""


def _valid_claims(values: Sequence[Any], prompt: Prompt) -> Answer:
    """Return the claims that match the output schema, if there are too many the most severe ones."""
    claims: list[Claim] = []
    discarded: Counter[str] = Counter()
    for value in values:
        claim = _claim(value)
        if claim is None:
            discarded["not in the form of the schema"] += 1
        elif claim.kind not in prompt.kinds:
            discarded["unknown kind"] += 1
        else:
            claims.append(claim)
    if len(claims) > MOST_FINDINGS:
        discarded[f"more than {MOST_FINDINGS}"] = len(claims) - MOST_FINDINGS
        claims.sort(key=lambda claim: -Severity.from_label(claim.severity))
    return Answer(tuple(claims[:MOST_FINDINGS]), dict(discarded))


def _claim(value: Any) -> Claim | None:
    """Return a claim, whose severity may use another scale; None if it does not have the form of a claim."""
    if not isinstance(value, dict):
        return None
    severity = str(value.get("severity")).lower()
    try:
        return msgspec.convert(
            value | {"severity": _OTHER_SCALES.get(severity, severity)}, Claim, strict=False
        )
    except msgspec.ValidationError:
        return None


def verify(
    answer: Answer,
    plane: Plane,
    hunks: Sequence[SentHunk],
    settings: LanguageModelSettings,
    redact: Callable[[str], str],
    text_of: Callable[[str], str | None],
) -> Verified:
    """Turn the claims that quote a sent line into findings, without secrets.

    Args:
        hunks: as they were sent.
        text_of: path -> the content at the head.
    """
    sent = SentLines(hunks)
    claims = ClaimsSoFar()
    claims.discarded.update(answer.discarded)
    for claim in answer.claims:
        message = shown_text(claim.message, redact)
        quote = quoted_line(claim.quote)
        location = sent.place(claim.file, claim.line, quote) if message else "no message"
        if isinstance(location, str):
            claims.drop(_drop_claim(claim, message, location, redact))
            continue
        severity = _severity(claim, plane, settings)
        message = f"{message} ({claim.kind}{location.note})"
        span = _span("" if location.note else quote, location.line, text_of(location.path) or "")
        shown = ModelClaim(shown_text(quote, redact))
        finding = RawFinding(
            plane.value,
            location.path,
            span,
            message,
            confidence=settings.confidence,
            severity=severity,
            claim=shown,
        )
        claims.add(finding, CheckedClaim(claim.file, location.line, quote, severity.label, message))
    return claims.verified


def _drop_claim(claim: Claim, message: str, reason: str, redact: Callable[[str], str]) -> DroppedClaim:
    """Return a claim without a place in the change."""
    line = claim.line if 0 < claim.line < _MOST_LINES else 0
    file, quote = (shown_text(text, redact) for text in (claim.file, quoted_line(claim.quote)))
    return DroppedClaim(file, line, claim.severity, f"{message} ({claim.kind})".lstrip(), quote, reason)


def shown_text(text: str, redact: Callable[[str], str]) -> str:
    """Return a text of a model for people: one short line without secrets and control characters."""
    text = one_line(" ".join(redact(beginning(text, 4 * _LONGEST_TEXT)).split()))
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3]}..."


def _severity(claim: Claim, plane: Plane, settings: LanguageModelSettings) -> Severity:
    """Return the severity of a finding; a model alone reports no error unless that is configured."""
    may_be_error = plane is Plane.SECURITY and settings.security_errors
    return min(Severity.from_label(claim.severity), Severity.ERROR if may_be_error else Severity.WARN)


def _span(quote: str, line: int, text: str) -> Span:
    """Return the position of a quote; the line where it contains a mask, and without one."""
    lines = text.split("\n")
    content = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
    column = content.find(quote) if quote else -1
    if column < 0:
        return Span(line, 1, line, len(content) + 1)
    return Span(line, column + 1, line, column + 1 + len(quote))
