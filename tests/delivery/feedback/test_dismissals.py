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
    finding,
    report,
    report_content,
)
from tests.delivery.github_api import ME, PERSON, TOKEN
from wardround.cli.commands import invoke
from wardround.rules.judgement_files import read_judgements

STRANGER = {"id": 8, "login": "stranger"}


class Command:
    """The command, with its report in a folder."""

    def __init__(self, posting: Posting | GithubPosting, folder: Path) -> None:
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
def command(posting: Posting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv(f"{posting.host.upper()}_TOKEN", TOKEN)
    return Command(posting, tmp_path)


@pytest.fixture
def on_github(github: GithubPosting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    return Command(github, tmp_path)


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
    command: Command, posting: Posting, reply: str, verdict: str, reason: str
) -> None:
    posting.post(report(finding(3)))
    posting.api.reply(posting.api.threads[0], reply)
    assert command("--judgements", str(command.judgements)) == 0
    assert command.judged() == [("src/a.py", 3, HEAD, verdict, reason)]


def test_a_thumbs_down_is_recorded_once_over_pushes(command: Command, posting: Posting) -> None:
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
    command: Command, posting: Posting, user: Mapping[str, Any]
) -> None:
    posting.post(report(finding(3)))
    posting.api.reply(posting.api.threads[0], "wardround: dismiss misread", user)
    posting.api.threads[0].dislikes.append(user)
    assert command("--judgements", str(command.judgements)) == 0
    assert command.judged() == []


def test_a_dry_run_prints_the_plan_and_writes_nothing(
    on_github: Command, github: GithubPosting, capsys: pytest.CaptureFixture[str]
) -> None:
    github.post(report(finding(3)))
    github.api.threads[0].dislikes.append(PERSON)
    before = github.api.writes
    on_github.file.write_bytes(report_content(finding(3), finding(9)))
    assert on_github("--dry-run", "--judgements", str(on_github.judgements)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "src/a.py:9: comment would be posted (tool/R1)",
        "summary would be updated",
        "src/a.py:3: dismissal would be recorded as true, trivial (tool/R1)",
    ]
    assert github.api.writes == before
    assert not on_github.judgements.exists()


def test_a_closed_pull_request_is_named_and_ends_with_0(
    on_github: Command, github: GithubPosting, capsys: pytest.CaptureFixture[str]
) -> None:
    github.api.state = "closed"
    assert on_github() == 0
    assert capsys.readouterr().out == "nothing is posted: change request 7 is closed\n"
    assert github.api.writes == 0


def test_bad_input_ends_with_2_and_a_failing_host_with_5(
    on_github: Command,
    github: GithubPosting,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    on_github.file.write_text(json.dumps({"schema": "other"}))
    assert on_github() == 2
    assert "is not a JSON report of a review" in capsys.readouterr().err
    on_github.file.write_bytes(report_content(finding(3)))
    monkeypatch.setenv("GITHUB_TOKEN", "wrong")
    assert on_github() == 2
    assert "set GITHUB_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    github.api.server.around = lambda request, handle: None
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    assert on_github() == 5
    assert "GitHub" in capsys.readouterr().err
