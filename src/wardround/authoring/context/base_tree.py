"""The files of the commit that a task starts from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from wardround.change.repository import Repository
from wardround.retrieval.blob_text import blob_text
from wardround.retrieval.file_search import is_accompanying_file, is_source
from wardround.retrieval.index import IndexedFile
from wardround.retrieval.test_discovery import contains_tests

_DOCUMENTS = (".md", ".rst", ".mdx", ".adoc")


class BaseTree:
    """The files of a commit, and their texts, each read once."""

    def __init__(self, repository: Repository, commit: str) -> None:
        self.repository = repository
        self.commit = commit
        self._texts: dict[str, str | None] = {}

    @cached_property
    def blobs(self) -> dict[str, str]:
        """Path -> object id of every regular file, by path."""
        return dict(self.repository.blobs_of(self.commit))

    @cached_property
    def sources(self) -> list[str]:
        """The source and settings that a change can be about, without what accompanies them."""
        return [path for path in self.blobs if is_source(path) and not is_accompanying_file(path)]

    @cached_property
    def source_set(self) -> frozenset[str]:
        return frozenset(self.sources)

    @cached_property
    def tests(self) -> list[str]:
        """The files from which test runners collect tests."""
        return [path for path in self.blobs if contains_tests(path)]

    @cached_property
    def documents(self) -> list[str]:
        """The documentation that people read."""
        return [path for path in self.blobs if path.lower().endswith(_DOCUMENTS)]

    def entries(self, paths: Sequence[str]) -> list[IndexedFile]:
        """Return files as the search index has them."""
        return [IndexedFile(path, self.blobs[path]) for path in paths]

    def text(self, path: str) -> str | None:
        """Return the text of a file; None if it is missing, too long, binary, or not UTF-8."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> str | None:
        if path not in self.blobs:
            return None
        text = blob_text(self.repository, self.blobs[path])
        return None if text is None or "\0" in text else text

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file; none if it has no text."""
        return lines_of(self.text(path) or "")


def lines_of(text: str) -> list[str]:
    """Return the lines as git and editors number them: only a newline ends one."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
