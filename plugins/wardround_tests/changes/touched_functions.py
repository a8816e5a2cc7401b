"""Public functions and methods that a change modifies, and their uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import msgspec

from wardround.checks.source import ChangedFileView
from wardround.findings import Span
from wardround.storage.regex_cache import bounded_pattern
from wardround_tests.changes.sibling_tests import imports_module, module_name

_LINES = 3
"""Minimum number of lines of a function that deserves a test."""
_PYTHON = r"^(?:async )?def ([a-z]\w*)\("
_SCRIPT = (
    r"^(?:export (?:default )?)?(?:async )?(?:function\*? ([A-Za-z_$][\w$]*)|"
    r"const ([A-Za-z_$][\w$]*)[ \t]*(?::[^=\n]+)?= (?:async )?(?:\(|function|<))"
)
_CLASS = r"(export (default )?)?(abstract )?class [A-Z]"
_CALLED_BY_FRAMEWORKS = (
    r"\([^()\n]*(?:Form|View|Handler|Serializer|Schema|Middleware|Command|Admin|Field|Widget|Visitor|Encoder"
    r"|Transformer|Decoder|Formatter|Plugin)\b"
)
"""Bases of Python classes whose methods a framework calls by their names, and tests reach through it."""
_METHOD = r"    (?:async )?def ([a-z]\w{3,})\((?:self|cls)\b"
_SCRIPT_METHOD = (
    r"  (?:public |static |async )*([a-z]\w{3,})(?:<[^>]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\)[^;={]*\{\s*$"
)
_NO_METHODS = frozenset(
    {"constructor", "render", "switch", "while", "catch", "function", "toString", "forEach"}
)
_DECIDES = (
    r"\b(?:if|elif|for|while|switch|match|case|try|catch|except|raise|throw)\b|&&|\|\||\?\?|\? |"
    r"\.(?:map|filter|reduce|some|every|find\w*|sort|flatMap)\(|\w[)\]]* (?:[-+*/%]|[<>]=?|[!=]==?) \S"
)
"""Branches, loops, calls and arithmetic of a function that make it worth a test."""
_EXPORTS = (
    r"(?m)(module\.exports\s*=|^export)\s*\{[^}]*\}|"
    r"^(?:(?:module\.)?exports(?:\.\w+)? = |export default )[\w$]+;?$|"
    r"^__all__ = [^\]]*\]|#.*|//.*"
)
"""Exports and comments, which name a function and do not use it."""
_WORDS = r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|/\*[\s\S]*?\*/|(?<!:)//[^\n]*|#[^\n]*|\"[^\"\n]*\"|'[^'\n]*'"
_HOOKS = frozenset(
    {
        "main", "setup", "teardown", "ready", "loader", "action", "clientLoader", "clientAction", "load",
        "register",
        "meta", "links", "headers", "handle", "middleware", "generateMetadata", "generateStaticParams",
        "generateViewport", "getServerSideProps", "getStaticProps", "getStaticPaths", "getInitialProps",
        "handler",
        "hydrate", "upgrade", "downgrade", "up", "down", "activate", "deactivate", "includeme", "app_ready",
        "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "__getattr__", "lambda_handler",
    }
)  # fmt: skip
"""Functions that a framework calls by name, so tests reach them through the framework."""


class TouchedFile(msgspec.Struct, frozen=True, dict=True):
    """A changed file and its public functions that the change modifies."""

    file: ChangedFileView
    functions: tuple[TouchedFunction, ...]

    def is_new(self, function: TouchedFunction) -> bool:
        """Return True if a function is new in an existing file."""
        base = self.file.base_text
        return base is not None and not function.is_in(base)

    def is_worth_a_test(self, function: TouchedFunction) -> bool:
        """Return True if a function is new and has branches, loops, calls or arithmetic."""
        if self.file.base_text is not None and function.is_in(self.file.base_text):
            return False
        lines = self.file.lines
        body = "\n".join(lines[function.start - 1 : _end(lines, function.start)])
        return re.search(_DECIDES, re.sub(_WORDS, "", body)) is not None

    @cached_property
    def methods(self) -> tuple[TouchedFunction, ...]:
        """Public methods that the change modifies."""
        return tuple(_changed_methods(self.file))

    @cached_property
    def words(self) -> tuple[str, ...]:
        return (module_name(self.file.path), *(function.name for function in self.functions))

    @cached_property
    def _name_pattern(self) -> re.Pattern[str]:
        return re.compile(r"\b(" + "|".join(map(re.escape, self.words)) + r")\b")

    def named_in(self, text: str) -> bool:
        """Return True if a test's source names one of the functions or their module."""
        return self._name_pattern.search(text) is not None

    def is_imported_by(self, text: str, test: str) -> bool:
        """Return True if a test imports their module."""
        return imports_module(text, test, self.file.path)

    def is_imported_by_any(self, test_texts: Mapping[str, str]) -> bool:
        return any(self.is_imported_by(text, test) for test, text in test_texts.items())

    def is_component(self, function: TouchedFunction) -> bool:
        """Return True if a function is a component, which the tests of its users render as well."""
        return self.file.path.endswith((".tsx", ".jsx")) and function.name[:1].isupper()

    def leaves_unused(self, function: TouchedFunction) -> bool:
        """Return True if the file does not use a function, which is not an existing component."""
        is_candidate = self.is_new(function) or not self.is_component(function)
        return is_candidate and not is_used(function.name, self.file.text or "")


