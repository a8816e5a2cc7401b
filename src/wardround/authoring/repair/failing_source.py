"""The source of failing tests, whose words and literals are evidence."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from wardround.authoring.repair.model import Observation
from wardround.authoring.repair.module_code import ModuleCode
from wardround.languages.python.tree import UNREADABLE


def failing_source(observation: Observation, read: Callable[[str], str | None]) -> str:
    """Return the source of the failing tests with their decorators, each once, without indentation.

    Args:
        read: the text of a file of the base; None if there is none.
    """
    names: dict[str, list[str]] = {}
    for test in observation.failing:
        path, _, name = test.id.partition("[")[0].partition("::")
        names.setdefault(path, []).append(name.replace("::", "."))
    sources = [source for path in names for source in _sources(path, read(path), set(names[path]))]
    return "\n".join(dict.fromkeys(sources))


def _sources(path: str, text: str | None, names: set[str]) -> Iterator[str]:
    try:
        functions = ModuleCode(path, text or "").functions
    except UNREADABLE:
        return
    lines = (text or "").split("\n")
    for function in functions:
        if function.symbol in names:
            yield textwrap.dedent("\n".join(lines[function.first_line - 1 : function.last_line]))
