"""What takes a kind away: functions that escape or convert, and tests that look at a value."""

from __future__ import annotations

import ast

from wardround.checks.lazy import LazyPattern
from wardround_python.dataflow.domain import CLEAN, SinkKind, Taint, encoded

_PAGES = SinkKind.HTML | SinkKind.PAGE | SinkKind.SCRIPT
# Last part of a function's name -> the dangers that are gone from what it gives. Functions not named here or
# in PROPAGATING are taken to give something of their own.
SANITIZERS: dict[str, SinkKind] = {
    "quote": _PAGES | SinkKind.SHELL | SinkKind.PATH | SinkKind.URL | SinkKind.REDIRECT,
    "quote_plus": _PAGES | SinkKind.SHELL | SinkKind.PATH | SinkKind.URL | SinkKind.REDIRECT,
    "escape": _PAGES | SinkKind.PATTERN | SinkKind.BACKTRACK,
    "basename": SinkKind.PATH,
    "dumps": SinkKind.HTML | SinkKind.PAGE | SinkKind.FIELDS | SinkKind.LOG,
}
PROPAGATING = frozenset(
    {
        "str", "bytes", "bytearray", "repr", "ascii", "list", "tuple", "set", "frozenset", "sorted",
        "reversed", "dict", "next", "iter", "min", "max", "zip", "enumerate", "filter", "cast", "format",
        "copy.copy", "copy.deepcopy", "json.loads", "json.load", "json.dumps", "orjson.loads",
        "ujson.loads", "os.path.join", "os.path.normpath", "os.path.abspath", "os.path.realpath",
        "os.path.expanduser", "os.path.expandvars", "os.path.splitext", "os.path.split", "os.path.dirname",
        "posixpath.join", "os.fspath", "os.fsdecode", "pathlib.Path", "pathlib.PurePath",
        "pathlib.PurePosixPath", "anyio.Path", "base64.b64decode", "base64.urlsafe_b64decode",
        "base64.standard_b64decode", "base64.b32decode", "bytes.fromhex", "binascii.unhexlify",
        "zlib.decompress", "gzip.decompress", "urllib.parse.unquote", "urllib.parse.unquote_plus",
        "urllib.parse.urljoin", "urllib.request.Request", "io.BytesIO", "io.StringIO", "textwrap.dedent",
        "string.Template", "typing.cast", "sqlalchemy.text", "sqlalchemy.sql.text", "compile",
        "shlex.split", "re.sub", "itertools.chain", "collections.OrderedDict", "codecs.decode",
        "urllib.parse.parse_qs", "urllib.parse.parse_qsl", "html.unescape", "unicodedata.normalize",
        "csv.reader", "csv.DictReader", "struct.pack", "struct.unpack", "memoryview", "heapq.heappop",
        "collections.deque", "collections.ChainMap", "itertools.chain.from_iterable", "functools.reduce",
        "textwrap.fill", "textwrap.shorten", "string.capwords", "codecs.encode", "types.SimpleNamespace",
        "os.path.basename", "django.utils.encoding.force_str", "django.utils.encoding.smart_str",
    }
)  # fmt: skip
"""Functions that hand their arguments on."""

MATCHING = frozenset({"re.match", "re.search", "re.fullmatch", "re.findall", "re.finditer", "re.split"})
"""Functions that give what a pattern found, or what stands between."""

ENCODING = frozenset(
    {
        "base64.b64encode", "base64.urlsafe_b64encode", "base64.standard_b64encode", "base64.b32encode",
        "base64.b16encode", "base64.b85encode", "base64.a85encode", "base64.encodebytes", "binascii.hexlify",
        "binascii.b2a_base64", "binascii.b2a_hex", "zlib.compress", "gzip.compress", "bz2.compress",
        "pickle.dumps", "marshal.dumps",
    }
)  # fmt: skip
"""Functions whose answer does no harm until it is decoded."""

DECODING = frozenset(
    {
        "base64.b64decode", "base64.urlsafe_b64decode", "base64.standard_b64decode", "base64.b32decode",
        "base64.b16decode", "base64.b85decode", "base64.a85decode", "base64.decodebytes",
        "binascii.unhexlify", "binascii.a2b_base64", "binascii.a2b_hex", "bytes.fromhex", "bytearray.fromhex",
        "zlib.decompress", "gzip.decompress", "bz2.decompress", "codecs.decode", "html.unescape",
        "urllib.parse.unquote", "urllib.parse.unquote_plus", "urllib.parse.unquote_to_bytes",
        "pickle.loads", "marshal.loads",
    }
)  # fmt: skip
"""Functions that give back what was encoded, or hand on what never was."""

_UNDONE = frozenset({"urllib.parse.quote", "urllib.parse.quote_plus", "html.escape"})
"""Functions whose work one of DECODING undoes."""


def undone_later(name: str, value: Taint) -> Taint:
    """What is left of a value behind its escaping, for whoever takes that off again."""
    return encoded(value) if name in _UNDONE else CLEAN


ONE_LINE = frozenset({"repr", "ascii", "re.sub", "urllib.parse.quote", "urllib.parse.urlencode"})
"""Of those, the ones whose answer stands on one line, or was cut to size by a pattern."""

