from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.delivery.branches_on_server import Server


@pytest.fixture(scope="session")
def first_server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The server that others are copies of: making it starts git thirty times."""
    repo = GitRepository(tmp_path_factory.mktemp("server"))
    repo.git("init", "--quiet")
    return Server(repo)


@pytest.fixture
def server(first_server: Server, isolated_folders: Path, tmp_path: Path) -> Server:
    return first_server.copy_to(tmp_path / "server")
