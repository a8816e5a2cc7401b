"""TE201: new or changed public functions that no test names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import change
from wardround.checks.source import ChangedFileView, ChangeView
from wardround.findings import Severity
from wardround_tests.changes.behaviour import changes_behaviour
from wardround_tests.changes.callers import callers_of
from wardround_tests.changes.line_diff import added_lines
from wardround_tests.changes.sibling_tests import has_tested_neighbour
from wardround_tests.changes.touched_functions import (
    Touched,
    TouchedFunction,
    aliases_of,
    changed_functions,
    is_used,
)
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
_SOURCES = tuple(f"*.{ending}" for ending in ("py", *SCRIPT_ENDINGS, "vue", "svelte"))
_NEW = "is new, but neither a test nor other code uses it; add a test"
_CHANGED = "changes, but no test names it although its module is tested; add a test"
_PRIVATE = r"(^|/)(_(?!_init__)[^/]*|internals?|private)(/|\.)"
_BEGIN_OF_NAME = r"[\"'`]([A-Za-z_]\w{2,60})\$?\{"
_END_OF_NAME = r"\}(\w{3,60})[\"'`]"
_ASSERTS = r"\bassert|\bexpect\(|\bshould\b|\braises\("


class UntestedFunction(ChangeCheck):
    """A public function is new in a tested folder, and no test names it or imports its module.

    No test fails if it is wrong. Add a test for it or for the code that calls it. A changed function of a
    tested module is reported as well if no test names it, unless the module builds such names at run time,
    as in `getattr(self, f"visit_{kind}")`. Not reported for functions that a tested one of the change calls,
    for renames, other texts and markup, and functions that are only extracted.
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
        for patterns, is_python in ((PYTHON_TESTS, True), (SCRIPT_TESTS, False)):
            found = (Touched(f, tuple(changed_functions(f))) for f in self._candidates(is_python))
            touched = list(islice((one for one in found if one.functions or one.methods), _FILES))
            test_texts = self._texts_naming(touched, patterns)
            if test_texts is not None:
                self._check_touched(touched, test_texts, patterns)

    def _check_touched(
        self, touched: Sequence[Touched], test_texts: Mapping[str, str], patterns: Sequence[str]
    ) -> None:
        """Report the untested functions of one language."""
        untested = self._untested(touched, test_texts, patterns)
        reported = {one.file.path for one in untested}
        untested = [one for one in untested if not self._is_reached_by_alias(one, patterns)]
        untested = [one for one in untested if not self._is_reached_by_caller(one, patterns)]
        self._check_unused([one for one in touched if one.file.path not in reported], test_texts)
        hints = self._hints(untested[:_HINTS], patterns)
        for one in untested:
            self._report(one, next(hints, ""))

    def _candidates(self, is_python: bool) -> Iterator[ChangedFileView]:
        for file in self.change.files:
            of_language = file.path.endswith(".py") is is_python
            if not of_language or not is_production(file.path) or re.search(_PRIVATE, file.path):
                continue
            if file.text and changes_behaviour(file):
                yield file

    def _texts_naming(self, touched: Sequence[Touched], patterns: Sequence[str]) -> dict[str, str] | None:
        """Return the changed tests and those that name a changed function.

        None without tests or with too many.
        """
        texts = {f.path: f.text for f in self.change.files if is_test(f.path) and f.text is not None}
        if not touched:
            return texts
        project = self.change.project
        if not any(map(is_test, project.paths(patterns))):
            return None
        words = sorted({word for one in touched for word in one.words})
        paths = list(filter(is_test, project.files_with_word(words, patterns)))
        if len(paths) > _READ:
            return None
        return texts | {path: project.read(path) or "" for path in paths if path not in texts}

    def _untested(
        self, touched: Sequence[Touched], test_texts: Mapping[str, str], patterns: Sequence[str]
    ) -> list[Touched]:
        """Return the files with new functions that no test names, in folders with tested modules."""
        has_new_assertions = self._has_new_assertions(is_python=patterns is PYTHON_TESTS)
        found = []
        for one in touched:
            if not one.functions or any(map(one.named_in, test_texts.values())):
                continue
            functions = tuple(filter(one.is_worth_a_test, one.functions))
            if has_new_assertions:
                functions = tuple(f for f in functions if not self._is_called(f, one))
            if functions and self._has_tested_neighbour(one.file.path, patterns):
                found.append(Touched(one.file, functions))
        return found

    def _has_new_assertions(self, *, is_python: bool) -> bool:
        """Return True if changed tests of a language have new assertions."""
        tests = (f for f in self.change.files if is_test(f.path) and f.path.endswith(".py") is is_python)
        return any(re.search(_ASSERTS, line) for file in tests for _, line in added_lines(file))

    def _is_reached_by_alias(self, one: Touched, patterns: Sequence[str]) -> bool:
        """Return True if tests name a function by an alias of another module: ``total as sum_of``."""
        project, names = self.change.project, [function.name for function in one.functions]
        users = project.files_with_word(sorted(names), _SOURCES)
        if len(users) > _READ:
            return True
        texts = [project.read(path) or "" for path in users]
        aliases = {alias for name in names for text in texts for alias in aliases_of(name, text)}
        return bool(aliases) and any(map(is_test, project.files_with_word(sorted(aliases), patterns)))

    def _is_reached_by_caller(self, one: Touched, patterns: Sequence[str]) -> bool:
        """Return True if tests name a function that uses a new one, in its file or in another changed one."""
        names = [function.name for function in one.functions]
        callers = {caller for text in self._production_texts for caller in callers_of(names, text)}
        if not callers:
            return False
        naming = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(callers)))})\b")
        changed = (f.text or "" for f in self.change.files if is_test(f.path))
        if any(map(naming.search, changed)):
            return True
        return any(map(is_test, self.change.project.files_with_word(sorted(callers), patterns)))

    @cached_property
    def _production_texts(self) -> list[str]:
        return [f.text for f in self.change.files if f.text and is_production(f.path)]

    def _is_called(self, function: TouchedFunction, one: Touched) -> bool:
        """Return True if code of the change uses a function."""
        return is_used(function.name, one.file.text or "") or self._is_in_change(function, one)

    def _has_tested_neighbour(self, path: str, patterns: Sequence[str]) -> bool:
        """Return True if the folder has tested modules; cached by folder and extension."""
        key = (path.rpartition("/")[0], path.rpartition(".")[2])
        if key not in self._neighbours:
            new = [f.path for f in self.change.files if f.base_path is None]
            self._neighbours[key] = has_tested_neighbour(self.change.project, path, patterns, new)
        return self._neighbours[key]

    def _check_unused(self, touched: Sequence[Touched], test_texts: Mapping[str, str]) -> None:
        """Report new functions of tested modules that neither tests nor other code use."""
        unused = list(islice(self._unused_in_change(touched, test_texts), _HINTS))
        if not unused:
            return
        project = self.change.project  # the expensive search runs last, and once
        uses = project.files_with_word(sorted({function.name for _, function in unused}), _SOURCES)
        if len(uses) > _READ:
            return
        texts = {path: project.read(path) or "" for path in uses}
        for one, function in unused:
            others = (text for path, text in texts.items() if path != one.file.path)
            if not any(map(function.is_in, others)):
                how = _NEW if one.is_new(function) else _CHANGED
                self.report(one.file.path, function.span(one.file), f'"{function.name}" {how}')

    def _unused_in_change(
        self, touched: Sequence[Touched], test_texts: Mapping[str, str]
    ) -> Iterator[tuple[Touched, TouchedFunction]]:
        """Yield the functions of tested modules that neither tests nor the change use."""
        for one in touched:
            if one.file.base_text is None or not one.is_imported_by_any(test_texts):
                continue
            for function in (*one.functions, *one.methods):
                is_named = any(map(function.is_in, test_texts.values())) or self._is_in_change(function, one)
                if not is_named and one.leaves_unused(function) and not _is_built(function.name, one.file):
                    yield one, function

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


def _is_built(name: str, file: ChangedFileView) -> bool:
    """Return True if a text of the module becomes such a name: ``f"visit_{kind}"``, ``f"{key}_sql"``."""
    begins, ends = _parts_of_names(file.text or "")
    return name.startswith(begins) or name.endswith(ends)


@lru_cache(maxsize=8)
def _parts_of_names(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the literal begins and ends of texts with a placeholder after or before them."""
    return tuple(re.findall(_BEGIN_OF_NAME, text)), tuple(re.findall(_END_OF_NAME, text))
