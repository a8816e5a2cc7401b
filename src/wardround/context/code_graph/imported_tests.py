"""The changed test files that code besides tests imports: they are reviewed as tests, and ship as source."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable
from contextlib import closing

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.change.encoding import escape_undecodable
from wardround.context.change_tests import ImportedTest
from wardround.context.code_graph.change_graphs import open_graphs
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.errors import GraphNotBuilt


def imported_tests(
    source: ChangeSource,
    change: Change,
    tests: Collection[str],
    is_test: Callable[[str], bool],
    limit: UpdateLimit,
) -> tuple[ImportedTest, ...]:
    """Return the test files that other code imports, themselves or by another test file.

    None without a code graph, where the contract plane is inconclusive.

    Args:
        tests: the paths of changed test files.
        is_test: True for the path of a test file.
        limit: limits the work on the code graphs.
    """
    git_source = source.in_repository
    if not tests or git_source is None:
        return ()
    try:
        with closing(open_graphs(git_source.repository, change, git_source, limit)) as graphs:
            found = [_imported_test(path, graphs.head, is_test) for path in sorted(tests)]
    except (GraphNotBuilt, sqlite3.DatabaseError):
        return ()
    return tuple(filter(None, found))


def _imported_test(path: str, graph: CodeGraph, is_test: Callable[[str], bool]) -> ImportedTest | None:
    for importer in _importers(path, graph, is_test):
        if not is_test(importer):
            return ImportedTest(escape_undecodable(path), escape_undecodable(importer))
    return None


def _importers(path: str, graph: CodeGraph, is_test: Callable[[str], bool]) -> Iterable[str]:
    """Yield the files that import a file, and those that import the test files among them."""
    known, waiting = {path}, [path]
    while waiting:
        for importer in graph.importers(waiting.pop()):
            if importer.path not in known:
                known.add(importer.path)
                waiting += [importer.path] if is_test(importer.path) else []
                yield importer.path
