"""TE201."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import ClassVar

import msgspec

from wardround.checks import ChangeCase, ChangeCheck, ChangedText, WholeChange
from wardround.findings import Severity, Span
from wardround_tests.paths import (
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
_BODY = "    if not xs:\n        return 0\n    return sum(xs)\n"
_TESTS = {"tests/test_other.py": "import other\ndef test_a():\n    assert other.a\n"}
_SCRIPT_FUNCTION = (
    "export function total(xs) {\n  let sum = 0\n  for (const x of xs) sum += x\n  return sum\n}\n"
)


class UntestedFunction(ChangeCheck):
    """A public function is added or changed, and no test names it or imports its module.

    Whatever this change does to it, the tests stay green. Test it, or the code that calls it.
    """

    ID = "TE201"
    NAME = "untested-function"
    TRIED_ON = (
        "840 commits of 7 projects: 16 hits, true by name and import; several are reached through "
        "callers: info; functions and methods of tested modules: 5 in 150 commits of 5 projects, 1 right, "
        "the others methods that their own class calls, which are left alone now."
    )
    SEVERITY = Severity.INFO
    PATHS = CODE
    VALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase(
            {
                "shop.py": (
                    "def price(x):\n    return x\n",
                    f"def price(x):\n    return total([x])\n\ndef total(xs):\n{_BODY}",
                )
            },
            others={
                "tests/test_shop.py": "from shop import price\ndef test_a():\n    assert price(1) == 1\n"
            },
        ),
        ChangeCase(
            {
                "shop.py": (
                    "def price(x):\n    return x\n",
                    f"def price(x):\n    return x\n\ndef total(xs):\n{_BODY}",
                )
            },
            others={
                "tests/test_shop.py": "from shop import price\ndef test_a():\n    assert price(1) == 1\n",
                "app.py": "from shop import total\nprint(total([1]))\n",
            },
        ),
        ChangeCase({"shop.py": (None, f"def total(xs):\n{_BODY}")}),
        ChangeCase(
            {"shop.py": (None, f"def total(xs):\n{_BODY}")},
            others={"tests/test_a.py": "from shop import total\n"},
        ),
        ChangeCase(
            {"shop.py": (None, f"def total(xs):\n{_BODY}"), "test_a.py": (None, "import shop\n")},
            others=_TESTS,
        ),
        ChangeCase({"shop.py": (None, f"def _total(xs):\n{_BODY}")}, others=_TESTS),
        ChangeCase({"shop.py": (None, f"@app.route('/')\ndef total(xs):\n{_BODY}")}, others=_TESTS),
        ChangeCase(
            {"src/shop.ts": (None, _SCRIPT_FUNCTION)},
            others={"src/shop.test.ts": "import { total } from './shop'\n"},
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase(
            {
                "shop.py": (
                    f"def price(x):\n    return x\n\ndef total(xs):\n{_BODY}",
                    f"def price(x):\n    return x\n\ndef total(xs):\n{_BODY.replace('0', '1')}",
                )
            },
            others={
                "tests/test_shop.py": "from shop import price\ndef test_a():\n    assert price(1) == 1\n"
            },
            place=("shop.py", 4, 1),
        ),
        ChangeCase(
            {
                "shop.py": (
                    "class Basket:\n    def price(self):\n        return 1\n",
                    "class Basket:\n    def price(self):\n        return 1\n\n    def listed(self, xs):\n"
                    "        if not xs:\n            return ''\n        return ','.join(xs)\n",
                )
            },
            others={
                "tests/test_shop.py": "from shop import Basket\ndef test_a():\n"
                "    assert Basket().price() == 1\n"
            },
            place=("shop.py", 5, 1),
        ),
        ChangeCase(
            {
                "shop.py": (
                    "def price(x):\n    return x\n",
                    f"def price(x):\n    return x\n\ndef total(xs):\n{_BODY}",
                )
            },
            others={
                "tests/test_shop.py": "from shop import price\ndef test_a():\n    assert price(1) == 1\n"
            },
            place=("shop.py", 4, 1),
        ),
        ChangeCase(
            {
                "lib/shop.js": (
                    "exports.price = 1\n",
                    f"exports.price = 1\n{_SCRIPT_FUNCTION.removeprefix('export ')}exports.total = total\n",
                )
            },
            others={"test/shop.test.js": "const { price } = require('../lib/shop')\n"},
            place=("lib/shop.js", 2, 1),
        ),
        ChangeCase(
            {"shop.py": (None, f"import os\n\ndef total(xs):\n{_BODY}")},
            others=_TESTS,
            place=("shop.py", 3, 1),
        ),
        ChangeCase(
            {"shop.py": (f"def total(xs):\n{_BODY}", f"def total(xs):\n{_BODY.replace('0', '1')}")},
            others=_TESTS,
            place=("shop.py", 1, 1),
        ),
        ChangeCase(
            {"src/shop.ts": (None, _SCRIPT_FUNCTION)},
            others={"src/other.test.ts": "import { other } from './other'\n"},
            place=("src/shop.ts", 1, 1),
        ),
    ]

    def __init__(self, change: WholeChange) -> None:
        super().__init__(change)
        self._files_of_tests: dict[Sequence[str], list[str]] = {}

    def run(self) -> None:
        for patterns, of_language in ((PYTHON_TESTS, True), (SCRIPT_TESTS, False)):
            found = (Touched(f, tuple(_changed_functions(f))) for f in self._candidates(of_language))
            touched = list(islice((one for one in found if one.functions or one.methods), _FILES))
            naming = self._texts_naming(touched, patterns)
            if naming is None:
                continue
            left = self._not_reached(touched, naming, patterns)
            self._look_for_new([one for one in touched if one not in left], naming)
            hints = self._hints(left[:_HINTS], patterns)
            for one in left:
                self._tell(one, next(hints, ""))

    def _candidates(self, is_python: bool) -> Iterator[ChangedText]:
        for file in self.change.files:
            of_language = file.path.endswith(".py") is is_python
            if of_language and is_production(file.path) and not re.search(_PRIVATE, file.path) and file.text:
                yield file

    def _texts_naming(self, touched: Sequence[Touched], patterns: Sequence[str]) -> list[str] | None:
        """The changed tests and those that name something touched; None without tests or with too many."""
        texts = [f.text for f in self.change.files if is_test(f.path) and f.text is not None]
        if not touched:
            return texts
        words = sorted({word for one in touched for word in one.words})
        project = self.change.project
        if not any(map(is_test, project.paths(patterns))):
            return None
        naming = [path for path in project.files_with_word(words, patterns) if is_test(path)]
        return None if len(naming) > _READ else texts + [project.read(path) or "" for path in naming]

    def _not_reached(
        self, touched: Sequence[Touched], naming: Sequence[str], patterns: Sequence[str]
    ) -> list[Touched]:
        """Those that no test names, in a project that has tests of the language."""
        left = [one for one in touched if one.functions and not any(map(one.named_in, naming))]
        return left if left and (len(left) < len(touched) or self._tests(patterns)) else []

    def _look_for_new(self, touched: Sequence[Touched], naming: Sequence[str]) -> None:
        """Report new functions of tested modules that no test names and nothing uses yet."""
        old = (one for one in touched if one.file.base_text is not None)
        tested = [one for one in old if any(map(one.module_named_in, naming))]
        news = [(one, function) for one in tested for function in (*one.functions, *one.methods)]
        news = [pair for pair in news if not any(map(pair[1].is_in, naming))]
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

    def _is_in_change(self, function: Function, one: Touched) -> bool:
        """Whether another changed file names a function."""
        return any(function.is_in(f.text or "") for f in self.change.files if f.path != one.file.path)

    def _tests(self, patterns: Sequence[str]) -> list[str]:
        """The files of tests of a language; git is asked once."""
        if patterns not in self._files_of_tests:
            found = self.change.project.files_with_word(IN_TESTS, patterns)
            self._files_of_tests[patterns] = list(filter(is_test, found))
        return self._files_of_tests[patterns]

    def _hints(self, left: Sequence[Touched], patterns: Sequence[str]) -> Iterator[str]:
        """Of each the nearest test, where one is near enough, as the end of a message."""
        from wardround_tests.covering import Nearest, subject_of  # what reads tests is not needed before

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

    file: ChangedText
    functions: tuple[Function, ...]

    def is_new(self, function: Function) -> bool:
        """Whether a function was not there before, in a file that was."""
        base = self.file.base_text
        return base is not None and not function.is_in(base)

    @cached_property
    def methods(self) -> tuple[Function, ...]:
        """The public methods that the change touches."""
        return tuple(_changed_methods(self.file))

    @cached_property
    def words(self) -> tuple[str, ...]:
        return (_module_name(self.file.path), *(function.name for function in self.functions))

    @cached_property
    def _named(self) -> re.Pattern[str]:
        return re.compile(r"\b(" + "|".join(map(re.escape, self.words)) + r")\b")

    def named_in(self, text: str) -> bool:
        """Whether a test's text names one of the functions, or their module."""
        return self._named.search(text) is not None

    def module_named_in(self, text: str) -> bool:
        """Whether a test's text names their module."""
        return re.search(rf"\b{re.escape(_module_name(self.file.path))}\b", text) is not None


