"""The values of the storage: runs of experiments, their sequences, and the entries of these."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from wardround.authoring.stages import Value
from wardround.storage.digest import sha256

_ID_LENGTH = 16
Time = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


class EntryKind(StrEnum):
    """The kinds of entries."""

    MESSAGE = "message"
    RESULT = "result"
    PATCH = "patch"
    REWARD = "reward"
    OUTCOME = "outcome"
    JUDGEMENT = "judgement"


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run of an experiment.

    Attributes:
        created: time of its begin in UTC.
        version: that of wardround.
        settings: what it depends on besides the configurations, such as endpoints, as JSON values.
        instances: ids of its instances, in their order.
        instances_digest: digest of the instances with their answers.
        rewards: names of the rewards of its table, in their order; True if more is better.
        notes: what it could not do, one sentence each.
    """

    id: str
    experiment: str
    created: Time
    version: str
    instances: tuple[str, ...]
    instances_digest: str
    settings: Mapping[str, Any] = {}
    rewards: Mapping[str, bool] = {}
    notes: tuple[str, ...] = ()


class SequenceHeader(msgspec.Struct, frozen=True, kw_only=True):
    """One configuration of an experiment at one instance, in one run.

    Attributes:
        configuration: the values of the configuration by name.
        repository: that of the instance.
    """

    run: str
    experiment: str
    configuration: Mapping[str, Value]
    instance: str
    repository: str
    created: Time

    @property
    def id(self) -> str:
        """The digest of run, configuration and instance."""
        identity = (self.run, self.configuration, self.instance)
        return sha256(msgspec.json.encode(identity, order="deterministic")).hexdigest()[:_ID_LENGTH]


class Entry(msgspec.Struct, frozen=True):
    """One entry of a sequence.

    Attributes:
        name: role of a message, step of a result, author of a patch, name of a reward; a sequence has at most
            one entry of the kind outcome, which is its last but for judgements.
        key: the digest of the request of a result; empty for other kinds.
        content: JSON; that of a reward is a number.
    """

    kind: EntryKind
    name: str
    content: msgspec.Raw
    key: str = ""

    @property
    def digest(self) -> str:
        """The address of the content."""
        return sha256(bytes(self.content)).hexdigest()


class RewardCondition(msgspec.Struct, frozen=True):
    """A condition on one reward; both ends are included, and None leaves it open."""

    name: str
    least: float | None = None
    most: float | None = None


class SequenceQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Conditions that a sequence must all meet; empty ones are not checked.

    Attributes:
        configuration: values that the configuration must have.
        is_complete: the sequence has an outcome; None for either.
        since: the first time included; until: the first time excluded.
        limit: the number of sequences at most.
    """

    run: str = ""
    experiment: str = ""
    instance: str = ""
    repository: str = ""
    configuration: Mapping[str, Value] = {}
    rewards: tuple[RewardCondition, ...] = ()
    is_complete: bool | None = None
    since: Time | None = None
    until: Time | None = None
    limit: int | None = None


class SequenceSummary(msgspec.Struct, frozen=True):
    """A sequence without the contents of its entries.

    Attributes:
        rewards: name -> value; of a reward that was recorded twice the last value.
        outcome: the recorded outcome; empty if the sequence has none.
    """

    header: SequenceHeader
    rewards: Mapping[str, float]
    outcome: str
    entries: int
