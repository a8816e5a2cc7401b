"""Where strangers' data comes in: requests of the usual frameworks, and members of archives."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.semantics.dataflow.domain import REQUEST
from wardround_python.dataflow.domain import ALL, MODEL, UPLOAD, SinkKind, Taint
from wardround_python.dataflow.request_objects import REQUEST_NAMES, REQUEST_TYPE, is_request, parameters

REQUEST_PARTS = frozenset(
    {
        "args", "form", "values", "json", "data", "cookies", "headers", "files", "view_args",
        "query_string", "GET", "POST", "COOKIES", "FILES", "META", "body", "query_params", "path_params",
        "match_info", "query", "params", "matchdict", "json_body", "forms", "rel_url", "stream", "matches",
        "QUERY_PARAMS", "authorization",
    }
)  # fmt: skip
REQUEST_CALLS = frozenset(
    {"get_json", "get_data", "json", "form", "body", "post", "text", "read", "get_param", "get_media",
     "media",
     "multipart", "bytes"}
)  # fmt: skip
# Tornado's handlers read the request through themselves.
HANDLER_CALLS = frozenset(
    {"get_argument", "get_arguments", "get_query_argument", "get_query_arguments", "get_body_argument",
     "get_body_arguments", "get_cookie"}
)  # fmt: skip
# An address in a record that a user of the site gave.
STORED_ADDRESS = LazyPattern(
    r"(?i)^(webhook|callback|hook|feed|avatar|logo|image|picture|icon|photo|source|import|remote|target|endpoint|"
    r"notify|notification|website|homepage|profile|delivery|ping|subscriber|logo_source|image_source)_?(url|uri)$"
)
PATH_PARTS = frozenset({"path", "full_path", "url", "path_info", "path_qs", "uri"})
"""What leads to the page that is asked for."""
SENDER_PARTS = frozenset({"referrer", "user_agent"})
"""What the browser says of itself and of the page before: some of it leads back there."""
HOST_PARTS = frozenset({"host", "host_url", "url_root", "base_url", "hostname"})
HOST_CALLS = frozenset({"get_host", "build_absolute_uri", "url_for", "full_url"})
"""Parts of a request, and calls on one, that name the server as the sender calls it."""
HOST_HEADERS = frozenset({"host", "http_host", "x-forwarded-host", "http_x_forwarded_host", "forwarded"})
ARCHIVE_CALLS = frozenset({"infolist", "namelist", "getmembers", "getnames", "getinfo", "getmember"})
ARCHIVES = frozenset(
    {
        "rarfile.RarFile",
        "py7zr.SevenZipFile",
        "zipfile.ZipFile",
        "tarfile.open",
        "tarfile.TarFile",
        "tarfile.TarFile.open",
    }
)
VALIDATED = frozenset({"cleaned_data", "validated_data"})

FROM_REQUEST: Taint = {REQUEST: ALL}
FROM_HOST: Taint = {REQUEST: SinkKind.HOST}
FROM_PATH: Taint = {
    REQUEST: SinkKind.HTML
    | SinkKind.TEMPLATE
    | SinkKind.SHELL
    | SinkKind.CODE
    | SinkKind.SQL
    | SinkKind.LDAP
    | SinkKind.XPATH
}
FROM_SENDER: Taint = {REQUEST: ALL & ~(SinkKind.REDIRECT | SinkKind.URL | SinkKind.FIELDS | SinkKind.LOG)}
FROM_UPLOAD: Taint = {
    UPLOAD: SinkKind.OBJECTS | SinkKind.CODE | SinkKind.TEMPLATE | SinkKind.SQL | SinkKind.SHELL
}
FROM_MODEL: Taint = {
    MODEL: SinkKind.SQL | SinkKind.SHELL | SinkKind.CODE | SinkKind.TEMPLATE | SinkKind.OBJECTS
}

_ROUTE_VERBS = frozenset(
    {
        "route",
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "head",
        "websocket",
        "api_route",
        "websocket_route",
    }
)
_PATH_PARAMETER = LazyPattern(r"<(?:(?:string|path|any\([^)]*\)|str)(?:\([^)]*\))?:)?(\w+)>")
_SANIC_PARAMETER = LazyPattern(r"<(\w+):(?:str|string|path|strorempty|slug|alpha|re:[^>]*)>")
_TEXT_TYPE = LazyPattern(r"(^|[\[|, .])(str|bytes|Any|object|dict|list|Dict|List|UploadFile)\b")
_NOT_TEXT = LazyPattern(
    r"^(typing\.)?(Optional\[)?(int|float|bool|complex|Decimal|decimal\.Decimal|UUID4?|uuid\.UUID|date|datetime|"
    r"datetime\.\w+|timedelta|Literal\[.*|PositiveInt|conint.*|EmailStr|IPv\w+|None|ObjectId|PyObjectId)"
    r"(\])?( *\| *None)?$"
)
# A model of the body that another module declares.
_MODEL_NAME = LazyPattern(
    r"(?<=[a-z])(In|Input|Payload|Create|Update|Patch|Body|Form|Schema|Params|DTO|Dto)$"
)
_CHOSEN = LazyPattern(r"\b(Depends|Security|BackgroundTasks|SecurityScopes)\b")
VIEW_DECORATOR = LazyPattern(
    r"(^|\.)(login_required|require_\w+|api_view|csrf_exempt|permission_\w+|staff_member_required|"
    r"user_passes_test|never_cache|cache_page|view_config|authentication_classes)$"
)
ID_NAME = LazyPattern(r"(^|_)(id|pk|uuid|slug|number|year|month|day|page)$")
_VIEW_BASE = LazyPattern(r"View(Set)?$|Mixin$|Resource$|Handler$")
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "dispatch"})


def is_text(annotation: ast.expr | None) -> bool:
    """Whether what is declared to be this can hold text of the sender's choice."""
    if annotation is None:
        return True
    return _NOT_TEXT.match(ast.unparse(annotation)) is None