class TouchedFunction(msgspec.Struct, frozen=True):
    """A public function that the change modifies, and its first added line."""

    name: str
    place: int
    start: int = 0

    def span(self, file: ChangedFileView) -> Span:
        """Return the span from its definition to its first added line."""
        text = file.lines[self.place - 1]
        return Span(self.start or self.place, 1, self.place, len(text) + 1)

    def is_in(self, text: str) -> bool:
        """Return True if a source names it."""
        return self.name in text and re.search(rf"\b{re.escape(self.name)}\b", text) is not None


def _is_hook(name: str) -> bool:
    return name in _HOOKS or name.startswith(("pytest_", "wardround_", "on_"))


def aliases_of(name: str, text: str) -> Iterator[str]:
    """Yield the aliases of a function that a module imports, exports or registers."""
    word = re.escape(name)
    for found in re.finditer(
        rf"(?<![\w$]){word}\s+as\s+([A-Za-z_$][\w$]*)|(?<![\w$])([A-Za-z_$][\w$]*)[\"']?\s*[:=]\s*{word}(?=\s*[,;)}}\n]|$)",
        text,
    ):
        alias = found[1] or found[2]
        if alias not in (name, "default"):
            yield alias


def changed_functions(file: ChangedFileView) -> Iterator[TouchedFunction]:
    """Yield top-level public functions of some size with an added line of code."""
    is_python = file.path.endswith(".py")
    text = file.text or ""
    lines = text.split("\n")
    for number, match in _numbered_matches(
        re.finditer(_PYTHON if is_python else _SCRIPT, text, re.MULTILINE)
    ):
        name = next(filter(None, match.groups()))
        before = lines[number - 2] if number > 1 else ""
        if _is_end_of_decorator(before) or _is_hook(name):
            continue
        if is_python or match[0].startswith("export ") or _is_exported(name, text):
            yield from _extended_functions(file, name, number, _end(lines, number))


def _numbered_matches(matches: Iterator[re.Match[str]]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield matches in one source with the numbers of their first lines."""
    number, counted_to = 1, 0
    for match in matches:
        number += match.string.count("\n", counted_to, match.start())
        counted_to = match.start()
        yield number, match


def _is_end_of_decorator(line: str) -> bool:
    """Return True if a line is a decorator, or the end of one."""
    return line.startswith(("@", ")"))


def _extended_functions(file: ChangedFileView, name: str, start: int, end: int) -> Iterator[TouchedFunction]:
    """Yield a function if it has some size and an added line of code."""
    if end - start < _LINES:
        return
    lines = file.lines
    added = (n for n in range(start, end + 1) if file.is_added(n) and lines[n - 1].strip())
    first = next(added, None)
    if first is not None:
        yield TouchedFunction(name, first, start)


def _changed_methods(file: ChangedFileView) -> Iterator[TouchedFunction]:
    """Yield public methods of some size of top-level public classes with an added line of code."""
    is_python = file.path.endswith(".py")
    method, indent = (_METHOD, 4) if is_python else (_SCRIPT_METHOD, 2)
    lines = file.lines
    in_class = False
    for number, line in enumerate(lines, 1):
        if line and not line[0].isspace() and line[0] not in ")]}":
            in_class = _is_public_class(line)
        match = re.match(method, line) if in_class else None
        if match is None or match[1] in _NO_METHODS or _is_end_of_decorator(lines[number - 2].lstrip()):
            continue
        end = _end_within(lines, number, indent)
        yield from _extended_functions(file, match[1], number, end)


def _is_public_class(line: str) -> bool:
    return re.match(_CLASS, line) is not None and re.search(_CALLED_BY_FRAMEWORKS, line) is None


def _end_within(lines: Sequence[str], start: int, depth: int) -> int:
    """Return the last line of a method: it ends before the next line that is not indented deeper."""
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if line.strip() and len(line) - len(line.lstrip()) <= depth and line.strip()[0] not in ")]}":
            return number - 1
    return len(lines)


def _is_exported(name: str, text: str) -> bool:
    """Return True if a script exports a function separately from its definition."""
    if name.isidentifier():
        return name in _exported_names(text)
    return (
        bounded_pattern(
            rf"(module\.exports\s*=|^export)\s*\{{[^}}]*\b{re.escape(name)}\b|exports\.{re.escape(name)}\s*=|"
            rf"(module\.exports\s*=|^export default)\s*{re.escape(name)}\b",
            re.MULTILINE,
        ).search(text)
        is not None
    )


@lru_cache(maxsize=4)
def _exported_names(text: str) -> frozenset[str]:
    """Return the names that a script exports separately, except those with a dollar sign."""
    lists = re.findall(r"(?:module\.exports\s*=|^export)\s*\{([^}]*)", text, re.MULTILINE)
    alone = re.findall(r"(?:module\.exports\s*=|^export default)\s*(\w+)", text, re.MULTILINE)
    return frozenset([*re.findall(r"\w+", " ".join(lists)), *re.findall(r"exports\.(\w+)\s*=", text), *alone])


def is_used(name: str, text: str) -> bool:
    """Return True if a module uses a function, or its name as text, beyond its definition and export."""
    if re.search(rf"(?<!exports)\.{re.escape(name)}\b", text):
        return True
    rest = re.sub(_EXPORTS, "", text)
    if re.search(rf"[\"']{re.escape(name)}[\"']", rest):
        return True
    return len(re.findall(rf"(?m)(?<![\w$.]){re.escape(name)}(?:\s*[(,)\]}};]|<|[^\S\n]*$)", rest)) > 1


def _end(lines: Sequence[str], start: int) -> int:
    """Return the last line of a top-level definition: it ends before the next unindented line."""
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if line and not line[0].isspace() and line[0] not in ")]}":
            return number - 1
    return len(lines)
