"""A request to a ticket service ends, within limits and without giving the token to anyone else."""

from __future__ import annotations

import gzip
import logging
import socket
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.context.ticket.loopback import Behavior, Responder, json_of, serving, status_of
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.sources.http import Limits, Request, fetch_json, retry_after

QUICK = Limits(connect=2.0, read=0.2, total=0.6, longest_wait=0.3, max_bytes=10_000)
TOKEN = "tok-5ecret"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def request_to(url: str, body: bytes | None = None) -> Request:
    return Request("Tracker", "T-1", f"{url}/issue/1", "TRACKER_TOKEN", {"Authorization": TOKEN}, body)


def never(response: Responder) -> None:
    response.service.stopping.wait(10)


def slow_body(response: Responder) -> None:
    """A byte every 50 ms: each read is fast, the body never ends."""
    response.send_response(200)
    response.send_header("Content-Type", "application/json")
    response.send_header("Content-Length", "100000")
    response.end_headers()
    while not response.service.stopping.wait(0.05):
        response.wfile.write(b" ")
        response.wfile.flush()


def slow_headers(response: Responder) -> None:
    """A byte of the headers every 50 ms."""
    response.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not response.service.stopping.wait(0.05):
        response.wfile.write(b"x")
        response.wfile.flush()


def endless_body(response: Responder) -> None:
    response.send_response(200)
    response.send_header("Content-Type", "application/json")
    response.send_header("Transfer-Encoding", "chunked")
    response.end_headers()
    while not response.service.stopping.is_set():
        response.wfile.write(b"400\r\n" + b" " * 1024 + b"\r\n")


def truncated(response: Responder) -> None:
    response.send(200, b'{"a": 1', {"Content-Length": "500"})
    response.close_connection = True


def not_http(response: Responder) -> None:
    response.wfile.write(b"220 mail.example ESMTP\r\n")
    response.close_connection = True


def closing(response: Responder) -> None:
    response.close_connection = True


def compressed(response: Responder) -> None:
    response.send(200, gzip.compress(b" " * 10_000_000), {"Content-Encoding": "gzip"})


def login_page(response: Responder) -> None:
    response.send(200, b"<html>Sign in</html>", kind="text/html; charset=utf-8")


def without_kind(response: Responder) -> None:
    response.send_response(200)
    response.send_header("Content-Length", "2")
    response.end_headers()
    response.wfile.write(b"{}")


@pytest.mark.parametrize(
    ("behavior", "words"),
    [
        (never, "did not respond in time for T-1"),
        (slow_body, "did not respond in time for T-1"),
        (slow_headers, "did not respond in time for T-1"),
        (endless_body, "more than 10,000 bytes for T-1"),
        (json_of("x" * 20_000), "more than 10,000 bytes for T-1"),
        (truncated, r"cannot be reached .* for T-1 \(RemoteProtocolError\)"),
        (not_http, "cannot be reached"),
        (closing, "cannot be reached"),
        (compressed, "compressed content for T-1"),
        (login_page, "did not return JSON for T-1"),
        (without_kind, "did not return JSON for T-1"),
        (status_of(429), "429 for T-1: too many requests"),
        (status_of(503, Retry_After="0"), "503 for T-1: the server failed"),
        (status_of(302, Location="/issue/1"), "redirects T-1 too often"),
        (status_of(302), "redirects T-1 to another address"),
        (status_of(302, Location="http://[broken"), "redirects T-1 to another address"),
        (status_of(302, Location="https://127.0.0.1/issue/1"), "redirects T-1 to another address"),
        (status_of(302, Location="//evil.example/issue/1"), "redirects T-1 to another address"),
        (status_of(204), "204 for T-1"),
    ],
)
def test_a_misbehaving_server_is_one_sentence(behavior: Behavior, words: str) -> None:
    with serving(behavior) as service, pytest.raises(TicketError, match=words) as caught:
        fetch_json(request_to(service.url), QUICK)

    assert TOKEN not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_redirect_to_another_host_sends_it_nothing() -> None:
    with serving(json_of({})) as other:
        elsewhere = status_of(302, Location=f"{other.url}/issue/1")
        with serving(elsewhere) as service, pytest.raises(TicketError, match="not followed with a token"):
            fetch_json(request_to(service.url), QUICK)

    assert other.received == []


def test_a_busy_server_is_requested_once_more() -> None:
    with serving(status_of(503, Retry_After="0"), json_of({"a": 1})) as service:
        body = fetch_json(request_to(service.url), QUICK)

    assert body == b'{"a":1}'
    assert len(service.received) == 2


def test_a_loop_of_refusals_ends_after_the_second() -> None:
    with serving(status_of(429, Retry_After="0")) as service, pytest.raises(TicketError, match="429"):
        fetch_json(request_to(service.url), QUICK)

    assert len(service.received) == 2


def test_a_long_wait_is_not_obeyed() -> None:
    with serving(status_of(429, Retry_After="3600")) as service, pytest.raises(TicketError, match="429"):
        fetch_json(request_to(service.url), QUICK)

    assert len(service.received) == 1


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        ("", 1.0),
        ("-3", 1.0),
        ("soon", 1.0),
        ("9" * 400, 1.0),
        ("Thu, 01 Jan 2026 00:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2015 00:00:30 GMT", 0.0),
    ],
)
def test_the_wait_is_a_number_or_a_date(value: str, seconds: float) -> None:
    assert retry_after(value, datetime(2026, 1, 1, tzinfo=UTC)) == seconds


def test_a_closed_port_names_the_host() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        with pytest.raises(TicketError, match=r"cannot be reached at '127.0.0.1' for T-1 \(ConnectError\)"):
            fetch_json(request_to(url), QUICK)


def test_a_certificate_of_an_unknown_authority_is_rejected(tmp_path: Path) -> None:
    refused = r"the TLS certificate of '127.0.0.1' is not accepted.*set SSL_CERT_FILE"
    with serving(json_of({}), certificate=self_signed(tmp_path)) as service:  # noqa: SIM117 - see received below
        with pytest.raises(TicketError, match=refused):
            fetch_json(request_to(service.url), QUICK)

    assert service.received == []


def test_a_certificate_of_the_organisation_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(json_of({}), certificate=certificate) as service:
        assert fetch_json(request_to(service.url), QUICK) == b"{}"


def test_a_server_without_tls_at_an_https_address_is_an_error() -> None:
    with serving(json_of({})) as service, pytest.raises(TicketError, match="T-1"):
        fetch_json(request_to(service.url.replace("http://", "https://")), QUICK)


def self_signed(folder: Path) -> Path:
    """Create a certificate for 127.0.0.1 with its key in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    current = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(current - timedelta(days=1))
        .not_valid_after(current + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return file


def test_a_wrong_certificate_file_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent/ca.pem")
    with pytest.raises(TicketError, match="cannot be reached"):
        fetch_json(request_to("https://localhost:9"), QUICK)


def test_the_token_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(status_of(503, Retry_After="0"), json_of({})) as service:
        request = request_to(service.url)
        fetch_json(request, QUICK)

    assert TOKEN not in caplog.text
    assert TOKEN not in repr(request)


def test_threads_end_with_the_requests() -> None:
    before = threading.active_count()
    with serving(never) as service, pytest.raises(TicketError):
        fetch_json(request_to(service.url), QUICK)

    assert threading.active_count() <= before + 1
