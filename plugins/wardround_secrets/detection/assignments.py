"""Where a name that speaks of a secret is given a literal value: ``apiKey: "..."``, ``DB_PASSWORD=...``.

The names are found first, by ``bytes.find``; only where one ends in an operator is the value looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from wardround.checks.lazy import LazyPattern

if TYPE_CHECKING:
    from wardround_secrets.detection.scanner import ScannedText

_ANCHORS = (b"pass", b"pwd", b"_pw", b"secret", b"token", b"credential", b"bearer", b"pepper", b"key")
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
"""What stands before ``key`` where the key is a secret."""
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
_FALLEN_BACK_TO = LazyPattern(
    r"(?:[^\n;\"'`]|[\"'`][\w.$-]{2,60}[\"'`]){0,60}?(?:(?:get(?:env|orelse|ordefault)?|env"
    r"|env_?var|lookup_?env|fetch|coalesce|config|setting|option"
    r"|first_?set|lookup|default|field|prop(?:erty)?)\((?:[^\n;\"'`()]{0,60}|[\s]*[\"'`][\w.$-]{2,60}[\"'`]),"
    r"|(?:\|\||\?\?|\?:|\bor\b|\.default\(|\.orElse\(|\bdefault=))\s{0,40}"
    r"(?:default(?:_value)?\s?[=:]\s?)?(?P<quote>[\"'`])(?P<value>[^\"'`\n\r\\]{6,200})(?P=quote)",
    re.IGNORECASE,
)
"""What takes a value's place where nothing else gives one."""
_CHOSEN = LazyPattern(r"(?i)(?:coalesce|try|getOrDefault|default|nvl|ifnull|first_?set)\([^()\"'\n]{0,80}\Z")
_SETTER = LazyPattern(r"(?:\b(?:set|with|add)_?\w{0,20}|\.)\Z", re.IGNORECASE)
"""What makes a call one that gives a value away: ``setPassword(...)``, ``builder.password(...)``."""
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
    """A name, the literal it is given, and where that stands."""

    name: str
    value: str
    start: int
    end: int
    is_quoted: bool


def assignments_in(text: ScannedText) -> Iterator[Assignment]:
    """Every literal that a name which speaks of a secret is given, in the order of anchors."""
    bare = _BARE_FILES.search(text.path) is not None
    for anchor in _ANCHORS:
        for place in text.places_of(anchor):
            if anchor == b"key" and not _is_secret_key(text.lower, place):
                continue
            found = _assigned(text, place, place + len(anchor), bare)
            if found is not None:
                yield found


def _is_secret_key(lower: bytes, place: int) -> bool:
    """Whether the word before ``key`` makes it one: ``api_key``, but neither ``"key"`` nor ``cache_key``."""
    before = place - (place > 0 and lower[place - 1] in _JOINTS)
    return before > 0 and lower[before - 1 : before].isalpha() and lower.endswith(_KEYS, 0, before)


def _assigned(text: ScannedText, place: int, end_of_anchor: int, bare: bool) -> Assignment | None:
    whole = text.text
    rest = _REST_OF_NAME.match(whole, end_of_anchor)
    end_of_name = rest.end() if rest else end_of_anchor
    to_value = _TO_VALUE.match(whole, end_of_name)
    if to_value is None or not _gives(whole, place, to_value):
        return None
    value = _value(whole, to_value, bare)
    if value is None:
        return None
    before = _NAME_BEFORE.search(whole, max(0, place - 60), place)
    name = (before[0] if before else "") + whole[place:end_of_name]
    if _NOT_ABOUT_A_SECRET.search(name):
        return None
    return Assignment(name, value["value"], *value.span("value"), "quote" in value.re.groupindex)


def _gives(whole: str, place: int, to_value: re.Match[str]) -> bool:
    """Whether what stands behind a name is given to it: an argument beside it is only where one is chosen."""
    operator = to_value["operator"]
    if operator == "(":
        return _SETTER.search(whole, max(0, place - 40), place) is not None
    if operator != ",":
        return to_value["index"] != ")" or operator in ("??", "||", "?:", "or")
    return bool(to_value["close"]) or _CHOSEN.search(whole, max(0, place - 120), place) is not None


def _value(whole: str, to_value: re.Match[str], bare: bool) -> re.Match[str] | None:
    """The literal behind an operator, or the one that is taken where nothing gives another."""
    operator, place = to_value["operator"], to_value.end()
    if operator == ":-" or (operator == ":" and _EXPANDED.search(whole, max(0, place - 80), place)):
        return _DEFAULTED.match(whole, place)
    value = _QUOTED.match(whole, place)
    if value is None and bare and (operator in ("=", ":", ">") or operator.endswith("value:")):
        value = _BARE.match(whole, place)
    return (
        _FALLEN_BACK_TO.match(whole, place) if value is None and operator in ("=", ":", "=>", ":=") else value
    )
