"""Requests to a code host: pages, rate limits, failures, and what is never repeated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from tests.delivery.api_server import ApiServer, Call, Fault, Reply, Route
from wardround.delivery.code_hosts.client import ApiClient, ClientLimits
from wardround.delivery.code_hosts.errors import HostError, LostResponse, RefusedByHost
from wardround.errors import UsageError

TOKEN = "token-of-the-test"


@dataclass
class StoppedClock:
    """A clock that only waiting moves."""

    current: float = 1_000_000.0
    waits: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.current

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.current += seconds


@pytest.fixture
def server() -> Iterator[ApiServer]:
    served = ApiServer([], TOKEN)
    notes: list[str] = []

    def write(call: Call) -> Reply:
        notes.append(call.body["body"])
        return Reply(201, {"id": len(notes)})

    schema = {"type": "object", "required": ["body"], "properties": {"body": {"type": "string"}}}
    served.routes = (
        Route("GET", "/numbers", lambda call: served.page(call, list(range(250)))),
        Route("GET", "/notes", lambda call: Reply(200, notes)),
        Route("POST", "/notes", write, schema),
    )
    with served.serve():
        yield served


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def client(server: ApiServer, clock: StoppedClock) -> Iterator[ApiClient]:
    opened = ApiClient("The host", server.url, {"Authorization": f"Bearer {TOKEN}"}, "A_TOKEN", None, clock)
    yield opened
    opened.close()


def test_every_page_of_a_list_is_read(client: ApiClient) -> None:
    assert list(client.pages("/numbers", int)) == list(range(250))


def test_a_rate_limit_is_waited_for_as_long_as_the_host_asks(
    client: ApiClient, server: ApiServer, clock: StoppedClock
) -> None:
    server.faults += [Fault("POST", "/notes", Reply(429, {}, {"Retry-After": "17"}))]
    server.faults += [Fault("POST", "/notes", Reply(403, {"message": "secondary rate limit"}), times=2)]
    client.write("POST", "/notes", {"body": "text"})
    assert clock.waits == [17.0, 60.0, 120.0]
    assert client.get("/notes", list[str]) == ["text"]


def test_a_rate_limit_beyond_the_patience_is_an_error(server: ApiServer, clock: StoppedClock) -> None:
    client = ApiClient(
        "The host",
        server.url,
        {"Authorization": f"Bearer {TOKEN}"},
        "A_TOKEN",
        ClientLimits(patience=100),
        clock,
    )
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(clock.now()) + 3000)}
    server.faults.append(Fault("GET", "/notes", Reply(403, {}, reset)))
    with closing(client), pytest.raises(HostError, match="limits the rate of requests for 3000 s more"):
        client.get("/notes", list[str])
    assert clock.waits == []


def test_writing_twice_keeps_a_pause(client: ApiClient, clock: StoppedClock) -> None:
    client.write("POST", "/notes", {"body": "first"})
    client.write("POST", "/notes", {"body": "second"})
    assert clock.waits == [1.0]


def test_reading_is_repeated_after_a_failure(
    client: ApiClient, server: ApiServer, clock: StoppedClock
) -> None:
    server.faults += [Fault("GET", "/notes", Reply(502)), Fault("GET", "/notes", None, is_handled=True)]
    assert client.get("/notes", list[str]) == []
    assert clock.waits == [2.0, 4.0]


def test_a_post_whose_response_is_lost_is_not_repeated(client: ApiClient, server: ApiServer) -> None:
    server.faults.append(Fault("POST", "/notes", None, is_handled=True))
    with pytest.raises(LostResponse):
        client.write("POST", "/notes", {"body": "once"})
    assert client.get("/notes", list[str]) == ["once"]


def test_a_post_that_fails_on_the_server_is_not_repeated_although_it_names_a_time(
    client: ApiClient, server: ApiServer, clock: StoppedClock
) -> None:
    server.faults.append(Fault("POST", "/notes", Reply(503, {}, {"Retry-After": "17"}), is_handled=True))
    with pytest.raises(LostResponse):
        client.write("POST", "/notes", {"body": "once"})
    assert clock.waits == []


def test_a_request_that_the_host_refuses_names_the_host_and_a_remedy(
    client: ApiClient, server: ApiServer
) -> None:
    wrong = ApiClient("The host", server.url, {"Authorization": "Bearer wrong"}, "A_TOKEN")
    with closing(wrong), pytest.raises(RefusedByHost) as refused:
        wrong.get("/notes", list[str])
    assert str(refused.value) == (
        "The host returned 401 for GET /notes: the credentials are missing or wrong; set A_TOKEN"
    )
    with pytest.raises(RefusedByHost, match=r"Validation Failed .*'body' is a required property"):
        client.write("POST", "/notes", {"text": ""})


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(client: ApiClient, server: ApiServer, status: int) -> None:
    server.faults.append(Fault("GET", "/notes", Reply(status, {}, {"Location": f"{server.url}/numbers"})))
    with pytest.raises(RefusedByHost, match="it has another address now; name that"):
        client.get("/notes", list[str])
    assert server.calls == []


@pytest.mark.parametrize(
    ("variable", "value"), [("HTTPS_PROXY", "socks4://proxy:1"), ("SSL_CERT_FILE", "/no/such/file")]
)
def test_a_wrong_setting_of_the_network_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    client = ApiClient("The host", "https://localhost:9", {}, "TOKEN")
    with pytest.raises(UsageError, match=f"no connection to The host can be made .*{variable}"):
        client.get("/notes", list[str])


@pytest.mark.parametrize("address", ["https://elsewhere.example/numbers", "http://[malformed"])
def test_a_page_on_another_server_gets_no_credentials(
    client: ApiClient, server: ApiServer, address: str
) -> None:
    elsewhere = {"Link": f'<{address}>; rel="next"'}
    server.faults.append(Fault("GET", "/numbers", Reply(200, [1], elsewhere)))
    with pytest.raises(HostError, match="another server"):
        list(client.pages("/numbers", int))
