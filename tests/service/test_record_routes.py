"""Queries over the record store: by repository of the token, with filters and pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.records.sample_reviews import FACTS
from tests.records.sample_store import bundle_of
from tests.service.conftest import OTHER, Server
from wardround.records import keys, store
from wardround.records.location import default_file
from wardround.records.store import Query
from wardround.records.verify import content_problem
from wardround.service.logs import EventLog
from wardround.service.retention import RecordRetention
from wardround.service.settings import RecordSettings


@pytest.fixture
def server(new_server: Callable[..., Server], repo: GitRepository) -> Server:
    """A server whose store has five records of the token's repository, and one of another."""
    repo.commit({"a.py": "x = 1\n"})
    key = keys.create(keys.own_key_file(), None).private
    with store.open_store(default_file()) as records:
        for number in range(5):
            verdict = {"name": "declined" if number == 2 else "auto-merge", "tier": "T1"}
            records.append(bundle_of(number, verdict=verdict), FACTS)
        records.append(bundle_of(9), type(FACTS)(repository="secret", head="e" * 40))
    return new_server(repositories={"shop": repo.root}, records={"sign-with": f"file:{key}", "store": True})


def get(server: Server, **params: Any) -> Any:
    with server.client() as client:
        found = client.get("/v1/records", params={"repository": "shop", **params})
    return found.json() | {"status": found.status_code}


def test_records_are_listed_by_conditions_and_pages(server: Server) -> None:
    first = get(server, size=2)
    assert [item["verdict"] for item in first["items"]] == ["auto-merge", "auto-merge"]
    with server.client() as client:
        second = client.get(first["next"]).json()
        third = client.get(second["next"]).json()
    assert [item["verdict"] for item in second["items"]] == ["declined", "auto-merge"]
    assert (len(third["items"]), third["next"]) == (1, None)
    digests = {item["digest"] for page in (first, second, third) for item in page["items"]}
    assert len(digests) == 5
    for params, count in (
        ({"verdict": "declined"}, 1),
        ({"tier": "T1"}, 5),
        ({"commit": "ccccccc"}, 5),
        ({"commit": "d" * 40}, 0),
        ({"rule": "ruff/B006"}, 5),
        ({"since": "2030-02-01"}, 0),
        ({"since": "2030-01-31", "until": "2030-01-31"}, 5),
    ):
        assert len(get(server, **params)["items"]) == count, params
    with server.client() as client:
        data = client.get(f"/v1/records/{first['items'][0]['digest']}").content
    assert content_problem(data) is not None  # a sample without evidence: its bytes are those of the store
    assert data == bundle_of(4, verdict={"name": "auto-merge", "tier": "T1"}).data

    for params, status, detail in (
        ({"repository": "secret"}, 403, "no repository"),
        ({"commit": "xyz"}, 422, "commit: it is not a commit id"),
        ({"since": "yesterday"}, 422, "since 'yesterday' is not a time"),
        ({"repository": ""}, 422, "query.repository"),
    ):
        found = get(server, **params)
        assert (found["status"], found["detail"][: len(detail)]) == (status, detail)
    with store.open_store(default_file()) as records:
        hidden = records.query(Query(repository="secret"))[0].digest
    with server.client() as client, server.client(OTHER) as other:
        assert client.get(f"/v1/records/{hidden}").status_code == 404
        assert client.get("/v1/records/zz").status_code == 404
        assert other.get("/v1/records", params={"repository": "shop"}).status_code == 403


def test_a_server_without_a_store_reports_it(new_server: Callable[..., Server], repo: GitRepository) -> None:
    repo.commit({"a.py": "x = 1\n"})
    found = get(new_server(repositories={"shop": repo.root}))
    assert (found["status"], found["detail"][:31]) == (404, "this server stores no records; ")


@pytest.mark.usefixtures("isolated_folders")
def test_old_records_are_deleted_and_each_is_an_event_of_the_log(tmp_path: Path) -> None:
    location = tmp_path / "records.sqlite"
    with store.open_store(location) as records:
        digests = [records.append(bundle_of(number), FACTS) for number in range(3)]
    log = StringIO()
    at = datetime(2030, 3, 31, tzinfo=UTC)
    for newest, left in ((9, 3), (1, 1)):
        settings = RecordSettings("file:key", store=True, keep_days=9, keep_newest=newest)
        RecordRetention(settings, location, EventLog(log), lambda: at).prune()
        with store.open_store(location) as records:
            assert len(records.query(Query())) == left
            assert records.verify_chain() is None
    lines = log.getvalue().splitlines()
    assert [digest in line for digest, line in zip(digests[:2], lines, strict=True)] == [True, True]


def test_a_store_that_cannot_be_used_is_logged(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database" * 100)
    log = StringIO()
    settings = RecordSettings("file:key", keep_newest=1)
    RecordRetention(settings, tmp_path / "text", EventLog(log)).prune()
    assert '"error":"StoreError"' in log.getvalue()
