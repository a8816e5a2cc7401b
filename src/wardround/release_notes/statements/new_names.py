"""Names that users have only since a range, next to the statements of the commits that add them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from wardround.context.surface.model import SurfaceKind
from wardround.lazy import LazyPattern
from wardround.release_notes.model import NoteKind, Statement
from wardround.release_notes.statements.draft import Draft
from wardround.release_notes.surfaces.additions import Addition

_WORD = LazyPattern(r"\w+")
_MOST_NAMES = 4
_MOST_STATED = 8
"""Number of new names of one statement from which on they are not listed: it is about something larger."""


def with_additions(
    drafts: Sequence[Draft], additions: Iterable[Addition], breaking: Iterable[Statement]
) -> list[Draft]:
    """Return the drafts with the new names of their commits, and drafts of the names of other commits."""
    known = list(breaking)
    new = [addition for addition in additions if not _is_of_break(addition, known)]
    by_draft: dict[int, list[Addition]] = defaultdict(list)
    others: list[Addition] = []
    for addition in new:
        position = _position(addition, drafts)
        if position is None:
            others.append(addition)
        else:
            by_draft[position].append(addition)
    named = [_with_names(draft, by_draft.get(position, ())) for position, draft in enumerate(drafts)]
    return [*named, *_own_drafts(others, drafts)]


def _is_of_break(addition: Addition, breaking: Iterable[Statement]) -> bool:
    """Return True if a statement of the same commits has the name, as that of a renamed symbol."""
    return any(
        _last_name(addition.symbol) in _WORD.findall(statement.text)
        and not set(addition.commits).isdisjoint(statement.commits)
        for statement in breaking
    )


def _position(addition: Addition, drafts: Sequence[Draft]) -> int | None:
    """Return the position of the draft that users notice and that has a commit of an addition."""
    for position, draft in enumerate(drafts):
        if draft.is_noticed and not set(addition.commits).isdisjoint(draft.commits):
            return position
    return None


def _with_names(draft: Draft, additions: Sequence[Addition]) -> Draft:
    if not additions:
        return draft
    kind = NoteKind.FEATURE if draft.kind is NoteKind.CHANGE else draft.kind
    unnamed = [addition for addition in additions if not _is_named(addition, draft.text)]
    if kind is not NoteKind.FEATURE or not unnamed or len(unnamed) > _MOST_STATED:
        return replace(draft, kind=kind)
    return replace(draft, kind=kind, text=f"{draft.text}: new {_listed_names(unnamed)}")


def _is_named(addition: Addition, text: str) -> bool:
    words = set(_WORD.findall(text))
    names = [name.lstrip("*") for name in addition.parameters] or [_last_name(addition.symbol)]
    return all(name in words for name in names)


def _own_drafts(additions: Iterable[Addition], drafts: Sequence[Draft]) -> list[Draft]:
    """Return one draft for the new names of each module, class or function."""
    groups: dict[str, list[Addition]] = defaultdict(list)
    for addition in additions:
        groups[_owner(addition)].append(addition)
    return [_own_draft(owner, group, drafts) for owner, group in groups.items()]


def _own_draft(owner: str, group: Sequence[Addition], drafts: Sequence[Draft]) -> Draft:
    commits = tuple(dict.fromkeys(commit for addition in group for commit in addition.commits))
    same = [draft for draft in drafts if not set(draft.commits).isdisjoint(commits)]
    references = tuple(dict.fromkeys(name for draft in same for name in draft.references))
    return Draft(NoteKind.FEATURE, f"Add {_text(owner, group)}", commits, references=references)


def _text(owner: str, group: Sequence[Addition]) -> str:
    """Return new names with the symbol that has them as parts: ``a`` and ``b`` to ``shop.Cart``."""
    if len(group) == 1:
        return _listed_names(group)
    if group[0].parameters:
        names = [f"`{name}`" for addition in group for name in addition.parameters]
    else:
        names = [f"`{_last_name(addition.symbol)}`" for addition in group]
    return f"{_sequence(names)} to `{owner}`"


def _owner(addition: Addition) -> str:
    """Return the function of a parameter, or what has a symbol as its part; the symbol if nothing has."""
    if addition.parameters or addition.surface is not SurfaceKind.PYTHON_API:
        return addition.symbol
    return addition.symbol.rpartition(".")[0] or addition.symbol


def _listed_names(additions: Sequence[Addition]) -> str:
    return _sequence([_name(addition) for addition in additions])


def _sequence(names: Sequence[str]) -> str:
    """Return names as a sentence has them; of many, the first and the number of the others."""
    shown = (
        list(names)
        if len(names) <= _MOST_NAMES + 1
        else [*names[:_MOST_NAMES], f"{len(names) - _MOST_NAMES} more"]
    )
    *first, last = shown
    return f"{', '.join(first)} and {last}" if first else last


def _name(addition: Addition) -> str:
    """Return a name as a sentence has it; parameters with the function that takes them."""
    symbol = addition.symbol if "`" in addition.symbol else f"`{addition.symbol}`"
    if not addition.parameters:
        return symbol
    names = _sequence([f"`{name}`" for name in addition.parameters])
    return f"parameter{'' if len(addition.parameters) == 1 else 's'} {names} of {symbol}"


def _last_name(symbol: str) -> str:
    """Return the last word of a symbol: ``add`` of ``shop.Cart.add``."""
    words: list[str] = _WORD.findall(symbol)
    return words[-1] if words else ""
