"""The values that the steps of one run share: instance, repository and recorded effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from wardround.authoring.instance import Instance
from wardround.authoring.sequence import Effects, Settings
from wardround.change.repository import Repository
from wardround.host import PluginHost


class Work(msgspec.Struct, frozen=True, eq=False):
    """One run of ``solve``.

    Attributes:
        environ: the caller's environment.
        logs: the folder for the output of what runs.
        progress: shows the current step.
    """

    repository: Repository
    instance: Instance
    settings: Settings
    effects: Effects
    host: PluginHost
    environ: Mapping[str, str]
    logs: Path
    progress: Callable[[str], None] = lambda text: None

    @property
    def isolation(self) -> str | None:
        """The requested back end of the sandbox; None for the configured one."""
        return self.settings.isolation or None
