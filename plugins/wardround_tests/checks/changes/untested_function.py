"""TE201."""

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
"""Changed files of a language that are looked at."""
_READ = 60
"""Files that are read to see what they name; where more name something, all is taken to be reached."""
_HINTS = 3
"""Files of a language of which the nearest tests are told."""
_NEAR = 6.5
"""The score from which a test is told; ``evals/covering.py hints`` measures how often its file is right."""
_LINES = 3
"""Lines a function must have to be worth a test of its own."""
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
"""What a function has that decides or reckons."""
_WORDS = r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|/\*[\s\S]*?\*/|(?<!:)//[^\n]*|#[^\n]*|\"[^\"\n]*\"|'[^'\n]*'"
_ASSERTS = r"\bassert|\bexpect\(|\bshould\b|\braises\("


class UntestedFunction(ChangeCheck):
    """A public function is new beside tested code, and no test names it or imports its module.

    Whatever it does, the tests stay green. Test it, or the code that calls it. A function of a tested module
    that changes, and that nothing of the tests names, is told as well.
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
        self._files_of_tests: dict[Sequence[str], list[str]] = {}
        self._beside: dict[tuple[str, str], bool] = {}

    def run(self) -> None:
        for patterns, of_language in ((PYTHON_TESTS, True), (SCRIPT_TESTS, False)):
            found = (Touched(f, tuple(_changed_functions(f))) for f in self._candidates(of_language))
            touched = list(islice((one for one in found if one.functions or one.methods), _FILES))
            naming = self._texts_naming(touched, patterns)
            if naming is None:
                continue
            left = self._not_reached(touched, naming, patterns)
            told = {one.file.path for one in left}
            left = [one for one in left if not self._is_reached_by_alias(one, patterns)]
            self._look_for_new([one for one in touched if one.file.path not in told], naming)
            hints = self._hints(left[:_HINTS], patterns)
            for one in left:
                self._tell(one, next(hints, ""))

    def _candidates(self, is_python: bool) -> Iterator[ChangedFileView]:
        for file in self.change.files:
            of_language = file.path.endswith(".py") is is_python
            if of_language and is_production(file.path) and not re.search(_PRIVATE, file.path) and file.text:
                yield file

    def _texts_naming(self, touched: Sequence[Touched], patterns: Sequence[str]) -> dict[str, str] | None:
        """The changed tests and those that name something touched; None without tests or with too many."""
        texts = {f.path: f.text for f in self.change.files if is_test(f.path) and f.text is not None}
        if not touched:
            return texts
        words = sorted({word for one in touched for word in one.words})
        project = self.change.project
        if not any(map(is_test, project.paths(patterns))):
            return None
        naming = [path for path in project.files_with_word(words, patterns) if is_test(path)]
        if len(naming) > _READ:
            return None
        return texts | {path: project.read(path) or "" for path in naming if path not in texts}

    def _not_reached(
        self, touched: Sequence[Touched], naming: Mapping[str, str], patterns: Sequence[str]
    ) -> list[Touched]:
        """Those with new functions that no test names, where what stands beside them is tested."""
        left = [one for one in touched if one.functions and not any(map(one.named_in, naming.values()))]
        brought = ((one, tuple(filter(one.is_worth_a_test, one.functions))) for one in left)
        is_python = patterns is PYTHON_TESTS
        if any(is_test(f.path) and f.path.endswith(".py") is is_python for f in self._telling):
            brought = ((one, tuple(f for f in fs if not self._is_called(f, one))) for one, fs in brought)
        kept = [Touched(one.file, functions) for one, functions in brought if functions]
        return [one for one in kept if self._has_tested_neighbour(one.file.path, patterns)]

    def _is_reached_by_alias(self, one: Touched, patterns: Sequence[str]) -> bool:
        """Return True if tests name a function by what another module calls it: ``total as sum_of``."""
        project, names = self.change.project, [function.name for function in one.functions]
        users = project.files_with_word(sorted(names), _SOURCES)
        if len(users) > _READ:
            return True
        texts = [project.read(path) or "" for path in users]
        aliases = {alias for name in names for text in texts for alias in _aliases(name, text)}
        return bool(aliases) and any(map(is_test, project.files_with_word(sorted(aliases), patterns)))

    @cached_property
    def _telling(self) -> list[ChangedFileView]:
        """The changed files with new lines that assert: they may reach what is new through its callers."""
        return [f for f in self.change.files if any(re.search(_ASSERTS, line) for _, line in added_lines(f))]

    def _is_called(self, function: TouchedFunction, one: Touched) -> bool:
        """Return True if code of the change uses a function."""
        return _is_used(function.name, one.file.text or "") or self._is_in_change(function, one)

    def _has_tested_neighbour(self, path: str, patterns: Sequence[str]) -> bool:
        """Return True if its folder has tested modules; the project is asked once for a folder and an ending."""
        key = (path.rpartition("/")[0], path.rpartition(".")[2])
        if key not in self._beside:
            new = [f.path for f in self.change.files if f.base_path is None]
            self._beside[key] = has_tested_neighbour(self.change.project, path, patterns, new)
        return self._beside[key]

    def _look_for_new(self, touched: Sequence[Touched], naming: Mapping[str, str]) -> None:
        """Report new functions of tested modules that no test names and nothing uses yet."""
        old = (one for one in touched if one.file.base_text is not None)
        tested = [one for one in old if any(one.is_imported_by(text, test) for test, text in naming.items())]
        news = [(one, function) for one in tested for function in (*one.functions, *one.methods)]
        news = [pair for pair in news if not any(map(pair[1].is_in, naming.values()))]
        news = [pair for pair in news if pair[0].is_new(pair[1]) or not pair[0].is_drawn_by(pair[1])]
        news = [pair for pair in news if not _is_used(pair[1].name, pair[0].file.text or "")]
        news = [(one, function) for one, function in news if not self._is_in_change(function, one)][:_HINTS]
        if not news:
            return
        project = self.change.project  # the dear question comes last, and once
        uses = project.files_with_word(sorted({function.name for _, function in news}), _SOURCES)
        texts = {path: project.read(path) or "" for path in uses[:_READ]}
        for one, function in news if len(uses) <= _READ else ():
            if any(function.is_in(text) for path, text in texts.items() if path != one.file.path):
                continue
            how = "is new, and neither a test nor other code names it"
            if not one.is_new(function):
                how = "changes, and no test names it, though others of its module are tested"
            self.report(one.file.path, function.span(one.file), f'"{function.name}" {how}')

    def _is_in_change(self, function: TouchedFunction, one: Touched) -> bool:
        """Return True if another changed file names a function."""
        return any(function.is_in(f.text or "") for f in self.change.files if f.path != one.file.path)

    def _tests(self, patterns: Sequence[str]) -> list[str]:
        """The files of tests of a language; git is asked once."""
        if patterns not in self._files_of_tests:
            found = self.change.project.files_with_word(IN_TESTS, patterns)
            self._files_of_tests[patterns] = list(filter(is_test, found))
        return self._files_of_tests[patterns]

    def _hints(self, left: Sequence[Touched], patterns: Sequence[str]) -> Iterator[str]:
        """Of each the nearest test, where one is near enough, as the end of a message."""
        from wardround_tests.nearest_test import Nearest, subject_of  # what reads tests is not needed before

        nearest = Nearest(self.change.project, self._tests(patterns))
        for one in left:
            found = nearest.to(subject_of(one.file, one.functions[0].name))
            yield f"; nearest: {found.case.id}" if found is not None and found.score >= _NEAR else ""

    def _tell(self, one: Touched, hint: str) -> None:
        first, *rest = one.functions
        others = f" nor {len(rest)} more here" if rest else ""
        self.report(
            one.file.path,
            first.span(one.file),
            f'no test names "{first.name}"{others}, or imports its module{hint}',
        )


class Touched(msgspec.Struct, frozen=True, dict=True):
    """A changed file and the public functions of it that the change touches."""

    file: ChangedFileView
    functions: tuple[TouchedFunction, ...]

    def is_new(self, function: TouchedFunction) -> bool:
        """Return True if a function was not there before, in a file that was."""
        base = self.file.base_text
        return base is not None and not function.is_in(base)

    def is_worth_a_test(self, function: TouchedFunction) -> bool:
        """Return True if a function was not there before, and decides or reckons something."""
        if self.file.base_text is not None and function.is_in(self.file.base_text):
            return False
        lines = (self.file.text or "").split("\n")
        body = "\n".join(lines[function.start - 1 : _end(lines, function.start)])
        return re.search(_DECIDES, re.sub(_WORDS, "", body)) is not None

    @cached_property
    def methods(self) -> tuple[TouchedFunction, ...]:
        """The public methods that the change touches."""
        return tuple(_changed_methods(self.file))

    @cached_property
    def words(self) -> tuple[str, ...]:
        return (module_name(self.file.path), *(function.name for function in self.functions))

    @cached_property
    def _named(self) -> re.Pattern[str]:
        return re.compile(r"\b(" + "|".join(map(re.escape, self.words)) + r")\b")

    def named_in(self, text: str) -> bool:
        """Return True if a test's text names one of the functions, or their module."""
        return self._named.search(text) is not None

    def is_imported_by(self, text: str, test: str) -> bool:
        """Return True if a test imports their module."""
        return imports(text, test, self.file.path)

    def is_drawn_by(self, function: TouchedFunction) -> bool:
        """Return True if a function is a component, which the tests of what draws it show too."""
        return self.file.path.endswith((".tsx", ".jsx")) and function.name[:1].isupper()


