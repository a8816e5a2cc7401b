"""The costs of an endpoint."""

from __future__ import annotations

from wardround.authoring.endpoint.roles import Answer, TokenBudget
from wardround.config.language_model import EndpointSettings
from wardround_lab.experiments.rewards.costs import DIRECTIONS, endpoint_costs


def test_money_is_by_the_prices_of_a_million_tokens() -> None:
    budget = TokenBudget(None)
    budget.add(Answer("", prompt_tokens=2000, completion_tokens=100))
    budget.add(Answer("", prompt_tokens=1000))
    costs = endpoint_costs(budget, EndpointSettings(input_price=2, output_price=10))
    assert costs == {"requests": 2.0, "prompt_tokens": 3000.0, "completion_tokens": 100.0, "money": 0.007}
    assert costs.keys() <= DIRECTIONS.keys()
    assert not any(DIRECTIONS.values())


def test_without_an_endpoint_there_are_no_costs() -> None:
    assert endpoint_costs(TokenBudget(None), None) == {}
