"""Comments that state that code is intentional."""

from __future__ import annotations

import json

import pytest

from tests.conftest import GitRepository
from wardround.findings import Span
from wardround.processors.intent_comments import is_stated_as_intended

STATED = {
    "same-line": ("drop()  # intentionally not awaited", 1),
    "line-above": ("// on purpose: the cache is rebuilt anyway\ndrop();", 2),
    "block-above": ("/*\n * Best effort.\n */\ndrop();", 4),
    "in-the-block": ("except OSError:\n    # the file may be gone, this is fine\n    pass", 1),
    "sql": ("-- deliberately every pair\nselect 1 from a, b;", 2),
    "tests-only": ("x = 1  # only for tests", 1),
    "no-need": ("# no need to close it, the process ends here\nopen(path)", 2),
}
NOT_STATED = {
    "no-comment": ("drop()", 1),
    "another-comment": ("# drop the rows\ndrop()", 2),
    "in-a-string": ("drop('intentionally')", 1),
    "too-far-above": ("# intentionally\n\ndrop()", 3),
    "below-other-code": ("drop()\nother()  # intentionally", 1),
    "todo": ("drop()  # TODO: intentionally left, mend it", 1),
    "unintentional": ("drop()  # unintentionally lost", 1),
    "not-on-purpose": ("drop()  # not on purpose", 1),
    "question": ("drop()  # is it fine here?", 1),
}


@pytest.mark.parametrize(("text", "line"), STATED.values(), ids=STATED)
def test_a_comment_next_to_the_code_states_the_intent(text: str, line: int) -> None:
    end = line + 1 if "\n" in text.split("\n", line)[-1] else line
    assert is_stated_as_intended(text.split("\n"), Span(line, 1, end, 5))


@pytest.mark.parametrize(("text", "line"), NOT_STATED.values(), ids=NOT_STATED)
def test_other_comments_state_nothing(text: str, line: int) -> None:
    assert not is_stated_as_intended(text.split("\n"), Span(line, 1, line, 5))


_DROPPED = "def f(name):\n    name.strip(){}\n    return name\n"
_UNVERIFIED = "import requests\n\n\ndef f(url):\n    return requests.get(url, verify=False, timeout=2){}\n"
_STATED = "  # intentionally"


def _severities(repo: GitRepository, text: str, *options: str) -> tuple[int, set[str]]:
    repo.write("app.py", text)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "head")
    done = repo.wardround("review", "--base", "HEAD~1", "--format", "json", *options)
    return done.returncode, {finding["severity"] for finding in json.loads(done.stdout)["findings"]}


@pytest.fixture
def base(repo: GitRepository) -> GitRepository:
    repo.write("README.md", "shop\n")
    repo.write(".wardround.toml", 'judge = "off"\n')
    repo.git("add", "-A")
    repo.git("commit", "-qm", "base")
    return repo


def test_a_stated_intent_lowers_a_warning_to_a_note(base: GitRepository) -> None:
    assert _severities(base, _DROPPED.format(""), "--config-from", "head") == (0, {"warn"})
    stated = _DROPPED.format(_STATED).replace("name", "title")
    assert _severities(base, stated, "--config-from", "head") == (0, {"info"})


def test_a_stated_intent_does_not_touch_security(base: GitRepository) -> None:
    _, severities = _severities(base, _UNVERIFIED.format(_STATED), "--config-from", "head")

    assert "warn" in severities


def test_a_stated_intent_does_not_let_an_untrusted_change_pass(base: GitRepository) -> None:
    options = ("--config-from", "base", "--fail-level", "warn")

    assert _severities(base, _DROPPED.format(_STATED), *options) == (1, {"warn"})
