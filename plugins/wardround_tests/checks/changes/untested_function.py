"""TE201: new or changed public functions that no test names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice

import msgspec

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import change
from wardround.checks.source import ChangedFileView, ChangeView
from wardround.findings import Severity, Span
from wardround.storage.regex_cache import bounded
from wardround_tests.changes.line_diff import added_lines
from wardround_tests.changes.sibling_tests import has_tested_neighbour, imports, module_name
from wardround_tests.file_kinds import (
    CODE,
    IN_TESTS,
    PYTHON_TESTS,
    SCRIPT_ENDINGS,
    SCRIPT_TESTS,
    is_production,
    is_test,
)

_FILES = 12
"""Maximum number of changed files of a language that are checked."""
_READ = 60
"""Maximum number of files read for the names they use; with more, everything counts as tested."""
_HINTS = 3
"""Maximum number of files of a language whose nearest tests are reported."""
_NEAR = 6.5
"""Minimum score of a reported nearest test; ``evals/covering.py hints`` measures its precision."""
_LINES = 3
"""Minimum number of lines of a function that deserves a test."""
_SOURCES = tuple(f"*.{ending}" for ending in ("py", *SCRIPT_ENDINGS, "vue", "svelte"))
_PYTHON = r"^(?:async )?def ([a-z]\w*)\("
_SCRIPT = (
    r"^(?:export (?:default )?)?(?:async )?(?:function\*? ([A-Za-z_$][\w$]*)|"
    r"const ([A-Za-z_$][\w$]*)[ \t]*(?::[^=\n]+)?= (?:async )?(?:\(|function|<))"
)
_CLASS = r"(export (default )?)?(abstract )?class [A-Z]"
_METHOD = r"    (?:async )?def ([a-z]\w{3,})\((?:self|cls)\b"
_SCRIPT_METHOD = (
    r"  (?:public |static |async )*([a-z]\w{3,})(?:<[^>]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\)[^;={]*\{\s*$"
)
_NO_METHODS = frozenset(
    {"constructor", "render", "switch", "while", "catch", "function", "toString", "forEach"}
)
_PRIVATE = r"(^|/)(_(?!_init__)[^/]*|internals?|private)(/|\.)"
_DECIDES = (
    r"\b(?:if|elif|for|while|switch|match|case|try|catch|except|raise|throw)\b|&&|\|\||\?\?|\? |"
    r"\.(?:map|filter|reduce|some|every|find\w*|sort|flatMap)\(|\w[)\]]* (?:[-+*/%]|[<>]=?|[!=]==?) \S"
)
"""Branches, loops, calls and arithmetic of a function that make it worth a test."""
_WORDS = r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|/\*[\s\S]*?\*/|(?<!:)//[^\n]*|#[^\n]*|\"[^\"\n]*\"|'[^'\n]*'"
_ASSERTS = r"\bassert|\bexpect\(|\bshould\b|\braises\("


class UntestedFunction(ChangeCheck):
    """A public function is new in a tested folder, and no test names it or imports its module.

    Whatever it does, the tests pass. Add a test for it or for the code that calls it. A changed function of a
    tested module that no test names is reported as well.
    """

    ID = "TE201"
    NAME = "untested-function"
    SEVERITY = Severity.INFO
    PATHS = CODE
    VALID = [
        change(
            {
                "shop.py": (
                    """
                    def price(x):
                        return x
                    """,
                    """
                    def price(x):
                        return total([x])

                    def total(xs):
                        if not xs:
                            return 0
                        return sum(xs)
                    """,
                ),
            },
            others={
                "tests/test_shop.py": """
                from shop import price
                def test_a():
                    assert price(1) == 1
                """,
            },
        ),
        change(
            {
                "shop.py": (
                    None,
                    """
                    def total(xs):
                        if not xs:
                            return 0
                        return sum(xs)
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop.py": (
                    """
                    def price(x):
                        return x
                    """,
                    """
                    def price(x):
                        return x

                    «def total(xs):»
                        if not xs:
                            return 0
                        return sum(xs)
                    """,
                ),
            },
            others={
                "tests/test_shop.py": """
                from shop import price
                def test_a():
                    assert price(1) == 1
                """,
            },
        ),
        change(
            {
                "lib/shop.js": (
                    """
                    exports.price = 1
                    """,
                    """
                    exports.price = 1
                    «function total(xs) {»
                      let sum = 0
                      for (const x of xs) sum += x
                      return sum
                    }
                    exports.total = total
                    """,
                ),
            },
            others={
                "test/shop.test.js": """
                const { price } = require('../lib/shop')
                """,
            },
        ),
    ]

    def __init__(self, change: ChangeView) -> None:
        super().__init__(change)
        self._test_files: dict[Sequence[str], list[str]] = {}
        self._neighbours: dict[tuple[str, str], bool] = {}

    def run(self) -> None:
        for patterns, of_language in ((PYTHON_TESTS, True), (SCRIPT_TESTS, False)):
            found = (Touched(f, tuple(_changed_functions(f))) for f in self._candidates(of_language))
            touched = list(islice((one for one in found if one.functions or one.methods), _FILES))
            test_texts = self._texts_naming(touched, patterns)
            if test_texts is None:
                continue
            untested = self._untested(touched, test_texts, patterns)
            reported = {one.file.path for one in untested}
            untested = [one for one in untested if not self._is_reached_by_alias(one, patterns)]
            self._check_unused([one for one in touched if one.file.path not in reported], test_texts)
            hints = self._hints(untested[:_HINTS], patterns)
            for one in untested:
                self._report(one, next(hints, ""))

    def _candidates(self, is_python: bool) -> Iterator[ChangedFileView]:
        for file in self.change.files:
            of_language = file.path.endswith(".py") is is_python
            if of_language and is_production(file.path) and not re.search(_PRIVATE, file.path) and file.text:
                yield file

    def _texts_naming(self, touched: Sequence[Touched], patterns: Sequence[str]) -> dict[str, str] | None:
        """Return the changed tests and those that name a changed function.

        None without tests or with too many.
        """
        texts = {f.path: f.text for f in self.change.files if is_test(f.path) and f.text is not None}
        if not touched:
            return texts
        words = sorted({word for one in touched for word in one.words})
        project = self.change.project
        if not any(map(is_test, project.paths(patterns))):
            return None
        test_texts = [path for path in project.files_with_word(words, patterns) if is_test(path)]
        if len(test_texts) > _READ:
            return None
        return texts | {path: project.read(path) or "" for path in test_texts if path not in texts}

    def _untested(
        self, touched: Sequence[Touched], test_texts: Mapping[str, str], patterns: Sequence[str]
    ) -> list[Touched]:
        """Return the files with new functions that no test names, in folders with tested modules."""
        untested = [
            one for one in touched if one.functions and not any(map(one.named_in, test_texts.values()))
        ]
        candidates = ((one, tuple(filter(one.is_worth_a_test, one.functions))) for one in untested)
        is_python = patterns is PYTHON_TESTS
        if any(is_test(f.path) and f.path.endswith(".py") is is_python for f in self._files_with_assertions):
            candidates = (
                (one, tuple(f for f in fs if not self._is_called(f, one))) for one, fs in candidates
            )
        changed = [Touched(one.file, functions) for one, functions in candidates if functions]
        return [one for one in changed if self._has_tested_neighbour(one.file.path, patterns)]

    def _is_reached_by_alias(self, one: Touched, patterns: Sequence[str]) -> bool:
        """Return True if tests name a function by an alias of another module: ``total as sum_of``."""
        project, names = self.change.project, [function.name for function in one.functions]
        users = project.files_with_word(sorted(names), _SOURCES)
        if len(users) > _READ:
            return True
        texts = [project.read(path) or "" for path in users]
        aliases = {alias for name in names for text in texts for alias in _aliases(name, text)}
        return bool(aliases) and any(map(is_test, project.files_with_word(sorted(aliases), patterns)))

    @cached_property
    def _files_with_assertions(self) -> list[ChangedFileView]:
        """Changed files with new assertions: they may test new functions through their callers."""
        return [f for f in self.change.files if any(re.search(_ASSERTS, line) for _, line in added_lines(f))]

    def _is_called(self, function: TouchedFunction, one: Touched) -> bool:
        """Return True if code of the change uses a function."""
        return _is_used(function.name, one.file.text or "") or self._is_in_change(function, one)

    def _has_tested_neighbour(self, path: str, patterns: Sequence[str]) -> bool:
        """Return True if the folder has tested modules; cached by folder and extension."""
        key = (path.rpartition("/")[0], path.rpartition(".")[2])
        if key not in self._neighbours:
            new = [f.path for f in self.change.files if f.base_path is None]
            self._neighbours[key] = has_tested_neighbour(self.change.project, path, patterns, new)
        return self._neighbours[key]

    def _check_unused(self, touched: Sequence[Touched], test_texts: Mapping[str, str]) -> None:
        """Report new functions of tested modules that neither tests nor other code use."""
        old = (one for one in touched if one.file.base_text is not None)
        tested = [
            one for one in old if any(one.is_imported_by(text, test) for test, text in test_texts.items())
        ]
        unused = [(one, function) for one in tested for function in (*one.functions, *one.methods)]
        unused = [pair for pair in unused if not any(map(pair[1].is_in, test_texts.values()))]
        unused = [pair for pair in unused if pair[0].is_new(pair[1]) or not pair[0].is_component(pair[1])]
        unused = [pair for pair in unused if not _is_used(pair[1].name, pair[0].file.text or "")]
        unused = [(one, function) for one, function in unused if not self._is_in_change(function, one)][
            :_HINTS
        ]
        if not unused:
            return
        project = self.change.project  # the expensive search runs last, and once
        uses = project.files_with_word(sorted({function.name for _, function in unused}), _SOURCES)
        texts = {path: project.read(path) or "" for path in uses[:_READ]}
        for one, function in unused if len(uses) <= _READ else ():
            if any(function.is_in(text) for path, text in texts.items() if path != one.file.path):
                continue
            how = "is new, but neither a test nor other code uses it; add a test"
            if not one.is_new(function):
                how = "changes, but no test names it although its module is tested; add a test"
            self.report(one.file.path, function.span(one.file), f'"{function.name}" {how}')

    def _is_in_change(self, function: TouchedFunction, one: Touched) -> bool:
        """Return True if another changed file names a function."""
        return any(function.is_in(f.text or "") for f in self.change.files if f.path != one.file.path)

    def _tests_of(self, patterns: Sequence[str]) -> list[str]:
        """Return the test files of a language; cached."""
        if patterns not in self._test_files:
            found = self.change.project.files_with_word(IN_TESTS, patterns)
            self._test_files[patterns] = list(filter(is_test, found))
        return self._test_files[patterns]

    def _hints(self, untested: Sequence[Touched], patterns: Sequence[str]) -> Iterator[str]:
        """Yield the nearest test of each file, if near enough, as the end of a message."""
        from wardround_tests.nearest_test import Nearest, subject_of  # what reads tests is not needed before

        nearest = Nearest(self.change.project, self._tests_of(patterns))
        for one in untested:
            found = nearest.to(subject_of(one.file, one.functions[0].name))
            yield f"; nearest: {found.case.id}" if found is not None and found.score >= _NEAR else ""

    def _report(self, one: Touched, hint: str) -> None:
        first, *rest = one.functions
        others = f" or {len(rest)} more in this file" if rest else ""
        self.report(
            one.file.path,
            first.span(one.file),
            f'no test names "{first.name}"{others} or imports its module; add a test{hint}',
        )


