"""Choices mined from commit messages: their own hunk among those of adjacent commits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.conftest import GitRepository
from wardround.training_tasks import Choice
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.tasks.commit_messages import mine_message_choices

START = 1_000_000_000
WORDS = ["basket", "coupon", "ledger", "parcel", "refund", "stock", "tariff", "voucher", "wallet", "zone"]


def mined(root: Path) -> Sequence[Choice]:
    with RepositoryHistory(root, "acme/shop") as history:
        return list(mine_message_choices(history, ("*.py",)))


def commit(repo: GitRepository, message: str, files: dict[str, str], when: int) -> None:
    for path, text in files.items():
        (repo.root / path).write_text(text)
    repo.git("add", "-A")
    repo.git("commit", "-qm", message, env={"GIT_COMMITTER_DATE": f"{when} +0000"})


def history_of(repo: GitRepository, commits: int, *, message: str = "Count every {} only once") -> None:
    for number in range(commits):
        word = f"{WORDS[number % len(WORDS)]}_{number}"
        text = f"def {word}(items):\n    return len(set(items)) + {number}\n"
        commit(repo, message.format(word), {f"{word}.py": text}, START + 100 * number)


def test_the_right_one_is_a_hunk_of_the_commit_itself(repo: GitRepository) -> None:
    history_of(repo, 20)
    choices = mined(repo.root)
    assert len(choices) == 20 - 16 + 1
    for choice in choices:
        word = choice.query.split()[2]
        assert [word in candidate for candidate in choice.candidates].count(True) == 1
        assert [word in choice.candidates[at] for at in choice.right] == [True]
    assert len({choice.right for choice in choices}) > 1


def test_the_others_are_of_the_commits_next_to_it(repo: GitRepository) -> None:
    history_of(repo, 16)
    [choice] = mined(repo.root)
    at = int(choice.query.split()[2].split("_")[1])
    numbers = {int(text.rsplit("+ ", 1)[1].split()[0]) for text in choice.candidates}
    assert numbers == set(range(at - 4, at + 4)) or numbers == set(range(at - 3, at + 5))


def test_routine_and_empty_messages_are_not_questions(repo: GitRepository) -> None:
    history_of(repo, 20, message="Bump {} to the newest version")
    assert mined(repo.root) == []


def test_names_of_files_issues_and_commits_are_removed_from_the_question(repo: GitRepository) -> None:
    history_of(repo, 16, message="Count every {} once in shop/basket.py as 0123abcd asked (#17)")
    [choice] = mined(repo.root)
    assert not any(part in choice.query for part in ("basket.py", "0123abcd", "#17"))


def test_commits_with_the_same_change_are_not_a_question(repo: GitRepository) -> None:
    commit(repo, "Start", {"readme.txt": "a shop\n"}, START - 100)
    for number in range(20):
        path = repo.root / "basket.py"
        if number % 2:
            path.unlink()
        commit(
            repo, "Change how baskets are counted", {} if number % 2 else {path.name: "total = 1\n"}, START
        )
    assert mined(repo.root) == []
