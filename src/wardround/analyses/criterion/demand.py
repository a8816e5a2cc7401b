"""The parts of an acceptance criterion that code can show: its literals, words and polarity."""

from __future__ import annotations

import enum
import re
from functools import lru_cache

import msgspec

from wardround.analyses.criterion.amounts import BYTES, SECONDS
from wardround.text.stemming import search_stem
from wardround.text.tokens import STOP_WORDS, parts


class LiteralKind(enum.Enum):
    """A name identifies something in code, a value is compared with it, a text is shown to a user."""

    NAME = "name"
    VALUE = "value"
    TEXT = "text"


class Outcome(enum.Enum):
    """The result of an input that a criterion demands."""

    REFUSED = "refused"
    ACCEPTED = "accepted"
    OTHER = "other"


class Literal(msgspec.Struct, frozen=True):
    """A literal of a criterion and the spellings of it that code may have.

    Attributes:
        spellings: in lower case; one of them must occur as a token or as a part of a string.
        unit: unit of a number, in lower case and in the singular; empty if it has none.
    """

    text: str
    kind: LiteralKind
    spellings: tuple[str, ...]
    unit: str = ""


class Demand(msgspec.Struct, frozen=True):
    """A criterion as the judge compares it with code.

    Attributes:
        words: stems of the content words that are not part of a literal.
        clauses: the same stems by the clauses that "and" joins.
        proper: the words with a capital inside of a sentence, such as keys, labels, products and formats.
        is_negative: it states that something does not happen, or a condition that excludes.
        bounds: it compares a number ("at most 3"), whose direction a literal alone does not show.
        default: the value that something has by default, in lower case; empty if it states none.
        about_tests: it demands tests.
        removes: it demands that something is removed.
        unverifiable: the reason why no code can show it; empty otherwise.
    """

    text: str
    literals: tuple[Literal, ...]
    words: frozenset[str]
    clauses: tuple[frozenset[str], ...]
    proper: frozenset[str]
    is_negative: bool
    outcome: Outcome
    bounds: bool
    default: str
    about_tests: bool
    removes: bool
    unverifiable: str


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_UNVERIFIABLE = (
    ("it is about documents", (
        r"documented|documentation|docs|readme|change ?log|handbook|the manual|wiki|runbook|user guides?",
        r"release notes|described in|adr|diagrams?",
    )),
    ("it is about the process of the work", (
        r"approved by|sign(?:s|ed)? ?-?off|reviewed by|announced|announcement|stakeholders?|product owner",
        r"(?:support|customers?|team|everyone|sales|marketing|legal|operations)(?: \w+){0,3} "
        r"(?:informed|notified|trained|agrees?|agreed|approves?|approved)",
        r"demo(?:ed|nstrated)? to|deployed|rolled out|roll-out|released to|communicated|manually|tested by|"
        r"qa",
        r"in production|on staging|monitored for",
    )),
    ("it is about the appearance", (
        r"figma|mock-?ups?|wireframes?|pixel\w*|looks? (?:like|good|the same|as|right|great|nice)|"
        r"look and feel",
        r"visually|visual|(?:the|a) design|design system|colou?rs?|fonts?|spacing|aligned|responsive|"
        r"animations?",
        r"animated|smooth(?:ly)?|layout|pretty|icons?|branding|readable on|style guide|contrast",
    )),
    ("it is about measured performance", (
        r"performance|latency|throughput|faster|fast|quickly|slow(?:er)?|uptime|p\d\d|percentile|lighthouse",
        r"than before|scales (?:to|with)|scalab\w+|load times?|response times?|memory usage|cpu",
        r"(?:within|under|below|less than|at most|in) \d+ ?(?:ms|milliseconds)",
        r"(?:loads?|respon\w+|render\w*|complet\w+|finish\w*|takes?|runs?|ends?) (?:\w+ ){0,3}"
        r"(?:within|under|below|less than|at most|in) \d+ ?(?:s|sec\w*|minutes?)",
    )),
    ("it is a judgement", (
        r"easier|easy|intuitive|user[- ]friendly|cleaner|maintainable|maintain|robust|understandable|"
        r"consistent",
        r"nice|better|improved|simpler|clearer|clear (?:to|error|message|for)|usable|accessible|seamless\w*",
        r"meaningful|appropriate|sensible|sufficient",
    )),
    ("it is about results of later runs", (
        r"flaky|no regressions?|test coverage|coverage (?:of|does|is|stays)|still works?|"
        r"backwards? compatib\w+",
        r"(?:build|pipeline|ci) is (?:green|stable)|(?:existing|all) tests|tests? pass(?:es)?",
    )),
)  # fmt: skip
"""Reasons, and the phrases that show them."""
_UNVERIFIABLE_PATTERNS = tuple(
    (reason, re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)) for reason, phrases in _UNVERIFIABLE
)
_QUOTED = re.compile(
    r"`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|(?<![\w])'([^'\n]{1,200})'(?![\w])|“([^”\n]{1,200})”"
)
_BARE = re.compile(
    r"(?<![\w/-])(--[a-z][\w-]+)|(?<![\w.])(/[a-z][\w{}:.-]*(?:/[\w{}:.-]+)*)|"
    r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b|"
    r"\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b|\b([a-z]+[A-Z]\w*)\b|\b([a-z_]\w*(?:\.[a-z_]\w*)+)\b(?=\s|$|[,;:)])"
)
_NUMBER = re.compile(
    r"(?<![\w.#-])(\d+(?:[.,]\d+)?)\s?(ms|milliseconds?|s|secs?|seconds?|min|minutes?|h|hours?|days?|weeks?|"
    r"kb|mb|gb|%)?"
    r"(?![\w-]|\.\d)", re.IGNORECASE,
)  # fmt: skip
_CLOCK = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_STATUS_NAMES = {
    "200": "ok", "201": "created", "202": "accepted", "204": "no_content", "301": "moved_permanently",
    "400": "bad_request", "401": "unauthorized", "403": "forbidden", "404": "not_found",
    "405": "method_not_allowed",
    "409": "conflict", "410": "gone", "413": "payload_too_large", "415": "unsupported_media_type",
    "422": "unprocessable_entity", "429": "too_many_requests", "500": "internal_server_error",
    "503": "service_unavailable",
}  # fmt: skip
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|cannot|can't|can not|won't|doesn't|don't|isn't|aren't|without|neither|nor|none|"
    r"unless|except|only|"
    r"instead of|nobody|nothing|no longer|hides?|hidden|disabled?|disables|refus\w+|reject\w*|den(?:y|ies|"
    r"ied)|"
    r"forbid\w*|block(?:s|ed)|prevent\w*|ignor\w+|skip\w*|exclud\w+|invisible|unavailable)\b",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\b(?:rejects?|rejected|refuses?|refused|denies|denied|forbids?|forbidden|not (?:accepted|allowed))\b",
    re.IGNORECASE,
)
_ACCEPTED = re.compile(r"\b(?:accepts?|accepted|allows?|allowed|succeeds?|is valid)\b", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:at most|at least|up to|more than|less than|fewer than|no more than|no less than|exceed\w*|"
    r"maximum|minimum|"
    r"longer than|shorter than|greater|larger than|smaller than|(?:over|under|above|below|between|"
    r"within) \d)\b|[<>≤≥]",
    re.IGNORECASE,
)
_DEFAULT = re.compile(
    r"\bdefaults? (?:value )?(?:of|for) [`\"']?[\w.-]+[`\"']? is [`\"']?([\w.-]+)|"
    r"\bdefaults? (?:value )?(?:to|is|of)\s+[`\"']?([\w.-]+)|\b(?:is|"
    r"are)\s+[`\"']?([\w.-]+?)[`\"']?\s+by default",
    re.IGNORECASE,
)
_BOOLEANS = {
    "enabled": "true",
    "on": "true",
    "active": "true",
    "disabled": "false",
    "off": "false",
    "inactive": "false",
}
_AND = re.compile(r",? and (?=[a-z]{3})")
_PROPER = re.compile(r"(?<=[\w,;)] )[A-Z][\w-]*")
_ABOUT_TESTS = re.compile(
    r"\b(?:tests?|specs?)\b.{0,40}\b(?:covers?|checks?|verif\w+|exists?|added|written|proves?|for|"
    r"asserts?)\b|"
    r"\b(?:covered by|has|have|with|add|adds)\b.{0,30}\b(?:tests?|specs?)\b|\bis tested\b|\bare tested\b",
    re.IGNORECASE,
)
_REMOVES = re.compile(
    r"\b(?:is|are|was|were|be|gets?) (?:removed|dropped|deleted from the code)\b|\bno longer (?:exists?|"
    r"used?|needed|depends?)\b|"
    r"^(?:remove|drop) ",
    re.IGNORECASE,
)
_GENERIC = frozenset(
    """
    able add allow appear available behave case change code contain correct correctly criterion current
    exist existing
    feature following function given happen implement implementation instead keep kind like make mean
    mention need new
    name one page provide request respect result scenario see sure system then thing time type user value
    want way work
    parameter query option flag endpoint route prop property argument
    via per within when then given and the with every test tests cover
    """.split()  # noqa: SIM905 - a list of quoted words is harder to read
)
"""Words that nearly every criterion and nearly every program has."""
_SYNONYMS = (
    ("sort", "order", "sorted", "orderby"), ("delete", "remove", "drop", "destroy"), ("create", "insert"),
    ("show", "display", "render", "visible", "list"), ("hide", "hidden"), ("email", "mail"),
    ("reject", "raise", "throw", "refuse", "deny", "forbid", "invalid", "error", "except"),
    ("return", "respond", "response", "status"), ("login", "signin", "authenticate", "auth"),
    ("fetch", "load", "get"), ("save", "store", "persist", "set"), ("date", "created", "datetime"),
    ("newest", "desc", "latest"), ("oldest", "asc"), ("limit", "max", "maximum"),
    ("paginate", "page", "offset"),
    ("print", "echo", "output"), ("keep", "preserve", "retain"), ("retry", "attempt"),
    ("expire", "ttl", "expiry"),
    ("config", "configuration", "settings"), ("number", "count"), ("uppercase", "upper"),
    ("lowercase", "lower"),
    ("require", "mandatory"), ("parameter", "param"), ("password", "pwd"), ("version", "matrix"),
    ("daily", "day", "cron", "schedule"), ("healthcheck", "health"), ("image", "from"), ("base", "from"),
    ("port", "expose"), ("trim", "strip"), ("redirect", "navigate"), ("empty", "blank"),
    ("close", "dismiss"), ("log", "logger", "logging"),
)  # fmt: skip


