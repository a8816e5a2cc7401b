"""Edits of which every failing test must be selected: the tests are run, and compared with the plan."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.test.tiny_project import TinyProject, run_with_coverage, tree
from wardround.workflows.test.plans.plan import Cause
from wardround.workflows.test.plans.selection import Target, plan_tests
from wardround.workflows.test.recordings.recording import read_recording
from wardround.workflows.test.recordings.shown_ids import without_parameters

FILES = {
    "lib/__init__.py": "from lib.core import parse as read\nfrom lib.limits import MOST\n",
    "lib/core.py": """\
from lib import limits

HANDLERS = {}


def handles(name):
    def register(function):
        HANDLERS[name] = function
        return function

    return register


@handles("number")
def number(text):
    return int(text)


def parse(text):
    return HANDLERS["number"](text)


def default():
    return 7


class Base:
    kind = "base"

    def name(self):
        return self.kind

    def size(self):
        return limits.MOST


class Child(Base):
    def label(self):
        return f"<{self.name()}>"


try:
    import missing_library

    def fast():
        return "fast"
except ImportError:

    def fast():
        return "slow"


STARTED = default()
""",
    "lib/limits.py": "LEAST = 1\nMOST = LEAST + 9\n",
    "lib/state.py": """\
from lib.core import default

_known = {}


def remembered(key):
    if key not in _known:
        _known[key] = default()
    return _known[key]
""",
    "tests/__init__.py": "",
    "tests/conftest.py": """\
import pytest
from lib.core import Child


@pytest.fixture(scope="session")
def child():
    return made()


def made():
    return Child()
""",
    "tests/cases.py": """\
class Shared:
    made = None

    def test_it_has_a_name(self):
        assert self.made().name() == "base"

    def test_it_has_a_size(self):
        assert self.made().size() == 10
""",
    "tests/test_core.py": """\
from unittest import mock

import lib
import pytest
from lib import core
from tests.cases import Shared


class TestChild(Shared):
    made = core.Child


class TestBase(Shared):
    made = core.Base


def test_text_is_parsed():
    assert lib.read("3") == 3


def test_a_session_starts_with_the_default():
    assert core.STARTED == 7


def test_the_most_is_exported():
    assert lib.MOST == 10


def test_the_default_can_be_replaced():
    with mock.patch("lib.core.default", return_value=2):
        assert core.default() == 2


def test_without_the_library_it_is_slow():
    assert core.fast() == "slow"


@pytest.mark.parametrize("name", sorted(core.HANDLERS))
def test_handlers_are_functions(name):
    assert core.HANDLERS[name].__name__ == name
""",
    "tests/test_session.py": """\
def test_a_child_is_labelled(child):
    assert child.label() == "<base>"


def test_a_child_has_a_kind(child):
    assert child.kind == "base"
""",
}
EDITS = [
    ("lib/core.py", "return int(text)", "return int(text) + 1"),
    ("lib/core.py", "HANDLERS[name] = function", "HANDLERS[name.upper()] = function"),
    ("lib/core.py", "return 7", "return 8"),
    ("lib/core.py", 'kind = "base"', 'kind = "other"'),
    ("lib/core.py", "return self.kind", "return self.kind * 2"),
    (
        "lib/core.py",
        "class Child(Base):\n",
        'class Child(Base):\n    def name(self):\n        return "child"\n\n',
    ),
    ("lib/core.py", "class Child(Base):\n", 'class Child(Base):\n    kind = "child"\n\n'),
    ("lib/core.py", "class Child(Base):\n", "class Child:\n"),
    ("lib/core.py", 'return "slow"', 'return "slower"'),
    ("lib/core.py", "def default():\n    return 7\n", "default = lambda: 8\n"),
    ("lib/core.py", "STARTED = default()", "STARTED = default() + 1"),
    ("lib/core.py", '@handles("number")\n', ""),
    ("lib/limits.py", "LEAST = 1", "LEAST = 2"),
    ("lib/__init__.py", "from lib.core import parse as read", "from lib.core import default as read"),
    ("lib/__init__.py", "from lib.limits import MOST", "from lib.limits import LEAST"),
    ("tests/cases.py", '== "base"', '== "bases"'),
    ("tests/test_core.py", "    made = core.Base\n", "    made = core.Child.mro\n"),
    ("tests/conftest.py", "return Child()", "return None"),
]
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?: - |$)", re.MULTILINE)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> TinyProject:
    folder = tmp_path_factory.mktemp("lib")
    data = run_with_coverage(folder, FILES)
    return TinyProject(FILES, read_recording(data, tree(FILES), str(folder), is_complete=True))


def failing(folder: Path, files: dict[str, str]) -> set[str]:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    return set(_FAILED.findall(done.stdout))


@pytest.mark.parametrize(("path", "old", "new"), EDITS)
def test_every_failing_test_is_selected(
    project: TinyProject, tmp_path: Path, path: str, old: str, new: str
) -> None:
    files = project.edited(path, old, new)
    found = failing(tmp_path, files)
    assert found, "the edit breaks a test"

    plan = plan_tests([project.recording], tree(files), Target())

    chosen = {item.id for item in plan.selected}
    chosen_files = {item.partition("::")[0] for item in chosen}
    missed = {
        item for item in found if not {item, without_parameters(item)} & chosen and item not in chosen_files
    }
    assert missed == set()


def test_most_of_these_edits_leave_tests_out(project: TinyProject) -> None:
    plans = [plan_tests([project.recording], tree(project.edited(*edit)), Target()) for edit in EDITS]

    everything = [
        item
        for item in plans
        if any(each.cause in (Cause.SETTINGS, Cause.UNBOUNDED) for each in item.selected)
    ]
    assert everything == []
    assert sum(bool(item.omitted) for item in plans) > len(plans) / 2
