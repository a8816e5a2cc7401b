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
from wardround.planes.language_model.hunks import SentHunk
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
_COPIED = LazyPattern(r"^\s{0,9}\d{1,9} [-+ ](?: |$)")
"""The number and the mark before the text of a sent line."""
_DIFF_FOLDER = LazyPattern(r"^(?:\./|[ab]/)")
"""The beginning that a path has in a diff."""


class UnusableAnswer(Exception):
    """The answer cannot be used; the text is the reason, which contains nothing of the answer.

    Attributes:
        partial: the part that can be read nevertheless, as of an answer that is cut off; None if there is
            none.
    """

    def __init__(self, reason: str, partial: object = None) -> None:
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


class CheckedClaim(msgspec.Struct, frozen=True):
    """A claim that quotes a sent line, as the second pass gets it: without secrets."""

    file: str
    line: int
    quote: str
    severity: str
    message: str


class Verified(msgspec.Struct, frozen=True):
    """The claims that became findings, and reason -> the number of those that did not.

    Attributes:
        claims: one for each finding.
    """

    findings: tuple[RawFinding, ...] = ()
    discarded: dict[str, int] = {}
    claims: tuple[CheckedClaim, ...] = ()

    def without(self, reasons: Mapping[int, str]) -> Verified:
        """Return the claims without some of them.

        Args:
            reasons: the number of a claim -> the reason for which it is discarded.
        """
        kept = [number for number in range(len(self.findings)) if number not in reasons]
        discarded = Counter(self.discarded) + Counter(reasons.values())
        return Verified(
            tuple(self.findings[number] for number in kept),
            dict(sorted(discarded.items())),
            tuple(self.claims[number] for number in kept),
        )


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


class ClaimReader:
    """Reads the claims of the first pass of a plane.

    Attributes:
        verified: returns the claims of an answer that quote the input.
    """

    def __init__(self, prompt: Prompt, verified: Callable[[Answer], Verified]) -> None:
        self._prompt = prompt
        self.verified = verified

    def decode(self, content: str) -> Answer:
        """Return the claims of a complete answer; see ``decode_answer``."""
        return decode_answer(content, self._prompt)

    def read(self, content: str) -> Answer:
        """Return the claims of a text that is not a complete answer."""
        return read_claims(content, self._prompt)

    def join(self, before: Answer, after: Answer) -> Answer:
        """Return the claims of two answers: a second one does not take back those of the first."""
        discarded = Counter(before.discarded) + Counter(after.discarded)
        return Answer((*before.claims, *after.claims), dict(discarded))

    def objection(self, content: Answer) -> str:
        """Return a reason if an answer makes claims and none can be used."""
        is_unfounded = content.claims and not self.verified(content).findings
        return "none of the findings in the answer quotes a line of the input" if is_unfounded else ""


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
    """Turn the claims that quote a sent line into findings, without secrets.

    Args:
        hunks: as they were sent.
        text_of: path -> the text at the head.
    """
    sent = _SentFiles(hunks)
    discarded = Counter(answer.discarded)
    found: dict[tuple[str, int, str], RawFinding] = {}
    checked: dict[tuple[str, int, str], CheckedClaim] = {}
    for claim in answer.claims:
        place = sent.place(claim)
        message = _message(claim, redact)
        if isinstance(place, str) or not message:
            discarded[place if isinstance(place, str) else "no message"] += 1
            continue
        severity = _severity(claim, plane, settings)
        message = f"{message} ({claim.kind}{place.note})"
        key = (place.path, place.line, message)
        if key in found:
            discarded["repeated"] += 1
            severity = max(severity, found[key].severity or severity)
        quote = "" if place.note else quoted_text(claim)
        span = _span(quote, place.line, text_of(place.path) or "")
        found[key] = RawFinding(
            plane.value, place.path, span, message, confidence=settings.confidence, severity=severity
        )
        checked[key] = CheckedClaim(claim.file, place.line, quoted_text(claim), severity.label, message)
    return Verified(tuple(found.values()), dict(sorted(discarded.items())), tuple(checked.values()))


class _Place(msgspec.Struct, frozen=True):
    """The place of a finding: an added line, the line after a removed one, or the changed line next to an
    unchanged one.
    """

    path: str
    line: int
    is_removed: bool = False
    is_unchanged: bool = False

    @property
    def note(self) -> str:
        """The addition to a message if the quoted line is not the one of the finding."""
        return ", a removed line" if self.is_removed else ", an unchanged line" if self.is_unchanged else ""


class _Quoted(msgspec.Struct, frozen=True):
    """A sent line, and the place of a finding that quotes it."""

    number: int
    text: str
    place: _Place

    def distance(self, stated: int) -> tuple[bool, int, int]:
        """Return the order among the lines with a quote: changed ones, then the nearest to the stated one.

        Models count a removed line at the base or at the head.
        """
        nearest = min(abs(self.number - stated), abs(self.place.line - stated))
        return self.place.is_unchanged, nearest, self.number


class _SentFiles:
    """The lines that were sent, by file."""

    def __init__(self, hunks: Sequence[SentHunk]) -> None:
        self._lines: dict[str, list[_Quoted]] = {}
        for hunk in hunks:
            self._lines.setdefault(hunk.file, []).extend(_quotable(hunk))

    def place(self, claim: Claim) -> _Place | str:
        """Return the path and the line that a claim quotes, or the reason why it quotes none."""
        file = claim.file if claim.file in self._lines else _DIFF_FOLDER.sub("", claim.file)
        if file not in self._lines:
            return "unknown file"
        quote = quoted_text(claim)
        if len(quote) < _LEAST_QUOTE:
            return "no quote"
        for text in dict.fromkeys((quote, *_without_marks(quote))):
            found = [line for line in self._lines[file] if text in line.text]
            if found:
                return min(found, key=lambda line: line.distance(claim.line)).place
        return "quote not in the input"


def _without_marks(quote: str) -> Iterator[str]:
    """Yield a quote without what models add to it: the mark of a diff, or the quotes of a sentence."""
    for text in (quote[1:], quote[1:-1]):
        is_marked = quote[0] in "+-" or (quote[0] == quote[-1] and quote[0] in "`\"'")
        if is_marked and len(text.strip()) >= _LEAST_QUOTE:
            yield text.strip()


def quoted_text(claim: Claim) -> str:
    """Return the first line of a quote, without the number and the mark that models copy with it."""
    lines = (_COPIED.sub("", line).strip() for line in claim.quote.split("\n"))
    return next((line for line in lines if len(line) >= _LEAST_QUOTE), claim.quote.strip())


def _quotable(hunk: SentHunk) -> Iterator[_Quoted]:
    """Yield the lines of a hunk; a finding about an unchanged one is at the nearest changed one."""
    for number, text in hunk.added.items():
        yield _Quoted(number, text, _Place(hunk.path, number))
    for line in hunk.removed:
        yield _Quoted(line.number, line.text, _Place(hunk.path, line.next, is_removed=True))
    changed = sorted({*hunk.added, *(line.next for line in hunk.removed)})
    for number, text in hunk.unchanged.items() if changed else ():
        nearest = min(changed, key=lambda one: (abs(one - number), one))
        yield _Quoted(number, text, _Place(hunk.path, nearest, is_unchanged=True))


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
