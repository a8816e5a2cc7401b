"""The policy and the cases in the documentation work as shown."""

from __future__ import annotations

import re
from pathlib import Path

from wardround.cli.commands import invoke
from wardround.policy.tiers import SMALL_FILES, SMALL_LINES
from wardround.policy.variables import FUNCTIONS, variable_names

ROOT = Path(__file__).parents[2]
VERDICTS = (ROOT / "docs" / "verdicts.md").read_text()
POLICIES = (ROOT / "docs" / "policies.md").read_text()


def test_the_example_policy_passes_the_example_cases(tmp_path: Path) -> None:
    policy, cases = re.findall(r"```yaml\n(.*?)```", POLICIES, re.DOTALL)
    (tmp_path / "policy.yml").write_text(policy)
    (tmp_path / "cases.yml").write_text(cases)
    assert invoke(["policy", "test", str(tmp_path / "policy.yml"), str(tmp_path / "cases.yml")]) == 0


def test_every_variable_and_function_is_documented() -> None:
    names = set(re.findall(r"`([a-z_]+)[`.(]", POLICIES))
    assert names >= variable_names() | FUNCTIONS


def test_the_limits_of_a_small_change_are_documented() -> None:
    assert f"more than {SMALL_FILES} files or {SMALL_LINES} added lines, or as many removed ones" in VERDICTS