class Function(msgspec.Struct, frozen=True):
    """A public function the change touches, and the first line of it that the change brought."""

    name: str
    place: int
    start: int = 0

    def span(self, file: ChangedText) -> Span:
        """From where it is defined to the first line of it that the change brought."""
        text = (file.text or "").split("\n")[self.place - 1]
        return Span(self.start or self.place, 1, self.place, len(text) + 1)

    def is_in(self, text: str) -> bool:
        """Whether a text names it."""
        return self.name in text and re.search(rf"\b{re.escape(self.name)}\b", text) is not None


def _changed_functions(file: ChangedText) -> Iterator[Function]:
    """Top-level public functions of some size with an added line that is code."""
    pattern = _PYTHON if file.path.endswith(".py") else _SCRIPT
    text = file.text or ""
    lines = text.split("\n")
    number, counted_to = 1, 0
    for match in re.finditer(pattern, text, re.MULTILINE):
        number += text.count("\n", counted_to, match.start())
        counted_to = match.start()
        if number > 1 and lines[number - 2].startswith("@"):
            continue
        end = _end(lines, number)
        touched = (n for n in range(number, end + 1) if file.is_added(n) and lines[n - 1].strip())
        name = next(group for group in match.groups() if group)
        if pattern is _SCRIPT and not match[0].startswith("export ") and not _is_exported(name, text):
            continue
        if end - number >= _LINES and name != "main" and (first := next(touched, None)) is not None:
            yield Function(name, first, number)


