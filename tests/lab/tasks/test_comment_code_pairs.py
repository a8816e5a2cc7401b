"""Choices mined from a repository's history: each new pair once, unmodified, in an uninformative order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.conftest import GitRepository
from wardround.training_tasks import Choice
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.tasks.comment_code_pairs import CommentCodePair, mine_pair_choices


def pairs(path: str, text: str) -> list[CommentCodePair]:
    """One pair a line: ``words | code``."""
    split = (line.partition(" | ") for line in text.splitlines())
    return [CommentCodePair(words, code) for words, bar, code in split if bar]


def mined(root: Path, *, ask_code: bool = False) -> Sequence[Choice]:
    with RepositoryHistory(root, "acme/shop") as history:
        return list(mine_pair_choices(history, ("*.txt",), pairs, ask_code=ask_code))


def line(word: str) -> str:
    return f"what {word} is | the code of {word}, long enough\n"


def commit(repo: GitRepository, text: str, when: int, path: str = "a.txt") -> None:
    (repo.root / path).parent.mkdir(parents=True, exist_ok=True)
    (repo.root / path).write_text(text)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "change", env={"GIT_COMMITTER_DATE": f"{when} +0000"})


def test_a_pair_is_a_question_only_when_it_was_added(repo: GitRepository) -> None:
    commit(repo, line("one") + line("two"), 1_000_000_000)
    commit(repo, line("one") + line("two") + line("three"), 1_000_000_100)
    commit(repo, line("four") + line("two") + line("three"), 1_000_000_200)
    commit(repo, line("one") + line("four") + line("two") + line("three"), 1_000_000_300)
    found = [(choice.query, choice.time) for choice in mined(repo.root)]
    assert found == [
        ("what one is", 1_000_000_300),
        ("what four is", 1_000_000_200),
        ("what three is", 1_000_000_100),
    ]


def test_the_right_candidate_is_its_own_code_at_any_position(repo: GitRepository) -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    commit(repo, "".join(map(line, words)), 1_000_000_000)
    choices = mined(repo.root)
    assert len(choices) == 6
    for choice in choices:
        word = choice.query.split()[1]
        assert [choice.candidates[at] for at in choice.right] == [f"the code of {word}, long enough"]
    assert len({choice.right for choice in choices}) > 2


def test_in_a_reverse_choice_the_texts_are_the_candidates(repo: GitRepository) -> None:
    commit(repo, "".join(map(line, ["one", "two", "three"])), 1_000_000_000)
    choice = mined(repo.root, ask_code=True)[0]
    assert choice.query == "the code of one, long enough"
    assert [choice.candidates[at] for at in choice.right] == ["what one is"]


def test_duplicate_text_or_code_is_not_a_choice(repo: GitRepository) -> None:
    twice = "what one is | other code, also long enough\nother words | the code of two, long enough\n"
    commit(repo, line("one") + line("two") + line("three") + twice, 1_000_000_000)
    assert all(len(choice.candidates) == 3 for choice in mined(repo.root))


def test_a_sweep_over_many_files_yields_no_choices(repo: GitRepository) -> None:
    text = "".join(map(line, ["one", "two", "three"]))
    for number in range(31):
        (repo.root / f"{number}.txt").write_text(text)
    commit(repo, text, 1_000_000_000)
    assert mined(repo.root) == []
