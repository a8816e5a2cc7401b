"""The values of properties and elements that expressions read."""

from __future__ import annotations

from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule
from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.domain import ARCHIVE, REQUEST, join, only, without
from wardround_typescript.dataflow import sanitizers, sinks, sources
from wardround_typescript.dataflow.call_resolution import CallTargets
from wardround_typescript.dataflow.class_fields import ClassFields
from wardround_typescript.dataflow.constant_folding import fold
from wardround_typescript.dataflow.containers import Containers
from wardround_typescript.dataflow.domain import (
    CLEAN,
    OBJECT,
    OWN_ADDRESS,
    TAINTED_TEXT,
    TEXT,
    SinkKind,
    Taint,
    field_of,
)
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import bare, field_text
from wardround_typescript.dataflow.state import FlowState

_UPLOAD_PARTS = frozenset(
    {"file", "files", "info", "part", "upload", "fileInfo", "data", "f", "image", "avatar"}
)
_SERVER_CHOSEN = frozenset({"path", "filename", "destination", "size"})
"""Properties of an uploaded file that the server chose."""
_SENDER_CHOSEN = frozenset({"hostname", "host", "origin", "user-agent", "content-type"})
_ADDRESS = LazyPattern(r"(?i)(headers|url|location|href)[\w)]*$")
_OWN_ADDRESS_PARTS = frozenset({"url", "originalUrl", "nextUrl", "href", "path", "headers", "hostname"})
_AMBIGUOUS_ENTRIES = frozenset({"e", "file", "item"})


class PropertyReader:
    """Evaluates reads of properties and elements."""

    __slots__ = (
        "_archive_names",
        "_class_fields",
        "_containers",
        "_evaluator",
        "_features",
        "_module",
        "_sanitizers",
        "_scope",
        "_state",
        "_targets",
        "_upload_names",
    )

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        containers: Containers,
        targets: CallTargets,
        class_fields: ClassFields,
        features: ModuleFeatures,
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._sanitizers = sanitizers.catalogue()
        self._evaluator = evaluator
        self._containers = containers
        self._targets = targets
        self._class_fields = class_fields
        self._features = features
        self._archive_names = sinks.catalogue().archive_names
        self._upload_names = sources.catalogue().upload_names

    def subscript(self, node: Node) -> Taint:
        """Return the value of ``a[b]``."""
        owner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if owner is None or index is None:
            return CLEAN
        name = self._state.property_name(node)
        if name is None:
            constant = fold(self._scope, index)
            name = str(constant) if isinstance(constant, (str, int)) else None
        if name is None:
            return self._dynamic(owner, index)
        contents = self._containers.list_contents(owner) if name.isdigit() else None
        return self.read(owner, name) if contents is None else contents.at(int(name)) or CLEAN

    def _dynamic(self, owner: Node, index: Node) -> Taint:
        """An element whose key is not constant: a tainted key may reach the prototype."""
        key = self._evaluator.evaluate(index)
        value = self._evaluator.evaluate(owner)
        if value and not only(value, ~SinkKind.REACHED):
            return value
        reached = {origin: SinkKind.REACHED for origin, labels in key.items() if labels & SinkKind.KEY}
        return join(value, reached)

    def read(self, owner: Node, name: str) -> Taint:
        """Return the value of a property of an expression."""
        kind = self._state.request_kind(owner)
        if kind:
            return self._request_property(kind, name)
        path = self._state.access_path(owner)
        known = self._known_value(owner, name, path)
        if known is not None:
            return known
        value = self._evaluator.evaluate(owner)
        special = self._special(owner, name)
        if special is not None:
            return special
        is_clean = name in self._sanitizers.clean_properties or _is_chosen_by_server(path, name)
        return CLEAN if is_clean or not value else self._tainted_property(owner, name, value)

    def _special(self, owner: Node, name: str) -> Taint | None:
        """Return the value of a getter, or of a property of an archive or an upload; None for others."""
        if name in self._scope.getters:
            computed = self._targets.read_getter(self._state, owner, name)
            if computed is not None:
                return computed
        if self._is_archive_entry(owner, name):
            return {ARCHIVE: SinkKind.PATH}
        if name in self._upload_names and self._is_upload(owner, name):
            return self._upload_name(name)
        return None

    def _upload_name(self, name: str) -> Taint:
        """Return the value of a name of an upload; multer removes the folders unless it preserves paths."""
        is_base_name = name == "originalname" and not self._features.preserves_paths
        return without(TAINTED_TEXT, SinkKind.PATH) if is_base_name else TAINTED_TEXT

    def _known_value(self, owner: Node, name: str, path: str | None) -> Taint | None:
        """Return the value of a property without that of its owner; None if it is unknown."""
        if path is not None and f"{path}.{name}" in self._state.values:
            return self._state.values[f"{path}.{name}"]
        if path == "process" and name == "argv":
            return sources.COMMAND_ARGUMENTS
        literal = bare(owner)
        value = _last_pair(self._module, literal, name) if literal.type == "object" else None
        if value is not None:
            return self._evaluator.evaluate(value)
        return self._class_fields.get(self._scope.class_of(owner), name) if path == "this" else None

    def _tainted_property(self, owner: Node, name: str, value: Taint) -> Taint:
        """Return the value of a property of a tainted object."""
        if name in {"searchParams", "query"} and not _may_redirect(value):
            return {origin: TEXT if origin == REQUEST else labels for origin, labels in value.items()}
        value = field_of(value, name)
        if name in _SENDER_CHOSEN and _ADDRESS.search(self._module.of(owner)):
            return without(value, OWN_ADDRESS | SinkKind.HTML | SinkKind.PAGE)
        return without(value, OWN_ADDRESS) if name in {"pathname", "hash"} else value

    def _request_property(self, kind: str, name: str) -> Taint:
        part = sources.part(kind, name)
        if part is None:
            return CLEAN
        if name in _OWN_ADDRESS_PARTS:
            return without(part, OWN_ADDRESS | SinkKind.HEADER | SinkKind.LINE)
        return without(part, OBJECT) if self._state.is_validated else part

    def _is_archive_entry(self, owner: Node, name: str) -> bool:
        """Return True for the name of an entry of an archive."""
        if name not in self._archive_names or not self._features.reads_archives:
            return False
        text = self._module.of(owner)
        if name in {"path", "name", "filename"} and text in _AMBIGUOUS_ENTRIES:
            return False
        return sinks.ARCHIVE_ENTRY.search(text) is not None

    def _is_upload(self, owner: Node, name: str) -> bool:
        if name != "filename":
            return True
        return self._module.of(owner) in _UPLOAD_PARTS and self._features.accepts_uploads


def _may_redirect(value: Taint) -> bool:
    return any(labels & SinkKind.REDIRECT for labels in value.values())


def _last_pair(module: ScriptModule, node: Node, name: str) -> Node | None:
    """Return the value of a key of an object literal, unless a later spread may overwrite it."""
    for entry in reversed(node.named_children):
        if entry.type == "spread_element":
            return None
        if entry.type == "pair" and field_text(module, entry, "key").strip("'\"") == name:
            return entry.child_by_field_name("value")
    return None


def _is_chosen_by_server(path: str | None, name: str) -> bool:
    return name in _SERVER_CHOSEN and (path or "").endswith((".file", ".files"))
