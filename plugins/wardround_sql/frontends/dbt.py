"""dbt models: the columns that a model certainly has, and those that its properties file documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wardround.change.repository_view import RepositoryView
from wardround.checks.source import SourceFile
from wardround.findings import Span
from wardround.lazy import LazyPattern

_COVERED = LazyPattern(
    r"\{%-?\s*(?P<aside>set(?=[^=%]*%\})|call|macro)\b[^%]*%\}"
    r"(?:(?!\{%-?\s*(?:end)?(?P=aside)\b).)*+\{%-?\s*end(?P=aside)\s*-?%\}"
    r"|--[^\n]*|/\*.*?\*/|\{#.*?#\}|'(?:[^']|'')*+'"
    r"|\{\{(?:'(?:\\.|[^'\\])*+'|\"(?:\\.|[^\"\\])*+\"|(?!\}\}).)*+(?:\}\}|\Z)|\{%.*?%\}",
    re.DOTALL,
)
"""Text that is not SQL of the model: comments, strings, templates, and queries assigned in a template."""
_HOLE, _BLOCK = "\x01", "\x02"
_PART = LazyPattern(r"(?i)[()]|\b(?:select|from|union|intersect|except|minus)\b")
_HEAD = LazyPattern(r"(?i)\s*(?:distinct\b(?!\s+on\b)|all\b)?\s*")
_TABLE = LazyPattern(r"(?i)\b(\w+)\s+as\s+(?:(?:not\s+)?materialized\s+)?\(")
_ONE_SOURCE = LazyPattern(
    r"(?i)\s*(\w+)(?:\s+as\s+\w+)?\s*(?:$|;|[\x01\x02]|\b(?:where|order|limit|qualify)\b)"
)
_NAMED = LazyPattern(r"(?is)(?:.*\S)?\s*\bas\s+(\"[^\"]+\"|`[^`]+`|\w+)\s*$")
_PLAIN = LazyPattern(r"(?:[\w$\x01\"`]+\.)*(\"[^\"]+\"|`[^`]+`|[A-Za-z_]\w*)$")
_SETS = frozenset({"union", "intersect", "minus", "except"})
_DEEPEST = 10
_SHOWN = 3
_DESCRIBED_AT_LEAST = 2
_DESCRIBED_SHARE = 0.9
_LARGEST = 400_000
"""Size in characters; longer documentation is generated."""


class DbtColumn(msgspec.Struct, frozen=True):
    """Column of a select list, in lower case, and the (start, end) of its name in the text."""

    name: str
    start: int
    end: int


class SelectList(msgspec.Struct, frozen=True):
    """Columns of a model; ``select`` is the offset of the preceding keyword."""

    select: int
    columns: tuple[DbtColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


class Documentation(msgspec.Struct, frozen=True):
    """Documentation of a model's columns in a properties file.

    Attributes:
        columns: the listed columns, in lower case.
        described: the listed columns with a description; the others are listed for their tests.
    """

    path: str
    columns: frozenset[str]
    described: frozenset[str]


class ModelChange(msgspec.Struct, frozen=True):
    """Documented model whose columns the change modifies."""

    old: SelectList
    new: SelectList
    documented: Documentation

    def removed_columns(self) -> list[tuple[str, str | None]]:
        """Return the removed documented columns, each with its evident replacement."""
        old, new = self.old.names, self.new.names
        return [
            (name, new[offset] if len(old) == len(new) and new[offset] not in old else None)
            for offset, name in enumerate(old)
            if name not in new and name in self.documented.columns
        ]

    def undocumented_columns(self) -> list[DbtColumn]:
        """Return the new undocumented columns, if nearly all others are documented and none was removed."""
        if self.removed_columns():
            return []
        old, described = set(self.old.names), self.documented.described
        retained = old.intersection(described, self.new.names)
        if len(retained) < _DESCRIBED_AT_LEAST or len(old & described) < _DESCRIBED_SHARE * len(old):
            return []
        return [column for column in self.new.columns if column.name not in old | self.documented.columns]


def model_change(source: SourceFile) -> ModelChange | None:
    """Return the change of a model's columns; None if it is uncertain or the model is undocumented."""
    base = source.base_text
    if base is None or base == source.text or not is_model(source.path, source.text):
        return None
    old, new = select_list(base), select_list(source.text)
    if old is None or new is None or set(old.names) == set(new.names):
        return None
    documented = documentation(source.path, source.project)
    return None if documented is None else ModelChange(old, new, documented)


def is_model(path: str, text: str) -> bool:
    """Return True if a file is a hand-written model, not a compiled one."""
    return "models/" in path and "{{" in text and not path.startswith(("target/", "dbt_packages/"))


def select_list(text: str) -> SelectList | None:
    """Return the columns of a model; None if one of them is uncertain."""
    covered = _COVERED.sub(_cover, text)
    return _select_list(covered, 0, len(covered), 0)


def _cover(match: re.Match[str]) -> str:
    piece = match[0]
    if match["aside"]:
        return re.sub(r"[^\n]", " ", piece)
    sign = {"{{": _HOLE, "{%": _BLOCK}.get(piece[:2], "'" if piece[0] == "'" else " ")
    return "".join("\n" if item == "\n" else sign for item in piece)


