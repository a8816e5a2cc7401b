from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import ancestors

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_MARK = LazyPattern(r"^['\"`](\\?['\"`<>&]|\\\\|\\[rn]|%0[aAdD]|\.\./?|\.\.\\\\|\$|\||;)['\"`]$")
"""Characters that are escaped or removed because they are dangerous."""
_MARK_ONCE = LazyPattern(r"^/(\\?['\"`<>&]|\\\\|\\[rn]|\\\.\\\.(\\?/)?|\[['\"<>&]+\])/[imsuy]*$")
_ESCAPED = LazyPattern(r"^['\"`](&\w+;|&#\w+;|\\\\\\?.|''|\\'\\'|\"\"|\\\"\\\"|\\\\\\\\|%\w\w|)['\"`]$")
_QUOTED = LazyPattern(r"^['\"`]\\\\\\?['\"`]['\"`]$")
_QUOTE_EVERYWHERE = LazyPattern(r"^/\\?['\"]/[imsuy]*g[imsuy]*$|^/\[['\"]+\]/[imsuy]*g[imsuy]*$")
_BACKSLASH = LazyPattern(r"replace(All)?\(\s*(/\\\\/|/\[[^\]\n]*\\\\|['\"]\\\\['\"]|/\(\[)")
_SEVERAL = LazyPattern(r"^/(\^)?(<\\?/?script|\\\.\\\.\\?/|\(\\\.\\\.\\?/\)|javascript:|on\\w[+*]\\s\*=)")
_SITE = LazyPattern(
    r"(?i)^['\"`](https?://)?([\w-]+\.)+(com|org|net|io|dev|app|co|edu|gov|de|fr|uk|ru|cn|jp|internal"
    r"|local|example|test)(:\d+)?['\"`]$"
)
_ADDRESS = LazyPattern(
    r"(?i)(ur[il]|href|host(name)?|origin|address|link|src|referr?er|domain|redirect\w*|target|next"
    r"|dest\w*|callback|return\w*|endpoint|webhook|site)\)?$"
)
_JUDGES = LazyPattern(
    r"(?i)allow|trust|safe|valid|permit|cors|verif|whitelist|check|guard|internal|same|own|legit"
    r"|authori[sz]|accept|secure|known"
)
_ACTS = LazyPattern(
    r"(?i)redirect\(|\bfetch\(|axios|\bgot\(|throw\b|\b40[013]\b|callback\(null, true\)|cb\(null, true\)"
    r"|openExternal|Access-Control|setHeader|loadURL|location(\.href)? ="
)
_OPEN_DOT = LazyPattern(
    r"(?i)(?<![\\\]).*+?])\.(?:[a-z0-9-]+(?:\\?\.))?(?:com|org|net|io|dev|app|edu|gov)(?![a-z])"
)
_HOST_PATTERN = LazyPattern(r"(?i)^/\^?\(?(\?:)?(https?|wss?)\??(\(s\)\?)?:|^/\^[\w\\.-]*\.(com|org|net|io)")
_NO_ANCHOR = LazyPattern(
    r"(?i)^/(?!\^)[^|]*(https?\??:|\w)[^|^]*\\\.(com|org|net|io|dev|app|edu|gov)[^|]*/[a-z]*$"
)
_NO_END = LazyPattern(r"(?i)\\\.(com|org|net|io|dev|app|edu|gov)\)?/[a-z]*$")
_TESTS = frozenset({"includes", "indexOf", "startsWith", "endsWith"})
_EMPTY = ("''", '""', "``")
_FUNCTION_ENDINGS = ("function", "_definition", "function_declaration")
_LOOPS = frozenset({"while_statement", "do_statement", "for_statement"})


