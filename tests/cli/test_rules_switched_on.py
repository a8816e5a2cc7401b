"""Rules that our selection excludes: if a configuration names one, its tool is run with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from wardround.rules.tool_map import ToolMapFile, load_tool_map

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import GitRepository

LONG = f"x = {'1' * 200}\n"
MODULE = f"class Shop: ...\n\n\nprint(Shop, end='')\n{LONG}"


def reported(repo: GitRepository, rules: str, *arguments: str, **files: str) -> list[tuple[str, str, str]]:
    """(file, rule, severity) of a staged change with these rules."""
    repo.stage({".wardround.toml": f"[rules]\n{rules}\n", "a.py": MODULE, **files})
    return [(f["file"], f["rule"], f["severity"]) for f in repo.report(*arguments)["findings"]]


@pytest.mark.parametrize("key", ["ruff/E501", "ruff/E5*", "ruff/E*", "ruff/*"])
def test_a_code_or_family_of_ruff(repo: GitRepository, key: str) -> None:
    assert ("a.py", "ruff/E501", "error") in reported(repo, f'"{key}" = "error"')


def test_without_it_nothing_is_reported(repo: GitRepository) -> None:
    assert reported(repo, '"ruff/E501" = "off"') == []


def test_it_is_requested_where_it_is_configured(repo: GitRepository) -> None:
    files = {"pkg/.wardround.toml": '[rules]\n"ruff/E501" = "warn"\n', "pkg/b.py": MODULE, "c.py": MODULE}
    found = reported(repo, "", **files)
    assert found == [("pkg/b.py", "ruff/E501", "warn")]


def test_what_is_in_the_cache_was_asked_otherwise(repo: GitRepository) -> None:
    assert reported(repo, "") == []
    assert reported(repo, '"ruff/E501" = "warn"') == [("a.py", "ruff/E501", "warn")]
    assert reported(repo, "") == []


def test_a_project_with_a_ruff_configuration_of_its_own(repo: GitRepository) -> None:
    ruff = 'lint.select = ["F"]\nlint.ignore = ["E501"]\n'
    found = reported(repo, '"ruff/E501" = "warn"', **{"ruff.toml": ruff})
    assert ("a.py", "ruff/E501", "warn") in found


def test_a_code_of_ty(repo: GitRepository) -> None:
    tool_map = load_tool_map("ty").content
    assert "missing-module-member" in tool_map.ignore
    rules = '"ty/missing-attribute" = "error"\n"ty/missing-module-member" = "error"'
    found = reported(repo, rules, **{"a.py": "class Shop: ...\n\n\nprint(Shop().nosuch)\n"})
    assert [(file, severity) for file, rule, severity in found if rule.startswith("ty/")] == [
        ("a.py", "error")
    ]


def test_a_code_of_oxlint(repo: GitRepository) -> None:
    files = {"b.ts": "var x = 1;\nexport const y = x;\n"}
    assert reported(repo, '"oxlint/no-var" = "error"', **files) == [("b.ts", "oxlint/no-var", "error")]


def test_an_unknown_code_is_rejected(repo: GitRepository) -> None:
    repo.stage({".wardround.toml": '[rules]\n"ruff/XYZ999" = "warn"\n', "a.py": MODULE})
    done = repo.wardround("review")
    assert done.returncode == 2
    assert "'ruff/XYZ999' matches no known rule" in done.stderr


@pytest.mark.parametrize(
    ("key", "codes"),
    [
        ("A1", ()), ("A2", ("A2",)), ("B1", ("B1",)), ("A*", ("A*",)), ("*", ("*",)),
    ],
)  # fmt: skip
def test_what_a_tool_with_a_selection_is_requested(key: str, codes: tuple[str, ...]) -> None:
    content = ToolMapFile(tool="x", code=".*", default=load_tool_map("ruff").content.default,
                          select=["A"], ignore=["A2"])  # fmt: skip
    assert content.requested_codes(key, "a.py") == codes


def test_eval_requests_every_rule(repo: GitRepository, tmp_path: Path) -> None:
    diff = f"--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+{LONG}"
    case = {"id": "1", "diff": diff, "expected": [{"file": "a.py", "line": 1, "category": "x"}],
            "after": {"a.py": LONG}}  # fmt: skip
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case) + "\n", encoding="utf-8")
    every, usual = (
        repo.wardround("eval", "cases", str(file), "--format", "json", *options).stdout
        for options in (["--all-rules"], [])
    )
    assert "ruff/E501" in every
    assert "ruff/E501" not in usual
