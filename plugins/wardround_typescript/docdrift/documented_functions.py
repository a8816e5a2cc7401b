"""Functions with a JSDoc comment whose code a change touched, before and after it.

A function is found by the comment above it; only differences are inspected further. Vue and Svelte files are
left out, and so is a function of uncertain extent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.scanner import Scan
from wardround.semantics.docdrift.model import (
    DocumentedChange,
    DocumentedCode,
    DocumentedPair,
    DocumentedSignature,
)
from wardround.text.tokens import TOKEN
from wardround_typescript.docdrift.jsdoc import bare, same, words_of
from wardround_typescript.docdrift.parameters import DeclaredParameter, behind_angles, declared, sides
from wardround_typescript.prefilters import may_part

_TEXTS_KEPT = 16
_MODIFIERS = (
    r"(?:(?:export|default|declare|async|public|private|protected|static|abstract|override|readonly|accessor|get|set)"
    r"\b(?!\s*[=:(;?!,<])\s*)*"
)
_CODE = LazyPattern(r"\S")
_DECORATOR = LazyPattern(r"\s*@[\w$.]+")
_DECLARATION = LazyPattern(
    rf"\s*(?P<modifiers>{_MODIFIERS})(?:"
    r"(?P<function>function\b)\s*\*?\s*(?P<fname>[\w$]*)"
    r"|(?:const|let|var)\s+(?P<vname>[\w$]+)"
    r"|type\s+(?P<tname>[\w$]+)"
    r"|(?P<path>[\w$]+(?:\.[\w$]+)+)(?=\s*=[^=])"
    r"|\*?\s*(?P<mname>#?[A-Za-z_$][\w$]*)[?!]?"
    r"|(?=[(<]))\s*"
)
_EXPRESSION = LazyPattern(r"\s*(?:async\b\s*)?(?P<function>function\b\s*\*?\s*[\w$]*\s*)?")
_WRAPPER = LazyPattern(
    r"\s*(?:React\.)?(?:useCallback|memo|forwardRef|debounce|throttle)\b(?:<[^()]{0,300}>)?\("
)
_LONE = LazyPattern(r"\s*(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>")
_NO_METHODS = frozenset(
    """
    if for while switch catch with return await new super function import class interface enum namespace
    module throw typeof
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
_TYPE_PIECE = LazyPattern(r"\s+|[\w$]+|=>|.", re.DOTALL)
_TYPE_OPERATORS = frozenset(
    {
        "extends",
        "keyof",
        "typeof",
        "infer",
        "is",
        "asserts",
        "readonly",
        "unique",
        "new",
        "in",
        "as",
        "abstract",
    }
)
_TAKEN_APART = LazyPattern(r"\{([^{}]{1,2000})\}\s*=\s*([\w$]+)(?![\w$.(\[])")
_TYPE_JOINTS = frozenset("|&.?:-")
_CLASS = LazyPattern(r"\b(?:class|interface|namespace)\s+([\w$]+)[^{};()]*")
_EXPRESSION_END = LazyPattern(r"[(\[{]|[)\]};,]|\n")
_CONTINUES = LazyPattern(r"\s*(?:[.?:|&+*/%<>=!,)-]|\n)")
_RETURN = LazyPattern(r"\breturn\b[ \t]*([^;\n]*)")
_THROW = LazyPattern(r"\bthrow\s+(?:new\s+)?([\w$.]+)")
_CUTS = frozenset(",;(){}[]")
_STARTS = frozenset(
    {"const", "let", "var", "return", "throw", "if", "else", "for", "while", "try", "case", "break"}
)
_EXPORT_LIST = LazyPattern(
    r"\bexport\s*(?:type\s*)?\{([^}]*)\}|\bexport\s+default\s+([\w$]+)|\bexports\s*=\s*(\{[^}]*\}|[\w$]+)"
)
_LONGEST_TYPE = 3_000


