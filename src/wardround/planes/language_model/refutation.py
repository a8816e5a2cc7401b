"""The second pass of a plane: a claim of the first is refuted, or it becomes a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol

import msgspec
from msgspec.structs import replace

from wardround.config.language_model import LanguageModelSettings
from wardround.model_claims import SecondPass
from wardround.planes.language_model.answer import UnusableAnswer, shown_text
from wardround.planes.language_model.answer_text import claims_in
from wardround.planes.language_model.inputs import PlaneInput
from wardround.planes.language_model.prompts import load_refutation
from wardround.planes.language_model.question import Question, input_characters
from wardround.planes.language_model.sent_lines import SentText, is_quote, quoted_line
from wardround.planes.language_model.verified_claims import CheckedClaim

_LEAST_SHARE = 4
"""The code that claims name gets at least this fraction of the budget, even if the evidence fills it."""


class RefutationInput(PlaneInput, frozen=True, kw_only=True):
    """The input of the second pass.

    Attributes:
        aspect: the plane of the claims.
        claims: each with its number, from 1.
        evidence: the input of the first pass.
        definitions: the code of the repository that the claims name, and lines that use it.
    """

    aspect: str
    claims: tuple[dict[str, Any], ...]
    evidence: PlaneInput
    definitions: tuple[dict[str, Any], ...] = ()


class Definitions(Protocol):
    """Finds the code that claims name."""

    def of(
        self, claims: Sequence[CheckedClaim], question: Question, characters: int
    ) -> tuple[dict[str, Any], ...]:
        """Return the code as it is sent, within a number of characters."""


class NoDefinitions:
    """Finds nothing: the second pass only gets the evidence."""

    def of(self, claims: Sequence[CheckedClaim], question: Question, characters: int) -> tuple[()]:
        return ()


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on one claim as an answer has it; further fields are not read."""

    claim: int
    verdict: Literal["upheld", "refuted"]
    reason: str = ""
    quote: str = ""


Verdicts = dict[int, SecondPass]
"""The index of a claim, from 0, and its verdict."""


def refutation(
    question: Question,
    claims: Sequence[CheckedClaim],
    settings: LanguageModelSettings,
    definitions: Definitions,
) -> Question:
    """Return the question about the claims that answered another one.

    Args:
        definitions: finds the code that the claims name.
    """
    prompt = load_refutation(question.plane)
    numbered = tuple(
        {"claim": number, **msgspec.structs.asdict(claim)} for number, claim in enumerate(claims, 1)
    )
    content = RefutationInput(
        aspect=question.plane.value,
        claims=numbered,
        evidence=question.content,
        omitted_hunks=question.omitted,
    )
    budget = input_characters(settings, prompt)
    rest = max(budget - len(msgspec.json.encode(content)), budget // _LEAST_SHARE)
    found = definitions.of(claims, question, rest)
    return Question(prompt, replace(content, definitions=found), question.hunks, question.omitted)


class VerdictReader:
    """Reads the verdicts on some claims.

    Args:
        content: the input of the second pass; a quote of its claims does not count as evidence.
        redact: removes secrets from a text.
    """

    def __init__(self, count: int, content: PlaneInput, redact: Callable[[str], str]) -> None:
        self._count = count
        self._evidence = SentText({**msgspec.to_builtins(content), "claims": None})
        self._redact = redact

    def decode(self, content: str) -> Verdicts:
        """Return the verdicts of a complete answer.

        Raises:
            UnusableAnswer: a claim has no verdict, or two that differ.
        """
        verdicts = self.read(content)
        missing = [str(number + 1) for number in range(self._count) if number not in verdicts]
        if missing:
            raise UnusableAnswer(f"no verdict on claim {', '.join(missing)}", verdicts)
        return verdicts

    def read(self, content: str) -> Verdicts:
        """Return the verdicts in a text; if a claim has two that differ, none counts."""
        found: Verdicts = {}
        contradictory: set[int] = set()
        for verdict in self._verdicts(content):
            number = verdict.claim - 1
            if found.setdefault(number, self._second_pass(verdict)).verdict != verdict.verdict:
                contradictory.add(number)
        return {number: verdict for number, verdict in found.items() if number not in contradictory}

    def objection(self, content: Verdicts) -> str:
        """Return a reason if an answer refutes a claim with a line that is not in the input."""
        unfounded = [
            str(number + 1)
            for number, verdict in sorted(content.items())
            if verdict.verdict == "refuted" and verdict.is_unfounded
        ]
        return (
            f"the quote of the verdict on claim {', '.join(unfounded)} is not in the input"
            if unfounded
            else ""
        )

    def reminder(self, content: Verdicts) -> str:
        """Return nothing: see ``objection``."""
        return ""

    def join(self, before: Verdicts, after: Verdicts) -> Verdicts:
        """Return the verdicts of two answers; the later one counts."""
        return {**before, **after}

    def _verdicts(self, content: str) -> Iterator[Verdict]:
        """Yield the values of a text that are verdicts on one of the claims."""
        for value in claims_in(content, "claims", "verdict").values:
            try:
                verdict = msgspec.convert(value, Verdict, strict=False)
            except msgspec.ValidationError:
                continue
            if 1 <= verdict.claim <= self._count:
                yield verdict

    def _second_pass(self, verdict: Verdict) -> SecondPass:
        quote = quoted_line(verdict.quote)
        is_quoted = self._evidence.has(quote)
        return SecondPass(
            verdict.verdict,
            shown_text(verdict.reason, self._redact),
            shown_text(quote, self._redact) if is_quoted else "",
            is_unfounded=is_quote(quote) and not is_quoted,
        )
