"""Imports in a repository that refer to a module, or to one of its exports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from wardround.languages.script.code import Code, code_of
from wardround.languages.script.syntax import Node
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.removed_uses import RemovedUse
from wardround_typescript.analysis.exports import string_arguments, unquote
from wardround_typescript.analysis.modules import Modules
from wardround_typescript.syntax.nodes import ancestors, child, has_kind, is_kind, parts

_SUFFIXES = ("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte")
SOURCES = tuple(f"*.{suffix}" for suffix in _SUFFIXES)
"""Patterns of the files that may import a module."""
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
_WRAPS = frozenset({"await_expression", "parenthesized_expression"})


class ExportUsers:
    """Finds the users of removed exports in one pass over the candidate files.

    Args:
        lost: the path of each module with the exports it lost; none if the module itself is removed.
        words: every file with a use contains at least one of them.
    """

    def __init__(self, lost: Mapping[str, Collection[str]], words: Collection[str], modules: Modules) -> None:
        self._lost = lost
        self._words = sorted(words)
        self._modules = modules

    def uses(self) -> dict[str, list[RemovedUse]]:
        """Return the uses in other files by module, ordered by path and line."""
        found: dict[str, set[RemovedUse]] = defaultdict(set)
        project = self._modules.project
        candidates = project.files_with_word(self._words, SOURCES) if self._words else []
        paths = [path for path in candidates if not _NOT_RUN.search(path)]
        for path in paths[:_MOST_FILES]:
            for target, use in self.uses_in(path, project.read(path)):
                found[target].add(use)
        return {path: sorted(uses) for path, uses in found.items()}

    def uses_in(self, path: str, text: str | None) -> Iterator[tuple[str, RemovedUse]]:
        """Yield the uses in one file, each with the module; none if the file is not read."""
        if text is None or len(text) > _LONGEST_TEXT:
            return
        if _NOT_RUN.search(path) or not self._imports_removed_module(path, text):
            return
        code = code_of(path, text)
        for target, use in (*self._import_statement_uses(code), *self._runtime_uses(code)):
            if target != path and not _is_ignored(text, use.line):
                yield target, use

    def _imports_removed_module(self, path: str, text: str) -> bool:
        """Return True if an import of a file refers to one of the modules; only such a file is parsed."""
        if "declare module" in text or "@ts-nocheck" in text:
            return False
        return any(self._target(path, spec) is not None for spec in dict.fromkeys(_SPEC.findall(text)))

    def _import_statement_uses(self, code: Code) -> Iterator[tuple[str, RemovedUse]]:
        """Yield the uses by ``import`` and ``export ... from``."""
        module = code.module
        for statement in code.kinds("import_statement", "export_statement"):
            source = statement.child_by_field_name("source") or _required_module(statement)
            target = self._target(module.path, unquote(module, source)) if source is not None else None
            if target is None:
                continue
            for node, name in self._lost_names(code, statement, self._lost[target]):
                yield target, RemovedUse(module.path, module.place(node)[0], name)

    def _runtime_uses(self, code: Code) -> Iterator[tuple[str, RemovedUse]]:
        """Yield the uses by ``import("./a")`` and ``require("./a")``."""
        module = code.module
        for call, spec in string_arguments(module, _AT_RUN_TIME):
            target = self._target(module.path, spec)
            if target is None or _may_fail(code, call):
                continue
            lost = self._lost[target]
            names = sorted(_destructured_names(code, call).intersection(lost)) if lost else [""]
            for name in names:
                yield target, RemovedUse(module.path, module.place(call)[0], name)

    def _target(self, importer: str, spec: str) -> str | None:
        """Return the module of interest that an import refers to."""
        found = self._modules.resolve(importer, spec)
        return found if found in self._lost else None

    def _lost_names(self, code: Code, node: Node, lost: Collection[str]) -> Iterator[tuple[Node, str]]:
        """Yield the lost names of an import or re-export, each at its position; "" for a removed module."""
        if not lost:
            yield node, ""
            return
        for specifier in below(node, ("import_specifier", "export_specifier")):
            name = code.field(specifier, "name")
            if name in lost:
                yield specifier, name
        for binding in parts(import_clause(node)):
            yield from self._lost_through(code, binding, lost)

    def _lost_through(self, code: Code, binding: Node, lost: Collection[str]) -> Iterator[tuple[Node, str]]:
        """Yield the lost names that a default import is, or that are read from a namespace import."""
        match binding.type:
            case "identifier" if "default" in lost:
                yield binding, "default"
            case "namespace_import":
                yield from self._read_from(code, code.text(binding.named_children[0]), lost)

    def _read_from(self, code: Code, local: str, lost: Collection[str]) -> Iterator[tuple[Node, str]]:
        """Yield the lost names that are read from a namespace import."""
        if code.declared.get(local):
            return
        for node in code.kinds("member_expression", "nested_type_identifier"):
            owner = node.child_by_field_name("object") or node.child_by_field_name("module")
            name = code.field(node, "property") or code.field(node, "name")
            if owner is not None and code.text(owner) == local and name in lost:
                yield node, name


def import_clause(statement: Node) -> Node | None:
    """Return the names of an import statement."""
    return _first_of_kind(statement, "import_clause")


def _required_module(statement: Node) -> Node | None:
    """Return the module of ``import a = require("./a")``."""
    return child(_first_of_kind(statement, "import_require_clause"), "source")


def _first_of_kind(node: Node, kind: str) -> Node | None:
    return next((part for part in node.named_children if part.type == kind), None)


def below(node: Node, kinds: Collection[str]) -> Iterator[Node]:
    for part in node.named_children:
        if part.type in kinds:
            yield part
        elif part.type in ("import_clause", "named_imports", "export_clause"):
            yield from below(part, kinds)


def _destructured_names(code: Code, call: Node) -> set[str]:
    """Return the names that are destructured from a module loaded by a call."""
    module = call
    while has_kind(module.parent, _WRAPS):
        module = module.parent
    target = module.parent
    if is_kind(target, "variable_declarator") and target.child_by_field_name("value") == module:
        return _keys(code, target.child_by_field_name("name"))
    if not is_kind(target, "member_expression"):
        return set()
    name = code.field(target, "property")
    if module != call:
        return {name}
    return _names_read_in_then(code, target) if name == "then" else set()


def _keys(code: Code, pattern: Node | None) -> set[str]:
    if not is_kind(pattern, "object_pattern"):
        return set()
    found = set()
    for part in pattern.named_children:
        match part.type:
            case "shorthand_property_identifier_pattern":
                found.add(code.text(part))
            case "pair_pattern":
                found.add(code.field(part, "key"))
    return found


def _names_read_in_then(code: Code, member: Node) -> set[str]:
    """Return the names that ``import("./a").then((m) => m.b)`` reads."""
    text = code.text(member.parent)[len(code.field(member, "object")) :]
    match = _THEN.match(text)
    if match is None:
        return set()
    return set(re.findall(rf"\b{match['local']}\.(\w+)", text[match.end() :]))


def _may_fail(code: Code, call: Node) -> bool:
    """Return True if the code continues when a module cannot be loaded."""
    return any(_catches_errors(code, node) for node in (call, *ancestors(call)))


def _catches_errors(code: Code, node: Node) -> bool:
    match node.type:
        case "try_statement":
            return True
        case "call_expression":
            return ".catch(" in code.field(node, "function") + "("
    return False


def _is_ignored(text: str, line: int) -> bool:
    lines = text.split("\n")[max(line - 2, 0) : line]
    return any(_IGNORED.search(near) for near in lines)
