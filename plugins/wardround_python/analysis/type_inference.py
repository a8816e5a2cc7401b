"""The certain type of a value: text, bytes, a number, a list, a result of a library's client."""

from __future__ import annotations

import ast

from wardround.languages.python.literals import is_false
from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround_python.analysis.call_resolution import CallResolver
from wardround_python.analysis.literal_types import annotated_kind, kind_of_constant, kind_of_display
from wardround_python.analysis.value_origins import ValueOrigins
from wardround_python.analysis.value_types import (
    BYTES,
    CALLS,
    CALLS_WITH_DEFAULT,
    COLLECTION_COMMANDS,
    HTTP_CALLS,
    METHODS,
    OUTPUT_CALLS,
    PROCESS_ATTRIBUTES,
    PROCESS_CALLS,
    REDIS_CLIENTS,
    REQUEST_PARTS,
    RESPONSE_ATTRIBUTES,
    TEXT,
    TEXT_METHODS,
    TEXT_MODE_KEYWORDS,
    VALUE_COMMANDS,
    VIEWS,
)
from wardround_python.syntax.calls import called_method, keyword_values, spreads_keywords

_DEEPEST = 5


class ValueKinds:
    """The types of the values of one module; empty if the source does not determine them."""

    def __init__(self, module: PythonModule, callees: CallResolver) -> None:
        self._module = module
        self._callees = callees
        self._origins = ValueOrigins(module, callees)
        self._known: dict[ast.expr, str] = {}

    @classmethod
    def of_module(cls, module: PythonModule, callees: CallResolver) -> ValueKinds:
        """Return the types of a module, shared by all its checks."""
        result = module.notes.get(cls)
        if not isinstance(result, ValueKinds) or result._callees is not callees:
            result = module.notes[cls] = cls(module, callees)
        return result

    def of(self, node: ast.expr, deep: int = _DEEPEST) -> str:
        """Return the type of a value."""
        if node not in self._known:
            self._known[node] = ""  # during its own inference
            self._known[node] = self._kind(node, deep - 1) if deep else ""
        return self._known[node]

    def _kind(self, node: ast.expr, deep: int) -> str:
        match node:
            case ast.Constant():
                return kind_of_constant(node.value)
            case ast.IfExp():
                return self._conditional_type(node, deep)
            case ast.Await() | ast.NamedExpr():
                return self.of(node.value, deep)
            case ast.Call():
                return self._request_result_type(node) or self._call_type(node, deep)
            case ast.Subscript():
                return self._subscript_type(node)
            case ast.Attribute():
                return self._request_body_type(node, node) or self._attribute_type(node, deep)
            case ast.Name():
                return self._name_type(node, deep)
        return kind_of_display(node)

    def _conditional_type(self, node: ast.IfExp, deep: int) -> str:
        first, second = self.of(node.body, deep), self.of(node.orelse, deep)
        return first if first == second else ""

    def _subscript_type(self, node: ast.Subscript) -> str:
        if _is_request_part(node.value):
            return TEXT
        is_element = not isinstance(node.slice, ast.Slice)
        holds_text = self._module.imported_name(node.value) in ("os.environ", "sys.argv")
        return TEXT if holds_text and is_element else ""

    def _call_type(self, call: ast.Call, deep: int) -> str:
        name = self._module.qualified_name(call.func) or ""
        if name in OUTPUT_CALLS:
            return "" if _is_in_text_mode(call) else BYTES
        if name in CALLS and not self._is_module_name(call.func):
            return CALLS[name] if self._fits_default(call, name, deep) else ""
        if isinstance(call.func, ast.Attribute) and self._module.imported_name(call.func) is None:
            kind = self._method_result(call, call.func, deep)
            if kind is not None:
                return kind
        return self._definition_type(call)

    def _is_module_name(self, func: ast.expr) -> bool:
        return isinstance(func, ast.Name) and func.id in self._origins.bound_names

    def _fits_default(self, call: ast.Call, name: str, deep: int) -> bool:
        """Return True if the default that a call passes, if any, has the type of its result."""
        if name not in CALLS_WITH_DEFAULT or len(call.args) < 2:
            return True
        return self.of(call.args[1], deep) == CALLS[name]

    def _definition_type(self, call: ast.Call) -> str:
        """Return the type that the annotation of a called function names."""
        definition = self._callees.definition_of(call)
        function = definition.node if definition is not None else None
        if not isinstance(function, FunctionNode) or function.decorator_list:
            return ""
        return annotated_kind(function.returns)

    def _method_result(self, call: ast.Call, func: ast.Attribute, deep: int) -> str | None:
        """Return the type of a method's result, "" if it is unknown; None for other methods."""
        method = func.attr
        if method == "communicate":
            return self._process_output_type(func, deep)
        if method == "read":
            return self._stream_type(func, deep)
        if method in METHODS:
            return METHODS[method] if _is_plain_call(call, method) else ""
        if method in VALUE_COMMANDS and self._is_raw_client(func.value, deep):
            return BYTES
        return self._builtin_method_result(call, func, deep)

    def _builtin_method_result(self, call: ast.Call, func: ast.Attribute, deep: int) -> str | None:
        """Return the type of the result of a method of str, bytes or dict; None for other methods."""
        method = func.attr
        if method in TEXT_METHODS:
            receiver = self.of(func.value, deep)
            return receiver if receiver in (TEXT, BYTES) else ""
        if method == "split" and self.of(func.value, deep) == TEXT:
            return "a list"
        if method in VIEWS and not call.args and self.of(func.value, deep) == "a mapping":
            return "a view"
        return None

    def _process_output_type(self, func: ast.Attribute, deep: int) -> str:
        """Return the type of the output of a child process."""
        process = self._origins.creating_call(func.value, deep)
        if process is None or self._module.qualified_name(process.func) != "subprocess.Popen":
            return ""
        return "" if _is_in_text_mode(process) else BYTES

    def _stream_type(self, func: ast.Attribute, deep: int) -> str:
        """Return the type read from a file or a response, according to its mode."""
        opening = self._origins.creating_call(func.value, deep)
        if opening is None:
            return ""
        name = self._module.qualified_name(opening.func)
        if name == "urllib.request.urlopen":
            return BYTES
        if name == "open":
            return BYTES if _is_binary(opening, 1) else ""
        if called_method(opening) == "open":
            return BYTES if _is_binary(opening, 0) else ""
        return ""

    def _request_result_type(self, call: ast.Call) -> str:
        """Return the type of data from a client that a call returns: its body, or a part of the request."""
        if not isinstance(call.func, ast.Attribute):
            return ""
        body = self._request_body_type(call, call.func)
        if body:
            return body
        if call.func.attr != "get" or call.keywords or not _is_request_part(call.func.value):
            return ""
        has_other_default = len(call.args) > 1 and self.of(call.args[1]) != TEXT
        return "" if has_other_default else TEXT

    def _request_body_type(self, node: ast.Call | ast.Attribute, member: ast.Attribute) -> str:
        """Return the type of the body of a request, which is an attribute or, if called, a method."""
        if not _is_request(member.value):
            return ""
        packages = self._module.packages
        is_called = node is not member
        match member.attr:
            case "body" if "django" in packages:
                is_body = not is_called and "rest_framework" not in packages
            case "body" if packages & {"fastapi", "starlette"}:
                is_body = is_called
            case "data" if "flask" in packages:
                is_body = not is_called
            case "get_data" if "flask" in packages:
                is_body = isinstance(node, ast.Call) and not node.keywords
            case _:
                is_body = False
        return BYTES if is_body else ""

    def contains_bytes(self, node: ast.expr) -> bool:
        """Return True if a value is a list, set or mapping of bytes, as Redis returns them."""
        match node:
            case ast.Await():
                return self.contains_bytes(node.value)
            case ast.Name():
                only = self._origins.only_value(node)
                return isinstance(only, (ast.Call, ast.Await)) and self.contains_bytes(only)
            case ast.Call(func=ast.Attribute(value=client, attr=command)):
                return command in COLLECTION_COMMANDS and self._is_raw_client(client, _DEEPEST)
        return False

    def _is_raw_client(self, node: ast.expr, deep: int) -> bool:
        """Return True if a value is a client of Redis that does not decode its responses."""
        client = self._origins.creating_call(node, deep)
        if client is None or self._module.qualified_name(client.func) not in REDIS_CLIENTS:
            return False
        if spreads_keywords(client):
            return False
        return all(map(is_false, keyword_values(client, "decode_responses")))

    def _attribute_type(self, node: ast.Attribute, deep: int) -> str:
        if node.attr not in RESPONSE_ATTRIBUTES and node.attr not in PROCESS_ATTRIBUTES:
            return ""
        creator = self._origins.creating_call(node.value, deep)
        if creator is None:
            return ""
        name = self._module.qualified_name(creator.func)
        if name in HTTP_CALLS:
            return RESPONSE_ATTRIBUTES.get(node.attr, "")
        if name not in PROCESS_CALLS:
            return ""
        if node.attr != "returncode" and _is_in_text_mode(creator):
            return ""
        return PROCESS_ATTRIBUTES.get(node.attr, "")

    def _name_type(self, node: ast.Name, deep: int) -> str:
        only = self._origins.only_value(node)
        if isinstance(only, ast.arg):
            return annotated_kind(only.annotation)
        return self.of(only, deep) if only is not None else ""


def _is_request(node: ast.expr) -> bool:
    return last_name(node) in ("request", "req")


def _is_request_part(node: ast.expr) -> bool:
    """Return True for a mapping of strings in a request: ``request.GET``."""
    return isinstance(node, ast.Attribute) and node.attr in REQUEST_PARTS and _is_request(node.value)


def _is_in_text_mode(call: ast.Call) -> bool:
    """Return True if a process may be started such that its output is text."""
    return spreads_keywords(call) or bool(keyword_values(call, *TEXT_MODE_KEYWORDS))


def _is_binary(opening: ast.Call, position: int) -> bool:
    """Return True if a call opens a file with ``b`` in its mode, passed by position or by name."""
    modes = [*opening.args[position : position + 1], *keyword_values(opening, "mode")]
    mode = modes[0].value if modes and isinstance(modes[0], ast.Constant) else None
    return isinstance(mode, str) and "b" in mode


def _is_plain_call(call: ast.Call, name: str) -> bool:
    """Return True if a method is called with a signature of ``str`` or ``bytes``: other methods are also
    called ``encode``.
    """
    if name in ("encode", "decode"):
        return all(map(_is_string, call.args))
    return len(call.args) == 1 if name == "recv" else True


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
