"""The runs that an author requests, each recorded in the sequence."""

from __future__ import annotations

from wardround.authoring.repair.probe import Probe, ProbeResult, run_probe
from wardround.authoring.work import Work

NAME = "probe"


async def run_requested(work: Work, probe: Probe) -> ProbeResult:
    """Run a probe at the base of the instance.

    Raises:
        EnvironmentUnavailable: the project has no environment.
    """

    async def run() -> ProbeResult:
        work.progress(f"probe: {probe.test}")
        base, log = work.instance.base, work.logs / "probe.log"
        project = work.project_run(base, [probe.test])
        return run_probe(work.repository, base, probe, project, environ=work.environ, log=log)

    return await work.effects.run(NAME, (work.instance.base, probe), ProbeResult, run)
