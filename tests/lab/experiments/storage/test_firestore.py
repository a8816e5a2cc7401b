"""The storage in Firestore: its limits, lost answers, and one sentence for each failure."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import grpc
import pytest

from tests.lab.experiments.storage.firestore_server import Failure, FirestoreServer
from tests.lab.experiments.storage.places import firestore
from tests.lab.experiments.storage.sample_sequences import add, found, header, message, outcome, run
from wardround.errors import UsageError
from wardround_lab.experiments.storage.opening import open_storage
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage, StorageError

__all__ = ["firestore"]  # fixture
_NAME = "the storage firestore://lab/sequences: "


@pytest.fixture
def storage(firestore: FirestoreServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[SequenceStorage]:
    monkeypatch.setattr("wardround_lab.experiments.storage.firestore._PATIENCE_S", 0.3)
    with closing(open_storage(firestore.url("sequences"), {})) as opened:
        yield opened


def test_a_content_that_is_too_large_for_a_document_is_split(
    storage: SequenceStorage, firestore: FirestoreServer
) -> None:
    text = "0123456789abcdef" * (11 * 65536)
    sequence = add(storage, header(), message("short"), message(text))
    assert [bytes(entry.content) for entry in storage.entries(sequence)] == [b'"short"', f'"{text}"'.encode()]
    assert firestore.requests.count("Commit") == 3  # the begin, what exceeds the limit of a request, the rest


def test_more_entries_than_a_request_may_have_are_stored_together(
    storage: SequenceStorage, firestore: FirestoreServer
) -> None:
    entries = [message(str(number)) for number in range(1100)]
    sequence = add(storage, header(), *entries)
    assert storage.entries(sequence) == entries
    firestore.failures = [Failure("Commit", grpc.StatusCode.PERMISSION_DENIED)]
    more = [message(f"more {number}") for number in range(600)]
    with pytest.raises(StorageError, match="permission denied"):
        storage.append(sequence, 1100, more)
    assert len(storage.entries(sequence)) == 1100
    storage.append(sequence, 1100, more)
    assert storage.entries(sequence) == entries + more


def test_an_append_is_one_request_and_a_content_is_written_once(
    storage: SequenceStorage, firestore: FirestoreServer
) -> None:
    sequence = add(storage, header(), message("equal"))
    firestore.requests.clear()
    before = len(firestore.documents)
    storage.append(sequence, 1, [message("equal"), message("equal"), message("new")])
    assert firestore.requests == ["Commit"]
    assert len(firestore.documents) == before + 2  # the entries, and one content


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED])
def test_a_lost_answer_is_neither_an_error_nor_a_second_entry(
    storage: SequenceStorage, firestore: FirestoreServer, code: grpc.StatusCode
) -> None:
    sequence = add(storage, header(), message("one"))
    firestore.failures = [Failure("Commit", code), Failure("Commit", code, is_after=True)]
    storage.append(sequence, 1, [message("two")])
    storage.append(sequence, 2, [message("three"), outcome()])
    assert len(storage.entries(sequence)) == 4
    firestore.failures = [Failure("Commit", code, is_after=True)]
    storage.begin_run(run())
    firestore.failures = [Failure("Commit", code, is_after=True)]
    storage.begin(header("another"))
    firestore.failures = [Failure("RunQuery", grpc.StatusCode.UNAVAILABLE)]
    assert sorted(found(storage)) == ["another", "shop-1"]


_NETWORK = "check the network, then run it again"
_LOGIN = "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS"
_SENTENCES = {
    "PERMISSION_DENIED": "permission denied (by the test); give the account the role roles/datastore.user",
    "UNAUTHENTICATED": f"the credentials are not accepted (by the test); {_LOGIN}",
    "NOT_FOUND": "it does not exist (by the test); create the database, or correct the URL",
    "UNAVAILABLE": f"it cannot be reached (by the test); {_NETWORK}",
    "DEADLINE_EXCEEDED": f"it did not answer in time (by the test); {_NETWORK}",
    "ABORTED": "other writers changed the same documents at each try (by the test); run it again",
    "RESOURCE_EXHAUSTED": "a quota is used up (by the test); raise it, or run it again later",
    "FAILED_PRECONDITION": "it rejects the request (by the test); create what it names",
    "INTERNAL": "InternalServerError (by the test); run it again",
}


@pytest.mark.parametrize(("code", "sentence"), _SENTENCES.items())
def test_a_failure_is_one_sentence(
    storage: SequenceStorage, firestore: FirestoreServer, code: str, sentence: str
) -> None:
    sequence = add(storage, header(), message("one"))
    firestore.lasting = [
        Failure(method, grpc.StatusCode[code]) for method in ("Commit", "BatchGetDocuments", "RunQuery")
    ]
    expected = _NAME + sentence
    for attempt in (
        lambda: storage.append(sequence, 1, [message("two")]),
        lambda: storage.begin(header("another")),
        lambda: storage.entries(sequence),
        lambda: found(storage),
    ):
        with pytest.raises(StorageError) as refused:
            attempt()
        assert str(refused.value) == expected
    firestore.lasting = []
    storage.append(sequence, 1, [message("two")])
    assert len(storage.entries(sequence)) == 2


def test_a_server_that_does_not_run_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wardround_lab.experiments.storage.firestore._PATIENCE_S", 0.3)
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")
    with (
        closing(open_storage("firestore://lab/sequences", {})) as storage,
        pytest.raises(StorageError) as refused,
    ):
        storage.begin_run(run())
    assert str(refused.value).startswith(f"{_NAME}it cannot be reached (")
    assert str(refused.value).endswith("; check the network, then run it again")


def test_a_content_that_was_removed_is_one_sentence(
    storage: SequenceStorage, firestore: FirestoreServer
) -> None:
    sequence = add(storage, header(), message("one"))
    (content,) = (name for name in firestore.documents if "contents" in name)
    del firestore.documents[content]
    with pytest.raises(StorageError) as refused:
        storage.entries(sequence)
    assert str(refused.value) == (
        f"{_NAME}content {message('one').digest} is missing or was changed; import it from an export"
    )


@pytest.mark.parametrize(
    "url", ["firestore://", "firestore://lab/a/b", "firestore://lab/?x", "firestore://a b"]
)
def test_a_url_that_is_not_valid_is_one_sentence(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        open_storage(url, {})
    assert str(refused.value) == (
        "the URL of the Firestore database is not valid; give firestore://PROJECT/DATABASE; "
        "without a database, it is (default)"
    )


def test_without_credentials_the_message_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST", raising=False)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere.json")
    with pytest.raises(StorageError) as refused:
        open_storage("firestore://lab", {})
    assert str(refused.value) == (f"the storage firestore://lab: there are no credentials; {_LOGIN}")


def test_without_the_extra_the_message_names_it() -> None:
    program = (
        "import sys; sys.modules['google.cloud.firestore'] = None\n"
        "from wardround.__main__ import main\n"
        "sys.argv = ['wardround', 'lab', 'query', '--storage', 'firestore://lab']\n"
        "sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        2, "",
        "wardround: the storage firestore://lab: google-cloud-firestore is not installed; "
        "pip install 'wardround[firestore]'\n",
    )  # fmt: skip
