from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView, ChangeView
from wardround.findings import Severity
from wardround.rules.cases import change
from wardround_tests.changes.behaviour import changes_behaviour
from wardround_tests.changes.callers import callers_of
from wardround_tests.changes.line_diff import added_lines
from wardround_tests.changes.sibling_tests import has_tested_neighbour
from wardround_tests.changes.touched_functions import (
    TouchedFile,
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
    as in `getattr(self, f"visit_{kind}")`. Not reported for functions called by a tested function of the
    change, for renames, message changes and markup, and functions that are only extracted.
    """

    ID = "TE201"
    INFERS_COVERAGE = True
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
            found = (TouchedFile(f, tuple(changed_functions(f))) for f in self._candidates(is_python))
            touched = list(
                islice(
                    (
                        touched_file
                        for touched_file in found
                        if touched_file.functions or touched_file.methods
                    ),
                    _FILES,
                )
            )
            test_texts = self._tests_naming_functions(touched, patterns)
            if test_texts is not None:
                self._check_touched_functions(touched, test_texts, patterns)

    def _check_touched_functions(
        self, touched: Sequence[TouchedFile], test_texts: Mapping[str, str], patterns: Sequence[str]
    ) -> None:
        """Report the untested functions of one language."""
        untested = self._untested_files(touched, test_texts, patterns)
        reported = {entry.file.path for entry in untested}
        untested = [entry for entry in untested if not self._is_reached_by_alias(entry, patterns)]
        untested = [entry for entry in untested if not self._is_reached_by_caller(entry, patterns)]
        self._check_unused_functions(
            [entry for entry in touched if entry.file.path not in reported], test_texts
        )
        hints = self._hints(untested[:_HINTS], patterns)
        for entry in untested:
            self._report(entry, next(hints, ""))

    def _candidates(self, is_python: bool) -> Iterator[ChangedFileView]:
        for file in self.change.files:
            of_language = file.path.endswith(".py") is is_python
            if not of_language or not is_production(file.path) or re.search(_PRIVATE, file.path):
                continue
            if file.text and changes_behaviour(file):
                yield file

    def _tests_naming_functions(
        self, touched: Sequence[TouchedFile], patterns: Sequence[str]
    ) -> dict[str, str] | None:
        """Return the changed tests and those that name a changed function.

        None without tests or with too many.
        """
        texts = self._changed_tests()
        if not touched:
            return texts
        project = self.change.project
        if not any(map(is_test, project.paths(patterns))):
            return None
        words = sorted({word for item in touched for word in item.words})
        paths = list(filter(is_test, project.files_with_word(words, patterns)))
        if len(paths) > _READ:
            return None
        return texts | {path: project.read(path) or "" for path in paths if path not in texts}

    def _changed_tests(self) -> dict[str, str]:
        tests = [file for file in self.change.files if is_test(file.path)]
        return {file.path: file.text for file in tests if file.text is not None}

    def _untested_files(
        self, touched: Sequence[TouchedFile], test_texts: Mapping[str, str], patterns: Sequence[str]
    ) -> list[TouchedFile]:
        """Return the files with new functions that no test names, in folders with tested modules."""
        has_new_assertions = self._has_new_assertions(is_python=patterns is PYTHON_TESTS)
        found = []
        for entry in touched:
            if not entry.functions or any(map(entry.named_in, test_texts.values())):
                continue
            functions = tuple(filter(entry.is_worth_a_test, entry.functions))
            if has_new_assertions:
                functions = tuple(f for f in functions if not self._is_called(f, entry))
            if functions and self._has_tested_neighbour(entry.file.path, patterns):
                found.append(TouchedFile(entry.file, functions))
        return found

    def _has_new_assertions(self, *, is_python: bool) -> bool:
        """Return True if changed tests of a language have new assertions."""
        for file in self.change.files:
            if not is_test(file.path) or file.path.endswith(".py") is not is_python:
                continue
            if any(re.search(_ASSERTS, line) for _number, line in added_lines(file)):
                return True
        return False

    def _is_reached_by_alias(self, element: TouchedFile, patterns: Sequence[str]) -> bool:
        """Return True if tests name a function by an alias of another module: ``total as sum_of``."""
        project, names = self.change.project, [function.name for function in element.functions]
        users = project.files_with_word(sorted(names), _SOURCES)
        if len(users) > _READ:
            return True
        texts = [project.read(path) or "" for path in users]
        aliases = {alias for name in names for text in texts for alias in aliases_of(name, text)}
        return bool(aliases) and any(map(is_test, project.files_with_word(sorted(aliases), patterns)))

    def _is_reached_by_caller(self, element: TouchedFile, patterns: Sequence[str]) -> bool:
        """Return True if tests name a function that uses a new one, in its file or in another changed one."""
        names = [function.name for function in element.functions]
        callers = {caller for text in self._production_sources for caller in callers_of(names, text)}
        if not callers:
            return False
        naming = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(callers)))})\b")
        changed = (f.text or "" for f in self.change.files if is_test(f.path))
        if any(map(naming.search, changed)):
            return True
        return any(map(is_test, self.change.project.files_with_word(sorted(callers), patterns)))

    @cached_property
    def _production_sources(self) -> list[str]:
        return [f.text for f in self.change.files if f.text and is_production(f.path)]

    def _is_called(self, function: TouchedFunction, element: TouchedFile) -> bool:
        """Return True if code of the change uses a function."""
        return is_used(function.name, element.file.text or "") or self._is_in_change(function, element)

    def _has_tested_neighbour(self, path: str, patterns: Sequence[str]) -> bool:
        """Return True if the folder has tested modules; cached by folder and extension."""
        key = (path.rpartition("/")[0], path.rpartition(".")[2])
        if key not in self._neighbours:
            new = [f.path for f in self.change.files if f.base_path is None]
            self._neighbours[key] = has_tested_neighbour(self.change.project, path, patterns, new)
        return self._neighbours[key]

    def _check_unused_functions(self, touched: Sequence[TouchedFile], test_texts: Mapping[str, str]) -> None:
        """Report new functions of tested modules that neither tests nor other code use."""
        unused = list(islice(self._unused_in_change(touched, test_texts), _HINTS))
        if not unused:
            return
        project = self.change.project  # the expensive search runs last, and once
        uses = project.files_with_word(sorted({function.name for _, function in unused}), _SOURCES)
        if len(uses) > _READ:
            return
        texts = {path: project.read(path) or "" for path in uses}
        for item, function in unused:
            others = [text for path, text in texts.items() if path != item.file.path]
            if not any(map(function.is_in, others)):
                self._report_unused_function(item, function)

    def _report_unused_function(self, item: TouchedFile, function: TouchedFunction) -> None:
        reason = _NEW if item.is_new(function) else _CHANGED
        self.report(item.file.path, function.span(item.file), f'"{function.name}" {reason}')

    def _unused_in_change(
        self, touched: Sequence[TouchedFile], test_texts: Mapping[str, str]
    ) -> Iterator[tuple[TouchedFile, TouchedFunction]]:
        """Yield the functions of tested modules that neither tests nor the change use."""
        for entry in touched:
            if entry.file.base_text is None or not entry.is_imported_by_any(test_texts):
                continue
            for function in (*entry.functions, *entry.methods):
                is_named = any(map(function.is_in, test_texts.values())) or self._is_in_change(
                    function, entry
                )
                if (
                    not is_named
                    and entry.leaves_unused(function)
                    and not _is_built(function.name, entry.file)
                ):
                    yield entry, function

    def _is_in_change(self, function: TouchedFunction, element: TouchedFile) -> bool:
        """Return True if another changed file names a function."""
        return any(function.is_in(f.text or "") for f in self.change.files if f.path != element.file.path)

    def _tests_of(self, patterns: Sequence[str]) -> list[str]:
        """Return the test files of a language; cached."""
        if patterns not in self._test_files:
            found = self.change.project.files_with_word(IN_TESTS, patterns)
            self._test_files[patterns] = list(filter(is_test, found))
        return self._test_files[patterns]

    def _hints(self, untested: Sequence[TouchedFile], patterns: Sequence[str]) -> Iterator[str]:
        """Yield the nearest test of each file, if near enough, as the end of a message."""
        from wardround_tests.nearest_test import (  # what reads tests is not needed before
            NearestTests,
            subject_of,
        )

        nearest = NearestTests(self.change.project, self._tests_of(patterns))
        for entry in untested:
            found = nearest.to(subject_of(entry.file, entry.functions[0].name))
            yield f"; nearest: {found.case.id}" if found is not None and found.score >= _NEAR else ""

    def _report(self, element: TouchedFile, hint: str) -> None:
        first, *rest = element.functions
        others = f" or {len(rest)} more in this file" if rest else ""
        self.report(
            element.file.path,
            first.span(element.file),
            f'no test names "{first.name}"{others} or imports its module; add a test{hint}',
        )


def _is_built(name: str, file: ChangedFileView) -> bool:
    """Return True if a string of the module becomes such a name: ``f"visit_{kind}"``, ``f"{key}_sql"``."""
    begins, ends = _affixes_of_names(file.text or "")
    return name.startswith(begins) or name.endswith(ends)


@lru_cache(maxsize=8)
def _affixes_of_names(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the literal prefixes and suffixes of strings with a placeholder after or before them."""
    return tuple(re.findall(_BEGIN_OF_NAME, text)), tuple(re.findall(_END_OF_NAME, text))
