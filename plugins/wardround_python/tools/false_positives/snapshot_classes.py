"""The Python files of a snapshot and the classes in them, read on first use."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache, cached_property
from itertools import islice
from pathlib import Path

from wardround.languages.python.module import FunctionNode, statements_in
from wardround.languages.python.tree import cached_parse, unparse
from wardround_python.tools.ruff_config import read_snapshot_file

_MOST_FILES = 60
"""The number of files that are parsed for one name; a name in more of them is not followed further."""
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class SnapshotClasses:
    """The classes of a snapshot by name, and by the methods they define."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.read = cache(self._read)
        self.named = cache(self._find_classes)
        self.with_method = cache(self._classes_with_method)

    def _read(self, path: str) -> str | None:
        return read_snapshot_file(self._root, path)

    def _find_classes(self, name: str) -> tuple[ast.ClassDef, ...]:
        """Return the classes of a name."""
        found = self._classes_in(rf"^[ \t]*class[ \t]+{name}\b")
        return tuple(node for node in found if node.name == name)

    def _classes_with_method(self, name: str) -> tuple[ast.ClassDef, ...]:
        """Return the classes that define a method of a name themselves."""
        found = self._classes_in(rf"^[ \t]+(?:async[ \t]+)?def[ \t]+{name}\b")
        return tuple(node for node in found if method_of(node, name) is not None)

    def _classes_in(self, pattern: str) -> Iterator[ast.ClassDef]:
        """Yield the classes of the files with a line that matches."""
        is_in = re.compile(pattern, re.MULTILINE).search
        texts = (text for path in self._paths if (text := self.read(path)) is not None and is_in(text))
        for text in islice(texts, _MOST_FILES):
            try:
                tree = cached_parse(text)
            except _UNREADABLE:
                continue
            yield from (node for node in statements_in(tree) if isinstance(node, ast.ClassDef))

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        found = (
            os.path.relpath(os.path.join(folder, name), self._root)
            for folder, _, names in os.walk(self._root)
            for name in names
            if name.endswith((".py", ".pyi"))
        )
        return tuple(sorted(found))


def method_of(node: ast.ClassDef, name: str) -> FunctionNode | None:
    """Return the method of a name that a class defines itself."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return next(
        (statement for statement in node.body if isinstance(statement, functions) and statement.name == name),
        None,
    )


def base_names(node: ast.ClassDef) -> list[str]:
    """Return the last parts of the names of the bases of a class."""
    names = (unparse(base).partition("[")[0] for base in node.bases)
    return [name.rpartition(".")[2] for name in names]
