"""The comparison of two versions of a project: differences, and excluded ones."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.security.sandbox.host import WORKING
from tests.workflows.behaviour.compared_project import Results, compared
from wardround.context.run_evidence import InputOrigin, RunState
from wardround.workflows.behaviour.report import is_message_only, statement

BASE = '''\
import asyncio
import os
import threading
import time
from dataclasses import dataclass
from typing import overload


def parse_port(text):
    """Return the port."""
    if text == "":
        return None
    return int(text)


def message(text):
    raise ValueError("bad " + text)


def first_words(lines):
    for line in lines:
        yield line.split()[0]


def cleaned(values):
    return [value for value in values if value]


def printed(name):
    print("hello", name)


async def awaited(value):
    await asyncio.sleep(0)
    return value


async def streamed(value):
    yield value
    yield value


def shouted(name, *, is_loud=False):
    return name.upper() if is_loud else name


def greeted(name, greeting="hello"):
    return greeting + " " + name


def renamed_parameter(text):
    return text + "a"


def added_parameter(text):
    return text


def by_sign(number):
    return "positive" if number >= 0 else "negative"


def measured():
    return time.perf_counter_ns()


def ordered(text):
    return list({text, text + "b", text + "c", text + "d", text + "e", text + "f"})


def endless(count):
    return count


def greedy(count):
    return count


def fatal(count):
    return count


def located():
    raise ValueError("see file.py, line 3")


class Old:
    def __init__(self, value):
        self.value = value


def made(value):
    return Old(value)


@dataclass
class Point:
    x: int
    y: int = 0


def moved(point):
    point.x += 1


class Account:
    limit = 3

    def __init__(self, owner):
        self.owner = owner
        self._cache = 1

    def touch(self):
        self._cache = 2

    def name(self):
        return self.owner

    @property
    def label(self):
        return "account " + self.owner

    @classmethod
    def built(cls, owner):
        return cls(owner + "!")

    @staticmethod
    def size(owner):
        return len(owner)


class Growing:
    def __init__(self):
        self.one = 1

    def total(self):
        return self.one


class Constructed:
    def __init__(self, text):
        self.text = text


def _trimmed(text):
    return text.strip()


def public(text):
    return _trimmed(text) + "."


def _hidden(text):
    return text


def indirect(text):
    return len(_hidden(text)) > 0


def never_called(text):
    return text


def locked(lock):
    return 1


def generated(values):
    return 1


def matched(match):
    return match.group(1)


if os.name == "posix":
    def twice(text):
        return text
else:
    def twice(text):
        return text + "b"


def secret(name):
    return "password = 'hunter2-very-secret'"


def escaping(text):
    return text


def unchanged(text):
    return text  # a comment


MOST = 3


def limited(values):
    return values[:MOST]


class Key:
    def __hash__(self):
        return 1


def joined(parts):
    return "".join(parts)
'''
TESTS = """\
import asyncio
import re
import threading
from lib import core

LOCK = threading.Lock()


class Local:
    def __init__(self, name):
        self.name = name


def test_text():
    assert core.parse_port("12") == 12
    assert core.parse_port("") is None
    try:
        core.message("text")
    except ValueError:
        pass
    assert list(core.first_words(iter(["a b", "c"]))) == ["a", "c"]
    assert core.cleaned(["a", ""]) == ["a"]
    core.printed("you")
    assert core.greeted("you") == "hello you"
    assert core.renamed_parameter("b") == "ba"
    assert core.added_parameter("b") == "b"
    assert core.by_sign(5) == "positive"
    assert core.twice("a") == "a"
    core.secret("a")
    core.escaping("a")
    assert core.unchanged("a") == "a"
    assert core.limited([1, 2, 3]) == [1, 2, 3]
    assert hash(core.Key()) == 1
    assert core.joined(["a", "b"]) == "ab"
    assert core.shouted("you") == "you"
    assert core.public(" a ") == "a."
    assert core.indirect("a")


def test_asynchronous():
    assert asyncio.run(core.awaited(3)) == 3

    async def all_of():
        return [one async for one in core.streamed(3)]

    assert asyncio.run(all_of()) == [3, 3]


def test_unstable():
    core.measured()
    core.ordered("a")
    core.endless(1)
    core.greedy(1)
    core.fatal(7)
    core.made(1)
    try:
        core.located()
    except ValueError:
        pass


def test_objects():
    point = core.Point(1)
    core.moved(point)
    account = core.Account("me")
    account.touch()
    assert account.name() == "me"
    assert account.label == "account me"
    assert core.Account.built("me").owner == "me!"
    assert core.Account.size("me") == 2
    assert core.Growing().total() == 1
    core.Constructed("a")
    core.locked(LOCK)
    core.generated(one for one in [])
    assert core.matched(re.search("b(.)", "abc")) == "c"
    assert core.cleaned([Local("a")])[0].name == "a"
