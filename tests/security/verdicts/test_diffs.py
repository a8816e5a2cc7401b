"""Changes given as text: no path in a diff leads out of the folder, and no text around it approves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.security.test_printed_commands import assert_silent
from tests.security.verdicts.scene import PRICES, quick_host
from wardround.change.change_source import PatchChangeSource
from wardround.config.request import ReviewRequest
from wardround.errors import WardroundError
from wardround.reports import renderer
from wardround.review import review_once
from wardround.review_result import ReviewResult

SECRET = "CANARY-51c7e90a"
CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "cases/diffs.yml").read_text())
NEUTRAL, AROUND, LEADING = CASES["neutral"], CASES["around"], CASES["leading"]


def _surrounded(case: dict[str, str]) -> str:
    changed = NEUTRAL.replace(case["replace"], case["by"]) if "replace" in case else NEUTRAL
    return f"{case.get('before', '')}{changed}{case.get('after', '')}"


def _review(root: Path, diff: str) -> ReviewResult:
    source = PatchChangeSource(diff, root)
    request = ReviewRequest(config_from="base", target_branch="main")
    return review_once(source, quick_host(), request)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that has the old version of the diff."""
    (tmp_path / "folder/shop").mkdir(parents=True)
    (tmp_path / "folder/shop/prices.py").write_text(PRICES, encoding="utf-8")
    return tmp_path / "folder"


def _strictness(review: ReviewResult) -> tuple[int, int]:
    verdict = review.conclusion.verdict
    return verdict.name.strictness, verdict.tier.number


@pytest.mark.parametrize("name", AROUND)
def test_no_text_around_a_diff_makes_it_milder(folder: Path, name: str) -> None:
    neutral = _review(folder, NEUTRAL)
    assert "ruff/F821" in {finding.rule for finding in neutral.findings}

    try:
        attacked = _review(folder, _surrounded(AROUND[name]))
    except WardroundError as refused:
        assert_silent(str(refused))
        return

    assert _strictness(attacked) >= min(_strictness(neutral), (2, 4))
    assert attacked.gate.outcome != "pass"
    for format in ("text", "json", "sarif"):
        assert_silent(renderer(format)(attacked))


@pytest.mark.parametrize("name", LEADING)
def test_no_path_of_a_diff_leads_out_of_the_folder(folder: Path, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text(f"{SECRET} = missing\n", encoding="utf-8")
    os.utime(secret, (1, secret.stat().st_mtime))
    (folder / "link").symlink_to(tmp_path)
    (folder / "secret-link.py").symlink_to(secret)

    try:
        attacked = _review(folder, LEADING[name].replace("{secret}", str(secret)))
    except WardroundError as refused:
        assert_silent(str(refused))
    else:
        assert attacked.conclusion.verdict.name != "auto-approve"
        assert SECRET not in renderer("json")(attacked)

    assert secret.stat().st_atime == 1
