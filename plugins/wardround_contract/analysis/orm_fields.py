"""The fields of object-relational models that a change removes, and the queries that still name them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from wardround.checks.source import ChangedFileView, ChangeView
from wardround.lazy import LazyPattern
from wardround_contract.analysis.text_search import TextSearch
from wardround_contract.analysis.uses import NOT_MAINTAINED, RemainingUse

_CLASS = LazyPattern(r"^class\s+(\w+)\b.*:")
_FIELD = LazyPattern(
    r"^    ([a-z]\w{4,})\s*(?::\s*[^=\n]+)?=\s*"
    r"(?:models\.\w+|(?:sa|db|sqlalchemy)\.Column|Column|mapped_column|\w*Field|\w*ForeignKey)\("
)
_HISTORY = LazyPattern(r"(^|/)(migrations|versions|alembic)/")


class RemovedField(NamedTuple):
    """A field that a model loses, with its line at the base."""

    file: ChangedFileView
    model: str
    name: str
    line: int


def removed_fields(change: ChangeView) -> Iterator[RemovedField]:
    """Yield the fields that the models of the changed Python files lose."""
    for file in change.files:
        if not file.path.endswith(".py") or _HISTORY.search(file.path) or NOT_MAINTAINED.search(file.path):
            continue
        if file.text is not None and file.base_text is not None:
            yield from _removed_fields(file, file.base_text, file.text)


def _removed_fields(file: ChangedFileView, base: str, head: str) -> Iterator[RemovedField]:
    remaining_names = {name for _model, name, _line in _fields(head)}
    for model, name, line in _fields(base):
        if name in remaining_names:
            continue
        if not re.search(rf"^\s+(?:def\s+)?{name}\s*[:=(]", head, re.MULTILINE):
            yield RemovedField(file, model, name, line)


def _fields(text: str) -> Iterator[tuple[str, str, int]]:
    model = ""
    for number, line in enumerate(text.split("\n"), 1):
        opened = _CLASS.match(line)
        model = opened[1] if opened is not None else model
        found = _FIELD.match(line)
        if found is not None and model:
            yield model, found[1], number


def uses_of_field(field: RemovedField, search: TextSearch) -> list[RemainingUse]:
    """Return the queries, orderings and lists of fields that name a field; none if anything else has it.

    A file counts if it names the model.
    """
    name = re.escape(field.name)
    assigned = rf"^\s*(?:self\.)?{name}\s*(?::[^=\n]+)?=(?!=).*[^,\s(]\s*$|^\s+{name}\s*:"
    defined = re.compile(
        rf"{assigned}|\bdef {name}\b|['\"]{name}['\"]\s*:|\bas {name}\b|\.annotate\(", re.MULTILINE
    )
    lookup = re.compile(
        rf"\b(?:filter|exclude|get|update|get_or_create|create|order_by|values|values_list|only|defer|F|Q"
        rf"|select_related|prefetch_related)\([^)\n]*(?:\b{name}(?:__\w+)?\s*=(?!=)|['\"]-?{name}(?:__\w+)?['\"])"
        rf"|\b(?:fields|list_display|list_filter|search_fields|ordering|exclude|readonly_fields|update_fields)\s*="
        rf"[^\n]*['\"]-?{name}['\"]"
    )
    files = [
        path for path in search.files([field.name, f"{field.name}__"], ("*.py",)) if not _HISTORY.search(path)
    ]
    if any(defined.search(search.text(path)) for path in files):
        return []
    owner = re.compile(rf"\b{field.model}\b")
    found = (
        line for path in files if owner.search(search.text(path)) for line in search.lines_of(path, lookup)
    )
    return [RemainingUse(line.path, line.number) for line in found]
