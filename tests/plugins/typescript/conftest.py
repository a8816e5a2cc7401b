from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from wardround_typescript.specialist import TypescriptSpecialist

from tests.conftest import GitRepository
from tests.variants import variant
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.host import PluginHost
from wardround.review import review_once
from wardround.review_result import ReviewResult
from wardround.tools.tool import Profile, Tool

Reviewed = Callable[..., ReviewResult]


@pytest.fixture
def reviewed(repo: GitRepository) -> Reviewed:
    """Stages files and reviews them, or two commits, with some tools of the TypeScript specialist only."""

    def run(
        files: Mapping[str, str | bytes],
        *tools: Tool,
        profile: Profile = Profile.COMMIT,
        config: str = "head",
        revisions: tuple[str, str] | None = None,
    ) -> ReviewResult:
        repo.stage(files)
        host = PluginHost([variant(TypescriptSpecialist(), tools=tools, rules=lambda: ())])
        with Repository(repo.root) as repository:
            change = repository.between(*revisions) if revisions else repository.staged_change()
            request = ReviewRequest(profile=profile, config_from=config)
            return review_once(GitChangeSource(repository, change), host, request)

    return run
