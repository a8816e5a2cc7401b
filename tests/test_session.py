"""Sessions: one change, opened once, reviewed as often as the caller likes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.security.verdicts.scene import quick_host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.errors import ConfigError, ToolFailed
from wardround.execution.resources import Resources
from wardround.reports.json import as_dict
from wardround.review import run_review
from wardround.session import ReviewSession
from wardround.tools.process import Processes


def _report(session: ReviewSession) -> dict[str, Any]:
    """The report without the fields that differ between two reviews of one change."""
    report = dict(as_dict(run_review(session)))
    del report["timings"]
    report["runs"] = [{**run, "seconds": 0, "cached": 0} for run in report["runs"]]
    return report


def test_a_session_reviews_its_change_again(repo: GitRepository) -> None:
    repo.commit({"app.py": "def f(seen):\n    return seen\n"})
    repo.stage({"app.py": "def f(seen=[]):\n    return seen\n"})
    with Repository(repo.root) as repository:
        source = GitChangeSource(repository, repository.staged_change())
        with ReviewSession(source, quick_host(), ReviewRequest()) as session:
            first = _report(session)
            assert first["findings"]
            assert _report(session) == first


def test_a_session_reads_its_configuration_once(repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"app.py": "x = 1\n"})
    repo.stage({"app.py": "x = 2\n", ".wardround.toml": "models = 'off'\n"})
    with Repository(repo.root) as repository:
        source = GitChangeSource(repository, repository.staged_change())
        with ReviewSession(source, quick_host(), ReviewRequest()) as session:
            run_review(session)
            monkeypatch.setattr(source, "read", lambda path, side: b"models = 1")
            assert session.under_review.config.root.models == "off"
        with (
            ReviewSession(source, quick_host(), ReviewRequest()) as other,
            pytest.raises(ConfigError, match="models"),
        ):
            run_review(other)


def test_a_closed_session_is_cancelled(repo: GitRepository) -> None:
    repo.stage({"app.py": "x = 1\n"})
    with Repository(repo.root) as repository:
        source = GitChangeSource(repository, repository.staged_change())
        session = ReviewSession(source, quick_host(), ReviewRequest())
        assert not session.is_cancelled()
        session.close()
        assert session.is_cancelled()


def test_the_tools_of_a_part_stop_with_the_review_and_not_the_other_way_round(tmp_path: Path) -> None:
    review = Processes()
    first, second = (Resources(review).of_part().processes for _ in range(2))
    first.stop()
    assert not review.is_stopped
    assert not second.is_stopped
    review.stop()
    assert second.is_stopped
    late = review.of_part()
    with pytest.raises(ToolFailed, match="interrupted"):
        late.run(["true"], cwd=tmp_path, timeout_s=5, clean=frozenset({0}), env={})
