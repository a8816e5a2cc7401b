"""A file as oxlint read it: positions, frameworks and declarations, found by regular expressions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.findings import RawFinding, Span
from wardround.storage.regex_cache import bounded_pattern
from wardround_typescript.generated_files import is_minified

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_FROM = r"(?:\bfrom|\bimport|require\(|import\()\s*[\"']"
_VITEST = _FROM + r"vitest[\"']"
_JEST = _FROM + r"(?:@jest/globals|bun:test)[\"']"
_REACT = _FROM + r"[^\"'\n]*(?:react|preact|next/)[^\"'\n]*[\"']|@jsxImportSource"
_NOT_REACT = (
    _FROM
    + r"(?:vue|vue-\w+|@vue/[\w-]+|(?:@[\w-]+/)?solid-[\w-]+|@solidjs/[\w-]+|svelte|@builder\.io/qwik"
    + r"|@angular/core|lit)(?:/[^\"'\n]*)?[\"']"
)
_BUILT_IN_HOOK = r"use(?:Callback|Context|Effect|LayoutEffect|Memo|Reducer|Ref|Transition)"
_LIKE_REACT = rf"\bReact\.\w|\bextends\s+(?:Pure)?Component\b|\b{_BUILT_IN_HOOK}\s*[<(]"
"""Signs of React in a file without an import; Vue and Svelte also have hooks, under other names."""
_JSX = r"</|/>"
LONGEST_EFFECT = 120
"""Number of lines above a dependency list that are searched for its hook."""
_MODULE = (
    r"(?m)^(?:export\s+(?:default\s+)?)?(?:async\s+)?(?:const|function|class|enum|type|interface)\s+"
    r"([A-Za-z_$][\w$]*)"
)
_IMPORTED = r"(?m)^import\s+(?:type\s+)?([^\"']+?)\s+from\b"
_LOCAL_DECLARATION = (
    r"(?m)^(?P<indent>[ \t]+)(?:const\s+(?P<name>[A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=(?!=)"
    r"|(?:async\s+)?function\s+(?P<function>[A-Za-z_$][\w$]*)\s*\((?P<parameters>[^()\n]*)\)[^{\n]*\{)"
)
_CONTINUATIONS = tuple(")]}?:|&.+`")
_NAME_READ = r"(?<![\w$.])([A-Za-z_$][\w$]*)"
_CONSTANT_NAMES = frozenset(
    {
        "Array", "Boolean", "JSON", "Math", "Number", "Object", "RegExp", "String", "URL", "URLSearchParams",
        "any", "async", "await", "boolean", "const", "decodeURIComponent", "document", "else",
        "encodeURIComponent", "false", "if", "in", "instanceof", "isNaN", "let", "navigator", "new", "null",
        "number", "parseFloat", "parseInt", "return", "string", "true", "typeof", "undefined", "unknown",
        "void", "window",
    }
)  # fmt: skip
"""Keywords, and globals that are the same in every run."""
_DEFINED = r"^[ \t]*(?:export\s+)?(?:async\s+)?(?:function\s*\*?\s*|const\s+|let\s+)([A-Za-z_$][\w$]*)"
_CALLED = r"([A-Za-z_$][\w$]*)\s*\("
_ASSERTS = r"\b(?:expect|assert|should)\w*\s*[.(]"
_EXPECTS = r"\bexpect\s*\(|//\s*@ts-expect-error\b"
"""An assertion of the test, or of the compiler."""
_TESTING_HELPER = (
    r"\b(?:test|expect|assert|should|check|verify)[A-Z]\w*\("
    r"|(?<![\w.])(?:strictEqual|deepStrictEqual|deepEqual|notStrictEqual|equal|rejects|throws)\("
)
"""A call of a helper such as ``testPrice(...)``, or of a function of Node's ``assert``."""
_BUILT_PATH = r"(?:^|/)\.yarn/(?:releases|sdks|plugins)/|(?:^|/)\.pnp\.[mc]?js$"
_OUTPUT_FOLDER = r"(?:^|/)(?:dist|build|lib|out)/"
_HASHED_NAME = r"-[A-Z0-9]{8}\.[mc]?js$"
"""Names with the hash of their content, as bundlers write them."""
_COMPILED = r"__webpack_require__|__nccwpck_require__|\b__esModule\b|^//# sourceMappingURL=|__toESM\("
"""Marks that bundlers and compilers write."""
_LONGEST_TEST = 300
"""Number of lines of a test that are searched for a call of a helper."""


