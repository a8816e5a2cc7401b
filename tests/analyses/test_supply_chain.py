"""A review in CI compares dependencies and lock files; notes are reported, recorded and usable."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.security.supply_chain_attacks import npm_lock, package_json

pytestmark = pytest.mark.usefixtures("without_slow_tools")

CI = ("--base", "HEAD~1", "--profile", "ci")
POLICY = """
schema: wardround.policy/1
name: careful
version: 1
tiers: {T1: auto-merge, T2: auto-approve, T3: human-review, T4: human-review, T5: escalate}
rules:
  - id: new-dependency
    when: dependencies.exists(d, d.change == "added" && d.scope == "runtime")
    approvals: 2
    because: two people approve a new dependency
  - id: injected
    when: locks.exists(l, l.change == "redirected")
    at-least: escalate
    because: a locked package comes from elsewhere
"""


@pytest.fixture
def injected(repo: GitRepository) -> GitRepository:
    """A commit that adds a dependency, and a lock file that takes another from elsewhere."""
    old = {"left-pad": "^1.3.0"}
    repo.commit({"package.json": package_json(dependencies=old), "package-lock.json": npm_lock(old)}, "App")
    new = old | {"left-pad-2": "^1.0.0"}
    lock = npm_lock(new, resolved="https://evil.example/left-pad/-/left-pad-1.3.0.tgz")
    repo.commit({"package.json": package_json(dependencies=new), "package-lock.json": lock}, "Add padding")
    return repo


def test_the_report_has_the_notes(injected: GitRepository) -> None:
    report = injected.report(*CI)

    notes = report["supply_chain"]
    assert [(item["change"], item["name"], item["line"]) for item in notes["dependencies"]] == [
        ("added", "left-pad-2", 5)
    ]
    assert [(item["change"], item["name"]) for item in notes["locks"]] == [("redirected", "left-pad")]


def test_the_text_report_has_a_section(injected: GitRepository) -> None:
    lines = injected.wardround("review", *CI).stdout

    assert "supply chain: added: left-pad-2" in lines
    assert "evil.example" in lines


def test_nothing_is_compared_at_commit(injected: GitRepository) -> None:
    assert "supply_chain" not in injected.report("--base", "HEAD~1")


def test_a_change_without_such_files_has_no_section(repo: GitRepository) -> None:
    repo.commit({"a.py": "A = 1\n"}, "One")
    repo.commit({"a.py": "A = 2\n"}, "Two")

    assert "supply_chain" not in repo.report(*CI)


def test_a_policy_decides_by_the_notes(injected: GitRepository, tmp_path: Path) -> None:
    floor = tmp_path / "floor.yml"
    floor.write_text(POLICY)

    verdict = injected.report(*CI, "--policy-floor", str(floor))["verdict"]

    assert (verdict["name"], verdict["approvals"]) == ("escalate", 2)
    assert any("a locked package comes from elsewhere" in reason for reason in verdict["reasons"])


def test_a_record_keeps_the_notes_and_replays(injected: GitRepository, tmp_path: Path) -> None:
    file = tmp_path / "review.intoto.jsonl"
    injected.wardround("review", *CI, "--record", str(file))

    assert injected.wardround("replay", str(file)).returncode == 0
    notes = predicate(file)["evidence"]["supply_chain"]
    assert notes["locks"][0]["change"] == "redirected"
    security = next(signal for signal in predicate(file)["signals"] if signal["plane"] == "security")
    assert "lock files: 1 redirected" in security["derivation"]


def test_cases_of_a_policy_can_have_notes(injected: GitRepository, tmp_path: Path) -> None:
    policy, cases = tmp_path / "policy.yml", tmp_path / "cases.yml"
    policy.write_text(POLICY)
    given = [
        {
            "name": "new",
            "expect": "human-review",
            "approvals": 2,
            "given": {"dependencies": [{"change": "added"}]},
        },
        {"name": "moved", "expect": "escalate", "given": {"locks": [{"change": "redirected"}]}},
        {"name": "update", "expect": "auto-merge", "given": {"locks": [{"change": "lock-only"}], "run": {}}},
    ]
    cases.write_text(json.dumps(given))

    result = injected.wardround("policy", "test", str(policy), str(cases))
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_policy_with_a_wrong_field_is_rejected(injected: GitRepository, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yml"
    policy.write_text(POLICY.replace("d.change", "d.kind"))

    assert injected.wardround("policy", "check", str(policy)).returncode == 2


def predicate(file: Path) -> dict[str, Any]:
    """The predicate on the first line of a record."""
    payload = json.loads(file.read_text().splitlines()[0])["payload"]
    document: dict[str, Any] = json.loads(base64.b64decode(payload))["predicate"]
    return document
