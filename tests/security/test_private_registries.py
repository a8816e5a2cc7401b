"""A registry that requires a token, and packages that try to read the token or to use it for more."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from tests.security.sandbox.host import WORKING
from tests.workflows.environments.conftest import archive_of, program, repository_with, wheel
from wardround.change.repository import INDEX
from wardround.config.sandbox_settings import PrivateRegistry, SandboxSettings
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.certificates import Authority
from wardround.sandbox.model import Limits
from wardround.sandbox.registry_access import RegistryCredential, credential_in
from wardround.sandbox.tree import RunFolder
from wardround.workflows.environments.built import build_environment
from wardround.workflows.environments.conditions import BuildConditions
from wardround.workflows.environments.download import open_downloads, own_python
from wardround.workflows.environments.registries import registries_of
from wardround.workflows.environments.store import store_folder
from wardround.workflows.environments.uv import Uv
from wardround.workflows.test.project.projects import DetectedProject

TOKEN = "npm-" + "q7" * 12


class TokenRegistry:
    """A registry by TLS on loopback, whose folder ``/private`` requires the token.

    Attributes:
        files: path -> content.
        requests: method and path of each request, and its Authorization.
    """

    def __init__(self, folder: Path) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str, str]] = []
        authority = Authority(["localhost"])
        self.certificate = folder / "registry.pem"
        self.certificate.write_bytes(authority.certificate)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        context = authority.server("localhost")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                sent = self.headers.get("Authorization", "")
                registry.requests.append((self.command, self.path, sent))
                is_open = not self.path.startswith("/private") or sent == f"Bearer {TOKEN}"
                content = registry.files.get(self.path.partition("?")[0].rstrip("/"), b"")
                form = f"application/{'vnd.pypi.simple.v1+' * ('/simple/' in self.path)}json"
                self.send_response((200 if content else 404) if is_open else 401)
                self.send_header("Content-Type", form)
                self.send_header("Content-Length", str(len(content) if is_open else 0))
                self.end_headers()
                if is_open and self.command == "GET":
                    self.wfile.write(content)

            do_HEAD = do_PUT = do_POST = do_GET  # noqa: N815  (the names that the server calls)

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing."""

        return Handler

    def settings(self) -> tuple[PrivateRegistry, ...]:
        return (PrivateRegistry(f"{self.url}/private/", "PRIVATE_TOKEN"),)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[TokenRegistry]:
    found = TokenRegistry(tmp_path)
    yield found
    found.server.shutdown()
    found.server.server_close()


ATTEMPTS = r"""
import http.client, os, pathlib, ssl, socket, sys
proxy, host = os.environ["HTTPS_PROXY"].removeprefix("http://").split(":"), {host!r}
def connected():
    raw = socket.create_connection((proxy[0], int(proxy[1])))
    raw.sendall(f"CONNECT {{host}} HTTP/1.1\r\n\r\n".encode())
    raw.recv(1000)
    return ssl.create_default_context().wrap_socket(raw, server_hostname=host.split(":")[0])
def send(text):
    try:
        with connected() as secure:
            secure.sendall(text.encode())
            return secure.recv(100).split(b"\r\n")[0].decode()
    except OSError as cause: return type(cause).__name__
end = " HTTP/1.1\r\nHost: x\r\n"
print("package", send("GET /private/leaf" + end + "\r\n"))
for method, path, fields in (
    ("PUT", "/private/leaf", ""), ("POST", "/private/leaf", ""), ("DELETE", "/private/leaf", ""),
    ("GET", "/admin", ""), ("GET", "/private/../admin", ""), ("GET", "/private/%2e%2e/admin", ""),
    ("GET", "/private/..%2fadmin", ""), ("GET", "/private/%252e%252e/admin", ""),
    ("GET", "/private//admin", ""), ("GET", "/privateer", ""), ("GET", "/private/.\\..\\admin", ""),
    ("GET", "/private/leaf", "Host: other.example\r\nX-HTTP-Method-Override: PUT\r\n"),
    ("GET", "/private/leaf", "X: a\n\nPUT /private/leaf HTTP/1.1\r\n"),
    ("GET", "/private/leaf?a\n\nPUT\t/private/leaf", ""),
    ("GET", "/private/leaf", "Content-Length: 40\r\n\r\nPUT /private/leaf HTTP/1.1\r\n"),
    ("TRACE", "/private/leaf", ""),
):
    send(method + " " + path + end + fields + "\r\n")
seen = [str(dict(os.environ))]
for place in [*pathlib.Path("/proc").glob("*/environ"), *pathlib.Path("/proc").glob("*/cmdline"),
              *(p for p in pathlib.Path("/tree").rglob("*") if p.is_file())]:
    try: seen.append(place.read_bytes().decode("latin-1"))
    except OSError: pass
print("read", "".join({halves!r}) in "".join(seen))
"""


