"""Comments that people dismiss, and the judgements made of them by the command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.delivery.feedback.reviews_to_post import (
    HEAD,
    GithubPosting,
    Posting,
    PostingTo,
    finding,
    report,
    report_content,
)
from tests.delivery.github_api import ME, PERSON, TOKEN
from tests.delivery.gitlab_api import BEN, GitlabApi
from wardround.cli.commands import invoke
from wardround.delivery.code_hosts.code_host import CodeHost
from wardround.delivery.code_hosts.github.host import GithubHost
from wardround.delivery.code_hosts.gitlab.host import GitlabHost
from wardround.rules.judgement_files import read_judgements

STRANGER = {"id": 8, "login": "stranger"}


@pytest.fixture
def posting(github: GithubPosting) -> GithubPosting:
    return github


class Command:
    """The command, with its report in a folder."""

    def __init__(self, posting: GithubPosting | Posting, folder: Path) -> None:
        self.posting = posting
        self.file = folder / "report.json"
        self.file.write_bytes(report_content(finding(3)))
        self.judgements = folder / "judgements"

    def __call__(self, *options: str) -> int:
        where = ["--host", self.posting.host, "--api", self.posting.url, "--repository", "acme/shop"]
        return invoke(["post", str(self.file), *where, "--change-request", "7", *options])

    def judged(self) -> list[tuple[Any, ...]]:
        found = read_judgements(self.judgements / "pull-requests.jsonl")
        return [(j.path, j.line, j.commit, j.verdict.value, j.reason.value) for j in found]


@pytest.fixture
def command(posting: GithubPosting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    return Command(posting, tmp_path)


@pytest.mark.parametrize(
    ("reply", "verdict", "reason"),
    [
        ("wardround: dismiss misread", "wrong", "misread"),
        ("I think\nWardround: dismiss intended, see the comment", "true", "intended"),
        ("wardround: dismiss because I say so", "true", "trivial"),
        ("wardround: dismiss", "true", "trivial"),
    ],
)
def test_a_reply_of_a_writer_becomes_a_judgement(
    command: Command, posting: GithubPosting, reply: str, verdict: str, reason: str
) -> None:
    posting.post(report(finding(3)))
    posting.api.reply(posting.api.threads[0], reply)
    assert command("--judgements", str(command.judgements)) == 0
    assert command.judged() == [("src/a.py", 3, HEAD, verdict, reason)]


def test_on_gitlab_a_developer_dismisses_and_a_reporter_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITLAB_TOKEN", TOKEN)
    api = GitlabApi(HEAD, {"src/a.py": range(1, 41)})
    api.access_levels[BEN["id"]] = 20
    with api.server.serve() as url:
        posting: Posting = PostingTo("gitlab", api, url)
        posting.post(report(finding(3), finding(9)))
        api.threads[0].dislikes.append(PERSON)
        api.reply(api.threads[1], "wardround: dismiss misread", BEN)
        command = Command(posting, tmp_path)
        command.file.write_bytes(report_content(finding(3), finding(9)))
        assert command("--judgements", str(command.judgements)) == 0
    assert command.judged() == [("src/a.py", 3, HEAD, "true", "trivial")]


def code_host(opened: GithubHost | GitlabHost) -> CodeHost:
    """Let mypy check that both have everything that an interface demands."""
    return opened


def test_a_thumbs_down_is_recorded_once_over_pushes(command: Command, posting: GithubPosting) -> None:
    posting.post(report(finding(3)))
    posting.api.threads[0].dislikes.append(PERSON)
    for head in (HEAD, "e" * 40):
        posting.api.head = head
        command.file.write_bytes(report_content(finding(5, fingerprint=f"{3:016x}"), head=head))
        assert command("--judgements", str(command.judgements)) == 0
    assert command.judged() == [("src/a.py", 3, HEAD, "true", "trivial")]
    assert len(posting.api.threads) == 1


@pytest.mark.parametrize("user", [STRANGER, ME], ids=["a stranger", "this account"])
def test_only_people_who_may_write_dismiss(
    command: Command, posting: GithubPosting, user: Mapping[str, Any]
) -> None:
    posting.post(report(finding(3)))
    posting.api.reply(posting.api.threads[0], "wardround: dismiss misread", user)
    posting.api.threads[0].dislikes.append(user)
    assert command("--judgements", str(command.judgements)) == 0
    assert command.judged() == []


def test_a_dry_run_prints_the_plan_and_writes_nothing(
    command: Command, posting: GithubPosting, capsys: pytest.CaptureFixture[str]
) -> None:
    posting.post(report(finding(3)))
    posting.api.threads[0].dislikes.append(PERSON)
    before = posting.api.writes
    command.file.write_bytes(report_content(finding(3), finding(9)))
    assert command("--dry-run", "--judgements", str(command.judgements)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "src/a.py:9: comment would be posted (tool/R1)",
        "summary would be updated",
        "src/a.py:3: dismissal would be recorded as true, trivial (tool/R1)",
    ]
    assert posting.api.writes == before
    assert not command.judgements.exists()


def test_a_closed_pull_request_is_named_and_ends_with_0(
    command: Command, posting: GithubPosting, capsys: pytest.CaptureFixture[str]
) -> None:
    posting.api.state = "closed"
    assert command() == 0
    assert capsys.readouterr().out == "nothing is posted: change request 7 is closed\n"
    assert posting.api.writes == 0


def test_bad_input_ends_with_2_and_a_failing_host_with_5(
    command: Command,
    posting: GithubPosting,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command.file.write_text(json.dumps({"schema": "other"}))
    assert command() == 2
    assert "is not a JSON report of a review" in capsys.readouterr().err
    command.file.write_bytes(report_content(finding(3)))
    monkeypatch.setenv("GITHUB_TOKEN", "wrong")
    assert command() == 2
    assert "set GITHUB_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    posting.api.server.around = lambda request, handle: None
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    assert command() == 5
    assert "GitHub" in capsys.readouterr().err
