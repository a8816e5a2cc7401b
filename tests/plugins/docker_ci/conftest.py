"""Reviews of staged files by some tools of the specialist, and programs that pretend to be tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from wardround_docker_ci.specialist import DockerCiSpecialist

from tests.conftest import GitRepository
from tests.stand_ins import stand_in
from tests.variants import variant
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.findings import Finding
from wardround.host import PluginHost
from wardround.review import review_once
from wardround.review_result import ReviewResult
from wardround.tools.tool import Profile, Tool

Reviewed = Callable[..., ReviewResult]
Pretended = Callable[[Tool, str], Tool]


@pytest.fixture
def reviewed(repo: GitRepository) -> Reviewed:
    """Stages files and reviews them with some tools and nothing else."""

    def run(
        files: Mapping[str, str | bytes],
        *tools: Tool,
        profile: Profile = Profile.COMMIT,
        config: str = "head",
    ) -> ReviewResult:
        repo.stage(files)
        host = PluginHost([variant(DockerCiSpecialist(), tools=tools, checks=())])
        with Repository(repo.root) as repository:
            change = repository.staged_change()
            request = ReviewRequest(profile=profile, config_from=config)
            return review_once(GitChangeSource(repository, change), host, request)

    return run


@pytest.fixture
def pretended(tmp_path: Path) -> Pretended:
    """A tool whose program is a few lines of Python."""

    def make(tool: Tool, code: str) -> Tool:
        program = stand_in(tmp_path / "pretended" / tool.program, tool.program, code)
        return variant(tool, find=lambda root: program)

    return make


def places(found: ReviewResult) -> list[tuple[str, int, int]]:
    """(rule, line, column) of what a review shows, in order."""
    return [_place(item) for item in found.visible]


def _place(one: Finding) -> tuple[str, int, int]:
    return one.rule, one.span.line, one.span.column
