"""Choices of the function that replaced other code: only replacements that existed before count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.conftest import GitRepository
from wardround.training_tasks import Choice
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.tasks.helper_reuse import mine_reuse_choices

SLUG = (
    "def make_slug(title, separator):\n"
    "    lowered = title.strip().lower()\n"
    "    words = [word for word in lowered.split() if word.isalnum()]\n"
    "    return separator.join(words)\n"
)
PAGE = (
    "def page_path(page):\n"
    "    lowered = page.title.strip().lower()\n"
    "    words = []\n"
    "    for word in lowered.split():\n"
    "        if word.isalnum():\n"
    "            words.append(word)\n"
    "    separator = page.separator\n"
    "    return separator.join(words)\n"
)
SHORT = (
    "from shop.slugs import make_slug\n\n\n"
    "def page_path(page):\n"
    "    return make_slug(page.title, page.separator)\n"
)
OTHERS = "".join(
    f"def other_{name}(value):\n    return value.{name}(value, key='{name}', more=[value, {n}])\n\n\n"
    for n, name in enumerate(["red", "blue", "green", "black", "white", "brown", "pink", "gold", "grey",
                              "teal", "plum", "lime", "navy"])
)  # fmt: skip
BEFORE = {"shop/slugs.py": SLUG, "shop/pages.py": PAGE, "shop/others.py": OTHERS}


def mined(
    repo: GitRepository,
    before: Mapping[str, str],
    after: Mapping[str, str],
    message: str = "Use make_slug in place of a copy",
) -> Sequence[Choice]:
    repo.commit(before)
    write(repo.root, after)
    repo.git("add", "-A")
    repo.git("commit", "-qm", message)
    with RepositoryHistory(repo.root, "acme/shop") as history:
        return list(mine_reuse_choices(history))


def write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def right(choice: Choice) -> list[str]:
    return [choice.candidates[at].split("\n")[0] for at in choice.right]


def test_a_function_that_calls_a_helper_instead_of_its_code_is_a_query(repo: GitRepository) -> None:
    (choice,) = mined(repo, BEFORE, {"shop/pages.py": SHORT})
    assert choice.query.startswith("def page_path(page):\nlowered = page.title.strip().lower()")
    assert right(choice) == ["def make_slug(title, separator):"]
    assert (choice.repository, choice.group.split("@")[0]) == ("acme/shop", "shop/pages.py")
    assert len(choice.candidates) == 14
    assert choice.query not in choice.candidates


def test_a_deleted_function_whose_callers_use_another_one_is_a_query(repo: GitRepository) -> None:
    caller = "def show(page):\n    return '<a>' + {}\n"
    before = {**BEFORE, "shop/views.py": caller.format("page_path(page)")}
    after = {
        "shop/pages.py": "PAGES = 1\n",
        "shop/views.py": caller.format("make_slug(page.title, page.separator)"),
    }
    (choice,) = mined(repo, before, after)
    assert choice.query.startswith("def page_path(page):")
    assert right(choice) == ["def make_slug(title, separator):"]


def test_a_helper_that_the_commit_adds_is_not_a_choice(repo: GitRepository) -> None:
    before = {path: text for path, text in BEFORE.items() if path != "shop/slugs.py"}
    assert mined(repo, before, {"shop/pages.py": SHORT, "shop/slugs.py": SLUG}) == []


def test_a_helper_that_the_commit_removes_is_not_a_choice(repo: GitRepository) -> None:
    after = {"shop/pages.py": SHORT, "shop/slugs.py": "make_slug = print\n"}
    assert mined(repo, BEFORE, after) == []


def test_a_helper_with_other_words_is_not_a_choice(repo: GitRepository) -> None:
    helper = "def make_slug(one, two):\n" + "    one.red(two, blue=one, green=two)\n" * 4
    assert mined(repo, {**BEFORE, "shop/slugs.py": helper}, {"shop/pages.py": SHORT}) == []


def test_a_message_about_something_else_is_not_read(repo: GitRepository) -> None:
    assert mined(repo, BEFORE, {"shop/pages.py": SHORT}, "Fix a typo") == []


def test_tests_are_not_queries(repo: GitRepository) -> None:
    before = {"shop/slugs.py": SLUG, "shop/others.py": OTHERS, "tests/test_pages.py": PAGE}
    assert mined(repo, before, {"tests/test_pages.py": SHORT}) == []
