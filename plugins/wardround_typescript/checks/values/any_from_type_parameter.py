"""TS055: any from type parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

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
            for node in self._unchecked(function):
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

        code = self.code
        for node in code.kinds("type_parameters"):
            function = node.parent
            if function is None or function.type not in FUNCTIONS:
                continue
            names = [code.field(one, "name") for one in node.named_children]
            promised = code.field(function, "return_type").lstrip(": ")
            wanted = [
                form
                for name in names
                for form in (
                    name,
                    f"Promise<{name}>",
                    f"{name} | null",
                    f"{name} | undefined",
                    f"Promise<{name} | null>",
                    f"{name}[]",
                    f"Promise<{name}[]>",
                )
            ]
            if promised in wanted and not _CHECKED.search(code.text(function)):
                yield function

    def _unchecked(self, function: Node) -> Iterator[Node]:
        from wardround.languages.script.code import own_nodes

        for node in own_nodes(function):
            if (
                node.type == "return_statement"
                and node.named_children
                and any(self._is_parsed(one) for one in _branches(node.named_children[0]))
            ):
                yield node
        body = function.child_by_field_name("body")
        if (
            body is not None
            and body.type != "statement_block"
            and any(self._is_parsed(one) for one in _branches(body))
        ):
            yield body

    def _is_parsed(self, node: Node) -> bool:
        text = self.code.text(node)
        if node.type == "identifier":
            value = self.code.value_of(text, node)
            text = self.code.text(value) if value is not None else ""
        return _ANSWER.search(text) is not None and not _CLONED.search(text)

    def _requested_any(self) -> Iterator[Node]:
        code = self.code
        for called, call in code.calls:
            types = call.child_by_field_name("type_arguments")
            if types is not None and code.text(types) in ("<any>", "<any[]>") and _REQUEST.search(called):
                yield call

    def _cast_responses(self) -> Iterator[Node]:
        """Yield casts of the data of a client that declares no type for it, such as axios."""
        from wardround.languages.script.code import bare

        code = self.code
        for node in code.kinds("as_expression", "variable_declarator"):
            is_cast = node.type == "as_expression"
            value = node.named_children[0] if is_cast else node.child_by_field_name("value")
            typed = code.text(node.named_children[-1]) if is_cast else code.field(node, "type").lstrip(": ")
            if _OWN_TYPE.search(typed) and self._is_data(bare(value)):
                yield node

    def _is_data(self, value: Node | None) -> bool:
        """Return True if a value is the data of an awaited request without a type of its own."""
        code = self.code
        if value is None or value.type not in ("member_expression", "identifier"):
            return False
        if value.type == "member_expression" and code.field(value, "property") != "data":
            return False
        start = value.child_by_field_name("object") or value
        declarator = code.declaration(code.text(start), start) if start.type == "identifier" else None
        if declarator is None or declarator.type != "variable_declarator":
            return False
        if value.type == "identifier" and not code.field(declarator, "name").startswith(("{ data", "{data")):
            return False
        tests = code.field(declarator, "value")
        found = _ASKED.match(tests)
        return found is not None and _REQUEST.search(found[1]) is not None

    def _external_any(self) -> Iterator[Node]:
        """Yield external values of ``any`` that an exported function returns under a type of the program."""
        from wardround.languages.script.code import function_around

        code = self.code
        for node in code.kinds("required_parameter"):
            if code.field(node, "type") not in (": any", ": any[]") or not _OUTSIDE.search(
                code.field(node, "pattern")
            ):
                continue
            function = function_around(node)
            if function is None or not _NAMED.search(code.field(function, "return_type")):
                continue
            above = function.parent
            while above is not None and above.type in ("variable_declarator", "lexical_declaration"):
                above = above.parent
            if above is not None and above.type == "export_statement":
                yield node

    def _rows_of_any(self) -> Iterator[Node]:
        """Yield parameters of type ``any`` in a callback over response data."""
        from wardround.languages.script.code import function_around

        code = self.code
        for node in code.kinds("required_parameter"):
            if code.field(node, "type") != ": any":
                continue
            function = function_around(node)
            given = function.parent if function is not None else None
            call = given.parent if given is not None and given.type == "arguments" else None
            if (
                function is None
                or call is None
                or not code.called(call).endswith((".map", ".filter", ".flatMap", ".forEach"))
            ):
                continue
            owner = function_around(function)
            if owner is not None and ".json()" in code.text(owner) and self._is_response(call):
                yield node

    def _is_response(self, call: Node) -> bool:
        """Return True if the list comes from a response: its first name is an awaited ``json()``."""
        name = self.code.called(call).partition(".")[0]
        declaration = self.code.declaration(name, call)
        return declaration is not None and ".json()" in self.code.field(declaration, "value")


def _branches(node: Node) -> Iterator[Node]:
    """Yield an expression without casts, or the branches of a conditional expression."""
    from wardround.languages.script.code import bare

    one = bare(node)
    if one is None:
        return
    if one.type == "ternary_expression":
        for side in (one.child_by_field_name("consequence"), one.child_by_field_name("alternative")):
            if side is not None:
                yield from _branches(side)
    elif one.type == "await_expression":
        yield from _branches(one.named_children[0])
    else:
        yield one