class Touched(msgspec.Struct, frozen=True, dict=True):
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
        lines = (self.file.text or "").split("\n")
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
    def _named(self) -> re.Pattern[str]:
        return re.compile(r"\b(" + "|".join(map(re.escape, self.words)) + r")\b")

    def named_in(self, text: str) -> bool:
        """Return True if a test's text names one of the functions or their module."""
        return self._named.search(text) is not None

    def is_imported_by(self, text: str, test: str) -> bool:
        """Return True if a test imports their module."""
        return imports(text, test, self.file.path)

    def is_component(self, function: TouchedFunction) -> bool:
        """Return True if a function is a component, which the tests of its users render as well."""
        return self.file.path.endswith((".tsx", ".jsx")) and function.name[:1].isupper()


class TouchedFunction(msgspec.Struct, frozen=True):
    """A public function that the change modifies, and its first added line."""

    name: str
    place: int
    start: int = 0

    def span(self, file: ChangedFileView) -> Span:
        """Return the span from its definition to its first added line."""
        text = (file.text or "").split("\n")[self.place - 1]
        return Span(self.start or self.place, 1, self.place, len(text) + 1)

    def is_in(self, text: str) -> bool:
        """Return True if a text names it."""
        return self.name in text and re.search(rf"\b{re.escape(self.name)}\b", text) is not None


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


