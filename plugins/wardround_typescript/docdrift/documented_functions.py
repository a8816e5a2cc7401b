"""Functions with a JSDoc comment whose code a change touched, before and after it.

A function is found by the comment above it; only differences are inspected further. Vue and Svelte files are
excluded, and so is a function of uncertain extent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from wardround.languages.script.scanner import Scan
from wardround.lazy import LazyPattern
from wardround.semantics.docdrift.model import (
    DocComment,
    DocumentedChange,
    DocumentedCode,
    DocumentedPair,
    DocumentedSignature,
)
from wardround.text.tokens import TOKEN
from wardround_typescript.docdrift.declarations import Declaration, declaration_after
from wardround_typescript.docdrift.jsdoc import bare, comment_of_jsdoc, same
from wardround_typescript.docdrift.parameters import DeclaredParameter, sides
from wardround_typescript.prefilters import may_differ_in_signature

_WORD = LazyPattern(r"[\w$]+")
_READS_ARGUMENTS = LazyPattern(r"\barguments\b")
_TEXTS_KEPT = 16
_TAKEN_APART = LazyPattern(r"\{([^{}]{1,2000})\}\s*=\s*([\w$]+)(?![\w$.(\[])")
_CLASS = LazyPattern(r"\b(?:class|interface|namespace)\s+([\w$]+)[^{};()]*")
_RETURN = LazyPattern(r"\breturn\b[ \t]*([^;\n]*)")
_THROW = LazyPattern(r"\bthrow\s+(?:new\s+)?([\w$.]+)")
_CUTS = frozenset(",;(){}[]")
_STARTS = frozenset(
    {"const", "let", "var", "return", "throw", "if", "else", "for", "while", "try", "case", "break"}
)
_EXPORT_LIST = LazyPattern(
    r"\bexport\s*(?:type\s*)?\{([^}]*)\}|\bexport\s+default\s+([\w$]+)|\bexports\s*=\s*(\{[^}]*\}|[\w$]+)"
)
_PRIVATE = frozenset({"private", "protected"})


class DocumentedFunction(msgspec.Struct, frozen=True):
    """One documented function.

    Attributes:
        name: qualified by its class; nested functions have their own name only.
        comment: (start, end) of the comment above it.
        start: position of its declaration, modifiers included.
        overloads: the parameters of the other signatures of the same function.
    """

    name: str
    comment: tuple[int, int]
    start: int
    end: int
    parameters: tuple[DeclaredParameter, ...]
    is_exported: bool
    overloads: tuple[DeclaredParameter, ...] = ()
    body: int = 0


class ComparedFunction(msgspec.Struct, frozen=True):
    """A documented function whose code differs; ``places`` are the positions of its parameter names."""

    compared: DocumentedPair
    is_exported: bool
    places: dict[str, int]


@lru_cache(maxsize=2)
def compared_functions(old_text: str, new_text: str) -> Sequence[ComparedFunction]:
    """Return the functions with a comment before the change whose code differs, in the new order.

    If a name is documented more than once, the versions are matched by order if their number is unchanged.
    """
    if not may_differ_in_signature(old_text, new_text):
        return ()
    (old_scan, old), (new_scan, new) = _read(old_text), _read(new_text)
    found: list[ComparedFunction] = []
    for before, after in _pairs(old, new):
        found += _compare(old_scan, before, new_scan, after)
    return tuple(sorted(found, key=lambda function: function.compared.line))


def _pairs(
    old: Sequence[DocumentedFunction], new: Sequence[DocumentedFunction]
) -> Iterator[tuple[DocumentedFunction, DocumentedFunction]]:
    """Yield the versions of the functions that are in both sources."""
    old_by_name = _group_by_name(old)
    for name, versions in _group_by_name(new).items():
        before = old_by_name.get(name, ())
        if len(before) == len(versions):
            yield from zip(before, versions, strict=True)


def documented_pairs(old_text: str, new_text: str) -> Sequence[DocumentedPair]:
    """Return the function in the form common to all languages."""
    return [function.compared for function in compared_functions(old_text, new_text)]


@lru_cache(maxsize=_TEXTS_KEPT)
def _read(text: str) -> tuple[Scan, tuple[DocumentedFunction, ...]]:
    scan = Scan(text)
    return scan, tuple(functions(scan))


def _group_by_name(found: Sequence[DocumentedFunction]) -> dict[str, list[DocumentedFunction]]:
    by_name: dict[str, list[DocumentedFunction]] = {}
    for function in found:
        by_name.setdefault(function.name, []).append(function)
    return by_name


def functions(scan: Scan) -> Iterator[DocumentedFunction]:
    """Yield the documented functions of a file, in the order of the text."""
    if not scan.documentation:
        return
    classes = _classes(scan)
    exported = _exported_names(scan)
    for comment in scan.documentation:
        declaration = declaration_after(scan, comment[1])
        if declaration is None:
            continue
        around = [name for name, start, end in classes if start < declaration.start < end]
        others, end, body = _overloads(scan, declaration)
        yield DocumentedFunction(
            ".".join([*around, declaration.name]),
            comment,
            declaration.start,
            end,
            declaration.parameters,
            _is_public(declaration) and (bool(around) or _is_exported(declaration, exported)),
            others,
            body,
        )


def _is_public(declaration: Declaration) -> bool:
    return _PRIVATE.isdisjoint(declaration.modifiers.split()) and not declaration.name.startswith("#")


def _is_exported(declaration: Declaration, exported: frozenset[str]) -> bool:
    if "export" in declaration.modifiers or "exports" in declaration.name:
        return True
    return declaration.name in exported


def _classes(scan: Scan) -> list[tuple[str, int, int]]:
    """Return the (name, start, end) of classes and similar declarations."""
    found = _CLASS.finditer(scan.structure)
    return [(m[1], m.end(), scan.pairs[m.end()]) for m in found if m.end() in scan.pairs]


def _exported_names(scan: Scan) -> frozenset[str]:
    """Return the names that are exported apart from their declaration."""
    names: set[str] = set()
    for match in _EXPORT_LIST.finditer(scan.structure):
        names.update(_WORD.findall(match[match.lastindex or 0]))
    return frozenset(names)


def _overloads(scan: Scan, first: Declaration) -> tuple[tuple[DeclaredParameter, ...], int, int]:
    """Return (parameters of the signatures without a body, end of the last one, start of the body)."""
    others: list[DeclaredParameter] = []
    last = first
    while last.body is None:
        at = last.end
        if scan.structure.startswith(";", at):
            at += 1
        following = declaration_after(scan, at)
        if following is None or following.name != first.name:
            return tuple(others), last.end, last.end
        others += following.parameters
        last = following
    return tuple(others), last.end, last.body


def _compare(
    old_scan: Scan, old: DocumentedFunction, new_scan: Scan, new: DocumentedFunction
) -> Iterator[ComparedFunction]:
    """Yield the comparison of a pair; nothing if its code differs only in formatting and comments."""
    if old_scan.text[old.start : old.end] == new_scan.text[new.start : new.end]:
        return
    before, after = _code_lines(old_scan, old), _code_lines(new_scan, new)
    if before == after:
        return
    old_words = same(old_scan.text[slice(*old.comment)])
    new_words = same(new_scan.text[slice(*new.comment)])
    words = _words(new_scan, new) if old_words == new_words else _words(old_scan, old)
    previous, current = sides(words, old.parameters, new.parameters, _accepted_names(words, new_scan, new))
    change = DocumentedChange(
        new.name,
        words,
        _code(before, old_scan, old, previous.signature),
        _code(after, new_scan, new, current.signature),
        new_scan.code,
    )
    line = new_scan.text.count("\n", 0, new.start) + 1
    words_line = new_scan.text.count("\n", 0, new.comment[0]) + 1
    pair = DocumentedPair(change, old_words, new_words, line, words_line)
    yield ComparedFunction(pair, new.is_exported, dict(current.places))


def _words(scan: Scan, function: DocumentedFunction) -> DocComment:
    """Return the comment of a function."""
    start, end = function.comment
    return comment_of_jsdoc(bare(scan.text[start:end], _column(scan.text, start)))


def _accepted_names(words: DocComment, scan: Scan, function: DocumentedFunction) -> set[str]:
    """Return the names that a function accepts by other means than its parameters."""
    used = {parameter.name for parameter in function.overloads}
    used |= _destructured_names(scan, function)
    if _READS_ARGUMENTS.search(scan.structure, function.body, function.end):
        used |= {entry.name for entry in words.parameters}
    return used


def _destructured_names(scan: Scan, function: DocumentedFunction) -> set[str]:
    """Return the names that a function destructures from its parameters: ``const { width } = options``."""
    parameters = {parameter.name for parameter in function.parameters}
    names: set[str] = set()
    for match in _TAKEN_APART.finditer(scan.structure, function.body, function.end):
        if match[2] in parameters:
            names.update(_WORD.findall(match[1]))
    return names


def _column(text: str, place: int) -> int:
    return place - text.rfind("\n", 0, place) - 1


def _code_lines(scan: Scan, function: DocumentedFunction) -> tuple[str, ...]:
    """Split code at brackets, commas and statements, so that formatting does not count."""
    lines: list[list[str]] = [[]]
    for match in TOKEN.finditer(scan.code[function.start : function.end]):
        token = f'"{match[0][1:-1]}"' if match.lastgroup == "string" else match[0]
        if token in _CUTS:
            lines.append([])
        elif token in _STARTS:
            lines.append([token])
        else:
            lines[-1].append(token)
    return tuple(" ".join(line) for line in lines if line)


def _code(
    lines: tuple[str, ...], scan: Scan, function: DocumentedFunction, signature: DocumentedSignature
) -> DocumentedCode:
    body = scan.code[function.body : function.end]
    returned = tuple(match[1].strip() for match in _RETURN.finditer(body))
    thrown = tuple(match[1].rpartition(".")[2] for match in _THROW.finditer(body))
    return DocumentedCode(lines, signature, returned, "yield" in body, thrown)
