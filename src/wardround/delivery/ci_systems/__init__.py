"""The CI systems whose events wardround reads: one entry for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from wardround.delivery.ci_event import CiEvent, Provider
from wardround.delivery.ci_systems.azure import AZURE
from wardround.delivery.ci_systems.bitbucket import BITBUCKET
from wardround.delivery.ci_systems.generic import GENERIC
from wardround.delivery.ci_systems.github import github_event, github_origin
from wardround.delivery.ci_systems.gitlab import gitlab_event, gitlab_origin
from wardround.delivery.ci_systems.jenkins import jenkins_event, jenkins_origin
from wardround.records.record import RecordedOrigin


class CiSystem(msgspec.Struct, frozen=True, eq=False):
    """A CI system.

    Attributes:
        variable: that the system sets in every run; empty if it is only used where it is named.
        value: of the variable; empty for any.
        event: reads the event of a run.
        origin: reads the run itself; the change request is that of the event.
    """

    variable: str
    value: str
    event: Callable[[Mapping[str, str]], CiEvent]
    origin: Callable[[Mapping[str, str]], RecordedOrigin]

    def is_running(self, environ: Mapping[str, str]) -> bool:
        """Return True if a process is part of a run."""
        found = environ.get(self.variable, "") if self.variable else ""
        return bool(found) and self.value in ("", found)


CI_SYSTEMS: Mapping[Provider, CiSystem] = {
    Provider.GITHUB: CiSystem("GITHUB_ACTIONS", "true", github_event, github_origin),
    Provider.GITLAB: CiSystem("GITLAB_CI", "true", gitlab_event, gitlab_origin),
    Provider.JENKINS: CiSystem("JENKINS_URL", "", jenkins_event, jenkins_origin),
    Provider.AZURE: CiSystem("TF_BUILD", "True", AZURE.event, AZURE.origin),
    Provider.BITBUCKET: CiSystem("BITBUCKET_BUILD_NUMBER", "", BITBUCKET.event, BITBUCKET.origin),
    Provider.GENERIC: CiSystem("", "", GENERIC.event, GENERIC.origin),
}
"""In the order in which they are detected."""
