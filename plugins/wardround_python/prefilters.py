"""Cheap tests of a module's text that select a check before it is imported and the module is parsed.

A check names one as its ``PREFILTER``. A prefilter errs only by selecting a check that reports nothing.
"""

from __future__ import annotations

import re
from itertools import pairwise

from wardround.checks.registry import BeforeAfter
from wardround.checks.source import SourceFile
from wardround.languages.python.function_text import changed_functions, differing, same_blocks
from wardround.lazy import LazyPattern

# Tests of the change


def loses_a_line(source: SourceFile) -> bool:
    """Return True for an existing module that has lost a line."""
    from wardround.semantics.docdrift.checks import is_changed

    return is_changed(source)


def removes_a_binding_or_uses_an_import(file: BeforeAfter) -> bool:
    """Return True if the module is removed or moved, has lost a binding, or has a new use of an import."""
    base, text = file.base_text or "", file.text
    if text is None or (base and getattr(file, "base_path", file.path) != file.path):
        return True
    return base != text and (_uses_an_import(base, text) or _removes_a_binding(base, text))


_FEW_NAMES = 50
"""Number of names searched in a source before the regular expression has matched all its names."""


def _removes_a_binding(base: str, text: str) -> bool:
    """Return True if a name is bound in the base only."""
    old, new = _differing_blocks(base, text)
    if not old or (old.endswith("\n") and new.startswith(old)):
        return False
    lost = _bound_names(old) - _bound_names(new)
    return bool(lost) and not lost <= _bound_names(text)


def _uses_an_import(base: str, text: str) -> bool:
    """Return True if the imports differ, or a new line reads an attribute of an imported module."""
    old, new = _differing_blocks(base, text)
    if "import" in old or "import" in new:
        return True
    imported = _imported_names(text)
    if len(imported) <= _FEW_NAMES and not any(f"{name}." in new for name in imported):
        return False
    if imported.isdisjoint(_OWNER.findall(new)):
        return False
    before = set(base.split("\n"))
    added = "\n".join(line for line in new.split("\n") if line not in before)
    return not imported.isdisjoint(_OWNER.findall(added))


def _differing_blocks(base: str, text: str) -> tuple[str, str]:
    """Return both versions of a module without the blocks at its start and end that are the same."""
    start, end = same_blocks(base, text)
    return base[start : len(base) - end], text[start : len(text) - end]


def _imported_names(text: str) -> set[str]:
    return {word for match in _IMPORT.finditer(text) for word in _WORD.findall(match[1])}


def _bound_names(text: str) -> set[str]:
    result = (match.group(match.lastindex or 0) for match in _BINDING.finditer(text))
    return {word for part in result for word in _WORD.findall(part)}


_BINDING = LazyPattern(
    r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)"
    r"|^[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*(?::[^=\n]+)?=(?!=)"
    r"|\bimport[ \t]*(\([^)]{0,4000}\)|[^\n(]*(?:\\\n[^\n]*)*)"
    r"|\b(?:as|for)[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)|\b(\w+)[ \t]*:=|\bglobal[ \t]+([^\n]*)",
    re.MULTILINE,
)
_IMPORT = LazyPattern(r"import[ \t]*(\([^)]{0,4000}\)|[^\n(]*(?:\\\n[^\n]*)*)")
_OWNER = LazyPattern(r"\b(\w+)\.\w")
_WORD = LazyPattern(r"\w+")


def changes_a_function(source: SourceFile) -> bool:
    return source.base_text is not None and bool(changed_functions(source.base_text, source.text))


def changes_a_documented_function(source: SourceFile) -> bool:
    return source.base_text is not None and bool(differing(source.base_text, source.text))


def documents_a_constructor(source: SourceFile) -> bool:
    """Return True if a class has a method ``__init__`` and a docstring of a file may document parameters."""
    return "def __init__(" in source.text and _PARAMETERS.search(source.text) is not None


def changes_documented_parameters(source: SourceFile) -> bool:
    return changes_a_documented_function(source) or documents_a_constructor(source)


_PARAMETERS = LazyPattern(r"(?i)\b(?:args|arguments|parameters):?[ \t]*\n|:param\b")


def has_several_arguments(source: SourceFile) -> bool:
    """Return True if an added line may be part of a call with more than one argument."""
    return any("," in line and not _DEFINES.match(line) for line in source.added_text.split("\n"))


