"""The routes: their responses, and information that they do not reveal."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import sqlite3
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from openapi_spec_validator import validate

from tests.conftest import GitRepository
from tests.service.conftest import OTHER, WATCHER, Server, new_file, slow_diff
from wardround.service.api import create_app
from wardround.service.bodies import BodyReader
from wardround.service.dependencies import Service
from wardround.service.exchange import Exchange
from wardround.service.logs import EventLog
from wardround.service.metrics import Metrics
from wardround.service.settings import ServiceSettings, Token

PYTHON = {"diff": new_file("a.py", "def f(x=[], y={}):\n    return eval(x)\n")}


def _problem(response: httpx.Response) -> str:
    """The sentence of a problem, which must have the form of RFC 9457."""
    assert response.headers["content-type"] == "application/problem+json"
    document = response.json()
    assert document.keys() == {"type", "title", "status", "detail"}
    assert document["status"] == response.status_code
    return str(document["detail"])


def test_a_client_follows_its_review_from_acceptance_to_findings(new_server: Callable[..., Server]) -> None:
    server = new_server()
    with server.client() as client:
        accepted = client.post("/v1/reviews", json=PYTHON)
        assert accepted.status_code == 202
        location = accepted.headers["location"]
        assert location == f"/v1/reviews/{accepted.json()['id']}"
        done = server.wait_for(accepted.json()["id"], "done")
        first = client.get(f"{location}/findings", params={"size": 2}).json()
        second = client.get(first["next"]).json()
        listed = client.get("/v1/reviews").json()
        report = client.get(f"{location}/report").content
        assert report.rstrip(b"\n") in client.get(location).content  # its bytes are unchanged
        assert _problem(client.get(f"{location}/record")).startswith("the review has no record")
    assert done["report"]["schema"] == "wardround.report/1"
    assert [*first["items"], *second["items"]] == done["report"]["findings"]
    assert (first["total"], second["next"]) == (3, None)
    assert [item["id"] for item in listed["items"]] == [accepted.json()["id"]]


def test_pages_list_every_review_once(new_server: Callable[..., Server]) -> None:
    server = new_server()
    accepted = [server.submit(slow_diff(f"review{number}")) for number in range(5)]
    server.release()
    found, path = [], "/v1/reviews?size=2"
    with server.client() as client:
        while path:
            page = client.get(path).json()
            found += [item["id"] for item in page["items"]]
            path = page["next"]
    assert found == accepted[::-1]


def test_without_a_valid_token_everything_looks_alike(route_server: Server) -> None:
    server = route_server
    review_id = server.submit(PYTHON)
    paths = [
        "/v1/reviews",
        f"/v1/reviews/{review_id}",
        "/v1/reviews/none",
        "/metrics",
        f"/v1/reviews/{review_id}/record",
    ]
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic d3JvbmcK"},
        {"Authorization": "Bearer é".encode("latin-1").decode("latin-1")},
    ):
        raw = {name: value.encode("latin-1") for name, value in headers.items()}
        with server.client(None) as client:
            responses = [client.get(path, headers=raw) for path in paths] + [
                client.post("/v1/reviews", headers=raw, json=PYTHON)
            ]
        assert {response.status_code for response in responses} == {401}
        assert {response.headers["www-authenticate"] for response in responses} == {"Bearer"}
        assert len({response.content for response in responses}) == 1


def test_a_token_cannot_report_a_foreign_review_from_none(route_server: Server) -> None:
    server = route_server
    review_id = server.submit(PYTHON)
    server.wait_for(review_id, "done")
    with server.client(OTHER) as client:
        for end in ("", "/report", "/findings", "/record"):
            foreign, none = (
                client.get(f"/v1/reviews/{review_id}{end}"),
                client.get(f"/v1/reviews/{'0' * 32}{end}"),
            )
            assert (foreign.status_code, foreign.content) == (404, none.content)
        foreign, none = client.post(f"/v1/reviews/{review_id}/cancel"), client.post("/v1/reviews/none/cancel")
        assert (foreign.status_code, foreign.content) == (404, none.content)
        assert client.get("/v1/reviews").json()["items"] == []


def test_a_token_reaches_only_what_its_scopes_and_repositories_allow(
    new_server: Callable[..., Server], repo: GitRepository
) -> None:
    repo.commit({"a.py": "print(1)\n"})
    server = new_server(repositories={"shop": repo.root})
    shop = {"repository": "shop", "base": "main", "head": "main"}
    with server.client(WATCHER) as client:
        assert client.get("/metrics").status_code == 200
        assert _problem(client.get("/v1/reviews")) == "the token does not have the scope reviews:read"
        refused = client.post("/v1/reviews", json=PYTHON)
        assert _problem(refused) == "the token does not have the scope reviews:write"
        assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    with server.client(OTHER) as client:
        known, unknown = (
            client.post("/v1/reviews", json={**shop, "repository": name}) for name in ("shop", "none")
        )
        assert (known.status_code, known.content) == (403, unknown.content)
        path = client.post("/v1/reviews", json={**shop, "repository": str(repo.root)})
        assert path.status_code == 403
        assert client.get("/metrics").status_code == 403
    with server.client() as client:
        assert client.post("/v1/reviews", json=shop).status_code == 202


def test_a_repeated_request_with_a_key_returns_the_first_review(route_server: Server) -> None:
    server = route_server
    key = {"Idempotency-Key": "run-17"}
    first = server.submit(PYTHON, **key)
    server.wait_for(first, "done")
    assert server.submit(PYTHON, **key) == first
    assert server.submit(PYTHON) != first
    with server.client() as client:
        other = client.post("/v1/reviews", json={"diff": ""}, headers=key)
        assert other.status_code == 422
        assert _problem(other) == "the Idempotency-Key was used for another request; give a new key"
        assert (
            client.post("/v1/reviews", json=PYTHON, headers={"Idempotency-Key": "x" * 256}).status_code == 422
        )
    with server.client(OTHER) as client:
        assert client.post("/v1/reviews", json=PYTHON, headers=key).json()["id"] != first


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        (b"{", 400, "the body is not JSON in UTF-8; send a JSON object"),
        (b'{"diff": "\xff"}', 400, "the body is not JSON in UTF-8; send a JSON object"),
        (b"[" * 100_000, 422, "expected `object`, got `array`"),
        (b'{"diff": 7}', 422, "expected `str | null`, got `int` - at `$.diff`"),
        (b"{}", 422, "give either diff, or repository with base and head"),
        (
            b'{"repository": "shop", "base": "--upload-pack=x", "head": "main"}',
            422,
            "base '--upload-pack=x' is not a revision; give a branch, a tag or a commit id",
        ),
    ],
)
def test_a_request_that_is_not_valid_is_answered_with_one_sentence(
    route_server: Server, body: bytes, status: int, detail: str
) -> None:
    with route_server.client() as client:
        response = client.post("/v1/reviews", content=body)
    assert (response.status_code, _problem(response)) == (status, detail)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/docs", 404),
        ("DELETE", "/v1/reviews", 405),
        ("BREW", "/v1/reviews", 405),
        ("GET", "/v1/reviews?size=0", 422),
        ("GET", "/v1/reviews?before=x", 422),
        ("GET", "/v1/reviews/%2e%2e%2fetc", 404),
        ("GET", f"/v1/reviews/{'0' * 3000}", 404),
    ],
)
def test_every_error_is_a_problem(route_server: Server, method: str, path: str, status: int) -> None:
    with route_server.client() as client:
        response = client.request(method, path)
    assert response.status_code == status
    assert _problem(response)


def test_the_description_is_valid_and_lists_every_route(route_server: Server) -> None:
    with route_server.client(None) as client:
        description: dict[str, Any] = client.get("/openapi.json").json()
    validate(description)
    assert set(description["paths"]) == {
        "/healthz",
        "/readyz",
        "/metrics",
        "/v1/records",
        "/v1/records/{digest}",
        "/v1/reviews",
        "/v1/reviews/{review_id}",
        "/v1/reviews/{review_id}/cancel",
        "/v1/reviews/{review_id}/findings",
        "/v1/reviews/{review_id}/record",
        "/v1/reviews/{review_id}/report",
    }
    assert description["paths"]["/v1/reviews"]["post"]["security"] == [{"HTTPBearer": []}]
    assert "security" not in description["paths"]["/healthz"]["get"]


def test_health_needs_no_token_and_metrics_count_requests(route_server: Server) -> None:
    with route_server.client(None) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/readyz").json() == {"status": "ready"}
    with route_server.client(WATCHER) as client:
        metrics = client.get("/metrics").text
    assert 'wardround_requests_total{method="GET",route="/healthz",status="200"}' in metrics
    assert 'wardround_stored_reviews{status="queued"} 0.0' in metrics


def test_logs_are_json_without_tokens_queries_and_source(new_server: Callable[..., Server]) -> None:
    server = new_server()
    review_id = server.submit({"diff": new_file("very_secret_name.py", "very_secret_line = eval(x)")})
    server.wait_for(review_id, "done")
    with server.client("very-secret-token") as client:
        client.get("/v1/reviews/very-secret-path?q=very-secret-query")
        client.get("/very-secret-path")
    text = server.log_file.read_text("utf-8")
    assert "very" not in text
    events = [json.loads(line) for line in text.splitlines()]
    assert {"started", "request", "review"} <= {event["event"] for event in events}
    assert [event["status"] for event in events if event["event"] == "review"] == ["done"]


class _BrokenJournal:
    """A journal whose file cannot be used, or that has a defect."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (
            sqlite3.OperationalError("disk is full"),
            503,
            "the journal of the server cannot be used; try again later",
        ),
        (
            ZeroDivisionError("secret text"),
            500,
            "internal error; the log of the server has its type and its place",
        ),
    ],
)
def test_a_failure_of_the_server_is_a_problem_without_its_text(
    error: Exception, status: int, detail: str
) -> None:
    token = Token("ci", hashlib.sha256(b"t").hexdigest(), frozenset({"reviews:read"}))
    settings, metrics, stream = ServiceSettings((token,)), Metrics(), io.StringIO()
    journal: Any = _BrokenJournal(error)
    unused: Any = None
    service = Service(
        settings, journal, unused, BodyReader(settings.limits), metrics, EventLog(stream), unused, unused
    )
    transport = httpx.ASGITransport(Exchange(create_app(service), metrics, service.log))

    async def get() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            return await client.get("/v1/reviews", headers={"Authorization": "Bearer t"})

    response = asyncio.run(get())
    assert (response.status_code, _problem(response)) == (status, detail)
    assert "secret text" not in stream.getvalue() + response.text
