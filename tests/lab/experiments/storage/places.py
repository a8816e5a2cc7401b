"""The kinds of storage, for tests that hold for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.postgresql_server import PostgresServer
from wardround_lab.experiments.storage.opening import open_storage
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

if TYPE_CHECKING:
    from tests.lab.experiments.storage.firestore_server import FirestoreServer

KINDS = ("sqlite", "postgresql", "firestore")


@pytest.fixture
def firestore(monkeypatch: pytest.MonkeyPatch) -> Iterator[FirestoreServer]:
    """A Firestore server on loopback, to which the client connects."""
    from tests.lab.experiments.storage import firestore_server  # grpc is loaded by these tests only

    firestore, server = firestore_server.start()
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore.host)
    yield firestore
    server.stop(None).wait()


@pytest.fixture(params=KINDS)
def storage_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The file or URL of an empty storage of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "state" / "lab.sqlite")
    if request.param == "firestore":
        server: FirestoreServer = request.getfixturevalue("firestore")
        return server.url("sequences")
    postgres: PostgresServer = request.getfixturevalue("postgres_server")
    return postgres.url(request.getfixturevalue("postgres_database"))


@pytest.fixture
def storage(storage_url: str) -> Iterator[SequenceStorage]:
    """An empty storage of each kind."""
    with closing(open_storage(storage_url, {})) as opened:
        yield opened
