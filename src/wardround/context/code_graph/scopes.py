"""The scan of one file: scopes, the names that they bind, and the symbols, imports and uses in them.

A name is a local if its function binds it anywhere. Its uses are dropped, since they refer to no symbol; an
attribute of a local is recorded with an unknown receiver, or with the class of the local if one assignment or
annotation shows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tree_sitter import Node

from wardround.context.code_graph import normal_form
from wardround.context.code_graph.literal_names import named_in
from wardround.context.code_graph.model import CALLABLE, FileFacts, Import, Symbol, SymbolKind, Use, UseKind
from wardround.lazy import LazyPattern

MOST_SYMBOLS = 5_000
MOST_USES = 30_000
MOST_NESTED = 30
"""Maximum number of scopes in one another; code nested deeper belongs to the innermost of them."""
_LONGEST_NAME = 200
MOST_PARTS = 12
"""Maximum number of the names in a dotted chain."""
LEAST_SHAPED = 24
"""Tokens; a shorter body is similar to too many others."""
UNKNOWN = "*"
INSTANCES = frozenset({"self", "cls", "this", "super"})
"""Receivers that are the instance, or the class, of the enclosing class."""
_CONSTANT = LazyPattern(
    r"^[ \t]{0,40}(?:export[ \t]{1,10})?(?:(?:const|let|var)[ \t]{1,10})?(?P<name>[A-Za-z_$][\w$]{0,80})"
    r"[ \t]{0,10}(?::[^=\n]{1,80})?=[ \t]{0,10}([\"'`])(?P<text>[\w@~./-]{1,200})\2",
    re.MULTILINE,
)
Handler = Callable[[Node], Iterable[Any]]
"""Returns what is to be visited next: nodes, and functions to call between them."""


@dataclass(slots=True)
class Draft:
    """A symbol whose body is still being read."""

    name: str
    kind: SymbolKind
    line: int
    end_line: int
    exported: bool
    digest: str = ""
    shape: bytes = b""
    size: int = 0
    tokens: Sequence[str] = ()
    bound: Collection[str] = ()


@dataclass(slots=True)
class Scope:
    """The code of one symbol, or of a function without a name.

    Attributes:
        owner: the number of the symbol.
        is_function: names that it binds are its locals.
        types: local -> its class; empty if several are assigned.
    """

    owner: int
    is_function: bool
    is_class: bool = False
    bound: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    types: dict[str, str] = field(default_factory=dict)
    uses: list[tuple[int, str, str, UseKind, int]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    @property
    def locals(self) -> set[str]:
        """The names that are local to the function."""
        return self.bound - self.outer if self.is_function else set()


class FileScan:
    """The symbols, imports and uses of a file, collected by a reader of its language."""

    def __init__(self, path: str, source: bytes, lines: int) -> None:
        self.path = path
        self.imports: list[Import] = []
        self.drafts = [Draft("", SymbolKind.MODULE, 1, max(lines, 1), True)]
        self.source = source
        self._scopes = [Scope(0, is_function=False)]
        self._unopened = 0

    @cached_property
    def constants(self) -> dict[str, str]:
        """The strings that are assigned to names, by name; the last one of several."""
        text = self.source.decode("utf-8", "replace")
        return {found["name"]: found["text"] for found in _CONSTANT.finditer(text)}

    @property
    def scope(self) -> Scope:
        return self._scopes[-1]

    @property
    def is_top(self) -> bool:
        """True outside of every symbol."""
        return len(self._scopes) == 1

    @property
    def is_full(self) -> bool:
        """True in a scope in which no other is opened, and no symbol declared."""
        return len(self._scopes) >= MOST_NESTED

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    # Scopes

    def declare(self, name: str, kind: SymbolKind, node: Node, *, exported: bool = False) -> int:
        """Add a symbol inside the present one and return its number."""
        if len(self.drafts) >= MOST_SYMBOLS or self.is_full:
            return self.scope.owner
        around = self.drafts[self.scope.owner].name
        complete = f"{around}.{name[:_LONGEST_NAME]}" if around else name[:_LONGEST_NAME]
        draft = Draft(complete, kind, node.start_point[0] + 1, node.end_point[0] + 1, exported)
        self.drafts.append(draft)
        return len(self.drafts) - 1

    def open(self, owner: int, *, is_function: bool = False, is_class: bool = False) -> None:
        """Enter a scope; ``close`` leaves it."""
        if self.is_full:
            self._unopened += 1
        else:
            self._scopes.append(Scope(owner, is_function, is_class))

    def close(self) -> None:
        """Leave a scope: record the normal form of its symbol and pass the names that it does not bind to the
        outer scope.
        """
        if self._unopened:
            self._unopened -= 1
            return
        scope = self._scopes.pop()
        parent = self.scope
        found = scope.locals
        draft = self.drafts[scope.owner]
        if scope.owner != parent.owner and scope.tokens:
            own_name = draft.name.rpartition(".")[2]
            draft.digest = normal_form.body_digest(scope.tokens, found, own_name)
            draft.size = len(scope.tokens)
            draft.tokens, draft.bound = scope.tokens, found
            if draft.kind in CALLABLE and draft.size >= LEAST_SHAPED:
                draft.shape = normal_form.shape(scope.tokens, found)
        parent.uses += scope.uses if not found else _free(scope, found)
        if len(self._scopes) > 1:
            parent.tokens += scope.tokens if not found else _mark_locals(scope.tokens, found)

    def bind(self, name: str, type_name: str = "") -> None:
        """Record that the present function, class or module binds a name.

        Args:
            type_name: the class of the value, if it is visible.
        """
        scope = self.scope
        known = scope.types.get(name)
        if name in scope.bound and known != type_name:
            type_name = ""
        scope.bound.add(name)
        scope.types[name] = type_name

    # Uses and tokens

    def use(self, name: str, receiver: str, kind: UseKind, node: Node) -> None:
        self.use_at(name, receiver, kind, node.start_point[0] + 1)

    def use_at(self, name: str, receiver: str, kind: UseKind, line: int) -> None:
        if len(name) <= _LONGEST_NAME:
            self.scope.uses.append((self.scope.owner, name, receiver[:_LONGEST_NAME], kind, line))

    def plain(self, name: str, kind: UseKind, node: Node) -> None:
        """Record a use of a plain name, and its token."""
        if name not in INSTANCES:
            self.use(name, "", kind, node)
        self.token(normal_form.NAME + name)

    def chain(self, names: Sequence[tuple[str, Node]], root: str, kind: UseKind) -> None:
        """Record the uses of a dotted chain: of each name, with the names before it as its receiver.

        Args:
            root: empty if the first name begins the chain; else the receiver of the first name.
            kind: kind of the last name.
        """
        receiver = root
        for at, (name, node) in enumerate(names):
            is_last = at == len(names) - 1
            use = kind if is_last else UseKind.ATTRIBUTE if receiver else UseKind.REFERENCE
            if receiver:
                self.use(name, receiver, use, node)
                self.token(".")
                self.token(name)
            else:
                self.plain(name, use, node)
            receiver = UNKNOWN if receiver == UNKNOWN else f"{receiver}.{name}" if receiver else name

    def literal(self, text: str, node: Node) -> None:
        """Record a string or a number; a string that has the form of a name is a use."""
        self.token(normal_form.LITERAL + text)
        name = named_in(text)
        if name:
            self.use(name, "", UseKind.LITERAL, node)

    def token(self, text: str) -> None:
        if len(self._scopes) > 1 and text:
            self.scope.tokens.append(text)

    # The walk

    def walk(self, root: Node, handlers: dict[str, Handler]) -> None:
        """Visit all nodes in source order; a handler returns what is to be visited instead of the children.

        Without recursion: the depth of hostile source has no limit.
        """
        stack: list[Any] = [root]
        while stack:
            item = stack.pop()
            if not isinstance(item, Node):
                item()
                continue
            handler = handlers.get(item.type)
            if handler is not None:
                stack += reversed([*handler(item)])
            elif item.child_count:
                stack += reversed(item.children)
            else:
                self.token(self.text(item) if item.is_named else item.type)

    def facts(self) -> FileFacts:
        """Return the symbols, imports and uses in source order."""
        self._unopened = 0
        while len(self._scopes) > 1:
            self.close()
        retained = sorted(
            dict.fromkeys(self.scope.uses), key=lambda use: (use[4], use[1], use[2], use[3], use[0])
        )
        symbols = tuple(
            Symbol(self.path, draft.line, draft.end_line, draft.name, draft.kind, draft.exported,
                   draft.digest, draft.shape, draft.size)
            for draft in self.drafts
        )  # fmt: skip
        uses = tuple(Use(*use) for use in retained[:MOST_USES])
        return FileFacts(self.path, symbols, tuple(self.imports), uses)

    def bodies(self) -> tuple[tuple[str, ...], ...]:
        """Return the tokens of each symbol, in the order of ``facts``, with every local as one token."""
        return tuple(normal_form.mask_locals(draft.tokens, draft.bound) for draft in self.drafts)


def _free(scope: Scope, found: set[str]) -> Iterable[tuple[int, str, str, UseKind, int]]:
    """Yield the uses that do not refer to locals; those of attributes of locals with their known receiver."""
    for use in scope.uses:
        owner, name, receiver, kind, line = use
        root, _, rest = receiver.partition(".")
        if receiver:
            if root in found:
                known = scope.types.get(root, "")
                yield owner, name, f"{known}()" if known and not rest else UNKNOWN, kind, line
            else:
                yield use
        elif name not in found or kind is UseKind.LITERAL:
            yield use


def _mark_locals(tokens: Iterable[str], found: set[str]) -> list[str]:
    return [
        normal_form.LOCAL + token[1:] if token[0] == normal_form.NAME and token[1:] in found else token
        for token in tokens
    ]