PROPAGATING_METHODS = frozenset(
    {
        "get", "getlist", "get_list", "getall", "getone", "pop", "popitem", "setdefault", "copy", "dict",
        "lists", "result", "group", "groups", "groupdict",
        "to_dict", "items", "values", "keys", "strip", "lstrip", "rstrip", "lower", "upper", "title",
        "casefold", "capitalize", "encode", "decode", "split", "rsplit", "splitlines", "partition",
        "rpartition", "replace", "removeprefix", "removesuffix", "format", "format_map", "join", "zfill",
        "ljust", "rjust", "center", "expandtabs", "read", "readline", "readlines", "getvalue", "resolve",
        "absolute", "expanduser", "joinpath", "with_suffix", "with_name", "as_posix", "relative_to",
        "model_dump", "json", "body", "form", "read_text", "union", "__str__", "chunks", "stream", "first",
        "substitute", "safe_substitute", "translate", "swapcase", "get_nowait", "getbuffer", "tobytes",
    }
)  # fmt: skip
"""Methods that give a part of what they are called on, or a changed copy."""

ARGUMENT_METHODS = frozenset(
    {"format", "join", "replace", "joinpath", "get", "pop", "setdefault", "substitute", "safe_substitute",
     "with_name", "format_map", "union"}
)  # fmt: skip
"""Of those, the ones whose arguments become a part of the answer."""

STORING_METHODS = frozenset(
    {"append", "extend", "add", "insert", "update", "appendleft", "setdefault", "write", "writelines", "put",
     "put_nowait", "extendleft", "push", "set"}
)  # fmt: skip
"""Methods that put their arguments into what they are called on."""

_LINE_ENDS = frozenset({"\n", "\r", "\r\n"})


def sanitized_by_method(call: ast.Call, func: ast.Attribute) -> SinkKind:
    """What a method takes from the text it is called on."""
    if func.attr in {"encode", "splitlines", "model_dump"}:
        return SinkKind.FIELDS if func.attr == "model_dump" else SinkKind.LOG
    if func.attr == "dict" and not isinstance(func.value, ast.Attribute):
        return SinkKind.FIELDS
    if func.attr == "replace" and call.args and isinstance(call.args[0], ast.Constant):
        text = str(call.args[0].value)
        if text == "'":
            return SinkKind.XPATH
        return SinkKind.LOG if text in _LINE_ENDS else SinkKind.SCRIPT if text[:1] == "<" else SinkKind(0)
    return SinkKind(0)


_ALL_BUT = LazyPattern(r"\[\^((?:[^\]\\]|\\[wd.-])+)\][+*]?")


def sanitized_by_pattern(call: ast.Call, name: str) -> SinkKind:
    """What ``re.sub`` takes from a text of which it replaces everything but harmless characters."""
    first = call.args[0] if call.args else None
    pattern = first.value if name == "re.sub" and isinstance(first, ast.Constant) else None
    kept = _ALL_BUT.fullmatch(pattern) if isinstance(pattern, str) else None
    other = call.args[1].value if len(call.args) > 1 and isinstance(call.args[1], ast.Constant) else "/"
    if kept is None or not set(kept[1] + str(other)).isdisjoint("/:'\"<>;&|$`"):
        return SinkKind(0)
    return SinkKind.PATH | SinkKind.REDIRECT | SinkKind.URL | SinkKind.SHELL | SinkKind.XPATH | _PAGES


CLEAN_ATTRIBUTES = frozenset(
    {
        "content_type", "size", "user", "method", "status_code", "charset", "mimetype", "scheme",
        "session", "id", "pk",
    }
)  # fmt: skip

GUARDS = LazyPattern(
    r"(?i)(^|_)(is|has|in|allow(ed|s)?|valid(ate|ated|ator)?|safe|check(ed|s)?|verif(y|ied)|ensure|assert|"
    r"require[sd]?|guard|permit(ted)?|match(es)?|fullmatch|contains|exists_in|reject|deny|refuse|forbid|restrict|"
    r"whitelist(ed)?|sanitiz?s?e|clean)(_|$)|^(is|has|allow|valid|check|verif|ensure|assert|guard|reject)[A-Z]"
)
"""Functions that say by their name that they look whether a value will do."""

CONVERTING = frozenset(
    {"int", "float", "complex", "bool", "Decimal", "UUID", "ip_address", "ip_network", "date", "datetime",
     "fromisoformat", "strptime", "Enum", "literal_eval"}
)  # fmt: skip
"""Functions that fail on text that is not what they make."""

TEXT_GUARDS = frozenset(
    {
        "startswith",
        "is_relative_to",
        "isdigit",
        "isdecimal",
        "isalnum",
        "isidentifier",
        "isnumeric",
        "isalpha",
    }
)
"""Methods that are true of text only where it can do no more harm."""

# Tests by which nothing is known about a value but that it is there.
NO_GUARDS = frozenset(
    {
        "len", "bool", "str", "hasattr", "getattr", "callable", "type", "print", "repr", "any", "all",
        "get", "exists", "isfile", "isdir", "is_file", "is_dir", "endswith", "lower", "upper", "strip",
        "lstrip", "rstrip", "split", "is_authenticated", "getlist", "items", "keys", "values", "count",
        "find", "access", "stat", "isinstance", "issubclass", "debug", "info", "is_ajax", "is_json",
        "authenticate", "join", "basename", "splitext", "isabs", "is_absolute",
    }
)  # fmt: skip
FIXED_ADDRESS = LazyPattern(r"^(https?:)?//[^/?#%{\s]+[/?#]|^/($|[^/\\])|^[?#]|^mailto:|^[a-z][\w.-]*/")
"""Text that says where an address leads, whatever follows it."""

TAG = LazyPattern(r"<\s*[/!a-zA-Z]")

SCRIPT = LazyPattern(r"(?i)<script\b")
"""Text that a script begins in."""
