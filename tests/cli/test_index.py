"""``wardround index`` as a user meets it."""

from __future__ import annotations

from tests.conftest import GitRepository

FILES = {"a.py": "def one(): ...\n", "web/b.ts": "export const x = (\n", "README.md": "# x\n"}


def test_only_new_files_are_read(repo: GitRepository) -> None:
    repo.commit(FILES)
    before = repo.fingerprint()
    done = repo.wardround("index")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "2 files indexed, 2 of them new; 1 not, or not entirely, parsed\n"
    assert repo.fingerprint() == before
    repo.commit({"a.py": "def two(): ...\n"})
    assert repo.wardround("index").stdout.startswith("2 files indexed, 1 of them new")


def test_another_commit_can_be_indexed(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.commit({"c.py": ""})
    assert repo.wardround("index", "--at", "HEAD~1").stdout.startswith("2 files indexed")


def test_a_folder_without_a_repository_is_a_usage_error(repo: GitRepository) -> None:
    (repo.root.parent / "plain").mkdir()
    done = repo.wardround("index", "--repo", repo.root.parent / "plain")
    assert done.returncode == 2
    assert "is not in a git repository" in done.stderr
