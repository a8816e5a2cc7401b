"""``wardround explain`` and ``wardround rules``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import GitRepository


def test_a_rule_is_explained_within_the_terminal(repo: GitRepository) -> None:
    wide = repo.wardround("explain", "PY053", env={"COLUMNS": "130", "LINES": "30"})
    assert wide.returncode == 0
    head, _, rest = wide.stdout.partition("\n")
    assert head.startswith("python/PY053  ")
    assert any("reported:" in line and "not reported:" in line for line in rest.splitlines())
    narrow = repo.wardround("explain", "PY053", env={"COLUMNS": "80", "LINES": "30"})
    assert "\nreported:\n" in narrow.stdout
    assert "\nnot reported:\n" in narrow.stdout
    assert "^^^" in narrow.stdout
    assert "wardround: ignore[python/PY053] the reason" in narrow.stdout


def test_a_code_of_a_tool_has_no_cases(repo: GitRepository) -> None:
    shown = repo.wardround("explain", "ruff/B006").stdout
    assert shown.startswith("ruff/B006  ")
    assert "reported:" not in shown


def test_an_unknown_rule_is_a_usage_error(repo: GitRepository) -> None:
    done = repo.wardround("explain", "NONE1")
    assert done.returncode == 2
    assert "unknown rule 'NONE1'" in done.stderr


def test_rules_as_json_have_the_sources_of_their_cases(repo: GitRepository) -> None:
    rows = {row["rule"]: row for row in json.loads(repo.wardround("rules", "--format", "json").stdout)}
    bad = rows["python/PY053"]["invalid"]
    assert bad
    assert not any("«" in case or "»" in case for case in bad)


def test_rules_are_written_as_pages(repo: GitRepository, tmp_path: Path) -> None:
    assert repo.wardround("rules", "--pages", str(tmp_path / "docs")).stdout == ""
    index = repo.wardround("rules", "--format", "md").stdout
    assert (tmp_path / "docs" / "README.md").read_text("utf-8") == index
    assert (tmp_path / "docs" / "python" / "PY053.md").read_text("utf-8").startswith("# PY053 ")
