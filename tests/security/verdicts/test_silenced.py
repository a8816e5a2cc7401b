"""A change that silences its findings is judged as if it had not, whoever's configuration applies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.security.verdicts.scene import TESTED, Judged, Side, judge, judge_neutral, require
from wardround.policy.verdict import VerdictName

MERGING = (
    "schema: wardround.policy/1\nname: merging\nversion: 1\n"
    "tiers: {T1: auto-merge, T2: auto-merge, T3: human-review, T4: human-review, T5: escalate}\n"
)
HOUSE: Mapping[str, Any] = {".wardround.toml": 'policy = "p.yml"\n', "p.yml": MERGING}
"""The configuration of a tenant, whose policy has no rule about suppressions."""
CODE = '"""Code of the shop."""\n\nIMPORT\n\n\ndef start(text: str) -> object:\n    """Start."""\nLINES'
STATEMENTS = {
    "eval": ("import json", "    return eval(text)", "S307"),
    "system": ("import os", "    return os.system(text)", "S605"),
    "pickle": ("import pickle", "    return pickle.loads(text.encode())", "S301"),
    "yaml": ("import yaml", "    return yaml.load(text, yaml.Loader)", "S506"),
}


def tree(name: str, comment: str = "", above: str = "") -> Mapping[str, Any]:
    header, line, _ = STATEMENTS[name]
    text = f"{above}{line}{comment}\n"
    return {**TESTED, "shop/start.py": CODE.replace("IMPORT", header).replace("LINES", text)}


def judged(place: Path, head: Mapping[str, Any], config_from: str, base: Mapping[str, Any] = HOUSE) -> Judged:
    return judge(place / "attack", Side(head, base, config_from=config_from))


@pytest.mark.parametrize("config_from", ["base", "head"])
@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("eval", "  # noqa: S307"),
        ("eval", "  # noqa"),
        ("eval", "  # wardround: ignore[ruff/S307] known"),
        ("system", "  # noqa: S605"),
        ("pickle", "  # noqa: S301"),
        ("yaml", "  # noqa: S506"),
    ],
)
def test_a_comment_makes_no_verdict_milder(tmp_path: Path, name: str, comment: str, config_from: str) -> None:
    neutral = judge_neutral(tmp_path, Side(tree(name), HOUSE, config_from=config_from))
    assert neutral.name is not VerdictName.AUTO_MERGE

    attacked = judged(tmp_path, tree(name, comment), config_from)

    require("not-milder", attacked, neutral)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    return text  # noqa: S307\n", "    return eval(text)  # noqa: S307\n"),
        ("    return text  # noqa: E501\n", "    return eval(text)  # noqa: E501, S307\n"),
        ("    return text\n\n\nX = 1  # noqa: S307\n", "    return eval(text)  # noqa: S307\n\n\nX = 1\n"),
    ],
)
def test_a_comment_that_is_moved_or_widened_silences_nothing(tmp_path: Path, before: str, after: str) -> None:
    source = CODE.replace("IMPORT", "import json")
    base = {**HOUSE, "shop/start.py": source.replace("LINES", before)}
    open_ = {**TESTED, "shop/start.py": source.replace("LINES", after.partition("  #")[0] + "\n")}
    neutral = judge_neutral(tmp_path, Side(open_, base))

    attacked = judged(tmp_path, {**TESTED, "shop/start.py": source.replace("LINES", after)}, "base", base)

    assert neutral.tier == 3
    assert attacked.tier >= neutral.tier


@pytest.mark.parametrize(
    "settings",
    [
        {"ruff.toml": '[lint]\nextend-select = ["S"]\n[lint.per-file-ignores]\n"shop/*" = ["S307"]\n'},
        {".wardround.toml": 'policy = "p.yml"\n[rules]\n"ruff/S307" = "off"\n'},
        {".wardround.toml": 'policy = "p.yml"\n[rules]\n"ruff/S307" = "info"\n'},
    ],
)
def test_settings_of_the_change_silence_nothing_where_they_apply(
    tmp_path: Path, settings: Mapping[str, Any]
) -> None:
    neutral = judge_neutral(tmp_path, Side(tree("eval"), HOUSE, config_from="head"))

    attacked = judged(tmp_path, {**tree("eval"), **settings}, "head")

    assert all(a >= n for a, n in zip(attacked.rank, neutral.rank, strict=True)), attacked


def test_a_comment_that_states_an_intention_lowers_no_tier(tmp_path: Path) -> None:
    lines = "    try:\n        return int(text)\n    except:  # noqa: D  # COMMENT\n        return 0\n"
    source = CODE.replace("IMPORT", "import json").replace("LINES", lines)
    plain, stated = (
        {**TESTED, "shop/start.py": source.replace("COMMENT", text)} for text in ("x", "this is fine")
    )

    attacked = judged(tmp_path, stated, "base")

    assert attacked.tier >= judge_neutral(tmp_path, Side(plain, HOUSE)).tier