_DEFINES = LazyPattern(r"\s*(?:(?:async\s+)?def|class|from|import)\b|\s*#")
"""A line that passes no arguments, though it may contain commas."""


# Tests of the content of the module


def may_be_decided(source: SourceFile) -> bool:
    """Return True if a module compares an expression twice, or has a condition that is a bare name."""
    if any(source.keywords.has(word) and sign.search(source.text) for word, sign in _SIGNS):
        return True
    return any(condition.search(source.text) for condition in _CONDITIONS)


_NOT_CALLED = LazyPattern(r"\.(?:lower|upper|strip)\s*(?:[=!<>]=|[<>])")
_SIGNS = (
    ("!=", LazyPattern(r"!=[^\n]*\bor\b")),
    ("!=", LazyPattern(r"or\b\s*\n?[^\n]*!=")),
    ("not in", LazyPattern(r"not in\b[^\n]*\bor\b")),
    ("==", LazyPattern(r"==[^\n]*\band\b")),
    ("type=bool", LazyPattern(r"type=bool")),
    (".lower", _NOT_CALLED),
    (".upper", _NOT_CALLED),
    (".strip", _NOT_CALLED),
    ("len(", LazyPattern(r"\)\s*(?:>=|<)\s*0\b")),
    (".lower()", LazyPattern(r"\.lower\(\)\s*[=!]=\s*[\"'][^\"'\n]*[A-Z]")),
    (".upper()", LazyPattern(r"\.upper\(\)\s*[=!]=\s*[\"'][^\"'\n]*[a-z]")),
    ("(not", LazyPattern(r"\bis \(not\b")),
    (" in (", LazyPattern(r" in \([\"'][^\"'\n]*[\"']\)")),
)
# One pattern for each word: a pattern that starts with letters is much faster than one with a choice.
_CONDITIONS = tuple(
    LazyPattern(word + r"\s+(?:\w+\.)*\w+\s*(?::\s|\)|\n|and\b|or\b|else\b)")
    for word in ("if", "while", "not", "and", "or")
)


def has_duplicate_code(source: SourceFile) -> bool:
    """Return True for a repeated condition, equal operands, or an ``else`` that starts like another line."""
    text = source.text
    if _repeats_condition(text) or source.keywords.has("elif ("):
        return True
    if any(text.endswith(equal[1], 0, equal.start()) for equal in _EQUALS.finditer(text)):
        return True
    if any(text.count(first) > 1 for first in _ELSE.findall(text)):
        return True
    sides = _JOINED.split(source.added_text)
    pairs = ((left.rstrip(" \t\n(\\"), _OPERAND.match(other)) for left, other in pairwise(sides))
    return any(operand is not None and left.endswith(operand[1].rstrip()) for left, operand in pairs)


def _repeats_condition(text: str) -> bool:
    """Return True if an ``elif`` repeats a condition above it in its chain, judging by indentation."""
    requested: dict[str, set[str]] = {}
    for depth, goes_on, condition in _IF.findall("\n" + text):
        if not goes_on:
            requested[depth] = {condition}
        elif condition in requested.setdefault(depth, set()):
            return True
        else:
            requested[depth].add(condition)
    return False


_IF = LazyPattern(r"\n([ \t]*)(el)?if ([^\n]+):\s")
_EQUALS = LazyPattern(r" == ([\w.]+\.\w+)(?![\w.(\[])")
_ELSE = LazyPattern(r"else:[^\n]*\n\s*([^\n]+)")
_JOINED = LazyPattern(r"\b(?:and|or)\b")
_OPERAND = LazyPattern(r"[\s(]*([^\s:,()][^\n:,()]*)")


def handles_request_data(source: SourceFile) -> bool:
    return source.keywords.in_lower_case.contains_any(_OF_REQUESTS)


_OF_REQUESTS = ("request", "header", "depends", "security", "authoriz", "webhook", "verif", "authentic")


def speaks_of_hosts(source: SourceFile) -> bool:
    return source.keywords.in_lower_case.contains_any(_OF_HOSTS)


_OF_HOSTS = ("host", "origin", "netloc", "domain", "referer", "referrer", "callback", "redirect", "url")


def ends_in_a_comma(source: SourceFile) -> bool:
    """Return True if an assignment may end in a comma."""
    text = source.text
    ends = (match.start() for match in _COMMA_AT_END.finditer(text))
    return any("=" in text[text.rfind("\n", 0, end) + 1 : end] for end in ends)


_COMMA_AT_END = LazyPattern(r",[ \t]*(?:#[^\n]*)?(?:\n|\Z)")


