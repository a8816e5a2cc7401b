"""The storage of sequences in Firestore, by its official client (extra ``firestore``).

With ``FIRESTORE_EMULATOR_HOST`` the client connects to an emulator, and needs no credentials.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from wardround.errors import UsageError
from wardround.lazy import LazyPattern
from wardround_lab.experiments.storage.document_store import (
    Create,
    Document,
    DocumentStoreError,
    Fields,
    Replace,
    Write,
    WriteConflict,
)
from wardround_lab.experiments.storage.documents import DocumentStorage
from wardround_lab.experiments.storage.sequence_storage import StorageError

if TYPE_CHECKING:
    from google.api_core.retry import Retry
    from google.cloud.firestore import Client, CollectionReference, WriteBatch

_URL = LazyPattern(r"firestore://(?P<project>[a-z0-9.:-]+)(?:/(?P<database>[a-z0-9-]+|\(default\)))?")
_FORM = "firestore://PROJECT/DATABASE; without a database, it is (default)"
_INSTALL = "google-cloud-firestore is not installed; pip install 'wardround[firestore]'"
_ANSWER_S = 60.0
"""Seconds to wait for one answer."""
_PATIENCE_S = 60.0
"""Seconds of tries. Source: the policy of the client for commits."""
_MEBIBYTE = 1024 * 1024
_PAGE = 300
_NAME = "__name__"


def open_firestore(url: str) -> DocumentStorage:
    """Open the storage at ``firestore://PROJECT/DATABASE``.

    Raises:
        UsageError: the URL is not valid, the client is not installed, or there are no credentials.
    """
    match = _URL.fullmatch(url)
    if match is None:
        raise UsageError(f"the URL of the Firestore database is not valid; give {_FORM}")
    try:
        store = FirestoreStore(match["project"], match["database"], _PATIENCE_S)
    except DocumentStoreError as cause:
        raise StorageError(f"the storage {url}: {cause}") from cause
    return DocumentStorage(store, url)


class FirestoreStore:
    """A ``DocumentStore`` in one database of a project.

    Args:
        database: None for the default one.
        patience_s: seconds of tries until an operation counts as failed.

    Raises:
        DocumentStoreError: the client is not installed, or there are no credentials.
    """

    most_writes = 500
    most_bytes = 9 * _MEBIBYTE
    most_document_bytes = _MEBIBYTE - 4096
    """Source of the sizes: "Quotas and limits" of Firestore, 1 MiB a document and 10 MiB a request. It lists
    no number of writes; 500 was the limit of earlier versions.
    """

    def __init__(self, project: str, database: str | None, patience_s: float) -> None:
        self._client = _connect(project, database)
        self._reading = _reading_policy(patience_s)
        self._writing = _writing_policy(patience_s)

    def get(self, collection: str, ids: Sequence[str]) -> dict[str, Document]:
        references = [self._client.collection(collection).document(name) for name in ids]
        with _errors():
            snapshots = list(self._client.get_all(references, retry=self._reading, timeout=_ANSWER_S))
        return {snapshot.id: _document(snapshot) for snapshot in snapshots if snapshot.exists}

    def query(self, collection: str, equal: Fields, after: str = "", before: str = "") -> Iterator[Document]:
        while True:
            page = self._page(self._client.collection(collection), equal, after, before)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].id

    def commit(self, writes: Iterable[Write]) -> list[Any]:
        batch = self._client.batch()
        for write in writes:
            self._add(batch, write)
        with _errors(), _conflicts():
            results = batch.commit(retry=self._writing, timeout=_ANSWER_S)
        return [result.update_time for result in results]

    def close(self) -> None:
        self._client.close()  # type: ignore[no-untyped-call]

    def _page(
        self, collection: CollectionReference, equal: Fields, after: str, before: str
    ) -> list[Document]:
        from google.cloud.firestore import FieldFilter

        query = collection.order_by(_NAME).limit(_PAGE)
        for name, value in equal.items():
            query = query.where(filter=FieldFilter(name, "==", value))
        for sign, bound in ((">", after), ("<", before)):
            if bound:
                query = query.where(filter=FieldFilter(_NAME, sign, collection.document(bound)))
        with _errors():
            snapshots = list(query.stream(retry=self._reading, timeout=_ANSWER_S))
        return [_document(snapshot) for snapshot in snapshots]

    def _add(self, batch: WriteBatch, write: Write) -> None:
        reference = self._client.collection(write.collection).document(write.id)
        match write:
            case Create():
                batch.create(reference, dict(write.fields))
            case Replace():
                unchanged = self._client.write_option(last_update_time=write.version)
                batch.update(reference, dict(write.fields), option=unchanged)
            case _:
                batch.set(reference, dict(write.fields))


def _document(snapshot: Any) -> Document:
    return Document(snapshot.id, snapshot.to_dict() or {}, snapshot.update_time)


def _connect(project: str, database: str | None) -> Client:
    try:
        with (
            catch_warnings()
        ):  # of the end of a Python version in the future, which is not the user's concern
            simplefilter("ignore", FutureWarning)
            from google.auth.exceptions import GoogleAuthError
            from google.cloud.firestore import Client
    except ImportError as cause:
        raise DocumentStoreError(_INSTALL) from cause
    try:
        return Client(project=project, database=database)
    except GoogleAuthError as cause:
        raise DocumentStoreError(f"there are no credentials; {_LOGIN}") from cause


def _reading_policy(patience_s: float) -> Retry:
    """Return the client's policy for reading, which ends sooner than its 300 seconds."""
    from google.api_core import exceptions
    from google.api_core.retry import Retry, if_exception_type

    repeated = if_exception_type(
        exceptions.DeadlineExceeded,
        exceptions.InternalServerError,
        exceptions.ServiceUnavailable,
    )
    return Retry(repeated, initial=0.1, multiplier=1.3, timeout=patience_s)


