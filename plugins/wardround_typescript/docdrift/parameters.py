"""The parameters of a function as written, and their comparison with its documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.scanner import Scan
from wardround.semantics.docdrift.model import DocComment, DocumentedSignature, Parameter

_BEFORE_NAME = LazyPattern(
    r"\s*(?:@[\w$.]+\s*|(?:public|private|protected|readonly|override|static)\b(?!\s*[?:=,)])\s*)*(?P<rest>\.\.\.)?\s*"
)
_NAME = LazyPattern(r"[A-Za-z_$][\w$]*")
_DEFAULT = LazyPattern(r"(?<![=!<>])=(?![=>])")
_SPLIT = LazyPattern(r"[(\[{<,]|=>")
_ANGLE = LazyPattern(r"[<>(\[{;]|=>")
_LONGEST_GENERICS = 2_000


class DeclaredParameter(msgspec.Struct, frozen=True):
    """One parameter as written.

    Attributes:
        name: "" if it is destructured.
        place: position of the name, or of the pattern, in the text.
        properties: the properties destructured from it; None if it is not destructured by names.
        rest: it collects the remaining arguments.
        open_ended: it also takes properties that it does not name.
    """

    name: str
    place: int
    default: str | None = None
    properties: tuple[DeclaredParameter, ...] | None = None
    rest: bool = False
    open_ended: bool = False


def behind_angles(scan: Scan, place: int, end: int) -> int | None:
    """Return the end of ``<...>`` that starts at a position; None if it is not a type argument list."""
    depth, at = 0, place
    end = min(end, place + _LONGEST_GENERICS)
    while match := _ANGLE.search(scan.structure, at, end):
        sign, at = match[0], match.end()
        if sign == ";":
            return None
        if sign in "([{":
            at = scan.pairs.get(match.start(), end) + 1
        elif sign != "=>":
            depth += 1 if sign == "<" else -1
            if depth == 0:
                return at
    return None


def pieces(scan: Scan, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of what commas separate between two positions."""
    at = begun = start
    while match := _SPLIT.search(scan.structure, at, end):
        at = match.end()
        if match[0] == ",":
            yield begun, match.start()
            begun = at
        elif match[0] == "<":
            at = behind_angles(scan, match.start(), end) or at
        elif match[0] != "=>":
            at = scan.pairs.get(match.start(), match.start()) + 1
    if scan.structure[begun:end].strip():
        yield begun, end


def declared(scan: Scan, start: int, end: int) -> tuple[DeclaredParameter, ...]:
    """Return the parameters between two brackets; ``this`` of TypeScript is not one."""
    found = (_one(scan, *piece) for piece in pieces(scan, start, end))
    return tuple(one for one in found if one is not None and one.name != "this")


def _one(scan: Scan, start: int, end: int) -> DeclaredParameter | None:
    before = _BEFORE_NAME.match(scan.structure, start, end)
    place = before.end() if before else start
    while scan.structure[place : place + 1] == "(":  # arguments of a decorator
        before = _BEFORE_NAME.match(scan.structure, scan.pairs.get(place, end) + 1, end)
        place = before.end() if before else end
    rest = bool(before and before["rest"])
    opening = scan.structure[place : place + 1]
    if opening == "{":
        close = scan.pairs.get(place, end)
        inside = list(_properties(scan, place + 1, close))
        names = tuple(one for one in inside if not one.rest)
        return DeclaredParameter("", place, _default(scan, close, end), names, rest, len(names) < len(inside))
    if opening == "[":
        return DeclaredParameter("", place, None, None, rest)
    name = _NAME.match(scan.structure, place, end)
    return DeclaredParameter(name[0], place, _default(scan, name.end(), end), None, rest) if name else None


def _properties(scan: Scan, start: int, end: int) -> Iterator[DeclaredParameter]:
    for begun, stop in pieces(scan, start, end):
        before = _BEFORE_NAME.match(scan.structure, begun, stop)
        name = _NAME.match(scan.structure, before.end() if before else begun, stop)
        if name is not None:
            rest = bool(before and before["rest"])
            yield DeclaredParameter(name[0], name.start(), _default(scan, name.end(), stop), rest=rest)


def _default(scan: Scan, start: int, end: int) -> str | None:
    sign = _DEFAULT.search(scan.structure, start, end)
    return " ".join(scan.code[sign.end() : end].split()) if sign else None


class ParameterSide(msgspec.Struct, frozen=True):
    """One version of a function: its declared parameters, and the position of each name."""

    signature: DocumentedSignature
    places: Mapping[str, int]