def _is_hook(name: str) -> bool:
    return name in _HOOKS or name.startswith(("pytest_", "wardround_", "on_"))


def _aliases(name: str, text: str) -> Iterator[str]:
    """Yield the aliases of a function that a module imports, exports or registers."""
    word = re.escape(name)
    for found in re.finditer(
        rf"(?<![\w$]){word}\s+as\s+([A-Za-z_$][\w$]*)|(?<![\w$])([A-Za-z_$][\w$]*)[\"']?\s*[:=]\s*{word}(?=\s*[,;)}}\n]|$)",
        text,
    ):
        alias = found[1] or found[2]
        if alias not in (name, "default"):
            yield alias


def _changed_functions(file: ChangedFileView) -> Iterator[TouchedFunction]:
    """Yield top-level public functions of some size with an added line of code."""
    pattern = _PYTHON if file.path.endswith(".py") else _SCRIPT
    text = file.text or ""
    lines = text.split("\n")
    number, counted_to = 1, 0
    for match in re.finditer(pattern, text, re.MULTILINE):
        number += text.count("\n", counted_to, match.start())
        counted_to = match.start()
        if number > 1 and lines[number - 2].startswith(("@", ")")):  # a decorator, or the end of one
            continue
        end = _end(lines, number)
        touched = (n for n in range(number, end + 1) if file.is_added(n) and lines[n - 1].strip())
        name = next(group for group in match.groups() if group)
        if pattern is _SCRIPT and not match[0].startswith("export ") and not _is_exported(name, text):
            continue
        if end - number >= _LINES and not _is_hook(name) and (first := next(touched, None)) is not None:
            yield TouchedFunction(name, first, number)


