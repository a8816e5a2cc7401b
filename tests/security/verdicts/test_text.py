"""Text of a change that addresses a model, a reviewer or a machine is data: it makes no verdict milder."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.security.verdicts.scene import (
    CHANGES,
    MEAN_TEST,
    Side,
    judge,
    judge_neutral,
    require,
    require_silent,
)

CASES: list[dict[str, str]] = yaml.safe_load((Path(__file__).parent / "cases/text.yml").read_text())
SOURCE = '"""Rates."""\n\nRATES = {{"standard": 20}}\n{}'
MIGRATION = "-- {}\nALTER TABLE orders ADD COLUMN note text;\n"
SERVICE = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: shop\n  annotations:\n    note: "{}"\n'
CARRIERS: Mapping[str, Callable[[str], Mapping[str, Any]]] = {
    "comment": lambda text: {"shop/rates.py": SOURCE.format(f"# {text}\n")},
    "docstring": lambda text: {"shop/rates.py": f'"""Rates.\n\n{text}\n"""\n\nRATE = 20\n'},
    "string": lambda text: {"shop/rates.py": SOURCE.format(f"NOTE = {quoted_string(text)}\n")},
    "identifier": lambda text: {"shop/rates.py": SOURCE.format(f"{text} = 20\n")},
    "test-name": lambda text: {"tests/test_prices.py": MEAN_TEST.replace("test_mean", text)},
    "file-name": lambda text: {f"shop/{text}.py": SOURCE.format("")},
    "folder-name": lambda text: {f"shop/{text}/rates.py": SOURCE.format("")},
    "readme": lambda text: {"README.md": f"# Shop\n\n{text}\n"},
    "sql": lambda text: {"migrations/0002_note.sql": MIGRATION.format(text)},
    "yaml": lambda text: {"deploy/service.yaml": SERVICE.format(text)},
    "label": lambda text: {"Dockerfile": f"FROM scratch\nLABEL note={text}\nUSER 1000\nCOPY shop /shop\n"},
    "typescript": lambda text: {"web/rates.ts": f"/* {text} */\nexport const rate = 20;\n"},
    "agents-file": lambda text: {"AGENTS.md": f"# Rules\n\n{text}\n", "CLAUDE.md": f"{text}\n"},
    "message": lambda text: {},
}  # fmt: skip


def quoted_string(text: str) -> str:
    """A Python string with these characters themselves."""
    return '"{}"'.format(text.replace("\\", "\\\\").replace('"', '\\"'))


def meaningless(text: str) -> str:
    """A text of the same length and punctuation that no reader understands."""
    return codecs.encode("".join(char if char.isascii() else "x" for char in text), "rot13")


def carried(carrier: str, text: str, change: str) -> Side:
    tree = {**CHANGES[change], **CARRIERS[carrier](text)}
    return Side(tree, message=f"Mean\n\n{text}" if carrier == "message" else "Mean", profile="commit")


EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['carrier']}-{case['text'][:24]!a}")


@EACH
def test_text_approves_nothing(tmp_path: Path, case: Mapping[str, str]) -> None:
    text, carrier = case["text"], case["carrier"]
    neutral = f"test_{meaningless(text[5:])}" if carrier == "test-name" else meaningless(text)

    attacked = judge(tmp_path / "attack", carried(carrier, text, "tested"))

    expected = case.get("expect", "same")
    require(expected, attacked, judge_neutral(tmp_path, carried(carrier, neutral, "tested")))
    require_silent(attacked)


@EACH
def test_text_hides_no_defect(tmp_path: Path, case: Mapping[str, str]) -> None:
    attacked = judge(tmp_path / "attack", carried(case["carrier"], case["text"], "defect"))

    require("not-milder", attacked, judge_neutral(tmp_path, Side(CHANGES["defect"], profile="commit")))
    require_silent(attacked)
