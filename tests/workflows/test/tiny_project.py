"""A small project whose tests pytest runs with coverage.py, so that recordings in tests are real ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from wardround.workflows.test.plans.plan import TestPlan
from wardround.workflows.test.plans.selection import Target, plan_tests
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import Recording
from wardround.workflows.test.recordings.recording import ENVIRONMENT, read_recording, recording_options

FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": '''\
"""Prices."""

import math
from functools import lru_cache

RATE = 0.2
LIMIT: int = 10


def gross(net: float) -> float:
    """Return the price with tax."""
    return net * (1 + RATE)


def rounded(value):
    return math.floor(value)


@lru_cache
def table():
    return {"a": rounded(1.5)}


def unused():
    return 1


def marked(function):
    def inner(*values):
        return function(*values)

    return inner


@marked
def doubled(value):
    return value * 2
''',
    "shop/basket.py": """\
from shop.prices import gross, table


class Basket:
    size = 3

    def __init__(self):
        self.items = []

    def add(self, net):
        self.items.append(gross(net))

    def total(self):
        return sum(self.items)


class SmallBasket(Basket):
    pass


def lookup(name):
    return table()[name]
""",
    "shop/stock.py": """\
LEFT = {"a": 1}


def left(name):
    return LEFT[name]
""",
    "shop/launch.py": """\
import subprocess
import sys


def version():
    return subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, check=True).stdout
""",
    "shop/cases.py": """\
def cases():
    return [1]


def lines():
    return len(cases())


LINES = lines()
""",
    "tests/test_cases.py": """\
import pytest
from shop import cases


@pytest.mark.parametrize("case", cases.cases())
def test_each_case_is_positive(case):
    assert case > 0


def test_there_is_one_line():
    assert cases.LINES == 1


def test_lines_can_be_counted():
    assert cases.lines() == 1
""",
    "shop/words.txt": "one\n",
    "tests/__init__.py": "",
    "tests/test_prices.py": """\
import pytest
from shop.prices import doubled, gross, rounded


@pytest.mark.parametrize("value", [1, 2])
def test_tax_is_added(value):
    assert gross(value) > value


def test_a_price_is_rounded_down():
    assert rounded(1.7) == 1


def test_a_price_is_doubled():
    assert doubled(2) == 4
""",
    "tests/test_basket.py": """\
import pytest
from shop.basket import Basket, SmallBasket, lookup


@pytest.fixture
def basket():
    return Basket()


class TestBasket:
    def test_a_basket_adds_up(self, basket):
        basket.add(1)
        assert basket.total() > 1

    def test_an_empty_basket_costs_nothing(self, basket):
        assert basket.total() == 0


def test_a_small_basket_has_a_size():
    assert SmallBasket.size == 3


def test_a_name_is_found():
    assert lookup("a") == 1


def test_a_name_is_found_again():
    assert lookup("a") + 0 == 1
""",
    "tests/test_stock.py": """\
from pathlib import Path

import pytest
from shop import stock


@pytest.fixture(scope="module")
def left():
    return stock.left("a")


def test_something_is_left(left):
    assert left == 1


def test_the_same_is_left_later(left):
    assert left > 0


def test_the_words_are_there():
    assert Path("shop/words.txt").read_text() == "one\\n"
""",
    "tests/test_launch.py": """\
from shop.launch import version


def test_the_version_is_printed():
    assert version() == b"1\\n"
""",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-q'\n",
    "README.md": "A shop.\n",
}


def blob(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:40]


def tree(files: Mapping[str, str]) -> TreeUnderTest:
    return TreeUnderTest({path: blob(text) for path, text in files.items()}, files.get)


@dataclass(frozen=True)
class TinyProject:
    """The files of a project, and the recording of a run of all its tests."""

    files: Mapping[str, str]
    recording: Recording = field(repr=False)

    def edited(self, path: str, old: str, new: str) -> dict[str, str]:
        text = self.files[path]
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {path}"
        return {**self.files, path: text.replace(old, new)}

    def plan(self, files: Mapping[str, str], *target: str, since_base: bool = False) -> TestPlan:
        base = tree(self.files) if since_base else None
        return plan_tests([self.recording], tree(files), Target.of(target), base=base)

    def selected(self, files: Mapping[str, str]) -> set[str]:
        """The ids to run, without those that start processes, which always run."""
        return {
            item.id.partition("::")[2] for item in self.plan(files).selected if item.cause != "starts-process"
        }

    def selected_after(self, path: str, old: str, new: str) -> set[str]:
        return self.selected(self.edited(path, old, new))


def run_with_coverage(folder: Path, files: Mapping[str, str], *arguments: str) -> bytes:
    """Run pytest in a folder with these files, and return the data file of coverage.py."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    data = folder.parent / f"{folder.name}.data"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        *recording_options(os.devnull),
        *arguments,
    ]
    own = {"COVERAGE_FILE": str(data), "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **ENVIRONMENT, **own}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return data.read_bytes()


def recorded_project(folder: Path) -> TinyProject:
    data = run_with_coverage(folder, FILES)
    return TinyProject(FILES, read_recording(data, tree(FILES), str(folder), is_complete=True))
