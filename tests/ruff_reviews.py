"""Reviews of real repositories by real ruff, in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from wardround_python import tools
from wardround_python.specialist import PythonSpecialist

from tests.variants import variant
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.findings import Finding, Status
from wardround.host import PluginHost
from wardround.review import review_once

if TYPE_CHECKING:
    from tests.conftest import GitRepository

Reviewing = Callable[[], tuple[Finding, ...]]


@pytest.fixture(scope="session")
def ruff_host() -> PluginHost:
    """The Python specialist with ruff and nothing else."""
    return PluginHost([variant(PythonSpecialist(), tools=(tools.RUFF,), checks=())])


@dataclass(frozen=True)
class Judged:
    """A repository whose staged change ruff reviews."""

    repo: GitRepository
    host: PluginHost

    def findings(self, files: Mapping[str, str | None]) -> tuple[Finding, ...]:
        """Stage these files, None to delete one, and review the index."""
        for path, content in files.items():
            if content is None:
                (self.repo.root / path).unlink()
            else:
                self.repo.write(path, content)
        self.repo.stage()
        with Repository(Path(self.repo.root)) as repository:
            change = repository.staged_change()
            origin = GitChangeSource(repository, change)
            done = review_once(origin, self.host, ReviewRequest(filter_mode="nofilter"))
        assert done.unreviewed == ()
        return done.findings

    def brought(self, files: Mapping[str, str | None]) -> list[tuple[str, int, str, str]]:
        """The findings the change is to blame for: file, line, rule, status."""
        return [
            (f.file, f.span.line, f.rule, f.status.value)
            for f in self.findings(files)
            if f.status in (Status.NEW, Status.CAUSED)
        ]


@pytest.fixture
def judged(repo: GitRepository, ruff_host: PluginHost) -> Judged:
    """An empty repository under review."""
    return Judged(repo, ruff_host)
