"""``wardround behaviour`` as a user meets it."""

from __future__ import annotations

import json
import sys

import msgspec
import pytest

from tests.conftest import GitRepository
from wardround.context.run_evidence import BehaviourRun

BASE = "def parse_port(text):\n    if not text:\n        return None\n    return int(text)\n"
HEAD = "def parse_port(text):\n    return int(text)\n"
FILES = {
    "ports.py": BASE,
    "test_ports.py": (
        "from ports import parse_port\n\n\n"
        "def test_an_empty_port_is_none():\n    assert parse_port('') is None\n"
    ),
}
ENVIRON = {"VIRTUAL_ENV": sys.prefix}


def behaviour(repo: GitRepository, *arguments: str) -> str:
    done = repo.wardround("behaviour", *arguments, env=ENVIRON)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_changed_result_is_shown_and_nothing_is_written_to_the_repository(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.commit({"ports.py": HEAD})
    before = repo.fingerprint()

    shown = behaviour(repo, "--base", "HEAD~1")

    assert shown.splitlines()[:3] == [
        "ports.py:1: parse_port",
        "  the result changed for this input: parse_port('') returned None; "
        "it raises ValueError(\"invalid literal for int() with base 10: ''\") now",
        "  recorded in test_ports.py::test_an_empty_port_is_none",
    ]
    assert "1 of 1 changed functions compared" in shown
    assert repo.fingerprint() == before


def test_the_staged_change_is_the_default_and_json_is_the_recorded_value(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.stage({"ports.py": HEAD})

    run = msgspec.convert(
        json.loads(behaviour(repo, "--format", "json", "ports.py::parse_port")), BehaviourRun
    )

    assert [difference.call for difference in run.differences] == ["parse_port('')"]


def test_the_old_result_can_be_pinned_in_a_new_file_only(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.commit({"ports.py": HEAD})
    behaviour(repo, "--base", "HEAD~1", "--pin", "old", "--output", "test_pinned.py")

    failing = repo.run(sys.executable, "-m", "pytest", "-q", "test_pinned.py", env={"PYTHONPATH": "."})
    repo.write("ports.py", BASE)
    passing = repo.run(sys.executable, "-m", "pytest", "-q", "test_pinned.py", env={"PYTHONPATH": "."})
    again = repo.wardround(
        "behaviour", "--base", "HEAD~1", "--pin", "new", "--output", "test_pinned.py", env=ENVIRON
    )

    assert (failing.returncode, passing.returncode, again.returncode) == (1, 0, 2)
    assert "test_pinned.py: it exists, and is not replaced" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--head", "HEAD"), "--head needs --base"),
        (("--base", "nothing"), "nothing"),
        (("--base", "HEAD", "--staged"), "name the change in one way"),
        (("ports.py::missing", "--base", "HEAD~1"), "ports.py::missing: no changed function has this name"),
    ],
)
def test_a_wrong_request_is_a_usage_error(
    repo: GitRepository, arguments: tuple[str, ...], words: str
) -> None:
    repo.commit(FILES)
    repo.commit({"ports.py": HEAD})

    done = repo.wardround("behaviour", *arguments, env=ENVIRON)

    assert done.returncode == 2
    assert words in done.stderr


def test_without_an_environment_it_is_inconclusive(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.commit({"ports.py": HEAD})

    done = repo.wardround("behaviour", "--base", "HEAD~1", env={"VIRTUAL_ENV": ""})

    assert done.returncode == 4
    assert "has no Python environment" in done.stderr


def test_a_chosen_test_that_is_never_collected_does_not_end_the_comparison(repo: GitRepository) -> None:
    skipped = "import pytest\n\npytest.importorskip('not_installed')\n\n\ndef test_later():\n    pass\n"
    other = "def test_sum():\n    assert 1 + 1 == 2\n"
    repo.commit({**FILES, "test_later.py": skipped, "test_other.py": other, ".gitignore": "artifacts\n"})
    repo.wardround("test", "--target", "all", env=ENVIRON)
    repo.commit({"ports.py": HEAD})

    assert "parse_port('') returned None" in behaviour(repo, "--base", "HEAD~1")


def test_a_change_without_python_needs_no_environment(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.commit({"notes.txt": "new\n"})

    done = repo.wardround("behaviour", "--base", "HEAD~1", env={"VIRTUAL_ENV": ""})

    assert (done.returncode, done.stdout) == (0, "no changed Python function to compare\n")


def test_nothing_is_compared_without_isolation(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.commit({"ports.py": HEAD})

    done = repo.wardround("behaviour", "--base", "HEAD~1", "--sandbox", "none", env=ENVIRON)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("wardround: functions are compared with isolation only")
