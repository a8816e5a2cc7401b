"""The sinks that the arguments of a call reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from wardround.checks.lazy import LazyPattern
from wardround.semantics.dataflow.domain import join_all
from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.arguments import CallSite, has_spread
from wardround_typescript.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.function_names import FunctionNames
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.process_sinks import ProcessSinks
from wardround_typescript.dataflow.record_sinks import RecordSinks
from wardround_typescript.dataflow.response_sinks import ResponseSinks
from wardround_typescript.dataflow.sinks import Sink
from wardround_typescript.dataflow.state import FlowState

_KEY_NAME = LazyPattern(r"(?i)(id|ids|uuid|slug|method|key)$")
_SHELL_WRAPPERS = ("execAsync", "execPromise")
_UPLOAD_OPTIONS = frozenset({"filename", "destination", "key"})
_CALLBACKS = frozenset({"cb", "callback", "done"})
_FILE_METHODS = frozenset({"writeFile", "toFile", "saveAs", "mv", "readFile", "outputFile"})
_FILE_MODULES = frozenset({"fs", "fsp", "fse", "Bun"})
_SEND_FILE_METHODS = frozenset({"sendFile", "sendfile", "download"})
_QUERY_OPTIONS = ("where", "include", "select")
_OPTION_SINKS = (SinkKind.URL, SinkKind.SQL, SinkKind.STATEMENT, SinkKind.LDAP)
"""Kinds of sinks that may be given an object with options."""
_RECEIVER_LENGTH = 120
_MAX_INITIALIZER_LENGTH = 300


class CallSinks:
    """Records the arguments of calls that reach sinks."""

    __slots__ = (
        "_catalogue",
        "_evaluator",
        "_features",
        "_module",
        "_names",
        "_processes",
        "_records",
        "_responses",
        "_scope",
        "_state",
    )

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        *,
        names: FunctionNames,
        features: ModuleFeatures,
        processes: ProcessSinks,
        records: RecordSinks,
        responses: ResponseSinks,
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._catalogue = sinks.catalogue()
        self._evaluator = evaluator
        self._names = names
        self._features = features
        self._processes = processes
        self._records = records
        self._responses = responses

    def check(self, call: CallSite) -> None:
        """Record the sinks that the arguments of a call reach."""
        name, arguments, values = call.name, call.arguments, call.values
        if any(values):
            self._check_tainted(call)
        if name.endswith("js-yaml.load") and values and values[0] and self._features.has_unsafe_yaml:
            self._state.reach(SinkKind.OBJECTS, arguments[0], values[0])

    def _check_tainted(self, call: CallSite) -> None:
        name, arguments, values = call.name, call.arguments, call.values
        for sink in self._function_sinks(name):
            self._reach(sink, call)
        if call.receiver is not None:
            self._check_method(call, call.receiver)
        if name in self._catalogue.processes:
            self._processes.check(call)
        if name in self._catalogue.listed_processes:
            self._processes.check_listed(call)
        if name in self._catalogue.formatters and len(arguments) > 1:
            self._check_format(arguments[0], values[0])
        if name == "Object.assign" and self._module.of(arguments[0]) != "{}":
            self._records.check_assign(call)
        if call.node.type == "new_expression":
            self._responses.check_constructor(call)
            self._records.check_constructor(call)
        if call.method == "" and name in _CALLBACKS and len(values) > 1 and values[1]:
            self._check_upload_name(call)

    def _check_format(self, node: Node, value: Taint) -> None:
        """A format that is composed of tainted text."""
        if _is_composed(self._scope.resolved(node)):
            self._state.reach(SinkKind.LINE, node, value)

    def _function_sinks(self, name: str) -> Sequence[Sink]:
        function = self._state.function
        if name == (self._names.name_of(function) if function is not None else ""):
            return ()
        table = self._catalogue.by_function
        return table.get(name) or table.get(_wrapper_name(name), ())

    def _reach(self, sink: Sink, call: CallSite) -> None:
        for at in range(sink.first, min(sink.last + 1, len(call.arguments))):
            node, value = call.arguments[at], call.values[at]
            if node.type in FUNCTIONS or not value:
                continue
            if sink.kind & SinkKind.FIELDS:
                value = self._records.fields(node)
                if not value:
                    continue
            if sink.kind in _OPTION_SINKS:
                node, value = self._option_value(sink, node, value)
            self._state.reach(sink.kind, node, value)

    def _option_value(self, sink: Sink, node: Node, value: Taint) -> tuple[Node, Taint]:
        """The part of an argument that the sink reads: of an object with options only those it names."""
        literal = self._scope.resolved(node)
        if literal.type != "object":
            return node, value
        if not sink.fields:
            return node, CLEAN if sink.kind in (SinkKind.SQL, SinkKind.STATEMENT) else value
        options = [self._scope.property(literal, name) for name in sink.fields]
        present = [option for option in options if option is not None]
        if node.id == literal.id:
            joined = join_all([self._evaluator.evaluate(option) for option in present])
            return (present[0] if present else node), joined
        if not present:
            return node, value if has_spread(literal) else CLEAN
        path, values = self._state.access_path(node), self._state.values
        known = [values[f"{path}.{name}"] for name in sink.fields if f"{path}.{name}" in values]
        return node, join_all(known)

    # Methods.

    def _check_method(self, call: CallSite, receiver: Node) -> None:
        text = self._module.of(receiver)
        for sink in self._catalogue.by_method.get(call.method, ()):
            if sink.receiver is not None and not self._is_receiver(sink.receiver, sink.kind, receiver, text):
                continue
            if not self._is_harmless(sink, call, text):
                self._reach(sink, call)
        if sinks.RESPONSES.search(text):
            self._responses.check(call, receiver, text)
        elif call.method in self._catalogue.log_methods and sinks.LOGS.search(text):
            self._check_logged(call)

    def _is_receiver(self, pattern: LazyPattern, kind: SinkKind, receiver: Node, text: str) -> bool:
        """Return True if a receiver, or the value it is initialized with, is one that a sink requires."""
        if kind is SinkKind.FIELDS and sinks.NOT_RECORDS.search(text):
            return False
        if pattern.search(text.partition("\n")[0][-_RECEIVER_LENGTH:]) is not None:
            return True
        initial = self._scope.resolved(receiver) if bare(receiver).type == "identifier" else receiver
        return (
            initial.id != receiver.id
            and initial.end_byte - initial.start_byte < _MAX_INITIALIZER_LENGTH
            and pattern.search(self._module.of(initial)) is not None
        )

    def _is_harmless(self, sink: Sink, call: CallSite, receiver: str) -> bool:
        """Return True if the library in use, or an option, makes the arguments harmless."""
        method, arguments = call.method, call.arguments
        if sink.kind is SinkKind.NOSQL:
            return not self._features.uses_mongo or (bool(arguments) and self._is_sql_query(arguments[0]))
        if method in _SEND_FILE_METHODS:
            return any(map(self._has_root, arguments[1:]))
        if method == "file":
            return self._is_confined(arguments)
        if sink.kind is SinkKind.STATEMENT and sink.receiver is not None:
            return not self._features.builds_queries
        if sink.kind is SinkKind.XPATH and method in {"get", "find"}:
            return "libxml" not in self._module.text
        # The sinks among functions contain the methods of these modules.
        return sink.kind is SinkKind.PATH and method in _FILE_METHODS and receiver in _FILE_MODULES

    def _has_root(self, argument: Node) -> bool:
        options = self._scope.resolved(argument)
        return options.type == "object" and self._scope.property(options, "root") is not None

    def _is_sql_query(self, argument: Node) -> bool:
        """Return True for the options of an object-relational mapper for SQL."""
        literal = self._scope.resolved(argument)
        return literal.type == "object" and any(
            self._scope.property(literal, option) is not None for option in _QUERY_OPTIONS
        )

    def _is_confined(self, arguments: Sequence[Node]) -> bool:
        """Return True unless an option lets hapi leave its folder."""
        options = self._scope.resolved(arguments[1]) if len(arguments) > 1 else None
        confine = self._scope.property(options, "confine") if options is not None else None
        return confine is None or self._module.of(confine) != "false"

    def _check_logged(self, call: CallSite) -> None:
        """Composed text that is logged; a value by itself is written in quotes or as JSON.

        Keys of records are skipped: a key of the sender's finds no record.
        """
        for node, value in zip(call.arguments, call.values, strict=True):
            parts = list(_parts(self._scope.resolved(node))) if value else []
            texts = [part for part in parts if not _KEY_NAME.search(self._module.of(part))]
            if any(self._evaluator.evaluate(part) for part in texts):
                self._state.reach(SinkKind.LINE, node, value)

    def _check_upload_name(self, call: CallSite) -> None:
        """``cb(null, name)`` in the storage options of multer names the file that is written."""
        function = call.node.parent
        while function is not None and function.type not in FUNCTIONS:
            function = function.parent
        if function is None:
            return
        is_method = function.type == "method_definition"
        holder = function if is_method else function.parent
        key = holder.child_by_field_name("name" if is_method else "key") if holder is not None else None
        if key is None or self._module.of(key) not in _UPLOAD_OPTIONS or not self._features.takes_uploads:
            return
        self._state.reach(SinkKind.PATH, call.arguments[1], call.values[1])


def _parts(text: Node) -> Iterator[Node]:
    """The expressions that a template literal or a concatenation composes."""
    if text.type == "template_string":
        for child in text.named_children:
            yield from child.named_children[:1] if child.type == "template_substitution" else ()
    elif text.type == "binary_expression":
        for child in text.named_children:
            yield from _parts(child) if child.type == "binary_expression" else (child,)


def _is_composed(text: Node) -> bool:
    return next(_parts(text), None) is not None


def _wrapper_name(name: str) -> str:
    """The name of a function of the project that wraps the start of a shell; else empty."""
    is_wrapper = name.startswith((".", "@/", "~/")) and name.endswith(_SHELL_WRAPPERS)
    return name.rpartition(".")[2] if is_wrapper else ""
