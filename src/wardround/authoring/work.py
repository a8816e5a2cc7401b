"""The values that the steps of one run share: instance, repository and recorded effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.authoring.instance import Instance
from wardround.authoring.repair.project import Packages, ProjectRun, project_run
from wardround.authoring.sequence import Effects, Settings
from wardround.change.repository import Repository
from wardround.host import PluginHost


class Work(msgspec.Struct, frozen=True, eq=False):
    """One run of ``solve``.

    Attributes:
        environ: the caller's environment.
        logs: the folder for the output of what runs.
        progress: shows the current step.
        packages: provides the environment of runs; None for that of the settings, or the caller's.
    """

    repository: Repository
    instance: Instance
    settings: Settings
    effects: Effects
    host: PluginHost
    environ: Mapping[str, str]
    logs: Path
    progress: Callable[[str], None] = lambda text: None
    packages: Packages | None = None

    def project_run(self, commit: str, tests: Sequence[str]) -> ProjectRun:
        """Return the way to run tests of a commit; see ``project_run``."""
        return project_run(
            self.repository, commit, tests, self.settings.isolation, self.environ, self.progress,
            self.packages,
        )  # fmt: skip

    @property
    def isolation(self) -> str | None:
        """The requested back end of the sandbox; None for the configured one."""
        return self.settings.isolation or None