class IncompleteSanitization(TreeCheck):
    """A sanitizer or a host check can be bypassed.

    ``replace`` with a string replaces the first occurrence only, removing text from the middle can join the
    rest into the removed text, and a trusted host name may occur anywhere in the URL of another host. Replace
    with a pattern with the flag g, and compare the host that ``new URL`` parses.
    """

    ID = "TS354"
    NAME = "incomplete-sanitization"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "incomplete-sanitization"
    WORDS = (
        ".replace(",
        ".includes(",
        ".indexOf(",
        "startsWith(",
        "endsWith(",
        ".test(",
        ".match(",
        "replaceAll(",
    )
    VALID = [
        code("""
            export const comma = (text) => text.replace('.', ',');
        """),
        code("""
            export const esc = (text) => text.replace(/</g, '&lt;').replaceAll('>', '&gt;');
        """),
    ]
    INVALID = [
        code("""
            export const esc = (text) => «text.replace("'", "''")»;
        """),
        code("""
            export const esc = (text) => «text.replace(/</, '&lt;')»;
        """),
    ]

    def check(self) -> None:
        for called, node in self.code.calls:
            method = called.rpartition(".")[2]
            if method in {"replace", "replaceAll"}:
                self._check_replacement(node, method)
            elif method in _TESTS and "." in called:
                self._check_test(node, called, method)
        for node in self.code.kinds("regex"):
            self._check_pattern(node)

    def _check_pattern(self, node: Node) -> None:
        text = self.text(node)
        is_host = _HOST_PATTERN.search(text) is not None
        if is_host and _OPEN_DOT.search(text):
            self.report_node(
                node, "dot of this pattern matches any character, so other hosts match; escape it"
            )
            return
        is_open = _NO_ANCHOR.search(text) or (is_host and _NO_END.search(text))
        if is_open and self._decides_acceptance(node):
            self.report_node(
                node, "pattern also matches URLs of other hosts that contain this one; anchor it at both ends"
            )

    # Sanitizers.

    def _check_replacement(self, node: Node, method: str) -> None:
        from wardround.languages.script.code import argument

        first, second = argument(node, 0), argument(node, 1)
        if first is None or second is None or second.type not in {"string", "template_string"}:
            return
        message = self._problem(node, method, self.text(first), self.text(second))
        if message:
            self.report_node(node, message)

    def _problem(self, node: Node, method: str, pattern: str, replacement: str) -> str:
        """Return the message for a replacement that leaves something dangerous; empty for others."""
        if _replaces_once(method, pattern, replacement) and not self._is_in_loop(node):
            return "only the first occurrence is replaced; use a pattern with the flag g"
        if _removes_several(pattern, replacement) and not self._is_in_loop(node):
            return "the rest can join into the removed text; repeat until nothing changes"
        if _escapes_quotes(pattern, replacement) and not self._escapes_backslash(node):
            return "a backslash before the quote defeats the escape; escape backslashes as well"
        return ""

    def _is_in_loop(self, node: Node) -> bool:
        return any(around.type in _LOOPS for around in _nodes_within_function(node))

    def _escapes_backslash(self, node: Node) -> bool:
        return _BACKSLASH.search(self.text(self.reader.function_around(node) or _statement(node))) is not None

    # Host checks.

    def _check_test(self, node: Node, called: str, method: str) -> None:
        from wardround.languages.script.code import argument

        site = self.reader.literal(argument(node, 0))
        owner = called.rpartition(".")[0]
        if site is None or not _SITE.search(f"'{site}'") or not _ADDRESS.search(owner):
            return
        if _is_exact_test(method, site, owner) or not self._decides_acceptance(node):
            return
        self.report_node(node, "URLs of other hosts can contain this text; compare the host of new URL")

    def _decides_acceptance(self, node: Node) -> bool:
        """Return True if a test decides whether something is accepted."""
        if _JUDGES.search(self.reader.names_around(node)):
            return True
        for around in _nodes_within_function(node):
            if around.type in {"if_statement", "ternary_expression"}:
                return _ACTS.search(self.text(around)[:600]) is not None
        return False


def _nodes_within_function(node: Node) -> Iterator[Node]:
    """Yield the nodes around a node up to its function."""
    return takewhile(lambda around: not around.type.endswith(_FUNCTION_ENDINGS), ancestors(node))


def _statement(node: Node) -> Node:
    """Return the statement or declaration that contains a node, or else the program."""
    around = node
    while around.parent is not None and not around.type.endswith(("statement", "declaration")):
        around = around.parent
    return around


def _replaces_once(method: str, pattern: str, replacement: str) -> bool:
    """Return True for an escape of the first occurrence only."""
    is_once = method == "replace" and (_MARK.search(pattern) or _MARK_ONCE.search(pattern))
    return bool(is_once) and _ESCAPED.search(replacement) is not None


def _removes_several(pattern: str, replacement: str) -> bool:
    """Return True for the removal of a string of several characters."""
    return replacement in _EMPTY and _SEVERAL.search(pattern) is not None


def _escapes_quotes(pattern: str, replacement: str) -> bool:
    return _QUOTE_EVERYWHERE.search(pattern) is not None and _QUOTED.search(replacement) is not None


def _is_exact_test(method: str, site: str, owner: str) -> bool:
    """Return True for a test that other hosts do not pass."""
    if method == "startsWith":
        return "://" not in site
    if method == "endsWith":
        return site.startswith(".")
    is_host = owner.endswith(("host", "hostname"))
    return is_host and method in {"includes", "indexOf"} and "://" in site
