"""Sources: requests of servers, server actions, messages and the arguments of programs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

import msgspec
from tree_sitter import Node

from wardround.languages.script.syntax import ScriptModule
from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.catalogue import load_catalogue
from wardround.semantics.dataflow.domain import REQUEST
from wardround_typescript.dataflow.domain import (  # fmt: skip
    ARGUMENTS,
    CLEAN,
    INCOMING,
    TAINTED,
    TAINTED_TEXT,
    TEXT,
    SinkKind,
    Taint,
)
from wardround_typescript.dataflow.nodes import field_text
from wardround_typescript.syntax.nodes import ancestors, child, is_kind


class RequestObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The tainted properties and methods of one kind of request object."""

    text_properties: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    text_methods: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()


class SourceCatalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The content of ``wardround_rules/dataflow/typescript/sources.yml``."""

    request: RequestObject
    context: RequestObject
    event: RequestObject
    form: RequestObject
    service_properties: frozenset[str]
    h3_functions: frozenset[str]
    h3_text_functions: frozenset[str]
    upload_names: frozenset[str]
    route_functions: frozenset[str]
    http_methods: frozenset[str]

    def request_object(self, kind: str) -> RequestObject | None:
        """Return the request object of a kind; see ``request_kind``."""
        objects = {
            "request": self.request,
            "context": self.context,
            "event": self.event,
            LAMBDA_EVENT: self.event,
            "form": self.form,
        }
        return objects.get(kind)


@cache
def catalogue() -> SourceCatalogue:
    """Return the sources that ``wardround_rules/dataflow/typescript/sources.yml`` declares."""
    return load_catalogue("typescript", "sources", SourceCatalogue)


COMING_IN = LazyPattern(
    r"\breq(uest)?\b|\bctx\b|\bc\.req\b|searchParams|formData|FormData|use server|\bevent\b|@(Body|"
    r"Query|Param|Args|Headers)\b"
    r"|process\.argv|\.input\(|\.action\(|\.on\(\s*['\"]|getQuery|readBody|entryName|entry\.|header\.name|originalname"
    r"|relativePath|fileName|\bparams\b|parseArgs"
)
"""Prefilter: text that a module with a source contains."""

_REQUEST_NAME = LazyPattern(r"^_?(req|request)\d?$")
_REQUEST_TYPE = LazyPattern(
    r"^(\w+\.)?\w*?(Auth\w*|User|Typed|Custom|Session|Api|Next|Fastify|Express|Http|Vercel|Extended|Raw|Hapi|Koa|My|App|Multer|"
    r"Parsed|With\w+)?(Request|Req|IncomingMessage|LoaderFunctionArgs|ActionFunctionArgs)(<.*>)?$",
    16,
)
_NO_REQUEST = LazyPattern(
    r"(?i)axios|client|config|^(create|update|delete|get|list|find|search|login|register)\w*request$|dto|input|proto"
)
_CONTEXT_TYPE = LazyPattern(
    r"(^|\.)((Parameterized|Router|Koa|Extendable|Default)?Context|HonoContext)(<.*>)?$", 16
)
_KOA = LazyPattern(r"['\"](@koa/|koa)|\bctx\.(query|params|querystring|request\.(body|query|files)|throw)\b")
LAMBDA_EVENT = "lambda-event"
"""The untyped first parameter of a Lambda handler: the caller chose all of it."""
_HANDLER = LazyPattern(r"^((module\.)?exports\.)?(handler|lambdaHandler|lambda_handler)$")
_EVENT_NAME = LazyPattern(r"^_?(event|evt)$")
_DECORATED = LazyPattern(r"^@(Body|Query|Param|Headers|Req|Request|UploadedFile|UploadedFiles|Args|"
                         r"RawBody|MessageBody|Payload|Ctx|QueryParam|"
                         r"QueryParams|BodyParam|HeaderParam|CookieParam|Cookies|Arg)\b")  # fmt: skip
_PIPED = LazyPattern(
    r"Parse(Int|UUID|Float|Bool|Enum|Date)Pipe|ParseObjectIdPipe|ZodValidationPipe|\w*IdPipe|ParseMongo\w*"
)
_NO_TEXT = LazyPattern(
    r"^(readonly\s+)?(number|boolean|bigint|Date|ObjectId|Types\.ObjectId|Buffer|Uint8Array|null|undefined|void|never|"
    r"\d+|['\"][^'\"]*['\"]|[|&\s\[\]()?])+$|^(Array<)?(number|boolean)\b"
)
_TEXT_TYPE = LazyPattern(
    r"^(readonly\s+)?(string|\|\s*string)(\s*\|\s*(null|undefined|string|number))*(\[\])*$|^Array<string>$|^FormData$|^[\w.]*File$|^URLSearchParams$"
)
_LOOSE_TYPE = LazyPattern(r"^(any|unknown|object|Record<.*>|Partial<.*>|\{.*\})(\[\])?$", 16)
_NO_REQUEST_OBJECT = RequestObject()
_TO_EXPORT = 4
"""Number of nodes from a function to its export."""
_DIRECTIVE_LENGTH = 40
_MAX_DIRECTIVE_BYTES = 4 * _DIRECTIVE_LENGTH
_SERVER = LazyPattern(r"^\s*(['\"])use server\1")
_SOCKET = LazyPattern(r"(?i)(^|\.)(socket|ws|client|conn|connection|sock|peer|webSocket)$")
_SOCKET_EVENTS = LazyPattern(
    r"^(error|close|open|connect|connection|disconnect|disconnecting|ping|pong|end|timeout|drain|finish|listening|ready)$"
)


def declared_type(module: ScriptModule, parameter: Node) -> str:
    """Return the type of a parameter verbatim; empty if none is."""
    node = parameter.child_by_field_name("type")
    return module.of(node)[1:].strip() if node is not None else ""


def is_text(kind: str) -> bool:
    """Return True if a value of a declared type can hold text of the sender's choice."""
    return not kind or _NO_TEXT.search(kind) is None