class TouchedFunction(msgspec.Struct, frozen=True):
    """A public function the change touches, and the first line of it that the change brought."""

    name: str
    place: int
    start: int = 0

    def span(self, file: ChangedFileView) -> Span:
        """From where it is defined to the first line of it that the change brought."""
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
"""What a framework calls by its name, so that tests reach it through the framework."""


def _is_hook(name: str) -> bool:
    return name in _HOOKS or name.startswith(("pytest_", "wardround_", "on_"))


def _aliases(name: str, text: str) -> Iterator[str]:
    """The other names that a module gives a function it imports, exports or registers."""
    word = re.escape(name)
    for found in re.finditer(
        rf"(?<![\w$]){word}\s+as\s+([A-Za-z_$][\w$]*)|(?<![\w$])([A-Za-z_$][\w$]*)[\"']?\s*[:=]\s*{word}(?=\s*[,;)}}\n]|$)",
        text,
    ):
        alias = found[1] or found[2]
        if alias not in (name, "default"):
            yield alias


def _changed_functions(file: ChangedFileView) -> Iterator[TouchedFunction]:
    """Top-level public functions of some size with an added line that is code."""
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
    """Public methods of some size of top-level public classes, with an added line that is code."""
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
    """The last line of a method: the next line that is not indented deeper ends it."""
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if line.strip() and len(line) - len(line.lstrip()) <= depth and line.strip()[0] not in ")]}":
            return number - 1
    return len(lines)