def _changed_methods(file: ChangedText) -> Iterator[Function]:
    """Public methods of some size of top-level public classes, with an added line that is code."""
    is_python = file.path.endswith(".py")
    lines = (file.text or "").split("\n")
    depth, in_class = (4, False) if is_python else (2, False)
    for number, line in enumerate(lines, 1):
        if line and not line[0].isspace() and line[0] not in ")]}":
            in_class = re.match(_CLASS, line) is not None
        match = re.match(_METHOD if is_python else _SCRIPT_METHOD, line) if in_class else None
        if match is None or match[1] in _NO_METHODS or lines[number - 2].lstrip().startswith("@"):
            continue
        end = _end_within(lines, number, depth)
        touched = (n for n in range(number, end + 1) if file.is_added(n) and lines[n - 1].strip())
        if end - number >= _LINES and (first := next(touched, None)) is not None:
            yield Function(match[1], first, number)


def _end_within(lines: Sequence[str], start: int, depth: int) -> int:
    """The last line of a method: the next line that is not indented deeper ends it."""
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if line.strip() and len(line) - len(line.lstrip()) <= depth and line.strip()[0] not in ")]}":
            return number - 1
    return len(lines)


def _is_exported(name: str, text: str) -> bool:
    """Whether a script exports a function apart from its definition."""
    if name.isidentifier():
        return name in _exported(text)
    return (
        re.search(
            rf"(module\.exports\s*=|^export)\s*\{{[^}}]*\b{re.escape(name)}\b|exports\.{re.escape(name)}\s*=|"
            rf"(module\.exports\s*=|^export default)\s*{re.escape(name)}\b",
            text,
            re.MULTILINE,
        )
        is not None
    )


@lru_cache(maxsize=4)
def _exported(text: str) -> frozenset[str]:
    """The names a script exports apart from their definitions, but for those with a dollar sign."""
    lists = re.findall(r"(?:module\.exports\s*=|^export)\s*\{([^}]*)", text, re.MULTILINE)
    alone = re.findall(r"(?:module\.exports\s*=|^export default)\s*(\w+)", text, re.MULTILINE)
    return frozenset([*re.findall(r"\w+", " ".join(lists)), *re.findall(r"exports\.(\w+)\s*=", text), *alone])


def _is_used(name: str, text: str) -> bool:
    """Whether a module uses a function of its own for more than to define and export it."""
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


def _module_name(path: str) -> str:
    """What an import of a module names: its file, or its folder where the file stands for that."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] or stem if stem in ("__init__", "index", "mod") else stem
