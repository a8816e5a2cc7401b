"""The subject of a commit as a sentence: without marks that only tools read, names of code in backquotes."""

from __future__ import annotations

import msgspec

from wardround.lazy import LazyPattern
from wardround.text.escaping import one_line

_KEY = (
    r"(?!(?:CVE|GHSA|CWE|UTF|ISO|RFC|PEP|SHA|HTTP|AES|RSA|TLS|IPV|EC|MD|ES|LATIN|PYTHON|PY|RC|V)-)"
    r"[A-Z][A-Z0-9_]{1,9}-[1-9][0-9]{0,8}"
)
_ISSUE = r"(?:[\w.-]{1,40}/[\w.-]{1,60})?[#!]\d{1,9}|gh-\d{1,9}|GH-\d{1,9}"
_PICTOGRAM = LazyPattern(
    r"(?:\s*(?::[a-z0-9_+-]{1,40}:|[\u2190-\u2bff\U0001f000-\U0001faff][\ufe0e\ufe0f\u200d]*))+\s*"
)
_PREFIX = LazyPattern(
    r"(?P<type>[A-Za-z][A-Za-z_-]{1,20})(?:/(?P<part>[\w-]{1,40}))?(?:\((?P<scope>[^()\n]{1,60})\))?(?P<mark>!?)\s?:\s+(?=\S)"
)
_TRAILING_PICTOGRAM = LazyPattern(
    r"(?:\s*(?::[a-z0-9_+-]{1,40}:|[\u2600-\u2bff\U0001f000-\U0001faff]\ufe0f?)){1,8}\s*$"
)
_TAG = LazyPattern(r"\[(?P<tag>[^\[\]\n]{1,40})\][:\s]\s*(?=\S)")
_LEADING_KEY = LazyPattern(rf"[(\[]?(?:{_KEY}|{_ISSUE})[)\]]?\s*(?:[:,\u2013\u2014-]\s*|\s+)(?=\S)")
_CLOSES = r"(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see|for|part of|related to|addresses|issues?)"
_LEADING_CLOSES = LazyPattern(
    rf"(?i)(?:{_CLOSES})\s*:?\s*(?:issues? |bug )?(?:{_ISSUE}|(?-i:{_KEY}))(?:(?:,| and|,? &) (?:{_ISSUE}))*"
    r"\s*(?:[:.,;\u2013\u2014-]+\s*)(?=\S)"
)
_TRAILING = LazyPattern(
    rf"(?i)[\s,;.\u2013\u2014-]*(?:[(\[]\s*(?:{_CLOSES}:?\s+)?(?:{_ISSUE}|(?-i:{_KEY}))(?:(?:,| and"
    rf"|,? &)? (?:{_ISSUE}|(?-i:{_KEY})))*\s*[)\]]"
    rf"|\b{_CLOSES}:?\s+(?:issue )?(?:{_ISSUE}|(?-i:{_KEY}))(?:(?:,| and|,? &)? (?:{_ISSUE}))*"
    rf"|\s(?:{_ISSUE}))\.?$"
)
_OPEN_END = LazyPattern(
    r"(?i)(?:^|[\s(#\d])(?:and|or|of|to|in|from|by|with|like|than|as|the|on|after|until|per|issue|pr|&)$"
)
_SKIP = LazyPattern(r"(?i)\s*\[(?:skip ci|ci skip|no ci|skip actions|skip-ci|ci-skip|skip changelog)\]\s*")
_CORRECTION = LazyPattern(r"(?i)(?:(?:fixup|squash|amend)!\s*)+")
_UNFINISHED = LazyPattern(r"(?i)(?:\[(?:wip|draft|rfc)\]|(?:wip|draft)\b:?)\s*(?=\S)")
_ROLE = LazyPattern(r":[a-z]+(?::[a-z]+)?:`~?([^`<>\n]{1,120})`")
_LITERAL = LazyPattern(r"``+([^`\n]{1,200})``+")
_QUOTED_NAME = LazyPattern(r"(?<![\w`'])'([A-Za-z_][\w.]{1,60})'(?![\w`'])")
_QUOTED_CODE = LazyPattern(r"(['\"])(`[^`\n]{1,200}`)\1")
_QUOTED_PART = LazyPattern(r"(`[^`\n]*`)")
_CODE = LazyPattern(
    r"(?<![\w`./@#:-])(?:"
    r"--[a-z][\w-]*(?:=\S+)?"
    r"|@[a-z_]\w*(?:\.\w+)+"
    r"|(?:[A-Za-z_]\w*\.){0,6}[A-Za-z_]\w*\([^()\s]{0,60}\)"
    r"|(?:[A-Za-z_]\w*\.){0,6}[A-Za-z_]\w*\[[\w., ]{1,60}\]"
    r"|_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*(?:\.\w+)*(?:=\w+)?"
    r"|__\w+"
    r"|[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+(?<!\.js)(?<!\.com)(?<!\.org)(?<!\.io)(?<!\.net)(?<!\.md)(?<!\.rst)"
    r"|_\w+\.(?:py|pyi|js|ts)|[\w-]+\.(?:py|toml|ini|cfg|json|ya?ml|md|rst)"
    r")(?![\w`/@{-]|\.\w)"
)
_NOT_CODE = frozenset({"e.g", "i.e", "vs.the", "etc.and"})
_CAMEL = LazyPattern(
    r"(?<![\w`./@#:-])(?:[A-Z][a-z0-9]+){2,}[A-Za-z0-9]*(?![\w`/@-])"
    r"|(?<![\w`./@#:-])[a-z]+(?:[A-Z][a-z0-9]+)+(?![\w`/@-])"
)
_COMMON_CAMEL = frozenset({
    "GitHub", "GitLab", "PyPI", "PyPy", "JavaScript", "TypeScript", "CPython", "IronPython", "PostgreSQL",
    "MySQL", "OpenAPI", "ReadTheDocs", "AppVeyor", "CircleCI", "OpenSSL", "LibreSSL", "BoringSSL",
    "YouTube", "LinkedIn", "MacOS", "FreeBSD", "OpenBSD", "NetBSD", "WebSocket", "NumPy", "SciPy",
    "PowerShell", "IPython", "PyCharm", "ChangeLog", "ReStructuredText", "CodeQL", "SQLAlchemy",
    "GraphQL", "MicroPython", "PyInstaller", "ReDoS", "OAuth", "StackOverflow", "DevOps", "TravisCI",
    "MongoDB", "RabbitMQ", "BitBucket", "HomeBrew", "CentOS", "WebAssembly", "MyPy", "macOS", "iOS",
    "nodeJS", "eBPF", "iPython",
})  # fmt: skip
_TYPES = frozenset({
    "typo", "typos",
    "feat", "feature", "fix", "bugfix", "bug", "hotfix", "perf", "performance", "docs", "doc",
    "documentation", "style", "refactor", "refact", "refactoring", "test", "tests", "testing", "build",
    "ci", "chore", "revert", "deps", "dep", "security", "sec", "deprecate", "deprecated", "deprecation",
    "remove", "removed", "add", "added", "change", "changed", "breaking", "release", "improvement",
    "improve", "enhancement", "enh", "maint", "mnt", "maintenance", "dev", "tst", "typing", "types",
    "type", "lint", "cleanup", "clean", "internal", "infra", "misc", "meta", "pkg", "packaging", "bump",
    "upgrade", "update", "i18n", "bld", "blk", "depr", "dat", "rel", "api", "wip",
})  # fmt: skip
_VERBS = {
    form: verb
    for verb, forms in {
        "Add": ("adds", "added", "adding"), "Fix": ("fixes", "fixed", "fixing"),
        "Remove": ("removes", "removed", "removing"), "Allow": ("allows", "allowed", "allowing"),
        "Support": ("supports", "supported"), "Update": ("updates", "updated", "updating"),
        "Improve": ("improves", "improved", "improving"), "Change": ("changes", "changed", "changing"),
        "Use": ("uses", "used", "using"), "Make": ("makes", "made", "making"),
        "Drop": ("drops", "dropped", "dropping"), "Rename": ("renames", "renamed", "renaming"),
        "Move": ("moves", "moved", "moving"), "Introduce": ("introduces", "introduced", "introducing"),
        "Implement": ("implements", "implemented", "implementing"), "Prevent": ("prevents", "prevented"),
        "Handle": ("handles", "handled", "handling"), "Ensure": ("ensures", "ensured", "ensuring"),
        "Deprecate": ("deprecates", "deprecated", "deprecating"), "Correct": ("corrects", "corrected"),
        "Respect": ("respects", "respected"), "Preserve": ("preserves", "preserved"),
        "Avoid": ("avoids", "avoided", "avoiding"), "Return": ("returns", "returned"),
        "Raise": ("raises", "raised"), "Accept": ("accepts", "accepted"), "Expose": ("exposes", "exposed"),
        "Extend": ("extends", "extended"), "Create": ("creates", "created"), "Keep": ("keeps", "kept"),
        "Ignore": ("ignores", "ignored"), "Clarify": ("clarifies", "clarified"), "Show": ("shows", "shown"),
        "Include": ("includes", "included"), "Expand": ("expands", "expanded"), "Skip": ("skips", "skipped"),
        "Simplify": ("simplifies", "simplified"), "Refactor": ("refactors", "refactored", "refactoring"),
        "Enable": ("enables", "enabled", "enabling"), "Replace": ("replaces", "replaced", "replacing"),
    }.items()
    for form in forms
}  # fmt: skip
"""Other forms of the verbs by which subjects usually begin."""
_DEGRADED = LazyPattern(r"^[\W_]*$")


