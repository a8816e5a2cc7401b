"""Webhooks are signed, retried, never lost by a kill, and sent to configured receivers only."""

from __future__ import annotations

import io
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service.conftest import Server, slow_diff, wait_until
from tests.service.receiver import SECRET, WebhookReceiver, receiver
from wardround.errors import UsageError
from wardround.service.journal import Job, Journal
from wardround.service.logs import EventLog
from wardround.service.outbox import Subscription
from wardround.service.settings import WebhookTarget
from wardround.service.submission import Submission
from wardround.service.webhooks import (
    NotDelivered,
    WebhookSender,
    allowed_address,
    open_receivers,
    signed_headers,
)

REPORT = b'{"gate": {"outcome": "blocked"}, "verdict": {"name": "declined", "tier": "T5"}, "findings": []}'
ENVIRON = {"HOOK": SECRET}


def target(url: str, **options: Any) -> WebhookTarget:
    return WebhookTarget("ci", url, "HOOK", **{"private": True, "retry_seconds": 0.01} | options)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    subscription = Subscription("ci", frozenset(), frozenset({"done", "failed", "cancelled"}))
    with closing(Journal(tmp_path / "journal.sqlite", subscriptions=(subscription,))) as journal:
        yield journal


def end_review(journal: Journal, report: bytes | None = REPORT) -> Job:
    journal.accept("shop-ci", Submission(diff="+x"), None, "0", 9)
    job = journal.claim()
    assert job is not None
    assert journal.fail(job, "it took too long") if report is None else journal.complete(job, report)
    return job


def run_sender(journal: Journal, found: WebhookTarget) -> tuple[WebhookSender, io.StringIO]:
    log = io.StringIO()
    sender = WebhookSender(journal.outbox, open_receivers((found,), ENVIRON), EventLog(log))
    sender.start()
    return sender, log


def ends_as(journal: Journal, state: str) -> None:
    wait_until(lambda: journal.outbox.counts() == {("ci", state): 1})


def test_a_message_has_the_review_and_its_outcome_and_a_valid_signature(journal: Journal) -> None:
    with receiver() as hook:
        job = end_review(journal)
        sender, _ = run_sender(journal, target(hook.url))
        ends_as(journal, "delivered")
        sender.stop()
    (found,) = hook.received
    assert found.is_signed()
    assert abs(int(found.headers["webhook-timestamp"]) - time.time()) < 60
    assert found.headers["host"] == hook.address
    data = found.message["data"]
    assert found.message["type"] == "review.done"
    assert (data["id"], data["url"]) == (job.id, f"/v1/reviews/{job.id}")
    assert (data["gate"], data["verdict"]) == ({"outcome": "blocked"}, {"name": "declined", "tier": "T5"})
    assert "findings" not in data


@pytest.mark.parametrize("status", [500, 429, 404, 301, 307])
def test_a_message_that_is_not_accepted_is_sent_again_with_the_same_id(journal: Journal, status: int) -> None:
    with receiver(status, status) as hook:
        end_review(journal, None)
        sender, log = run_sender(journal, target(hook.url))
        ends_as(journal, "delivered")
        sender.stop()
    assert len(hook.received) == 3
    assert len({found.id for found in hook.received}) == 1
    assert all(found.is_signed() for found in hook.received)
    states = [json.loads(line)["state"] for line in log.getvalue().splitlines()]
    assert states == ["postponed", "postponed", "delivered"]


def test_a_message_is_given_up_after_its_last_attempt(journal: Journal) -> None:
    with receiver(*[503] * 9) as hook:
        end_review(journal)
        sender, log = run_sender(journal, target(hook.url, attempts=2))
        ends_as(journal, "failed")
        sender.stop()
    assert len(hook.received) == 2
    assert json.loads(log.getvalue().splitlines()[-1])["reason"] == "status 503"


