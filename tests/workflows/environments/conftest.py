"""Repositories, packages and indexes for builds of environments, all made on this machine."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.change.repository import INDEX, Repository
from wardround.sandbox.model import Limits, Outcome
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.workflows.environments.model import Environment, link_packages


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content.encode() if isinstance(content, str) else content)


def repository_with(root: Path, files: dict[str, str | bytes]) -> Repository:
    """Create a repository with one commit of some files."""
    root.mkdir(exist_ok=True)
    git(root, "init", "-q")
    write(root, files)
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "files")
    return Repository(root)


def program(name: str) -> str:
    """Return the folder of a program; the test is skipped without it, but never on CI."""
    found = shutil.which(name, path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs {name}")
        pytest.skip(f"{name} is not installed")
    return str(Path(found).parent)


def run_in(repository: Repository, environment: Environment, command: list[str], log: Path) -> Outcome:
    """Run a command in a fresh tree with an environment."""
    with EphemeralTree(repository, INDEX) as tree:
        link_packages(environment, tree.root)
        return run(command, tree, Limits(wall_s=60), log=log, visible=environment.visible)


def wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> Path:
    """Write a wheel of pure Python."""
    info = f"{name}-{version}.dist-info"
    content = dict(files)
    content[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    content[f"{info}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    rows = []
    for path, text in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(text.encode())}")
    content[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""])
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path, text in content.items():
            archive.writestr(path, text)
    return target


def archive_of(top: str, files: dict[str, str]) -> bytes:
    """Return a compressed tar archive with all files below one folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"{top}/{path}")
            member.size = len(text.encode())
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


DATE = ".date"


def release(file: Path, day: str) -> None:
    """Let an index report the day of the release of a distribution."""
    file.with_name(file.name + DATE).write_text(day)


def release_time(file: Path) -> dict[str, str]:
    day = file.with_name(file.name + DATE)
    return {"upload-time": f"{day.read_text()}T12:00:00Z"} if day.exists() else {}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder of distributions, and the address of a package index on loopback that serves them."""
    folder = tmp_path / "distributions"
    folder.mkdir()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, _, name = self.path.strip("/").partition("/")
            if kind == "files":
                content, form = (folder / name).read_bytes(), "application/octet-stream"
            else:
                files = [
                    {
                        "filename": item.name, "url": f"/files/{item.name}",
                        "hashes": {"sha256": hashlib.sha256(item.read_bytes()).hexdigest()},
                        **release_time(item),
                    }
                    for item in sorted(folder.iterdir())
                    if item.name.startswith(f"{name}-") and item.suffix != DATE
                ]  # fmt: skip
                page = {"meta": {"api-version": "1.0"}, "name": name, "files": files}
                content, form = json.dumps(page).encode(), "application/vnd.pypi.simple.v1+json"
            self.send_response(200)
            self.send_header("Content-Type", form)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        do_HEAD = do_GET  # noqa: N815  (the name that the server calls)

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}/simple"
    server.shutdown()
    server.server_close()
