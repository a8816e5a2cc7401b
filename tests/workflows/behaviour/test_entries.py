"""Functions further up the stack, through which tests call a changed one."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared
from wardround.workflows.behaviour.limits import BehaviourLimits

CORE = (
    "import threading\n\n\n"
    "def words(box):\n    return [one for one in box.text.split() if one.upper() != 'AS']\n\n\n"
    "class Parser:\n"
    "    def __init__(self):\n        self.read = []\n\n"
    "    def parse(self, text):\n"
    "        box = threading.local()\n        box.text = text\n"
    "        self.read.append(words(box))\n        return ' '.join(self.read[-1])\n\n\n"
    "def parse(text):\n    return Parser().parse(text)\n"
)
TESTS = (
    "import pytest\n\nfrom core import parse\n\n\n"
    "@pytest.mark.parametrize('text', ['select a', 'select b AS c', 'select c AS d'])\n"
    "def test_a_text(text):\n    assert 'AS' not in parse(text)\n"
)


@pytest.fixture
def project() -> dict[str, str]:
    return {"core.py": CORE, "test_core.py": TESTS}


def test_a_changed_function_is_shown_through_the_text_that_a_test_passes(
    repo: GitRepository, project: dict[str, str]
) -> None:
    head = CORE.replace("one.upper() != 'AS'", "one != 'AS'")

    found = Results(compared(repo, project, {**project, "core.py": head}))

    item = found.difference("words")
    assert found.reason("words").startswith("its arguments cannot be recorded")
    assert item is not None
    assert (item.path, item.line, item.through) == ("core.py", 4, "parse")
    assert item.call.startswith("parse(")
    assert "as" in str(item.after.returned).lower()
    assert "as" not in str(item.before.returned).lower()


def test_other_state_of_an_object_is_not_a_difference_of_an_entry(
    repo: GitRepository, project: dict[str, str]
) -> None:
    own = TESTS.replace("parse\n\n\n", "Parser\n\n\n").replace("in parse(", "in Parser().parse(")
    head = CORE.replace("return [one for", "return [str(one) for")
    head = head.replace("self.read.append(", "self.read.insert(0, [])\n        self.read.append(")
    files = {**project, "test_core.py": own}

    found = Results(compared(repo, files, {**files, "core.py": head}, request="core.py::words"))

    assert found.run.differences == ()


def test_a_reached_limit_of_cpu_time_is_stated(repo: GitRepository, project: dict[str, str]) -> None:
    head = CORE.replace("one.upper() != 'AS'", "one != 'AS'")

    found = compared(repo, project, {**project, "core.py": head}, limits=BehaviourLimits(replay_cpu_s=0.01))

    assert found.conditions.state.value == "complete"
    assert found.conditions.detail.endswith("calls were not repeated: the limit of CPU time was reached")