def test_a_receiver_that_cannot_be_reached_loses_nothing(journal: Journal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    end_review(journal)
    sender, log = run_sender(journal, target(f"http://127.0.0.1:{port}/", retry_seconds=1000))
    wait_until(lambda: "postponed" in log.getvalue())
    sender.stop()
    assert journal.outbox.counts() == {("ci", "pending"): 1}


def test_a_cancelled_review_and_one_that_a_kill_ended_are_announced(journal: Journal) -> None:
    state, _ = journal.accept("shop-ci", Submission(diff="+x"), None, "0", 9)
    journal.cancel("shop-ci", state.id)
    journal.cancel("shop-ci", state.id)
    journal.accept("shop-ci", Submission(diff="+x"), None, "0", 9)
    journal.claim()
    journal.resume(most_attempts=1)
    assert journal.outbox.counts() == {("ci", "pending"): 2}


def test_only_the_chosen_reviews_are_announced(tmp_path: Path) -> None:
    subscription = Subscription("ci", frozenset({"other"}), frozenset({"done"}))
    with closing(Journal(tmp_path / "journal.sqlite", subscriptions=(subscription,))) as journal:
        end_review(journal)
        assert journal.outbox.counts() == {}


@pytest.mark.parametrize(
    ("address", "is_public"),
    [
        ("93.184.216.34", True),
        ("127.0.0.1", False),
        ("10.0.0.8", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("::ffff:10.0.0.8", False),
        ("64:ff9b::a00:8", False),
        ("fd00::1", False),
        ("2606:2800:220:1::1", True),
    ],
)
def test_an_address_of_a_private_network_needs_permission(address: str, is_public: bool) -> None:
    assert allowed_address(address, 443, private=True) == address
    if is_public:
        assert allowed_address(address, 443, private=False) == address
        return
    with pytest.raises(NotDelivered, match="private network"):
        allowed_address(address, 443, private=False)


def test_two_secrets_sign_while_one_is_replaced() -> None:
    other = "whsec_" + "b" * 40
    (found,) = open_receivers((target("https://ci.example"),), {"HOOK": f"{SECRET} {other}"})
    assert len(signed_headers(found, "msg_1", b"{}", 1)["webhook-signature"].split(" ")) == 2


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_c2hvcnQ=", "whsec_***", f"{SECRET} x"])
def test_a_missing_or_short_secret_is_an_error_at_the_start(secret: str) -> None:
    with pytest.raises(UsageError, match="HOOK has no secret; set it to whsec_"):
        open_receivers((target("https://ci.example"),), {"HOOK": secret})


def test_the_signature_agrees_with_a_published_test_vector() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    (found,) = open_receivers((target("https://ci.example"),), {"HOOK": secret})
    headers = signed_headers(found, "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', 1614265330)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def _hook(hook: WebhookReceiver, **options: Any) -> dict[str, Any]:
    return {"name": "ci", "url": hook.url, "secret-env": "HOOK", "private": True, **options}


def test_no_message_is_lost_or_has_two_ids_when_the_server_is_killed(
    new_server: Callable[..., Server],
) -> None:
    with receiver(*[500] * 3) as hook:
        server = new_server(
            webhooks=[_hook(hook, **{"retry-seconds": 0.2})], env=ENVIRON, limits={"workers": 2}
        )
        server.release()
        reviews = {server.submit(slow_diff(f"r{number}")) for number in range(6)}
        wait_until(lambda: len(hook.received) >= 2)
        server.kill()
        server.start()
        wait_until(lambda: {found.message["data"]["id"] for found in hook.received} == reviews)
        wait_until(lambda: not _pending(server))
    assert all(found.is_signed() for found in hook.received)
    by_message = {found.id: found.message["data"]["id"] for found in hook.received}
    assert sorted(by_message.values()) == sorted(reviews)  # one message for each review


def _pending(server: Server) -> bool:
    import sqlite3

    with closing(sqlite3.connect(server.folder / "journal.sqlite")) as database:
        query = "SELECT count(*) FROM deliveries WHERE state = 'pending'"
        return bool(database.execute(query).fetchone()[0])


def test_a_request_cannot_name_a_receiver(route_server: Server) -> None:
    with route_server.client() as client:
        body = {"diff": "", "webhook": "https://evil.example"}
        found: httpx.Response = client.post("/v1/reviews", json=body)
    assert found.status_code == 422
