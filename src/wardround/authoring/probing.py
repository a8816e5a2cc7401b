"""The runs that an author requests, each recorded in the sequence."""

from __future__ import annotations

from wardround.authoring.repair.probe import Probe, ProbeResult, run_probe
from wardround.authoring.repair.project import project_run
from wardround.authoring.work import Work

NAME = "probe"


async def run_requested(work: Work, probe: Probe) -> ProbeResult:
    """Run a probe at the base of the instance.

    Raises:
        EnvironmentUnavailable: the project has no environment.
    """

    async def run() -> ProbeResult:
        work.progress(f"probe: {probe.test}")
        repository, base = work.repository, work.instance.base
        isolation, environ = work.settings.isolation, work.environ
        project = project_run(repository, base, [probe.test], isolation, environ, work.progress)
        log = work.logs / "probe.log"
        return run_probe(repository, base, probe, project, environ=environ, log=log)

    return await work.effects.run(NAME, (work.instance.base, probe), ProbeResult, run)
