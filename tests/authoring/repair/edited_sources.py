"""Small sources after the edits that an operator proposes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from wardround.authoring.repair.module_code import FunctionCode, ModuleCode
from wardround.authoring.repair.operators.registry import OPERATORS_BY_NAME
from wardround.authoring.repair.operators.site import Edit, Site
from wardround.authoring.repair.project_code import ProjectCode


def function_of(source: str) -> FunctionCode:
    """Return the last function of a source."""
    return ModuleCode("code.py", textwrap.dedent(source).lstrip("\n")).functions[-1]


def edits(function: FunctionCode, operator: str, *, exception: str = "", others: str = "") -> Iterator[Edit]:
    """Yield the edits that an operator proposes in a function, in source order of their sites."""
    for site in sites(function, exception=exception, others=others):
        yield from OPERATORS_BY_NAME[operator].edits(site)


def sites(function: FunctionCode, *, exception: str = "", others: str = "") -> Iterator[Site]:
    """Yield the nodes of a function in a project with one other module."""
    project = ProjectCode([function.module, ModuleCode("others.py", textwrap.dedent(others))])
    for node in function.nodes:
        yield Site(function, node, project, exception)


def edited(source: str, operator: str, *, exception: str = "", others: str = "") -> list[str]:
    """Return the changed lines of a source after each edit of an operator, without indentation of the whole.

    A result is the lines that are not in the source, joined by `` / ``; deleted lines have a minus.
    """
    function = function_of(source)
    text = function.module.text
    found = edits(function, operator, exception=exception, others=others)
    return [_difference(text, text[: edit.start] + edit.replacement + text[edit.end :]) for edit in found]


def _difference(before: str, after: str) -> str:
    """Return the lines between the common beginning and the common end of two texts."""
    old, new = before.split("\n"), after.split("\n")
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    lines = new if new else [f"-{line.strip()}" for line in old]
    return "\n".join(textwrap.dedent("\n".join(lines)).split("\n")).replace("\n", " / ")
