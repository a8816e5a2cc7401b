"""The calls of a definition at the head, by the code graph."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.checks.source import ChangeView
from wardround.context.change_graphs import ChangeGraphs
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
        """Return the calls of the definition with a qualified name in a file; those by name come last."""
        symbols = [one for one in self._graph.facts(path).symbols if one.name == name]
        if len(symbols) != 1:
            return ()
        links = [link for link in self._graph.callers(symbols[0]) if link.kind in _USED]
        links = [link for link in links if not NOT_MAINTAINED.search(link.path)]
        if any(link.certainty is Certainty.NAMED for link in links) and not self._is_only(symbols[0]):
            return [link for link in links if link.certainty is Certainty.RESOLVED]
        return links

    def _is_only(self, symbol: Symbol) -> bool:
        """Return True if nothing else in the repository has the name, and a library hardly does."""
        name = symbol.own_name
        if not _DISTINCTIVE.search(name.strip("_")) or len(name) < _LEAST_LENGTH:
            return False
        near = {one.path for one in self._graph.importers(symbol.path)}
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
