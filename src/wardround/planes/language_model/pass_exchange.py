"""One pass of a plane: its requests, the answers to them, and the exchange that the record keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar, cast

from msgspec.structs import replace

from wardround.config.language_model import LanguageModelSettings
from wardround.context.canonical import content_id
from wardround.planes.evidence import Exchange, QuestionCounts, TokenUsage
from wardround.planes.language_model import event_stream
from wardround.planes.language_model.answer import UnusableAnswer
from wardround.planes.language_model.completion import Choice, Usage
from wardround.planes.language_model.endpoint import Endpoint, EndpointError
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.refutation import RefutationInput
from wardround.planes.language_model.sender import Reply, Sender
from wardround.planes.language_model.verified_claims import Verified
from wardround.text.escaping import one_line
from wardround.text.redaction import beginning

_LONGEST_ANSWER = 20_000
_LONGEST_NAME = 200

Content = TypeVar("Content")


class AnswerReader(Protocol[Content]):
    """Reads the answers to one kind of question."""

    def decode(self, content: str) -> Content:
        """Return the content of a complete answer; raise ``UnusableAnswer`` for anything else."""

    def read(self, content: str) -> Content:
        """Return the part of an incomplete answer that can be read."""

    def join(self, before: Content, after: Content) -> Content:
        """Return the content of an answer and of the one to a retry."""

    def objection(self, content: Content) -> str:
        """Return the reason why a complete answer cannot be used; empty if it can."""

    def reminder(self, content: Content) -> str:
        """Return the part that an answer lacks and that is requested once more; empty if it lacks none."""


class PassExchange(Generic[Content]):
    """The exchange of one pass so far.

    Args:
        redact: removes secrets from a text.
        reader: reads the answers.
    """

    def __init__(
        self,
        question: Question,
        settings: LanguageModelSettings,
        redact: Callable[[str], str],
        reader: AnswerReader[Content],
    ) -> None:
        self._reader = reader
        self._question = question
        self._settings = settings
        self._redact = redact
        self._exchange = Exchange(
            question.plane,
            question.prompt.digest,
            settings.model,
            settings.seed,
            omitted_hunks=question.omitted,
            step="refutation" if isinstance(question.content, RefutationInput) else "claims",
        )

    def exchange(self) -> Exchange:
        """Return the exchange."""
        return self._exchange

    def add_problem(self, problem: str) -> Exchange:
        """Return the exchange with the reason why it has no usable answer."""
        return replace(self._exchange, problem=problem)

    def note_questions(self, counts: QuestionCounts) -> None:
        """Add the numbers of narrow questions by their answers."""
        self._exchange = replace(self._exchange, questions=counts)

    def add_answer(self, verified: Verified, problem: str) -> Exchange:
        """Return the exchange with the outcome of its claims."""
        return replace(
            self._exchange,
            findings=len(verified.findings),
            discarded=verified.discarded,
            dropped=verified.dropped,
            problem=problem,
        )

    async def run(self, endpoint: Endpoint, deadline: float) -> tuple[Content, str]:
        """Send the question, and once more after an answer that is unusable or lacks a part.

        Args:
            deadline: time of the event loop's clock after which nothing is retried.

        Returns:
            The content of all answers, and the reason why the last one cannot be used; empty if it can.
        """
        sender = Sender(endpoint, deadline, self._note_request)
        answer, problem = await self._request_answer(sender, "")
        problem = problem or self._reader.objection(answer)
        lack = problem or self._reader.reminder(answer)
        if not lack:
            return answer, ""
        try:
            further, rest = await self._request_answer(sender, lack)
        except EndpointError as cause:
            return answer, str(cause)
        answer = self._reader.join(answer, further)
        if not problem:  # the first answer could be used: the second one takes nothing back
            return answer, ""
        return answer, rest or self._reader.objection(answer)

    async def _request_answer(self, sender: Sender, problem: str) -> tuple[Content, str]:
        """Return the content of an answer, and the reason why it is incomplete; empty if it is complete.

        Args:
            problem: problem of the previous answer; empty for the first one.
        """
        reply = await sender.send(lambda accepted: self._question.body(self._settings, accepted, problem))
        try:
            content = self._decode_choice(self._note_reply(reply))
        except UnusableAnswer as cause:
            partial = self._reader.read("") if cause.partial is None else cause.partial
            return cast(Content, partial), str(cause)
        if not self._reader.objection(content) and self._is_free_of_secrets(reply):
            sender.cache(reply)
        return content, ""

    def _is_free_of_secrets(self, reply: Reply) -> bool:
        text = reply.completion.choices[0].message.content or ""
        return self._redact(text) == text

    def _decode_choice(self, choice: Choice) -> Content:
        content, problem = answer_content(choice)
        if problem:
            raise UnusableAnswer(problem, self._reader.read(content))
        return self._reader.decode(content)

    def _note_request(self, body: bytes, refused: tuple[str, ...]) -> None:
        sent = (*self._exchange.requests, content_id(body))
        self._exchange = replace(self._exchange, requests=sent, refused=refused)

    def _note_reply(self, reply: Reply) -> Choice:
        """Return the first choice, and store the fields that the record needs."""
        completion = reply.completion
        if not completion.choices:
            raise UnusableAnswer("the answer has no choices")
        choice = completion.choices[0]
        usage = completion.usage
        text = choice.message.content or choice.message.refusal or ""
        self._exchange = replace(
            self._exchange,
            served_model=self._name(completion.model),
            finish_reason=self._name(choice.finish_reason),
            usage=TokenUsage() if usage is None else _limit_usage(usage),
            answer=self._redact(beginning(text, _LONGEST_ANSWER)),
            answer_digest=content_id(text.encode("utf-8", "surrogatepass")),
            is_cached=reply.is_cached,
        )
        return choice

    def _name(self, text: str | None) -> str:
        return one_line(self._redact(beginning(text or "", _LONGEST_NAME)))


def _limit_usage(usage: Usage) -> TokenUsage:
    """Return numbers that a record can have, whatever the endpoint counts."""
    prompt, completion = (max(0, min(n, 2**31)) for n in (usage.prompt_tokens, usage.completion_tokens))
    return TokenUsage(prompt, completion)


def answer_content(choice: Choice) -> tuple[str, str]:
    """Return the text of an answer, and the reason why it is incomplete; empty if it is complete."""
    message = choice.message
    content = message.content or ""
    if message.refusal:
        return "", "the model refused"
    match choice.finish_reason:
        case "length" if message.has_only_reasoning:
            return content, "the model reached the limit while reasoning; raise max-tokens"
        case "length":
            return content, "the answer is cut off; raise max-tokens"
        case "content_filter":
            return content, "the answer was filtered"
        case event_stream.INCOMPLETE:
            return content, "the answer is cut off, because its stream was interrupted"
    if message.has_only_reasoning:
        return content, "the model returned its reasoning and no answer"
    return content, "" if content else "the answer is empty"