def is_upload(annotation: ast.expr | None) -> bool:
    """Whether FastAPI hands the parameter a file that was sent."""
    return annotation is not None and "UploadFile" in ast.unparse(annotation)


_MODEL_LIBRARIES = frozenset(
    {"openai", "anthropic", "litellm", "langchain", "langchain_openai", "langchain_core",
     "langchain_anthropic",
     "langchain_community", "mistralai", "cohere", "ollama", "groq", "google", "together",
     "langchain_experimental"}
)  # fmt: skip
_MODEL_TEXT = LazyPattern(
    r"(\.choices\[\d\]\.message|\.message)\.content$|\.output_text$|\.content\[\d\]\.text$|\.function\.(name|arguments)$|"
    r"\.(invoke|predict|generate|generate_content)\(.*\)\.(content|text)$|"
    r"\['choices'\]\[\d\]\['message'\]\['content'\]$"
)


def is_model_text(module: PythonModule, node: ast.Attribute | ast.Subscript) -> bool:
    """Whether an expression is what a language model fold_function."""
    name = node.attr if isinstance(node, ast.Attribute) else "content"
    if name not in {"content", "text", "output_text", "name", "arguments"}:
        return False
    return (
        not module.packages.isdisjoint(_MODEL_LIBRARIES) and _MODEL_TEXT.search(ast.unparse(node)) is not None
    )


def is_route(function: FunctionNode) -> bool:
    """Whether a decorator makes the function answer requests for a path."""
    return any(True for _ in _routes(function))


def _routes(function: FunctionNode) -> Iterator[ast.Call]:
    for decorator in function.decorator_list:
        if (
            isinstance(decorator, ast.Call)
            and decorator_name(decorator).rpartition(".")[2] in _ROUTE_VERBS
            and decorator.args
            and isinstance(decorator.args[0], ast.Constant)
            and isinstance(decorator.args[0].value, str)
            and (decorator.args[0].value[:1] in {"/", ""})
        ):
            yield decorator


def returns_page(function: FunctionNode) -> bool:
    """Whether the decorator of a route says that what the function gives is a page, as FastAPI's may."""
    return any(
        keyword.arg == "response_class" and ast.unparse(keyword.value).endswith("HTMLResponse")
        for route in _routes(function)
        for keyword in route.keywords
    )


def request_parameters(module: PythonModule, function: FunctionNode) -> dict[str, bool]:
    """The parameters a framework fills from the request; True where the value is text or may hold some."""
    found: dict[str, bool] = {}
    for route in _routes(function):
        path = str(getattr(route.args[0], "value", ""))
        by_path = {*_PATH_PARAMETER.findall(path), *_SANIC_PARAMETER.findall(path)}
        for one, default in _with_defaults(function):
            if one.arg in by_path or _is_sent(module, one, default):
                found[one.arg] = is_text(one.annotation)
    found.update(_view_parameters(module, function))
    found.update(_login_parameters(module, function))
    if function.name in {"handler", "lambda_handler"}:
        names = [one.arg for one in parameters(function)]
        if names[:1] == ["event"] and len(names) == 2:
            found["event"] = True
    return found