def _is_exported(name: str, text: str) -> bool:
    """Return True if a script exports a function apart from its definition."""
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
    """The names a script exports apart from their definitions, but for those with a dollar sign."""
    lists = re.findall(r"(?:module\.exports\s*=|^export)\s*\{([^}]*)", text, re.MULTILINE)
    alone = re.findall(r"(?:module\.exports\s*=|^export default)\s*(\w+)", text, re.MULTILINE)
    return frozenset([*re.findall(r"\w+", " ".join(lists)), *re.findall(r"exports\.(\w+)\s*=", text), *alone])


def _is_used(name: str, text: str) -> bool:
    """Return True if a module uses a function of its own for more than to define and export it."""
    if re.search(rf"(?<!exports)\.{re.escape(name)}\b", text):
        return True
    rest = re.sub(r"(?m)(module\.exports\s*=|^export)\s*\{[^}]*\}|^__all__ = [^\]]*\]|#.*|//.*", "", text)
    return len(re.findall(rf"(?<![\w$.]){re.escape(name)}\s*[(,)\]}};]", rest)) > 1


def _end(lines: Sequence[str], start: int) -> int:
    """The last line of a top-level definition: the next line that is not indented ends it."""
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if line and not line[0].isspace() and line[0] not in ")]}":
            return number - 1
    return len(lines)
