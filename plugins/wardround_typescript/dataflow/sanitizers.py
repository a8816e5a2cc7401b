"""What takes a danger away: functions that escape or convert, and tests that look at a value."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern
from wardround_typescript.dataflow.domain import EVERYTHING, NOTHING, OBJECT, SinkKind

_HTML = SinkKind.HTML | SinkKind.PAGE
_WEB = (
    SinkKind.PATH
    | SinkKind.URL
    | SinkKind.REDIRECT
    | _HTML
    | SinkKind.HEADER
    | SinkKind.SHELL
    | SinkKind.LDAP
)

# Function, as imported or by its last name -> the dangers that are gone from what it gives.
CLEANSING: dict[str, SinkKind] = {
    "encodeURIComponent": EVERYTHING & ~(SinkKind.SQL | SinkKind.STATEMENT | SinkKind.QUOTED),
    "escape": EVERYTHING,
    "escapeHtml": _HTML, "escapeHTML": _HTML, "htmlEscape": _HTML, "he.encode": _HTML, "he.escape": _HTML,
    "escape-html": _HTML, "xss": _HTML, "xss.filterXSS": _HTML, "DOMPurify.sanitize": _HTML,
    "dompurify.sanitize": _HTML, "isomorphic-dompurify.sanitize": _HTML, "sanitize-html": _HTML,
    "lodash.escape": _HTML, "encodeHtml": _HTML, "escapeXml": _HTML,
    "encodeURI": _HTML | SinkKind.HEADER,
    "escapeRegExp": SinkKind.PATTERN, "escapeStringRegexp": SinkKind.PATTERN,
    "escape-string-regexp": SinkKind.PATTERN,
    "lodash.escapeRegExp": SinkKind.PATTERN, "escapeRegex": SinkKind.PATTERN,
    "RegExp.escape": SinkKind.PATTERN,
    "escapeLiteral": EVERYTHING, "escapeIdentifier": EVERYTHING, "escapeId": EVERYTHING,
    "pg-format": EVERYTHING, "sqlstring.format": EVERYTHING, "mysql.format": EVERYTHING,
    "quote": SinkKind.SHELL | SinkKind.COMMAND, "shellQuote": SinkKind.SHELL | SinkKind.COMMAND,
    "shell-quote.quote": SinkKind.SHELL | SinkKind.COMMAND, "shellescape": SinkKind.SHELL | SinkKind.COMMAND,
    "shell-escape": SinkKind.SHELL | SinkKind.COMMAND, "shellEscape": SinkKind.SHELL | SinkKind.COMMAND,
    "path.basename": SinkKind.PATH, "path.posix.basename": SinkKind.PATH, "basename": SinkKind.PATH,
    "path.extname": EVERYTHING & ~(_HTML | SinkKind.SHELL), "extname": SinkKind.PATH,
    "JSON.stringify": OBJECT | _HTML | SinkKind.HEADER | SinkKind.PATH | SinkKind.LINE,
    "util.inspect": OBJECT | SinkKind.LINE, "inspect": OBJECT | SinkKind.LINE,
    "String": OBJECT, "toString": OBJECT,
    "sanitize-filename": SinkKind.PATH, "filenamify": SinkKind.PATH,
    "lodash.pick": SinkKind.FIELDS, "pick": SinkKind.FIELDS, "lodash.omit": NOTHING, "omit": NOTHING,
    "express-mongo-sanitize.sanitize": SinkKind.NOSQL, "mongo-sanitize": SinkKind.NOSQL,
}  # fmt: skip

NAMED_CLEAN = LazyPattern(
    r"^(escape|sanit[ai]ze?|saniti[sz]e|clean|strip|scrub|safe|slugify|slug|encode|normali[sz]eName|redact|mask|hash|"
    r"filterXSS|purify|whitelist|allow|pick[A-Z]|validate|validated|parse[A-Z]\w*|assert|ensure|coerce)(?![a-z])|"
    r"(Escaped?|Sanitized|Sanitize|Safe|Allowed|Validated|Slug)$"
)
"""Functions of elsewhere that say by their name that what they give is harmless."""

KEEPING = frozenset(
    {
        "String", "decodeURIComponent", "decodeURI", "unescape", "atob", "btoa", "structuredClone",
        "path.join", "path.resolve", "path.normalize", "path.dirname", "path.posix.join",
        "path.posix.resolve",
        "path.posix.normalize", "path.format", "path.parse", "path.basename", "path.posix.basename",
        "path.extname",
        "Buffer.from", "JSON.parse", "JSON.stringify", "Object.values", "Object.entries", "Object.keys",
        "Object.fromEntries", "Object.assign", "Object.freeze", "Array.from", "Array.of", "Promise.all",
        "Promise.resolve", "Promise.allSettled", "qs.parse", "querystring.parse", "qs.stringify",
        "querystring.stringify", "query-string.parse", "url.parse", "url.resolve", "url.format",
        "url.fileURLToPath", "util.format", "querystring.unescape", "encodeURI", "encodeURIComponent",
        "lodash.get", "lodash.pick", "lodash.omit", "lodash.merge", "lodash.defaults", "lodash.cloneDeep",
        "lodash.trim", "lodash.toString", "lodash.compact", "lodash.uniq", "lodash.flatten",
        "lodash.castArray",
        "get", "pick", "omit", "merge", "deepmerge", "Readable.from", "stream.Readable.from", "URL",
        "URLSearchParams", "url.URL", "url.URLSearchParams", "Array", "Set", "Map", "Request", "Blob",
        "Prisma.raw", "@prisma/client.Prisma.raw", "body-parser", "Uint8Array", "he.decode", "ini.parse",
        "Object", "Array.prototype.slice.call", "co-body", "raw-body", "formidable", "escape-html",
        "JSON5.parse", "superjson.parse", "superjson.deserialize", "yaml.parse", "js-yaml.load",
    }
)  # fmt: skip
"""Functions that hand their arguments on."""

UNPACKING = frozenset(
    {"JSON.parse", "qs.parse", "superjson.parse", "JSON5.parse", "yaml.parse", "js-yaml.load", "ini.parse"}
)
"""Functions that make objects out of text: what the sender wrote may have any shape afterwards."""

KEEPING_METHODS = frozenset(
    {
        "get", "getAll", "trim", "trimStart", "trimEnd", "slice", "substring", "substr", "toString",
        "toLowerCase", "toUpperCase", "toLocaleLowerCase", "split", "join", "concat", "replace", "replaceAll",
        "normalize", "padStart", "padEnd", "pop", "shift", "at", "values", "keys", "entries", "json", "text",
        "formData", "filter", "flat", "flatMap", "map", "reverse", "sort", "toSorted", "toReversed", "charAt",
        "repeat", "valueOf", "then", "catch", "finally", "blob", "arrayBuffer", "buffer", "body", "find",
        "findLast", "reduce", "splice", "toBuffer", "parseBody", "query", "param", "header", "queries",
        "file",
        "files", "fields", "forEach", "read", "subarray", "getReader", "anyString", "next", "fill", "with",
        "toJSON", "unref", "pipe",
    }
)  # fmt: skip
"""Methods that give a part of what they are called on, or a changed copy."""

FILLING_METHODS = frozenset({"concat", "replace", "replaceAll", "join", "padEnd", "padStart", "fill", "with"})
"""Of those, the ones whose arguments become a part of the answer."""

ADDING_METHODS = frozenset({"push", "unshift", "add", "append", "set", "write", "splice", "fill", "concat"})
"""Methods that put their arguments into what they are called on."""

ELEMENT_METHODS = frozenset(
    {"map", "forEach", "filter", "find", "some", "every", "flatMap", "findLast", "findIndex", "then", "sort"}
)
"""Methods that hand the elements of what they are called on to a function."""

CLEAN_PROPERTIES = frozenset(
    {
        "length", "size", "byteLength", "statusCode", "mimetype", "encoding", "fieldname", "success",
        "aborted",
        "csrfToken", "protocol", "port", "signal",
    }
)  # fmt: skip
"""Properties of what came in that are no text of the sender's."""

