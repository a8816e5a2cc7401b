"""The parameters of a function verbatim, and their comparison with its documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.languages.script.scanner import Scan
from wardround.lazy import LazyPattern
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
    """One parameter verbatim.

    Attributes:
        name: "" if it is destructured.
        place: position of the name, or of the pattern, in the source.
        properties: the properties destructured from it; None if it is not destructured by names.
        rest: it collects the remaining arguments.
        open_ended: it also accepts properties that it does not name.
    """

    name: str
    place: int
    default: str | None = None
    properties: tuple[DeclaredParameter, ...] | None = None
    rest: bool = False
    open_ended: bool = False

    @property
    def accepts_any_property(self) -> bool:
        """True if it accepts properties that it does not name, or names none."""
        return self.open_ended or (not self.name and self.properties is None)


def skip_type_arguments(scan: Scan, place: int, end: int) -> int | None:
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
            at = skip_type_arguments(scan, match.start(), end) or at
        elif match[0] != "=>":
            at = scan.pairs.get(match.start(), match.start()) + 1
    if scan.structure[begun:end].strip():
        yield begun, end


def declared_parameters(scan: Scan, start: int, end: int) -> tuple[DeclaredParameter, ...]:
    """Return the parameters between two brackets; ``this`` of TypeScript is not one."""
    found = (_parameter(scan, *piece) for piece in pieces(scan, start, end))
    return tuple(parameter for parameter in found if parameter is not None and parameter.name != "this")


def _parameter(scan: Scan, start: int, end: int) -> DeclaredParameter | None:
    location, rest = _find_parameter_name(scan, start, end)
    match scan.structure[location : location + 1]:
        case "{":
            return _destructured_parameter(scan, location, end, rest=rest)
        case "[":
            return DeclaredParameter("", location, None, None, rest)
    name = _NAME.match(scan.structure, location, end)
    if name is None:
        return None
    return DeclaredParameter(name[0], location, _default(scan, name.end(), end), None, rest)


def _find_parameter_name(scan: Scan, start: int, end: int) -> tuple[int, bool]:
    """Return (the position of a parameter behind its decorators and modifiers, True after ``...``)."""
    before = _BEFORE_NAME.match(scan.structure, start, end)
    location = before.end() if before else start
    while scan.structure.startswith("(", location):  # arguments of a decorator
        before = _BEFORE_NAME.match(scan.structure, scan.pairs.get(location, end) + 1, end)
        location = before.end() if before else end
    return location, bool(before and before["rest"])


def _destructured_parameter(scan: Scan, place: int, end: int, *, rest: bool) -> DeclaredParameter:
    close = scan.pairs.get(place, end)
    inside = list(_properties(scan, place + 1, close))
    names = tuple(part for part in inside if not part.rest)
    return DeclaredParameter("", place, _default(scan, close, end), names, rest, len(names) < len(inside))


def _properties(scan: Scan, start: int, end: int) -> Iterator[DeclaredParameter]:
    for begun, stop in pieces(scan, start, end):
        before = _BEFORE_NAME.match(scan.structure, begun, stop)
        name = _NAME.match(scan.structure, before.end() if before else begun, stop)
        if name is None:
            continue
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
    before = _documented_parameters(old, _roots(documented, old), documented)
    new_roots = _roots_after(documented, old, new)
    after = _documented_parameters(new, new_roots, documented)
    also = taken | _names_still_accepted(before, old, new, new_roots)
    grew_rest = _has_rest_parameter(new) and not _has_rest_parameter(old)
    return _parameter_side(before, old, (), False), _parameter_side(after, new, sorted(also), grew_rest)


def _has_rest_parameter(parameters: Sequence[DeclaredParameter]) -> bool:
    return any(parameter.rest for parameter in parameters)


def _parameter_side(
    found: list[DeclaredParameter], all_: Sequence[DeclaredParameter], also: Sequence[str], open_ended: bool
) -> ParameterSide:
    collectors = [parameter.name for parameter in all_ if parameter.rest and parameter.name]
    plain = [parameter for parameter in found if not parameter.rest]
    parameters = tuple(Parameter(parameter.name, parameter.default) for parameter in plain)
    locations = {parameter.name: parameter.place for parameter in found}
    return ParameterSide(DocumentedSignature(parameters, open_ended, (*collectors, *also)), locations)


def _roots(documented: list[str], side: Sequence[DeclaredParameter]) -> list[str]:
    """Return the documented names of the nameless parameters of a version; [] if uncertain."""
    count = sum(not parameter.name for parameter in side)
    free = _free_names(documented, side)
    with_properties = [name for name in free if _has_properties(name, documented)]
    for names in (free, with_properties):
        if len(names) == count:
            return names
    return []


def _free_names(documented: list[str], side: Sequence[DeclaredParameter]) -> list[str]:
    """Return the documented names that no parameter or property of a version has."""
    names = {parameter.name for parameter in side}
    for parameter in side:
        names.update(part.name for part in parameter.properties or ())
    return [name for name in documented if "." not in name and name not in names]


def _roots_after(
    documented: list[str], old: Sequence[DeclaredParameter], new: Sequence[DeclaredParameter]
) -> list[str]:
    """Return the names that the old version has for the nameless parameters of the new one; [] if
    uncertain.
    """
    if not old:
        return _roots(documented, new)
    free = _free_names(documented, new)
    nameless = [location for location, parameter in enumerate(new) if not parameter.name]
    if len(old) == len(new):
        in_place = [old[location].name for location in nameless]
        if all(name in free for name in in_place):
            return in_place
    roots = _roots(documented, old)
    return roots if len(roots) == len(nameless) else []


def _has_properties(name: str, documented: Iterable[str]) -> bool:
    return any(entry.startswith((f"{name}.", f"{name}[].")) for entry in documented)


def _documented_parameters(
    side: Sequence[DeclaredParameter], roots: list[str], documented: list[str]
) -> list[DeclaredParameter]:
    """Return the parameters of a version and their properties, each with its documented name."""
    waiting = iter(roots)
    found: list[DeclaredParameter] = []
    for parameter in side:
        if parameter.name:
            found.append(parameter)
            continue
        root = next(waiting, "")
        if root:
            found.append(DeclaredParameter(root, parameter.place, rest=parameter.rest))
        found += _named_properties(parameter, root, documented)
    return found


def _named_properties(
    parameter: DeclaredParameter, root: str, documented: list[str]
) -> Iterator[DeclaredParameter]:
    """Yield the properties of a destructured parameter that have a documented name or a named owner."""
    for part in parameter.properties or ():
        if part.name in documented:
            yield DeclaredParameter(part.name, part.place, part.default)
        elif root:
            yield DeclaredParameter(f"{root}.{part.name}", part.place, part.default)


def _names_still_accepted(
    before: list[DeclaredParameter],
    old: Sequence[DeclaredParameter],
    new: Sequence[DeclaredParameter],
    roots: list[str],
) -> set[str]:
    """Return the names of a version that may still be accepted although they are not written any more."""
    names = {parameter.name[1:] for parameter in new if parameter.name.startswith("_")}
    names |= {f"_{parameter.name}" for parameter in new}
    if _accepts_more(old, new):
        names |= _destructured_names(before, old)
    if _destructured_count(new) > _destructured_count(old) and not roots:
        names |= {parameter.name for parameter in before}
    return names


def _accepts_more(old: Sequence[DeclaredParameter], new: Sequence[DeclaredParameter]) -> bool:
    """Return True if a new parameter may contain the properties that the old version destructured."""
    if any(parameter.accepts_any_property for parameter in new):
        return True
    known = {parameter.name for parameter in old}
    names = [current.name for previous, current in zip(old, new, strict=False) if not previous.name]
    return not known.issuperset(filter(None, names))


def _destructured_count(parameters: Sequence[DeclaredParameter]) -> int:
    return sum(parameter.properties is not None for parameter in parameters)


def _destructured_names(before: list[DeclaredParameter], old: Sequence[DeclaredParameter]) -> set[str]:
    """Return the names of destructured parameters and of their properties."""
    plain = {parameter.name for parameter in old if parameter.name}
    return {parameter.name for parameter in before} - plain
