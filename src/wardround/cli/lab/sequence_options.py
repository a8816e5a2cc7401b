"""The options that name a storage of sequences and select some of them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

from wardround.errors import UsageError
from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from wardround.authoring.stages import Value
    from wardround_lab.experiments.storage.model import RewardCondition, SequenceQuery
    from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

storage_option = click.option(
    "--storage", "storage_name", default="", metavar="FILE|URL",
    help="Storage (default: $WARDROUND_LAB_STORAGE, else the local one); a file or a URL.",
)  # fmt: skip

_CONDITIONS = (
    click.option("--run", default="", help="Only this run."),
    click.option("--experiment", default="", help="Only this experiment."),
    click.option("--instance", default="", help="Only this instance."),
    click.option("--repository", default="", help="Only instances of this repository."),
    click.option("--configuration", multiple=True, metavar="NAME=VALUE",
                 help="Only configurations with this value (repeatable)."),
    click.option("--reward", multiple=True, metavar="NAME>=X",
                 help="Only sequences with such a reward, also NAME<=X and NAME=X (repeatable)."),
    click.option("--complete/--incomplete", "is_complete", default=None,
                 help="Only sequences with an outcome, or without."),
    click.option("--since", metavar="TIME", help="Only from this date or time on (UTC, ISO 8601)."),
    click.option("--until", metavar="TIME", help="Only up to this date, included, or before this time."),
)  # fmt: skip


def condition_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options from which ``sequence_query`` makes a query."""
    for option in reversed(_CONDITIONS):
        command = option(command)
    return command


@contextmanager
def open_named_storage(name: str, *, create: bool = True) -> Iterator[SequenceStorage]:
    """Open the storage that the option or the environment names, by default the local file."""
    from wardround_lab.experiments.storage.opening import open_storage

    with closing(open_storage(name, os.environ, create=create)) as storage:
        yield storage


def sequence_query(options: Mapping[str, Any], limit: int | None = None) -> SequenceQuery:
    """Return the query of the options.

    Raises:
        UsageError: one has not the form of its kind.
    """
    from wardround.records import time_bounds
    from wardround_lab.experiments.storage.model import SequenceQuery

    since, until = options["since"], options["until"]
    return SequenceQuery(
        run=options["run"],
        experiment=options["experiment"],
        instance=options["instance"],
        repository=options["repository"],
        configuration=_configuration(options["configuration"]),
        rewards=tuple(map(reward_condition, options["reward"])),
        is_complete=options["is_complete"],
        since=time_bounds.since(since) if since else None,
        until=time_bounds.until(until) if until else None,
        limit=limit,
    )


def _configuration(texts: Sequence[str]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"--configuration {text!r} is not NAME=VALUE; give both")
        values[name] = _value(value)
    return values


def _value(text: str) -> Value:
    """Return a JSON number, string, true, false or null; anything else is a string itself."""
    import msgspec

    try:
        value: Value = msgspec.json.decode(text, type=str | int | float | bool | None)
    except (msgspec.MsgspecError, UnicodeError):
        return text
    return value


def reward_condition(text: str) -> RewardCondition:
    """Return the condition that ``NAME>=X``, ``NAME<=X`` or ``NAME=X`` expresses."""
    from wardround_lab.experiments.storage.model import RewardCondition

    match = _CONDITION.fullmatch(text)
    if match is None:
        raise _not_reward(text)
    bound = _number(match["bound"], text)
    return RewardCondition(match["name"].strip(), **dict.fromkeys(_BOUNDS[match["sign"]], bound))


_CONDITION = LazyPattern(r"(?P<name>[^<>=]+)(?P<sign>[<>]?=)(?P<bound>[^<>=]+)")
_BOUNDS = {">=": ("least",), "<=": ("most",), "=": ("least", "most")}
"""Sign -> the ends of the range that it sets."""


def _number(text: str, condition: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise _not_reward(condition) from None
    if math.isnan(number):
        raise _not_reward(condition)
    return number


def _not_reward(text: str) -> UsageError:
    return UsageError(f"--reward {text!r} is not a condition; give NAME>=X, NAME<=X or NAME=X with a number")