_TEXTS = frozenset({"comment", "html_comment", "regex", "string", "template_string"})
"""Nodes of the tree whose content is text, markup or patterns."""
IN_TESTS = r"(?:^|/)(?:tests?|__tests__|__mocks__|e2e|cypress)/|\.(?:test|spec|cy|stories)\.\w+$"


def _is_code(node: Node | None) -> bool:
    while node is not None:
        if node.type in _TEXTS:
            return False
        node = node.parent
    return True


class LintedFile:
    """A linted file, against which the findings of oxlint are verified."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self._content = content

    @cached_property
    def text(self) -> str:
        return self._content.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def contains(self, pattern: str) -> bool:
        """Return True if a regular expression matches anywhere in the file."""
        if pattern not in self._matches:
            self._matches[pattern] = re.search(pattern, self.text) is not None
        return self._matches[pattern]

    def has_in_code(self, pattern: str) -> bool:
        """Return True if a regular expression matches outside of comments and strings, if it parses."""
        if not self.contains(pattern):
            return False
        from wardround.languages.script.syntax import parse_script  # loads the grammar

        root = parse_script(self.path, self.text).root
        starts = (len(self.text[: match.start()].encode()) for match in re.finditer(pattern, self.text))
        return any(_is_code(root.descendant_for_byte_range(start, start + 1)) for start in starts)

    @cached_property
    def _matches(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _starts(self) -> list[int]:
        """The byte offset of every line."""
        return [0, *(end.end() for end in re.finditer(rb"\n", self._content))]

    def span(self, offset: int, length: int) -> Span:
        """Return the span of a byte range of the file, even if oxlint read only one of its script blocks."""
        start = min(max(offset, 0), len(self._content))
        end = min(start + max(length, 0), len(self._content))
        return Span(*self._position(start), *self._position(end))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        before = self._content[self._starts[line - 1] : offset].decode("utf-8", "replace")
        return line, len(before.removeprefix("\ufeff")) + 1

    @cached_property
    def is_built(self) -> bool:
        """Return True for a file that a package manager, a bundler or a compiler wrote."""
        if re.search(_BUILT_PATH, self.path) or is_minified(self.text):
            return True
        if re.search(_OUTPUT_FOLDER, self.path) is None:
            return False
        return re.search(_HASHED_NAME, self.path) is not None or self.contains(f"(?m){_COMPILED}")

    @cached_property
    def test_framework(self) -> str | None:
        """The test framework that the file imports, if any."""
        if re.search(_VITEST, self.text):
            return "vitest"
        return "jest" if re.search(_JEST, self.text) else None

    @cached_property
    def asserts_by_properties(self) -> bool:
        """Return True for tests with chai, in whose assertions a property alone asserts."""
        return re.search(r"\.cy\.[jt]sx?$|(?:^|/)cypress/", self.path) is not None or self.contains(
            r"""\bcy\.[a-z]\w*\(|\bfrom\s*["'](?:chai|@open-wc/testing)["']|\brequire\(["']chai["']\)"""
        )

    @cached_property
    def is_of_react(self) -> bool:
        """Return True if the JSX and the ``use...`` functions of the file may be those of React."""
        if self.shows_react:
            return True
        if re.search(r"\.(?:vue|svelte)(?:\.[jt]s)?$", self.path) or re.search(_NOT_REACT, self.text):
            return False
        is_script = self.path.endswith((".js", ".mjs", ".cjs"))
        return re.search(f"{_LIKE_REACT}|{_JSX}" if is_script else _LIKE_REACT, self.text) is not None

    @cached_property
    def shows_react(self) -> bool:
        """Return True for a file that imports React, or a ``.tsx`` or ``.jsx`` file of no other framework."""
        if re.search(_REACT, self.text):
            return True
        return self.path.endswith((".tsx", ".jsx")) and not re.search(_NOT_REACT, self.text)

    @cached_property
    def has_template(self) -> bool:
        """Return True if a template or a compiler can assign the variables of the script."""
        return self.path.endswith((".vue", ".svelte")) or re.search(_NOT_REACT, self.text) is not None

    @cached_property
    def local_dependencies(self) -> dict[str, frozenset[str]]:
        """Map each local constant or function that is declared once to the variables it depends on."""
        constants = _CONSTANT_NAMES.union(re.findall(_MODULE, self.text), self._imported_names())
        dependencies: dict[str, frozenset[str]] = {}
        ambiguous: set[str] = set()
        for match in re.finditer(_LOCAL_DECLARATION, self.text):
            name = match["name"] or match["function"]
            parameters = re.findall(r"[\w$]+", match["parameters"] or "")
            body = _code_of(self._text_after_head(match))
            read = frozenset(re.findall(_NAME_READ, body)) - constants - {*parameters}
            ambiguous |= {name} & dependencies.keys()
            dependencies[name] = read | {name} if re.search(r"\buse[A-Z]\w*\s*[<(]", body) else read - {name}
        return {name: read for name, read in dependencies.items() if name not in ambiguous}

    def _imported_names(self) -> Iterator[str]:
        for clause in bounded_pattern(_IMPORTED).findall(self.text):
            yield from bounded_pattern(r"[\w$]+").findall(clause)

    def _text_after_head(self, declaration: re.Match[str]) -> str:
        """Return the text after the head of a declaration, up to the first line outside of it."""
        first = self.text.count("\n", 0, declaration.end())
        lines = [self.text[declaration.end() :].partition("\n")[0]]
        for line in self.lines[first + 1 : first + LONGEST_EFFECT]:
            is_inside = _indent_width(line) > len(declaration["indent"]) or not line.strip()
            if not is_inside and not line.lstrip().startswith(_CONTINUATIONS):
                break
            lines.append(line)
        return "\n".join(lines)

    @cached_property
    def asserting(self) -> frozenset[str]:
        """The functions of the file that assert something, by name and indentation."""
        found: set[str] = set()
        open_ones: list[tuple[int, str]] = []
        for line in filter(str.strip, self.lines):
            indent = _indent_width(line)
            while open_ones and indent <= open_ones[-1][0] and line.lstrip()[0] not in ")]}":
                open_ones.pop()
            if defined := bounded_pattern(_DEFINED).match(line):
                open_ones.append((indent, defined[1]))
            if re.search(_ASSERTS, line):
                found.update(name for _, name in open_ones)
                open_ones.clear()  # enclosing functions assert as well and are already recorded
        return frozenset(found)

    def calls_asserting(self, line: int) -> bool:
        """Return True if the test that begins on a line (1-based) asserts in a nested or called function."""
        test = self.lines[line - 1 : line - 1 + _LONGEST_TEST]
        for number, text in enumerate(test):
            if number and text.strip() and _indent_width(text) <= _indent_width(test[0]):
                return False
            if self.asserting.intersection(bounded_pattern(_CALLED).findall(text)):
                return True
            if number and re.search(f"{_EXPECTS}|{_TESTING_HELPER}", text):
                return True
        return False


def _code_of(text: str) -> str:
    """Return source without its string literals and comments; only the holes of templates stay."""
    text = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"|(?<!:)//[^\n]*|/\*[\s\S]*?\*/", " ", text)
    holes = [
        re.sub(r"\$\{([^{}]*)\}|[^$]|\$", r"\1 ", template) for template in re.findall(r"`([^`]*)`", text)
    ]
    return " ".join([re.sub(r"`[^`]*`", " ", text), *holes])


def _indent_width(line: str) -> int:
    return len(line) - len(line.lstrip())


def rest_of_line(result: RawFinding, file: LintedFile) -> str:
    """Return the line from the position of a finding."""
    return file.lines[result.span.line - 1][result.span.column - 1 :]
