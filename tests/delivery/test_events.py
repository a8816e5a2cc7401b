"""Each kind of event, and the commits that a run for it compares."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import ci_runs
from tests.ci_runs import EMPTY_TREE, WITHOUT_SLOW_TOOLS, Event, Ran, Runner
from tests.conftest import GitRepository
from tests.delivery.branches_on_server import Server

NULL, GONE = "0" * 40, "1" * 40


def new_runner(folder: Path) -> Runner:
    return Runner(folder / "runner", program=WITHOUT_SLOW_TOOLS)


def _pull_request(server: Server, **more: Any) -> Event:
    return Event.pull_request(server.root, server.topic[-1], **more)


def _merge_group(server: Server) -> Event:
    group = {"base_sha": server.others[-1], "head_sha": server.merge, "base_ref": "refs/heads/main"}
    return Event("merge_group", {"merge_group": group}, "gh-readonly-queue/main/pr-7")


def _other(name: str, **more: str) -> Event:
    return Event(name, {"repository": {"default_branch": "main"}}, **more)


def _workflow_run(server: Server) -> Event:
    run = {"head_sha": server.topic[-1], "pull_requests": []}
    return Event("workflow_run", {"workflow_run": run, "repository": {"default_branch": "main"}})


Of = Callable[[Server], Any]
TOPIC = ["topic1.sql", "topic2.sql"]
SHAPES: dict[str, tuple[Of, Of, dict[str, Any], Of, list[str]]] = {
    # name: event, the commit that is checked out, how, the expected base, the files with findings
    "pull_request, merge commit, shallow":
        (_pull_request, lambda s: s.merge, {"depth": 1}, lambda s: s.others[-1], TOPIC),
    "pull_request, merge commit, event's base is old":
        (_pull_request, lambda s: s.merge, {}, lambda s: s.others[-1], TOPIC),
    "pull_request, its head, shallow, target not fetched":
        (_pull_request, lambda s: s.topic[-1], {"depth": 1}, lambda s: s.root, TOPIC),
    "pull_request, its head, all branches":
        (_pull_request, lambda s: s.topic[-1], {}, lambda s: s.root, TOPIC),
    "pull_request_target, its head":
        (lambda s: _pull_request(s, name="pull_request_target"), lambda s: s.topic[-1], {"depth": 1},
         lambda s: s.root, TOPIC),
    "pull_request_review, merge commit":
        (lambda s: _pull_request(s, name="pull_request_review"), lambda s: s.merge, {"depth": 1},
         lambda s: s.others[-1], TOPIC),
    "merge_group, shallow":
        (_merge_group, lambda s: s.merge, {"depth": 1}, lambda s: s.others[-1], TOPIC),
    "push of several commits, shallow":
        (lambda s: Event.push(s.root, s.topic[-1], ref="topic"), lambda s: s.topic[-1], {"depth": 1},
         lambda s: s.root, TOPIC),
    "push of a new branch":
        (lambda s: Event.push(NULL, s.topic[-1], ref="topic"), lambda s: s.topic[-1], {"depth": 1},
         lambda s: s.root, TOPIC),
    "forced push, the commit before is gone":
        (lambda s: Event.push(GONE, s.topic[-1], ref="topic", forced=True), lambda s: s.topic[-1],
         {"depth": 1}, lambda s: s.root, TOPIC),
    "push of the first commit":
        (lambda s: Event.push(NULL, s.root), lambda s: s.root, {"depth": 1}, lambda s: EMPTY_TREE, []),
    "push of a tag":
        (lambda s: Event("push", {"before": NULL, "after": s.topic[-1], "repository": {}},
                         "v1", "tag"), lambda s: s.topic[-1], {"depth": 1}, lambda s: s.topic[0], TOPIC[1:]),
    "push of an annotated tag": (
        lambda s: Event("push", {"before": NULL, "after": s.tag, "repository": {}}, "v2", "tag"),
        lambda s: s.topic[-1], {"depth": 1}, lambda s: s.topic[0], TOPIC[1:],
    ),
    "workflow_dispatch on a branch":
        (lambda s: _other("workflow_dispatch", ref="topic"), lambda s: s.topic[-1], {"depth": 1},
         lambda s: s.root, TOPIC),
    "schedule on the default branch":
        (lambda s: _other("schedule"), lambda s: s.others[-1], {"depth": 1}, lambda s: s.others[-2],
         ["other3.sql"]),
}  # fmt: skip


def _files(report: dict[str, Any]) -> list[str]:
    return sorted({finding["file"] for finding in report["findings"]})


@pytest.mark.parametrize("name", SHAPES)
def test_a_run_reviews_the_change_of_its_event_and_nothing_else(
    server: Server, tmp_path: Path, name: str
) -> None:
    event, commit, how, base, files = SHAPES[name]
    created = server.checkout(ci_runs.fresh(tmp_path), commit(server), **how)
    refs, tree = created.git("for-each-ref"), created.fingerprint()
    ran = new_runner(tmp_path).run(created.root, event(server), {"fail-level": "none"})
    assert ran.done.returncode == 0, ran.done.stderr
    assert (ran.base, _files(ran.report)) == (base(server), files)
    assert (created.git("for-each-ref"), created.fingerprint()) == (refs, tree)


@pytest.mark.parametrize("name", ["pull_request_target", "workflow_run"])
@pytest.mark.parametrize("depth", [0, 1])
def test_a_checkout_without_the_events_commit_is_inconclusive(
    server: Server, tmp_path: Path, name: str, depth: int
) -> None:
    event = _workflow_run(server) if name == "workflow_run" else _pull_request(server, name=name)
    created = server.checkout(ci_runs.fresh(tmp_path), server.others[-1], depth=depth)
    ran = new_runner(tmp_path).run(created.root, event, {"fail-level": "none"})
    assert ran.done.returncode == 4
    report = ran.report
    assert (report["gate"]["outcome"], report["findings"]) == ("inconclusive", [])
    (reason,) = report["gate"]["reasons"]
    start = f"the {name} event is about commit {server.topic[-1][:12]}, which is not part of"
    assert reason.startswith(start)
    assert f"::error title=wardround::{start}" in ran.done.stdout
    assert start in html.unescape(" ".join(ran.summary.split()))
    sarif = json.loads((Path(ran.outputs["reports-dir"]) / "report.sarif").read_text())
    assert sarif["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_the_events_commit_can_be_reviewed_without_being_checked_out(server: Server, tmp_path: Path) -> None:
    created = server.checkout(ci_runs.fresh(tmp_path), server.others[-1], depth=1)
    event = _pull_request(server, name="pull_request_target")
    inputs = {"head-ref": server.topic[-1], "fail-level": "none"}
    ran = new_runner(tmp_path).run(created.root, event, inputs)
    assert (ran.done.returncode, ran.base, _files(ran.report)) == (0, server.root, TOPIC)


@pytest.mark.parametrize("shape", ["same commit", "deleted branch", "no file changed"])
def test_an_empty_change_passes_and_is_announced(server: Server, tmp_path: Path, shape: str) -> None:
    head = server.others[-1]
    event = Event.push(head, head)
    if shape == "deleted branch":
        event = Event.push(head, NULL, ref="topic", deleted=True)
    elif shape == "no file changed":
        server.repo.git("checkout", "-q", "main")
        server.repo.git("commit", "-q", "--allow-empty", "-m", "empty")
        head = server.repo.git("rev-parse", "HEAD").strip()
        event = Event.push(server.others[-1], head)
    created = server.checkout(ci_runs.fresh(tmp_path), head)
    ran = new_runner(tmp_path).run(created.root, event)
    assert ran.done.returncode == 0, ran.done.stderr
    (line,) = [line for line in ran.done.stdout.splitlines() if line.startswith("::warning ")]
    assert line.endswith("there is nothing to review")
    assert "there is nothing to review" in " ".join(ran.summary.split())
    (note,) = ran.report["notes"]
    assert note.endswith("there is nothing to review")


Variables = Callable[[Server], dict[str, str]]
BUILDS: dict[str, tuple[Variables, Of, dict[str, Any], Of, list[str]]] = {
    "pull request, merged with its target":
        (lambda s: {"CHANGE_TARGET": "main", "CHANGE_ID": "7"}, lambda s: s.merge, {},
         lambda s: s.others[-1], TOPIC),
    "pull request, its head, target not fetched":
        (lambda s: {"CHANGE_TARGET": "main", "CHANGE_ID": "7"}, lambda s: s.topic[-1], {"branches": "topic"},
         lambda s: s.root, TOPIC),
    "pull request, shallow":
        (lambda s: {"CHANGE_TARGET": "main", "CHANGE_ID": "7"}, lambda s: s.topic[-1], {"depth": 1},
         lambda s: s.root, TOPIC),
    "branch, since the last successful build":
        (lambda s: {"GIT_PREVIOUS_SUCCESSFUL_COMMIT": s.root, "BRANCH_IS_PRIMARY": "true"},
         lambda s: s.others[-1], {"depth": 1}, lambda s: s.root, ["other1.sql", "other2.sql", "other3.sql"]),
    "branch, built for the first time":
        (lambda s: {"BRANCH_NAME": "topic"}, lambda s: s.topic[-1], {"branches": "topic"},
         lambda s: s.root, TOPIC),
    "branch, the last successful commit is gone":
        (lambda s: {"GIT_PREVIOUS_SUCCESSFUL_COMMIT": GONE}, lambda s: s.topic[-1], {}, lambda s: s.root,
         TOPIC),
    "primary branch, built for the first time":
        (lambda s: {"BRANCH_IS_PRIMARY": "true"}, lambda s: s.others[-1], {"depth": 1},
         lambda s: s.others[-2], ["other3.sql"]),
    "job of one branch, built for the first time":
        (lambda s: {"GIT_BRANCH": "origin/main"}, lambda s: s.others[-1], {}, lambda s: s.others[-2],
         ["other3.sql"]),
    "job of one branch that is not the default":
        (lambda s: {"GIT_BRANCH": "origin/topic"}, lambda s: s.topic[-1], {}, lambda s: s.root, TOPIC),
    "tag":
        (lambda s: {"TAG_NAME": "v1"}, lambda s: s.topic[-1], {}, lambda s: s.topic[0], TOPIC[1:]),
}  # fmt: skip


@pytest.mark.parametrize("name", BUILDS)
def test_a_build_of_jenkins_reviews_what_is_new_in_it(server: Server, tmp_path: Path, name: str) -> None:
    variables, commit, how, base, files = BUILDS[name]
    created = server.checkout(ci_runs.fresh(tmp_path), commit(server), **how)
    done, reports = ci_runs.run_jenkins(
        created.root, tmp_path / "jenkins", variables(server), program=WITHOUT_SLOW_TOOLS
    )
    assert done.returncode in (0, 1), done.stderr
    report = json.loads((reports / "report.json").read_text())
    assert (report["context"]["base"], _files(report)) == (base(server), files)


def test_a_target_that_cannot_be_fetched_is_a_usage_error(server: Server, tmp_path: Path) -> None:
    created = server.checkout(ci_runs.fresh(tmp_path), server.topic[-1], branches="topic")
    created.git("remote", "set-url", "origin", f"file://{tmp_path / 'nowhere'}")
    ran: Ran = new_runner(tmp_path).run(created.root, _pull_request(server, target="release"))
    assert ran.done.returncode == 0, "the event names the base itself"
    done, _ = ci_runs.run_jenkins(created.root, tmp_path / "jenkins", {"CHANGE_TARGET": "main"})
    assert done.returncode == 2
    expected = "the target branch 'main' is not in this clone and cannot be fetched ("
    assert expected in done.stderr
    assert "and the repository exists" not in done.stderr


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"pull_request": 7}', '{"before": {}}', "\xff"], ids=repr
)
def test_a_malformed_event_is_a_usage_error(repo: GitRepository, tmp_path: Path, content: str) -> None:
    repo.commit()
    file = tmp_path / "event.json"
    file.write_bytes(content.encode("latin-1"))
    env = {"GITHUB_EVENT_PATH": str(file), "GITHUB_EVENT_NAME": "push"}
    done = repo.wardround("ci", "--provider", "github", env=env)
    assert done.returncode == 2
    assert done.stderr.startswith("wardround: GITHUB_EVENT_PATH is not an event payload: ")
    assert len(done.stderr.splitlines()) == 1
