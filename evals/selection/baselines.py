"""Baseline test selections: pytest-testmon, and the import graph alone."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Collection, Iterator

from selection.checkout import Checkout
from wardround.workflows.test.python_code.tree import TreeUnderTest

_COLLECTED = re.compile(r"^(\S+\.py::.+)$", re.MULTILINE)
_ROOTS = ("src/", "lib/")


class Testmon:
    """The database of pytest-testmon for the files that a checkout has when it is recorded."""

    __test__ = False

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout
        self._options = ("-o", f"cache_dir={checkout.scratch}/cache", "--testmon")
        self._file = checkout.scratch / "testmon"

    def record(self) -> float:
        """Run all tests; return the CPU time."""
        for suffix in ("", "-shm", "-wal"):
            self._file.with_name(f"testmon{suffix}").unlink(missing_ok=True)
        _, cpu = self._checkout.pytest(*self._options, TESTMON_DATAFILE=str(self._file))
        return cpu

    def selected(self) -> set[str]:
        """Return the tests that it selects for the files that the checkout has now."""
        output, _ = self._checkout.pytest(
            *self._options, "--testmon-nocollect", "--collect-only", TESTMON_DATAFILE=str(self._file)
        )
        return set(_COLLECTED.findall(output))


def importing_tests(tree: TreeUnderTest, changed: Collection[str], tests: Collection[str]) -> set[str]:
    """Return the tests whose file is changed, or imports a changed file directly or through others."""
    python = [path for path in tree.blobs if path.endswith(".py")]
    modules = {_module(path): path for path in python}
    importers: dict[str, set[str]] = {}
    for path in python:
        for name in _imported_modules(path, tree.text(path)):
            if (target := modules.get(name)) is not None:
                importers.setdefault(target, set()).add(path)
    reached: set[str] = set()
    waiting = list(changed)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += importers.get(path, ())
    folders = {posixpath.dirname(path) for path in reached if posixpath.basename(path) == "conftest.py"}
    return {test for test in tests if _is_reached(test.partition("::")[0], reached, folders)}


def _is_reached(file: str, reached: Collection[str], folders: Collection[str]) -> bool:
    return file in reached or any(not folder or file.startswith(f"{folder}/") for folder in folders)


def _module(path: str) -> str:
    for root in _ROOTS:
        path = path.removeprefix(root)
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported_modules(path: str, text: str) -> Iterator[str]:
    """Yield the modules that a file may import, with the packages around them."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return
    package = _module(path).split(".")
    if not path.endswith("/__init__.py"):
        package.pop()
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _package_names(alias.name)
        elif isinstance(node, ast.ImportFrom):
            around = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join(filter(None, (*around, node.module or "")))
            yield from _package_names(base)
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _package_names(name: str) -> Iterator[str]:
    parts = name.split(".")
    yield from (".".join(parts[: at + 1]) for at in range(len(parts)))
