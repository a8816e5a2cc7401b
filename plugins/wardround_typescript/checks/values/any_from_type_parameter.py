from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import call_with, child, first_part, has_kind, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_ANSWER = LazyPattern(
    r"^(?:await\s+)?(?:JSON\.parse\(|\(?\s*(?:await\s+)?[\w.]+(?:\([^()]*\))?\)?\s*\.json\(\s*\)$)"
)
_REQUEST = LazyPattern(
    r"^((\w+\.)*(axios|http|httpClient|client|api|apiClient|ky|got|request|instance"
    r"|fetcher|rest)\.(get|post|put|patch|delete|request)"
    r"|\$fetch|ofetch|fetchJson|(?:\w+\.)*use(?:Lazy)?(?:Fetch|AsyncData|SWR\w*|Query|InfiniteQuery|SuspenseQuery|Axios"
    r"|LoaderData|RouteLoaderData|ActionData|FetcherData))$"
)
_CHECKED = LazyPattern(
    r"(?i)\b(safe_?parse\w*|schema|validate\w*|decode|assert\w*|guard|is_?valid\w*"
    r"|reviver)\b|\.parse\((?!\s*(raw|text|value))"
)
_OUTSIDE = LazyPattern(
    r"(?i)^(raw\w*|data|json|response|res|row|dto|payload|body|api\w*|result|input|server\w*)$"
)
_NAMED = LazyPattern(r"^:\s*(?!Promise|Record|Partial|JSX|React)[A-Z][a-z]\w+(\[\])?$")
_OWN_TYPE = LazyPattern(r"^(?!Record|Partial|Error|Axios)[A-Z][a-z]\w+(?:\[\])*$")
_ASKED = LazyPattern(r"await\s+([\w.$]+)\(")
_CLONED = LazyPattern(r"JSON\.parse\(\s*JSON\.stringify")
_FORMS = (
    "{0}",
    "Promise<{0}>",
    "{0} | null",
    "{0} | undefined",
    "Promise<{0} | null>",
    "{0}[]",
    "Promise<{0}[]>",
)
"""Return types of a function whose result has the type of a type parameter."""
_DATA_PATTERN = ("{ data", "{data")
_LIST_METHODS = (".map", ".filter", ".flatMap", ".forEach")
_DECLARATIONS = frozenset({"variable_declarator", "lexical_declaration"})


