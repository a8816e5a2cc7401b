"""Generators as arguments: recorded while they are consumed, so that the tests run as without it."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared

BASE = """\
def joined(parts, *, separator="-"):
    return separator.join(parts)


def first(parts):
    return next(parts)


def reached():
    return 1


class Reader:
    def __init__(self, size):
        self.size = size

    def sizes(self, parts):
        return [len(part) * self.size for part in parts]

    def both(self, parts, others):
        return list(zip(parts, others))
"""
TESTS = """\
from lib.core import Reader, first, joined, reached


def parts(seen):
    for text in "abc":
        seen.append(text)
        yield text


def test_all():
    seen = []
    assert joined(parts(seen), separator="+") == "a+b+c"
    assert joined(parts(seen)) == "a-b-c"
    assert Reader(2).sizes(parts(seen)) == [2, 2, 2]


def test_a_generator_goes_on_where_a_function_left_it():
    seen = []
    values = parts(seen)
    assert first(values) == "a"
    assert seen == ["a"]
    assert next(values) == "b"
    reached()
    assert len(Reader(1).both(parts([]), parts([]))) == 3
"""


def test_a_consumed_generator_is_recorded(repo: GitRepository) -> None:
    files = {"lib/__init__.py": "", "lib/core.py": BASE, "tests/test_core.py": TESTS}
    head = (
        BASE.replace("separator.join(parts)", "separator.join(list(parts)[::-1])")
        .replace("next(parts)", "next(parts) * 2")
        .replace("return 1", "return 2")
        .replace("len(part) * self.size", "len(part) + self.size")
        .replace("list(zip(parts, others))", "list(zip(parts, others))[1:]")
    )

    found = Results(compared(repo, files, {**files, "lib/core.py": head}))

    assert found.run.conditions.detail == ""
    assert found.texts("joined") == ("joined(iterator ['a', 'b', 'c'])", "'a-b-c'", "'c-b-a'")
    assert found.texts("Reader.sizes")[1:] == ("[2, 2, 2]", "[3, 3, 3]")
    assert (
        found.reason("first") == "its arguments cannot be recorded (a generator among them was not consumed)"
    )
