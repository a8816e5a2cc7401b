"""A team's repository: tests whose names mostly summarize in one word what their bodies express by
another.
"""

from __future__ import annotations

import random
from pathlib import Path

from tests.conftest import GitRepository
from tests.lab.corpora.conftest import commit_at
from tests.lab.training.tiny import WORDS

_MEANING = dict(zip(WORDS[:9], WORDS[9:], strict=True))
_TESTS_OF_A_FILE = 6


def repository(root: Path, weeks: int, first: int = 0) -> GitRepository:
    """A repository with a file of six questions a week.

    Args:
        first: number of the first week; other weeks have other questions.
    """
    root.mkdir()
    created = GitRepository(root)
    created.git("init", "--quiet")
    for week in range(weeks):
        part = first + week
        commit_at(created, 7 * part, {f"tests/test_part{part}.py": _file(part)}, f"add part {part}")
    return created


def _file(week: int) -> str:
    reported = random.Random(week)
    return (
        "\n\n".join(_test(reported, word) for word in reported.sample(sorted(_MEANING), _TESTS_OF_A_FILE))
        + "\n"
    )


def _test(told: random.Random, word: str) -> str:
    names = [f"n{told.randrange(10**6)}" for _ in range(3)]
    about = "a_" + _MEANING[word if told.random() < 0.8 else told.choice(sorted(_MEANING))]
    return (
        f"def test_{word}_case():\n"
        f"    {about} = {names[0]}({names[1]})\n"
        f"    assert {about} == {names[2]}({told.randrange(10**6)})\n"
    )
