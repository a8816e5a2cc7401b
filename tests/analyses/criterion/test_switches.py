"""A constant that is false and named as a switch keeps the code that reads it off."""

from __future__ import annotations

import pytest

from wardround.analyses.criterion.added_code import AddedCode, AddedLine, ChangedSource, read_added_code
from wardround.analyses.criterion.switches import reads_switch, switched_off


def code(path: str, text: str) -> AddedCode:
    lines = tuple(AddedLine(number, line) for number, line in enumerate(text.splitlines(), 1))
    return read_added_code(ChangedSource(path, lines))


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.py", "EXPORT_ENABLED = False\nif EXPORT_ENABLED:\n    export()\n", "EXPORT_ENABLED"),
        ("a.ts", "const showExport = false;\nif (showExport) exportAll();\n", "showExport"),
    ],
)
def test_a_switch_that_is_off_is_found_with_its_readers(path: str, text: str, name: str) -> None:
    added = code(path, text)

    assert switched_off([added]) == {name}
    assert reads_switch(added, frozenset({name}))
    assert not reads_switch(code("b.py", "export()\n"), frozenset({name}))


@pytest.mark.parametrize(
    "text",
    [
        "DEBUG = False\nprint_all(DEBUG)\n",
        "EXPORT_ENABLED = True\nuse(EXPORT_ENABLED)\n",
        "EXPORT_ENABLED = env('EXPORT_ENABLED')\nuse(EXPORT_ENABLED)\n",
        "is_active = False\nuse(is_active)\n",
    ],
)
def test_other_values_and_variables_are_no_switch(text: str) -> None:
    assert switched_off([code("a.py", text)]) == frozenset()
