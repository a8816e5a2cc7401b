"""Evidence that is not evidence: tests without a subject, code with other names, deletions, binaries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.security.verdicts.scene import CHANGES, Side, judge, judge_neutral, require, require_silent

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases/evidence.yml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_it_approves_nothing(tmp_path: Path, case: Mapping[str, Any]) -> None:
    base, change = case.get("base", {}), CHANGES[case["change"]] or {"README.md": "# Shop\n"}

    profile = case.get("profile", "ci")

    attacked = judge(tmp_path / "attack", Side({**change, **case["head"]}, base, profile))

    require(case.get("expect", "same"), attacked, judge_neutral(tmp_path, Side(change, base, profile)))
    require_silent(attacked)
