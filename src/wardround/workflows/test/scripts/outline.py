"""The functions and the module-level statements of a script, each with a digest of its syntax.

The counterpart of ``outline`` for JavaScript and TypeScript, with the same values. A function is one that is
in no other; nested functions are a part of it. A function that is called immediately is not one. In
digests, names that the module imports or binds differ from global names, so that a digest changes with the
source of an import that its code uses. A comment that compilers or test runners obey is a statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.languages.script.code import FUNCTIONS
from wardround.languages.script.syntax import Node, ScriptModule, inside
from wardround.lazy import LazyPattern
from wardround.storage.digest import sha256
from wardround.workflows.test.python_code.outline import (
    MOST_BYTES,
    Outline,
    OutlinedFunction,
    OutlinedStatement,
)
from wardround.workflows.test.scripts.bindings import Bindings, bindings
from wardround.workflows.test.scripts.names import function_name, is_called_immediately
from wardround.workflows.test.scripts.syntax import TYPES, SyntaxTokens

SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_PRAGMA = LazyPattern(
    r"@(?:jsx\w*|jest-\w[\w-]*|vitest-\w[\w-]*|flow|ts-nocheck|ts-check)\b[^\n*]*|^#![^\n]*"
)
"""Comments that compilers and test runners obey, and the line that names the program of a script."""
Position = tuple[int, int]
"""Line and column, both from 0, the column in units of UTF-16 as in source maps."""
_DIGEST_HEX = 20
_EFFECTS = frozenset(
    {"call_expression", "new_expression", "await_expression", "assignment_expression", "decorator",
     "augmented_assignment_expression", "update_expression", "class_static_block", "spread_element",
     "expression_statement", "if_statement", "for_statement", "for_in_statement", "while_statement",
     "try_statement", "throw_statement", "switch_statement", "import"}
)  # fmt: skip
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
_SPECIAL = frozenset({"constructor", "toString", "valueOf", "toJSON", "then", "inspect"})
_PROCESSES = frozenset(
    {"child_process", "spawn", "spawnSync", "execSync", "execFile", "execFileSync", "fork", "execa",
     "Worker", "cluster", "worker_threads", "zx", "Deno", "Bun"}
)  # fmt: skip


class ScriptOutline(msgspec.Struct, frozen=True):
    """The outline of a script.

    Attributes:
        spans: beginning and end of each function, with its number in the outline.
    """

    outline: Outline
    spans: tuple[tuple[Position, Position, int], ...] = ()


def script_outline(path: str, text: str) -> ScriptOutline:
    """Return the outline of a file; another file, or one that does not parse, is one statement."""
    if not path.endswith(SUFFIXES):
        return _unread_result(text, "it is not a script")
    if len(text) > MOST_BYTES:
        return _unread_result(text, f"it has more than {MOST_BYTES} characters")
    module = ScriptModule(path, text)
    if module.root.has_error:
        return _unread_result(text, "it does not parse")
    return _Outliner(module).read()


def _unread_result(text: str, problem: str) -> ScriptOutline:
    digest = _digest([text])
    complete = OutlinedStatement(digest, (), 1, text.count("\n") + 1, is_bounded=False)
    return ScriptOutline(Outline((), (complete,), problem))


def _digest(tokens: Sequence[str]) -> str:
    return sha256("\x1f".join(tokens).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_HEX]


class _Outliner:
    def __init__(self, module: ScriptModule) -> None:
        self._module = module
        self._bound: Bindings = bindings(module)
        self._tokens = SyntaxTokens(module, self._bound.texts)
        self._functions: dict[str, list[Node]] = {}
        self._has_types = False

    def read(self) -> ScriptOutline:
        statements = tuple(
            statement for node in self._module.root.named_children for statement in self._statements(node)
        )
        functions = tuple(self._function(name, nodes) for name, nodes in self._functions.items())
        spans = tuple(
            (*self._span(node), number)
            for number, nodes in enumerate(self._functions.values())
            for node in nodes
        )
        return ScriptOutline(Outline(functions, statements), spans)

    def _statements(self, node: Node) -> Iterator[OutlinedStatement]:
        if node.type in ("comment", "hash_bang_line"):
            yield from self._pragmas(node)
            return
        if node.type in TYPES or self._bound.is_type_import(node):
            return
        names, modules = self._bound.names_of(node), self._bound.modules_of(node)
        if node.type == "import_statement" or (modules and node.type != "export_statement"):
            yield from self._import(node, names, modules)
            return
        self._has_types = _is_decorated(node)
        tokens = self._tokens.of(node, inner=self._replacement_text, has_types=self._has_types)
        if tokens and tokens != ["export_statement(", "export", ")"]:
            yield OutlinedStatement(
                digest=_digest(tokens),
                names=names,
                line=node.start_point[0] + 1,
                end_line=node.end_point[0] + 1,
                is_bounded=bool(names) and not self._has_effect(node),
                uses=modules,
                is_registering=node.type == "export_statement",
            )

    def _pragmas(self, comment: Node) -> Iterator[OutlinedStatement]:
        """Yield a comment that controls how the file is compiled or run, with its content."""
        stated = _PRAGMA.findall(self._module.of(comment))
        if stated:
            lines = (comment.start_point[0] + 1, comment.end_point[0] + 1)
            yield OutlinedStatement(_digest(stated), (), *lines, is_bounded=False)

    def _import(
        self, node: Node, names: tuple[str, ...], modules: tuple[str, ...]
    ) -> Iterator[OutlinedStatement]:
        used = tuple(name for name in names if name in self._bound.used)
        is_enumerated = any(name in self._bound.enumerated for name in used)
        if names and not used and self._module.path.endswith((".ts", ".tsx", ".mts", ".cts")):
            return  # compilers remove it
        yield OutlinedStatement(
            digest=_digest([*modules, *sorted(self._bound.texts[name] for name in used)]),
            names=used,
            line=node.start_point[0] + 1,
            end_line=node.end_point[0] + 1,
            is_bounded=bool(names) and not is_enumerated,
            is_import=True,
            uses=modules,
        )

    def _replacement_text(self, node: Node) -> str | None:
        """Return the text that replaces a function in a statement: its properties visible without a call."""
        if node.type not in FUNCTIONS or is_called_immediately(node):
            return None
        name = function_name(self._module, node)
        self._functions.setdefault(name, []).append(node)
        if self._has_types:
            parameters = node.child_by_field_name("parameters")
            tokens = self._tokens.of(parameters, has_types=True) if parameters is not None else []
            return f"function {name} {' '.join(tokens)}"
        if node.type == "method_definition" and node.parent is not None and node.parent.type == "class_body":
            return ""  # a method alone is found by its name, as a function of its own
        return f"function {name} {_shape(node)}"

    def _has_effect(self, node: Node) -> bool:
        open_ = [node]
        while open_:
            item = open_.pop()
            if item.type in _EFFECTS:
                return True
            if item.type not in FUNCTIONS:
                open_.extend(item.named_children)
        return False

    def _function(self, name: str, nodes: Sequence[Node]) -> OutlinedFunction:
        tokens = [token for node in nodes for token in ("|", *self._tokens.of(node))]
        classes = [found for node in nodes if (found := _class_around(node)) is not None]
        lines = [(node.start_point[0] + 1, node.end_point[0] + 1) for node in nodes]
        return OutlinedFunction(
            name=name,
            digest=_digest(tokens),
            ranges=tuple(lines),
            starts=tuple(first for first, _ in lines),
            is_plain=not any(_is_decorated(class_) for class_ in classes),
            is_inheriting=any(_may_override(class_, name) for class_ in classes),
            starts_processes=self._names_process(tokens),
        )

    def _names_process(self, tokens: Iterable[str]) -> bool:
        """Return True if tokens name a module or a function that starts processes."""
        for token in tokens:
            word = token.rpartition(" ")[2].rpartition("#")[2]
            if word in _PROCESSES or self._bound.module_of(token.partition(" ")[2]) in _PROCESSES:
                return True
        return False

    def _span(self, node: Node) -> tuple[Position, Position]:
        return self._position(node.start_byte, node.start_point), self._position(
            node.end_byte, node.end_point
        )

    def _position(self, at: int, point: tuple[int, int]) -> Position:
        row, column = point
        before = self._module.between(at - column, at)
        return row, column if before.isascii() else len(before.encode("utf-16-le")) // 2


def _shape(node: Node) -> str:
    """Return the properties of a function that are visible without a call: its kind, and the number of its
    parameters.
    """
    parameters = node.child_by_field_name("parameters")
    count = parameters.named_child_count if parameters is not None else 1
    words = [
        child.type
        for child in node.children
        if not child.is_named and child.type in ("async", "*", "get", "set")
    ]
    return " ".join([*words, str(count)])


def _is_decorated(node: Node) -> bool:
    return any(part.type == "decorator" for part in inside(node))


def _class_around(node: Node) -> Node | None:
    """Return the class that a method is a member of."""
    body = node.parent
    return body.parent if body is not None and body.type == "class_body" else None


def _may_override(node: Node, name: str) -> bool:
    has_base = any(
        part.type == "extends_clause"
        for child in node.named_children
        if child.type == "class_heritage"
        for part in (child, *child.named_children)
    )
    last = name.rpartition(".")[2]
    return has_base or last in _SPECIAL or last.startswith("[")
