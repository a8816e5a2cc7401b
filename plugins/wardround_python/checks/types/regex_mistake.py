from __future__ import annotations

import ast
import re

from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_CALLS = frozenset({"compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
_LETTERS = LazyPattern(r"\[\^?[^\]]*(?<!\\)A-z")
_SIGNS = LazyPattern(r"\[\^?(?:[^\]\\]|\\.)*[\w+%]([+,.])-([./:;@])")
_LOST_P = LazyPattern(r"(?<!\\)\((?!\?)P[<=]\w+[>)]")
_HALF_ANCHORED = LazyPattern(r"\^[^|()\[\]^$]+\|(?:[^|()\[\]^$]+\|)*[^|()\[\]^$]+\$")
_HOST = LazyPattern(
    r"https?(?::|\\:)(?://|\\/\\/)(?:\(\?:www\\?\.\)\?)?(?:[\w-]+\\?\.){0,4}[\w-]+(?<!\\)\.(?:com|org|net|io|dev|de|gov)\b"
)
_OR_IN_CLASS = LazyPattern(r"(?<!\\)\[\^?[A-Za-z0-9]\|[A-Za-z0-9]\|[^\]]*\]")
_EMPTY_CHOICE = LazyPattern(r"(?<!\\)\|\|")
_CLASSES = LazyPattern(r"\\.|\[[^\]]*\]")
_BEYOND_END = LazyPattern(r"\$[A-Za-z0-9]")
_TAG_FILTER = LazyPattern(r"(?i)<[^<>]{0,20}script")
_BACKSPACE = LazyPattern("\x08\\w|\\w\x08")


class RegexMistake(PythonCheck):
    """A regular expression has a mistake.

    It does not compile, or a range includes unintended characters (``A-z`` includes ``[``, ``^`` and ``_``),
    or ``^`` and ``$`` apply to the first and last alternative only, or ``\b`` is a backspace because the
    string has no ``r`` prefix.
    """

    ID = "PY078"
    NAME = "regex-mistake"
    WORDS = (
        "re.compile(", "re.match(", "re.search(", "re.sub(", "re.findall(", "re.split(", "re.fullmatch(",
        "re.finditer(", "re.subn(", "from re import",
    )  # fmt: skip
    DEFECT_CLASS = "pattern-mistake"
    VALID = [
        code("""
            import re
            P = re.compile(r'^(?:a|b)$')
        """),
        code("""
            import re
            P = re.compile(r'[A-Za-z0-9_.+-]+@x')
        """),
    ]
    INVALID = [
        code("""
            import re
            P = re.compile(«r'(a'»)
        """),
        code("""
            import re
            P = re.compile(«r'[A-z]+'»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if last_name(node.func) not in _CALLS or not node.args:
            return
        pattern = node.args[0]
        if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str):
            return
        name = self.module.imported_name(node.func) or ""
        if name.startswith("re.") and name[3:] in _CALLS and self.adds(node):
            self._check_pattern(node, name, pattern, pattern.value)

    def _check_pattern(self, node: ast.Call, name: str, pattern: ast.Constant, text: str) -> None:
        flags = self._flags(node)
        description = self._mistake(text, "re.X" in flags or "VERBOSE" in flags, "re.M" in flags)
        if description:
            self.report(self.module.span(pattern), description)
        elif _TAG_FILTER.search(text) and self._removes_scripts(node, name):
            self.report(
                self.module.span(pattern),
                "a pattern does not sanitize HTML: </script > and <img onerror=...> pass; use nh3",
            )
        elif name in ("re.sub", "re.subn") and len(node.args) > 1:
            self._check_groups(text, node.args[1])

    def _mistake(self, pattern: str, is_verbose: bool, has_lines: bool) -> str:
        if _BACKSPACE.search(pattern):
            return "without an r before the text, \\b is a backspace"
        try:
            re.compile(pattern, re.VERBOSE if is_verbose else 0)
        except (re.error, RecursionError, OverflowError) as cause:
            return f"the pattern does not compile: {cause}"
        if _LETTERS.search(pattern):
            return "A-z includes the characters between Z and a; write A-Za-z"
        signs = _SIGNS.search(pattern)
        if signs:
            return f"{signs[1]}-{signs[2]} is a range of characters here; put the - last"
        if _LOST_P.search(pattern):
            return "a named group begins with (?P<"
        if _HOST.search(pattern):
            return "the dot in the host name matches any character; write \\."
        if _OR_IN_CLASS.search(pattern):
            return "inside [ ] the | is a literal character; remove it or use a group"
        if _EMPTY_CHOICE.search(pattern):
            return "an empty alternative matches everything; remove one |"
        if not has_lines and "(?" not in pattern[:2] and _BEYOND_END.search(_CLASSES.sub("", pattern)):
            return "$ matches the end of the text, so nothing can follow it; write \\$ for the character"
        if _HALF_ANCHORED.fullmatch(pattern):
            return (
                "^ applies to the first alternative only and $ to the last; put the alternatives into a group"
            )
        return ""

    def _removes_scripts(self, node: ast.Call, name: str) -> bool:
        """Return True if a pattern for script tags removes them from a string that is shown afterwards."""
        if "script" not in str(getattr(node.args[0], "value", "")).lower():
            return False
        if name in ("re.sub", "re.subn"):
            return True
        parent = self.module.parents[node]
        target = parent.targets[0] if isinstance(parent, ast.Assign) else None
        return isinstance(target, ast.Name) and f"{target.id}.sub(" in self.source.text

    def _flags(self, node: ast.Call) -> str:
        return " ".join(unparse(argument) for argument in [*node.args[1:], *(k.value for k in node.keywords)])

    def _check_groups(self, pattern: str, replacement: ast.expr) -> None:
        if not isinstance(replacement, ast.Constant) or not isinstance(replacement.value, str):
            return
        count = re.compile(pattern).groups
        for number in re.findall(r"(?<!\\)\\([1-9])(?!\d)", replacement.value):
            if int(number) > count:
                self.report(
                    self.module.span(replacement), f"the pattern has no group {number}: this raises re.error"
                )
                return
