"""What of oxlint's answers makes no sense where it stands, seen in the whole file that it looked at."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from msgspec.structs import replace

from wardround.findings import RawFinding, Span
from wardround.storage.regex_cache import bounded
from wardround.tools.parsing import map_of
from wardround_typescript.tools.oxlint_exact import EXACT, weighed

_FROM = r"(?:\bfrom|\bimport|require\(|import\()\s*[\"']"
_VITEST = _FROM + r"vitest[\"']"
_JEST = _FROM + r"(?:@jest/globals|bun:test)[\"']"
_REACT = _FROM + r"[^\"'\n]*(?:react|preact|next/)[^\"'\n]*[\"']|@jsxImportSource"
_NOT_REACT = (
    _FROM + r"(?:vue|vue-\w+|solid-js|svelte|@builder\.io/qwik|@angular/core|lit)(?:/[^\"'\n]*)?[\"']"
)
_BUILT_IN_HOOK = r"use(?:Callback|Context|Effect|LayoutEffect|Memo|Reducer|Ref|Transition)"
_LIKE_REACT = rf"\bReact\.\w|\bextends\s+(?:Pure)?Component\b|\b{_BUILT_IN_HOOK}\s*[<(]"
"""What a file has that uses React without an import; Vue and Svelte have hooks of other names as well."""
_JSX = r"</|/>"
_NAMED = r"'([^']+)'"
_HOOK_SAID = r"^React Hook (?:React\.)?(\w+)"
_LONGEST_EFFECT = 120
"""Lines above a list of dependencies in which its hook is looked for."""
_LONGEST_CHAIN = 4
"""Names made of names made of ... what is listed."""
_LISTED = r"(?<![\w.$])([A-Za-z_$][\w$]*)(?![\w$]*\s*[.?(\[])"
_ROUTER = r"\brouter\.(?:isReady|query|pathname|asPath)\b"
_SETTER = r"\[\s*[\w$]*\s*,\s*([\w$]+)\s*\]\s*=\s*(?:React\.)?use(?:State|Reducer)\b"
_MODULE = (
    r"(?m)^(?:export\s+(?:default\s+)?)?(?:async\s+)?(?:const|function|class|enum|type|interface)\s+"
    r"([A-Za-z_$][\w$]*)"
)
_IMPORTED = r"(?m)^import\s+(?:type\s+)?([^\"']+?)\s+from\b"
_MADE = (
    r"(?m)^(?P<indent>[ \t]+)(?:const\s+(?P<name>[A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=(?!=)"
    r"|(?:async\s+)?function\s+(?P<function>[A-Za-z_$][\w$]*)\s*\((?P<given>[^()\n]*)\)[^{\n]*\{)"
)
_GOES_ON = tuple(")]}?:|&.+`")
_NAME_READ = r"(?<![\w$.])([A-Za-z_$][\w$]*)"
_NO_PART = frozenset(
    {
        "Array", "Boolean", "JSON", "Math", "Number", "Object", "RegExp", "String", "URL", "URLSearchParams",
        "any", "async", "await", "boolean", "const", "decodeURIComponent", "document", "else",
        "encodeURIComponent", "false", "if", "in", "instanceof", "isNaN", "let", "navigator", "new", "null",
        "number", "parseFloat", "parseInt", "return", "string", "true", "typeof", "undefined", "unknown",
        "void", "window",
    }
)  # fmt: skip
"""Words of the language, and what is the same in every run."""
_REF = r"[rR]ef(?:\.current)?$|\.current$"
_DEFINED = r"^[ \t]*(?:export\s+)?(?:async\s+)?(?:function\s*\*?\s*|const\s+|let\s+)([A-Za-z_$][\w$]*)"
_CALLED = r"([A-Za-z_$][\w$]*)\s*\("
_ASSERTS = r"\b(?:expect|assert|should)\w*\s*[.(]"
_SMOKE = (
    r"(?i)without (?:crash|throw|error|fail)\w*|(?:does|do|should|must)(?: not|n't) (?:crash|throw|fail)"
    r"|smoke"
)
"""How a test is called that asserts by coming to its end."""
_ENTRY = r"^Function '(?:handler|main|onRequest|doGet|doPost|onOpen|onEdit)' is declared but never used"
"""What a host calls by its name in a script that is no module."""
_LONGEST_TEST = 300
"""Lines in which a call of a helper is looked for."""


class LintedFile:
    """A file that oxlint looked at, as far as its answers have to be held against it."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self._content = content

    @cached_property
    def text(self) -> str:
        return self._content.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def says(self, pattern: str) -> bool:
        """Whether a regular expression is found anywhere in the file."""
        if pattern not in self._said:
            self._said[pattern] = re.search(pattern, self.text) is not None
        return self._said[pattern]

    @cached_property
    def _said(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _starts(self) -> list[int]:
        """The byte offset of every line."""
        return [0, *(end.end() for end in re.finditer(rb"\n", self._content))]

    def span(self, offset: int, length: int) -> Span:
        """The place of a byte range of the whole file, also where oxlint saw only a script block of it."""
        start = min(max(offset, 0), len(self._content))
        end = min(start + max(length, 0), len(self._content))
        return Span(*self._position(start), *self._position(end))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        before = self._content[self._starts[line - 1] : offset].decode("utf-8", "replace")
        return line, len(before.removeprefix("\ufeff")) + 1

    @cached_property
    def test_framework(self) -> str | None:
        """The test framework the file imports, if it does."""
        if re.search(_VITEST, self.text):
            return "vitest"
        return "jest" if re.search(_JEST, self.text) else None

    @cached_property
    def asserts_by_properties(self) -> bool:
        """Return True for tests with chai, in whose assertions a property alone asserts."""
        return re.search(r"\.cy\.[jt]sx?$|(?:^|/)cypress/", self.path) is not None or self.says(
            r"""\bcy\.[a-z]\w*\(|\bfrom\s*["'](?:chai|@open-wc/testing)["']|\brequire\(["']chai["']\)"""
        )

    @cached_property
    def is_of_react(self) -> bool:
        """Whether its JSX and its functions named use... may be React's, which not every file says."""
        if self.shows_react:
            return True
        if re.search(r"\.(?:vue|svelte)(?:\.[jt]s)?$", self.path) or re.search(_NOT_REACT, self.text):
            return False
        is_script = self.path.endswith((".js", ".mjs", ".cjs"))
        return re.search(f"{_LIKE_REACT}|{_JSX}" if is_script else _LIKE_REACT, self.text) is not None

    @cached_property
    def shows_react(self) -> bool:
        """Whether it imports React, or has a name that tells and nothing that says otherwise."""
        if re.search(_REACT, self.text):
            return True
        return self.path.endswith((".tsx", ".jsx")) and not re.search(_NOT_REACT, self.text)

    @cached_property
    def has_template(self) -> bool:
        """Whether something outside of its script, or a compiler, assigns its variables."""
        return self.path.endswith((".vue", ".svelte")) or re.search(_NOT_REACT, self.text) is not None

    @cached_property
    def made_inside(self) -> dict[str, frozenset[str]]:
        """Constant or function inside another -> what it is made of that may change; those given once."""
        always = _NO_PART.union(
            re.findall(_MODULE, self.text),
            (
                name
                for given in bounded(_IMPORTED).findall(self.text)
                for name in bounded(r"[\w$]+").findall(given)
            ),
        )
        made: dict[str, frozenset[str]] = {}
        twice: set[str] = set()
        for found in re.finditer(_MADE, self.text):
            name = found["name"] or found["function"]
            given = re.findall(r"[\w$]+", found["given"] or "")
            body = _code_of(self._rest_of(found))
            of = frozenset(re.findall(_NAME_READ, body)) - always - {*given}
            twice |= {name} & made.keys()
            made[name] = of | {name} if re.search(r"\buse[A-Z]\w*\s*[<(]", body) else of - {name}
        return {name: of for name, of in made.items() if name not in twice}

    def _rest_of(self, found: re.Match[str]) -> str:
        """What follows a declaration's head, as far as its lines are set in or go on."""
        first = self.text.count("\n", 0, found.end())
        lines = [self.text[found.end() :].partition("\n")[0]]
        for line in self.lines[first + 1 : first + _LONGEST_EFFECT]:
            is_inside = _indent(line) > len(found["indent"]) or not line.strip()
            if not is_inside and not line.lstrip().startswith(_GOES_ON):
                break
            lines.append(line)
        return "\n".join(lines)

    @cached_property
    def asserting(self) -> frozenset[str]:
        """Its functions that assert something, told by names and indentation."""
        found: set[str] = set()
        open_ones: list[tuple[int, str]] = []
        for line in filter(str.strip, self.lines):
            indent = _indent(line)
            while open_ones and indent <= open_ones[-1][0] and line.lstrip()[0] not in ")]}":
                open_ones.pop()
            if defined := bounded(_DEFINED).match(line):
                open_ones.append((indent, defined[1]))
            if re.search(_ASSERTS, line):
                found.update(name for _, name in open_ones)
                open_ones.clear()  # what is around them asserts as well, and is noted already
        return frozenset(found)

    def calls_asserting(self, line: int) -> bool:
        """Whether the test that begins on a line (1-based) calls a function of the file that asserts."""
        test = self.lines[line - 1 : line - 1 + _LONGEST_TEST]
        for number, text in enumerate(test):
            if number and text.strip() and _indent(text) <= _indent(test[0]):
                return False
            if self.asserting.intersection(bounded(_CALLED).findall(text)):
                return True
        return False


def sensible(found: Sequence[RawFinding], looked: Callable[[str], LintedFile]) -> list[RawFinding]:
    """The results that a person would keep who has the file before them."""
    kept = [one for one in _of_one_test_framework(found, looked) if _is_sensible(one, looked(one.file))]
    return [_at_stale_read(weighed(one), looked) for one in _without_echo(kept, looked)]


def _of_one_test_framework(
    found: Sequence[RawFinding], looked: Callable[[str], LintedFile]
) -> list[RawFinding]:
    """Of what jest's and vitest's rules say alike, what the framework of the file says, which it imports."""
    jest = {(r.file, r.span, r.code.partition("/")[2]) for r in found if r.code.startswith("jest/")}

    def counts(result: RawFinding) -> bool:
        framework, _, code = result.code.partition("/")
        if framework not in ("jest", "vitest"):
            return True
        imported = looked(result.file).test_framework
        if imported is not None:
            return framework == imported
        return framework == "jest" or (result.file, result.span, code) not in jest

    return [result for result in found if counts(result)]


def _is_sensible(result: RawFinding, file: LintedFile) -> bool:
    """Whether a complaint fits the file: its kind, its framework, what the map says of such files."""
    family, _, name = result.code.rpartition("/")
    if family in ("react", "react-hooks", "react-perf") and not file.is_of_react:
        return False
    if result.code == "no-unassigned-vars":
        return not file.has_template
    if name == "valid-expect":  # other assertion libraries, and vitest's second argument
        return (
            "unknown modifier" not in result.message
            and "at most 1 argument" not in result.message
            and not file.asserts_by_properties
        )
    if result.code == "react-hooks/exhaustive-deps":
        return (
            file.shows_react
            and _is_missing_dependency(result.message)
            and not _follows_another(result, file)
            and not _follows_all(result, file)
        )
    if name == "expect-expect":  # one that is to show that nothing is thrown says so by its name
        is_smoke = re.search(_SMOKE, file.lines[result.span.line - 1]) is not None
        return not is_smoke and not file.calls_asserting(result.span.line)
    if result.code == "no-unused-vars" and re.search(_ENTRY, result.message):
        return file.says(r"(?m)^\s*(?:import|export)\b|\brequire\(|\bmodule\.exports\b")
    if (is_exact := EXACT.get(result.code)) is not None and not is_exact(result, file):
        return False
    content = map_of("oxlint")  # what it ignores everywhere, a project may have chosen
    return result.code in content.ignore or not content.is_ignored(result.code, result.file)


def _is_missing_dependency(message: str) -> bool:
    """Whether a dependency is missing other than a ref, which never changes; extra ones only run it more."""
    if "unnecessary depend" in message:
        return False
    names = re.findall(_NAMED, message.partition("missing depend")[2])
    return not names or not all(re.search(_REF, name) for name in names)


def _follows_another(result: RawFinding, file: LintedFile) -> bool:
    """Whether all that is missing is made of one listed thing, with which it changes."""
    names = re.findall(_NAMED, result.message.partition("missing depend")[2])
    listed = re.findall(r"(?<![\w.])[A-Za-z_$][\w$]*", file.lines[result.span.line - 1].rpartition("[")[2])
    made = "|".join(map(re.escape, listed))
    return bool(names and listed) and all(
        file.says(rf"(?m)^\s*const {re.escape(name)} = (?:\w+\()?(?:{made})\??\.\w+[\w\s|?.'\"-]*\)?;?$")
        for name in names
    )


def _follows_all(result: RawFinding, file: LintedFile) -> bool:
    """Whether all that is missing is made of what is listed, and of nothing else that changes.

    The router of Next.js stays one object: listed by a part of it, it counts as listed.
    """
    names = set(re.findall(_NAMED, result.message.partition("missing depend")[2]))
    listed = file.lines[result.span.line - 1].rpartition("[")[2].partition("]")[0]
    settled = {*re.findall(_LISTED, listed)} | ({"router"} if re.search(_ROUTER, listed) else set())
    if not names or not settled:
        return False
    settled.update(bounded(_SETTER).findall(file.text))
    for _ in range(_LONGEST_CHAIN):
        settled.update(name for name, of in file.made_inside.items() if of <= settled)
    return names <= settled


def _code_of(text: str) -> str:
    """Source without its texts and comments; of templates their holes are left."""
    text = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"|(?<!:)//[^\n]*|/\*[\s\S]*?\*/", " ", text)
    holes = [re.sub(r"\$\{([^{}]*)\}|[^$]|\$", r"\1 ", one) for one in re.findall(r"`([^`]*)`", text)]
    return " ".join([re.sub(r"`[^`]*`", " ", text), *holes])


