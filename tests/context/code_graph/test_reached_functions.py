"""The changed functions of a change, and the tests that reach them at the head and at the base."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.conftest import GitRepository
from wardround.change.change_source import FileTexts, GitChangeSource, PatchChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.change.repository import Repository
from wardround.context.code_graph.reached_functions import (
    MOST_TESTS,
    ChangedFunction,
    ReachedFunctions,
    changed_functions,
    reached_functions,
)
from wardround.context.code_graph.symbol_moves import find_moves
from wardround.context.code_graph.update_limit import UpdateLimit

BEFORE = {
    "shop.py": "def total(rows):\n    return sum(rows)\n\ndef unused(rows):\n    return rows\n",
    "test_shop.py": "from shop import total\n\ndef test_total():\n    assert total([1]) == 1\n",
}
AFTER = {
    "shop.py": "def total(rows):\n    return sum(rows) + 1\n\ndef unused(rows):\n    return rows[1:]\n",
}


@contextmanager
def changed(repo: GitRepository, base: str, head: str) -> Iterator[tuple[GitChangeSource, Change]]:
    with Repository(repo.root) as repository:
        change = repository.between(base, head)
        yield GitChangeSource(repository, change), change


def functions_of(source: GitChangeSource, change: Change) -> tuple[ChangedFunction, ...]:
    texts = FileTexts(source, change)

    def read(file: ChangedFile, base: bool) -> str | None:
        return texts.readable(file.path, base=base)

    files = [file for file in change.files if not file.path.startswith("test")]
    return changed_functions(files, read, find_moves(change, read))


def searched(repo: GitRepository, base: str, head: str, *, with_base: bool = False) -> ReachedFunctions:
    with changed(repo, base, head) as (source, change):
        return reached_functions(
            source, change, functions_of(source, change), UpdateLimit(10.0, 100), with_base=with_base
        )


def test_each_changed_function_has_the_tests_that_reach_it(repo: GitRepository) -> None:
    found = searched(repo, repo.commit(BEFORE), repo.commit(AFTER))
    assert [(function.name, function.is_reached, function.is_resolved) for function in found.functions] == [
        ("total", True, True),
        ("unused", False, False),
    ]
    (test,) = found.functions[0].tests
    assert (test.path, test.line, test.name, test.distance) == ("test_shop.py", 3, "test_total", 1)


def test_only_some_tests_are_listed_and_the_others_counted(repo: GitRepository) -> None:
    tests = "".join(f"def test_{number}():\n    total([])\n" for number in range(MOST_TESTS + 3))
    base = repo.commit({**BEFORE, "test_shop.py": f"from shop import total\n{tests}"})
    total = searched(repo, base, repo.commit(AFTER)).functions[0]
    assert (len(total.tests), total.more_tests) == (MOST_TESTS, 3)


def test_documentation_is_not_a_change_of_a_function(repo: GitRepository) -> None:
    base = repo.commit(BEFORE)
    head = repo.commit({"shop.py": BEFORE["shop.py"].replace("(rows):\n", '(rows):\n    """Add."""\n', 1)})
    assert searched(repo, base, head) == ReachedFunctions()


def test_a_function_that_moves_as_it_is_does_not_change(repo: GitRepository) -> None:
    body = (
        "def total(rows):\n    found = 0\n    for row in rows:\n"
        "        found += row.price * row.count\n    return found\n"
    )
    base = repo.commit({"shop.py": body + "\ndef other(): ...\n"})
    head = repo.commit({"shop.py": "\ndef other(): ...\n", "sums.py": body})
    assert searched(repo, base, head) == ReachedFunctions()


def test_the_tests_of_the_base_are_those_that_may_be_lost(repo: GitRepository) -> None:
    base = repo.commit(BEFORE)
    head = repo.commit({**AFTER, "test_shop.py": "def test_other(): ...\n"})
    found = searched(repo, base, head, with_base=True)
    assert [function.is_reached for function in found.functions] == [False, False]
    assert {test.name: names for test, names in found.base_tests.items()} == {
        "test_total": ("shop.py::total",)
    }


def test_a_graph_that_costs_too_much_is_a_problem_and_no_empty_result(repo: GitRepository) -> None:
    base, head = repo.commit(BEFORE), repo.commit(AFTER)
    with changed(repo, base, head) as (source, change):
        none = UpdateLimit(10.0, 0)
        found = reached_functions(source, change, functions_of(source, change), none, with_base=False)
    assert found.functions == ()
    assert found.problem.startswith("the code graph was not built because more than 0 files")


def test_a_diff_without_a_repository_has_no_graph(repo: GitRepository) -> None:
    base, head = repo.commit(BEFORE), repo.commit(AFTER)
    with changed(repo, base, head) as (source, change):
        functions = functions_of(source, change)
    patch = PatchChangeSource("", repo.root)
    assert reached_functions(patch, patch.change, functions, UpdateLimit(10.0, 100), with_base=False).problem


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("Cart.__len__", "class Cart:\n    def __len__(self):\n        return {}\n"),
        ("make.inner", "def make():\n    def inner():\n        return {}\n    return inner\n"),
        ("Cart.price", "class Base:\n    def price(self): ...\n\nclass Cart(Base):\n    def price(self):\n"
         "        return {}\n"),
    ],
)  # fmt: skip
def test_what_runs_without_its_name_is_reached_by_name_alone(
    repo: GitRepository, name: str, definition: str
) -> None:
    test = (
        "from shop import *\n\ndef test_all():\n    assert Cart() and make()\n    assert Base.price(Cart())\n"
    )
    base = repo.commit({"shop.py": definition.format(0), "test_shop.py": test})
    found = searched(repo, base, repo.commit({"shop.py": definition.format(1)}))
    assert [(function.name, function.is_reached, function.is_resolved) for function in found.functions] == [
        (name, True, False)
    ]
