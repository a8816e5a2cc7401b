"""Sinks: arguments of calls, by the catalogue and by further conditions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from wardround.languages.python.module import PythonModule, last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround_python.dataflow.commands import commands
from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.page_sinks import _PAGES, headers_in, is_typed, pages
from wardround_python.dataflow.regex_dos import is_slow_regex
from wardround_python.dataflow.sink_catalogue import FUNCTIONS, METHODS, Reached, Sink, each_argument
from wardround_python.syntax.calls import keyword_values

_URL = Sink(SinkKind.URL, keywords=("url",))
_SECOND_URL = Sink(SinkKind.URL, 1, 1, keywords=("url",))
_QUERY_METHODS = frozenset({"raw", "extra"})
"""Methods of Django's managers; the other methods that accept SQL are those of database drivers."""
_FETCH_ROW = frozenset({"fetch", "fetchrow", "fetchval", "fetch_all", "fetch_one", "fetch_val"})
_DATABASE = LazyPattern(r"(?i)(^|[._])(db|database|conn|connection|pool|cursor|cur|pg|session|engine)$")
_PATH_METHODS = frozenset(
    {"read_text", "read_bytes", "write_text", "write_bytes", "unlink", "rmdir", "iterdir", "open", "rename",
     "replace", "mkdir", "touch"}
)  # fmt: skip
_CLIENTS = frozenset(
    {"httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession", "requests.Session", "requests.session",
     "urllib3.PoolManager", "aiohttp.client.ClientSession", "urllib3.ProxyManager",
     "cloudscraper.create_scraper",
     "curl_cffi.requests.Session"}
)  # fmt: skip
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_LDAP_MAKERS = frozenset({"ldap3.Connection"})
_TREE_LOOKS = frozenset({"find", "findall", "findtext", "iterfind"})
_RESPONSES = frozenset(
    {"flask.Response", "flask.make_response", "starlette.responses.Response", "fastapi.Response",
     "fastapi.responses.Response", "aiohttp.web.Response", "sanic.response.HTTPResponse"}
)  # fmt: skip
_MATCHES = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})
_DRIVERS = LazyPattern(r"(^|\.)(webdriver|uc|undetected_chromedriver)\.(\w+\.)?\w+$")
_FETCHERS = LazyPattern(r"(^|\.)httpclient\.(Async|Curl\w*)?HTTPClient$")
_REGEX_LOOKUPS = ("__regex", "__iregex")
_LOADERS = {"get": _DRIVERS, "fetch": _FETCHERS}
_SAVES = frozenset({"save"})
_LDAP_SEARCHES = frozenset({"search_s", "search_st", "search_ext", "search_ext_s"})
_XPATH_MAKERS = frozenset({"lxml.etree.XPathEvaluator", "lxml.etree.XPathDocumentEvaluator"})
_TEMPLATES = LazyPattern(r"(?i)env|jinja|template|engine")
_SAFE_LOADERS = LazyPattern(r"(^|\.)(C?SafeLoader|BaseLoader|C?BaseLoader)$")
_DJANGO_PAGE = LazyPattern(
    r"\bhttp\.(response\.)?HttpResponse(NotFound|BadRequest|Forbidden|ServerError|Gone)?$"
)


def sinks_of_call(
    module: PythonModule, call: ast.Call, makers: Collection[str], slow: Collection[str]
) -> Reached:
    """Yield the arguments of a call that are sinks, each with its kind.

    Args:
        makers: the functions that created the receiver.
        slow: the names of slow patterns.
    """
    name = module.qualified_name(call.func) or ""
    yield from _catalogued_sinks(call, name)
    yield from each_argument(SinkKind.SHELL, commands(module, call, name))
    yield from each_argument(SinkKind.CODE, _dynamic_callee_names(call.func))
    yield from each_argument(SinkKind.REDIRECT, _addresses(module, call, name))
    if isinstance(call.func, ast.Name) and not _XPATH_MAKERS.isdisjoint(makers):
        yield from each_argument(SinkKind.XPATH, call.args[:1])
    yield from _keyword_sinks(call)
    yield from _documents(call, name)
    yield from _slow_matches(call, name, slow)
    if isinstance(call.func, ast.Attribute):
        yield from _methods(module, call, call.func, makers)


def _catalogued_sinks(call: ast.Call, name: str) -> Reached:
    """Yield the sinks of a function of the catalogue."""
    sink = FUNCTIONS.get(name)
    if sink is not None and (sink.kind is not SinkKind.HTML or not is_typed(call)):
        yield from each_argument(sink.kind, sink.arguments(call))


def _keyword_sinks(call: ast.Call) -> Reached:
    """Yield the keywords that are sinks of any function: ``name__regex``, ``twiml``."""
    patterns = (k.value for k in call.keywords if k.arg is not None and k.arg.endswith(_REGEX_LOOKUPS))
    yield from each_argument(SinkKind.PATTERN, patterns)
    yield from each_argument(SinkKind.HTML, keyword_values(call, "twiml"))