def _writing_policy(patience_s: float) -> Retry:
    """Return the client's policy for commits, which repeats its transactions after an abort, too."""
    from google.api_core import exceptions
    from google.api_core.retry import Retry, if_exception_type

    repeated = if_exception_type(
        exceptions.ResourceExhausted, exceptions.ServiceUnavailable, exceptions.Aborted
    )
    return Retry(repeated, initial=0.1, multiplier=1.3, timeout=patience_s)


@contextmanager
def _conflicts() -> Iterator[None]:
    from google.api_core.exceptions import AlreadyExists, FailedPrecondition

    try:
        yield
    except (AlreadyExists, FailedPrecondition) as cause:
        raise WriteConflict(str(cause)) from cause


@contextmanager
def _errors() -> Iterator[None]:
    from google.api_core.exceptions import GoogleAPICallError, RetryError
    from google.auth.exceptions import GoogleAuthError

    try:
        yield
    except RetryError as cause:
        raise DocumentStoreError(_sentence(cause.cause)) from cause
    except GoogleAPICallError as cause:
        raise DocumentStoreError(_sentence(cause)) from cause
    except GoogleAuthError as cause:
        raise DocumentStoreError(f"the credentials are not accepted; {_LOGIN}") from cause


def _sentence(cause: Any) -> str:
    """Return the cause of a failure and what to do; the kinds are classes of google.api_core."""
    kind = type(cause).__name__
    message = " ".join(str(getattr(cause, "message", cause)).split())
    known = _SENTENCES.get(kind)
    return f"{known[0]} ({message}); {known[1]}" if known else f"{kind} ({message}); run it again"


_LOGIN = "run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS"
_SENTENCES = {
    "PermissionDenied": ("permission denied", "give the account the role roles/datastore.user"),
    "Unauthenticated": ("the credentials are not accepted", _LOGIN),
    "NotFound": ("it does not exist", "create the database, or correct the URL"),
    "ServiceUnavailable": ("it cannot be reached", "check the network, then run it again"),
    "DeadlineExceeded": ("it did not answer in time", "check the network, then run it again"),
    "Aborted": ("other writers changed the same documents at each try", "run it again"),
    "ResourceExhausted": ("a quota is used up", "raise it, or run it again later"),
    "InvalidArgument": ("it rejects the request", "correct the value that it names"),
    "FailedPrecondition": ("it rejects the request", "create what it names"),
}
"""Kind of error -> what failed, and what to do."""