def sides(
    words: DocComment, old: Sequence[DeclaredParameter], new: Sequence[DeclaredParameter], taken: set[str]
) -> tuple[ParameterSide, ParameterSide]:
    """Return the declared parameters before and after, by the names in the documentation.

    A destructured parameter has its documented name, and a property of it is ``options.width``, or ``width``
    if that is documented on its own.

    Args:
        taken: names that are read in another way after the change.
    """
    documented = [entry.name for entry in words.parameters]
    before = _named(old, _roots(documented, old), documented)
    roots = _roots(documented, new, old)
    after = _named(new, roots, documented)
    also = taken | _still_accepted(before, old, new, roots)
    grew_rest = any(one.rest for one in new) and not any(one.rest for one in old)
    return _side(before, old, (), False), _side(after, new, sorted(also), grew_rest)


def _side(
    found: list[DeclaredParameter], all_: Sequence[DeclaredParameter], also: Sequence[str], open_ended: bool
) -> ParameterSide:
    collectors = (*(one.name for one in all_ if one.rest and one.name), *also)
    parameters = tuple(Parameter(one.name, one.default) for one in found if not one.rest)
    return ParameterSide(
        DocumentedSignature(parameters, open_ended, collectors), {one.name: one.place for one in found}
    )


def _roots(
    documented: list[str], side: Sequence[DeclaredParameter], other: Sequence[DeclaredParameter] = ()
) -> list[str]:
    """Return the documented names of the nameless parameters of a version; [] if uncertain."""
    nameless = [at for at, one in enumerate(side) if not one.name]
    named = {one.name for one in side} | {p.name for one in side for p in one.properties or ()}
    free = [name for name in documented if "." not in name and name not in named]
    if other:
        return _roots_of_other(documented, nameless, free, other, is_same_length=len(side) == len(other))
    with_properties = [name for name in free if _has_properties(name, documented)]
    return next((names for names in (free, with_properties) if len(names) == len(nameless)), [])


def _roots_of_other(
    documented: list[str],
    nameless: list[int],
    free: list[str],
    other: Sequence[DeclaredParameter],
    *,
    is_same_length: bool,
) -> list[str]:
    """Return the names that the other version has for the nameless parameters; [] if uncertain."""
    in_place = [other[at].name for at in nameless if is_same_length and other[at].name in free]
    if len(in_place) == len(nameless):
        return in_place
    roots = _roots(documented, other)
    return roots if len(roots) == len(nameless) else []


def _has_properties(name: str, documented: Iterable[str]) -> bool:
    return any(entry.startswith((f"{name}.", f"{name}[].")) for entry in documented)


def _named(
    side: Sequence[DeclaredParameter], roots: list[str], documented: list[str]
) -> list[DeclaredParameter]:
    """Yield the parameters of a version and their properties, each with its documented name."""
    waiting = list(roots)
    found: list[DeclaredParameter] = []
    for one in side:
        if one.name:
            found.append(one)
            continue
        root = waiting.pop(0) if waiting else ""
        if root:
            found.append(DeclaredParameter(root, one.place, rest=one.rest))
        for part in one.properties or ():
            name = part.name if part.name in documented else f"{root}.{part.name}" if root else ""
            if name:
                found.append(DeclaredParameter(name, part.place, part.default))
    return found


def _still_accepted(
    before: list[DeclaredParameter],
    old: Sequence[DeclaredParameter],
    new: Sequence[DeclaredParameter],
    roots: list[str],
) -> set[str]:
    """Return the names of a version that may still be accepted although they are not written any more."""
    names = {one.name[1:] for one in new if one.name.startswith("_")}
    names |= {f"_{one.name}" for one in new}
    if _accepts_more(old, new):
        names |= _destructured_names(before, old)
    if _destructured(new) > _destructured(old) and not roots:
        names |= {one.name for one in before}
    return names


def _accepts_more(old: Sequence[DeclaredParameter], new: Sequence[DeclaredParameter]) -> bool:
    """Return True if a new parameter may hold what the old version destructured."""
    if any(one.open_ended or (not one.name and one.properties is None) for one in new):
        return True
    known = {one.name for one in old if one.name}
    pairs = zip(old, new, strict=False)
    return any(not was.name and one.name and one.name not in known for was, one in pairs)


def _destructured(parameters: Sequence[DeclaredParameter]) -> int:
    return sum(one.properties is not None for one in parameters)


def _destructured_names(before: list[DeclaredParameter], old: Sequence[DeclaredParameter]) -> set[str]:
    """Return the names of destructured parameters and of their properties."""
    plain = {one.name for one in old if one.name}
    return {one.name for one in before} - plain
