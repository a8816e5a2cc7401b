"""The calls of a review run at the same time, in any thread, and end with the review."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.planes.language_model import loopback
from tests.planes.language_model.loopback import (
    NOTHING,
    Behaviour,
    Received,
    by_plane,
    claims,
    endpoint,
    respond,
)
from tests.planes.language_model.questions_factory import KEY, question_of, runner, settings
from wardround.findings import Plane
from wardround.planes.language_model import exchange_runner
from wardround.planes.language_model.answer import Answer
from wardround.planes.language_model.calls import run_all
from wardround.planes.language_model.exchange_runner import PlaneAnswer
from wardround.planes.language_model.verified_claims import Verified


def run(
    url: str, planes: tuple[Plane, ...] = tuple(Plane), timeout: float = 5.0, concurrency: int = 4
) -> tuple[PlaneAnswer, ...]:
    configured = settings(url, timeout=timeout, concurrency=concurrency)
    questions = [question_of(plane) for plane in planes]
    return run_all(runner(configured), questions, configured, KEY, lambda: False)


def when_all_are_here(count: int, then: Behaviour) -> Behaviour:
    """Respond once this many requests are waiting."""
    barrier = threading.Barrier(count)

    def send(request: Received, connection: object) -> None:
        barrier.wait(10)
        then(request, connection)  # type: ignore[arg-type]

    return send


def test_as_many_planes_are_called_at_the_same_time_as_configured() -> None:
    with endpoint(when_all_are_here(3, NOTHING)) as server:
        answers = run(server.url, concurrency=3)
    assert server.most_open_requests == 3
    assert [answer.exchange.plane for answer in answers] == list(Plane)
    assert [answer.exchange.problem for answer in answers] == [""] * len(Plane)


def test_a_plane_whose_call_fails_affects_no_other() -> None:
    good = claims({"line": 5, "quote": "values[:11]"})
    with endpoint(by_plane(NOTHING, intent=good)) as server:
        alone = run(server.url)
    failing = {"contract": loopback.reset, "semantic": loopback.hang, "perf": respond(500, b"x")}
    with endpoint(by_plane(NOTHING, intent=good, **failing)) as server:
        others = run(server.url, timeout=2.0)
    failed = [answer.exchange.plane for answer in others if answer.exchange.problem]
    assert failed == [Plane.CONTRACT, Plane.SEMANTIC, Plane.PERF]
    assert others[0].findings == alone[0].findings
    assert others[0].exchange.answer == alone[0].exchange.answer


def test_a_thread_with_an_event_loop_may_call() -> None:
    async def review(url: str) -> tuple[PlaneAnswer, ...]:
        return run(url, (Plane.INTENT,))

    with endpoint(NOTHING) as server:
        (answer,) = asyncio.run(review(server.url))
    assert answer.exchange.problem == ""


def test_many_reviews_call_at_the_same_time() -> None:
    with endpoint(NOTHING) as server, ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: run(server.url, (Plane.INTENT, Plane.PERF)), range(16)))
    assert {answer.exchange.problem for answers in done for answer in answers} == {""}
    assert len(server.received) == 32


def test_cancelling_ends_hanging_calls() -> None:
    arrived = threading.Event()

    def hang(request: Received, connection: object) -> None:
        arrived.set()
        loopback.hang(request, connection)  # type: ignore[arg-type]

    with endpoint(hang) as server:
        configured = settings(server.url, timeout=60.0)
        (answer,) = run_all(runner(configured), [question_of()], configured, KEY, arrived.is_set)
    assert answer.exchange.problem == "the review was cancelled"


def test_the_end_of_the_time_closes_the_connection() -> None:
    is_closed = threading.Event()

    def hang(request: Received, connection: object) -> None:
        loopback.hang(request, connection)  # type: ignore[arg-type]
        is_closed.set()

    with endpoint(hang) as server:
        (answer,) = run(server.url, (Plane.INTENT,), timeout=0.2)
        assert is_closed.wait(60)
    assert answer.exchange.problem == "timed out after 0.2 s"


def test_a_plane_that_waits_for_its_turn_has_all_of_its_time() -> None:
    with endpoint(by_plane(NOTHING, intent=loopback.hang)) as server:
        answers = run(server.url, timeout=5.0, concurrency=1)
    assert [answer.exchange.plane for answer in answers if answer.exchange.problem] == [Plane.INTENT]
    assert server.most_open_requests == 1


def test_an_interrupt_of_the_waiting_thread_ends_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    thread = threading.Thread

    class Interrupting(thread):
        def join(self, timeout: float | None = None) -> None:
            threads.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(threading, "Thread", Interrupting)
    configured = settings("http://127.0.0.1:9/v1")
    with pytest.raises(KeyboardInterrupt):
        run_all(runner(configured), [question_of()], configured, KEY, lambda: False)
    thread.join(threads[0], 10)
    assert not threads[0].is_alive()


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_of_the_environment_is_used_only_if_that_is_configured(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with endpoint(NOTHING) as server:
        (answer,) = run(server.url, (Plane.INTENT,))
        assert answer.exchange.problem == ""
        configured = settings(server.url, use_proxy=True)
        (answer,) = run_all(runner(configured), [question_of()], configured, KEY, lambda: False)
    assert answer.exchange.problem == "the endpoint cannot be reached (ConnectError)"


def test_certificates_that_cannot_be_read_are_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/does/not/exist.pem")
    (answer,) = run("https://127.0.0.1:9/v1", (Plane.INTENT,))
    assert answer.exchange.problem in (
        "the certificates of SSL_CERT_FILE cannot be read",
        "the endpoint cannot be reached (ConnectError)",
    )


def test_a_defect_in_one_exchange_affects_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(answer: Answer, plane: Plane, *rest: object) -> Verified:
        if plane is Plane.TESTS:
            raise RuntimeError("secret text")
        return Verified()

    monkeypatch.setattr(exchange_runner, "verify", broken)
    with endpoint(NOTHING) as server:
        answers = run(server.url)
    problems = {answer.exchange.plane: answer.exchange.problem for answer in answers}
    assert problems == dict.fromkeys(Plane, "") | {Plane.TESTS: "it failed with RuntimeError"}


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate of an unknown issuer for loopback, and a server's context with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    current = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(current - datetime.timedelta(days=1))
        .not_valid_after(current + datetime.timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "certificate.pem", folder / "key.pem"
    public.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return public, context


def test_the_certificate_of_the_endpoint_is_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public, context = certificate(tmp_path)
    with endpoint(NOTHING, tls=context) as server:
        (unknown,) = run(server.url, (Plane.INTENT,))
        assert server.received == []
        monkeypatch.setenv("SSL_CERT_FILE", str(public))
        (known,) = run(server.url, (Plane.INTENT,))
    assert unknown.exchange.problem == "the TLS certificate is not accepted"
    assert known.exchange.problem == ""
