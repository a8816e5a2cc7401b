"""The calls of a definition at the head, by the code graph."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.checks.source import ChangeView
from wardround.context.code_graph.change_graphs import ChangeGraphs
from wardround.context.code_graph.model import Certainty, Link, Symbol, UseKind
from wardround_contract.analysis.uses import NOT_MAINTAINED

_USED = frozenset({UseKind.CALL, UseKind.RENDERS})
_DISTINCTIVE = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_+[A-Za-z0-9]")
_LEAST_LENGTH = 6


class Callers:
    """The calls of definitions in the tree of the head."""

    def __init__(self, change: ChangeView, graphs: ChangeGraphs) -> None:
        self._change = change
        self._graph = graphs.head

    def calls(self, path: str, name: str) -> Sequence[Link]:
        """Return the calls of the definition with a qualified name in a file; matches by name only come
        last.
        """
        symbols = [symbol for symbol in self._graph.facts(path).symbols if symbol.name == name]
        if len(symbols) != 1:
            return ()
        definition = symbols[0]
        links = list(filter(_is_maintained_use, self._graph.callers(definition)))
        certainties = {link.certainty for link in links}
        if Certainty.NAMED not in certainties or self._is_only(definition):
            return links
        return [link for link in links if link.certainty is Certainty.RESOLVED]

    def _is_only(self, symbol: Symbol) -> bool:
        """Return True if no other definition of the repository has the name, and it is too specific for a
        library.
        """
        name = symbol.own_name
        if not _DISTINCTIVE.search(name.strip("_")) or len(name) < _LEAST_LENGTH:
            return False
        near = {importer.path for importer in self._graph.importers(symbol.path)}
        if not near:
            return False
        pattern = re.compile(
            rf"\b(?:def|class|function|const|let|async|static|get)\s+{name}\b|\.{name}\s*=(?!=)"
            rf"|^\s*(?:async\s+)?{name}\s*[(:]|\bas {name}\b",
            re.MULTILINE,
        )
        patterns = ("*.py", "*.ts", "*.tsx", "*.js", "*.jsx")
        found = 0
        for path in self._change.project.files_with_word([name], patterns):
            found += len(pattern.findall(self._change.project.read(path) or ""))
        return found == 1


def _is_maintained_use(link: Link) -> bool:
    return link.kind in _USED and not NOT_MAINTAINED.search(link.path)