"""
EDITS = [
    ('    if text == "":\n        return None\n    return int(text)', "    return int(text)"),
    ('"bad " + text', '"wrong " + text'),
    ("line.split()[0]", "line.upper().split()[0]"),
    ("[value for value in values if value]", "[value for value in values]"),
    ('print("hello", name)', 'print("hello,", name)'),
    ("sleep(0)\n    return value", "sleep(0)\n    return value + 1"),
    ("    yield value\n    yield value", "    yield value"),
    ('greeting="hello"):\n    return', 'greeting="good day"):\n    return'),
    ('renamed_parameter(text):\n    return text + "a"', 'renamed_parameter(word):\n    return word + "b"'),
    ("added_parameter(text):\n    return text", "added_parameter(text, more):\n    return text + more"),
    ("number >= 0", "number > 0"),
    ("MOST = 3", "MOST = 2"),
    ("return 1\n\n\ndef joined", "return 2\n\n\ndef joined"),
    ('"".join(parts)', '"".join(tuple(parts))'),
    ("name.upper()", "name.title()"),
    ("return time.perf_counter_ns()", "return time.perf_counter_ns() + 1"),
    ("return list({text, ", "return list({text * 1, "),
    ("def endless(count):\n    return count", "def endless(count):\n    while True: pass"),
    ("def greedy(count):\n    return count", "def greedy(count):\n    return len(bytearray(10**11))"),
    ("def fatal(count):\n", "def fatal(count):\n    if count == 7: os._exit(3)\n"),
    ("line 3", "line 4"),
    ("class Old:", "class New:"),
    ("return Old(value)", "return New(value)"),
    ("point.x += 1", "point.x += 2"),
    ("self._cache = 2", "self._cache = 3"),
    ("return self.owner", "return self.owner + self.more()\n\n    def more(self):\n        return self.new"),
    ('"account " + self.owner', '"Account " + self.owner'),
    ('owner + "!"', 'owner + "?"'),
    ("return len(owner)", "return len(owner) + 1"),
    ("        self.one = 1", "        self.one = 1\n        self.two = 2"),
    ("return self.one", "return self.one + getattr(self, 'two', 5)"),
    ("        self.text = text", "        self.text = text\n        self.length = len(text)"),
    ("text.strip()", "text.lstrip()"),
    ("def _hidden(text):\n    return text", "def _hidden(text):\n    return text + text"),
    ("never_called(text):\n    return text", "never_called(text):\n    return text + text"),
    ("locked(lock):\n    return 1", "locked(lock):\n    return 2"),
    ("generated(values):\n    return 1", "generated(values):\n    return 2"),
    ("match.group(1)", "match.group(0)"),
    ('twice(text):\n        return text + "b"', 'twice(text):\n        return text + "c"'),
    ("password = 'hunter2-very-secret'", "password = 'hunter3-very-secret'"),
    ("escaping(text):\n    return text", 'escaping(text):\n    return text + "\\x1b[31m"'),
    ("return text  # a comment", "return text  # another comment"),
]  # fmt: skip


def edited(text: str) -> str:
    for old, new in EDITS:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        text = text.replace(old, new)
    return text


FILES = {
    "lib/__init__.py": "from lib._version import version\n",
    "lib/core.py": BASE,
    "tests/test_core.py": TESTS,
}


@pytest.fixture(scope="module")
def kept() -> dict[str, Results]:
    return {}


@pytest.fixture
def results(repo: GitRepository, kept: dict[str, Results]) -> Results:
    """The comparison of base and head, which is run once."""
    if not kept:
        kept["both"] = Results(compared(repo, FILES, {**FILES, "lib/core.py": edited(BASE)}))
    return kept["both"]


def test_everything_was_run(results: Results) -> None:
    assert (results.run.conditions.state, results.run.conditions.detail) == (RunState.COMPLETE, "")
    assert results.run.conditions.isolation == WORKING[0]
    assert results.run.conditions.environment


def test_a_result_that_became_an_exception_is_shown_with_the_smallest_recorded_call(results: Results) -> None:
    item = results.difference("parse_port")

    assert item is not None
    assert statement(item) == (
        "the result changed for this input: parse_port('') returned None; "
        "it raises ValueError(\"invalid literal for int() with base 10: ''\") now"
    )
    assert (item.path, item.line, item.origin) == ("lib/core.py", 9, InputOrigin.RECORDED)
    assert item.test == "tests/test_core.py::test_text"


def test_another_message_of_the_same_error_is_stated_more_weakly(results: Results) -> None:
    item = results.difference("message")

    assert item is not None
    assert is_message_only(item)
    assert "raises the same error with another message" in statement(item)


@pytest.mark.parametrize(
    ("name", "call", "before", "after"),
    [
        ("first_words", "first_words(iterator ['a b', 'c'])", "iterator ['a', 'c']", "iterator ['A', 'C']"),
        ("cleaned", "cleaned(['a', ''])", "['a']", "['a', '']"),
        ("awaited", "awaited(3)", "3", "4"),
        ("streamed", "streamed(3)", "iterator [3, 3]", "iterator [3]"),
        ("limited", "limited([1, 2, 3])", "[1, 2, 3]", "[1, 2]"),
        ("greeted", "greeted('you')", "'hello you'", "'good day you'"),
        ("renamed_parameter", "renamed_parameter('b')", "'ba'", "'bb'"),
        ("matched", "matched(<match 'bc'>)", "'c'", "'bc'"),
        ("locked", "locked(<unlocked _thread.lock object>)", "1", "2"),
        ("Account.label", "Account(owner='me').label", "'account me'", "'Account me'"),
        ("Account.built", "Account.built('me')", "Account(owner='me!')", "Account(owner='me?')"),
        ("Account.size", "Account.size('me')", "2", "3"),
    ],
)
def test_a_result_is_compared(results: Results, name: str, call: str, before: str, after: str) -> None:
    assert results.texts(name) == (call, before, after)


def test_a_changed_argument_is_compared(results: Results) -> None:
    item = results.difference("moved")

    assert item is not None
    assert (item.before.arguments, item.after.arguments) == (
        ("point=Point(x=2, y=0)",),
        ("point=Point(x=3, y=0)",),
    )


def test_printed_text_is_compared(results: Results) -> None:
    item = results.difference("printed")

    assert item is not None
    assert (item.before.printed, item.after.printed) == ("hello you\n", "hello, you\n")


def test_a_mutated_input_finds_what_no_recorded_one_shows(results: Results) -> None:
    item = results.difference("by_sign")

    assert item is not None
    assert (item.call, item.origin) == ("by_sign(0)", InputOrigin.MUTATED)


def test_an_omitted_parameter_is_mutated_too(results: Results) -> None:
    call, before, after = results.texts("shouted")

    assert "is_loud=True" in call
    assert before != after


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("measured", "its results differ between two runs of the base"),
        ("ordered", "its results differ between two runs of the base"),
        ("endless", "its calls take longer than 0.25 s of CPU time"),
        ("greedy", "its calls use too much memory"),
        ("added_parameter", "its changed parameters do not accept the recorded arguments (parameter more"),
        ("Account.name", "its arguments have objects whose class makes them in another way"),
        ("Growing.total", "its arguments have objects whose class makes them in another way"),
        ("never_called", "no test of the base called it"),
        ("generated", "its arguments cannot be recorded (a generator among them was not consumed)"),
        ("twice", "it has several definitions"),
        ("Key.__hash__", "its result is a hash"),
    ],
)
def test_a_function_that_cannot_be_compared_is_listed_with_the_reason(
    results: Results, name: str, reason: str
) -> None:
    assert results.reason(name).startswith(reason)
    assert results.difference(name) is None


@pytest.mark.parametrize(
    "name",
    ["located", "made", "Account.touch", "Constructed.__init__", "Growing.__init__", "joined", "public"],
)
def test_no_difference_is_shown(results: Results, name: str) -> None:
    assert name == "public" or results.inputs(name)
    assert results.difference(name) is None


def test_a_call_that_ends_the_process_loses_only_itself(results: Results) -> None:
    inputs = results.inputs("fatal")

    assert inputs is not None
    assert inputs[0] >= 1
    assert results.difference("fatal") is None


def test_a_private_function_is_shown_through_a_public_caller_that_differs(results: Results) -> None:
    item = results.difference("_trimmed")

    assert item is not None
    assert item.through == "public"
    assert (item.call, item.before.returned, item.after.returned) == ("public(' a ')", "'a.'", "'a .'")


def test_a_private_function_without_such_a_caller_is_not_shown(results: Results) -> None:
    inputs = results.inputs("_hidden")

    assert inputs is not None
    assert inputs[1] > 0
    assert results.difference("_hidden") is None


def test_secrets_are_not_shown(results: Results) -> None:
    assert "hunter" not in str(results.difference("secret"))


def test_an_unchanged_function_is_not_compared(results: Results) -> None:
    assert results.inputs("unchanged") is None
    assert not results.reason("unchanged")


def test_the_callers_that_would_meet_the_difference_are_listed(repo: GitRepository) -> None:
    use = "from lib.core import parse_port\n\n\ndef ports(all):\n    return [parse_port(a) for a in all]\n"
    files = {**FILES, "lib/use.py": use}
    head = {**files, "lib/core.py": BASE.replace("    return int(text)", "    return int(text) + 1")}

    run = compared(repo, files, head, "lib/core.py::parse_port")

    assert [(difference.function, difference.callers) for difference in run.differences] == [
        ("parse_port", ("lib/use.py:5",))
    ]
