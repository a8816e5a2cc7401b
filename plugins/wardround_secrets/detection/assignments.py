"""Assignments of a literal to a name that denotes a secret: ``apiKey: "..."``, ``DB_PASSWORD=...``.

Names are found first, by ``bytes.find``; a value is matched only where an operator follows the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from wardround.lazy import LazyPattern
from wardround.text.secret_names import is_secret_name
from wardround_secrets.detection.anchors import offsets_of

ANCHORS = (b"pass", b"pwd", b"_pw", b"secret", b"token", b"credential", b"bearer", b"pepper", b"key")
_KEYS = (
    b"api",
    b"access",
    b"auth",
    b"private",
    b"secret",
    b"encryption",
    b"encrypt",
    b"signing",
    b"account",
    b"master",
    b"service",
    b"storage",
    b"shared",
    b"webhook",
    b"admin",
    b"consumer",
    b"hmac",
    b"jwt",
    b"app",
    b"session",
    b"deploy",
    b"license",
    b"crypto",
    b"cipher",
    b"client",
    b"subscription",
    b"function",
    b"write",
    b"cookie",
    b"root",
    b"server",
    b"bot",
    b"integration",
    b"ingest",
    b"aes",
    b"stripe",
    b"twilio",
    b"sendgrid",
    b"mailgun",
    b"postmark",
    b"openai",
    b"anthropic",
    b"datadog",
    b"pagerduty",
    b"opsgenie",
    b"honeycomb",
    b"rollbar",
    b"deepl",
    b"cohere",
    b"mistral",
)
"""Words before ``key`` that make it a secret in code, where most keys belong to a mapping or an element.

