"""The inputs of stages in one repository, as ``solve`` and the lab make them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from wardround import host
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.instance import Instance
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.sequence import Header, Sequence, SequenceStore, Settings
from wardround.authoring.stage_loading import contributed_stage
from wardround.authoring.stages import LocalizationResult
from wardround.authoring.steps.route import Route, StageNames
from wardround.authoring.work import Work
from wardround.change.repository import Repository
from wardround.config.language_model import EndpointSettings

Begin = Callable[[Header], Sequence]


def localize(
    root: Path,
    name: str,
    instance: Instance,
    folder: Path,
    *,
    tokens: int = 2000,
    endpoint: EndpointSettings | None = None,
    begin: Begin | None = None,
) -> tuple[LocalizationResult, RunInputs]:
    """Return the result of a contributed localization, and the inputs with its report.

    Args:
        folder: for the sequence and the logs.
        endpoint: that of the author.
        begin: returns the sequence; None for a new one.
    """
    settings = Settings(tokens=tokens, isolation="none")
    endpoints: Mapping[str, EndpointSettings] = {} if endpoint is None else {"author": endpoint}
    header = Header(instance, settings, Route(StageNames(), "a test", endpoints), "1.0")

    async def run(repository: Repository) -> tuple[LocalizationResult, RunInputs]:
        sequence = begin(header) if begin else SequenceStore(folder / "sequences").begin(header)[1]
        work = Work(repository, instance, settings, sequence, host.load(), os.environ, folder)
        inputs = RunInputs(work, header, EndpointAccess(os.environ), "")
        async with inputs.opened:
            stage = await contributed_stage("wardround_localizations", name, inputs)
            return await stage.run(instance.id), inputs

    with Repository(root) as repository:
        return asyncio.run(run(repository))
