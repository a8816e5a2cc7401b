"""Imports in a repository that need a module, or an export of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.code import Code, code_of
from wardround.languages.script.syntax import Node
from wardround.semantics.semdiff.removed_uses import RemovedUse
from wardround_typescript.analysis.exports import SOURCES, Modules, string_arguments, unquoted

_MOST_FILES = 600
"""Number of files with one of the words that are read."""
_LONGEST_TEXT = 400_000
_NOT_RUN = LazyPattern(
    r"(^|/)(_*(test)?_?fixtures?_*|_*snapshots_*|templates?|node_modules|dist|build|vendor|testdata|codemods?"
    r"|third_party|generated)/|\.min\.|\.d\.[mc]?ts$|[{}]"
)
_IGNORED = LazyPattern(r"@ts-(?:ignore|expect-error)|eslint-disable[\w-]{0,20} .{0,200}import/")
_AT_RUN_TIME = ("import", "require", "require.resolve")
_SPEC = LazyPattern(
    r"\b(?:from|import|require|resolve)\s{0,20}\(?\s{0,20}(?:/\*[^*]{0,200}\*/\s{0,20})?[\"']([^\"'\n]{1,300})[\"']"
)
_THEN = LazyPattern(r"\.then\(\s*(?:async\s*)?\(?\s*(?P<local>\w+)\s*\)?\s*=>")


class ExportUsers:
    """Finds the users of removed exports in one pass over the candidate files.

    Args:
        lost: the path of each module with the exports it lost; none if the module itself is removed.
        words: each file with a use contains one of them.
    """

    def __init__(self, lost: Mapping[str, Collection[str]], words: Collection[str], modules: Modules) -> None:
        self._lost = lost
        self._words = sorted(words)
        self._modules = modules

    def uses(self) -> dict[str, list[RemovedUse]]:
        """Return the uses in other files by module, ordered by path and line."""
        found: dict[str, set[RemovedUse]] = defaultdict(set)
        project = self._modules.project
        paths = project.files_with_word(self._words, SOURCES) if self._words else []
        for path in [one for one in paths if not _NOT_RUN.search(one)][:_MOST_FILES]:
            for target, use in self.uses_in(path, project.read(path)):
                found[target].add(use)
        return {path: sorted(uses) for path, uses in found.items()}

    def uses_in(self, path: str, text: str | None) -> Iterator[tuple[str, RemovedUse]]:
        """Yield the uses in one file, each with the module; none if the file is not read."""
        if (
            text is None
            or len(text) > _LONGEST_TEXT
            or _NOT_RUN.search(path)
            or not self._imports_one(path, text)
        ):
            return
        for target, use in self._in(code_of(path, text)):
            if target != path and not _is_ignored(text, use.line):
                yield target, use

    def _imports_one(self, path: str, text: str) -> bool:
        """Return True if an import of a text refers to one of the modules; only such a text is parsed."""
        if "declare module" in text or "@ts-nocheck" in text:
            return False
        return any(self._target(path, spec) is not None for spec in dict.fromkeys(_SPEC.findall(text)))

    def _in(self, code: Code) -> Iterator[tuple[str, RemovedUse]]:
        module = code.module
        for node in code.kinds("import_statement", "export_statement"):
            source = node.child_by_field_name("source") or _required(node)
            target = self._target(module.path, unquoted(module, source)) if source is not None else None
            if target is not None:
                lost = self._lost[target]
                for one, name in self._named(code, node, lost) if lost else [(node, "")]:
                    yield target, RemovedUse(module.path, module.place(one)[0], name)
        for call, spec in string_arguments(module, _AT_RUN_TIME):
            target = self._target(module.path, spec)
            if target is not None and not _may_fail(code, call):
                lost = self._lost[target]
                names = sorted(_destructured(code, call).intersection(lost)) if lost else [""]
                yield from ((target, RemovedUse(module.path, module.place(call)[0], name)) for name in names)

    def _target(self, importer: str, spec: str) -> str | None:
        """Return the module of interest that an import refers to."""
        found = self._modules.resolved(importer, spec)
        return found if found in self._lost else None

    def _named(self, code: Code, node: Node, lost: Collection[str]) -> Iterator[tuple[Node, str]]:
        """Yield the lost names that an import or re-export names, each at its position."""
        for one in below(node, ("import_specifier", "export_specifier")):
            name = code.field(one, "name")
            if name in lost:
                yield one, name
        clause = next((one for one in node.named_children if one.type == "import_clause"), None)
        for one in clause.named_children if clause is not None else ():
            if one.type == "identifier" and "default" in lost:
                yield one, "default"
            elif one.type == "namespace_import":
                yield from self._read_from(code, code.text(one.named_children[0]), lost)

    def _read_from(self, code: Code, local: str, lost: Collection[str]) -> Iterator[tuple[Node, str]]:
        """Yield the lost names that are read from a namespace import."""
        if code.declared.get(local):
            return
        for node in code.kinds("member_expression", "nested_type_identifier"):
            owner = node.child_by_field_name("object") or node.child_by_field_name("module")
            name = code.field(node, "property") or code.field(node, "name")
            if owner is not None and code.text(owner) == local and name in lost:
                yield node, name


def _required(node: Node) -> Node | None:
    """Return the module of ``import a = require("./a")``."""
    clause = next((one for one in node.named_children if one.type == "import_require_clause"), None)
    return clause.child_by_field_name("source") if clause is not None else None


def below(node: Node, kinds: Collection[str]) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in kinds:
            yield child
        elif child.type in ("import_clause", "named_imports", "export_clause"):
            yield from below(child, kinds)


def _destructured(code: Code, call: Node) -> set[str]:
    """Yield the names that are destructured from a module loaded by a call."""
    node, parent = call, call.parent
    while parent is not None and parent.type in ("await_expression", "parenthesized_expression"):
        node, parent = parent, parent.parent
    if parent is None:
        return set()
    if parent.type == "variable_declarator" and parent.child_by_field_name("value") == node:
        pattern = parent.child_by_field_name("name")
        return _keys(code, pattern) if pattern is not None and pattern.type == "object_pattern" else set()
    if parent.type == "member_expression":
        name = code.field(parent, "property")
        return _then(code, parent) if name == "then" and node == call else {name} if node != call else set()
    return set()


def _keys(code: Code, pattern: Node) -> set[str]:
    found = set()
    for one in pattern.named_children:
        if one.type == "shorthand_property_identifier_pattern":
            found.add(code.text(one))
        elif one.type == "pair_pattern":
            found.add(code.field(one, "key"))
    return found


def _then(code: Code, member: Node) -> set[str]:
    """Yield the names that ``import("./a").then((m) => m.b)`` reads."""
    call = member.parent
    text = code.text(call)[len(code.field(member, "object")) :] if call is not None else ""
    match = _THEN.match(text)
    if match is None:
        return set()
    return set(re.findall(rf"\b{match['local']}\.(\w+)", text[match.end() :]))


def _may_fail(code: Code, call: Node) -> bool:
    """Return True if the code continues when a module cannot be loaded."""
    node: Node | None = call
    while node is not None:
        if node.type == "try_statement" or (
            node.type == "call_expression" and ".catch(" in code.field(node, "function") + "("
        ):
            return True
        node = node.parent
    return False


def _is_ignored(text: str, line: int) -> bool:
    lines = text.split("\n")[max(line - 2, 0) : line]
    return any(_IGNORED.search(one) for one in lines)
