"""The values of the code graph: symbols, imports, uses, and the links between them."""

from __future__ import annotations

import enum

import msgspec


class SymbolKind(enum.StrEnum):
    """The kind of a symbol. ``module`` is the code of a file outside its other symbols."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    COMPONENT = "component"
    CONSTANT = "constant"
    TYPE = "type"
    FIELD = "field"
    TEST = "test"
    TABLE = "table"
    VIEW = "view"
    COLUMN = "column"
    INDEX = "index"


CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.COMPONENT, SymbolKind.TEST})


class UseKind(enum.StrEnum):
    """The syntax of a use.

    ``key`` is a keyword argument or the key of an object, ``prop`` an attribute of a JSX element, ``literal``
    a string that has the form of a name, a path or a route, ``fixture`` a parameter that pytest passes.
    """

    CALL = "call"
    REFERENCE = "reference"
    ATTRIBUTE = "attribute"
    INHERITS = "inherits"
    DECORATES = "decorates"
    RENDERS = "renders"
    TYPE = "type"
    PROP = "prop"
    KEY = "key"
    LITERAL = "literal"
    TABLE = "table"
    COLUMN = "column"
    FIXTURE = "fixture"


class Certainty(enum.StrEnum):
    """The evidence for a link: ``resolved`` by scopes and imports, or ``named``, only by equal names."""

    RESOLVED = "resolved"
    NAMED = "named"


class Relation(enum.StrEnum):
    """The relation of a neighbour to a changed symbol or file."""

    CALLER = "caller"
    CALLEE = "callee"
    IMPORTER = "importer"
    IMPORTED = "imported"
    TEST = "test"
    SIBLING = "sibling"
    SIMILAR = "similar"
    TEXT = "text"
    HISTORY = "history"


class Symbol(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A definition from its first line to its last, 1-based and inclusive.

    Attributes:
        name: qualified by the enclosing symbols, joined by dots; empty for the module.
        exported: other files can import it.
        body_digest: digest of the syntax without comments, layout, documentation and its own name, with the
            names of locals replaced by their order; empty for symbols without a body.
        shape: the smallest 32-bit hashes of runs of tokens, sorted, four bytes each; the share that two
            symbols have in common estimates the similarity of their syntax, whatever the order of statements.
        size: the number of tokens of its body.
    """

    path: str
    line: int
    end_line: int
    name: str
    kind: SymbolKind
    exported: bool = False
    body_digest: str = ""
    shape: bytes = b""
    size: int = 0

    @property
    def own_name(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    @property
    def owner_name(self) -> str:
        """The name of the enclosing symbol; empty at the top level."""
        return self.name.rpartition(".")[0]


class Import(msgspec.Struct, frozen=True, array_like=True):
    """A name that a file imports from another, or re-exports.

    Attributes:
        module: verbatim; empty for an export of a name of the file itself.
        name: in that module; empty for the module itself, ``*`` for all its names.
        alias: the local name, dotted for ``import a.b``; of an export, the exported name.
        is_export: the name is not bound in the file, only exported.
    """

    module: str
    name: str
    alias: str
    line: int
    is_export: bool = False


class Use(msgspec.Struct, frozen=True, array_like=True):
    """A name in code that is not a local of a function.

    Attributes:
        owner: the number of the innermost symbol around it.
        receiver: the expression before the dot: names joined by dots, ``Name()`` for an instance of a known
            class, ``*`` for any other; empty for a plain name. Of a column the table, of a prop the element.
    """

    owner: int
    name: str
    receiver: str
    kind: UseKind
    line: int


def used_name(use: Use) -> str:
    """Return the name that a use is about: of a string, the last name in it."""
    if use.kind is not UseKind.LITERAL:
        return use.name
    return use.name.replace(":", ".").rpartition(".")[2]


class FileFacts(msgspec.Struct, frozen=True, array_like=True):
    """The symbols, imports and uses of a file; the first symbol is the module.

    Attributes:
        problem: the reason why a file has no facts, or not all of them; empty if it was read completely.
    """

    path: str
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    uses: tuple[Use, ...] = ()
    problem: str = ""


class Link(msgspec.Struct, frozen=True):
    """A use of one symbol by another.

    Attributes:
        symbol: the other end: of a caller the symbol around the use, of a callee the definition.
        path: the file of the use.
        line: line number of the use.
    """

    symbol: Symbol
    path: str
    line: int
    kind: UseKind
    certainty: Certainty


class Importer(msgspec.Struct, frozen=True):
    """A file that imports another; ``names`` are the imported names, empty for the complete module."""

    path: str
    line: int
    names: tuple[str, ...]


class Reach(msgspec.Struct, frozen=True):
    """A test that reaches a symbol over ``distance`` uses; ``via`` are the names between them."""

    test: Symbol
    distance: int
    certainty: Certainty
    via: tuple[str, ...] = ()


class SimilarSymbol(msgspec.Struct, frozen=True):
    """A symbol with similar syntax; ``similarity`` is the estimated share of common token runs, 0 to 1."""

    symbol: Symbol
    similarity: float


class Neighbour(msgspec.Struct, frozen=True):
    """Code that is near a change.

    Attributes:
        symbol: the nearest symbol of the file; that of the module if the evidence is about the file.
        relation: the most specific evidence: a link before an import, both before history and words.
        score: orders the neighbours of one change; not comparable between changes.
        reason: the evidence in words.
    """

    path: str
    symbol: Symbol
    relation: Relation
    score: float
    reason: str
