"""Calls on objects whose class changed: which ones are compared."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared

BASE = """\
class Shelf:
    names = ("a", "b")

    def __init__(self, size):
        self.size = size
        self._unused = None

    def width(self):
        return self.size * 2

    def weight(self):
        return self.size
"""
HEAD = """\
class Shelf:
    names = ("a", "b")
    MOST: int = 12

    def __init__(self, size):
        self.size = size
        self._per_book = 3

    def width(self):
        return self.size * 2 + self.MOST

    def weight(self):
        return self.size * self._per_book
"""
TESTS = """\
from lib.core import Shelf


def test_a_shelf():
    assert Shelf(2).width() == 4
    assert Shelf(2).weight() == 2
"""


def test_private_attributes_and_constants_of_a_plain_class_lose_no_other_call(repo: GitRepository) -> None:
    files = {"lib/__init__.py": "", "lib/core.py": BASE, "tests/test_core.py": TESTS}

    found = Results(compared(repo, files, {**files, "lib/core.py": HEAD}))

    assert found.texts("Shelf.width") == ("Shelf(size=2).width()", "4", "16")
    assert found.difference("Shelf.weight") is None
    assert "makes them in another way" in found.reason("Shelf.weight")


TEXTS = """\
class Text:
    def __init__(self, value):
        self.value = value
        self._source = None

    def as_string(self):
        return self._source

    def to_number(self, base=10):
        return int(self.value, base)

    def as_other(self, required):
        raise SystemExit


def text(value):
    made = Text(value)
    made._source = "'" + value + "'"
    return made


def texts(value):
    return [text(value)]
"""


def test_a_method_that_shows_private_attributes_is_compared(repo: GitRepository) -> None:
    tests = "from lib.core import text, texts\n\n\ndef test_a_text():\n    text('1')\n    texts('1')\n"
    files = {"lib/__init__.py": "", "lib/core.py": TEXTS, "tests/test_core.py": tests}
    head = TEXTS.replace('"\'" + value + "\'"', "'\"' + value + '\"'").replace(
        "[text(value)]", "[text(value)][:1]"
    )

    found = Results(compared(repo, files, {**files, "lib/core.py": head}))

    call, before, after = found.texts("text")
    assert call == "text('1')"
    assert before == "Text(value='1'), with as_string()=\"'1'\", to_number()=1"
    assert after == "Text(value='1'), with as_string()='\"1\"', to_number()=1"
    assert found.difference("texts") is not None