def _changed_methods(file: ChangedFileView) -> Iterator[TouchedFunction]:
    """Yield public methods of some size of top-level public classes with an added line of code."""
    is_python = file.path.endswith(".py")
    lines = (file.text or "").split("\n")
    depth, in_class = (4, False) if is_python else (2, False)
    for number, line in enumerate(lines, 1):
        if line and not line[0].isspace() and line[0] not in ")]}":
            in_class = re.match(_CLASS, line) is not None
        match = re.match(_METHOD if is_python else _SCRIPT_METHOD, line) if in_class else None
        if match is None or match[1] in _NO_METHODS or lines[number - 2].lstrip().startswith(("@", ")")):
            continue
        end = _end_within(lines, number, depth)
        touched = (n for n in range(number, end + 1) if file.is_added(n) and lines[n - 1].strip())
        if end - number >= _LINES and (first := next(touched, None)) is not None:
            yield TouchedFunction(match[1], first, number)


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
        return name in _exported(text)
    return (
        bounded(
            rf"(module\.exports\s*=|^export)\s*\{{[^}}]*\b{re.escape(name)}\b|exports\.{re.escape(name)}\s*=|"
            rf"(module\.exports\s*=|^export default)\s*{re.escape(name)}\b",
            re.MULTILINE,
        ).search(text)
        is not None
    )


@lru_cache(maxsize=4)
def _exported(text: str) -> frozenset[str]:
    """Return the names that a script exports separately, except those with a dollar sign."""
    lists = re.findall(r"(?:module\.exports\s*=|^export)\s*\{([^}]*)", text, re.MULTILINE)
    alone = re.findall(r"(?:module\.exports\s*=|^export default)\s*(\w+)", text, re.MULTILINE)
    return frozenset([*re.findall(r"\w+", " ".join(lists)), *re.findall(r"exports\.(\w+)\s*=", text), *alone])


def _is_used(name: str, text: str) -> bool:
    """Return True if a module uses a function of its own beyond its definition and export."""
    if re.search(rf"(?<!exports)\.{re.escape(name)}\b", text):
        return True
    rest = re.sub(r"(?m)(module\.exports\s*=|^export)\s*\{[^}]*\}|^__all__ = [^\]]*\]|#.*|//.*", "", text)
    return len(re.findall(rf"(?<![\w$.]){re.escape(name)}\s*[(,)\]}};]", rest)) > 1


def _end(lines: Sequence[str], start: int) -> int:
    """Return the last line of a top-level definition: it ends before the next unindented line."""
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if line and not line[0].isspace() and line[0] not in ")]}":
            return number - 1
    return len(lines)
