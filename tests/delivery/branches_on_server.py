"""A repository with two branches on a server, and checkouts of it as CI systems make them."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

from tests.conftest import GitRepository

DEFECT = "UPDATE {name} SET a = NULL WHERE b = NULL;\n"


class Server:
    """A repository on a server: main, where others commit, and topic, which branched off after the first
    commit.

    ``merge`` is the server's merge of both, as ``refs/pull/7/merge``.
    """

    def __init__(self, repo: GitRepository) -> None:
        self.repo = repo
        for setting in ("allowAnySHA1InWant", "allowFilter"):
            repo.git("config", f"uploadpack.{setting}", "true")
        self.root = repo.commit({"root.sql": "SELECT 1;\n"})
        self.others = [repo.commit({f"other{n}.sql": DEFECT.format(name=f"other{n}")}) for n in (1, 2, 3)]
        repo.git("checkout", "-q", "-b", "topic", self.root)
        self.topic = [repo.commit({f"topic{n}.sql": DEFECT.format(name=f"topic{n}")}) for n in (1, 2)]
        repo.git("checkout", "-q", "--detach", "main")
        repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
        self.merge = repo.git("rev-parse", "HEAD").strip()
        repo.git("update-ref", "refs/pull/7/merge", self.merge)
        repo.git("tag", "--annotate", "-m", "second", "v2", "topic")
        self.tag = repo.git("rev-parse", "v2").strip()
        repo.git("update-ref", "refs/pull/7/head", self.topic[-1])
        repo.git("checkout", "-q", "main")

    def checkout(self, folder: Path, commit: str, *, depth: int = 0, branches: str = "*") -> GitRepository:
        """A detached work tree, as actions/checkout and the git plugin of Jenkins leave it."""
        created = GitRepository(folder)
        created.git("init", "-q")
        created.git("remote", "add", "origin", f"file://{self.repo.root}")
        if branches and not depth:
            created.git(
                "fetch", "-q", "--no-tags", "origin", f"+refs/heads/{branches}:refs/remotes/origin/{branches}"
            )
        created.git("fetch", "-q", "--no-tags", *([f"--depth={depth}"] if depth else []), "origin", commit)
        created.git("checkout", "-q", "--detach", commit)
        return created

    def copy_to(self, folder: Path) -> Server:
        """Return a server of its own with the same commits."""
        shutil.copytree(self.repo.root, folder, symlinks=True)
        copied = copy.copy(self)
        copied.repo = GitRepository(folder)
        copied.others, copied.topic = list(self.others), list(self.topic)
        return copied