def _documents(call: ast.Call, name: str) -> Reached:
    """Yield the YAML documents a call loads without a safe loader, and the pages it creates."""
    if name in {"yaml.load", "yaml.load_all"} and not _has_safe_loader(call):
        yield from ((SinkKind.OBJECTS, argument) for argument in call.args[:1])
    elif _DJANGO_PAGE.search(name) and not is_typed(call):
        content = Sink(SinkKind.HTML, keywords=("content",))
        yield from ((SinkKind.HTML, argument) for argument in content.arguments(call))
    elif name in _RESPONSES or name in _PAGES:
        yield from pages(call, name)


def _slow_matches(call: ast.Call, name: str, slow: Collection[str]) -> Reached:
    """Yield the strings that a call matches with a pattern of exponential time."""
    if name.startswith("re.") and len(call.args) > 1 and _is_slow(call.args[0], slow):
        is_substitution = name in {"re.sub", "re.subn"} and len(call.args) > 2
        yield SinkKind.BACKTRACK, call.args[2 if is_substitution else 1]
    match call.func:
        case ast.Attribute(value=ast.Name(id=pattern), attr=method) if pattern in slow and method in _MATCHES:
            yield from each_argument(SinkKind.BACKTRACK, call.args[-1:])


def _addresses(module: PythonModule, call: ast.Call, name: str) -> Iterator[ast.expr]:
    """Yield the addresses of redirects in the headers of a response."""
    if not name.endswith(("Response", "make_response")):
        return
    for argument in (*call.args[1:], *(k.value for k in call.keywords if k.arg == "headers")):
        yield from (value for header, value in headers_in(argument) if header == "location")


def session_values(call: ast.Call) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the keys and values a call stores in the session: ``session.update(role=value)``."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in {"setdefault", "__setitem__", "update"}:
        return
    if not unparse(func.value).endswith("session"):
        return
    if func.attr == "update":
        yield from _updated_values(call)
    elif len(call.args) == 2:
        yield call.args[0], call.args[1]


