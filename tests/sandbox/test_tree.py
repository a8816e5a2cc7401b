"""The tree of a run is the commit, byte for byte, in a folder that is removed in the end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.change.repository import INDEX, Repository
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.change.trees import MAX_FILE_BYTES
from wardround.errors import GitError
from wardround.sandbox.tree import EphemeralTree


def test_files_modes_and_links_are_those_of_the_commit(repo: GitRepository) -> None:
    repo.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (repo.root / "link").symlink_to("/absent")
    commit = repo.commit({"a/b.py": "B = 1\n", "binary": b"\x00\xff"})
    repo.write("a/b.py", "changed")

    with Repository(repo.root) as repository, EphemeralTree(repository, commit) as tree:
        assert (tree.root / "a" / "b.py").read_text() == "B = 1\n"
        assert (tree.root / "binary").read_bytes() == b"\x00\xff"
        assert os.access(tree.root / "run.sh", os.X_OK)
        assert not os.access(tree.root / "a" / "b.py", os.X_OK)
        assert os.readlink(tree.root / "link") == "/absent"
        assert sorted(os.listdir(tree.root)) == ["a", "binary", "link", "run.sh"]


def test_the_index_has_what_is_staged(repo: GitRepository) -> None:
    repo.commit({"a.py": "A = 1\n"})
    repo.stage({"a.py": "A = 2\n"})
    repo.write("a.py", "A = 3\n")

    with Repository(repo.root) as repository, EphemeralTree(repository, INDEX) as tree:
        assert tree.read("a.py") == b"A = 2\n"


def test_a_file_above_the_limit_of_reviews_is_complete(repo: GitRepository) -> None:
    content = os.urandom(1024) * (MAX_FILE_BYTES // 1024 + 10)
    commit = repo.commit({"big.bin": content, "a.py": "A = 1\n"})

    with Repository(repo.root) as repository, EphemeralTree(repository, commit) as tree:
        assert (tree.root / "big.bin").read_bytes() == content
        assert tree.read("a.py") == b"A = 1\n"


def test_a_submodule_is_an_empty_folder(repo: GitRepository) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendored/other")

    with Repository(repo.root) as repository, EphemeralTree(repository, INDEX) as tree:
        assert list((tree.root / "vendored" / "other").iterdir()) == []


@pytest.mark.parametrize("name", ["..", ".git", ".GIT"])
def test_a_tree_with_a_path_outside_is_rejected(repo: GitRepository, name: str) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x").strip()
    entry = f"100644 {name}\0".encode() + bytes.fromhex(blob)
    inner = repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=entry).strip()
    commit = repo.git("commit-tree", inner, "-m", "x").strip()

    with Repository(repo.root) as repository, pytest.raises(GitError, match="is not written; run git fsck"):
        EphemeralTree(repository, commit)

    assert list(scratch_root(repo.root).iterdir()) == []


def test_nothing_is_written_through_a_link_of_the_same_name(repo: GitRepository, tmp_path: Path) -> None:
    target = tmp_path / "outside"
    target.mkdir()
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x").strip()
    link = repo.git("hash-object", "-w", "--stdin", stdin=os.fsencode(target)).strip()
    folder = repo.git("mktree", stdin=f"100644 blob {blob}\tpwned\n".encode()).strip()
    entries = b"120000 a\0" + bytes.fromhex(link) + b"40000 a\0" + bytes.fromhex(folder)
    root = repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=entries).strip()
    commit = repo.git("commit-tree", root, "-m", "x").strip()

    with Repository(repo.root) as repository, EphemeralTree(repository, commit):
        assert list(target.iterdir()) == []


def test_an_object_that_the_clone_lacks_is_an_error(repo: GitRepository) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{'1' * 40},lost.py")

    with Repository(repo.root) as repository, pytest.raises(GitError, match=r"the object of lost\.py"):
        EphemeralTree(repository, INDEX)


def test_the_tree_of_a_killed_run_is_removed_by_the_next_and_that_of_a_living_one_is_not(
    repo: GitRepository,
) -> None:
    commit = repo.commit({"a.py": "A = 1\n"})
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom wardround.change.repository import Repository\n"
        "from wardround.sandbox.tree import EphemeralTree\n"
        "with Repository(Path(sys.argv[1])) as repository:\n"
        "    tree = EphemeralTree(repository, sys.argv[2])\n"
        "    print(tree.root, flush=True)\n    os._exit(9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, repo.root, commit], capture_output=True, text=True, check=False
    )
    left = Path(done.stdout.strip())
    assert left.exists()

    with Repository(repo.root) as repository, EphemeralTree(repository, commit) as living:
        assert not left.exists()
        with Snapshot(scratch_root(repo.root)):
            assert living.root.exists()