@pytest.mark.parametrize("isolation", WORKING)
def test_a_package_neither_reads_the_token_nor_uses_it_for_more_than_packages(
    isolation: str, tmp_path: Path, registry: TokenRegistry
) -> None:
    work, empty = tmp_path / "work", tmp_path / "empty"
    for folder in (work, empty):
        folder.mkdir()
    registry.files["/private/leaf"] = registry.files["/admin"] = b"content"
    environ = {
        "PATH": os.environ["PATH"], "HOME": str(empty), "PRIVATE_TOKEN": TOKEN,
        "SSL_CERT_FILE": str(registry.certificate),
    }  # fmt: skip
    conditions = BuildConditions(
        Limits(wall_s=60), environ, isolation, private_registries=registry.settings()
    )
    halves = (TOKEN[:9], TOKEN[9:])  # the program itself does not contain the token
    text = ATTEMPTS.format(host=registry.url.removeprefix("https://"), halves=halves)
    with (
        repository_with(tmp_path / "repo", {"a": ""}) as repository,
        open_downloads(
            RunFolder(work, empty, (repository.root, repository.git_dir)),
            registries_of(conditions),
            conditions,
        ) as downloads,
    ):
        downloads.run(own_python(), ["-I", "-c", text], "try")

    log = (tmp_path / "download.log").read_text()
    assert log.splitlines() == ["package HTTP/1.1 200 OK", "read False"]
    with_token = [(method, path) for method, path, sent in registry.requests if sent]
    assert set(with_token) == {("GET", "/private/leaf")}
    assert ("GET", "/admin", "") in registry.requests
    assert {method for method, _, _ in registry.requests} == {"GET"}


def python_package(registry: TokenRegistry, folder: Path) -> dict[str, str | bytes]:
    """Serve a wheel and its index page, and return the files of a project that requires it."""
    for name, version in (("leaf", "1.0"), ("coverage", "7.0")):
        built = wheel(folder / "wheels", name, version, {f"{name}.py": ""})
        content = built.read_bytes()
        file = {
            "filename": built.name, "url": f"../../files/{built.name}",
            "hashes": {"sha256": hashlib.sha256(content).hexdigest()},
        }  # fmt: skip
        page = {"meta": {"api-version": "1.0"}, "name": name, "files": [file]}
        registry.files[f"/private/simple/{name}"] = json.dumps(page).encode()
        registry.files[f"/private/files/{built.name}"] = content
    return {"requirements.txt": "leaf"}


def npm_package(registry: TokenRegistry, folder: Path) -> dict[str, str | bytes]:
    """Serve an archive, and return the files of a project whose lock file names it."""
    content = archive_of("package", {"package.json": '{"name": "leaf", "version": "1.0.0"}', "leaf.py": ""})
    registry.files["/private/leaf/-/leaf-1.0.0.tgz"] = content
    manifest = {"name": "root", "version": "1.0.0", "dependencies": {"leaf": "1.0.0"}}
    leaf = {"version": "1.0.0", "resolved": f"{registry.url}/private/leaf/-/leaf-1.0.0.tgz"}
    packages = {"": manifest, "node_modules/leaf": leaf}
    lock = {"name": "root", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}
    return {"package.json": json.dumps(manifest), "package-lock.json": json.dumps(lock)}


