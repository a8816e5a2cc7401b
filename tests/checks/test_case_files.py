"""Further cases of a rule are read from its YAML file."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.checks.case_files import load_cases, load_change_cases
from wardround.errors import WardroundError
from wardround.rules.cases import ChangeCase, Invalid, Valid


def write(folder: Path, text: str) -> Path:
    (folder / "A001.yml").write_text(text, "utf-8")
    return folder


def test_an_item_is_a_text_or_a_mapping(tmp_path: Path) -> None:
    text = """\
valid:
  - |
    a = 1
invalid:
  - source: |
      b = «a»
    path: b.py
    base: ''
    others:
      c.py: c = 1
    fixed: b = 1
"""
    assert load_cases(write(tmp_path, text), "A001", "a.py") == (
        [Valid("a = 1\n", "a.py")],
        [Invalid("b = a\n", 1, 5, "b.py", "", {"c.py": "c = 1"}, "b = 1", (1, 6))],
    )


def test_a_rule_without_a_file_has_no_further_cases(tmp_path: Path) -> None:
    assert load_cases(tmp_path, "A002", "a.py") == ([], [])
    assert load_change_cases(tmp_path, "A002") == ([], [])


def test_a_change_has_files_before_and_after(tmp_path: Path) -> None:
    text = """\
invalid:
  - files:
      a.py:
        before: a
        after: «b»
    message: Rename
"""
    assert load_change_cases(write(tmp_path, text), "A001") == (
        [],
        [ChangeCase({"a.py": ("a", "b")}, ("a.py", 1, 1), {}, "Rename", (1, 2))],
    )


@pytest.mark.parametrize("text", ["valid: ['«a»']", "invalid: ['a']"])
def test_a_case_in_the_wrong_list_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(WardroundError, match=r"A001\.yml: each case of 'invalid' has the marks"):
        load_cases(write(tmp_path, text), "A001", "a.py")


def test_an_unknown_key_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WardroundError, match=r"A001\.yml: .*`invalids`"):
        load_cases(write(tmp_path, "invalids: []"), "A001", "a.py")
