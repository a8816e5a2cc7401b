"""The density of the code stays within its limits, which may only fall."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmark_modules import benchmark

density = benchmark("density")
ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("part", ["engine", "lab", "plugins", "evaluations"])
def test_no_part_of_the_code_becomes_denser(part: str) -> None:
    found = density.density(density.functions_in(density.packages(ROOT)[part]))
    limit = density.limits()[part]
    assert found.branches_per_ten_lines <= limit.branches_per_ten_lines
    assert found.dense_functions <= limit.dense_functions
    assert found.nameless_loop_variables <= limit.nameless_loop_variables
    assert found.participle_names <= limit.participle_names


def test_branches_and_lines_of_a_function_are_its_own(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(
        'def outer(rows):\n    """Return rows."""\n\n    # a comment\n'
        "    def inner(row):\n        return row if row else None\n\n"
        "    return [inner(one) for one in rows if one and one > 1]\n"
    )
    functions = density.functions_in([tmp_path])
    counts = {function.node.name: (function.branches, function.lines) for function in functions}
    assert counts == {"outer": (3, 2), "inner": (1, 2)}
    assert density.density(functions).nameless_loop_variables == 1


def test_bare_participles_and_verbs_are_counted_where_no_object_completes_them(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(
        "def found(rows): ...\n"
        "def _named(rows): ...\n"
        "def does(rows) -> bool: ...\n"
        "def rows(table) -> list[str]: ...\n"
        "def seed(): ...\n"
        "def changed_rows(rows): ...\n"
        "class Gate:\n"
        "    @property\n"
        "    def closed(self): ...\n"
        "    def accepts(self, row) -> bool: ...\n"
        "    def _accepts(self, row) -> bool: ...\n"
        "    def joined(self): ...\n"
    )
    functions = density.functions_in([tmp_path])
    counted = {function.node.name for function in functions if function.is_participle}
    assert counted == {"found", "_named", "does", "_accepts", "joined"}
    assert density.density(functions).participle_names == 5
