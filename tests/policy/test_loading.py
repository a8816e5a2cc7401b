"""The policy comes from the package or from the trusted side."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.errors import ConfigError
from wardround.policy.bundled import BUNDLED, NEVER_DECLINING
from wardround.policy.loading import load_policy, load_policy_file
from wardround.policy.verdict import VerdictName


def no_file(path: str) -> bytes | None:
    return None


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_policy_is_found_by_name(name: str) -> None:
    found = load_policy(name, no_file)
    assert (found.name, found.identity) == (name, f"{name}@{found.digest}")


@pytest.mark.parametrize("name", BUNDLED)
def test_a_review_knows_whether_a_bundled_policy_declines(name: str) -> None:
    found = load_policy(name, no_file)
    verdicts = {*found.tiers.values(), *(rule.at_least for rule in found.rules)}
    assert (VerdictName.DECLINED in verdicts) is (name not in NEVER_DECLINING)


@pytest.mark.parametrize("name", ["none", "/etc/policy.yml", "../policy.yml", "policy.json"])
def test_other_names_are_rejected(name: str) -> None:
    with pytest.raises(ConfigError, match="is neither one of default, strict, advisory nor a YAML file"):
        load_policy(name, no_file)


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"policy: a\.yml does not exist on the trusted side"):
        load_policy("a.yml", no_file)


def test_the_floor_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--policy-floor .*: No such file.*; give another file"):
        load_policy_file(tmp_path / "none.yml", "--policy-floor")
