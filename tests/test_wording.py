"""Docstrings and reported texts use the field's words: denied words may only become fewer."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from evals import wording

ROOT = Path(__file__).parent.parent
CEILINGS: dict[str, int] = yaml.safe_load((ROOT / "evals" / "wording.yml").read_text("utf-8"))


def test_every_package_has_a_ceiling() -> None:
    assert sorted(CEILINGS) == sorted(wording.PACKAGES)


@pytest.mark.parametrize("package", wording.PACKAGES)
def test_denied_words_do_not_become_more(package: str) -> None:
    count = wording.counts([package])[package]
    assert count <= CEILINGS[package], f"python evals/wording.py --list {package}"
    assert count == CEILINGS[package], f"lower the ceiling of {package} in evals/wording.yml to {count}"


def test_a_denied_word_in_a_docstring_and_in_a_message_is_counted(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""Whether it stands."""\n\ndef f(self):\n    self.report(span, f"{x} was told")\n    log("told")\n'
    )

    found = [(one.line, one.word) for one in wording.denied_in(module, tmp_path)]

    assert found == [(1, "stands"), (1, "Whether"), (4, "told")]


def test_quoted_code_is_not_counted(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""Return True for ``said`` and "told"."""\n')

    assert list(wording.denied_in(module, tmp_path)) == []
