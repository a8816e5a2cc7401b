"""A small project with a fault and its failing test, and a model that answers from a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.conftest import GitRepository

CODE = '''\
def total(prices, discount=0):
    """Return the sum of prices, with a discount in percent."""
    result = 0
    for price in prices:
        result += price
    return result * (100 - discount) / 100


def label(item):
    """Return the label of an item, in lower case."""
    return item["name"].lower()
'''
TESTS = """\
from shop import label, total


def test_total():
    assert total([1, 2], 50) == 1.5


def test_label():
    assert label({"name": "Tea"}) == "tea"


def test_label_without_a_name():
    assert label({}) == ""
"""
FAILING = "tests/test_shop.py::test_label_without_a_name"
FILES = {
    "shop.py": CODE,
    "tests/test_shop.py": TESTS,
    "conftest.py": "",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = ["pytest"]\n',
}
ENVIRON = {"VIRTUAL_ENV": sys.prefix}
GOOD = {
    "file": "shop.py",
    "find": '    return item["name"].lower()',
    "replace": '    return item.get("name", "").lower()',
}
AGREES = {"agrees": True, "problems": []}


def solve(repo: GitRepository, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    """Run ``wardround solve`` and return its exit status and its packet."""
    done = repo.wardround("solve", "--sandbox", "none", "--format", "json", *arguments, env=ENVIRON)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def answer_with(**values: object) -> str:
    return json.dumps({"edits": [], "reason": "", **values})


class ExchangeOfFiles:
    """The model of a run: it writes answers next to the requests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def requests(self) -> list[dict[str, Any]]:
        """Return the requests without an answer."""
        files = sorted(self.folder.glob("*/request.json"))
        return [json.loads(file.read_text()) for file in files if not (file.parent / "answer.json").exists()]

    def answer(self, text: str) -> None:
        """Answer every request that has no answer."""
        for file in self.folder.glob("*/request.json"):
            if not (file.parent / "answer.json").exists():
                (file.parent / "answer.json").write_text(text)