def makes_functions_in_loops(source: SourceFile) -> bool:
    """Return True if it has a lambda, or seems to define a function in a loop, judging by indentation."""
    if source.keywords.has("lambda"):
        return True
    if not source.keywords.contains_any((" def ", "\tdef ")):
        return False
    loops: list[int] = []
    for match in _LOOP_OR_FUNCTION.finditer("\n" + source.text):
        depth = match.end(1) - match.start(1)
        while loops and depth <= loops[-1]:
            loops.pop()
        if match[2] == "for":
            loops.append(depth)
        elif loops:
            return True
    return False


_LOOP_OR_FUNCTION = LazyPattern(r"\n([ \t]*)(?:async )?(for|def) ")


def has_code_behind_a_way_out(source: SourceFile) -> bool:
    """Return True if code seems to follow an exit at the same depth, judging by indentation."""
    text = source.text
    return any(_has_code_behind(text, way.end(), len(way[1])) for way in _WAY_OUT.finditer(text))


# An exit, and after blank lines and comments a line that is at the same depth, or deeper.
_WAY_OUT = LazyPattern(r"\n([ \t]+)(?:return|raise|continue|break)\b[^\n]*(?=\n(?:[ \t]*(?:#[^\n]*)?\n)*\1)")
_GOES_ON = (")", "]", "}")
_NEXT_PART = ("elif", "else", "except", "finally", "case")
_LINES_LOOKED_AT = 80


def _has_code_behind(text: str, at: int, depth: int) -> bool:
    for _ in range(_LINES_LOOKED_AT):
        end = text.find("\n", at + 1)
        line = text[at + 1 : end if end >= 0 else len(text)]
        code = line.lstrip()
        inside = len(line) - len(code)
        if code and not code.startswith(("#", *_GOES_ON)) and inside <= depth:
            return inside == depth and not code.startswith(_NEXT_PART)
        if end < 0:
            return False
        at = end
    return True


def may_dereference_none(source: SourceFile) -> bool:
    return source.keywords.contains_any(_ASKS) or _ASKED.search(source.added_text) is not None


# A call whose result is stored or accessed directly.
_ASKED = LazyPattern(r"=\s*(?:await\s+)?[\w.]+\(|\)\s*[.\[]")
_ASKS = tuple(
    f".{name}("
    for name in "match search fullmatch first last one_or_none scalar_one_or_none get_or_none find_one find"  # noqa: SIM905
    " select_one find_next find_parent find_next_sibling get".split()
)


def has_certain_comparison(source: SourceFile) -> bool:
    """Return True if it compares, and contains a value whose type is certain without an annotation."""
    text = source.keywords
    if text.contains_any(_OF_A_KIND):
        return _COMPARES.search(source.text) is not None
    return any(
        text.contains_any(words) and any(unlike.search(source.text) for unlike in comparisons)
        for words, comparisons in _UNLIKE
    )


_COMPARES = LazyPattern(r"==|!=|\bin\b(?! range)|[(\[][\"']")
_OF_A_KIND = (
    "redis", "environ", "getenv", "argv", "check_output", "subprocess.run", "encode(", "digest(", "b64",
    "input(", ".content", "read_bytes", "recv(", "tuple(", "uuid", "UUID(", "Path(",
    "urandom", "token_bytes", "struct.pack", "-> bytes", ".keys()", ".values()", "datetime",
    "request.", "'rb'", '"rb"', "urlopen", "Popen", ": bytes", ": date",
)  # fmt: skip
_UNLIKE = tuple(
    (words, (LazyPattern(f"== ?{value}"), LazyPattern(f"!= ?{value}")))
    for words, value in (
        ((": str", "str("), r"-?\d"),
        (("len(", "int(", "float(", "status_code", ": int"), r"[bru]?[\"']"),
        (("list(", "sorted(", "set(", ": list"), r"[\"'({]"),
    )
)
"""Expressions with a type, adjacent to a comparison with a type that never equals it."""


def may_change_by_halves(source: SourceFile) -> bool:
    """Return True if it changes rows in autocommit mode, or copies from one record to another."""
    text = source.keywords
    if text.contains_any(("autocommit", "isolation_level", "asyncpg", "databases")):
        return text.in_lower_case.contains_any(("update ", "insert ", "delete "))
    return (text.has(" -= ") and text.has(" += ") and text.contains_any((".save(", ".commit("))) or text.has(
        "=F("
    )