class AnyFromTypeParameter(TreeCheck):
    """A value of type ``any`` is returned under a type that the caller chooses.

    ``JSON.parse`` and ``json()`` return ``any``. A function that returns it as its type parameter, or that
    requests ``any`` from its client, is an unchecked cast: misspelt fields compile. Take a schema or a guard
    as a parameter, or return ``unknown``.
    """

    ID = "TS055"
    NAME = "any-from-type-parameter"
    DEFECT_CLASS = "any-at-boundary"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    KINDS = (".ts", ".tsx", ".mts", ".vue", ".svelte")
    WORDS = (
        "JSON.parse(",
        ".json()",
        "<any>",
        ": any",
        ".data as ",
        "data as ",
        ".data;",
        ".data\n",
        " data;",
        " data\n",
    )
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const res = await axios.get<Person>('/me');
            const me = Person.parse(res.data);
            const rows = (await load()).data as Row[];
            const kept = state.data as Row;
        """),
        code("""
            export function read<T>(raw: string, schema: Schema<T>): T {
              return schema.parse(JSON.parse(raw));
            }
        """),
    ]
    INVALID = [
        code("""
            async function tokens(url: string) {
              const res = await axios.get(url);
              const found = «res.data as TokenPair»;
              return found.access;
            }
        """),
        code("""
            const { data } = await http.get('/me');
            const «me: Person = data»;
        """),
    ]

    def check(self) -> None:
        for function in self._generic():
            for node in self._unchecked_results(function):
                self.report_node(
                    node,
                    "parsed value is any and is returned as the caller's type; validate it or return unknown",
                )
        for node in self._requested_any():
            self.report_node(
                node, "client is called with any, so the response is unchecked; name its type or use unknown"
            )
        for node in self._external_any():
            self.report_node(
                node, "external value is any, so its fields are unchecked; use unknown or a schema"
            )
        for node in self._cast_responses():
            self.report_node(node, "response is cast to this type without validation; parse it with a schema")
        for node in self._rows_of_any():
            self.report_node(
                node, "rows of the response are any, so their fields are unchecked; declare their type"
            )

    def _generic(self) -> Iterator[Node]:
        """Yield the functions that return one of their own type parameters."""
        from wardround.languages.script.code import FUNCTIONS

        for parameters in self.code.kinds("type_parameters"):
            function = parameters.parent
            if not has_kind(function, FUNCTIONS) or not self._returns_parameter(function, parameters):
                continue
            if not _CHECKED.search(self.code.text(function)):
                yield function

    def _returns_parameter(self, function: Node, parameters: Node) -> bool:
        promised = self.code.field(function, "return_type").lstrip(": ")
        names = [self.code.field(parameter, "name") for parameter in parameters.named_children]
        return any(promised == form.format(name) for name in names for form in _FORMS)

    def _unchecked_results(self, function: Node) -> Iterator[Node]:
        """Yield the statements that return a parsed value, or the body that is one."""
        from wardround.languages.script.code import own_nodes

        for node in own_nodes(function):
            if node.type == "return_statement" and self._may_be_parsed(first_part(node)):
                yield node
        body = child(function, "body")
        if body is not None and body.type != "statement_block" and self._may_be_parsed(body):
            yield body

    def _may_be_parsed(self, value: Node | None) -> bool:
        return any(map(self._is_parsed, _branches(value)))

    def _is_parsed(self, node: Node) -> bool:
        text = self.code.text(node)
        if node.type == "identifier":
            value = self.code.value_of(text, node)
            text = self.code.text(value) if value is not None else ""
        return _ANSWER.search(text) is not None and not _CLONED.search(text)

    def _requested_any(self) -> Iterator[Node]:
        for called, call in self.code.calls:
            types = self.code.field(call, "type_arguments")
            if types in ("<any>", "<any[]>") and _REQUEST.search(called):
                yield call

    def _cast_responses(self) -> Iterator[Node]:
        """Yield casts of the data of a client that declares no type for it, such as axios."""
        from wardround.languages.script.code import bare

        for cast in self.code.kinds("as_expression"):
            value, target = cast.named_children[0], self.text(cast.named_children[-1])
            if _OWN_TYPE.search(target) and self._is_data(bare(value)):
                yield cast
        for declarator in self.code.kinds("variable_declarator"):
            target = self.code.field(declarator, "type").lstrip(": ")
            if _OWN_TYPE.search(target) and self._is_data(bare(child(declarator, "value"))):
                yield declarator

    def _is_data(self, value: Node | None) -> bool:
        """Return True if a value is the data of an awaited request without a type of its own."""
        match value.type if value is not None else "":
            case "member_expression" if self.code.field(value, "property") == "data":
                declarator = self._declarator(child(value, "object"))
                return declarator is not None and self._is_request(declarator)
            case "identifier":
                declarator = self._declarator(value)
                if declarator is None or not self.code.field(declarator, "name").startswith(_DATA_PATTERN):
                    return False
                return self._is_request(declarator)
        return False

    def _declarator(self, name: Node | None) -> Node | None:
        if not is_kind(name, "identifier"):
            return None
        declaration = self.code.declaration(self.code.text(name), name)
        return declaration if is_kind(declaration, "variable_declarator") else None

    def _is_request(self, declarator: Node) -> bool:
        found = _ASKED.match(self.code.field(declarator, "value"))
        return found is not None and _REQUEST.search(found[1]) is not None

    def _external_any(self) -> Iterator[Node]:
        """Yield external values of ``any`` that an exported function returns under a type of the program."""
        from wardround.languages.script.code import function_around

        for parameter in self.code.kinds("required_parameter"):
            if not self._is_external_any(parameter):
                continue
            function = function_around(parameter)
            if _NAMED.search(self.code.field(function, "return_type")) and _is_exported(function):
                yield parameter

    def _is_external_any(self, parameter: Node) -> bool:
        if self.code.field(parameter, "type") not in (": any", ": any[]"):
            return False
        return _OUTSIDE.search(self.code.field(parameter, "pattern")) is not None

    def _rows_of_any(self) -> Iterator[Node]:
        """Yield parameters of type ``any`` in a callback over response data."""
        from wardround.languages.script.code import function_around

        for parameter in self.code.kinds("required_parameter"):
            callback = function_around(parameter)
            if callback is None or self.code.field(parameter, "type") != ": any":
                continue
            call = call_with(callback)
            if call is not None and self._is_over_response(call, function_around(callback)):
                yield parameter

    def _is_over_response(self, call: Node, function: Node | None) -> bool:
        """Return True for a method of a list that a function reads from a response."""
        if not self.code.callee(call).endswith(_LIST_METHODS):
            return False
        return ".json()" in self.code.text(function) and self._is_response(call)

    def _is_response(self, call: Node) -> bool:
        """Return True if the list comes from a response: its first name is an awaited ``json()``."""
        name = self.code.callee(call).partition(".")[0]
        declaration = self.code.declaration(name, call)
        return declaration is not None and ".json()" in self.code.field(declaration, "value")


def _branches(node: Node | None) -> Iterator[Node]:
    """Yield an expression without casts, or the branches of a conditional expression."""
    from wardround.languages.script.code import bare

    value = bare(node)
    if value is None:
        return
    match value.type:
        case "ternary_expression":
            yield from _branches(child(value, "consequence"))
            yield from _branches(child(value, "alternative"))
        case "await_expression":
            yield from _branches(value.named_children[0])
        case _:
            yield value


def _is_exported(function: Node | None) -> bool:
    around = function.parent if function is not None else None
    while has_kind(around, _DECLARATIONS):
        around = around.parent
    return is_kind(around, "export_statement")