def _select_list(text: str, start: int, end: int, depth: int) -> SelectList | None:
    words = list(_top(text, start, end))
    select = _only_select(words)
    if select is None:
        return None
    source = _from_keyword_after(words, select)
    items = _select_list_spans(text, select, source, end)
    if source is not None and [text[begin:stop].strip() for begin, stop in items] == ["*"]:
        return _columns_of_table(text, select.start(), source.end(), end, depth)
    columns = [_column(text, *item) for item in items]
    known_columns = tuple(column for column in columns if column is not None)
    if not known_columns or len(known_columns) < len(columns):
        return None
    return SelectList(select.start(), known_columns)


def _only_select(words: list[re.Match[str]]) -> re.Match[str] | None:
    """Return the first SELECT if all others are the branches of set operations."""
    selects = [word for word in words if word[0].lower() == "select"]
    set_operations = [word for word in words if word[0].lower() in _SETS]
    if not selects or len(selects) - len(set_operations) != 1:
        return None
    return selects[0]


def _from_keyword_after(words: list[re.Match[str]], select: re.Match[str]) -> re.Match[str] | None:
    for word in words:
        if word.start() > select.start() and word[0].lower() == "from":
            return word
    return None


def _select_list_spans(
    text: str, select: re.Match[str], following: re.Match[str] | None, end: int
) -> list[tuple[int, int]]:
    """Return start and end of the items between SELECT and FROM, or the end of the statement."""
    stop = following.start() if following else text.find(";", select.end(), end)
    head = _HEAD.match(text, select.end())
    return list(_items(text, head.end() if head else select.end(), stop if stop >= 0 else end))


def _columns_of_table(text: str, select: int, behind: int, end: int, depth: int) -> SelectList | None:
    """Return the columns of the only table of ``select *``, if a query above defines it."""
    source = _ONE_SOURCE.match(text[behind:end])
    if source is None or depth == _DEEPEST:
        return None
    for table in _TABLE.finditer(text, 0, select):
        if table[1].lower() == source[1].lower():
            close = _closing_bracket(text, table.end(), end)
            return None if close is None else _select_list(text, table.end(), close, depth + 1)
    return None


def _closing_bracket(text: str, offset: int, end: int) -> int | None:
    depth = 1
    for match in re.compile(r"[()]").finditer(text, offset, end):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return None


def _top(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the keywords of a query outside parentheses."""
    depth = 0
    for match in _PART.finditer(text, start, end):
        if match[0] in "()":
            depth += 1 if match[0] == "(" else -1
        elif depth == 0:
            yield match


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    depth, begin = 0, start
    for match in re.compile(r"[(),\[\]]").finditer(text, start, end):
        if match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth -= 1
        elif depth == 0:
            yield begin, match.start()
            begin = match.end()
    if text[begin:end].strip():
        yield begin, end


def _column(text: str, start: int, end: int) -> DbtColumn | None:
    item = text[start:end]
    if _BLOCK in item:
        return None
    result = _NAMED.match(item)
    if result is None:
        lead = len(item) - len(item.lstrip())
        result = _PLAIN.fullmatch(item.rstrip(), lead)
        if result is None or _HOLE in result[1]:
            return None
    name = result[1].strip('"`').lower()
    return DbtColumn(name, start + result.start(1), start + result.end(1))


def documentation(path: str, project: RepositoryView) -> Documentation | None:
    """Return the documentation of a model; None unless exactly one file documents it."""
    model = path.rpartition("/")[2].removesuffix(".sql")
    result = []
    for file in project.files_with_word([model], ["*.yml", "*.yaml"]):
        text = project.read(file) or ""
        if "models:" in text and "columns:" in text and len(text) <= _LARGEST:
            columns = documented_columns(text, model)
            if columns is not None:
                described = frozenset(name for name, words in columns.items() if words)
                result.append(Documentation(file, frozenset(columns), described))
    return result[0] if len(result) == 1 else None


def documented_columns(text: str, model: str) -> dict[str, str] | None:
    """Return the columns that a properties file lists for a model, in lower case, with their descriptions.

    None if the file is not about the model.
    """
    import yaml  # only needed if a model's columns changed

    try:
        content: Any = yaml.load(text, Loader=_loader())  # noqa: S506  (a safe one)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    models = [entry for entry in _mappings_at(content, "models") if entry.get("name") == model]
    unversioned = [entry for entry in models if "versions" not in entry]
    if len(unversioned) != 1:
        return None
    columns = [column for column in _mappings_at(unversioned[0], "columns") if "name" in column]
    return dict(map(_name_and_description, columns)) or None


def _name_and_description(column: Mapping[str, Any]) -> tuple[str, str]:
    return str(column["name"]).lower(), str(column.get("description") or "").strip()


def _loader() -> Any:
    """Return the fast safe loader if it is available."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _mappings_at(content: Any, key: str) -> Sequence[dict[str, Any]]:
    """Return the mappings of a list in a mapping."""
    items = content.get(key) if isinstance(content, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def span(text: str, start: int, end: int) -> Span:
    """Return the span between two offsets of one line."""
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return Span(line, column, line, column + end - start)


def join_names(names: Sequence[str]) -> str:
    """Join names for a message; only the first few of many."""
    shown = [f'"{name}"' for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        return f"{', '.join(shown)} and {len(names) - _SHOWN} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
