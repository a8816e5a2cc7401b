"""Facts about commits that only the contents of their files show."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from wardround.change.change_source import decode_text
from wardround.change.commit_log import FileChange
from wardround.change.repository import Repository
from wardround.languages.python import tree
from wardround.lazy import LazyPattern
from wardround.release_notes.history.history import HistoryCommit
from wardround.release_notes.history.path_class import PathClass, class_of_path
from wardround.retrieval.definitions import functions

_MOST_READ = 4_000
"""Maximum number of contents that are read for one range."""
_MOST_PARSED = 200
"""Maximum number of contents that are parsed to find changes of comments only."""
_MOST_CHARACTERS = 400_000
_MOST_NAMED_FILES = 300
_DEPRECATION = LazyPattern(r"\b(?:Pending)?DeprecationWarning\b|\bFutureWarning\b|@(?:\w+\.)?deprecated\b")
_CAMEL = LazyPattern(r"(?<![A-Za-z0-9])[A-Z]?[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*")
_PYTHON = (".py", ".pyi")
_CODE = LazyPattern(
    r"[ \t]*(?:(?:async )?(?:def|class|return|if|elif|else|for|while|try|except|finally|raise|with|import"
    r"|yield"
    r"|assert|del|pass|break|continue)\b[^.]*$|from \S+ import|@\w|[\w.\[\], ]+(?::[^=\n]+)?[-+*/|&]?=[^=]"
    r"|\w[\w.]*\(.*\)$)"
)
"""A line that is probably no prose."""


@dataclass
class ChangedCode:
    """Reads the contents of changed files, within limits that depend on numbers only."""

    repository: Repository
    _reads: int = 0
    _parses: int = 0
    _shapes: dict[str, tuple[str, str]] = field(default_factory=dict)
    _trees: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def classes(self, commit: HistoryCommit) -> frozenset[PathClass]:
        """Return the classes of the changed files; a change of comments only is none of the product."""
        return frozenset(self._class(file) for file in commit.files)

    def _class(self, file: FileChange) -> PathClass:
        found = class_of_path(file.path)
        if found is PathClass.PRODUCT and file.path.endswith(_PYTHON) and file.old and file.new:
            return self._class_of_edit(file)
        return found

    def _class_of_edit(self, file: FileChange) -> PathClass:
        if _changes_code(self.text(file.old), self.text(file.new)):
            return PathClass.PRODUCT
        before, after = self._shape(file.old), self._shape(file.new)
        if not before[0] or before[0] != after[0]:
            return PathClass.PRODUCT
        return PathClass.TOOLING if before[1] == after[1] else PathClass.DOCUMENTATION

    def _shape(self, blob: str) -> tuple[str, str]:
        """Return the code of a file without and with its documentation; nothing if it is not read."""
        if blob not in self._shapes:
            self._parses += 1
            text = self.text(blob) if self._parses <= _MOST_PARSED else ""
            self._shapes[blob] = _shape_of(text) if text else ("", "")
        return self._shapes[blob]

    def text(self, blob: str) -> str:
        """Return the content of a file; nothing if it is missing, too large, not UTF-8, or past the limit."""
        text = self.long_text(blob)
        return text if len(text) <= _MOST_CHARACTERS else ""

    def long_text(self, blob: str) -> str:
        """Return the content of a file of any size."""
        self._reads += 1
        content = self.repository.blobs.get(blob) if blob and self._reads <= _MOST_READ else None
        return "" if content is None else decode_text(content) or ""

    def entries(self, commit: str) -> Mapping[str, str]:
        """Return the object id of each file of a commit, by path."""
        if commit not in self._trees:
            self._trees[commit] = dict(self.repository.blobs_of(commit))
        return self._trees[commit]

    def deprecating(self, commits: Sequence[HistoryCommit], head: str) -> frozenset[str]:
        """Return the commits that add a warning of a deprecation to the product.

        Args:
            head: its files are searched first, so that only commits which change one of them are read.
        """
        words = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning", "deprecated")
        paths = {path for path in self.repository.files_with_word(head, words, ("*",)) if _is_product(path)}
        return frozenset(commit.id for commit in commits if self._is_deprecating(commit, paths))

    def _is_deprecating(self, commit: HistoryCommit, paths: Iterable[str]) -> bool:
        files = [file for file in commit.files if file.path in paths and file.new]
        return any(self._warnings(file.new) > self._warnings(file.old) for file in files)

    def _warnings(self, blob: str) -> int:
        return len(_DEPRECATION.findall(self.text(blob))) if blob else 0

    def names(self, commits: Iterable[HistoryCommit]) -> frozenset[str]:
        """Return the names in capitals and small letters that the changed files of the product define."""
        last = {file.path: file.new for commit in commits for file in commit.files if _is_product(file.path)}
        found: set[str] = set()
        for path, blob in sorted(last.items())[:_MOST_NAMED_FILES]:
            found.update(_names_in(path, self.text(blob)))
        return frozenset(found)


def _changes_code(before: str, after: str) -> bool:
    """Return True if a line that is probably code exists on one side only; trees need not be compared."""
    old, new = (Counter(map(_without_comment, text.split("\n"))) for text in (before, after))
    return any(_CODE.match(line) for line in chain(old - new, new - old))


def _without_comment(line: str) -> str:
    return line.partition("  #")[0].rstrip()


def _is_product(path: str) -> bool:
    return class_of_path(path) is PathClass.PRODUCT


def _names_in(path: str, text: str) -> Iterator[str]:
    for definition in functions(path, text) if text else ():
        name = definition.name.rpartition(".")[2]
        if _CAMEL.fullmatch(name):
            yield name


def _shape_of(text: str) -> tuple[str, str]:
    """Return the syntax tree as text, without and with the strings that are documentation."""
    try:
        module = tree.parse(text)
        complete = ast.dump(module)
    except tree.UNREADABLE:
        return "", ""
    for node in tree.walk(module):
        _without_documentation(node)
    return ast.dump(module), complete


def _without_documentation(node: ast.AST) -> None:
    body = getattr(node, "body", None)
    if isinstance(body, list):
        kept = [statement for statement in body if not _is_string(statement)]
        node.body = kept  # type: ignore[attr-defined]


def _is_string(statement: object) -> bool:
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case _:
            return False
