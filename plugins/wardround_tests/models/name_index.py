"""Occurrences of names in a test module."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround_tests.models.syntax import FUNCTIONS, last_name


class NameIndex:
    """The functions, references and words of a module by name; each index is built at its first use."""

    def __init__(self, module: PythonModule) -> None:
        self._module = module

    def functions(self, name: str) -> Sequence[FunctionNode]:
        """Return the functions and methods with a name, in source order."""
        return self._functions.get(name, ())

    @cached_property
    def _functions(self) -> dict[str, list[FunctionNode]]:
        found: dict[str, list[FunctionNode]] = {}
        for node in self._module.nodes:
            if isinstance(node, FUNCTIONS):
                found.setdefault(node.name, []).append(node)
        return found

    def references(self, last: str) -> Sequence[ast.Name | ast.Attribute]:
        """Return the names and attributes whose last part is a word, in source order."""
        return self._references.get(last, ())

    @cached_property
    def _references(self) -> dict[str, list[ast.Name | ast.Attribute]]:
        found: dict[str, list[ast.Name | ast.Attribute]] = {}
        for node in self._module.nodes:
            if isinstance(node, (ast.Name, ast.Attribute)):
                found.setdefault(last_name(node), []).append(node)
        return found

    @cached_property
    def words(self) -> Counter[str]:
        """Number of occurrences of each word in the source, comments and strings included."""
        return Counter(re.findall(r"\w+", self._module.text))
