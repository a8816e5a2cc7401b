"""The interface of experiments.

An experiment is contributed by the plugin hook ``wardround_experiments``: name -> ``module:attribute`` of a
callable, such as a class, that takes a ``LabInputs`` and the options, and returns an ``Experiment``. Its
attribute ``options`` is the class of the options: a frozen struct with defaults.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol, Self

import msgspec

from wardround.authoring.stages import Patch
from wardround.config.language_model import EndpointSettings
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

NO_PATCH = Patch((), "none", "the experiment ends before a patch is generated")


class Experiment(Protocol):
    """One experiment.

    Attributes:
        model_endpoint: settings of the endpoint that it uses; None if it uses none.
        sequence_storage: where its sequences are.
        configuration: a frozen struct of values; the present configuration.
        rewards: the rewards of its table, in their order, with the direction: True if more is better.
        notes: what the experiment cannot do here, one sentence each, such as without an endpoint.
    """

    model_endpoint: EndpointSettings | None
    sequence_storage: SequenceStorage
    configuration: msgspec.Struct
    rewards: Mapping[str, bool]
    notes: tuple[str, ...]

    def hypers(self) -> AsyncIterator[Any]:
        """Yield the configurations, all of the class of ``configuration``."""
        ...

    def with_configuration(self, configuration: Any) -> Self:
        """Return the experiment with another configuration."""
        ...

    async def run(self, instance_id: str) -> Patch:
        """Work at one instance, and return the selected patch; it records its rewards."""
        ...
