"""The answer of a model: validated against the schema of the plane, and every claim against the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.config.language_model import LanguageModelSettings
from wardround.findings import Plane, RawFinding, Severity, Span
from wardround.planes.language_model.answer_text import claims_in
from wardround.planes.language_model.hunks import RemovedLine, SentHunk
from wardround.planes.language_model.prompts import Prompt
from wardround.text.escaping import one_line
from wardround.text.redaction import beginning

MOST_FINDINGS = 20
_LONGEST_MESSAGE = 300
_LEAST_QUOTE = 4
"""The least characters of a quote: a shorter one is in almost every line."""
_OTHER_SCALES = {
    "note": "info",
    "low": "info",
    "warning": "warn",
    "medium": "warn",
    "high": "error",
    "critical": "error",
}
"""The severities of other scales that models use, and ours."""
_DIFF_FOLDER = LazyPattern(r"^(?:\./|[ab]/)")
"""The beginning that a path has in a diff."""
_NEAR = 2
"""A quote may be this many lines from the stated one: models often miscount."""


class UnusableAnswer(Exception):
    """The answer cannot be used; the text is the reason, which contains nothing of the answer.

    Attributes:
        answer: the claims that can be read nevertheless, as of an answer that is cut off.
    """

    def __init__(self, reason: str, answer: Answer | None = None) -> None:
        super().__init__(reason)
        self.answer = answer or Answer()


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


class Verified(msgspec.Struct, frozen=True):
    """The claims that became findings, and reason -> the number of those that did not."""

    findings: tuple[RawFinding, ...] = ()
    discarded: dict[str, int] = {}


def decode_answer(content: str, prompt: Prompt) -> Answer:
    """Return the claims of an answer, as far as they match the output schema; the others are counted.

    Raises:
        UnusableAnswer: it has no document of the output schema, or none of its claims matches it.
    """
    found = claims_in(content)
    answer = _matching(found.values, prompt)
    if not found.has_documents:
        raise UnusableAnswer("the answer is not JSON")
    if not found.is_complete or (found.values and not answer.claims):
        raise UnusableAnswer("the answer does not match the output schema", answer)
    return answer


def read_claims(content: str, prompt: Prompt) -> Answer:
    """Return the claims of a text that is not a complete answer."""
    return _matching(claims_in(content).values, prompt)


def _matching(values: Sequence[Any], prompt: Prompt) -> Answer:
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
        claims.sort(key=lambda claim: -Severity.named(claim.severity))
    return Answer(tuple(claims[:MOST_FINDINGS]), dict(discarded))


def _claim(value: Any) -> Claim | None:
    """Return a claim whose severity may be of another scale; None if it has not the form of one."""
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
    """Turn the claims that quote a changed line into findings, without secrets.

    Args:
        hunks: as they were sent.
        text_of: path -> the text at the head.
    """
    sent = _SentFiles(hunks)
    discarded = Counter(answer.discarded)
    found: dict[tuple[str, int, str], RawFinding] = {}
    for claim in answer.claims:
        place = sent.place(claim)
        message = _message(claim, redact)
        if isinstance(place, str) or not message:
            discarded[place if isinstance(place, str) else "no message"] += 1
            continue
        severity = _severity(claim, plane, settings)
        message = f"{message} ({claim.kind}{', a removed line' if place.is_removed else ''})"
        key = (place.path, place.line, message)
        if key in found:
            discarded["repeated"] += 1
            severity = max(severity, found[key].severity or severity)
        span = _span("" if place.is_removed else claim.quote.strip(), place.line, text_of(place.path) or "")
        found[key] = RawFinding(
            plane.value, place.path, span, message, confidence=settings.confidence, severity=severity
        )
    return Verified(tuple(found.values()), dict(sorted(discarded.items())))


class _Place(msgspec.Struct, frozen=True):
    """The place of a finding: an added line, or the line after a removed one."""

    path: str
    line: int
    is_removed: bool = False


class _SentFiles:
    """The changed lines that were sent, by file."""

    def __init__(self, hunks: Sequence[SentHunk]) -> None:
        self._paths = {hunk.file: hunk.path for hunk in hunks}
        self._added: dict[str, dict[int, str]] = {}
        self._removed: dict[str, list[RemovedLine]] = {}
        for hunk in hunks:
            self._added.setdefault(hunk.file, {}).update(hunk.added)
            self._removed.setdefault(hunk.file, []).extend(hunk.removed)

    def place(self, claim: Claim) -> _Place | str:
        """Return the path and the line that a claim quotes, or the reason why it quotes none."""
        file = claim.file if claim.file in self._paths else _DIFF_FOLDER.sub("", claim.file)
        if file not in self._paths:
            return "unknown file"
        quote = claim.quote.strip()
        if len(quote) < _LEAST_QUOTE:
            return "no quote"
        path = self._paths[file]
        for text in dict.fromkeys((quote, *_without_marks(quote))):
            line = _nearest(text, claim.line, self._added[file])
            if line is not None:
                return _Place(path, line)
            removed = _nearest_removed(text, claim.line, self._removed[file])
            if removed is not None:
                return _Place(path, removed.next, is_removed=True)
        return "quote not in a changed line"


def _without_marks(quote: str) -> Iterator[str]:
    """Yield a quote without what models add to it: the mark of a diff, or the quotes of a sentence."""
    for text in (quote[1:], quote[1:-1]):
        is_marked = quote[0] in "+-" or (quote[0] == quote[-1] and quote[0] in "`\"'")
        if is_marked and len(text.strip()) >= _LEAST_QUOTE:
            yield text.strip()


def _nearest(quote: str, stated: int, added: Mapping[int, str]) -> int | None:
    near = [line for line in added if abs(line - stated) <= _NEAR and quote in added[line]]
    return min(near, key=lambda line: (abs(line - stated), line), default=None)


def _nearest_removed(quote: str, stated: int, removed: Sequence[RemovedLine]) -> RemovedLine | None:
    """Return the removed line of a quote; models count it at the base or at the head."""
    near = [line for line in removed if quote in line.text and line.distance(stated) <= _NEAR]
    return min(near, key=lambda line: (line.distance(stated), line.number), default=None)


def _message(claim: Claim, redact: Callable[[str], str]) -> str:
    text = one_line(" ".join(redact(beginning(claim.message, 4 * _LONGEST_MESSAGE)).split()))
    if not text:
        return ""
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[: _LONGEST_MESSAGE - 3]}..."


def _severity(claim: Claim, plane: Plane, settings: LanguageModelSettings) -> Severity:
    """The severity of a finding; a model alone reports no error unless that is configured."""
    may_be_error = plane is Plane.SECURITY and settings.security_errors
    return min(Severity.named(claim.severity), Severity.ERROR if may_be_error else Severity.WARN)


def _span(quote: str, line: int, text: str) -> Span:
    """The position of a quote; the line where it contains a mask, and without one."""
    lines = text.split("\n")
    content = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
    column = content.find(quote) if quote else -1
    if column < 0:
        return Span(line, 1, line, len(content) + 1)
    return Span(line, column + 1, line, column + 1 + len(quote))
