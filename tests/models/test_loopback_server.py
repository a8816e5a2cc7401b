"""A decoder as an endpoint on loopback: for this product's client and others on this machine, and no page."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SCRIPTS, GitRepository
from tests.models.making import SILENT
from wardround.models.loading import DecoderLocation, find_decoder
from wardround.models.loopback_server import DecoderServer

CHAT = "/v1/chat/completions"
JSON = {"Content-Type": "application/json"}
REQUEST: dict[str, Any] = {
    "model": SILENT,
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "n", "schema": {"type": "array", "items": {"type": "integer"}}},
    },
}


@pytest.fixture
def server(decoders: Path) -> Iterator[DecoderServer]:
    found = find_decoder(SILENT, DecoderLocation((decoders,), "cpu", 1))
    with DecoderServer(found.load(), SILENT, found.identity, 0, 60.0) as opened:
        thread = threading.Thread(target=opened.serve_forever)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def send(
    server: DecoderServer, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] = JSON
) -> tuple[int, dict[str, Any]]:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)
    connection.request(method, path, body or None, dict(headers))
    response = connection.getresponse()
    document: dict[str, Any] = json.loads(response.read())
    connection.close()
    return response.status, document


def test_a_completion_has_the_form_of_the_api(server: DecoderServer) -> None:
    status, document = send(server, "POST", CHAT, json.dumps(REQUEST).encode())
    assert (status, document["object"]) == (200, "chat.completion")
    (choice,) = document["choices"]
    assert (choice["message"], choice["finish_reason"]) == ({"role": "assistant", "content": "[]"}, "stop")
    assert document["usage"]["completion_tokens"] == len("[]")
    assert document["model"].startswith(f"local:{SILENT}@")


def test_the_list_of_models_has_the_one_that_is_served(server: DecoderServer) -> None:
    status, document = send(server, "GET", "/v1/models")
    assert (status, [model["id"] for model in document["data"]]) == (200, [SILENT])


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "parameter"),
    [
        ("POST", CHAT, b"{}", JSON, 400, "messages"),
        ("POST", CHAT, json.dumps(REQUEST | {"stream": True}).encode(), JSON, 400, "stream"),
        ("POST", CHAT, b"{}", {"Content-Type": "text/plain"}, 415, "content-type"),
        ("POST", CHAT, b"{}", JSON | {"Origin": "https://example.org"}, 403, "host"),
        ("POST", CHAT, b"{}", JSON | {"Host": "example.org"}, 403, "host"),
        ("POST", CHAT, b"{}", JSON | {"Content-Length": "99999999999"}, 400, "content-length"),
        ("POST", "/v1/completions", b"{}", JSON, 404, "path"),
        ("GET", "/", b"", {}, 404, "path"),
    ],
)
def test_other_requests_are_refused_in_the_form_of_the_api(
    server: DecoderServer,
    method: str,
    path: str,
    body: bytes,
    headers: Mapping[str, str],
    status: int,
    parameter: str,
) -> None:
    found, document = send(server, method, path, body, headers)
    assert (found, document["error"]["param"]) == (status, parameter)


def test_a_request_that_is_too_long_is_refused(server: DecoderServer) -> None:
    long = {"messages": [{"role": "user", "content": "x" * 20_000}]}
    status, document = send(server, "POST", CHAT, json.dumps(long).encode())
    assert status == 422
    assert document["error"]["message"].startswith("the request has ")


def test_reviews_use_the_served_model_as_an_endpoint(repo: GitRepository, server: DecoderServer) -> None:
    repo.commit({"app.py": "x = 1\n"})
    settings = f'[language-model]\nurl = "{server.url}"\nmodel = "{SILENT}"\nplanes = ["security"]\n'
    repo.commit({".wardround.toml": settings})
    repo.commit({"app.py": "x = 1\n\n\ndef limit(values):\n    return values[:11]\n"})
    report = repo.report("--profile", "ci", "--base", "HEAD~1")
    (entry,) = report["language_model"]
    assert entry["model"].startswith(f"local:{SILENT}@")
    assert entry["problems"] == []


def test_the_command_serves_until_it_is_ended(decoders: Path) -> None:
    command = [SCRIPTS / "wardround", "adapters", "serve", SILENT, "--model-folder", decoders, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as served:
        assert served.stderr is not None
        line = served.stderr.readline()
        port = re.fullmatch(
            rf"wardround: local:{SILENT}@\w{{12}} is served at http://127\.0\.0\.1:(\d+)/v1\n", line
        )
        assert port is not None, line
        connection = HTTPConnection("127.0.0.1", int(port[1]), timeout=60)
        connection.request("GET", "/v1/models")
        assert connection.getresponse().status == 200
        connection.close()
        served.send_signal(signal.SIGTERM)
        assert served.wait(60) == 0


def test_the_command_names_what_it_cannot_serve(repo: GitRepository) -> None:
    done = repo.wardround("adapters", "serve", "nobody")
    assert done.returncode == 2
    assert "local model 'nobody': it is not installed; name its folder in model-folders" in done.stderr