_OF_DEFAULTS = frozenset({search_stem("default")})
_IRREGULAR = {
    "kept": "keep", "sent": "send", "shown": "show", "hidden": "hide", "found": "find", "thrown": "throw",
    "chosen": "choose", "written": "write", "built": "build", "left": "leave", "lost": "lose", "paid": "pay",
    "read": "read", "ran": "run", "stopped": "stop", "given": "give", "taken": "take", "began": "begin",
}  # fmt: skip


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for words in _SYNONYMS:
        stems = {search_stem(word) for word in words}
        for stem in stems:
            found.setdefault(stem, set()).update(stems)
    return {word: frozenset(same) for word, same in found.items()}


def same_words(stem: str) -> frozenset[str]:
    """Return the stem with its synonyms in code."""
    return _groups().get(stem, frozenset({stem}))


def covered_words(words: frozenset[str], available: frozenset[str]) -> frozenset[str]:
    """The words of a criterion that are available: as an equal word, a synonym, or with a common prefix."""
    return frozenset(
        word for word in words if any(_is_available(synonym, available) for synonym in same_words(word))
    )


def _is_available(word: str, available: frozenset[str]) -> bool:
    if word in available:
        return True
    return len(word) >= 4 and any(
        len(other) >= 4 and (other.startswith(word) or word.startswith(other)) for other in available
    )


