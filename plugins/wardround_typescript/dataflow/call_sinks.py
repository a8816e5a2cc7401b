"""The sinks that the arguments of a call reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.domain import join_all
from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.arguments import CallSite, has_spread
from wardround_typescript.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.function_names import FunctionNames
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare, field_text
from wardround_typescript.dataflow.process_sinks import ProcessSinks
from wardround_typescript.dataflow.record_sinks import RecordSinks
from wardround_typescript.dataflow.response_sinks import ResponseSinks
from wardround_typescript.dataflow.sinks import Sink
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.syntax.nodes import nearest

_KEY_NAME = LazyPattern(r"(?i)(id|ids|uuid|slug|method|key)$")
_SHELL_WRAPPERS = ("execAsync", "execPromise")
_UPLOAD_OPTIONS = frozenset({"filename", "destination", "key"})
_CALLBACKS = frozenset({"cb", "callback", "done"})
_FILE_METHODS = frozenset({"writeFile", "toFile", "saveAs", "mv", "readFile", "outputFile"})
_FILE_MODULES = frozenset({"fs", "fsp", "fse", "Bun"})
_SEND_FILE_METHODS = frozenset({"sendFile", "sendfile", "download"})
_XPATH_METHODS = frozenset({"get", "find"})
_QUERY_OPTIONS = ("where", "include", "select")
_OPTION_SINKS = (SinkKind.URL, SinkKind.SQL, SinkKind.STATEMENT, SinkKind.LDAP)
"""Kinds of sinks that may be given an object with options."""
_RECEIVER_LENGTH = 120
_MAX_INITIALIZER_LENGTH = 300
_LITERAL_TEXTS = (SinkKind.SQL, SinkKind.STATEMENT)
"""Kinds of sinks whose options are never the text itself."""


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
            self._check_tainted_call(call)
        if name.endswith("js-yaml.load") and values and values[0] and self._features.has_unsafe_yaml:
            self._state.reach(SinkKind.OBJECTS, arguments[0], values[0])

    def _check_tainted_call(self, call: CallSite) -> None:
        for sink in self._function_sinks(call.name):
            self._reach(sink, call)
        if call.receiver is not None:
            self._check_method(call, call.receiver)
        self._check_processes(call)
        self._check_composition(call)
        if call.node.type == "new_expression":
            self._responses.check_constructor(call)
            self._records.check_constructor(call)
        if self._reports_upload(call):
            self._check_upload_name(call)

    def _check_processes(self, call: CallSite) -> None:
        if call.name in self._catalogue.processes:
            self._processes.check(call)
        if call.name in self._catalogue.listed_processes:
            self._processes.check_command_list(call)

    def _check_composition(self, call: CallSite) -> None:
        """The arguments that a function joins to a string or an object."""
        first = call.arguments[0]
        if call.name in self._catalogue.formatters and len(call.arguments) > 1:
            self._check_format(first, call.values[0])
        if call.name == "Object.assign" and self._module.of(first) != "{}":
            self._records.check_assign(call)

    def _reports_upload(self, call: CallSite) -> bool:
        """Return True for ``cb(null, name)`` with a tainted name."""
        if call.method != "" or call.name not in _CALLBACKS:
            return False
        return len(call.values) > 1 and bool(call.values[1])

    def _check_format(self, node: Node, value: Taint) -> None:
        """A format that is composed of tainted text."""
        if _is_composed(self._scope.resolve(node)):
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
        literal = self._scope.resolve(node)
        if literal.type != "object":
            return node, value
        if not sink.fields:
            return node, CLEAN if sink.kind in _LITERAL_TEXTS else value
        found = (self._scope.property(literal, name) for name in sink.fields)
        options = [option for option in found if option is not None]
        if node.id == literal.id:
            return self._written_options(node, options)
        if options:
            return node, self._known_options(sink, node)
        return node, value if has_spread(literal) else CLEAN

    def _written_options(self, node: Node, options: Sequence[Node]) -> tuple[Node, Taint]:
        location = options[0] if options else node
        return location, join_all([self._evaluator.evaluate(option) for option in options])

    def _known_options(self, sink: Sink, name: Node) -> Taint:
        """Return the values of the options of a variable."""
        values = self._state.values
        paths = [f"{self._state.access_path(name)}.{field}" for field in sink.fields]
        return join_all([values[path] for path in paths if path in values])

    # Methods.

    def _check_method(self, call: CallSite, receiver: Node) -> None:
        text = self._module.of(receiver)
        for sink in self._catalogue.by_method.get(call.method, ()):
            if self._is_receiver(sink, receiver, text) and not self._is_harmless(sink, call, text):
                self._reach(sink, call)
        if sinks.RESPONSES.search(text):
            self._responses.check(call, receiver, text)
        elif call.method in self._catalogue.log_methods and sinks.LOGS.search(text):
            self._check_log_call(call)

    def _is_receiver(self, sink: Sink, receiver: Node, text: str) -> bool:
        """Return True if a receiver, or its initial value, is one that a sink requires."""
        pattern = sink.receiver
        if pattern is None:
            return True
        if sink.kind is SinkKind.FIELDS and sinks.NOT_RECORDS.search(text):
            return False
        if pattern.search(text.partition("\n")[0][-_RECEIVER_LENGTH:]) is not None:
            return True
        initial = self._scope.resolve(receiver) if bare(receiver).type == "identifier" else receiver
        if initial.id == receiver.id or initial.end_byte - initial.start_byte >= _MAX_INITIALIZER_LENGTH:
            return False
        return pattern.search(self._module.of(initial)) is not None

    def _is_harmless(self, sink: Sink, call: CallSite, receiver: str) -> bool:
        """Return True if the library in use, or an option, makes the arguments harmless."""
        method = call.method
        if sink.kind is SinkKind.NOSQL:
            return self._is_of_sql_mapper(call.arguments)
        if method in _SEND_FILE_METHODS:
            return any(map(self._has_root, call.arguments[1:]))
        if method == "file":
            return self._is_confined(call.arguments)
        if sink.kind is SinkKind.STATEMENT and sink.receiver is not None:
            return not self._features.builds_queries
        if sink.kind is SinkKind.XPATH and method in _XPATH_METHODS:
            return "libxml" not in self._module.text
        return sink.kind is SinkKind.PATH and _is_file_function(method, receiver)

    def _is_of_sql_mapper(self, arguments: Sequence[Node]) -> bool:
        if not self._features.uses_mongo:
            return True
        return bool(arguments) and self._is_sql_query(arguments[0])

    def _has_root(self, argument: Node) -> bool:
        options = self._scope.resolve(argument)
        return options.type == "object" and self._scope.property(options, "root") is not None

    def _is_sql_query(self, argument: Node) -> bool:
        """Return True for the options of an object-relational mapper for SQL."""
        literal = self._scope.resolve(argument)
        if literal.type != "object":
            return False
        return any(self._scope.property(literal, option) is not None for option in _QUERY_OPTIONS)

    def _is_confined(self, arguments: Sequence[Node]) -> bool:
        """Return True unless an option lets hapi leave its folder."""
        options = self._scope.resolve(arguments[1]) if len(arguments) > 1 else None
        confine = self._scope.property(options, "confine") if options is not None else None
        return confine is None or self._module.of(confine) != "false"

    def _check_log_call(self, call: CallSite) -> None:
        """Composed text that is logged; a value by itself is written in quotes or as JSON.

        Keys of records are skipped: a key of the sender's finds no record.
        """
        for node, value in zip(call.arguments, call.values, strict=True):
            parts = list(_parts(self._scope.resolve(node))) if value else []
            texts = [part for part in parts if not _KEY_NAME.search(self._module.of(part))]
            if any(self._evaluator.evaluate(part) for part in texts):
                self._state.reach(SinkKind.LINE, node, value)

    def _check_upload_name(self, call: CallSite) -> None:
        """``cb(null, name)`` in the storage options of multer names the file that is written."""
        if self._name_around(call.node) in _UPLOAD_OPTIONS and self._features.accepts_uploads:
            self._state.reach(SinkKind.PATH, call.arguments[1], call.values[1])

    def _name_around(self, node: Node) -> str:
        """Return the name of the method, or the key of the function, that contains a node."""
        function = nearest(node, FUNCTIONS)
        if function is None:
            return ""
        if function.type == "method_definition":
            return field_text(self._module, function, "name")
        return field_text(self._module, function.parent, "key") if function.parent is not None else ""


def _is_file_function(method: str, receiver: str) -> bool:
    """Return True for a function of a module of files, which is a sink by its name."""
    return method in _FILE_METHODS and receiver in _FILE_MODULES


def _parts(text: Node) -> Iterator[Node]:
    """Yield the expressions that a template literal or a concatenation composes."""
    match text.type:
        case "template_string":
            for part in text.named_children:
                yield from part.named_children[:1] if part.type == "template_substitution" else ()
        case "binary_expression":
            for operand in text.named_children:
                yield from _parts(operand) if operand.type == "binary_expression" else (operand,)


def _is_composed(text: Node) -> bool:
    return next(_parts(text), None) is not None


def _wrapper_name(name: str) -> str:
    """Return the name of a function of the project that wraps the start of a shell; else empty."""
    is_wrapper = name.startswith((".", "@/", "~/")) and name.endswith(_SHELL_WRAPPERS)
    return name.rpartition(".")[2] if is_wrapper else ""