In the name of an environment variable any key is a secret, unless ``is_secret_name`` knows the word before
it.
"""
_JOINTS = b"_-. "
_REST_OF_NAME = LazyPattern(
    r"(?:word|wd|phrase|code)?s?"
    r"(?:[_-]?(?:access[_-]?)?key)?"
    r"(?:[_-]?(?:value|val|prod(?:uction)?|dev(?:elopment)?|staging|live|base(?:64|32)?|b64|hex"
    r"|str(?:ing)?|default"
    r"|plain|raw|v?\d{1,2}))*+",
    re.IGNORECASE,
)
_TO_VALUE = LazyPattern(
    r"(?P<close>\\?[\"'`]?)(?P<index>\]|\))?!?[ \t]{0,20}"
    r"(?:(?P<typed>:[ \t]*(?:&(?:'static )?)?[A-Za-z_][\w.\[\]| ]{0,30}?|[ \t]string)[ \t]{0,4}(?==))?"
    r"(?P<operator>=>|:=|\?\?=?|\?:|\|\|=?|or(?=[ \t])|\?=|=(?![=~>])|:-(?=[^\s}]{6,100}\})|:(?![:=])"
    r"|,(?=\s*[\"'])|\((?=\s{0,20}[\"'])|\r?\n[ \t]{1,40}value:(?=[ \t])"
    r"|\{\s{0,20}(?:(?:type|description|sensitive)[^\n]{0,200}\n\s{0,20}){0,3}default[ \t]{0,20}="
    r"|[ \t]+value=|>(?=[^<>\s]{6,100}</))\s{0,20}"
)
_QUOTED = LazyPattern(
    r"(?:[rbuRBU]{0,2}|\[\s{0,40}|(?:[\w.]|new[ ]){1,40}\(\s{0,40})"
    r"(?P<quote>\\?[\"'`])(?P<value>[^\"'`\n\r\\]{6,400})(?P=quote)"
)
_FALLBACK = LazyPattern(
    r"(?:[^\n;\"'`]|[\"'`][\w.$-]{2,60}[\"'`]){0,60}?(?:(?:get(?:env|orelse|ordefault)?|env"
    r"|env_?var|lookup_?env|fetch|coalesce|config|setting|option"
    r"|first_?set|lookup|default|field|prop(?:erty)?)\((?:[^\n;\"'`()]{0,60}|[\s]*[\"'`][\w.$-]{2,60}[\"'`]),"
    r"|(?:\|\||\?\?|\?:|\bor\b|\.default\(|\.orElse\(|\bdefault=))\s{0,40}"
    r"(?:default(?:_value)?\s?[=:]\s?)?(?P<quote>[\"'`])(?P<value>[^\"'`\n\r\\]{6,200})(?P=quote)",
    re.IGNORECASE,
)
"""A default value that is used where no other is set."""
_DEFAULT_CALL = LazyPattern(
    r"(?i)(?:coalesce|try|getOrDefault|default|nvl|ifnull|first_?set)\([^()\"'\n]{0,80}\Z"
)
_SETTER = LazyPattern(r"(?:\b(?:set|with|add)_?\w{0,20}|\.)\Z", re.IGNORECASE)
"""Prefix of a call that sets a value: ``setPassword(...)``, ``builder.password(...)``."""
_EXPANDED = LazyPattern(r"\$\{[\w.-]{2,60}:\Z")
_DEFAULTED = LazyPattern(r"(?P<value>[^\s}\"'`]{6,200})(?=\})")
_BARE = LazyPattern(r"(?P<value>[^\s\"'`,;(){}\[\]<>|&#]{6,400})(?=[ \t]*(?:$|\r|\n|#|;|<))", re.MULTILINE)
_NAME_BEFORE = LazyPattern(r"[A-Za-z0-9_.$-]{0,60}\Z")
_BARE_FILES = LazyPattern(
    r"(?:^|/)\.?(?:env|envrc|netrc|npmrc|pypirc|pgpass|s3cfg|my\.cnf|boto)(?:[._-][\w.-]*)?$"
    r"|\.(?:env|ya?ml|ini|cfg|conf|config|cnf|properties|props|sh|bash|zsh|tfvars|toml|xml|plist"
    r"|service|envrc)$"
    r"|(?:^|/)(?:Dockerfile|Containerfile|Makefile|Jenkinsfile|Procfile|Vagrantfile)[^/]*$",
    re.IGNORECASE,
)
_NOT_ABOUT_A_SECRET = LazyPattern(
    r"public|placeholder|label|hint|title|descri|regex|pattern|error|message|invalid|missing|type"
    r"|ur[il]|path"
    r"|file|folder|dir(?:ectory)?(?:_|$)|header|field|column|param|prefix|suffix|xsrf|csrf|next"
    r"|page|cursor|continu|sync|hash"
    r"|digest|checksum|integrity|etag|cache|primary|foreign|sort|partition|short|mask|dummy|mock"
    r"|fake|example"
    r"|sample|expected|design|syntax|color|style|css|theme|locale|i18n|test|valid|policy|endpoint"
    r"|id$|_ids?_|name"
    r"|scope|grant|algo|format|length|count|limit|expir|lifetime|ttl|kind|version|query|search"
    r"|selector|symbol"
    r"|node|lexer|pars|punct|special|start|end_|stop|pad_|mask_|eos|bos|sep_|vocab|keyboard|arn"
    r"|anon|publish"
    r"|site_?key|captcha|storage_?key$|app_?key$|session_?key$|data-|aria|react|element|widget"
    r"|feature|permission",
    re.IGNORECASE,
)


class Assignment(msgspec.Struct, frozen=True):
    """A name, the literal assigned to it, and the offsets of the literal."""

    name: str
    value: str
    start: int
    end: int
    is_quoted: bool


def assignments_in(path: str, text: str, lower: bytes) -> Iterator[Assignment]:
    """Yield every literal that is assigned to a name of a secret, in the order of anchors."""
    bare = _BARE_FILES.search(path) is not None
    for anchor in ANCHORS:
        for offset in offsets_of(lower, anchor):
            if anchor == b"key" and not (_is_secret_key(lower, offset) or _is_variable(text, offset)):
                continue
            found = _assignment_at(text, offset, offset + len(anchor), bare)
            if found is not None:
                yield found


def _is_secret_key(lower: bytes, offset: int) -> bool:
    """Return True if the word before ``key`` denotes a secret.

    ``api_key`` is one, ``"key"`` and ``cache_key`` are not.
    """
    before = offset - (offset > 0 and lower[offset - 1] in _JOINTS)
    return before > 0 and lower[before - 1 : before].isalpha() and lower.endswith(_KEYS, 0, before)


def _is_variable(text: str, offset: int) -> bool:
    """Return True if ``KEY`` ends the name of an environment variable that denotes a secret."""
    if not text.startswith("_KEY", offset - 1) or text[offset + 3 : offset + 4].isalnum():
        return False
    before = _NAME_BEFORE.search(text, max(0, offset - 60), offset)
    name = before[0].rpartition(".")[2] if before else ""
    return name.isupper() and is_secret_name(f"{name}KEY")


def _assignment_at(text: str, offset: int, end_of_anchor: int, bare: bool) -> Assignment | None:
    rest = _REST_OF_NAME.match(text, end_of_anchor)
    end_of_name = rest.end() if rest else end_of_anchor
    to_value = _TO_VALUE.match(text, end_of_name)
    if to_value is None or not _is_assignment(text, offset, to_value):
        return None
    value = _value(text, to_value, bare)
    if value is None:
        return None
    before = _NAME_BEFORE.search(text, max(0, offset - 60), offset)
    name = (before[0] if before else "") + text[offset:end_of_name]
    if _NOT_ABOUT_A_SECRET.search(name):
        return None
    return Assignment(name, value["value"], *value.span("value"), "quote" in value.re.groupindex)


def _is_assignment(text: str, offset: int, to_value: re.Match[str]) -> bool:
    """Return True if the value after a name is assigned to it.

    The next argument is assigned only in calls that choose a default.
    """
    operator = to_value["operator"]
    if operator == "(":
        return _SETTER.search(text, max(0, offset - 40), offset) is not None
    if operator != ",":
        return to_value["index"] != ")" or operator in ("??", "||", "?:", "or")
    return bool(to_value["close"]) or _DEFAULT_CALL.search(text, max(0, offset - 120), offset) is not None


def _value(text: str, to_value: re.Match[str], bare: bool) -> re.Match[str] | None:
    """Return the literal after an operator, or the default that applies where no other value is set."""
    operator, offset = to_value["operator"], to_value.end()
    if operator == ":-" or (operator == ":" and _EXPANDED.search(text, max(0, offset - 80), offset)):
        return _DEFAULTED.match(text, offset)
    value = _QUOTED.match(text, offset)
    if value is None and bare and (operator in ("=", ":", ">") or operator.endswith("value:")):
        value = _BARE.match(text, offset)
    if value is None and operator in ("=", ":", "=>", ":="):
        value = _FALLBACK.match(text, offset)
    return value