def _at_stale_read(result: RawFinding, looked: Callable[[str], LintedFile]) -> RawFinding:
    """A missing dependency where its old value is read, not at the list, which may be a screen away."""
    hook = re.search(_HOOK_SAID, result.message)
    if result.code != "react-hooks/exhaustive-deps" or hook is None:
        return result
    lines = looked(result.file).lines
    end = result.span.line - 1
    start = next(
        (at for at in range(end, max(end - _LONGEST_EFFECT, -1), -1) if f"{hook[1]}(" in lines[at]), None
    )
    names = "|".join(map(re.escape, re.findall(_NAMED, result.message.partition("missing depend")[2])))
    if start is None or not names:
        return result
    for at in range(start, end + (start == end)):
        head = lines[at].partition(f"{hook[1]}(") if at == start else ("", "", lines[at])
        read = re.search(rf"(?<![\w$.'\"/])(?:{names})(?![\w$'\"]|\s*:)", head[2].partition("//")[0])
        if read is not None:
            column = len(head[0]) + len(head[1]) + read.start() + 1
            return replace(result, span=Span(at + 1, column, at + 1, column + len(read[0])))
    return result


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without_echo(found: Sequence[RawFinding], looked: Callable[[str], LintedFile]) -> Iterator[RawFinding]:
    """One complaint for the statements that follow one another after a return, not one for each."""
    last: RawFinding | None = None
    for result in found:
        if result.code != "no-unreachable":
            yield result
            continue
        if last is None or not _follows(last, result, looked):
            yield result
        last = result


def _follows(before: RawFinding, after: RawFinding, looked: Callable[[str], LintedFile]) -> bool:
    """Whether nothing but space stands between two places of one file."""
    if before.file != after.file or before.span.end > after.span.start:
        return False
    between = looked(before.file).lines[before.span.end_line - 1 : after.span.line]
    between[-1] = between[-1][: after.span.column - 1]
    between[0] = between[0][before.span.end_column - 1 :]
    return not any(line.strip("; \t\r") for line in between)
