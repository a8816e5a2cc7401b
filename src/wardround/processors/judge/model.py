"""The judge: a file of rates, the weights of two regressions over them, and thresholds."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated

import msgspec
from msgspec import Meta

from wardround.config.schema import JUDGE_OFF, JUDGE_ON
from wardround.errors import ConfigError, WardroundError
from wardround.processors.judge.facts import FindingFacts
from wardround.processors.judge.features import FEATURES, row
from wardround.processors.judge.rates import RateTable
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.text.globs import matches_whole

FILE = "judge.json"
_DIGITS = 3
"""Decimals of a probability: further ones would be below the accuracy of any calibration here."""


_Probability = Annotated[float, Meta(ge=0, le=1)]


class Regression(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logistic regression: a weight for each of ``FEATURES``."""

    bias: float
    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        if set(self.weights) != set(FEATURES):
            unknown = sorted(set(self.weights) ^ set(FEATURES))
            raise ValueError(f"weights: {unknown[0]} is in the file or in this version, not in both")

    def probability(self, values: list[float]) -> float:
        """Return the probability for one row, whose values are in the order of ``FEATURES``."""
        products = (self.weights[name] * value for name, value in zip(FEATURES, values, strict=True))
        return round(0.5 * (1 + math.tanh(0.5 * (self.bias + math.fsum(products)))), _DIGITS)


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Probabilities by which a review decides, 0 to 1.

    Attributes:
        warning: a warning that is less likely to be worth raising becomes a note.
        note: a note that is less likely to be worth raising is folded.
        wrong: a note that is more likely to be wrong is folded.
    """

    warning: _Probability
    note: _Probability
    wrong: _Probability


class JudgeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a judge's file.

    Attributes:
        repositories: the number of repositories of the judged findings.
        until: the day of the last judgement, YYYY-MM-DD.
        rates: rates of the judged findings.
        worth: the probability that a finding is worth raising.
        wrong: the probability that it is wrong.
        exempt: ids, or patterns of ids, of rules that are neither lowered nor folded: they guard against
            damage that cannot be undone.
    """

    repositories: int
    until: str
    rates: RateTable
    worth: Regression
    wrong: Regression
    thresholds: Thresholds
    exempt: tuple[str, ...] = ()


class Judge(msgspec.Struct, frozen=True):
    """A judge that was read from a file.

    Attributes:
        name: ``default``, or the path of a team's own judge.
        digest: SHA-256 of the file, 64 hex digits.
    """

    name: str
    digest: str
    file: JudgeFile

    @property
    def id(self) -> str:
        """The name and the digest: ``default@sha256:...``."""
        return f"{self.name}@sha256:{self.digest}"

    def is_exempt(self, rules: Iterable[str]) -> bool:
        """Return True if one of the rules is neither lowered nor folded."""
        return any(matches_whole(rule, self.file.exempt) for rule in rules)

    def probabilities(self, facts: FindingFacts) -> tuple[float, float]:
        """Return the probability that a finding is worth raising, and that it is wrong."""
        values = row(facts, self.file.rates)
        return self.file.worth.probability(values), self.file.wrong.probability(values)


def judge_content(file: JudgeFile) -> bytes:
    """Return the content of a judge's file: the same for the same judge."""
    return msgspec.json.encode(file, order="deterministic") + b"\n"


def load_judge(name: str, read: Callable[[str], bytes | None]) -> Judge:
    """Return the judge that a configuration names.

    Args:
        name: ``on`` for the one that ships with the rules, or a path in the repository.
        read: path -> the content at the trusted side.

    Raises:
        ConfigError: it does not exist, or its file is invalid.
    """
    if name == JUDGE_ON:
        return default_judge()
    if not name.endswith(".json") or name.startswith("/") or ".." in name.split("/"):
        raise ConfigError(
            f"judge: {name!r} is none of {JUDGE_ON}, {JUDGE_OFF} and a JSON file of the repository; give one"
        )
    content = read(name)
    if content is None:
        raise ConfigError(f"judge: {name} does not exist on the trusted side; add it there first")
    return parse_judge(content, name)


def parse_judge(content: bytes, name: str) -> Judge:
    """Return the judge in a file.

    Raises:
        ConfigError: it is not the file of a judge.
    """
    try:
        file = msgspec.json.decode(content, type=JudgeFile)
    except (msgspec.MsgspecError, ValueError) as cause:
        raise ConfigError(
            f"{name} is not a judge: {cause}; train it again: wardround adapters train --from-judgements"
        ) from cause
    return Judge(name, hashlib.sha256(content).hexdigest(), file)


@cache
def default_judge() -> Judge:
    """Return the judge that ships with the rules.

    Raises:
        WardroundError: its file is absent or invalid.
    """
    source = package_folder(RULES_PACKAGE) / FILE
    try:
        return parse_judge(source.read_bytes(), "default")
    except (OSError, ConfigError) as cause:
        raise WardroundError(
            f"{RULES_PACKAGE}/{FILE} has no judge: {cause}; install wardround again"
        ) from cause
