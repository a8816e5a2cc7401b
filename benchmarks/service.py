"""Measure the service on loopback: 200 clients at once, misuse, a kill in between, and memory.

    python benchmarks/service.py                  # 200 clients, 2 rounds
    python benchmarks/service.py --clients 50 --rounds 1

Each round sends, all at once: submissions of different changes, clients that disconnect within a body,
oversized bodies, slow bodies and wrong tokens. In the first round the server is killed while reviews run.
Afterwards every accepted review must have ended once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import httpx

SCRIPTS = Path(sys.executable).parent
_SECRET = "benchmark"
_TERMINAL = ("done", "failed", "cancelled")
_SOURCE = """\
import subprocess


def total_{n}(prices, seen=[]):
    result = 0
    for price in prices:
        result += eval(price)
    subprocess.run(prices, shell=True)
    return result
"""


class Outcome(NamedTuple):
    """The outcome of one client: the status, the id of an accepted review, and the time in seconds."""

    kind: str
    review: str
    seconds: float


class Server:
    """``wardround serve`` with its own journal."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None
        digest = hashlib.sha256(_SECRET.encode()).hexdigest()
        self._config = folder / "server.toml"
        self._config.write_text(
            f'listen = "127.0.0.1:0"\njournal = "{folder}/journal.sqlite"\n'
            f"[limits]\nworkers = {workers}\nqueue = 1000\nbody-bytes = 1048576\ndiff-bytes = 524288\n"
            f'body-seconds = 3\n[[tokens]]\nname = "b"\nsha256 = "{digest}"\n'
            'scopes = ["reviews:write", "reviews:read", "metrics"]\n',
            encoding="utf-8",
        )

    def start(self) -> float:
        """Start the server and return the seconds until it listened."""
        begun, log = time.monotonic(), self.folder / "log"
        with log.open("wb") as stream:
            self.process = subprocess.Popen(
                [SCRIPTS / "wardround", "serve", "--config", self._config], stderr=stream
            )
        while b'"started"' not in log.read_bytes():
            if self.process.poll() is not None:
                raise SystemExit(log.read_text("utf-8"))
            time.sleep(0.02)
        self.port = json.loads(log.read_text("utf-8").splitlines()[0])["port"]
        return time.monotonic() - begun

    def end(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait()

    @property
    def resident_mib(self) -> float:
        assert self.process is not None
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    @property
    def journal_mib(self) -> float:
        return sum(file.stat().st_size for file in self.folder.glob("journal*")) / 2**20

    def client(self, secret: str = _SECRET) -> httpx.Client:
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", headers=headers, timeout=120, trust_env=False
        )


def submission(number: int) -> bytes:
    lines = _SOURCE.format(n=number).splitlines()
    added = "".join(f"+{line}\n" for line in lines)
    header = "diff --git a/app.py b/app.py\nnew file mode 100644\n--- /dev/null\n+++ b/app.py\n"
    return json.dumps({"diff": f"{header}@@ -0,0 +1,{len(lines)} @@\n{added}"}).encode()


def client(server: Server, number: int) -> Outcome:
    """One client: of ten, six submit, and the others disconnect, exceed a limit, are slow, or have no
    token.
    """
    begun = time.monotonic()
    kind = number % 10
    if kind in (6, 8):
        return Outcome(_raw(server, is_slow=kind == 8), "", time.monotonic() - begun)
    body = b"x" * 2_000_000 if kind == 7 else submission(number)
    try:
        with server.client("wrong" if kind == 9 else _SECRET) as http:
            answer = http.post("/v1/reviews", content=body)
    except httpx.TransportError as error:  # the server closed the connection within an oversized body
        return Outcome(type(error).__name__, "", time.monotonic() - begun)
    review = answer.json()["id"] if answer.status_code == 202 else ""
    return Outcome(str(answer.status_code), review, time.monotonic() - begun)


def _raw(server: Server, *, is_slow: bool) -> str:
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        lines = (
            "POST /v1/reviews HTTP/1.1",
            "Host: x",
            f"Authorization: Bearer {_SECRET}",
            "Content-Length: 500",
        )
        connection.sendall("\r\n".join(lines).encode() + b'\r\n\r\n{"diff"')
        return connection.recv(12)[9:].decode() if is_slow else "disconnected"


def wait_for(server: Server, reviews: Sequence[str]) -> Counter[str]:
    """Wait for all reviews to end, and return how they did."""
    pending, ends = set(reviews), Counter[str]()
    with server.client() as http:
        while pending:
            for review in sorted(pending):
                status = http.get(f"/v1/reviews/{review}/findings").status_code
                if (
                    status == 409
                    and (found := http.get(f"/v1/reviews/{review}").json()["status"]) not in _TERMINAL
                ):
                    break
                ends[found if status == 409 else "done"] += 1
                pending.discard(review)
            time.sleep(0.1)
    return ends


def run_round(server: Server, clients: int, *, kill: bool) -> None:
    begun = time.monotonic()
    with ThreadPoolExecutor(clients) as pool:
        outcomes = list(pool.map(lambda number: client(server, number), range(clients)))
    accepted = [outcome for outcome in outcomes if outcome.review]
    times = sorted(outcome.seconds for outcome in accepted)
    print(f"  clients: {dict(sorted(Counter(outcome.kind for outcome in outcomes).items()))}")
    print(f"  accepted within {statistics.median(times):.2f} s in the median, {times[-1]:.2f} s at most")
    print(f"  memory with {len(accepted)} accepted: {server.resident_mib:.0f} MiB")
    if kill:
        server.end(signal.SIGKILL)
        print(f"  killed, started again in {server.start():.1f} s")
    ends = wait_for(server, [outcome.review for outcome in accepted])
    seconds = time.monotonic() - begun
    print(f"  ended: {dict(ends)}, {len(accepted) / seconds:.1f} reviews a second")
    print(f"  memory: {server.resident_mib:.0f} MiB; journal: {server.journal_mib:.1f} MiB")
    assert ends.total() == len(accepted)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wardround-service-") as name:
        server = Server(Path(name), options.workers)
        print(f"started in {server.start():.1f} s, {server.resident_mib:.0f} MiB")
        for number in range(options.rounds):
            print(f"round {number + 1}")
            run_round(server, options.clients, kill=number == 0)
        begun = time.monotonic()
        server.end(signal.SIGTERM)
        print(f"stopped in {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main()
