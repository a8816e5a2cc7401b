"""A candidate ends, and leaves nothing to those after it."""

from __future__ import annotations

import pytest

from tests.authoring.repair.small_project import project, verdicts
from tests.conftest import GitRepository

CODE = """\
import functools

MEMO = {}
STATE = [type("State", (), {"step": 0})]


class Settings:
    step = 0


@functools.lru_cache(maxsize=None)
def known(value):
    return step(value)


def step(value):
    return value


def result():
    return known(1) + MEMO.get("step", 0) + STATE[0].step + Settings.step
"""
TESTS = """\
from work import result


def test_the_result_is_two():
    assert result() == 2


def test_text_has_a_length():
    assert len("ab") == 2
"""
TEST = "tests/test_work.py::test_the_result_is_two"
OLD = "    return value\n"
HOSTILE = {
    "loops": "    while True:\n        pass\n",
    "loops and catches": "    while True:\n        try:\n            pass\n        except BaseException:\n"
    "            pass\n",
    "exits": "    import os\n    os._exit(0)\n",
    "kills": "    import os\n    os.kill(os.getpid(), 9)\n",
    "leaves": "    raise SystemExit(0)\n",
    "interrupts": "    raise KeyboardInterrupt\n",
    "ends pytest": "    import pytest\n    pytest.exit('done', 0)\n",
    "skips": "    import pytest\n    pytest.skip('done')\n",
    "takes memory": "    return [bytes(1 << 28) for _ in range(100)]\n",
    "forks": "    import os\n    os.fork()\n    return value\n",
    "remembers": "    MEMO['step'] = 1\n    return value - 1\n",
    "sets a class": "    Settings.step = 1\n    return value - 1\n",
    "changes an object": "    STATE[0].step = 1\n    return value - 1\n",
    "replaces a builtin": "    import builtins\n    builtins.len = lambda text: 3\n    return value\n",
    "goes away": "    import os\n    os.chdir('/')\n    os.environ.clear()\n    return value\n",
    "writes the test": "    import sys\n    with open(sys.modules['test_work'].__file__, 'w') as file:\n"
    "        file.write('def test_the_result_is_two(): pass')\n    return value\n",
    "closes files": "    import os\n    os.closerange(0, 500)\n    return value\n",
    "sets a signal": "    import signal\n    signal.signal(signal.SIGPROF, signal.SIG_IGN)\n    while True:\n"
    "        pass\n",
}
RIGHT, WRONG = "    return value + 1\n", "    return value - 7\n"


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_a_candidate_has_no_effect_on_later_ones(repo: GitRepository, isolation: str) -> None:
    files = {"work.py": CODE, "tests/test_work.py": TESTS, "pytest.ini": "[pytest]\npythonpath = .\n"}
    work = project(repo, files, TEST, isolation=isolation)
    edits = [new for hostile in HOSTILE.values() for new in (hostile, WRONG, RIGHT)]

    found = work.validated(work.observed(), *((OLD, new) for new in edits))

    assert (found.tried, found.problem, found.unstable) == (len(edits), "", ())
    assert verdicts(found) == dict.fromkeys(range(2, len(edits), 3), "")


def test_a_test_file_cannot_be_written_in_the_sandbox(repo: GitRepository) -> None:
    files = {"work.py": CODE, "tests/test_work.py": TESTS, "pytest.ini": "[pytest]\npythonpath = .\n"}
    work = project(repo, files, TEST, isolation="auto")
    writing = HOSTILE["writes the test"].replace("return value", "return value + 1")
    caught = (
        "    import os, sys\n    test = sys.modules['test_work'].__file__\n"
        "    for name in (test, 'pytest.ini', 'conftest.py'):\n"
        "        for act in (lambda: open(name, 'a'), lambda: os.unlink(name),\n"
        "                    lambda: os.rename(name, 'x'), lambda: os.chmod(name, 0),\n"
        "                    lambda: os.rename('tests', 'others')):\n"
        "            try:\n                act()\n            except OSError:\n                continue\n"
        "            return 0\n    return value + 1\n"
    )

    found = work.validated(work.observed(), (OLD, writing), (OLD, caught))

    assert verdicts(found) == {1: ""}
