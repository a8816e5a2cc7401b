"""What is under review cannot change the rules it is judged by."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository

BAD = "def start():\n    return missing\n"


@pytest.fixture
def base(repo: GitRepository) -> GitRepository:
    """A repository whose base commit has a configuration of its own."""
    repo.write("pyproject.toml", '[project]\nname = "shop"\n\n[tool.ruff]\nline-length = 100\n')
    repo.write("app.py", "x = 1\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "base")
    return repo


def _rules(repo: GitRepository, *options: str) -> tuple[int, list[str]]:
    status, report = _report(repo, *options)
    return status, [finding["rule"] for finding in report["findings"]]


def _report(repo: GitRepository, *options: str) -> tuple[int, dict[str, list[dict[str, str]]]]:
    import json

    repo.git("add", "-A")
    repo.git("commit", "-qm", "head")
    done = repo.wardround("review", "--base", "HEAD~1", "--format", "json", *options)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".wardround.toml", '[rules]\n"ruff/F821" = "off"\n'),
        (".wardround.toml", 'fail-level = "none"\n'),
        (".wardround.toml", 'skip = ["python"]\n'),
        (".wardround.toml", 'exclude = ["*.py"]\n'),
        ("pyproject.toml", '[tool.wardround]\nfail-level = "none"\n'),
        ("pyproject.toml", '[tool.ruff]\nlint.select = ["E9"]\n'),
        ("pyproject.toml", '[tool.ruff]\nexclude = ["app.py"]\n'),
        ("ruff.toml", 'exclude = ["*"]\n'),
        (".ruff.toml", 'lint.ignore = ["F821"]\n'),
        (".wardround-baseline.json", '{"schema": "wardround.baseline/1", "findings": []}\n'),
    ],
)
def test_a_changed_configuration_does_not_count_and_is_a_finding(
    base: GitRepository, name: str, content: str
) -> None:
    base.write(name, content)
    base.write("app.py", BAD)
    status, rules = _rules(base, "--config-from", "base")
    assert status == 1
    assert "ruff/F821" in rules
    assert "wardround/config-changed" in rules


def test_a_change_of_other_parts_of_pyproject_is_no_finding(base: GitRepository) -> None:
    base.write("pyproject.toml", '[project]\nname = "shop2"\n\n[tool.ruff]\nline-length = 100\n')
    assert _rules(base, "--config-from", "base") == (0, [])


def test_an_added_suppression_does_not_count_and_is_a_finding(base: GitRepository) -> None:
    base.write("app.py", "def start():\n    return missing  # wardround: ignore[ruff/F821] trust me\n")
    status, rules = _rules(base, "--config-from", "base")
    assert status == 1
    assert sorted(rules) == ["ruff/F821", "wardround/config-changed"]


def test_a_suppression_the_base_has_counts_where_its_line_moved(base: GitRepository) -> None:
    waived = "def start():\n    return missing  # wardround: ignore[ruff/F821] made by the framework\n"
    base.write("app.py", waived)
    base.git("add", "-A")
    base.git("commit", "-qm", "waived on the trusted branch")
    base.write("app.py", f"import os\n\n\nprint(os.name)\n\n\n{waived}")
    status, rules = _rules(base, "--config-from", "base")
    assert (status, [rule for rule in rules if rule != "ruff/F821"]) == (0, [])


def test_at_commit_the_developers_own_configuration_counts(base: GitRepository) -> None:
    base.write(".wardround.toml", '[rules]\n"ruff/F821" = "off"\n"ty/unresolved-reference" = "off"\n')
    base.write("app.py", BAD)
    assert _rules(base) == (0, [])


def test_ci_trusts_the_base_by_default(base: GitRepository) -> None:
    base.write(".wardround.toml", 'fail-level = "none"\n')
    base.write("app.py", BAD)
    status, rules = _rules(base, "--profile", "ci")
    assert status == 1
    assert "wardround/config-changed" in rules


def test_an_interpreter_that_is_under_review_is_not_started(base: GitRepository, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    base.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    base.write(".venv/bin/python", f'#!/bin/sh\necho >> {trace}\nexec /usr/bin/env python3 "$@"\n')
    (base.root / ".venv/bin/python").chmod(0o755)
    base.write("app.py", "import os\n\nprint(os.name)\n")
    status, _ = _rules(base, "--profile", "ci")
    assert status == 0
    assert not trace.exists()


def test_an_environment_that_is_not_under_version_control_is_used(
    base: GitRepository, tmp_path: Path
) -> None:
    trace = tmp_path / "started"
    base.write(".gitignore", ".venv/\n")
    base.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    base.write(".venv/bin/python", f'#!/bin/sh\necho >> {trace}\nexec /usr/bin/env python3 "$@"\n')
    (base.root / ".venv/bin/python").chmod(0o755)
    base.write("app.py", "import os\n\nprint(os.name)\n")
    _rules(base, "--profile", "ci")
    assert trace.exists()
