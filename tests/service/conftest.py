"""Real servers on loopback, with a specialist whose reviews last until a test releases them."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import SCRIPTS

WRITER, OTHER, WATCHER = "secret-of-writer", "secret-of-other", "secret-of-watcher"
_DEADLINE_S = 60.0
_NO_TLS = ssl.create_default_context()
"""One context for all clients, which do not use it: each would take 20 ms to load its certificates."""

_SLOW = '''
import os, time
from pathlib import Path
from wardround.checks.base import Check
from wardround.findings import Span
from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

FOLDER = Path(os.environ["SLOW_FOLDER"])

class Slow(Check):
    """A line that waits. A review lasts until it is released."""

    ID = "SLOW001"
    NAME = "slow"

    def run(self):
        name = self.source.text.strip()
        with (FOLDER / "begun").open("a") as log:
            log.write(name + "\\n")
        until = time.monotonic() + 60
        while not (FOLDER / "release").exists() and time.monotonic() < until:
            time.sleep(0.01)
        self.report(Span(1, 1, 1, 2), "waited for " + name)

class SlowSpecialist(Specialist):
    name = "slow"
    patterns = ("*.slow",)
    checks = (Slow,)

@hookimpl
def wardround_specialists():
    return [SlowSpecialist()]
'''


def new_file(path: str, text: str) -> str:
    """A diff that adds a file."""
    lines = text.splitlines()
    added = "".join(f"+{line}\n" for line in lines)
    header = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    return f"{header}@@ -0,0 +1,{len(lines)} @@\n{added}"


def slow_diff(name: str) -> dict[str, str]:
    """A submission whose review lasts until it is released."""
    return {"diff": new_file("a.slow", name)}


def new_client(url: str, headers: Mapping[str, str]) -> httpx.Client:
    """A client of a server. Use it as a context manager."""
    return httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False, verify=_NO_TLS)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, which must hold within the deadline."""
    deadline = time.monotonic() + _DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, "the condition did not hold in time"
        time.sleep(0.02)


@dataclass
class Server:
    """``wardround serve`` as a process, which can be killed and started again with the same journal."""

    folder: Path
    settings: Mapping[str, str | int | float] = field(default_factory=dict)
    limits: Mapping[str, str | int | float] = field(default_factory=dict)
    repositories: Mapping[str, Path] = field(default_factory=dict)
    records: Mapping[str, str | bool] = field(default_factory=dict)
    reviews: Mapping[str, str | bool | list[str]] = field(default_factory=dict)
    webhooks: Sequence[Mapping[str, Any]] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    port: int = 0

    @property
    def log_file(self) -> Path:
        return self.folder / "server.log"

    @property
    def log(self) -> list[dict[str, Any]]:
        """The events of the last start."""
        return [json.loads(line) for line in self.log_file.read_text("utf-8").splitlines()]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the server and wait until it listens."""
        self.folder.mkdir(parents=True, exist_ok=True)
        config = self.folder / "server.toml"
        config.write_text(self._config(), encoding="utf-8")
        _install_slow_plugin(self.folder)
        env = {
            **os.environ,
            **self.env,
            "PYTHONPATH": str(self.folder / "site"),
            "SLOW_FOLDER": str(self.folder),
            "PYTHONFAULTHANDLER": "1",  # a crash of native code is in the log
        }
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [SCRIPTS / "wardround", "serve", "--config", config],
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=env,
                cwd=self.folder,
            )
        wait_until(lambda: b'"started"' in self.log_file.read_bytes() or self._ended())
        started = [event for event in self.log if event["event"] == "started"]
        self.port = started[0]["port"]

    def _ended(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log_file.read_text("utf-8")
        return False

    def _config(self) -> str:
        def lines(values: Mapping[str, Any]) -> str:
            return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())

        named = {name: str(path) for name, path in self.repositories.items()}
        tokens = [
            ("writer", WRITER, ["reviews:write", "reviews:read", "records:read"], sorted(named)),
            ("other", OTHER, ["reviews:write", "reviews:read"], []),
            ("watcher", WATCHER, ["metrics"], []),
        ]
        top = {"listen": "127.0.0.1:0", "journal": str(self.folder / "journal.sqlite"), **self.settings}
        text = lines(top) + f"[limits]\n{lines(self.limits)}[repositories]\n{lines(named)}"
        text += f"[records]\n{lines(self.records)}" if self.records else ""
        text += f"[reviews]\n{lines(self.reviews)}" if self.reviews else ""
        text += "".join(f"[[webhooks]]\n{lines(target)}" for target in self.webhooks)
        for name, secret, scopes, repositories in tokens:
            digest = hashlib.sha256(secret.encode()).hexdigest()
            values = {"name": name, "sha256": digest, "scopes": scopes, "repositories": repositories}
            text += f"[[tokens]]\n{lines(values)}"
        return text

    def client(self, secret: str | None = WRITER) -> httpx.Client:
        """A client with a token. Use it as a context manager."""
        headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        return new_client(self.url, headers)

    def submit(self, submission: Mapping[str, Any], **headers: str) -> str:
        """Submit a change, which must be accepted, and return the id of its review."""
        with self.client() as client:
            response = client.post("/v1/reviews", json=submission, headers=headers)
        assert response.status_code == 202, response.text
        return str(response.json()["id"])

    def review(self, review_id: str) -> dict[str, Any]:
        with self.client() as client:
            document: dict[str, Any] = client.get(f"/v1/reviews/{review_id}").json()
        return document

    def wait_for(self, review_id: str, *statuses: str) -> dict[str, Any]:
        """Wait until a review has one of the statuses, and return it."""
        wait_until(lambda: self.review(review_id)["status"] in statuses)
        return self.review(review_id)

    def begun(self) -> list[str]:
        """The names of the slow reviews that were begun, one for each time."""
        log = self.folder / "begun"
        return log.read_text("utf-8").split() if log.exists() else []

    def release(self) -> None:
        """Let slow reviews end."""
        (self.folder / "release").touch()

    def signal(self, number: int) -> int:
        """Send a signal, wait for the end of the process, and return its status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(_DEADLINE_S)

    def kill(self) -> None:
        """End the process at once, as a loss of power does."""
        if self.process is not None and self.process.poll() is None:
            self.signal(signal.SIGKILL)
        assert self.process is None or self.process.returncode in (0, -signal.SIGKILL), (
            self.log_file.read_text()
        )


def _install_slow_plugin(folder: Path) -> None:
    info = folder / "site" / "acme_slow-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info.parent / "acme_slow.py").write_text(_SLOW, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme_slow\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[wardround]\nacme_slow = acme_slow\n", encoding="utf-8")


@pytest.fixture
def new_server(isolated_folders: Path, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """A function that starts a server with settings; all are killed at the end."""
    servers: list[Server] = []

    def start(**attributes: Any) -> Server:
        server = Server(tmp_path / f"server{len(servers)}", **attributes)
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.kill()


@pytest.fixture(scope="module")
def route_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a module that do not depend on its reviews."""
    folder = tmp_path_factory.mktemp("route-server")
    env = {
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    server = Server(folder, env=env)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def limited_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server with low limits."""
    folder = tmp_path_factory.mktemp("limited-server")
    env = {
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    limits = {"body-bytes": 4096, "diff-bytes": 2048, "body-seconds": 1, "header-seconds": 1}
    server = Server(folder, env=env, limits=limits)
    server.start()
    yield server
    server.kill()
