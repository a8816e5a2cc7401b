"""The answer of a model: validated against the schema of the plane, and every claim against the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from wardround.config.language_model import LanguageModelSettings
from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.prompts import Prompt
from wardround.text.escaping import one_line
from wardround.text.redaction import beginning

MOST_FINDINGS = 20
_LONGEST_MESSAGE = 300
_LEAST_QUOTE = 4
"""The least characters of a quote: a shorter one is in almost every line."""
_NEAR = 2
"""A quote may be this many lines from the stated one: models often miscount."""


class UnusableAnswer(Exception):
    """The answer cannot be used; the text is the reason, which contains nothing of the answer."""


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One claim of a model, not yet verified."""

    file: str
    line: int
    quote: str
    severity: Literal["info", "warn", "error"]
    message: str
    kind: str


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of a model."""

    findings: Annotated[tuple[Claim, ...], Meta(max_length=MOST_FINDINGS)]


class Verified(msgspec.Struct, frozen=True):
    """The claims that became findings, and reason -> the number of those that did not."""

    findings: tuple[RawFinding, ...] = ()
    discarded: dict[str, int] = {}


def decode_answer(content: str, prompt: Prompt) -> Answer:
    """Return the claims of an answer.

    Raises:
        UnusableAnswer: it is not JSON, or does not match the output schema.
    """
    try:
        answer = msgspec.json.decode(content, type=Answer)
    except msgspec.ValidationError:
        raise UnusableAnswer("the answer does not match the output schema") from None
    except (ValueError, RecursionError):
        raise UnusableAnswer("the answer is not JSON") from None
    if any(claim.kind not in prompt.kinds for claim in answer.findings):
        raise UnusableAnswer("the answer does not match the output schema")
    return answer


def verify(
    answer: Answer,
    plane: Plane,
    hunks: Sequence[SentHunk],
    settings: LanguageModelSettings,
    redact: Callable[[str], str],
    text_of: Callable[[str], str | None],
) -> Verified:
    """Turn the claims that quote an added line into findings, without secrets.

    Args:
        hunks: as they were sent.
        text_of: path -> the text at the head.
    """
    sent = _SentFiles(hunks)
    discarded: Counter[str] = Counter()
    found: dict[tuple[str, int, str], RawFinding] = {}
    for claim in answer.findings:
        place = sent.place(claim)
        message = _message(claim, redact)
        if isinstance(place, str) or not message:
            discarded[place if isinstance(place, str) else "no message"] += 1
            continue
        path, line = place
        severity = _severity(claim, plane, settings)
        key = (path, line, message)
        if key in found:
            discarded["repeated"] += 1
            severity = max(severity, found[key].severity or severity)
        span = _span(claim.quote.strip(), line, text_of(path) or "")
        found[key] = RawFinding(
            plane.value, path, span, message, confidence=settings.confidence, severity=severity
        )
    return Verified(tuple(found.values()), dict(sorted(discarded.items())))


class _SentFiles:
    """The added lines that were sent, by file."""

    def __init__(self, hunks: Sequence[SentHunk]) -> None:
        self._paths = {hunk.file: hunk.path for hunk in hunks}
        self._added: dict[str, dict[int, str]] = {}
        for hunk in hunks:
            self._added.setdefault(hunk.file, {}).update(hunk.added)

    def place(self, claim: Claim) -> tuple[str, int] | str:
        """Return the path and the line that a claim quotes, or the reason why it quotes none."""
        if claim.file not in self._paths:
            return "unknown file"
        quote = claim.quote.strip()
        if len(quote) < _LEAST_QUOTE:
            return "no quote"
        line = _nearest(quote, claim.line, self._added[claim.file])
        return "quote not in an added line" if line is None else (self._paths[claim.file], line)


def _nearest(quote: str, stated: int, added: Mapping[int, str]) -> int | None:
    near = [line for line in added if abs(line - stated) <= _NEAR and quote in added[line]]
    return min(near, key=lambda line: (abs(line - stated), line), default=None)


def _message(claim: Claim, redact: Callable[[str], str]) -> str:
    text = one_line(" ".join(redact(beginning(claim.message, 4 * _LONGEST_MESSAGE)).split()))
    if not text:
        return ""
    short = text if len(text) <= _LONGEST_MESSAGE else f"{text[: _LONGEST_MESSAGE - 3]}..."
    return f"{short} ({claim.kind})"


def _severity(claim: Claim, plane: Plane, settings: LanguageModelSettings) -> Severity:
    """The severity of a finding; a model alone reports no error unless that is configured."""
    may_be_error = plane is Plane.SECURITY and settings.security_errors
    return min(Severity.named(claim.severity), Severity.ERROR if may_be_error else Severity.WARN)


def _span(quote: str, line: int, text: str) -> Span:
    """The position of a quote; the line where it contains a mask."""
    lines = text.split("\n")
    content = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
    column = content.find(quote)
    if column < 0:
        return Span(line, 1, line, len(content) + 1)
    return Span(line, column + 1, line, column + 1 + len(quote))
