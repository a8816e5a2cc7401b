"""The comparison of all surfaces: from a repository to the reports, the policy and the record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.context.surface.differences import PYPROJECT, surface
from wardround.context.surface import workflow_inputs

pytestmark = pytest.mark.usefixtures("without_slow_tools")

BEFORE = {"pyproject.toml": PYPROJECT, "src/shop/__init__.py": "def send(url): ...\n\n\ndef get(url): ...\n"}
AFTER = {"src/shop/__init__.py": "def send(url): ...\n"}
POLICY = """\
schema: wardround.policy/1
name: library
version: 1
tiers: {T1: auto-merge, T2: auto-merge, T3: auto-merge, T4: auto-merge, T5: auto-merge}
rules:
  - {id: breaks, when: contract.unannounced > 0, at-least: declined, because: an unannounced break}
"""


def between(repo: GitRepository) -> tuple[str, ...]:
    base, head = repo.commit(BEFORE), repo.commit(AFTER)
    return "--base", base, "--head", head, "--profile", "ci"


class TestReports:
    def test_json_has_the_changes_under_contract(self, repo: GitRepository) -> None:
        assert repo.report(*between(repo))["contract"] == {
            "breaking": 1,
            "unannounced": 1,
            "surface": [
                {
                    "kind": "python-api", "file": "src/shop/__init__.py", "line": 4, "name": "shop.get",
                    "change": "is removed", "breaking": True, "announced_by": None,
                }
            ],
        }  # fmt: skip

    def test_text_has_a_section(self, repo: GitRepository) -> None:
        done = repo.wardround("review", *between(repo))
        assert (
            "public surface: 1 breaking change, not announced\n  src/shop/__init__.py:4 shop.get is removed\n"
        ) in done.stdout

    def test_a_change_without_a_surface_has_neither(self, repo: GitRepository) -> None:
        base, head = repo.commit({"app.py": "A = 1\n"}), repo.commit({"app.py": "A = 2\n"})
        arguments = ("--base", base, "--head", head, "--profile", "ci")
        assert "contract" not in repo.report(*arguments)
        assert "public surface" not in repo.wardround("review", *arguments).stdout

    def test_the_profile_of_the_hook_compares_nothing(self, repo: GitRepository) -> None:
        repo.commit(BEFORE)
        repo.stage(AFTER)
        assert "contract" not in repo.report("--staged")

    def test_uncommitted_files_are_compared_in_ci(self, repo: GitRepository) -> None:
        repo.commit(BEFORE)
        repo.stage(AFTER)
        report = repo.report("--staged", "--profile", "ci")
        assert report["contract"]["breaking"] == 1
        repo.git("reset", "-q")
        report = repo.report("--worktree", "--profile", "ci")
        assert report["contract"]["breaking"] == 1


def test_a_policy_decides_by_the_surface(repo: GitRepository) -> None:
    repo.commit({"policy.yml": POLICY, ".wardround.toml": 'policy = "policy.yml"\n'})
    report = repo.report(*between(repo))
    assert report["verdict"]["name"] == "declined"


def test_a_record_replays_with_its_surface(repo: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    repo.wardround("review", *between(repo), "--record", str(record))
    assert repo.wardround("replay", str(record)).returncode == 0
    assert repo.wardround("replay", "--rerun", str(record)).returncode == 0
    assert "shop.get" in json.dumps(_predicates(record))


def _predicates(record: Path) -> list[object]:
    import base64

    envelopes = [json.loads(line) for line in record.read_text().splitlines() if line]
    return [
        json.loads(
            base64.b64decode(
                envelope["dsseEnvelope"]["payload"] if "dsseEnvelope" in envelope else envelope["payload"]
            )
        )
        for envelope in envelopes
    ]


def test_a_comparison_that_fails_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(sides: object) -> None:
        raise KeyError("inputs")

    monkeypatch.setattr(workflow_inputs, "compare", fail)
    found = surface({"src/shop/__init__.py": "def send(): ...\n"}, {"src/shop/__init__.py": ""})
    assert [(item.kind, item.reason) for item in found.not_compared] == [
        ("workflow-inputs", "the comparison failed: KeyError: 'inputs'")
    ]
    assert len(found.breaking) == 1
