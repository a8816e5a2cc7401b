"""The facts of one file, in any language; a file that cannot be read has a reason instead of facts."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Language, Node, Parser

from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.literal_names import may_be_secret
from wardround.context.code_graph.manifests import Manifest, is_manifest, read_manifest
from wardround.context.code_graph.model import FileFacts, Symbol, SymbolKind
from wardround.context.code_graph.python_reader import python_bodies, read_python
from wardround.context.code_graph.script_reader import read_script, script_bodies
from wardround.context.code_graph.sql_reader import read_sql, replace_templates, search_sql
from wardround.text.search_terms import count_words
from wardround.tools.tool import install_line

MOST_BYTES = 1024 * 1024
"""Longer files were not written by people."""
MOST_NODES = 600_000
_LONGEST_LINES = 400
"""The average length of a line in bytes, above which a file is the output of a program."""
_LEAST_MINIFIED = 20_000
NO_SQL_GRAMMAR = f"its tables and columns are not read, as the SQL grammar is missing: {install_line('sql')}"
_PYTHON = ("py", "pyi", "pyw")
_TYPED = ("ts", "mts", "cts")
_SCRIPT = ("tsx", "js", "jsx", "mjs", "cjs", *_TYPED)


class FileRecord(NamedTuple):
    """All that is stored of a file.

    Attributes:
        words: for each symbol, the distinct search terms of its lines that belong to no inner symbol.
    """

    facts: FileFacts
    words: tuple[frozenset[str], ...] = ()
    manifest: Manifest | None = None


class FileBodies(NamedTuple):
    """The facts of a file, and the tokens of each symbol in the same order.

    Locals are one token; names and literals have the prefixes of ``normal_form``.
    """

    facts: FileFacts
    tokens: tuple[tuple[str, ...], ...]


def language_of(path: str) -> str:
    """Return the language family of a source file: python, script or sql; empty for any other file."""
    suffix = path.rpartition("/")[2].rpartition(".")[2].lower()
    if suffix in _PYTHON:
        return "python"
    return "script" if suffix in _SCRIPT else "sql" if suffix == "sql" else ""


def is_indexed(path: str) -> bool:
    """Return True if the graph has facts of a file, by its name, which must be UTF-8."""
    is_source = bool(language_of(path)) or is_manifest(path)
    return is_source and "node_modules/" not in path and escape_undecodable(path) == path


def read_file(path: str, content: bytes) -> FileRecord:
    """Return the facts of a file. Never raises: a file that cannot be read has a ``problem``."""
    if is_manifest(path):
        text = content[:MOST_BYTES].decode("utf-8", "replace")
        return FileRecord(_facts_of_unreadable(path, ""), (), read_manifest(path, text))
    problem = _problem(content)
    if problem:
        return FileRecord(_facts_of_unreadable(path, problem))
    content = content.removeprefix(b"\xef\xbb\xbf")
    grammar, read = _reader(path)
    parsed = replace_templates(content) if grammar == "sql" else content
    if is_only_searched(path):
        facts = replace(search_sql(path, parsed), problem=NO_SQL_GRAMMAR)
        return FileRecord(facts, tuple(_words(facts.symbols, content.decode("utf-8", "replace"))))
    root = _parser(grammar).parse(parsed).root_node
    if root.descendant_count > MOST_NODES:
        return FileRecord(_facts_of_unreadable(path, f"it has more than {MOST_NODES} syntax nodes"))
    facts = read(path, parsed, root)
    if root.has_error:
        facts = replace(facts, problem="parts of it do not parse")
    return FileRecord(facts, tuple(_words(facts.symbols, content.decode("utf-8", "replace"))))


def is_only_searched(path: str) -> bool:
    """Return True if a file has no symbols because the grammar of its language is not installed."""
    return language_of(path) == "sql" and not has_sql_grammar()


@cache
def has_sql_grammar() -> bool:
    """Return True if the grammar of SQL is installed: of 14 MiB, it comes with an extra."""
    return importlib.util.find_spec("tree_sitter_sql") is not None


def _facts_of_unreadable(path: str, problem: str) -> FileFacts:
    """Return the facts of a file that has no symbols but its module."""
    return FileFacts(path, (Symbol(path, 1, 1, "", SymbolKind.MODULE, True),), problem=problem)


def read_bodies(path: str, content: bytes) -> FileBodies:
    """Return the facts of a Python or script file with the tokens of each body.

    Other files, and files that cannot be read, have no bodies.
    """
    language = language_of(path)
    if language not in ("python", "script") or _problem(content):
        return FileBodies(FileFacts(path), ())
    content = content.removeprefix(b"\xef\xbb\xbf")
    root = _parser(_reader(path)[0]).parse(content).root_node
    if root.descendant_count > MOST_NODES:
        return FileBodies(FileFacts(path), ())
    return FileBodies(*(python_bodies if language == "python" else script_bodies)(path, content, root))


def read_tree(path: str, content: bytes) -> tuple[FileFacts, Node, bytes] | None:
    """Return the facts of a file, its syntax tree, and the bytes that the tree is of.

    None for a file that cannot be read.
    """
    if _problem(content):
        return None
    content = content.removeprefix(b"\xef\xbb\xbf")
    grammar, read = _reader(path)
    root = _parser(grammar).parse(content).root_node
    if root.descendant_count > MOST_NODES:
        return None
    return read(path, content, root), root, content


def _problem(content: bytes) -> str:
    """Return the reason not to parse content; empty if there is none."""
    if len(content) > MOST_BYTES:
        return f"it has more than {MOST_BYTES} bytes"
    if b"\0" in content:
        return "it is binary"
    lines = content.count(b"\n") + 1
    is_minified = len(content) > _LEAST_MINIFIED and len(content) / lines > _LONGEST_LINES
    return "its lines are too long for source that people write" if is_minified else ""


def _reader(path: str) -> tuple[str, Callable[[str, bytes, Node], FileFacts]]:
    language = language_of(path)
    if language == "python":
        return "python", read_python
    if language == "sql":
        return "sql", read_sql
    return ("typescript" if path.lower().endswith(_TYPED) else "tsx"), read_script


@cache
def _parser(grammar: str) -> Parser:
    return Parser(Language(_grammar(grammar)))


def _grammar(name: str) -> object:
    if name == "python":
        import tree_sitter_python

        return tree_sitter_python.language()
    if name == "sql":
        import tree_sitter_sql

        return tree_sitter_sql.language()
    import tree_sitter_typescript

    return (
        tree_sitter_typescript.language_typescript()
        if name == "typescript"
        else tree_sitter_typescript.language_tsx()
    )


def _words(symbols: Sequence[Symbol], text: str) -> Iterator[frozenset[str]]:
    """Yield the words of each symbol: those of its name, and of the lines that belong to no inner symbol."""
    lines = text.split("\n")
    owner = [0] * len(lines)
    for number, symbol in enumerate(symbols):
        owner[symbol.line - 1 : symbol.end_line] = [number] * (
            min(symbol.end_line, len(lines)) - symbol.line + 1
        )
    own: dict[int, list[str]] = {}
    for number, line in zip(owner, lines, strict=True):
        own.setdefault(number, []).append(line)
    for number, symbol in enumerate(symbols):
        name = symbol.name or symbol.path
        words = count_words("\n".join((name, *own.get(number, ()))))
        yield frozenset(word for word in words if not may_be_secret(word))