Served = Callable[[TokenRegistry, Path], dict[str, str | bytes]]


@pytest.fixture
def environ(tmp_path: Path, registry: TokenRegistry, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a caller whose registry is the one of the token."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return {
        "PATH": os.pathsep.join((*map(program, ("uv", "npm", "node")), os.environ["PATH"])),
        "HOME": str(tmp_path),
        "UV_DEFAULT_INDEX": f"{registry.url}/private/simple",
        "npm_config_registry": f"{registry.url}/private/",
        "SSL_CERT_FILE": str(registry.certificate),
        "PRIVATE_TOKEN": TOKEN,
    }


@pytest.mark.parametrize(("language", "served"), [("python", python_package), ("javascript", npm_package)])
def test_packages_of_a_private_registry_are_installed_and_the_token_stays_with_the_proxy(
    language: str, served: Served, tmp_path: Path, registry: TokenRegistry, environ: dict[str, str]
) -> None:
    with repository_with(tmp_path / "repo", served(registry, tmp_path)) as repository:
        build_environment(
            DetectedProject("", language), repository, INDEX, limits=Limits(wall_s=60), environ=environ,
            private_registries=registry.settings(),
        )  # fmt: skip

    retained = [Path(top, name) for top, _, names in os.walk(store_folder()) for name in names]
    assert "leaf.py" in {path.name for path in retained}
    assert not [path for path in retained if TOKEN.encode() in path.read_bytes()]


def test_a_variable_of_a_token_that_is_not_set_is_named(
    tmp_path: Path, registry: TokenRegistry, environ: dict[str, str]
) -> None:
    del environ["PRIVATE_TOKEN"]
    with (
        repository_with(tmp_path / "repo", python_package(registry, tmp_path)) as repository,
        pytest.raises(EnvironmentUnavailable, match="no token of PRIVATE_TOKEN was sent, as it is not set"),
    ):
        build_environment(
            DetectedProject("", "python"), repository, INDEX, limits=Limits(wall_s=60), environ=environ,
            private_registries=registry.settings(),
        )  # fmt: skip


@pytest.mark.parametrize("is_variable", [True, False])
def test_the_password_in_the_address_of_an_index_goes_to_the_proxy(is_variable: bool, tmp_path: Path) -> None:
    address = "https://user:p%40ss@packages.example/team/simple"
    settings = tmp_path / "uv" / "uv.toml"
    settings.parent.mkdir()
    settings.write_text("" if is_variable else f'[[index]]\nurl = "{address}"\ndefault = true\n')
    environ = {"PATH": program("uv"), "XDG_CONFIG_HOME": str(tmp_path)}
    environ |= {"UV_DEFAULT_INDEX": address} if is_variable else {}
    uv = Uv(tmp_path / "repo", environ)

    (found,) = registries_of(BuildConditions(Limits(), environ), uv.configured_indexes).credentials

    assert uv.indexes == ("https://packages.example/team/simple",)
    assert (found.address.host, found.folder) == ("packages.example", "/")
    assert found.fields("/team/files/leaf.whl") == ("Authorization: Basic dXNlcjpwQHNz",)
    assert credential_in("https://packages.example/simple") is None


def test_a_token_that_would_add_a_field_is_rejected() -> None:
    with pytest.raises(EnvironmentUnavailable, match=r"packages\.example has characters"):
        RegistryCredential("https://packages.example/", "a\r\nX: b")


def test_the_token_of_a_registry_cannot_be_a_variable_of_runs() -> None:
    private = {"url": "https://packages.example/", "token": "PRIVATE_TOKEN"}
    settings = {"private-registries": [private], "environment": ["PRIVATE_TOKEN"]}

    with pytest.raises(msgspec.ValidationError, match="which no run may have"):
        msgspec.convert(settings, SandboxSettings)