def _updated_values(call: ast.Call) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the keys and values of ``update({key: value}, key=value)``."""
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield ast.Constant(keyword.arg), keyword.value
    for display in (argument for argument in call.args if isinstance(argument, ast.Dict)):
        for key, value in zip(display.keys, display.values, strict=True):
            if key is not None:
                yield key, value


_FIXED_LETTERS = 3
"""Number of fixed letters by which a name belongs to a family, such as ``do_`` and ``Form``."""


def _dynamic_callee_names(func: ast.expr) -> Iterator[ast.expr]:
    """Yield the name that chooses the callee: ``getattr(handlers, name)()``, ``globals()[name]()``."""
    if isinstance(func, ast.Call) and isinstance(func.func, ast.Name) and func.func.id == "getattr":
        yield from (name for name in func.args[1:2] if not _is_of_family(name))
    elif isinstance(func, ast.Subscript) and unparse(func.value) in {"globals()", "locals()", "vars()"}:
        yield func.slice


def _is_of_family(name: ast.expr) -> bool:
    """Return True if a name has a fixed part, as in ``f"{kind}Form"``, so that it can find few attributes."""
    parts = name.values if isinstance(name, ast.JoinedStr) else []
    if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add):
        parts = [name.left, name.right]
    texts = (part.value for part in parts if isinstance(part, ast.Constant))
    return any(isinstance(text, str) and len(text) >= _FIXED_LETTERS for text in texts)


def _methods(module: PythonModule, call: ast.Call, func: ast.Attribute, makers: Collection[str]) -> Reached:
    """Yield the sinks of a method call: those of the catalogue, and those of the first rule that applies."""
    sink = _catalogued_method(module, func)
    if sink is not None:
        yield from each_argument(sink.kind, sink.arguments(call))
    for rule in (_file_methods, _template_methods, _connection_methods, _ldap_searches):
        sinks = rule(module, call, func, makers)
        if sinks is not None:
            yield from sinks
            return
    if _queries_tree(module, func, makers):
        yield from each_argument(SinkKind.XPATH, call.args[:1])


def _catalogued_method(module: PythonModule, func: ast.Attribute) -> Sink | None:
    """Return the sink of a method, unless it is a driver method and the receiver is not a database."""
    sink = METHODS.get(func.attr)
    if sink is None:
        return None
    is_driver = sink.kind is SinkKind.SQL and func.attr not in _QUERY_METHODS
    return None if is_driver and _is_no_database(module, func.value) else sink


_MethodSinks = list[tuple[SinkKind, ast.expr]] | None
"""The sinks of a method call; None if a rule does not apply to it."""


def _file_methods(
    module: PythonModule, call: ast.Call, func: ast.Attribute, makers: Collection[str]
) -> _MethodSinks:
    """Return the paths of methods of paths, uploads and archives."""
    if func.attr in _PATH_METHODS and (func.attr not in {"replace", "rename"} or len(call.args) == 1):
        return [(SinkKind.PATH, func.value)]
    if func.attr in _SAVES and call.args:
        return [(SinkKind.PATH, call.args[0])]
    if func.attr == "write" and "zipfile.ZipFile" in makers:
        return [(SinkKind.PATH, argument) for argument in call.args[:1]]
    return None


def _template_methods(
    module: PythonModule, call: ast.Call, func: ast.Attribute, makers: Collection[str]
) -> _MethodSinks:
    """Return the templates of ``format`` and ``from_string``."""
    if func.attr in {"format", "format_map"} and any(map(_may_have_attributes, _arguments_of(call))):
        return [(SinkKind.TEMPLATE, func.value)]
    if func.attr == "from_string" and _is_template(func, makers):
        return [(SinkKind.TEMPLATE, argument) for argument in call.args[:1]]
    return None


def _connection_methods(
    module: PythonModule, call: ast.Call, func: ast.Attribute, makers: Collection[str]
) -> _MethodSinks:
    """Return the queries and addresses of methods of databases, sockets and HTTP clients."""
    if func.attr in _FETCH_ROW and _DATABASE.search(unparse(func.value)):
        return [(SinkKind.SQL, argument) for argument in call.args[:1]]
    address = _address(call, func, makers)
    if address is not None:
        return [(SinkKind.URL, argument) for argument in address]
    return None if _CLIENTS.isdisjoint(makers) else _client_requests(call, func)


def _address(call: ast.Call, func: ast.Attribute, makers: Collection[str]) -> Sequence[ast.expr] | None:
    """Return the address that a method of a browser, a transfer or a socket connects to."""
    match func.attr:
        case "get" | "fetch" as method if any(map(_LOADERS[method].search, makers)):
            return list(_URL.arguments(call))
        case "setopt" if len(call.args) == 2 and unparse(call.args[0]).endswith(".URL"):
            return call.args[1:]
        case "connect" if call.args and "socket.socket" in makers:
            address: Sequence[ast.expr] = getattr(call.args[0], "elts", call.args)
            return address[:1]
    return None


def _client_requests(call: ast.Call, func: ast.Attribute) -> _MethodSinks:
    """Return the addresses of methods of HTTP clients."""
    if func.attr in _VERBS:
        return [(_URL.kind, argument) for argument in _URL.arguments(call)]
    if func.attr in {"request", "stream"}:
        return [(SinkKind.URL, argument) for argument in _SECOND_URL.arguments(call)]
    return []


def _ldap_searches(
    module: PythonModule, call: ast.Call, func: ast.Attribute, makers: Collection[str]
) -> _MethodSinks:
    """Return the bases and filters of LDAP searches."""
    if func.attr == "search" and (not _LDAP_MAKERS.isdisjoint(makers) or "ldap3" in module.packages):
        search = Sink(SinkKind.LDAP, 0, 1, ("search_base", "search_filter"))
        return [(SinkKind.LDAP, argument) for argument in search.arguments(call)]
    if func.attr in _LDAP_SEARCHES or (func.attr == "search" and "ldap" in module.packages):
        base, filters = Sink(SinkKind.LDAP, keywords=("base",)), Sink(SinkKind.LDAP, 2, 2, ("filterstr",))
        return [(SinkKind.LDAP, arg) for arg in (*base.arguments(call), *filters.arguments(call))]
    return None


def _arguments_of(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _may_have_attributes(node: ast.expr) -> bool:
    """Return True if a value may have attributes that a format can read: ``{user.password}``."""
    return not isinstance(node, (ast.Constant, ast.JoinedStr, ast.BinOp, ast.Compare))


def _is_no_database(module: PythonModule, on: ast.expr) -> bool:
    """Return True for a client of another service than a database: of GraphQL, or of workers."""
    return last_name(on).lower().endswith("client") and "clickhouse_driver" not in module.packages


def _queries_tree(module: PythonModule, func: ast.Attribute, makers: Collection[str]) -> bool:
    if func.attr in _TREE_LOOKS:
        return not module.packages.isdisjoint({"lxml", "xml"})
    return func.attr == "evaluate" and not _XPATH_MAKERS.isdisjoint(makers)


def _is_template(func: ast.Attribute, makers: Collection[str]) -> bool:
    if any(name.endswith("SandboxedEnvironment") for name in makers):
        return False
    return _TEMPLATES.search(unparse(func.value)) is not None


def _is_slow(pattern: ast.expr, slow: Collection[str]) -> bool:
    if isinstance(pattern, ast.Name):
        return pattern.id in slow
    return (
        isinstance(pattern, ast.Constant) and isinstance(pattern.value, str) and is_slow_regex(pattern.value)
    )


def _has_safe_loader(call: ast.Call) -> bool:
    arguments = [k.value for k in call.keywords if k.arg == "Loader"] or call.args[1:2]
    return bool(arguments) and _SAFE_LOADERS.search(unparse(arguments[0])) is not None