def stems(text: str) -> frozenset[str]:
    """Return the stems of the content words of prose and names, camel case and snake case split."""
    words = (part for name in re.findall(r"[^\W_]+", text) for part in parts(name))
    regular = (_IRREGULAR.get(word, word) for word in words)
    retained = (search_stem(word) for word in regular if len(word) > 2 and word not in STOP_WORDS)
    return frozenset(stem for stem in retained if stem not in _generic() and not stem.isdigit())


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    return frozenset(search_stem(word) for word in _GENERIC)


def is_negative(text: str) -> bool:
    """Return True for a text that negates or excludes something."""
    return _NEGATIVE.search(text.replace("_", " ")) is not None


def demand_of(text: str) -> Demand:
    """Read a criterion."""
    literals = _literals(text)
    prose = _BARE.sub(" ", _QUOTED.sub(" ", text))
    words = stems(_NUMBER.sub(" ", _CLOCK.sub(" ", prose)))
    default = _DEFAULT.search(text)
    value = next((group for group in default.groups() if group), "").lower().rstrip(".") if default else ""
    return Demand(
        text=text,
        literals=literals,
        words=words - _OF_DEFAULTS if value else words,
        clauses=tuple(words & stems(clause) for clause in _AND.split(prose)),
        proper=words & stems(" ".join(_PROPER.findall(prose))),
        is_negative=is_negative(prose),
        outcome=_outcome(prose),
        bounds=_BOUND.search(prose) is not None,
        default=_BOOLEANS.get(value, value),
        about_tests=_ABOUT_TESTS.search(prose) is not None,
        removes=_REMOVES.search(prose) is not None,
        unverifiable=next((reason for reason, cue in _UNVERIFIABLE_PATTERNS if cue.search(prose)), ""),
    )


