"""A package from a repository that the settings of the base permit is built in the sandbox only."""

from __future__ import annotations

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.sandbox.host import WORKING
from tests.workflows.environments.conftest import git, index, program, repository_with, wheel
from wardround.change.repository import INDEX
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.model import Limits
from wardround.workflows.environments.built import build_environment
from wardround.workflows.test.project.projects import DetectedProject

__all__ = ["index"]
MANIFEST = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
BACKEND = """
import os, socket, zipfile
def build_wheel(folder, settings=None, metadata=None):
    found = []
    for attempt in (
        lambda: open({outside!r}, "w"),
        lambda: socket.create_connection(("127.0.0.1", {port}), 2),
        lambda: found.append(os.environ["API_TOKEN"]),
        lambda: found.extend(os.listdir({private!r})),
    ):
        try: attempt(); found.append("done")
        except (OSError, KeyError): pass
    info = "leaf-1.0.dist-info/"
    files = {{
        "leaf.py": "found = " + repr(found),
        info + "METADATA": "Metadata-Version: 2.1\\nName: leaf\\nVersion: 1.0\\n",
        info + "WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }}
    files[info + "RECORD"] = "".join(path + ",,\\n" for path in [*files, info + "RECORD"])
    with zipfile.ZipFile(os.path.join(folder, "leaf-1.0-py3-none-any.whl"), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return "leaf-1.0-py3-none-any.whl"
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A folder of repositories, and the port that serves its files."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, server.server_port
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("isolation", WORKING)
def test_a_permitted_repository_is_built_in_the_sandbox_and_another_is_rejected(
    isolation: str, tmp_path: Path, index: tuple[Path, str], served: tuple[Path, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    folder, port = served
    outside, home = tmp_path / "outside", tmp_path / "home"
    home.mkdir()
    wheel(index[0], "coverage", "7.0", {"coverage.py": ""})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    backend = BACKEND.format(outside=str(outside), port=port, private=str(home))
    package: dict[str, str | bytes] = {"pyproject.toml": MANIFEST, "backend.py": backend}
    repository_with(tmp_path / "leaf", package).__exit__(None, None, None)
    git(tmp_path, "clone", "-q", "--bare", "leaf", str(folder / "leaf.git"))
    git(folder / "leaf.git", "update-server-info")
    environ = {
        "PATH": os.pathsep.join((program("uv"), os.environ["PATH"])),
        "HOME": str(home),
        "UV_INDEX_URL": index[1],
        "API_TOKEN": "secret",
    }
    line = f"leaf @ git+http://127.0.0.1:{port}/leaf.git"
    build = functools.partial(
        build_environment, DetectedProject("", "python"), side=INDEX, limits=Limits(), environ=environ,
        isolation=isolation,
    )  # fmt: skip
    with repository_with(tmp_path / "repo", {"requirements.txt": line}) as repository:
        with pytest.raises(EnvironmentUnavailable, match="from git"):
            build(repository=repository)
        found = build(repository=repository, git_sources=(f"http://127.0.0.1:{port}/",))

    location = found.environment.visible.read_only[0]
    modules = list(location.glob("python/lib/python*/site-packages/leaf.py"))
    assert [module.read_text() for module in modules] == ["found = []"]
    assert not outside.exists()
