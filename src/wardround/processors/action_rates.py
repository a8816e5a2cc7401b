"""The measured rates at which people act on the findings of a rule, and the regression over them."""

from __future__ import annotations

import math
from functools import cache

import msgspec

from wardround.errors import WardroundError
from wardround.rules.model import RULES_PACKAGE, package_folder

MEASURED_TOOL = "ruff"
"""The only tool whose rules were measured over the histories of repositories."""
REPOSITORIES = 5
"""Rules seen in fewer repositories have no rate."""
SMOOTHING = 20
"""Items by which a rule's own count outweighs the prior: a rate is (fixed + 1) / (items + 20)."""
COUNTERS = (
    "prior", "is-test", "file-lines", "in-file", "same-in-file", "same-in-repository", "no-fix", "is-import",
    "function-lines",
)  # fmt: skip


class ActionRate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The shares of a rule's findings, and of plain lines nearby, that people changed; 0 to 1."""

    fix: float
    placebo: float
    repositories: int
    items: int


class ActionRates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logistic regression: a weight for each counter.

    Attributes:
        means: replace unknown counters; ``prior`` is that of a rule without a rate.
        threshold: log-odds; nine in ten of the findings that people acted on are above.
    """

    bias: float
    weights: dict[str, float]
    means: dict[str, float]
    threshold: float

    def __post_init__(self) -> None:
        if set(self.weights) != set(COUNTERS) or set(self.means) != set(COUNTERS):
            raise ValueError(f"weights and means must be of {', '.join(COUNTERS)}")


class Rates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``wardround_rules/triage/<tool>.yml``: rates by the tool's own codes."""

    tool: str
    version: str
    repositories: tuple[str, ...]
    items: int
    rules: dict[str, ActionRate]
    ranking: ActionRates

    def rate(self, rule: str) -> ActionRate | None:
        """The rate of a rule by its id; None if it was not measured."""
        tool, _, code = rule.partition("/")
        return self.rules.get(code) if tool == self.tool else None


@cache
def load_action_rates(tool: str = MEASURED_TOOL) -> Rates:
    """The rates that come with the rules.

    Raises:
        WardroundError: the file is absent or does not have the fields of ``Rates``.
    """
    from wardround.rules.yaml_loader import load_yaml  # only reviews with something to rank read YAML

    source = package_folder(RULES_PACKAGE) / "triage" / f"{tool}.yml"
    try:
        return msgspec.convert(load_yaml(source.read_text("utf-8")), Rates)
    except (OSError, msgspec.ValidationError) as cause:
        raise WardroundError(f"{RULES_PACKAGE}/triage/{tool}.yml holds no rates: {cause}") from cause


def log_odds(share: float) -> float:
    """The log-odds of a share between 0 and 1, both excluded."""
    return math.log(share / (1 - share))


def smoothed(hits: int, items: int) -> float:
    """A rate that is never 0 or 1."""
    return (hits + 1) / (items + SMOOTHING)
