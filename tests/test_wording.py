"""Docstrings and user-visible messages use the field's words: the number of denied words can only
decrease.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from evals import wording

ROOT = Path(__file__).parent.parent
CEILINGS: dict[str, int] = yaml.safe_load((ROOT / "evals" / "wording.yml").read_text("utf-8"))


def test_every_package_has_a_ceiling() -> None:
    assert sorted(CEILINGS) == sorted((*wording.PACKAGES, *wording.PAGES))


@pytest.mark.parametrize("package", [*wording.PACKAGES, *wording.PAGES])
def test_denied_words_do_not_become_more(package: str) -> None:
    count = wording.counts([package])[package]
    assert count <= CEILINGS[package], f"python evals/wording.py --list {package}"
    assert count == CEILINGS[package], f"lower the ceiling of {package} in evals/wording.yml to {count}"


def test_a_denied_word_in_a_docstring_and_in_a_message_is_counted(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""Whether it stands."""\n\ndef f(self):\n    self.report(span, f"{x} was told")\n    log("told")\n'
    )

    found = [(item.line, item.word) for item in wording.denied_in(module, tmp_path)]

    assert found == [(1, "stands"), (1, "Whether"), (4, "told")]


def test_a_denied_word_of_a_page_is_counted_outside_of_code_and_quotations(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        'The tool told us.\n\n```sh\nsaid\n```\n\n    asked\n\n`says`, "told", [a](told.md) stood\n'
    )

    assert [(item.line, item.word) for item in wording.denied_in(page, tmp_path)] == [
        (1, "told"),
        (9, "stood"),
    ]


def test_quoted_code_is_not_counted(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""Return True for ``said`` and "told"."""\n')

    assert list(wording.denied_in(module, tmp_path)) == []
