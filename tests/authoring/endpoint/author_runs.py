"""One run of a contributed author at the small project, with an endpoint on loopback."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import msgspec

from tests.authoring.shop_project import FILES, TESTS
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import Behaviour, Endpoint, endpoint
from wardround import host
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.instance import Instance
from wardround.authoring.run_inputs import RunInputs, RunReport
from wardround.authoring.sequence import Header, SequenceStore, Settings
from wardround.authoring.stage_loading import contributed_stage
from wardround.authoring.stages import LocalizationResult, Message, Patch
from wardround.authoring.steps.route import Route, StageNames
from wardround.authoring.work import Work
from wardround.change.repository import Repository
from wardround.config.language_model import EndpointSettings

TASK = "The label of an item without a name is an empty text"
OLD_TESTS = TESTS.partition("\n\n\ndef test_label_without")[0] + "\n"
CONTEXT = "shop.py\n9 def label(item):\n"


class AuthorRun(msgspec.Struct, frozen=True):
    """What an author returned, and what its endpoint received."""

    patches: list[Patch]
    messages: list[Message]
    report: RunReport
    server: Endpoint


def run_author(
    repo: GitRepository, folder: Path, name: str, *behaviours: Behaviour, samples: int = 3
) -> AuthorRun:
    """Run an author at the parent of the correction, with the task in words."""
    base = repo.commit({**FILES, "tests/test_shop.py": OLD_TESTS})
    settings = Settings(isolation="none", samples=samples)
    with endpoint(*behaviours) as server, Repository(repo.root) as repository:
        used = EndpointSettings(url=server.url, model="m", concurrency=2, timeout=20.0)
        header = Header(Instance(base, TASK), settings, Route(StageNames(), "", {"author": used}), "1")
        _, sequence = SequenceStore(folder / "sequences").begin(header)
        environ = {**os.environ, "VIRTUAL_ENV": sys.prefix}
        work = Work(repository, header.instance, settings, sequence, host.load(), environ, folder)
        inputs = RunInputs(work, header, EndpointAccess(os.environ), "")

        async def run() -> tuple[list[Patch], list[Message]]:
            async with inputs.opened:
                author = await contributed_stage("wardround_authors", name, inputs)
                found: tuple[list[Patch], list[Message]] = await author.run(
                    LocalizationResult(CONTEXT), header.instance.id
                )
                return found

        patches, messages = asyncio.run(run())
    return AuthorRun(patches, messages, inputs.report, server)
