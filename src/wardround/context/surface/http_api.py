"""HTTP interfaces by their OpenAPI descriptions: what requests and clients of others do not survive."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardround.context.surface.http_schemas import SchemaDifference, resolve
from wardround.context.surface.model import NotCompared, SurfaceChange, SurfaceKind
from wardround.context.surface.packages import UNPUBLISHED, line_of, table
from wardround.context.surface.sides import Sides, TextPair
from wardround.languages.yaml import nodes
from wardround.languages.yaml.tree import documents
from wardround.lazy import LazyPattern

KIND = SurfaceKind.HTTP_API
_DESCRIPTION = LazyPattern(r"(?m)^\s*[{]?\s*['\"]?(?:openapi|swagger)['\"]?\s*:\s*['\"]?[23]\.")
_HEAD_CHARACTERS = 20_000
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PARAMETER = LazyPattern(r"\{[^}]*\}")
_MOST_NODES = 400_000

Document = Mapping[str, Any]


def is_relevant(path: str) -> bool:
    """Return True for a file that may be a description."""
    return path.endswith((".json", ".yml", ".yaml")) and not UNPUBLISHED.search(_strip_docs_folders(path))


def _strip_docs_folders(path: str) -> str:
    """Return a path without folders of documentation, in which descriptions are published."""
    return "/".join(part for part in path.split("/") if part not in ("docs", "doc", "documentation"))


def compare(sides: Sides) -> Iterator[SurfaceChange | NotCompared]:
    """Yield the changes of the operations that the descriptions list."""
    seen: set[tuple[str, str, str]] = set()  # the same description as JSON and as YAML
    for pair in sides.text_pairs(is_relevant):
        if not _DESCRIPTION.search(pair.base[:_HEAD_CHARACTERS]):
            continue
        before = _load_document(pair.base_path, pair.base)
        after = {} if pair.head is None else _load_document(pair.head_path, pair.head)
        if before is None or after is None:
            yield NotCompared(KIND, f"{pair.head_path} is not valid")
        elif before.get("paths"):
            folder = posixpath.dirname(pair.base_path)
            for change in _Description(pair, before, after).changes():
                key = (folder, change.name, change.detail)
                if key not in seen:
                    seen.add(key)
                    yield change


def _load_document(path: str, text: str) -> Document | None:
    if path.endswith(".json"):
        try:
            found = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return None
        return found if isinstance(found, dict) else None
    try:
        read = documents(text)
    except SyntaxError:
        return None
    plain = _plain(read[0], [_MOST_NODES]) if read else None
    return plain if isinstance(plain, dict) else None


def _plain(node: nodes.Node, left: list[int]) -> Any:
    """Return a YAML tree as plain values, all scalars as strings; aliases are expanded up to a limit."""
    left[0] -= 1
    if left[0] < 0:
        return None
    if isinstance(node, nodes.Scalar):
        return {"true": True, "false": False}.get(node.value, node.value) if not node.style else node.value
    if isinstance(node, nodes.Sequence):
        return [_plain(item, left) for item in node.items]
    return {key.value: _plain(value, left) for key, value in node.entries}


class _Description:
    """Both versions of a description."""

    def __init__(self, pair: TextPair, before: Document, after: Document) -> None:
        self._pair, self._before, self._after = pair, before, after

    def changes(self) -> Iterator[SurfaceChange]:
        """Yield the changes of paths, operations and the schemas that they use."""
        if not self._after:
            yield self._removal(posixpath.basename(self._pair.base_path), "is removed", "paths")
            return
        schemas = SchemaDifference(self._before, self._after)
        paths = table(self._after, "paths")
        renamed = {_shape(path): path for path in paths if path not in table(self._before, "paths")}
        for path, item in table(self._before, "paths").items():
            head = path if path in paths else renamed.get(_shape(path))
            if head is None:
                yield self._removal(path, "is removed", path)
            elif isinstance(item, Mapping):
                yield from self._operations(path, item, table(self._after, "paths", head), schemas)

    def _operations(
        self, path: str, before: Document, after: Document, schemas: SchemaDifference
    ) -> Iterator[SurfaceChange]:
        for method in _METHODS:
            if method not in before:
                continue
            name = f"{method.upper()} {path}"
            if method not in after:
                yield self._removal(name, "is removed", path, method)
                continue
            old, new = table(before, method), table(after, method)
            for detail in self._parameters(old, new, before, after):
                yield self._alteration(name, detail, path, method)
            for owner, detail in schemas.of_operation(old, new):
                words = (path, method) if not owner else (owner,)
                yield self._alteration(f"schema {owner}" if owner else name, detail, *words)

    def _parameters(self, old: Document, new: Document, before: Document, after: Document) -> Iterator[str]:
        known = _parameters(self._before, before, old)
        for key, parameter in _parameters(self._after, after, new).items():
            location, name = key
            is_required = parameter.get("required") is True and location != "path"
            if key not in known and is_required:
                yield f"requires the new parameter `{name}`"
            elif key in known and is_required and known[key].get("required") is not True:
                yield f"requires the parameter `{name}`"
            elif key in known:
                types = _type(self._before, known[key]), _type(self._after, parameter)
                if all(types) and types[1] not in (types[0], "string", "array"):  # as a URL has any value
                    yield f"has the parameter `{name}` as {types[1]} instead of {types[0]}"

    def _removal(self, name: str, detail: str, *words: str) -> SurfaceChange:
        line = line_of(self._pair.base, *words)
        return SurfaceChange(KIND, self._pair.base_path, line, name, detail, True)

    def _alteration(self, name: str, detail: str, *words: str) -> SurfaceChange:
        line = line_of(self._pair.head or "", *words)
        return SurfaceChange(KIND, self._pair.head_path, line, name, detail, True)


def _shape(path: str) -> str:
    """Return a path without the names of its parameters, which no client sees."""
    return _PARAMETER.sub("{}", path)


def _parameters(document: Document, item: Document, operation: Document) -> dict[tuple[str, str], Document]:
    """Return the parameters of an operation and of its path, by location and name."""
    found: dict[tuple[str, str], Document] = {}
    for holder in (item, operation):
        listed = holder.get("parameters")
        for entry in listed if isinstance(listed, list) else ():
            parameter = resolve(document, entry)
            if parameter.get("in") != "body":
                found[str(parameter.get("in")), str(parameter.get("name"))] = parameter
    return found


def _type(document: Document, parameter: Document) -> str:
    """Return the type of a parameter; empty if it has none, or several."""
    own = parameter.get("type") or resolve(document, parameter.get("schema")).get("type")
    return own if isinstance(own, str) else ""