class Subject(msgspec.Struct, frozen=True):
    """A subject taken apart.

    Attributes:
        text: the sentence.
        type: of the conventional prefix, in lower case; empty without one.
        scope: of the prefix, or a prefix of an unknown type, such as the name of a module.
        is_breaking: the prefix has an exclamation mark.
        pictogram: what precedes the text, if it is one.
        tags: texts in brackets before the sentence, in lower case.
        is_correction: it is marked as a correction of an earlier commit, to be squashed into it.
    """

    text: str
    type: str = ""
    scope: str = ""
    is_breaking: bool = False
    pictogram: str = ""
    tags: tuple[str, ...] = ()
    is_correction: bool = False


def read_subject(title: str) -> Subject:
    """Take a title apart, without changing its words."""
    text = _SKIP.sub(" ", one_line(title)).strip()
    correction = _CORRECTION.match(text)
    text = text[correction.end() :] if correction else text
    unfinished = _UNFINISHED.match(text)
    text = text[unfinished.end() :] if unfinished else text
    text, pictogram = _without_pictogram(text)
    tags: list[str] = []
    while (tag := _TAG.match(text)) is not None:
        tags.append(tag["tag"].lower())
        text = text[tag.end() :]
    text = _without_references(text)
    type_, scope, is_breaking, text = _split_prefix(text)
    text, second = _without_pictogram(_without_references(text))
    return Subject(
        text.rstrip(" ").removesuffix(".") if not text.endswith("..") else text,
        type_,
        scope,
        is_breaking,
        pictogram or second,
        tuple(tags),
        correction is not None,
    )