def request_kind(module: ScriptModule, name: str, kind: str) -> str:
    """The kind of request object of a parameter: ``request``, ``context``, ``event``, ``form`` or empty."""
    if kind == "FormData":
        return "form"
    is_untyped = kind in {"", "any", "unknown"}
    if _EVENT_NAME.search(name) and (is_untyped or "Event" in kind):
        return "event"
    return _untyped_request_kind(module, name) if is_untyped else _typed_request_kind(name, kind)


def _untyped_request_kind(module: ScriptModule, name: str) -> str:
    if _REQUEST_NAME.search(name):
        return "request"
    return "context" if name in {"ctx", "context"} and _KOA.search(module.text) else ""


def _typed_request_kind(name: str, kind: str) -> str:
    if _REQUEST_TYPE.search(kind) and not _NO_REQUEST.search(kind):
        return "request"
    return "context" if _CONTEXT_TYPE.search(kind) and name in {"ctx", "c", "context"} else ""


def part(kind: str, name: str) -> Taint | None:
    """Return the value of a property of a request object; None where it is not tainted."""
    sources = catalogue()
    known = sources.request_object(kind) or _NO_REQUEST_OBJECT
    if name in known.text_properties:
        return TAINTED_TEXT
    is_chosen = kind == LAMBDA_EVENT and name not in sources.service_properties
    return TAINTED if is_chosen or name in known.properties else None


def is_lambda_handler(module: ScriptModule, function: Node) -> bool:
    """Return True if a function is exported under the name that AWS Lambda calls by default."""
    holder = function.parent
    if holder is None:
        return False
    if holder.type == "assignment_expression":
        name = field_text(module, holder, "left")
        return "exports" in name and _HANDLER.search(name) is not None
    named = holder if holder.type == "variable_declarator" else function
    return _HANDLER.search(field_text(module, named, "name")) is not None and is_exported(function)


def request_call(kind: str, method: str) -> Taint | None:
    """Return the result of a method of a request object; None where it is not tainted."""
    found = catalogue().request_object(kind)
    if found is None or method not in found.methods | found.text_methods:
        return None
    return TAINTED if method in found.methods else TAINTED_TEXT


