"""The functions that handle requests, and their parameters that frameworks fill from one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround_python.dataflow.request_objects import REQUEST_NAMES, REQUEST_TYPE, parameters

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
# A model of a request body that another module declares.
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


def accepts_string(annotation: ast.expr | None) -> bool:
    """Return True if a value of the annotated type can hold text."""
    if annotation is None:
        return True
    return _NOT_TEXT.match(unparse(annotation)) is None


def is_upload(annotation: ast.expr | None) -> bool:
    """Return True if FastAPI passes an uploaded file."""
    return annotation is not None and "UploadFile" in unparse(annotation)


def is_route(function: FunctionNode) -> bool:
    """Return True if a decorator makes the function a route."""
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
    """Return True if the decorator of a route declares an HTML response, as FastAPI's may."""
    return any(
        keyword.arg == "response_class" and unparse(keyword.value).endswith("HTMLResponse")
        for route in _routes(function)
        for keyword in route.keywords
    )


def request_parameters(module: PythonModule, function: FunctionNode) -> dict[str, bool]:
    """Map the parameters a framework fills from the request to True if the value may contain text."""
    result: dict[str, bool] = {}
    for route in _routes(function):
        path = str(getattr(route.args[0], "value", ""))
        by_path = {*_PATH_PARAMETER.findall(path), *_SANIC_PARAMETER.findall(path)}
        for item, default in _parameters_and_defaults(function):
            if item.arg in by_path or _is_sent(module, item, default):
                result[item.arg] = accepts_string(item.annotation)
    result.update(_view_parameters(module, function))
    result.update(_login_parameters(module, function))
    if function.name in {"handler", "lambda_handler"}:
        names = [parameter.arg for parameter in parameters(function)]
        if names[:1] == ["event"] and len(names) == 2:
            result["event"] = True
    return result


def _parameters_and_defaults(function: FunctionNode) -> list[tuple[ast.arg, ast.expr | None]]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    return [
        *zip(positional, [*missing, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]


def _is_sent(module: PythonModule, entry: ast.arg, default: ast.expr | None) -> bool:
    """Return True if FastAPI fills the parameter from the request: text, uploads, models declared here."""
    annotation = entry.annotation
    if annotation is None:
        return False
    text = unparse(annotation)
    if _CHOSEN.search(text) or (default is not None and _CHOSEN.search(unparse(default))):
        return _is_filled(module, annotation, default)
    if REQUEST_TYPE.search(text):
        return False
    if _TEXT_TYPE.search(text) is not None or _is_model(_class_of(module, annotation)):
        return True
    return _MODEL_NAME.search(text) is not None and default is None


def _is_filled(module: PythonModule, annotation: ast.expr, default: ast.expr | None) -> bool:
    """Return True if a dependency is a class of this module that FastAPI fills with text of the request.

    It is written ``Depends()`` next to the class, ``Depends(Filters)`` or ``Annotated[Filters, Depends()]``.
    """
    calls = [part for part in (default, *_parts(annotation)[1:]) if isinstance(part, ast.Call)]
    arguments = next((call.args for call in calls if decorator_name(call).endswith("Depends")), None)
    if arguments is None:
        return False
    value = _class_of(module, arguments[0] if arguments else annotation)
    fields = _fields(value) if value is not None else []
    return any(declared is not None and _TEXT_TYPE.search(unparse(declared)) for _, declared in fields)


def _parts(annotation: ast.expr) -> Sequence[ast.expr]:
    """Return the type and the metadata in ``Annotated``; any other annotation unchanged."""
    if isinstance(annotation, ast.Subscript) and last_name(annotation.value) == "Annotated":
        return annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    return [annotation]


def _class_of(module: PythonModule, annotation: ast.expr) -> ast.ClassDef | None:
    """Return the class of this module that an annotation names."""
    named = _parts(annotation)[0]
    classes = module.top_classes.get(named.id, ()) if isinstance(named, ast.Name) else ()
    return classes[0] if classes else None


def _is_model(created: ast.ClassDef | None) -> bool:
    """Return True if a framework fills the class from the body of a request."""
    if created is None:
        return False
    bases = {unparse(base).rpartition(".")[2] for base in created.bases}
    return bool(bases & {"BaseModel", "Schema", "Struct", "SQLModel"}) or _is_dataclass(created)


def _is_dataclass(created: ast.ClassDef) -> bool:
    return any(
        decorator_name(decorator).rpartition(".")[2] == "dataclass" for decorator in created.decorator_list
    )


def _fields(created: ast.ClassDef) -> list[tuple[str, ast.expr | None]]:
    """Return the fields of a class with their annotations."""
    if _is_model(created):
        return [
            (line.target.id, line.annotation)
            for line in created.body
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        ]
    makers = (
        statement
        for statement in created.body
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__"
    )
    return [(parameter.arg, parameter.annotation) for maker in makers for parameter in parameters(maker)[1:]]


def model_fields(module: PythonModule, annotation: ast.expr | None) -> dict[str, bool] | None:
    """Return the fields of a class of this module, True for text; None for any other annotation."""
    value = _class_of(module, annotation) if annotation is not None else None
    return (
        {name: accepts_string(declared) for name, declared in _fields(value)} if value is not None else None
    )


def _view_parameters(module: PythonModule, function: FunctionNode) -> dict[str, bool]:
    """Return the parameters that a URL pattern of Django fills, if the function is a view."""
    declared = parameters(function)
    is_method = bool(declared) and declared[0].arg in {"self", "cls"}
    own = declared[is_method:]
    if not own or not _accepts_request(own):
        return {}
    is_view = _is_view_method(module, function) if is_method else _is_view_function(function)
    filled = own[1:] if is_view else []
    return {item.arg: accepts_string(item.annotation) for item in filled if not ID_NAME.search(item.arg)}


def _accepts_request(parameters: Sequence[ast.arg]) -> bool:
    """Return True if the first parameter is a request; with a type, only if others follow."""
    request = parameters[0]
    return request.arg in REQUEST_NAMES and (request.annotation is None or len(parameters) > 1)


def _is_view_function(function: FunctionNode) -> bool:
    return any(VIEW_DECORATOR.search(decorator_name(decorator)) for decorator in function.decorator_list)


def _is_view_method(module: PythonModule, function: FunctionNode) -> bool:
    holder = module.class_of(function)
    if holder is None or function.name not in _VERBS:
        return False
    return any(_VIEW_BASE.search(unparse(base)) for base in holder.bases)


def _login_parameters(module: PythonModule, function: FunctionNode) -> dict[str, bool]:
    """Return the credentials that Django passes to an authentication backend."""
    cls = module.class_of(function) if function.name == "authenticate" else None
    if cls is None or not any(unparse(base).endswith("Backend") for base in cls.bases):
        return {}
    return {
        parameter.arg: True
        for parameter in parameters(function)
        if parameter.arg not in {"self", "request", "password"}
    }


def is_view_method(module: PythonModule, function: FunctionNode) -> bool:
    """Return True for a method of a class that handles requests, as Django's and Tornado's do."""
    cls = module.class_of(function)
    return cls is not None and any(_VIEW_BASE.search(unparse(base)) for base in cls.bases)


def decorator_name(node: ast.expr) -> str:
    """Return the name of a decorator, without its arguments."""
    return unparse(node.func if isinstance(node, ast.Call) else node)