class DocumentedFunction(msgspec.Struct, frozen=True):
    """One documented function.

    Attributes:
        name: qualified by its class; that of a nested function is not.
        comment: (start, end) of the comment above it.
        start: of its declaration, modifiers included.
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


class _Declaration(msgspec.Struct, frozen=True):
    name: str
    modifiers: str
    start: int
    end: int
    parameters: tuple[DeclaredParameter, ...]
    body: int | None


@lru_cache(maxsize=2)
def compared_functions(old_text: str, new_text: str) -> Sequence[ComparedFunction]:
    """Return the functions with a comment before the change whose code differs, in the new order.

    If a name is documented more than once, the versions are matched by order if their number is unchanged.
    """
    if not may_part(old_text, new_text):
        return ()
    (old_scan, old), (new_scan, new) = _read(old_text), _read(new_text)
    found = []
    for name, versions in _by_name(new).items():
        before = _by_name(old).get(name, ())
        if len(before) == len(versions):
            pairs = zip(before, versions, strict=True)
            found += [one for a, b in pairs for one in _compare(old_scan, a, new_scan, b)]
    return tuple(sorted(found, key=lambda one: one.compared.line))


def compared(old_text: str, new_text: str) -> Sequence[DocumentedPair]:
    """Return the function in the form common to all languages."""
    return [one.compared for one in compared_functions(old_text, new_text)]


@lru_cache(maxsize=_TEXTS_KEPT)
def _read(text: str) -> tuple[Scan, tuple[DocumentedFunction, ...]]:
    scan = Scan(text)
    return scan, tuple(functions(scan))


def _by_name(found: Sequence[DocumentedFunction]) -> dict[str, list[DocumentedFunction]]:
    by_name: dict[str, list[DocumentedFunction]] = {}
    for one in found:
        by_name.setdefault(one.name, []).append(one)
    return by_name


def functions(scan: Scan) -> Iterator[DocumentedFunction]:
    """Yield the documented functions of a file, in the order of the text."""
    classes = _classes(scan)
    exported = _exported(scan) if scan.documentation else frozenset()
    for comment in scan.documentation:
        one = _declaration(scan, comment[1])
        if one is None:
            continue
        around = [name for name, start, end in classes if start < one.start < end]
        others, end, body = _overloads(scan, one)
        is_public = not ({"private", "protected"} & set(one.modifiers.split())) and not one.name.startswith(
            "#"
        )
        is_exported = is_public and (
            bool(around) or "export" in one.modifiers or one.name in exported or "exports" in one.name
        )
        name = ".".join([*around, one.name])
        yield DocumentedFunction(name, comment, one.start, end, one.parameters, is_exported, others, body)


def _classes(scan: Scan) -> list[tuple[str, int, int]]:
    """Return the (name, start, end) of classes and similar declarations."""
    found = _CLASS.finditer(scan.structure)
    return [(m[1], m.end(), scan.pairs[m.end()]) for m in found if m.end() in scan.pairs]


def _exported(scan: Scan) -> frozenset[str]:
    """Return the names that are exported apart from their declaration."""
    lists = (piece for match in _EXPORT_LIST.finditer(scan.structure) for piece in match.groups() if piece)
    return frozenset(name for piece in lists for name in re.findall(r"[\w$]+", piece))


def _overloads(scan: Scan, one: _Declaration) -> tuple[tuple[DeclaredParameter, ...], int, int]:
    """Return (parameters of the signatures without a body, end of the last one, start of the body)."""
    others: list[DeclaredParameter] = []
    last = one
    while last.body is None:
        at = last.end
        if scan.structure[at : at + 1] == ";":
            at += 1
        following = _declaration(scan, at)
        if following is None or following.name != one.name:
            break
        others += following.parameters
        last = following
    return tuple(others), last.end, last.end if last.body is None else last.body


def _declaration(scan: Scan, place: int) -> _Declaration | None:
    """Return the function declared right after a position."""
    code = _CODE.search(scan.structure, _after_decorators(scan, place))
    # Skip whitespace first: the pattern would backtrack over it.
    head = None if code is None else _DECLARATION.match(scan.structure, code.start())
    if head is None or head["mname"] in _NO_METHODS or head[0].isspace():
        return None
    return _declared_by(scan, head)


def _declared_by(scan: Scan, head: re.Match[str]) -> _Declaration | None:
    at, modifiers, start = head.end(), head["modifiers"], head.start("modifiers")
    name = next(filter(None, map(head.group, ("fname", "vname", "tname", "path", "mname"))), "")
    is_default = "default" in modifiers
    if head["function"]:
        return _with_parameters(scan, name, modifiers, start, at, arrow=False)
    if scan.structure[at : at + 1] in ("(", "<") and (head["mname"] or is_default):
        nameless = is_default and name in ("", "async")
        return _with_parameters(scan, "default" if nameless else name, modifiers, start, at, arrow=nameless)
    value = _value(scan, at, is_type=head["tname"] is not None) if name else None
    return None if value is None else _function_value(scan, name, modifiers, start, value)


def _after_decorators(scan: Scan, place: int) -> int:
    while match := _DECORATOR.match(scan.structure, place):
        place = match.end()
        if scan.structure[place : place + 1] == "(":
            place = scan.pairs.get(place, place) + 1
    return place


def _value(scan: Scan, at: int, *, is_type: bool) -> int | None:
    """Return the position of the value of a binding, after its type."""
    if is_type and scan.structure[at : at + 1] == "<":
        at = behind_angles(scan, at, len(scan.structure)) or at
        at += len(scan.structure[at : at + 40]) - len(scan.structure[at : at + 40].lstrip())
    sign = scan.structure[at : at + 2]
    if sign.startswith("=") and sign not in ("==", "=>"):
        return at + 1
    if not sign.startswith(":"):
        return None
    if _EXPRESSION.match(scan.structure, at + 1) and _function_value(scan, "", "", at + 1, at + 1):
        return at + 1
    end = _type_end(scan, at + 1, arrow=False)
    return end + 1 if scan.structure[end : end + 1] == "=" else None


def _function_value(scan: Scan, name: str, modifiers: str, start: int, at: int) -> _Declaration | None:
    """Return a function expression, an arrow function or a function type at a position, also wrapped in
    ``memo``.
    """
    wrapper = _WRAPPER.match(scan.structure, at)
    at = wrapper.end() if wrapper else at
    lone = _LONE.match(scan.structure, at)
    if lone is not None and lone[1] not in ("async", "function"):
        body, end = _arrow_body(scan, lone.end())
        return _Declaration(name, modifiers, start, end, (DeclaredParameter(lone[1], lone.start(1)),), body)
    head = _EXPRESSION.match(scan.structure, at)
    if head is None:
        return None
    return _with_parameters(scan, name, modifiers, start, head.end(), arrow=not head["function"])


def _with_parameters(
    scan: Scan, name: str, modifiers: str, start: int, at: int, *, arrow: bool
) -> _Declaration | None:
    if scan.structure[at : at + 1] == "<":
        at = behind_angles(scan, at, len(scan.structure)) or at
    at = _after_whitespace(scan, at)
    close = scan.pairs.get(at) if scan.structure[at : at + 1] == "(" else None
    if close is None:
        return None
    after = _after_whitespace(scan, close + 1)
    typed = scan.structure[after : after + 1] == ":"
    if typed:
        after = _after_whitespace(scan, _type_end(scan, after + 1, arrow=arrow))
    parameters = declared(scan, at + 1, close)
    if arrow:
        if scan.structure[after : after + 2] != "=>":
            return None
        body, end = _arrow_body(scan, after + 2)
        return _Declaration(name, modifiers, start, end, parameters, body)
    if scan.structure[after : after + 1] == "{":
        end = scan.pairs.get(after, -1) + 1
        return _Declaration(name, modifiers, start, end, parameters, after) if end else None
    return _Declaration(name, modifiers, start, after, parameters, None) if typed else None


def _after_whitespace(scan: Scan, at: int) -> int:
    while scan.structure[at : at + 1].isspace():
        at += 1
    return at


def _arrow_body(scan: Scan, at: int) -> tuple[int, int]:
    """Return the (start, end) of the body of an arrow function."""
    at = _after_whitespace(scan, at)
    if scan.structure[at : at + 1] == "{" and at in scan.pairs:
        return at, scan.pairs[at] + 1
    here = at
    while match := _EXPRESSION_END.search(scan.structure, here):
        here = match.end()
        if match[0] in "([{":
            here = scan.pairs.get(match.start(), match.start()) + 1
        elif match[0] != "\n" or not _CONTINUES.match(scan.structure, here):
            return at, match.start()
    return at, len(scan.structure)


def _type_end(scan: Scan, at: int, *, arrow: bool) -> int:
    """Return the end of a type that starts at a position."""
    stop = min(len(scan.structure), at + _LONGEST_TYPE)
    expected = True
    while at < stop and (match := _TYPE_PIECE.match(scan.structure, at, stop)):
        piece = match[0]
        if piece.isspace():
            at = match.end()
        elif piece in ("(", "[", "{"):
            if not expected and (piece == "{" or "\n" in scan.structure[at - 1 : at]):
                return at
            at, expected = scan.pairs.get(at, stop) + 1, False
        elif piece == "<":
            at, expected = behind_angles(scan, at, stop) or stop, False
        elif piece in _TYPE_JOINTS or (piece == "=>" and not arrow):
            at, expected = match.end(), True
        elif piece[0].isalnum() or piece[0] in "_$'\"`":
            if not expected and piece not in _TYPE_OPERATORS and piece[0] not in "'\"`_":
                return at
            at, expected = match.end(), piece in _TYPE_OPERATORS
        else:
            return at
    return stop


def _compare(
    old_scan: Scan, old: DocumentedFunction, new_scan: Scan, new: DocumentedFunction
) -> Iterator[ComparedFunction]:
    """Return the comparison of a pair; None if its code differs only in formatting and comments."""
    if old_scan.text[old.start : old.end] == new_scan.text[new.start : new.end]:
        return
    before, after = _code_lines(old_scan, old), _code_lines(new_scan, new)
    if before == after:
        return
    was = old_scan.text[slice(*old.comment)]
    comment = new_scan.text[slice(*new.comment)]
    message = same(was) != same(comment)
    scan, function = (old_scan, old) if message else (new_scan, new)
    text = bare(was if message else comment, _column(scan.text, function.comment[0]))
    words = words_of(text)
    taken = {one.name for one in new.overloads}
    taken |= _taken_below(new_scan, new)
    if re.search(r"\barguments\b", new_scan.structure[new.body : new.end]):
        taken |= {entry.name for entry in words.parameters}
    one, other = sides(words, old.parameters, new.parameters, taken)
    change = DocumentedChange(
        new.name,
        words,
        _code(before, old_scan, old, one.signature),
        _code(after, new_scan, new, other.signature),
        new_scan.code,
    )
    line = new_scan.text.count("\n", 0, new.start) + 1
    words_line = new_scan.text.count("\n", 0, new.comment[0]) + 1
    found = DocumentedPair(change, same(was), same(comment), line, words_line)
    yield ComparedFunction(found, new.is_exported, dict(other.places))


def _taken_below(scan: Scan, function: DocumentedFunction) -> set[str]:
    """Yield the names that a function destructures from its parameters: ``const { width } = options``."""
    names = {one.name for one in function.parameters}
    found = _TAKEN_APART.finditer(scan.structure, function.body, function.end)
    return {name for match in found if match[2] in names for name in re.findall(r"[\w$]+", match[1])}


def _column(text: str, place: int) -> int:
    return place - text.rfind("\n", 0, place) - 1


def _code_lines(scan: Scan, function: DocumentedFunction) -> tuple[str, ...]:
    """Split code at brackets, commas and statements, so that formatting does not count."""
    lines: list[str] = []
    current: list[str] = []
    for match in TOKEN.finditer(scan.code[function.start : function.end]):
        token = f'"{match[0][1:-1]}"' if match.lastgroup == "string" else match[0]
        if token in _CUTS or token in _STARTS:
            if current:
                lines.append(" ".join(current))
            current = []
        if token not in _CUTS:
            current.append(token)
    return (*lines, " ".join(current)) if current else tuple(lines)


def _code(
    lines: tuple[str, ...], scan: Scan, function: DocumentedFunction, signature: DocumentedSignature
) -> DocumentedCode:
    body = scan.code[function.body : function.end]
    returned = tuple(match[1].strip() for match in _RETURN.finditer(body))
    thrown = tuple(match[1].rpartition(".")[2] for match in _THROW.finditer(body))
    return DocumentedCode(lines, signature, returned, "yield" in body, thrown)