def _with_defaults(function: FunctionNode) -> list[tuple[ast.arg, ast.expr | None]]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    return [
        *zip(positional, [*missing, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]


def _is_sent(module: PythonModule, one: ast.arg, default: ast.expr | None) -> bool:
    """Whether FastAPI fills the parameter from the request: text, uploads, and models declared here."""
    annotation = one.annotation
    if annotation is None:
        return False
    text = ast.unparse(annotation)
    if _CHOSEN.search(text) or (default is not None and _CHOSEN.search(ast.unparse(default))):
        return _is_filled(module, annotation, default)
    if REQUEST_TYPE.search(text):
        return False
    if _TEXT_TYPE.search(text) is not None or _is_model(_class_of(module, annotation)):
        return True
    return _MODEL_NAME.search(text) is not None and default is None


def _is_filled(module: PythonModule, annotation: ast.expr, default: ast.expr | None) -> bool:
    """Whether a dependency is a class of this module that FastAPI fills with text of the request.

    It is written ``Depends()`` beside the class, ``Depends(Filters)`` or ``Annotated[Filters, Depends()]``.
    """
    calls = [one for one in (default, *_parts(annotation)[1:]) if isinstance(one, ast.Call)]
    given = next((call.args for call in calls if decorator_name(call).endswith("Depends")), None)
    if given is None:
        return False
    made = _class_of(module, given[0] if given else annotation)
    fields = _fields(made) if made is not None else []
    return any(declared is not None and _TEXT_TYPE.search(ast.unparse(declared)) for _, declared in fields)


def _parts(annotation: ast.expr) -> Sequence[ast.expr]:
    """What ``Annotated`` holds: a type, and what is forwarded_sinks of it; of any other annotation, itself."""
    if isinstance(annotation, ast.Subscript) and last_name(annotation.value) == "Annotated":
        return annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    return [annotation]


def _class_of(module: PythonModule, annotation: ast.expr) -> ast.ClassDef | None:
    """The class of this module that an annotation names."""
    named = _parts(annotation)[0]
    classes = module.top_classes.get(named.id, ()) if isinstance(named, ast.Name) else ()
    return classes[0] if classes else None


def _is_model(made: ast.ClassDef | None) -> bool:
    """Whether a class is one that a framework fills from the body of a request."""
    if made is None:
        return False
    bases = {ast.unparse(base).rpartition(".")[2] for base in made.bases}
    return bool(bases & {"BaseModel", "Schema", "Struct", "SQLModel"}) or _is_dataclass(made)


def _is_dataclass(made: ast.ClassDef) -> bool:
    return any(decorator_name(one).rpartition(".")[2] == "dataclass" for one in made.decorator_list)


def _fields(made: ast.ClassDef) -> list[tuple[str, ast.expr | None]]:
    """What an object of a class is made with, and of what type each is declared to be."""
    if _is_model(made):
        return [
            (line.target.id, line.annotation)
            for line in made.body
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        ]
    makers = (one for one in made.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    return [(one.arg, one.annotation) for maker in makers for one in parameters(maker)[1:]]


def model_fields(module: PythonModule, annotation: ast.expr | None) -> dict[str, bool] | None:
    """What an object of a class of this module is made with, True for text; None if it is no such class."""
    made = _class_of(module, annotation) if annotation is not None else None
    return {name: is_text(declared) for name, declared in _fields(made)} if made is not None else None


def _view_parameters(module: PythonModule, function: FunctionNode) -> dict[str, bool]:
    """What a URL pattern of Django's hands to a view, where it can be told that it is one."""
    declared = parameters(function)
    own = declared[1:] if declared and declared[0].arg in {"self", "cls"} else declared
    if not own or own[0].arg not in REQUEST_NAMES or (own[0].annotation is not None and len(own) < 2):
        return {}
    if own is declared:
        if not any(VIEW_DECORATOR.search(decorator_name(one)) for one in function.decorator_list):
            return {}
    else:
        cls = module.class_of(function)
        bases = [ast.unparse(base) for base in cls.bases] if cls else []
        if function.name not in _VERBS or not any(_VIEW_BASE.search(base) for base in bases):
            return {}
    return {one.arg: is_text(one.annotation) for one in own[1:] if not ID_NAME.search(one.arg)}


def _login_parameters(module: PythonModule, function: FunctionNode) -> dict[str, bool]:
    """The credentials that Django hands to an authentication backend."""
    cls = module.class_of(function) if function.name == "authenticate" else None
    if cls is None or not any(ast.unparse(base).endswith("Backend") for base in cls.bases):
        return {}
    return {one.arg: True for one in parameters(function) if one.arg not in {"self", "request", "password"}}


def is_view_method(module: PythonModule, function: FunctionNode) -> bool:
    """Whether a method is one of a class that answers requests, as Django's and Tornado's do."""
    cls = module.class_of(function)
    return cls is not None and any(_VIEW_BASE.search(ast.unparse(base)) for base in cls.bases)


_RAW_PARTS = frozenset({"self.path", "self.headers", "self.rfile"})


def is_raw_request(module: PythonModule, key: str | None, function: FunctionNode | None) -> bool:
    """Whether an attribute is a part of the request that the standard library's HTTP server hands over."""
    if key not in _RAW_PARTS or function is None:
        return False
    cls = module.class_of(function)
    return cls is not None and any(ast.unparse(base).endswith("HTTPRequestHandler") for base in cls.bases)


_SENT_KEYS = LazyPattern(r"^(HTTP_\w+|QUERY_STRING|PATH_INFO|REQUEST_URI|RAW_URI|wsgi\.input)$")


def is_sent_key(module: PythonModule, on: ast.expr, key: ast.expr, function: FunctionNode | None) -> bool:
    """Whether an entry of what a WSGI server hands over holds what the sender wrote."""
    if not isinstance(key, ast.Constant) or not _SENT_KEYS.match(str(key.value)):
        return False
    if isinstance(on, ast.Attribute):
        return on.attr == "environ" and is_request(module, on.value, function)
    names = [one.arg for one in parameters(function)] if function is not None else []
    return isinstance(on, ast.Name) and on.id in names and {"start_response", on.id} <= {*names[-2:]}


def decorator_name(node: ast.expr) -> str:
    """What a decorator is called, without its arguments."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)