CONVERTING = frozenset(
    {
        "Number", "parseInt", "parseFloat", "Boolean", "BigInt", "Number.parseInt", "Number.parseFloat",
        "Date",
        "ObjectId", "mongodb.ObjectId", "mongoose.Types.ObjectId", "Types.ObjectId", "Date.parse", "isNaN",
        "Symbol", "validator.toInt", "toInt", "toNumber", "lodash.toNumber", "parseISO",
    }
)  # fmt: skip
"""Functions that give no text of the sender's."""

CHECKING = LazyPattern(
    r"^(is|has|in|allow(ed|s)?|valid(ate|ated|ator)?|check(ed|s)?|verif(y|ied)|ensure|assert|invariant|"
    r"require[sd]?|guard|permit(ted)?|match(es)?|contains|reject|deny|refuse|forbid|restrict|authori[sz]e|"
    r"whitelist(ed)?|saniti[sz]e|enforce)(?![a-z])"
)
"""Functions that say by their name that they look whether a value will do."""

UNTELLING = frozenset(
    {
        "Boolean", "String", "Array.isArray", "isArray", "trim", "toLowerCase", "toUpperCase", "endsWith",
        "existsSync",
        "exists", "access", "stat", "statSync", "get", "getAll", "log", "debug", "info", "warn", "error",
        "isEmpty", "isNil", "isUndefined", "isDefined", "isString", "slice", "split", "toString", "join",
        "isAuthenticated", "isFile", "isDirectory", "every", "some", "includes", "indexOf", "startsWith",
        "json",
        "next", "findOne", "findUnique", "findFirst", "findById", "query", "header", "accepts",
        "String.isWellFormed",
        "isAbsolute", "lstatSync", "canParse", "keys", "values", "entries", "parse", "hasHeader", "isBuffer",
        "URL.canParse", "isNotEmpty", "isObject", "isPlainObject",
    }
)  # fmt: skip
"""Calls by which nothing is known about a value but that it is there."""

