"""Texts and kinds from the commits of a real repository."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import GitRepository
from tests.lab.corpora.conftest import commit_at
from wardround.cli.commands import invoke
from wardround.training_tasks import LabelledText
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.corpora.records import rows_of
from wardround_lab.tasks.task_kinds import labelled_messages

COMMITS = (
    ("fix: handle rows without cells", "bug"),
    ("feat(table): sort rows by column", "feature"),
    ("docs(readme): describe the sorting", "documentation"),
    ("chore(deps): update the parser library", "dependency"),
    ("build(deps-dev): update the test runner", "dependency"),
    ("ci: run tests on two versions", "build"),
    ("perf(table): sort large tables once", "performance"),
    ("refactor!: split the table module", "refactoring"),
    ("test: cover rows without cells", "test"),
)
LEFT_OUT = (
    "fix(docs): correct a broken link there",
    "feat(ci): cache the packages of tests",
    "chore: tidy up the old files",
    "Handle rows without cells",
    "fix: feat: two kinds at once",
    "fix: rows",
)


def test_the_prefix_states_the_kind_and_is_not_in_the_text(repo: GitRepository) -> None:
    subjects = [*(subject for subject, _ in COMMITS), *LEFT_OUT]
    for day, subject in enumerate(subjects, 1):
        commit_at(repo, day, {"table.py": f"ROWS = {day}\n"}, subject)
    with RepositoryHistory(repo.root) as history:
        found = list(labelled_messages(history))
    assert [text.label for text in reversed(found)] == [kind for _, kind in COMMITS]
    assert found[-1].text == "handle rows without cells"
    assert found[-1].group == repo.git("rev-list", "--max-parents=0", "HEAD").strip()


def test_messages_are_mined_by_the_command(repo: GitRepository, tmp_path: Path) -> None:
    for day, (subject, _) in enumerate(COMMITS, 1):
        body = "\n\nA body that explains it.\n\nSigned-off-by: A B <a@example.org>"
        commit_at(repo, day, {"table.py": f"ROWS = {day}\n"}, subject + body)
    out = tmp_path / "out"
    assert invoke(["data", "mine", "--task", "kind", "--out", str(out), f"own/table={repo.root}"]) == 0
    texts = list(rows_of(out / "kind.jsonl", LabelledText))
    assert len(texts) == len(COMMITS)
    assert {text.repository for text in texts} == {"own/table"}
    assert texts[-1].text == "handle rows without cells. A body that explains it"