def h3_call(name: str) -> Taint | None:
    """Return the result of a function of h3; None where it is not tainted."""
    last = name.rpartition(".")[2]
    if last in catalogue().h3_text_functions:
        return TAINTED_TEXT
    return TAINTED if last in catalogue().h3_functions else None


def parameter_taint(module: ScriptModule, parameter: Node) -> Taint | None:
    """Return the value of a parameter with a decorator of NestJS or its like; None if there is none."""
    decorators = (module.of(part) for part in parameter.children if part.type == "decorator")
    decorator = next(filter(_DECORATED.search, decorators), None)
    if decorator is None:
        return None
    kind = declared_type(module, parameter)
    if _PIPED.search(decorator) or not is_text(kind):
        return CLEAN
    if decorator.startswith(("@Req", "@Ctx")):
        return None
    if decorator.startswith(("@Param", "@Headers", "@HeaderParam", "@Cookie")):
        return TAINTED_TEXT
    return _decorated_input(decorator, kind)


def _decorated_input(decorator: str, kind: str) -> Taint:
    """Return the value of a query, a body or another input of a declared type."""
    if not kind or _LOOSE_TYPE.search(kind):
        return TAINTED
    if _TEXT_TYPE.search(kind):
        is_query = decorator.startswith(("@Query", "@Body"))
        return {REQUEST: TEXT | (SinkKind.NOSQL if is_query else SinkKind(0))}
    return TAINTED_TEXT


def is_marked_as_action(module: ScriptModule, function: Node) -> bool:
    """Return True for a function that begins with ``"use server"``."""
    body = child(function, "body")
    if not is_kind(body, "statement_block"):
        return False
    start = module.between(body.start_byte, min(body.end_byte, body.start_byte + _MAX_DIRECTIVE_BYTES))
    return _SERVER.search(start[1:_DIRECTIVE_LENGTH]) is not None


def is_server_module(module: ScriptModule) -> bool:
    """Return True for a module that begins with ``"use server"``: its exports are server actions."""
    return _SERVER.search(module.text[:400].lstrip()) is not None


def is_exported(function: Node) -> bool:
    near = islice(ancestors(function), _TO_EXPORT)
    return any(around.type == "export_statement" for around in near)


def action_parameter(kind: str) -> Taint:
    """Return the value of a parameter of a server action."""
    if not is_text(kind):
        return CLEAN
    return TAINTED_TEXT if kind in {"string", "FormData"} else TAINTED


def route_parameters(module: ScriptModule, function: Node, name: str) -> Iterator[tuple[str, Taint]]:
    """Yield the names that Next.js fills: ``params`` and ``searchParams`` of routes and pages."""
    if not _is_route(module, name) or not is_exported(function):
        return
    yield "params", TAINTED_TEXT
    yield "searchParams", TAINTED_TEXT
    if name == "getServerSideProps":
        yield "query", TAINTED_TEXT


def _is_route(module: ScriptModule, name: str) -> bool:
    """Return True for a name of a handler, and in a module that Next.js loads for a path."""
    if name in catalogue().http_methods or name in catalogue().route_functions:
        return True
    return module.path.rpartition("/")[2].startswith(("page.", "layout.", "route."))


def is_socket_message(receiver: str, event: str) -> bool:
    """Return True if ``receiver.on(event, ...)`` receives messages of clients."""
    return _SOCKET.search(receiver) is not None and _SOCKET_EVENTS.search(event) is None


COMMAND_ARGUMENTS: Taint = {ARGUMENTS: SinkKind.SHELL | SinkKind.CODE | SinkKind.SQL}
MESSAGE: Taint = {REQUEST: INCOMING}
PAGE_MESSAGE: Taint = {REQUEST: SinkKind.SHELL | SinkKind.CODE}
"""A message of a page to the main process of a desktop program, whose scripts are usually its own."""
VALIDATES = LazyPattern(r"(?i)\bschema\b|valid|celebrate|zod|joi|typebox|\bdto\b")
"""Text of an argument next to a handler that applies a schema."""
