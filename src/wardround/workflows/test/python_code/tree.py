"""The files of the tree under test, with the outlines and the tests in them, each read at most once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial

from wardround.retrieval.test_discovery import TestFile, contains_tests
from wardround.workflows.test.python_code.mentions import CodeFile
from wardround.workflows.test.python_code.outline import Outline, outline


class TreeUnderTest:
    """A tree of a repository.

    Args:
        blobs: path -> object id of every file.
        read: path -> its text.
        read_blob: object id -> the content of a file of another tree; None if it is not there.
    """

    def __init__(
        self,
        blobs: Mapping[str, str],
        read: Callable[[str], str | None],
        read_blob: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self.blobs = blobs
        self._read = read
        self._read_blob = read_blob
        self._texts: dict[str, str] = {}
        self._outlines: dict[str, Outline] = {}

    def text(self, path: str) -> str:
        """Return the content of a file; empty if it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._read(path) or ""
        return self._texts[path]

    def version(self, path: str, blob: str | None) -> str | None:
        """Return the content of a version of a file; empty if it is absent, None if it cannot be read."""
        if blob is None:
            return ""
        return self._read(path) if self.blobs.get(path) == blob else self._read_blob(blob)

    def outline(self, path: str) -> Outline:
        if path not in self._outlines:
            self._outlines[path] = outline(self.text(path))
        return self._outlines[path]

    def differing(self, other: TreeUnderTest) -> frozenset[str]:
        """Return the paths whose content differs from that in another tree."""
        paths = {*self.blobs, *other.blobs}
        return frozenset(path for path in paths if self.blobs.get(path) != other.blobs.get(path))

    @cached_property
    def test_files(self) -> tuple[str, ...]:
        """The Python files from which pytest collects tests by default, sorted."""
        return tuple(path for path in sorted(self.blobs) if path.endswith(".py") and contains_tests(path))

    def tests_in(self, path: str) -> tuple[str, ...]:
        """Return the ids of the tests in a file, without parameters: its own ones, then imported ones."""
        found = self.outline(path)
        if found.problem:
            own = [case.id for case in TestFile(path, self.text(path)).cases]
        else:
            names = [test.name for test in sorted(found.functions, key=lambda function: function.starts)]
            tests = (name.split(".") for name in names)
            own = ["::".join((path, *parts)) for parts in tests if parts[-1].startswith("test")]
        imported = [f"{path}::{name}" for name in self._bound_tests(path) if self._is_defined(name, path)]
        return tuple(dict.fromkeys((*own, *imported)))

    def _bound_tests(self, path: str) -> Iterator[str]:
        """Yield the names of tests that module-level statements bind, as imports do."""
        for statement in self.outline(path).statements:
            if not statement.owner and not statement.decorates:
                yield from (name for name in statement.names if name.startswith("test_"))

    def _is_defined(self, name: str, without: str) -> bool:
        """Return True if another file defines a function of this name."""
        return any(
            f"def {name}(" in self.text(path)
            for path in self.blobs
            if path.endswith(".py") and path != without
        )

    def code(self, outside: Mapping[str, frozenset[str]]) -> tuple[CodeFile, ...]:
        """Return the Python files.

        Args:
            outside: path -> the functions that ran outside of every test.
        """
        return tuple(
            CodeFile(path, self.text(path), partial(self.outline, path), outside.get(path, frozenset()))
            for path in sorted(self.blobs)
            if path.endswith(".py")
        )
