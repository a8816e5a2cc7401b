"""The scripts of the tree under test, with their outlines and imports, each read at most once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.context.code_graph.manifests import is_manifest, read_manifest
from wardround.context.code_graph.script_modules import ScriptModules
from wardround.workflows.test.python_code.outline import Outline
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.scripts.outline import script_outline
from wardround.workflows.test.scripts.roles import contains_script_tests, is_script


class ScriptTree:
    """The scripts of a tree.

    Attributes:
        files: all files of the tree.
        test_files: those from which frameworks collect tests; by default, those with a usual name.
    """

    def __init__(self, files: TreeUnderTest, test_files: Sequence[str] | None = None) -> None:
        self.files = files
        usual = (path for path in sorted(files.blobs) if contains_script_tests(path))
        self.test_files = tuple(usual if test_files is None else test_files)
        self._outlines: dict[str, Outline] = {}

    def outline(self, path: str) -> Outline:
        if path not in self._outlines:
            self._outlines[path] = script_outline(path, self.files.text(path)).outline
        return self._outlines[path]

    def resolve_module(self, path: str, module: str) -> str:
        """Return the file of a module that a file imports; empty for one outside the tree."""
        return self._modules.resolve(path, module)

    @cached_property
    def _modules(self) -> ScriptModules:
        paths = [path for path in self.files.blobs if is_script(path)]
        manifests = {
            path: read_manifest(path, self.files.text(path)) for path in self.files.blobs if is_manifest(path)
        }
        return ScriptModules(frozenset(paths), manifests)

    def imported_files(self, path: str) -> Iterator[str]:
        """Yield the files that a file imports at module level."""
        for statement in self.outline(path).statements:
            for module in statement.uses:
                if found := self.resolve_module(path, module):
                    yield found
