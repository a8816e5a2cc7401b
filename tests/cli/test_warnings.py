"""Python's warnings about the text under review are not printed: they are not messages of this program."""

from __future__ import annotations

import pytest

from tests.conftest import SCRIPTS, GitRepository

WARNED_OF = {
    "set in a set of a pattern": "import re\nFOUND = re.compile('[[a]--[b]]+x')\n",
    "set operation in a pattern": "import re\nprint(re.sub(r'[a&&b]', '', 'x'))\n",
    "escape in a pattern's text": "import re\nFOUND = re.findall('\\d[[:alpha:]]', input())\n",
    "escape in a string": "PATH = 'C:\\data'\n",
    "escape in an annotation": 'def f(a: "Literal[\'\\d\']") -> "x is 1":\n    return a\n',
    "identity with a literal": "def f(a: int) -> bool:\n    return a is 1\n",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in WARNED_OF.items()])
@pytest.mark.parametrize("setting", ["default", "error"])
def test_a_review_prints_no_warning_of_pythons(repo: GitRepository, text: str, setting: str) -> None:
    repo.write("app.py", text)
    repo.stage()
    done = repo.run(
        SCRIPTS / "wardround", "review", "--staged", "--no-models", env={"PYTHONWARNINGS": setting}
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Warning" not in done.stderr
    assert "crashed" not in done.stdout
