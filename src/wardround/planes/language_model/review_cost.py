"""The cost of a review with a language model, estimated before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec

from wardround.config.language_model import LanguageModelSettings
from wardround.findings import Plane
from wardround.planes.language_model.budget import CHARACTERS_PER_TOKEN
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.refutation import NoDefinitions, refutation


class PassCost(msgspec.Struct, frozen=True):
    """The requests of one pass.

    Attributes:
        tokens_in: estimated, of all requests.
        tokens_out: the limit on all answers.
    """

    requests: int
    tokens_in: int
    tokens_out: int


class PlaneCost(msgspec.Struct, frozen=True):
    """The estimated input of both requests of a plane, in tokens.

    Attributes:
        second: without the claims and the code that they name, which are not known before.
        is_cached: the first request is answered, and not sent.
    """

    plane: Plane
    first: int
    second: int
    is_cached: bool


class ReviewCost(msgspec.Struct, frozen=True):
    """The requests of a review, without retries.

    Attributes:
        concurrency: the requests at a time.
        most_out: the limit on one answer, in tokens.
    """

    planes: tuple[PlaneCost, ...]
    concurrency: int
    most_out: int

    @property
    def first_pass(self) -> PassCost:
        """The requests that are sent in any case."""
        sent = [plane.first for plane in self.planes if not plane.is_cached]
        return PassCost(len(sent), sum(sent), len(sent) * self.most_out)

    @property
    def second_pass(self) -> PassCost:
        """The requests that are sent in addition if every plane makes claims."""
        inputs = [plane.second for plane in self.planes]
        return PassCost(len(inputs), sum(inputs), len(inputs) * self.most_out)

    def seconds(self, latency_s: float) -> tuple[float, float]:
        """Return the time without claims, and the time if every plane makes claims.

        Args:
            latency_s: latency of each request, in seconds.
        """
        first = self.first_pass.requests
        rounds = math.ceil(first / self.concurrency)
        most_rounds = math.ceil((first + self.second_pass.requests) / self.concurrency)
        at_least = 2 if first else min(1, most_rounds)  # the passes of one plane follow each other
        return rounds * latency_s, max(most_rounds, at_least) * latency_s


def review_cost(
    questions: Sequence[Question], settings: LanguageModelSettings, is_cached: Callable[[Question], bool]
) -> ReviewCost:
    """Estimate the cost of asking some questions; those without hunks are not sent.

    Args:
        is_cached: True for a question whose answer is cached.
    """

    def cost(question: Question) -> PlaneCost:
        second = refutation(question, (), settings, NoDefinitions())
        return PlaneCost(question.plane, _tokens(question), _tokens(second), is_cached(question))

    planes = tuple(cost(question) for question in questions if question.hunks)
    return ReviewCost(planes, settings.concurrency, settings.max_tokens)


def _tokens(question: Question) -> int:
    prompt = question.prompt
    content, schema = msgspec.json.encode(question.content), msgspec.json.encode(prompt.schema)
    return math.ceil((len(prompt.text) + len(content) + len(schema)) / CHARACTERS_PER_TOKEN)
