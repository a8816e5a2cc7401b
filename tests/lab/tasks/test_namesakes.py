"""Choices between functions of one name: the name is hidden, copies and interfaces are excluded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.conftest import GitRepository
from wardround.training_tasks import Choice
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.tasks.namesakes import mine_namesake_choices

ONE = (
    "def parse_date(text):\n"
    "    day, month, year = text.split('.')\n"
    "    return Date(int(year), int(month), int(day))\n"
)
OTHER = (
    "def parse_date(value):\n"
    "    matched = PATTERN.match(value.strip())\n"
    "    if matched is None:\n"
    "        raise ValueError(value)\n"
    "    return parse_date(matched.group(1)) or Date(*map(int, matched.groups()))\n"
)
OTHERS = "".join(
    f"def other_{name}(value):\n    return value.{name}(value, key='{name}')\n\n\n"
    for name in ["red", "blue", "green", "black", "white", "brown", "pink", "gold", "grey", "teal", "plum"]
)


def mined(repo: GitRepository, files: Mapping[str, str]) -> Sequence[Choice]:
    repo.commit({"others.py": OTHERS, **files})
    with RepositoryHistory(repo.root, "acme/shop") as history:
        return list(mine_namesake_choices(history))


def test_the_function_of_the_same_name_is_right_and_the_name_is_hidden(repo: GitRepository) -> None:
    (choice,) = mined(repo, {"a.py": ONE, "b.py": OTHER})
    (right,) = (choice.candidates[at] for at in choice.right)
    assert choice.query.startswith("def f(text):\nday, month, year")
    assert right.startswith("def f(value):\nmatched = ")
    assert "parse_date" not in right
    assert len(choice.candidates) == 12


def test_copies_are_excluded(repo: GitRepository) -> None:
    assert mined(repo, {"a.py": OTHER, "b.py": OTHER.replace("ValueError", "KeyError")}) == []


def test_names_of_many_files_are_those_of_an_interface(repo: GitRepository) -> None:
    more = {f"{name}.py": OTHER.replace("strip", name) for name in ("c", "d", "e")}
    assert mined(repo, {"a.py": ONE, "b.py": OTHER, **more}) == []


def test_names_of_one_word_are_excluded(repo: GitRepository) -> None:
    files = {"a.py": ONE.replace("parse_date", "parse"), "b.py": OTHER.replace("parse_date", "parse")}
    assert mined(repo, files) == []


def test_an_empty_history_has_no_choices(repo: GitRepository) -> None:
    repo.commit({"README.md": "nothing"})
    with RepositoryHistory(repo.root, "acme/shop") as history:
        assert list(mine_namesake_choices(history)) == []
