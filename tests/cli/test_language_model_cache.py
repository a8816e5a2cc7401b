"""A second review of the same change sends nothing to the language model, and its record states that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_language_model import CLAIM, ENV, HEAD, configuration, exchanges, findings, review
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import NOTHING, Endpoint, by_plane, claims, endpoint, nothing_found

pytestmark = pytest.mark.usefixtures("without_slow_tools")

OPTIONS = ("--profile", "ci", "--base", "HEAD~1")


@pytest.fixture
def change(repo: GitRepository) -> GitRepository:
    repo.commit({"app.py": "x = 1\n"})
    return repo


def sent(server: Endpoint) -> int:
    return len(server.received) + len(server.refutations)


def without_seconds(report: dict[str, Any]) -> dict[str, Any]:
    runs = [{**run, "seconds": None, "cached": None} for run in report["runs"]]
    return report | {"timings": None, "runs": runs}


def test_a_second_review_sends_nothing_and_reports_the_same(change: GitRepository, tmp_path: Path) -> None:
    records = tmp_path / "first.intoto.jsonl", tmp_path / "second.intoto.jsonl"
    with endpoint(by_plane(NOTHING, intent=claims(CLAIM))) as server:
        first = review(change, server, "--record", records[0])
        count = sent(server)
        second = change.report(*OPTIONS, "--record", records[1], env=ENV)
        assert sent(server) == count
    assert findings(first) != []
    assert without_seconds(second) == without_seconds(first)
    before, after = exchanges(records[0]), exchanges(records[1])
    assert {exchange["is_cached"] for exchange in before.values()} == {False}
    assert {exchange["is_cached"] for exchange in after.values()} == {True}
    for plane, exchange in after.items():
        assert exchange | {"is_cached": False} == before[plane]
    for record in records:
        done = change.wardround("replay", record, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")


def test_changed_content_is_sent_again(change: GitRepository) -> None:
    with endpoint(NOTHING) as server:
        review(change, server)
        count = sent(server)
        change.commit({"app.py": HEAD.replace("11", "12")})
        change.report("--profile", "ci", "--base", "HEAD~2", env=ENV)
        assert sent(server) == 2 * count


def test_a_rerun_calls_the_model_again(change: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "r.intoto.jsonl"
    with endpoint(by_plane(NOTHING, intent=claims(CLAIM))) as server:
        review(change, server)
        count = sent(server)
        change.report(*OPTIONS, "--record", record, env=ENV)
        assert sent(server) == count
        done = change.wardround("replay", record, "--rerun", "--repo", change.root, env=ENV)
        assert sent(server) == 2 * count
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("option", ["--offline", "--no-models"])
def test_kept_answers_do_not_replace_a_model_that_may_not_be_used(change: GitRepository, option: str) -> None:
    with endpoint(by_plane(NOTHING, intent=claims(CLAIM))) as server:
        review(change, server)
        assert findings(change.report(*OPTIONS, option, env=ENV)) == []


def test_answers_are_retained_outside_of_the_repository(
    change: GitRepository, isolated_folders: Path
) -> None:
    with endpoint(NOTHING) as server:
        review(change, server)
    assert change.git("status", "--porcelain", "--ignored") == ""
    assert (isolated_folders / "state" / "wardround" / "answers.sqlite").stat().st_size > 0


def shown_cost(change: GitRepository, *options: str) -> str:
    done = change.wardround("review", *(options or OPTIONS), "--show-prompt", "cost", env=ENV)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_cost_counts_the_requests_that_a_review_sends(change: GitRepository) -> None:
    with endpoint(by_plane(nothing_found, intent=claims(CLAIM))) as server:
        change.commit({".wardround.toml": configuration(server, **{"max-tokens": 1000})})
        change.commit({"app.py": HEAD}, "Return the first ten values")
        before = shown_cost(change)
        assert server.received == []
        change.report(*OPTIONS, env=ENV)
        count = len(server.received)
        after = shown_cost(change)
        assert len(server.received) == count
    assert f"first pass: {count} requests, about " in before
    assert f"at most {count},000 out" in before
    assert "s without claims, " in before
    assert "first pass: 0 requests, about 0 tokens in, at most 0 out" in after
    assert after.count("first pass cached") == count


def test_the_cost_of_a_profile_without_a_model_is_shown_with_a_note(change: GitRepository) -> None:
    with endpoint(NOTHING) as server:
        change.commit({".wardround.toml": configuration(server)})
        change.commit({"app.py": HEAD})
    shown = shown_cost(change, "--base", "HEAD~1")
    assert shown.endswith("wardround: this is not sent: the profile commit does not use the language model\n")
