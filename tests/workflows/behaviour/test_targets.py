"""The choice of the functions and the tests of a comparison."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.workflows.behaviour.definitions import definitions
from wardround.workflows.behaviour.targets import Targets, find_targets
from wardround.workflows.behaviour.tests_to_run import chosen_tests

Find = Callable[..., Targets]


@pytest.fixture
def find(repo: GitRepository) -> Find:
    def found(base: str, head: str, request: str = "", most: int = 40) -> Targets:
        first = repo.commit({"core.py": base})
        repo.commit({"core.py": head})
        with Repository(repo.root) as repository:
            change = repository.between(first, "HEAD")
            texts = repository.blobs
            return find_targets(
                change, lambda blob: (texts.get(blob) or b"").decode() if blob else None, request, most
            )

    return found


def names(targets: Targets) -> list[tuple[str, bool, tuple[str, ...]]]:
    return [(target.name, target.is_changed, target.reaches) for target in targets.targets]


ONE = "def one():\n    return 1\n"
TWO = ONE.replace("1", "2")


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (ONE, ONE.replace("return 1", "# a comment\n    return 1")),
        (ONE, ONE.replace("():", "() -> int:")),
        (ONE, "@cache\n" + ONE),
        ("", ONE),
        (ONE, ""),
        (ONE, "x = (\n"),
    ],
)
def test_nothing_is_compared_without_two_versions_that_differ(find: Find, base: str, head: str) -> None:
    assert names(find(base, head)) == []


def test_a_changed_function_is_a_target(find: Find) -> None:
    assert names(find(ONE, TWO)) == [("one", True, ())]


def test_the_value_of_a_name_changes_the_functions_that_mention_it(find: Find) -> None:
    text = "LIMIT = 1\n\n\ndef limited():\n    return LIMIT\n\n\ndef other():\n    return 1\n"

    assert names(find(text, text.replace("LIMIT = 1", "LIMIT = 2"))) == [("limited", True, ())]


def test_public_functions_that_lead_to_a_private_one_are_run_too(find: Find) -> None:
    text = (
        "def _inner():\n    return 1\n\n\ndef _middle():\n    return _inner()\n\n\n"
        "def outer():\n    return _middle()\n\n\ndef other():\n    return outer()\n"
    )

    found = find(text, text.replace("return 1", "return 2"))

    assert names(found) == [("_inner", True, ()), ("outer", False, ("core.py::_inner",))]


def test_a_private_constructor_step_is_followed_to_where_the_class_is_used(find: Find) -> None:
    text = (
        "class Parser:\n    def __init__(self, text):\n        self._parts = self._split(text)\n\n"
        "    def _split(self, text):\n        return text.split()\n\n\n"
        "def parse(text):\n    return Parser(text)\n"
    )

    found = find(text, text.replace(".split()", ".split(',')"))

    assert [target.name for target in found.targets] == ["Parser._split", "Parser.__init__", "parse"]


def test_a_request_names_a_function_or_a_file(find: Find) -> None:
    base, head = ONE + "\n\n" + ONE.replace("one", "two"), TWO + "\n\n" + TWO.replace("one", "two")

    assert names(find(base, head, "core.py::two")) == [("two", True, ())]
    assert len(find(base, head, "core.py").targets) == 2
    assert names(find(base, head, "core.py::three")) == []


def test_functions_over_the_limit_are_listed(find: Find) -> None:
    base, head = ONE + "\n\n" + ONE.replace("one", "two"), TWO + "\n\n" + TWO.replace("one", "two")

    found = find(base, head, most=1)

    assert [(item.function, item.reason) for item in found.not_compared] == [
        ("two", "at most 1 functions are compared")
    ]


CLASS = (
    "class A:\n    limit = 1\n    size: int = 1\n\n"
    "    def __init__(self):\n        self.x = 1\n        self._y = 1\n"
)


@pytest.mark.parametrize(
    ("before", "after", "is_remade"),
    [
        ("self.x = 1", "self.x = 2", True),
        ("self._y = 1", "self._y = 2", True),
        ("self.x = 1", "self.x = 1\n        if not self.x: raise ValueError", False),
        ("self.x = 1", "self.x = 1\n        self.z = 1", True),
        ("self.x = 1", "self.x = 1\n        self._z = 1", False),
        ("self.x = 1", "pass", False),
        ("        self._y = 1\n", "", False),
        ("self.x = 1", "self.x = 1\n        self.start()", True),
        ("limit = 1", "limit = 2", False),
        ("limit = 1", "limit = 1\n    MOST: Final = 12", False),
        ("size: int = 1", "size: int = 2", False),
        ("limit = 1", "__slots__ = ('x', '_y')", True),
        ("class A:", "class A(B):", True),
    ],
)
def test_a_class_makes_its_objects_in_another_way_by_its_bases_and_constructors(
    before: str, after: str, is_remade: bool
) -> None:
    assert before in CLASS

    first, second = (definitions(item).classes["A"] for item in (CLASS, CLASS.replace(before, after)))

    assert second.is_remade_from(first) is is_remade


@pytest.mark.parametrize(
    "head", ["@dataclass\nclass A:", "class A(BaseModel):", "class A(metaclass=Fields):"]
)
def test_declared_fields_make_state_in_a_class_that_reads_them(head: str) -> None:
    text = CLASS.replace("class A:", head)

    first, second = (definitions(item).classes["A"] for item in (text, text.replace("int = 1", "int = 2")))

    assert second.is_remade_from(first)


def test_tests_that_mention_a_function_are_first(repo: GitRepository) -> None:
    first = repo.commit(
        {
            "core.py": ONE,
            "examples/test_a.py": "",
            "tests/test_b.py": "",
            "tests/test_c.py": "import core\n",
            "tests/test_d.py": "from core import one\n",
        }
    )
    repo.commit({"core.py": TWO})
    with Repository(repo.root) as repository:
        change = repository.between(first, "HEAD")
        targets = find_targets(
            change, lambda blob: (repository.blobs.get(blob or "") or b"").decode(), "", 40
        )

        found = chosen_tests(repository, change, targets.targets)

    assert found == ("tests/test_d.py", "tests/test_c.py", "tests/test_b.py", "examples/test_a.py")
