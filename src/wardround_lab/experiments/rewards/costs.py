"""The cost of a stage: requests, tokens and money of its endpoint, and time."""

from __future__ import annotations

from wardround.authoring.endpoint.roles import TokenBudget
from wardround.config.language_model import EndpointSettings

DIRECTIONS = {
    "requests": False,
    "prompt_tokens": False,
    "completion_tokens": False,
    "money": False,
    "cpu_s": False,
    "wall_s": False,
}
"""Costs by name; less is better."""
_MILLION = 1_000_000


def endpoint_costs(budget: TokenBudget, endpoint: EndpointSettings | None) -> dict[str, float]:
    """Return what the requests of a trial cost; nothing without an endpoint.

    Recorded answers count as on the day they were given, so that a resumed trial has the same costs.
    """
    if endpoint is None:
        return {}
    prompt, completion = budget.prompt_tokens, budget.completion_tokens
    money = (prompt * endpoint.input_price + completion * endpoint.output_price) / _MILLION
    return {
        "requests": float(budget.requests),
        "prompt_tokens": float(prompt),
        "completion_tokens": float(completion),
        "money": round(money, 6),
    }
