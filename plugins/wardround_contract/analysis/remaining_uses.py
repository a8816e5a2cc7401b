"""Find the uses of a removed definition that remain at the head, in the code graphs of base and head."""

from __future__ import annotations

import builtins
import re
from collections import defaultdict
from collections.abc import Iterator

from wardround.checks.source import ChangeView
from wardround.context.code_graph.change_graphs import ChangeGraphs
from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.model import Certainty, FileFacts, Link, Symbol, Use, UseKind
from wardround.lazy import LazyPattern
from wardround_contract.analysis.base_classes import may_inherit
from wardround_contract.analysis.definitions import RemovedDefinition
from wardround_contract.analysis.uses import NOT_MAINTAINED, RemainingUse

_BUILTIN_MEMBERS = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float, BaseException, type, object)
    for name in dir(kind)
) | frozenset(dir(builtins))
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_UNIQUE_WORDS = 3
_UNIQUE_LENGTH = 14
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_+[A-Za-z0-9]")
_DYNAMIC_MODULE = LazyPattern(r"(?m)^def __getattr__|\bglobals\(\)|new Proxy\(")
_DYNAMIC_CLASS = LazyPattern(r"def __getattr(ibute)?__|\bsetattr\(|__dict__|new Proxy\(")
_IGNORED = re.compile(r"type:\s*ignore|pylint: disable|pyright: ignore|ty: ignore|@ts-(ignore|expect-error)")
_GUARDS = ("hasattr", "getattr", "raises", "suppress", "AttributeError", "skip", "version")
_MEMBER_USES = frozenset({UseKind.ATTRIBUTE, UseKind.CALL})


