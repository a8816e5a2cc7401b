"""``wardround act`` as a user meets it, on a server of loopback."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import GitRepository
from tests.delivery.github_merge_api import HEAD, PUSHED, REPOSITORY, TOKEN, GithubApi, PullRequest
from tests.delivery.reviews_to_act_on import POLICY, signed_review
from tests.preloaded_wardround import WITHOUT_PAUSES, RunningCommand, preloaded_wardround
from tests.records.sample_reviews import signer
from wardround.cli.commands import invoke
from wardround.delivery.code_hosts.client import SystemClock
from wardround.records.public_keys import public_pem

CHECK = f"POST /repos/{REPOSITORY}/check-runs"
APPROVE = f"POST /repos/{REPOSITORY}/pulls/7/reviews"
ENABLE = "enablePullRequestAutoMerge"
KILLED = -signal.SIGKILL


class Shop:
    """A folder with a signed review, and the pull request that it is about."""

    def __init__(
        self, repo: GitRepository, api: GithubApi, url: str, output: pytest.CaptureFixture[str]
    ) -> None:
        self._repo = repo
        self._output = output
        self.api = api
        self.pull = api.pull
        change_request = ("--repository", REPOSITORY, "--change-request", "7")
        self._options = ("--host", "github", "--api", url, *change_request)
        self._key = signer()
        repo.write("key.pub", public_pem(self._key.public_key))
        self.sign()

    def sign(self, policy: str = POLICY, head: str = HEAD) -> None:
        """Write the report and the record of a review."""
        report, record = signed_review(self._key, policy=policy, head=head)
        self._repo.write("report.json", json.dumps(report))
        self._repo.write("review.intoto.jsonl", record)

    def act(self, *options: str, signed: bool = True) -> Acted:
        """Call the command in this process."""
        record = ("--record", "review.intoto.jsonl", "--key", "key.pub") if signed else ()
        status = invoke(["act", *self._options, *record, *options])
        return Acted(status, *self._output.readouterr())

    def start(self, *options: str) -> RunningCommand:
        """Start the command as a process that can be killed."""
        env = {**os.environ, WITHOUT_PAUSES: "1"}
        return preloaded_wardround().start(["act", *self._options, *options], env, self._repo.root)


class Acted(NamedTuple):
    """The status and the output of the command."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def shop(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Shop]:
    monkeypatch.chdir(repo.root)
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setattr(SystemClock, "sleep", lambda self, seconds: None)
    api = GithubApi(PullRequest())
    with api.serve() as url:
        yield Shop(repo, api, url, capsys)


def test_a_dry_run_prints_the_actions_and_apply_does_them(shop: Shop, tmp_path: Path) -> None:
    planned = shop.act("--approve-as", "wardround-bot")
    assert (planned.returncode, planned.stderr) == (0, "")
    actions = [
        "enable auto merge (the change request at aaaaaaaaaaaa): the verdict is auto-merge (T2)",
        "approve (the change request at aaaaaaaaaaaa): the verdict is auto-merge (T2) by team@sha256:",
        "publish check (wardround: success at aaaaaaaaaaaa): auto-merge (T2): no approval is required",
    ]
    for line, action in zip(planned.stdout.splitlines(), actions, strict=True):
        assert line.startswith(f"would {action}")
    assert shop.api.writes == []

    shop.pull.other_rules_wait = True
    done = shop.act("--approve-as", "wardround-bot", "--apply", "--log", str(tmp_path / "log"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == planned.stdout.replace("would ", "done: ")
    assert shop.api.writes == [ENABLE, APPROVE, CHECK]
    assert len((tmp_path / "log").read_text().splitlines()) == 6

    shop.pull.push(PUSHED)
    withdrawn = shop.act("--apply")
    assert withdrawn.returncode == 0
    assert withdrawn.stdout.splitlines()[-1].startswith(
        "note: the reviewed commit is aaaaaaaaaaaa, and the head"
    )
    assert (shop.pull.enabled_by, shop.pull.reviews[0]["state"]) == (None, "DISMISSED")


def test_nothing_is_applied_without_a_record_that_holds(shop: Shop, repo: GitRepository) -> None:
    without = shop.act("--apply", signed=False)
    assert (without.returncode, without.stderr.splitlines()[-1]) == (
        2, "Error: --apply needs --record FILE, or --unsigned for a report without a record"
    )  # fmt: skip
    report = json.loads(repo.read("report.json"))
    report["verdict"]["approvals"] = 1
    repo.write("report.json", json.dumps(report))
    other = shop.act("--apply")
    differs = "is not the record of this report: the number of approvals is 0, not 1"
    assert (other.returncode, other.stderr) == (1, f"wardround: review.intoto.jsonl {differs}\n")
    repo.write("key.pub", public_pem(signer().public_key))
    assert shop.act("--apply").stderr.startswith(
        "wardround: review.intoto.jsonl does not hold: line 1, signature"
    )
    assert shop.api.writes == []

    planned = shop.act(signed=False)
    assert (planned.returncode, planned.stderr) == (
        0, "wardround: no record confirms the report; --record FILE verifies it\n"
    )  # fmt: skip
    assert shop.act("--apply", "--unsigned", signed=False).returncode == 0
    assert shop.pull.checks[0]["conclusion"] == "action_required"


def test_a_refusal_and_a_log_that_cannot_be_written_have_a_status(shop: Shop) -> None:
    shop.pull.can_create_checks = False
    refused = shop.act("--apply")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.startswith(
        "wardround: publish-check: GitHub does not let this token create a check run"
    )
    unwritable = shop.act("--apply", "--log", "missing/log")
    assert (unwritable.returncode, unwritable.stderr) == (
        2, "wardround: --log missing/log: No such file or directory; name a regular file that can be "
        "written\n"
    )  # fmt: skip


def test_a_review_of_the_staged_change_is_not_acted_on(shop: Shop) -> None:
    shop.sign(head=":index")
    done = shop.act()
    assert (done.returncode, done.stderr) == (
        2, "wardround: report.json is not about a commit; act on the report of wardround ci\n"
    )  # fmt: skip


@pytest.mark.parametrize("write", [ENABLE, APPROVE, CHECK])
@pytest.mark.parametrize("is_done", [False, True], ids=["before it is done", "after it is done"])
def test_a_run_that_is_killed_at_a_write_is_completed_by_the_next(
    shop: Shop, tmp_path: Path, write: str, *, is_done: bool
) -> None:
    shop.pull.other_rules_wait = True
    log = tmp_path / "log"
    options = ("--apply", "--unsigned", "--approve-as", "wardround-bot", "--log", str(log))
    process: RunningCommand

    def kill(name: str) -> None:
        if name == write:
            process.kill()
            raise ConnectionError

    setattr(shop.api, "after_write" if is_done else "before_write", kill)
    with shop.start(*options) as process:
        assert process.wait(60) == KILLED
    shop.api.before_write = shop.api.after_write = lambda name: None
    begun = json.loads(log.read_text().splitlines()[-1])
    assert (begun["event"], shop.api.writes.count(write)) == ("begin", int(is_done))
    shop.act(*options, signed=False)
    assert sorted(shop.api.writes) == sorted([ENABLE, APPROVE, CHECK])
    assert (shop.pull.enabled_by, len(shop.pull.reviews), len(shop.pull.checks)) == (shop.pull.account, 1, 1)
