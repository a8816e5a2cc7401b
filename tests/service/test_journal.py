"""The journal: every transition holds once, for the attempt it starts from, and survives the process."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.context.ticket.sources.file import FileTicket
from wardround.errors import UsageError
from wardround.service import journal as journal_module
from wardround.service.journal import Job, Journal, KeyReusedError, QueueFullError, Status
from wardround.service.submission import Submission

DIFF = Submission(diff="a diff")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "state" / "journal.sqlite", clock=lambda: 1.0)) as journal:
        yield journal


def _accept(
    journal: Journal, token: str = "ci", key: str | None = None, digest: str = "0", most: int = 9
) -> str:
    state, _ = journal.accept(token, DIFF, key, digest, most)
    return state.id


def _claim(journal: Journal) -> Job:
    job = journal.claim()
    assert job is not None
    return job


def _status(journal: Journal, review_id: str) -> Status:
    state = journal.find("ci", review_id)
    assert state is not None
    return state.status


def test_reviews_are_claimed_once_each_in_the_order_they_were_accepted(journal: Journal) -> None:
    accepted = [_accept(journal) for _ in range(3)]
    assert [_claim(journal).id for _ in range(3)] == accepted
    assert journal.claim() is None


def test_a_claimed_review_has_the_change_that_was_submitted(journal: Journal) -> None:
    named = Submission(repository="shop", base="main", head="feature")
    journal.accept("ci", named, None, "0", 9)
    assert _claim(journal).submission == named


def test_a_result_is_stored_once(journal: Journal) -> None:
    _accept(journal)
    job = _claim(journal)
    assert journal.complete(job, b"first")
    assert not journal.complete(job, b"second")
    assert not journal.fail(job, "too late")
    assert journal.document("ci", job.id, "report") == b"first"


def test_a_result_of_an_earlier_attempt_is_not_stored(journal: Journal) -> None:
    _accept(journal)
    first = _claim(journal)
    journal.resume(most_attempts=3)
    second = _claim(journal)
    assert second.attempt == 2
    assert not journal.complete(first, b"stale")
    assert journal.complete(second, b"fresh")


def test_a_cancelled_review_gets_no_result_and_is_not_begun(journal: Journal) -> None:
    running, queued = _accept(journal), _accept(journal)
    job = _claim(journal)
    assert [journal.cancel("ci", item) is not None for item in (running, queued)] == [True, True]
    assert not journal.complete(job, b"{}")
    assert journal.claim() is None
    assert _status(journal, running) == _status(journal, queued) == Status.CANCELLED


def test_cancelling_a_review_that_is_done_changes_nothing(journal: Journal) -> None:
    review_id = _accept(journal)
    journal.complete(_claim(journal), b"{}")
    state = journal.cancel("ci", review_id)
    assert state is not None
    assert state.status is Status.DONE


def test_a_review_that_always_ends_with_the_process_fails_after_the_attempts(journal: Journal) -> None:
    review_id = _accept(journal)
    for _ in range(2):
        _claim(journal)
        assert journal.resume(most_attempts=3) == (1, 0)
    _claim(journal)
    assert journal.resume(most_attempts=3) == (0, 1)
    state = journal.find("ci", review_id)
    assert state is not None
    assert (state.status, state.reason) == (Status.FAILED, "the server stopped during the review 3 times")


def test_a_review_returned_to_the_queue_does_not_use_up_an_attempt(journal: Journal) -> None:
    _accept(journal)
    for _ in range(5):
        assert journal.requeue(_claim(journal))
    assert journal.resume(most_attempts=1) == (1, 0)


def test_a_full_queue_accepts_nothing_but_repeats(journal: Journal) -> None:
    first = _accept(journal, key="k", most=1)
    with pytest.raises(QueueFullError, match="the queue has 1 reviews"):
        _accept(journal, most=1)
    assert _accept(journal, key="k", most=1) == first


def test_an_idempotency_key_belongs_to_a_token_and_a_request(journal: Journal) -> None:
    first = _accept(journal, key="k")
    assert _accept(journal, key="k") == first
    assert _accept(journal, "other", key="k") != first
    with pytest.raises(KeyReusedError):
        _accept(journal, key="k", digest="1")


def test_a_token_finds_its_own_reviews_only(journal: Journal) -> None:
    review_id = _accept(journal)
    journal.complete(_claim(journal), b"{}")
    assert journal.find("other", review_id) is None
    assert journal.document("other", review_id, "report") is None
    assert journal.cancel("other", review_id) is None
    assert journal.page("other", None, 10) == []


def test_pages_are_newest_first_and_continue_before_a_review(journal: Journal) -> None:
    accepted = [_accept(journal) for _ in range(5)]
    first = journal.page("ci", None, 2)
    second = journal.page("ci", first[-1].seq, 9)
    assert [state.id for state in (*first, *second)] == accepted[::-1]


def test_the_oldest_reviews_that_have_ended_are_deleted(journal: Journal) -> None:
    ended = [_accept(journal) for _ in range(3)]
    for _ in ended:
        journal.complete(_claim(journal), b"{}")
    waiting = _accept(journal)
    assert journal.prune(1) == 2
    assert [journal.find("ci", item) is not None for item in (*ended, waiting)] == [False, False, True, True]


def test_the_diff_of_a_review_that_has_ended_is_not_in_the_files(tmp_path: Path) -> None:
    secret = "a line of the diff that is not stored any more"
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        journal.accept("ci", Submission(diff=secret), None, "0", 9)
        journal.complete(_claim(journal), b"{}")
    assert not any(secret.encode() in file.read_bytes() for file in tmp_path.glob("journal*"))


def test_accepted_reviews_survive_the_process_and_a_second_server_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite"
    with closing(Journal(file)) as journal:
        review_id = _accept(journal)
        with pytest.raises(UsageError, match="another server uses it"):
            Journal(file)
    with closing(Journal(file)) as journal:
        assert _status(journal, review_id) is Status.QUEUED


def test_the_journal_is_readable_by_its_user_alone(tmp_path: Path) -> None:
    with closing(Journal(tmp_path / "journal.sqlite")):
        modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.glob("journal*")}
    assert modes == {0o600}


def test_a_file_that_is_not_a_journal_is_reported(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("this is not a database\n" * 100, encoding="utf-8")
    with pytest.raises(UsageError, match="file is not a database; give a file that can be written"):
        Journal(tmp_path / "text")
    with closing(sqlite3.connect(tmp_path / "later")) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(UsageError, match="its version is 99, and this wardround reads 2"):
        Journal(tmp_path / "later")


def test_a_journal_of_the_first_version_keeps_its_reviews(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(file)) as database, database:
        for statement in journal_module._MIGRATIONS[0]:
            database.execute(statement)
        database.execute("PRAGMA user_version = 1")
        insert = "INSERT INTO reviews (id, token, status, diff, digest, accepted) VALUES (?, ?, ?, ?, ?, ?)"
        database.execute(insert, ("a" * 32, "ci", "queued", "a diff", "0", 1.0))
    with closing(Journal(file)) as journal:
        assert _claim(journal).submission == DIFF


def test_a_claimed_review_has_the_options_that_were_submitted_until_it_ends(journal: Journal) -> None:
    named = Submission(
        repository="shop", base="main", head="x", ticket=FileTicket("Totals", "Text"), run=("tests",)
    )
    journal.accept("ci", named, None, "0", 9)
    job = _claim(journal)
    assert job.submission == named
    journal.complete(job, b"{}")
    ((options,),) = journal._database.execute("SELECT options FROM reviews").fetchall()
    assert options is None