class RemainingUses:
    """The uses of removed definitions in the tree of the head."""

    def __init__(self, change: ChangeView, graphs: ChangeGraphs) -> None:
        self._change = change
        self._graphs = graphs
        self._head_path = {file.base_path: file.path for file in change.files if file.base_path}
        self._changed = {file.path for file in change.files}
        self._resolved: dict[str, set[tuple[str, int]]] = {}
        self._deleted = {file.path for file in change.files if file.text is None}

    def resolve(self, removed: RemovedDefinition) -> list[RemainingUse]:
        """Return the uses that scopes and imports lead to the definition, and to no other at the head."""
        symbol = removed.symbol
        found: set[RemainingUse] = set()
        for link in self._graphs.base.callers(symbol):
            if link.certainty is Certainty.RESOLVED:
                path = self._head_path.get(link.path, link.path)
                found.update(self._find_at_head(path, link, symbol.own_name))
        return self._real(found, symbol)

    def by_name(self, removed: RemovedDefinition, resolved: list[RemainingUse]) -> list[RemainingUse]:
        """Return the resolved uses, and those by name alone.

        None if a library may have the name, or anything in the repository has it. A name of one or two words
        counts only in files that import the defining file.
        """
        symbol, name = removed.symbol, removed.symbol.own_name
        if not self._is_distinctive(name) or self._is_provided(name, symbol.path):
            return []
        near = {importer.path for importer in self._graphs.base.importers(symbol.path)} | {symbol.path}
        is_unique = len(_WORD.findall(name)) >= _UNIQUE_WORDS and len(name) >= _UNIQUE_LENGTH
        found = set(resolved)
        for link in self._graphs.base.callers(symbol):
            is_near = is_unique or link.path in near
            if link.certainty is Certainty.NAMED and is_near and link.kind in _MEMBER_USES:
                path = self._head_path.get(link.path, link.path)
                found.update(self._find_at_head(path, link, symbol.own_name))
        return self._real(found, symbol)

    def may_be_inherited(self, removed: RemovedDefinition) -> bool:
        """Return True if the class has a base outside of the repository, which may have the name."""
        symbol = removed.symbol
        facts = self._graphs.head.facts(removed.sides.file.path)
        owner = next(
            (definition for definition in facts.symbols if definition.name == symbol.owner_name), None
        )
        return owner is None or may_inherit(self._graphs.head, owner, symbol.own_name)

    def _find_at_head(self, path: str, link: Link, name: str) -> Iterator[RemainingUse]:
        """Yield a use of the base if the head still contains it with the same meaning."""
        if path in self._deleted or NOT_MAINTAINED.search(path):
            return
        base_uses = _uses_by(link, name, self._graphs.base.facts(link.path))
        receivers = {use.receiver for use in base_uses if use.line == link.line}
        facts = self._graphs.head.facts(path)
        for use in _uses_by(link, name, facts):
            if use.receiver not in receivers:
                continue
            if path in self._changed:
                is_there = _owner(facts, use) == link.symbol.name
            else:
                is_there = use.line == link.line
            if is_there and not self._means_another(path, use):
                yield RemainingUse(path, use.line)

    def _means_another(self, path: str, use: Use) -> bool:
        """Return True if a use has a definition at the head, or an import of its name."""
        if (
            any(import_.alias == use.name for import_ in self._graphs.head.facts(path).imports)
            and not use.receiver
        ):
            return True
        return (path, use.line) in self._resolved_positions(use.name)

    def _resolved_positions(self, name: str) -> set[tuple[str, int]]:
        """Return the uses of a name that lead to a definition at the head."""
        if name not in self._resolved:
            links = self._graphs.head.uses_of(name)
            self._resolved[name] = {
                (link.path, link.line) for link in links if link.certainty is Certainty.RESOLVED
            }
        return self._resolved[name]

    def _is_provided(self, name: str, path: str) -> bool:
        """Return True if anything at the head may still provide a member of this name."""
        if any(use.kind is UseKind.KEY for use in self._graphs.head.uses_of(name)):
            return True
        project = self._change.project
        patterns = ("*.py", "*.pyi") if language_of(path) == "python" else ("*.ts", "*.tsx", "*.js", "*.jsx")
        definition = re.compile(
            rf"\b(?:def|class|function|get|set|async|static|readonly|interface|type|const|let|var)\s+{name}\b"
            rf"|\.{name}\s*(?::[^=\n]+)?=(?!=)|^\s*['\"]?{name}['\"]?\??\s*[:(=](?!=)|[{{,]\s*{name}\s*[,}}:]"
            rf"|['\"]{name}['\"]|\bas {name}\b",
            re.MULTILINE,
        )
        files = project.files_with_word([name], patterns)
        return any(definition.search(project.read(file) or "") for file in files)

    def _is_distinctive(self, name: str) -> bool:
        return bool(_CAMEL.search(name.strip("_"))) and name not in _BUILTIN_MEMBERS and len(name) >= 6

    def _real(self, found: set[RemainingUse], symbol: Symbol) -> list[RemainingUse]:
        """Drop uses on lines that allow the name to be missing."""
        by_path: dict[str, list[RemainingUse]] = defaultdict(list)
        for use in sorted(found):
            by_path[use.path].append(use)
        retained = []
        for path, uses in by_path.items():
            lines = (self._change.project.read(path) or "").split("\n")
            retained += [use for use in uses if _requires_name(lines, use.line, symbol.own_name)]
        return retained


def _uses_by(link: Link, name: str, facts: FileFacts) -> list[Use]:
    """Return the uses of a name in a file that are of the same kind as a link."""
    return [use for use in facts.uses if use.name == name and use.kind is link.kind]


def is_dynamic(text: str, head: FileFacts, owner: str) -> bool:
    """Return True if a module, or the class of a name, may provide names that the source does not show."""
    found = next((symbol for symbol in head.symbols if symbol.name == owner), None) if owner else None
    if found is None:
        return bool(_DYNAMIC_MODULE.search(text))
    return bool(_DYNAMIC_CLASS.search("\n".join(text.split("\n")[found.line - 1 : found.end_line])))


def _requires_name(lines: list[str], number: int, name: str) -> bool:
    """Return True if a line uses a name and nothing around it allows the name to be missing."""
    if number > len(lines) or not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", lines[number - 1]):
        return False
    around = "\n".join(lines[max(number - 4, 0) : number])
    return not _IGNORED.search(around) and not any(word in around for word in _GUARDS)


def _owner(facts: FileFacts, use: Use) -> str:
    return facts.symbols[use.owner].name
