"""Runs of tests and a comparison of behaviour, by the commands, for the tests of the dashboard."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conftest import GitRepository
from tests.lab.dashboard.running import environment

FOLDER = "artifacts/wardround"
BASE = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "ports.py": "def parse_port(text):\n    if not text:\n        return None\n    return int(text)\n",
    "test_ports.py": (
        "import pytest\n\nfrom ports import parse_port\n\n\n"
        "def test_an_empty_port_is_none():\n    assert parse_port('') is None\n\n\n"
        "def test_a_port_is_a_number():\n    assert parse_port('80') == 80\n\n\n"
        "@pytest.mark.skip(reason='no network')\ndef test_a_port_is_open():\n    raise AssertionError\n"
    ),
}
NOT_TESTED = """\
def parse_port(text):
    if not text:
        return None
    port = int(text)
    if port > 65535:
        raise ValueError(text)
    return port
"""
HOSTILE = '<img src=x onerror="document.title=1"> **bold** [link](https://example.com)'
BROKEN = f"""\
def parse_port(text):
    if not text:
        print("\\x1b[31m")
        raise LookupError({HOSTILE!r})
    return int(text)
"""


def fill(folder: Path) -> None:
    """Leave the reports of a run whose tests pass, of one with a failure, and of changed results."""
    repo = GitRepository(folder)
    env = {**environment(folder), "VIRTUAL_ENV": sys.prefix}
    repo.commit(BASE)
    first = repo.commit({"ports.py": NOT_TESTED})
    _test(repo, env, first, "passed", 0, "--mutate", "30")
    last = repo.commit({"ports.py": BROKEN})
    _test(repo, env, last, "failed", 1)
    done = repo.wardround("behaviour", "--base", "HEAD~1", "--format", "json", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    repo.write(f"{FOLDER}/behaviour.json", done.stdout)


def _test(
    repo: GitRepository, env: dict[str, str], commit: str, name: str, status: int, *options: str
) -> None:
    form = f"json={FOLDER}/{name}.json"
    done = repo.wardround(
        "test", "--base", f"{commit}~1", "--head", commit, "--format", form, *options, env=env
    )
    assert (done.returncode, done.stderr) == (status, ""), done.stdout + done.stderr