LEAVING = frozenset(
    {
        "redirect",
        "notFound",
        "permanentRedirect",
        "unauthorized",
        "forbidden",
        "exit",
        "throw",
        "fail",
        "abort",
    }
)
"""Functions and methods that do not come back."""

LEADS = LazyPattern(r"^(https?|wss?|ftp):?//[^/?#%{\s]+[/?#]|^/($|[^/\\])|^[?#]|^mailto:|^[a-z][\w.-]*/")
"""Text that says where an address leads, whatever follows it."""

TAG = LazyPattern(r"<\s*[/!a-zA-Z]")
STATEMENT = LazyPattern(
    r"(?i)\b(select\s.*?\bfrom|insert\s+into|delete\s+from|update\s+\S+\s+set|order\s+by|group\s+by|where\s+\S"
    r"|create\s+(table|index|database|user|role|schema|view)|drop\s+\w+|alter\s+\w+|truncate\s|set\s+(local|session|search_path)"
    r"|limit\s+|values\s*\(|having\s|grant\s|union\s|returning\s|call\s+\w+|notify\s|listen\s|copy\s)"
)
CLAUSE = LazyPattern(
    r"(?i)(^|[\s(.\w\"`\])])(=|<>|!=|>=?|<=?|~~?\*?|i?like|in\s*\(|between|is|and|or|@>|contains)\s*\(?\s*$"
)
"""Text after which a value of a condition follows."""
HEADER_LINE = LazyPattern(
    r"^(?:[A-Z][A-Za-z]*(?:-[A-Za-z0-9]+)+|Subject|To|From|Cc|Bcc|Host|Cookie|Location):\s"
)
REPLACES_ALL_BUT = LazyPattern(r"^/\(?\[\^|^/\\W|^/\\D|^/\\s\*?\[\^")
"""Regular expressions that take out all but what they list."""


def replaced(pattern: str) -> SinkKind:
    """What can no longer be in a text after everything a regular expression matches was replaced."""
    if REPLACES_ALL_BUT.search(pattern):
        return EVERYTHING
    gone = NOTHING
    if "g" not in pattern.rpartition("/")[2] and pattern.startswith("/"):
        return NOTHING
    for marks, danger in _TAKEN_OUT:
        if all(mark in pattern for mark in marks):
            gone |= danger
    return gone


_TAKEN_OUT: tuple[tuple[tuple[str, ...], SinkKind], ...] = (
    (("\\r", "\\n"), SinkKind.HEADER | SinkKind.LINE),
    (("\\n",), SinkKind.HEADER | SinkKind.LINE),
    (("<",), _HTML),
    (("&",), _HTML),
    (("'",), SinkKind.SQL | SinkKind.STATEMENT | SinkKind.QUOTED),
    (("/", "\\\\"), NOTHING),
    (("(", ")", "*"), SinkKind.LDAP | SinkKind.PATTERN),
    (("\\\\", "^", "$"), SinkKind.PATTERN),
)
