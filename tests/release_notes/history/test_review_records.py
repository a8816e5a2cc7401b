"""Records of reviews next to the statements of the commits that were reviewed."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from tests.conftest import GitRepository
from tests.records.sample_reviews import FACTS, record
from wardround.change.repository import Repository
from wardround.records import store
from wardround.records.commit_message import NOTES
from wardround.release_notes.history.revisions import revisions_of_range
from wardround.release_notes.notes import Sources, write_notes


def _records(repo: GitRepository, file: Path | None = None) -> dict[str, tuple[str, ...]]:
    with Repository(repo.root) as repository:
        notes = write_notes(repository, revisions_of_range(repository, "v1..HEAD"), Sources(file))
    return {statement.text: statement.records for statement in notes.statements}


def test_records_are_those_that_commits_name_and_those_of_the_store(
    repo: GitRepository, tmp_path: Path
) -> None:
    repo.commit({"shop.py": "x = 0\n"}, "Initial commit")
    repo.git("tag", "v1")
    named, noted, stored = "1" * 64, "2" * 64, record(None)
    repo.commit({"shop.py": "x = 1\n"}, f"Add a\n\nWardround-Record: sha256:{named}")
    repo.commit({"shop.py": "x = 2\n"}, "Add b")
    repo.git("notes", f"--ref={NOTES}", "add", "--message", f"Wardround-Record: sha256:{noted}")
    early = {"GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"}  # a record is younger than its commit
    repo.stage({"shop.py": "x = 3\n"})
    repo.git("commit", "--quiet", "--message", "Add c", env=early)
    head = repo.git("rev-parse", "HEAD").strip()
    file = tmp_path / "records.sqlite"
    with store.open_store(file) as records:
        records.append(stored, replace(FACTS, head=head))
    found = _records(repo, file)
    assert (found["Add a"], found["Add b"]) == ((named,), (noted,))
    assert found["Add c"] == (stored.digest,)
    assert _records(repo, tmp_path / "none.sqlite")["Add c"] == ()
    assert not (tmp_path / "none.sqlite").exists()
