"""A branch cannot select an older configuration: it is read from the tip of the target branch.

Each attack forks a branch, lets ``main`` tighten its rules, and then reviews the old branch against ``main``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from wardround_typescript.node_modules import platform_name

from tests.conftest import GitRepository
from tests.stand_ins import stand_in
from wardround import host
from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import build_context
from wardround.change.change_source import GitChangeSource, SideName
from wardround.change.repository import Repository
from wardround.change.snapshot import Snapshot
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.execution.resources import Resources
from wardround.execution.review_run import ReviewRun

BAD = "def start():\n    return missing\n"
LOOSE_RUFF = '[tool.ruff]\nlint.ignore = ["F821"]\n[tool.ty.rules]\nunresolved-reference = "ignore"\n'
PYTHON = ("--only", "python")


def _forked(repo: GitRepository, before: dict[str, str | None], after: dict[str, str | None]) -> None:
    """A branch forked from ``main`` where it had ``before``; ``main`` has ``after`` now."""
    _commit(repo, {"README": "shop\n", **before})
    repo.git("branch", "attack")
    _commit(repo, after)
    repo.git("checkout", "--quiet", "attack")


def _commit(repo: GitRepository, files: dict[str, str | None]) -> None:
    for path, content in files.items():
        if content is None:
            (repo.root / path).unlink()
        else:
            repo.write(path, content)
    repo.commit()


def _review(repo: GitRepository, *options: str) -> tuple[int, dict[str, Any]]:
    done = repo.wardround("review", "--base", "main", "--format", "json", *options)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def _rules(report: dict[str, Any]) -> list[str]:
    return [finding["rule"] for finding in report["findings"] if finding["status"] != "suppressed"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            {".wardround.toml": '[rules]\n"ruff/F821" = "off"\n"ty/unresolved-reference" = "off"\n'},
            {".wardround.toml": '[rules]\n"ruff/F821" = "error"\n'},
            id="rule-tightened",
        ),
        pytest.param(
            {".wardround.toml": '[rules]\n"ruff/F821" = "off"\n"ty/unresolved-reference" = "off"\n'},
            {".wardround.toml": None},
            id="configuration-deleted",
        ),
        pytest.param(
            {".wardround.toml": 'exclude = ["app.py"]\n'},
            {".wardround.toml": 'exclude = ["generated"]\n'},
            id="exclude-removed",
        ),
        pytest.param(
            {"pyproject.toml": '[tool.wardround]\nfail-level = "none"\n'},
            {"pyproject.toml": '[tool.wardround]\nfail-level = "error"\n'},
            id="fail-level-raised",
        ),
        pytest.param(
            {".wardround.toml": 'skip = ["python"]\n'}, {".wardround.toml": None}, id="specialist-required"
        ),
        pytest.param({"pyproject.toml": LOOSE_RUFF}, {"pyproject.toml": ""}, id="ruff-in-pyproject"),
        pytest.param(
            {"ruff.toml": 'exclude = ["app.py"]\n', "ty.toml": '[src]\nexclude = ["app.py"]\n'},
            {"ruff.toml": "", "ty.toml": ""},
            id="ruff-exclude-removed",
        ),
        pytest.param(
            {"ruff.toml": 'exclude = ["app.py"]\n', "ty.toml": '[src]\nexclude = ["app.py"]\n'},
            {"ruff.toml": None, "ty.toml": None},
            id="ruff-configuration-deleted",
        ),
    ],
)
def test_rules_tightened_after_the_fork_count(
    repo: GitRepository, before: dict[str, str | None], after: dict[str, str | None]
) -> None:
    _forked(repo, before, after)
    repo.commit({"app.py": BAD})
    status, report = _review(repo, "--config-from", "base", *PYTHON)
    assert (status, "ruff/F821" in _rules(report)) == (1, True)
    assert "wardround/config-changed" not in _rules(report)  # the change did not touch it


def test_a_baseline_entry_removed_after_the_fork_accepts_nothing(repo: GitRepository) -> None:
    repo.commit({"app.py": BAD})
    assert repo.wardround("baseline", "write").returncode == 0
    accepted = repo.read(".wardround-baseline.json").decode()
    assert "F821" in accepted or "undefined" in accepted
    repo.git("reset", "--quiet", "--hard")
    (repo.root / "app.py").unlink()
    repo.commit({".wardround-baseline.json": accepted})
    repo.git("branch", "attack")
    repo.commit({".wardround-baseline.json": '{"schema": "wardround.baseline/1", "findings": []}\n'})
    repo.git("checkout", "--quiet", "attack")
    repo.commit({"app.py": BAD})
    assert _review(repo, "--config-from", "head", *PYTHON)[0] == 0
    status, report = _review(repo, "--config-from", "base", *PYTHON)
    assert (status, "ruff/F821" in _rules(report)) == (1, True)


@pytest.mark.parametrize(
    ("before", "after", "head"),
    [
        pytest.param({}, {"biome.json": "{}"}, {}, id="adopted-after-the-fork"),
        pytest.param({"biome.json": "{}"}, {"README": "x"}, {"biome.json": None}, id="deleted-by-the-change"),
    ],
)
def test_a_tool_the_target_has_configured_runs(
    repo: GitRepository,
    before: dict[str, str | None],
    after: dict[str, str | None],
    head: dict[str, str | None],
) -> None:
    _forked(repo, {".gitignore": "node_modules\n", **before}, after)
    repo.write("node_modules/@biomejs/biome/package.json", "{}")
    program = repo.root / f"node_modules/@biomejs/cli-{platform_name()}/biome"
    reported = {"severity": "error", "message": "debugger", "category": "lint/suspicious/noDebugger"}
    location = {"path": "app.js", "start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 9}}
    answer = {
        "summary": {"changed": 0, "unchanged": 1, "errors": 1},
        "diagnostics": [{**reported, "location": location, "advices": []}],  # codespell:ignore advices
    }
    stand_in(program, "biome", f"print(json.dumps({answer!r}))\nsys.exit(1)")
    _commit(repo, {"app.js": "debugger;\n", **head})
    report = _review(repo, "--config-from", "base", "--only", "typescript")[1]
    assert "biome" in {run["tool"] for run in report["runs"]}
    assert "biome/noDebugger" in {source for f in report["findings"] for source in f["sources"]}


def test_the_target_may_loosen_its_rules_for_an_old_branch(repo: GitRepository) -> None:
    off = '[rules]\n"ruff/F821" = "off"\n"ty/unresolved-reference" = "off"\n'
    _forked(repo, {".wardround.toml": ""}, {".wardround.toml": off})
    repo.commit({"app.py": BAD})
    assert _review(repo, "--config-from", "base", *PYTHON)[0] == 0


def test_a_configuration_that_change_and_target_both_edit_is_the_targets(repo: GitRepository) -> None:
    _forked(repo, {".wardround.toml": ""}, {".wardround.toml": '[rules]\n"ruff/F821" = "error"\n'})
    repo.commit({"app.py": BAD, ".wardround.toml": '[rules]\n"ruff/F821" = "off"\n'})
    status, report = _review(repo, "--config-from", "base", *PYTHON)
    assert (status, "ruff/F821" in _rules(report)) == (1, True)
    (changed,) = [f for f in report["findings"] if f["rule"] == "wardround/config-changed"]
    assert changed["message"].endswith("the target branch's version was used")


def test_old_content_still_comes_from_the_merge_base(repo: GitRepository) -> None:
    _forked(repo, {"app.py": "x = 1\n"}, {"app.py": BAD})
    repo.commit({"app.py": "x = 1\ny = 2\n"})
    status, report = _review(repo, "--config-from", "base", *PYTHON)
    assert (status, _rules(report)) == (0, [])
    assert (report["context"]["hunks"], report["context"]["added_lines"]) == (1, 1)


def test_reports_name_the_merge_base_and_the_target(repo: GitRepository) -> None:
    _forked(repo, {"app.py": "x = 1\n"}, {"other.py": "y = 1\n"})
    repo.commit({"app.py": "x = 2\n"})
    _, report = _review(repo, *PYTHON)
    named = {name: repo.git("rev-parse", ref).strip() for name, ref in
             {"base": "main~1", "target": "main", "head": "HEAD"}.items()}  # fmt: skip
    assert {name: report["context"][name] for name in named} == named
    done = repo.wardround("review", "--base", "main", "--format", "sarif", *PYTHON)
    properties = json.loads(done.stdout)["runs"][0]["properties"]
    assert {name: properties[name] for name in named} == named


def test_a_target_that_moves_on_is_another_context(repo: GitRepository) -> None:
    _forked(repo, {"app.py": "x = 1\n"}, {"other.py": "y = 1\n"})
    repo.commit({"app.py": "x = 2\n"})
    first = _review(repo, *PYTHON)[1]["context"]["id"]
    assert first == _review(repo, *PYTHON)[1]["context"]["id"]
    repo.git("checkout", "--quiet", "main")
    repo.commit({"other.py": "y = 2\n"})
    repo.git("checkout", "--quiet", "attack")
    assert first != _review(repo, *PYTHON)[1]["context"]["id"]


@pytest.mark.parametrize("side", ["head", "base"])
def test_tools_see_the_targets_settings_wherever_they_are(repo: GitRepository, side: SideName) -> None:
    before = {"lib/tsconfig.json": "1", "ui/tsconfig.json": "1", "api/package.json": '{"eslintConfig": 1}'}
    after = {"lib/tsconfig.json": "2", "ui/tsconfig.json": None, "api/package.json": '{"eslintConfig": 2}',
             "new/tsconfig.json": "2", "api/data.json": "2"}  # fmt: skip
    _forked(repo, {**before, "api/data.json": "1"}, after)
    repo.commit({"app.ts": "export const a = 1;\n"})
    seen = _seen_in_snapshot(repo, side)
    assert seen == {
        "lib/tsconfig.json": "2", "api/package.json": '{"eslintConfig": 2}', "new/tsconfig.json": "2",
        "api/data.json": "1",
    }  # fmt: skip


def _seen_in_snapshot(repo: GitRepository, side: SideName) -> dict[str, str]:
    """The JSON files that a tool that follows imports sees at base or head, with their content."""
    request = ReviewRequest(config_from="base")
    with Repository(repo.root) as repository:
        change = repository.between("main", "HEAD")
        origin = GitChangeSource(repository, change)
        loaded = host.load()
        review = ChangeUnderReview(origin, change, loaded, request, Config())
        sides = ReviewRun(review, build_context(review), Resources())
        with Snapshot(repo.root.parent) as snapshot:
            sides.side(side).link_project(snapshot, "room", ("*.json",))
            root = snapshot.side("room")
            found = (Path(folder, name) for folder, _, names in os.walk(root, followlinks=True)
                     for name in names)  # fmt: skip
            return {str(file.relative_to(root)): file.read_text() for file in found}