def _outcome(prose: str) -> Outcome:
    if _REFUSED.search(prose):
        return Outcome.REFUSED
    is_accepted = _ACCEPTED.search(prose) and not is_negative(prose)
    return Outcome.ACCEPTED if is_accepted else Outcome.OTHER


def _literals(text: str) -> tuple[Literal, ...]:
    found: dict[str, Literal] = {}
    for match in _QUOTED.finditer(text):
        content = next(group for group in match.groups() if group).strip()
        for literal in _quoted_literals(content, is_code=match[1] is not None):
            found.setdefault(literal.text, literal)
    rest = _QUOTED.sub(" ", text)
    for match in _BARE.finditer(rest):
        found.setdefault(match[0], _name(match[0]))
    for number in _numbers(_BARE.sub(" ", rest)):
        found.setdefault(number.text, number)
    return tuple(found.values())


def _quoted_literals(content: str, *, is_code: bool) -> list[Literal]:
    route = re.fullmatch(rf"({'|'.join(METHODS)})\s+(/\S*)", content)
    if route:
        method = route[1].lower()
        spellings = (f".{method}(", f'"{method}"', f"'{method}'", f"function {method}(", f"{method} /")
        return [Literal(route[1], LiteralKind.TEXT, spellings), _name(route[2])]
    if re.fullmatch(r"-?\d+(?:\.\d+)?", content):
        return [_number(content, "")]
    if content.lower() in ("true", "false", "null", "none", "nil"):
        return [Literal(content, LiteralKind.VALUE, _constant_spellings(content.lower()))]
    if is_code and re.fullmatch(r"[\w.$/{}:@~*-]+(?:\(\))?", content):
        return [_name(content.removesuffix("()"))]
    return [Literal(content, LiteralKind.NAME if is_code else LiteralKind.TEXT, (content.lower(),))]


def _constant_spellings(name: str) -> tuple[str, ...]:
    return ("null", "none", "nil", "undefined") if name in ("null", "none", "nil") else (name,)


def _name(text: str) -> Literal:
    return Literal(text, LiteralKind.NAME, (text.lower(),))


def _numbers(prose: str) -> list[Literal]:
    found: list[Literal] = []
    for hour, minute in _CLOCK.findall(prose):
        spelled = (f"{int(minute)} {int(hour)} ", f"{hour}:{minute}", f"hour={int(hour)}")
        found.append(Literal(f"{hour}:{minute}", LiteralKind.VALUE, spelled))
    rest = _CLOCK.sub(" ", prose)
    found += [_number(match[1], (match[2] or "").lower()) for match in _NUMBER.finditer(rest)]
    return found


def _number(text: str, unit: str) -> Literal:
    """A number with the other spellings of the same amount: 15 minutes is 900 seconds and 900000 ms."""
    value = text.replace(",", ".")
    spellings = [value]
    name = unit if unit == "ms" else unit.rstrip("s") or unit
    if value.isdigit() and name in SECONDS:
        seconds = int(value) * SECONDS[name]
        spellings += [str(seconds), str(seconds * 1000)]
        spellings += [str(seconds // size) for size in (60, 3600, 86400) if seconds % size == 0]
    if value.isdigit() and name in BYTES:
        power = BYTES[name]
        spellings += [str(int(value) * 1024**power), str(int(value) * 1000**power)]
    if text in _STATUS_NAMES:
        status = _STATUS_NAMES[text]
        joined = status.replace("_", "")
        spellings += [status, joined, f"http{text}{joined}"]
    return Literal(text, LiteralKind.VALUE, tuple(dict.fromkeys(spellings)), name)
