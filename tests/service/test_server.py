"""The server under load, misuse, kills and stops: every accepted review ends once, or is resumed."""

from __future__ import annotations

import json
import signal
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.conftest import SCRIPTS, GitRepository
from tests.service.conftest import WRITER, Server, new_client, new_file, slow_diff, wait_until


def _connection(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def _head(*headers: str) -> bytes:
    lines = ("POST /v1/reviews HTTP/1.1", "Host: x", f"Authorization: Bearer {WRITER}", *headers)
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


def _answer(connection: socket.socket) -> bytes:
    """Everything the server sends until it closes the connection."""
    received = b""
    while part := connection.recv(65_536):
        received += part
    return received


def test_after_a_kill_every_accepted_review_is_resumed_and_none_runs_twice_to_its_end(
    new_server: Callable[..., Server],
) -> None:
    server = new_server(limits={"workers": 2})
    accepted = {server.submit(slow_diff(f"r{number}")): f"r{number}" for number in range(6)}
    wait_until(lambda: len(server.begun()) == 2)
    server.kill()

    server.start()
    wait_until(lambda: len(server.begun()) == 4)
    server.release()
    reviews = [server.wait_for(review_id, "done") for review_id in accepted]
    server.kill()
    server.start()

    assert [review["status"] for review in reviews] == ["done"] * 6
    begun = Counter(server.begun())
    assert set(begun) == set(accepted.values())
    assert sorted(begun.values()) == [1, 1, 1, 1, 2, 2]  # the two that were running
    assert [event["resumed"] for event in server.log if event["event"] == "started"] == [0]
    for review_id, before in zip(accepted, reviews, strict=True):
        assert server.review(review_id) == before


def test_a_stop_finishes_what_it_can_and_returns_the_rest_to_the_queue(
    new_server: Callable[..., Server],
) -> None:
    server = new_server(limits={"workers": 1, "stop-seconds": 0.2})
    accepted = [server.submit(slow_diff(f"r{count}")) for count in range(2)]
    wait_until(lambda: server.begun() == ["r0"])
    assert server.signal(signal.SIGTERM) == 0
    assert server.log[-1] | {"time": ""} == {"time": "", "event": "stopped", "ended": 0, "requeued": 1}

    server.release()
    server.start()
    assert [server.wait_for(item, "done")["status"] for item in accepted] == ["done", "done"]
    assert server.begun() == ["r0", "r0", "r1"]


def test_a_stop_waits_for_a_review_that_ends_in_time(new_server: Callable[..., Server]) -> None:
    server = new_server()
    review_id = server.submit(slow_diff("r0"))
    wait_until(lambda: server.begun() == ["r0"])
    assert server.process is not None
    server.process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    server.release()
    assert server.process.wait(30) == 0
    assert server.log[-1]["ended"] == 1
    server.start()
    assert server.review(review_id)["status"] == "done"
    assert server.begun() == ["r0"]


def test_a_review_that_exceeds_its_time_fails_and_the_worker_goes_on(
    new_server: Callable[..., Server],
) -> None:
    server = new_server(limits={"workers": 1, "review-seconds": 5})
    slow = server.submit(slow_diff("r0"))
    failed = server.wait_for(slow, "failed")
    assert failed["reason"] == "the review exceeded 5 s and was cancelled"
    assert failed["report"] is None
    server.release()
    again = server.wait_for(server.submit(slow_diff("r0")), "done")
    assert [finding["message"] for finding in again["report"]["findings"]] == ["waited for r0"]
    assert server.review(slow) == failed


def test_a_review_is_cancelled_while_it_waits_and_while_it_runs(new_server: Callable[..., Server]) -> None:
    server = new_server(limits={"workers": 1})
    running, waiting = server.submit(slow_diff("r0")), server.submit(slow_diff("r1"))
    wait_until(lambda: server.begun() == ["r0"])
    with server.client() as client:
        for review_id in (running, waiting, running):
            answer = client.post(f"/v1/reviews/{review_id}/cancel")
            assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    server.release()
    last = server.submit(slow_diff("r2"))
    server.wait_for(last, "done")
    assert [server.review(item)["status"] for item in (running, waiting)] == ["cancelled", "cancelled"]
    assert server.begun() == ["r0", "r2"]
    with server.client() as client:
        assert client.post(f"/v1/reviews/{last}/cancel").json()["status"] == "done"


def test_a_full_queue_rejects_with_a_time_to_retry(new_server: Callable[..., Server]) -> None:
    server = new_server(limits={"workers": 1, "queue": 1})
    server.submit(slow_diff("r0"))
    wait_until(lambda: server.begun() == ["r0"])
    waiting = server.submit(slow_diff("r1"))
    with server.client() as client:
        full = client.post("/v1/reviews", json=slow_diff("r2"))
    assert (full.status_code, full.headers["retry-after"]) == (429, "2")
    server.release()
    server.wait_for(waiting, "done")
    server.submit(slow_diff("r2"))


@pytest.mark.parametrize("encoding", ["length", "chunks"])
def test_an_oversized_body_is_rejected_before_it_is_read(limited_server: Server, encoding: str) -> None:
    with closing(_connection(limited_server)) as connection:
        if encoding == "length":
            connection.sendall(_head("Content-Length: 1000000000"))
        else:
            connection.sendall(_head("Transfer-Encoding: chunked"))
            for _ in range(5):
                connection.sendall(b"400\r\n" + b"x" * 1024 + b"\r\n")
        answer = _answer(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"the body exceeds 4096 bytes; send a smaller change" in answer


def test_an_oversized_diff_is_rejected(limited_server: Server) -> None:
    with limited_server.client() as client:
        response = client.post("/v1/reviews", json={"diff": "é" * 1100})
    assert (response.status_code, response.json()["detail"]) == (
        413,
        "the diff exceeds 2048 bytes; send a smaller change",
    )


def test_slow_bodies_and_slow_headers_are_given_up(limited_server: Server) -> None:
    with closing(_connection(limited_server)) as body, closing(_connection(limited_server)) as head:
        body.sendall(_head("Content-Length: 100") + b'{"diff"')
        head.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
        answer = _answer(body)
        assert _answer(head) == b""
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the body was not sent within 1 s" in answer


def test_headers_are_bounded(limited_server: Server) -> None:
    with closing(_connection(limited_server)) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 70_000)
        answer = _answer(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in answer


def test_a_client_that_does_not_read_is_disconnected(limited_server: Server) -> None:
    with closing(_connection(limited_server)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
        with pytest.raises(OSError, match=r"reset|Broken pipe"):
            _send_endlessly(connection, request * 100)


def _send_endlessly(connection: socket.socket, data: bytes) -> None:
    while True:  # the server stops reading when its responses are not read
        connection.sendall(data)


def test_connections_are_bounded(new_server: Callable[..., Server]) -> None:
    server = new_server(limits={"connections": 2})
    with closing(_connection(server)), closing(_connection(server)), closing(_connection(server)) as third:
        assert third.recv(1) == b""
    wait_until(lambda: _responds(server))


def _responds(server: Server) -> bool:
    try:
        with server.client(None) as client:
            return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def test_a_token_is_checked_before_a_body_is_read(limited_server: Server) -> None:
    with closing(_connection(limited_server)) as connection:
        connection.sendall(b"POST /v1/reviews HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 401"


def test_a_client_that_disconnects_within_a_body_submits_nothing(limited_server: Server) -> None:
    with closing(_connection(limited_server)) as connection:
        connection.sendall(_head("Content-Length: 100") + b'{"diff"')
    with limited_server.client() as client:
        assert client.get("/v1/reviews").json()["items"] == []


def test_many_clients_at_once_each_get_their_own_result(new_server: Callable[..., Server]) -> None:
    """200 requests: submissions, repeats, disconnects, oversized bodies and wrong tokens, and then a kill."""
    server = new_server(limits={"workers": 2, "body-bytes": 65_536, "diff-bytes": 32_768})
    with ThreadPoolExecutor(40) as pool:
        outcomes = list(pool.map(lambda number: _client(server, number), range(200)))
    accepted = Counter(item for item in outcomes if len(item) == 32)
    server.kill()
    server.start()
    ends = [server.wait_for(item, "done", "failed")["status"] for item in accepted]
    assert Counter(item for item in outcomes if len(item) != 32) == {
        "401": 40,
        "413": 40,
        "gone": 40,
        "200": 40,
    }
    assert sorted(accepted.values()) == [1] * 20 + [4] * 5
    assert ends == ["done"] * 25


def _client(server: Server, number: int) -> str:
    """One client of ten kinds; returns the id of its review, or how it ended."""
    kind, body = number % 10, json.dumps({"diff": new_file("f.txt", f"text {number % 50}")}).encode()
    if kind in (2, 3):
        with closing(_connection(server)) as connection:
            connection.sendall(_head("Content-Length: 500") + body[:20])
        return "gone"
    headers = {"Authorization": "Bearer wrong" if kind in (4, 5) else f"Bearer {WRITER}"}
    if kind == 1:
        headers["Idempotency-Key"] = f"key-{number % 50}"
    with new_client(server.url, headers) as client:
        if kind in (8, 9):
            return str(client.get("/v1/reviews").status_code)
        response = client.post("/v1/reviews", content=b"x" * 70_000 if kind in (6, 7) else body)
    return str(response.json()["id"]) if response.status_code == 202 else str(response.status_code)


def test_a_server_with_a_certificate_serves_https_only(
    new_server: Callable[..., Server], tmp_path: Path
) -> None:
    certificate, key = _certificate(tmp_path)
    server = new_server(settings={"tls.certificate": str(certificate), "tls.key": str(key)})
    trusted = ssl.create_default_context(cafile=str(certificate))
    with httpx.Client(verify=trusted, trust_env=False) as client:
        assert client.get(f"https://localhost:{server.port}/healthz").json() == {"status": "ok"}
    with server.client() as client, pytest.raises(httpx.TransportError):
        client.get("/healthz")


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of localhost that signs itself, and its key."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    current = datetime.now(UTC)
    created = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(current - timedelta(days=1))
        .not_valid_after(current + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(private, hashes.SHA256())
    )
    unencrypted = serialization.NoEncryption()
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "certificate.pem").write_bytes(created.public_bytes(pem))
    (folder / "key.pem").write_bytes(private.private_bytes(pem, form, unencrypted))
    return folder / "certificate.pem", folder / "key.pem"


def test_a_server_that_cannot_start_ends_with_a_sentence(
    new_server: Callable[..., Server], repo: GitRepository, tmp_path: Path
) -> None:
    server = new_server()
    config = server.folder / "server.toml"

    second = repo.wardround("serve", "--config", config)
    text = config.read_text("utf-8").replace("127.0.0.1:0", f"127.0.0.1:{server.port}")
    (tmp_path / "taken.toml").write_text(text, encoding="utf-8")
    used = repo.wardround("serve", "--config", tmp_path / "taken.toml")
    lost = text.replace("[repositories]\n", f'[repositories]\nshop = "{tmp_path / "none"}"\n')
    (tmp_path / "lost.toml").write_text(lost, encoding="utf-8")
    missing = repo.wardround("serve", "--config", tmp_path / "lost.toml")

    assert [done.returncode for done in (second, used, missing)] == [2, 2, 2]
    assert second.stderr.endswith("another server uses it; stop that one, or give another\n")
    assert f"listen: 127.0.0.1:{server.port}: Address already in use; give another address" in used.stderr
    assert "repositories.shop: " in missing.stderr
    assert "Traceback" not in second.stderr + used.stderr + missing.stderr


def test_without_the_extra_a_sentence_names_it(repo: GitRepository, tmp_path: Path) -> None:
    (tmp_path / "fastapi.py").write_text("raise ModuleNotFoundError(name='fastapi')\n", encoding="utf-8")
    (tmp_path / "server.toml").write_text("", encoding="utf-8")
    done = repo.run(
        SCRIPTS / "wardround",
        "serve",
        "--config",
        tmp_path / "server.toml",
        env={"PYTHONPATH": str(tmp_path)},
    )
    expected = "wardround: serve: the package fastapi is not installed; run pip install 'wardround[serve]'\n"
    assert (done.returncode, done.stderr) == (2, expected)
