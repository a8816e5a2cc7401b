"""Reviews of a small change with a hand-written run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.conftest import GitRepository
from tests.security.verdicts.scene import quick_host
from wardround.change.change_source import ChangeSource, GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.context.run_evidence import RUN_PARTS, LineEvidence, RunEvidence, RunPart
from wardround.findings import Plane
from wardround.planes.signal import Signal
from wardround.reports import formats, renderer
from wardround.review import run_review
from wardround.review_result import ReviewResult
from wardround.session import ReviewSession
from wardround.tools.tool import Profile

SETTINGS = "models = 'off'\nrecords = 'off'\n"
PORTS = '''\
"""Ports."""


def parse_port(text: str) -> int | None:
    """Return the port."""
    return int(text) if text else None
'''
PORTS_AFTER = '''\
"""Ports."""


def parse_port(text: str) -> int | None:
    """Return the port."""
    number = int(text)
    return number or None
'''
LINES = LineEvidence("app.py", (6,), (7,))


class Runner:
    """A hand-written run, with the arguments for which it was requested."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self.requested: list[tuple[RunPart, ...]] = []

    def __call__(
        self,
        source: ChangeSource,
        change: Change,
        parts: Sequence[RunPart],
        sandbox: str | None,
        progress: Callable[[str], None],
        /,
    ) -> RunEvidence:
        self.requested.append(tuple(parts))
        return self._run


def committed(repo: GitRepository, message: str = "Refuse empty ports", settings: str = SETTINGS) -> None:
    """Commit a change of one function without a test."""
    repo.commit({"app.py": PORTS, ".wardround.toml": settings})
    repo.write("app.py", PORTS_AFTER)
    repo.git("commit", "--quiet", "--all", "--message", message)


@dataclass(frozen=True)
class Reviewed:
    """A review and its reports by format, rendered while the repository was open."""

    result: ReviewResult
    printed: Mapping[str, str]

    @property
    def of_run(self) -> list[tuple[str, str, int, str]]:
        """The findings of the run, each with its severity, line and message."""
        return [
            (finding.rule, finding.severity.label, finding.span.line, finding.message)
            for finding in self.result.findings
            if finding.specialist == "run"
        ]

    def signal(self, plane: Plane) -> Signal:
        """The signal of a plane."""
        return next(item for item in self.result.conclusion.signals if item.plane is plane)


def reviewed(repo: GitRepository, runner: Runner, **settings: Any) -> Reviewed:
    """Review the last commit in CI."""
    defaults: dict[str, Any] = {"profile": Profile.CI, "target_branch": "main", "run": RUN_PARTS}
    request = ReviewRequest(**(defaults | settings))
    with Repository(repo.root) as repository:
        change = repository.between("HEAD~1", "HEAD")
        source = GitChangeSource(repository, change)
        with ReviewSession(source, quick_host(), request, runner=runner) as session:
            done = run_review(session)
        return Reviewed(done, {name: renderer(name)(done) for name in formats()})