def _split_prefix(text: str) -> tuple[str, str, bool, str]:
    """Return type, scope, whether it is marked as breaking, and the rest."""
    match = _PREFIX.match(text)
    if match is None:
        return "", "", False, text
    type_, scope = match["type"].lower(), match["scope"] or match["part"] or ""
    rest = text[match.end() :]
    if type_ in _TYPES:
        return type_, scope.strip(), bool(match["mark"]), rest
    is_plain = match["scope"] is None and match["type"] == type_ and not match["mark"]
    if is_plain:
        return "", "/".join(filter(None, (type_, match["part"]))), False, rest
    return "", "", False, text


def _without_pictogram(text: str) -> tuple[str, str]:
    match = _PICTOGRAM.match(text)
    text, found = (text[match.end() :], match[0].strip()) if match else (text, "")
    tail = _TRAILING_PICTOGRAM.search(text)
    return (text[: len(text) - len(tail[0])] if tail and text != tail[0] else text), found


def _without_references(text: str) -> str:
    """Return text without pull requests, issues and tickets at its start and end."""
    for pattern in (_LEADING_CLOSES, _LEADING_KEY):
        match = pattern.match(text)
        text = text[match.end() :] if match else text
    while (match := _TRAILING.search(text)) is not None and match.start() > 0:
        if _OPEN_END.search(text[: match.start()]):
            break  # the reference is a part of the sentence
        text = text[: match.start()]
    return text.strip()


def sentence(text: str, names: frozenset[str] = frozenset()) -> str:
    """Return the text of a subject as a sentence that begins with a capital letter.

    Args:
        names: names that the changed code defines; in capitals and small letters they are shown as code too.
    """
    plain = _QUOTED_NAME.sub(r"`\1`", _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", text)))
    parts = _QUOTED_PART.split(plain)
    shown = "".join(part if part.startswith("`") else _with_code(part, names) for part in parts)
    shown = _QUOTED_CODE.sub(r"\2", shown)
    return _capital_first(imperative(shown))


def imperative(text: str) -> str:
    """Return a sentence whose first word, if it is a usual verb in another form, is the imperative."""
    first, space, rest = text.partition(" ")
    verb = _VERBS.get(first.lower()) if first.lower() == first or first.istitle() else None
    return f"{verb}{space}{rest}" if verb and rest else text


def _with_code(text: str, names: frozenset[str]) -> str:
    text = _CODE.sub(lambda match: match[0] if match[0].lower() in _NOT_CODE else f"`{match[0]}`", text)
    parts = _QUOTED_PART.split(text)
    return "".join(
        part if part.startswith("`") else _CAMEL.sub(lambda match: _camel(match[0], names), part)
        for part in parts
    )


def _camel(word: str, names: frozenset[str]) -> str:
    return f"`{word}`" if word in names and word not in _COMMON_CAMEL else word


def _capital_first(text: str) -> str:
    """Return a sentence with a capital; a first word that may be a name of code stays."""
    first = text.split(" ", 1)[0]
    is_word = (
        first.replace("-", "").replace("'", "").replace("\u2019", "").rstrip(":,;").isalpha()
        and first.islower()
    )
    return text[0].upper() + text[1:] if is_word else text


def continuation(text: str) -> str:
    """Return a sentence as it continues another, after a colon or a semicolon."""
    first, _, rest = text.partition(" ")
    return f"{first.lower()} {rest}" if first.isalpha() and first.istitle() and rest else text


def is_empty(text: str) -> bool:
    """Return True for a text without a letter or a digit."""
    return _DEGRADED.match(text) is not None
