from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from msgspec.structs import replace
from wardround_typescript.specialist import specialist

from tests.conftest import GitRepository
from wardround import review
from wardround.change.change_source import RepositoryOrigin
from wardround.change.repository import Repository
from wardround.config.schema import Request
from wardround.host import Host
from wardround.tools.process import Processes
from wardround.tools.tool import Profile, Tool

Reviewed = Callable[..., review.Review]


@pytest.fixture
def reviewed(repo: GitRepository) -> Reviewed:
    """Stages files and reviews them with some tools of the TypeScript specialist and nothing else."""

    def run(
        files: Mapping[str, str | bytes],
        *tools: Tool,
        profile: Profile = Profile.COMMIT,
        config: str = "head",
    ) -> review.Review:
        repo.stage(files)
        host = Host([replace(specialist(), tools=tools, rules=None)])
        with Repository(repo.root) as repository:
            change = repository.staged()
            request = Request(profile=profile, config_from=config)
            return review.run(RepositoryOrigin(repository, change), change, host, request, Processes())

    return run
