"""The tests of a repository that most likely cover a function: an order, with the evidence in words.

No test is run. The evidence for a test is its name and that of its file, its imports and identifiers, the
words that it shares with the function and with the change of it, and its use of the function's callers.
``evals/covering.py`` fits the weights, and measures the order.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.retrieval import bm25
from wardround.retrieval.definitions import functions
from wardround.retrieval.test_discovery import DiscoveredTest, TestFile, module_parts
from wardround.text.search_terms import count_words, parts
from wardround.text.stemming import search_stem

NAMES = (
    "uses", "uses-rare", "named", "named-share", "group-named", "owner", "imports-module", "imports-name",
    "uses-import", "file-named", "file-share", "near", "bm25", "changed", "file-bm25", "shared", "rarest",
    "file-uses", "caller", "caller-file",
)  # fmt: skip
"""The evidence for a test, in the order of its numbers, each 0 to 1."""

WEIGHTS = {
    "uses": 0.06, "uses-rare": 0.68, "named": 0.00, "named-share": 0.20, "group-named": 1.50,
    "owner": 0.59, "imports-module": 0.54, "imports-name": 0.81, "uses-import": 0.00,
    "file-named": 0.86, "file-share": 0.60, "near": 0.69, "bm25": 0.93, "changed": 2.75,
    "file-bm25": 1.30, "shared": 0.31, "rarest": 1.27, "file-uses": 0.00, "caller": 1.00,
    "caller-file": 0.24,
}  # fmt: skip
"""The weight of each number: as ``evals/covering.py fit`` prints them, except for ``caller``.

By history the weight is 0 and has no effect; in runs of real tests, 1 ranked more of them among the first
ten.
"""

_RARE = 0.5
"""Minimum rarity of a reported shared word; 1 if no other test contains it."""
_MOST_USERS = 30
"""Maximum number of callers; above it the function is used everywhere, and its callers prove nothing."""
_SHORTEST = 3
"""The minimal length of a name that is searched for among identifiers."""
_TOLD = 3
"""Maximum number of reasons of a test."""
_SAY_ONLY_WHAT_THEY_HOLD = frozenset(
    {"test", "tests", "spec", "specs", "__tests__", "unit", "integration", "src", "lib", "unit_tests"}
)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_TYPES = re.compile(r"(?:export |default |abstract |declare )*(?:class|interface|type|enum|namespace)\b")


@dataclass(frozen=True)
class TargetFunction:
    """A function whose tests are searched for.

    Attributes:
        name: with the names of the enclosing classes, joined by dots.
        text: its complete text.
        changed: its lines that a change added or removed, if there is one.
    """

    path: str
    name: str
    text: str
    changed: str = ""

    @property
    def id(self) -> str:
        return f"{self.path}::{self.name}"

    @cached_property
    def own(self) -> str:
        return self.name.rpartition(".")[2]

    @cached_property
    def owner(self) -> str:
        """The innermost enclosing class; empty if there is none."""
        return self.name.rpartition(".")[0].rpartition(".")[2]

    @cached_property
    def module(self) -> tuple[str, ...]:
        return module_parts(self.path)

    @cached_property
    def identifiers(self) -> frozenset[str]:
        return frozenset(word for word in _WORD.findall(self.text) if len(word) >= _SHORTEST)

    @cached_property
    def words(self) -> Counter[str]:
        return count_words(f"{self.path}\n{self.name}\n{self.name}\n{self.text}")


@dataclass(frozen=True, slots=True)
class Caller:
    """A function that uses the subject."""

    path: str
    name: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which a test may use it: its own, or that of its class."""
        steps = self.name.split(".")[-2:]
        return tuple(step for step in steps if len(step) >= _SHORTEST and not step.startswith("__"))


@dataclass(frozen=True, slots=True)
class TestMatch:
    """A test and the score for covering a subject. ``score`` orders the tests of one subject: log-odds.

    Attributes:
        why: the evidence, the strongest first; empty if only shared words are evidence.
    """

    case: DiscoveredTest
    subject: TargetFunction
    score: float
    why: tuple[str, ...]


def weigh(row: Sequence[float]) -> float:
    """Return the score of a test's numbers."""
    return round(math.fsum(WEIGHTS[name] * number for name, number in zip(NAMES, row, strict=True)), 4)


def same_language(value: str, other: str) -> bool:
    """Return True if a test at one path can be of a function at the other: Python, or scripts, at both."""
    return value.endswith((".py", ".pyi")) == other.endswith((".py", ".pyi"))


def subjects(path: str, before: str, after: str) -> list[TargetFunction]:
    """Return the functions that differ between two versions of a file, as the second has them."""
    previous = dict(_functions(path, before))
    return [
        TargetFunction(path, name, text, changed_lines(previous.get(name, ""), text))
        for name, text in _functions(path, after)
        if text != previous.get(name)
    ]


def find_subject(path: str, text: str, name: str) -> TargetFunction | None:
    """Return the function of a file with a name, or with a name that ends so; the first of several."""
    for complete, source in _functions(path, text):
        if complete == name or complete.endswith(f".{name}"):
            return TargetFunction(path, complete, source)
    return None


def names(path: str, text: str) -> list[str]:
    """Return the names of the functions of a file, in source order."""
    return [name for name, _ in _functions(path, text)]


def _functions(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Return the name and text of each function; neither classes nor nested functions."""
    lines = text.split("\n")
    last = 0
    for function in functions(path, text):
        if function.line > last and not _TYPES.match(function.signature):
            last = function.end_line
            yield function.name, "\n".join(lines[function.line - 1 : function.end_line])


def changed_lines(before: str, after: str) -> str:
    """Return the lines that only one of two texts contains, those of the second first."""
    old, new = before.split("\n"), after.split("\n")
    held, retained = set(old), set(new)
    return "\n".join(
        [line for line in new if line not in held] + [line for line in old if line not in retained]
    )


def users(subject: TargetFunction, sources: Iterable[tuple[str, str]]) -> list[Caller]:
    """Return the functions of some files, given as (path, text), that contain the subject's name.

    Empty if there are so many that they prove nothing.
    """
    word = re.compile(rf"(?<![\w$]){re.escape(subject.own)}(?![\w$])")
    found: dict[Caller, None] = {}
    for path, text in sources:
        lines = [text.count("\n", 0, match.start()) + 1 for match in word.finditer(text)]
        if lines:
            callers = _functions_at(lines[: 4 * _MOST_USERS], path, text, subject.own)
            found |= dict.fromkeys(Caller(path, name) for name in callers)
    return list(found) if len(found) <= _MOST_USERS else []


def _functions_at(lines: Iterable[int], path: str, text: str, left_out: str) -> Iterator[str]:
    """Yield the names of the innermost functions around some lines.

    Args:
        left_out: own name of functions that do not count.
    """
    defined = [found for found in functions(path, text) if found.name.rpartition(".")[2] != left_out]
    for line in lines:
        around = [definition for definition in defined if definition.line <= line <= definition.end_line]
        if around:
            yield max(around, key=lambda definition: definition.line).name


class Tests:
    """The tests of a repository, for comparison with one another; their parsed form is cached."""

    __test__ = False

    def __init__(self, files: Sequence[TestFile]) -> None:
        self.files = files
        self.cases = [case for file in files for case in file.cases]
        self._file_of = [at for at, file in enumerate(files) for _ in file.cases]

    def evidence(self, subject: TargetFunction, used_by: Sequence[Caller] = ()) -> list[list[float]]:
        """Return for each test the numbers of ``NAMES``."""
        by_users = frozenset(name for user in used_by for name in user.names)
        rarity = self._rarity(subject.identifiers | {subject.own, subject.owner} | by_users)
        documents = [case.words for case in self.cases]
        words = _relative_to_best(bm25.scores(subject.words, documents))
        changed = _relative_to_best(bm25.scores(count_words(subject.changed), documents))
        files = _relative_to_best(bm25.scores(subject.words, [file.words for file in self.files]))
        of_files = [_shared_features(file, subject, used_by) for file in self.files]
        named, taking, uses = (
            _Name(subject.own, self.cases),
            [_imported_names(f, subject) for f in self.files],
            _Uses(subject, rarity),
        )
        rows = []
        for at, (case, location) in enumerate(zip(self.cases, self._file_of, strict=True)):
            imported, beside, using = of_files[location]
            rows.append([
                *uses.row(case),
                *named.row(case),
                uses.owner(case),
                *imported,
                float(not taking[location].isdisjoint(case.identifiers)),
                *beside,
                words[at],
                changed[at],
                files[location],
                *uses.identifier_share(case),
                using[0],
                max((rarity[name] for name in by_users & case.identifiers), default=0.0),
                using[1],
            ])  # fmt: skip
        return rows

    def rank(
        self, subject: TargetFunction, used_by: Sequence[Caller] = (), most: int | None = None
    ) -> list[TestMatch]:
        """Return the first of the tests, best first; those of equal scores by path and line."""
        rows = self.evidence(subject, used_by)
        scores = [weigh(row) for row in rows]
        order = sorted(
            range(len(rows)), key=lambda at: (-scores[at], self.cases[at].path, self.cases[at].line)
        )
        reasons = _Reasons(subject, used_by, self._rarity(subject.identifiers))
        return [
            TestMatch(
                self.cases[at],
                subject,
                scores[at],
                tuple(reasons.of(self.cases[at], self.files[self._file_of[at]], rows[at])),
            )
            for at in order[:most]
        ]

    def _rarity(self, words: Iterable[str]) -> dict[str, float]:
        """Return the rarity of each word among the tests, 1 if none has it."""
        expected = frozenset(words)
        held: Counter[str] = Counter()
        for case in self.cases:
            held.update(expected & case.identifiers)
        most = math.log1p(2 * len(self.cases)) or 1.0
        return {word: math.log1p(len(self.cases) / (0.5 + held[word])) / most for word in expected}


class _Uses:
    """The identifiers of a subject in a test's own text."""

    def __init__(self, subject: TargetFunction, rarity: dict[str, float]) -> None:
        self._subject = subject
        self._rarity = rarity
        self._whole = math.fsum(rarity[word] for word in subject.identifiers) or 1.0

    def row(self, case: DiscoveredTest) -> tuple[float, float]:
        """Return two numbers: 1 if it names the subject, and the rarity of that."""
        uses = len(self._subject.own) >= _SHORTEST and self._subject.own in case.identifiers
        return float(uses), self._rarity[self._subject.own] if uses else 0.0

    def owner(self, case: DiscoveredTest) -> float:
        owner = self._subject.owner
        return float(
            bool(owner) and (owner in case.identifiers or any(owner in title for title in case.around))
        )

    def identifier_share(self, case: DiscoveredTest) -> tuple[float, float]:
        """Return the share of the subject's identifiers it has, weighted by rarity, and the rarest one."""
        weights = [self._rarity[word] for word in self._subject.identifiers & case.identifiers]
        return math.fsum(weights) / self._whole, max(weights, default=0.0)


class _Name:
    """A subject's own name, as searched in the names of tests."""

    def __init__(self, name: str, cases: Sequence[DiscoveredTest]) -> None:
        words = _stems(name)
        self._run = f" {' '.join(words)} " if words else ""
        held = Counter(word for case in cases for word in words if word in case.name_stems)
        self._weight = {word: math.log1p(len(cases) / (0.5 + held[word])) for word in words}
        self._whole = math.fsum(self._weight.values()) or 1.0

    def row(self, case: DiscoveredTest) -> tuple[float, float, float]:
        """Return three features: the name contains the subject's, the share of its words, a title contains
        it.
        """
        share = math.fsum(w for word, w in self._weight.items() if word in case.name_stems) / self._whole
        return (
            self._rarity_of(case.name_stems),
            share,
            max(map(self._rarity_of, case.around_stems), default=0.0),
        )

    def _rarity_of(self, words: Sequence[str]) -> float:
        return float(bool(self._run) and self._run in f" {' '.join(words)} ")


class _Reasons:
    """The evidence for a test, in words."""

    def __init__(self, subject: TargetFunction, used_by: Sequence[Caller], rarity: dict[str, float]) -> None:
        self._subject = subject
        self._by_name = {name: user for user in used_by for name in user.names}
        self._rarity = rarity
        self._called = re.compile(rf"(?<![\w$]){re.escape(subject.own)}[ \t]*\(")

    def of(self, case: DiscoveredTest, file: TestFile, row: Sequence[float]) -> list[str]:
        """Return at most ``_TOLD`` reasons, the strongest first."""
        has = dict(zip(NAMES, row, strict=True))
        return [reported for reported in self._reasons_for_case(case, file, has) if reported][:_TOLD]

    def _reasons_for_case(self, case: DiscoveredTest, file: TestFile, has: dict[str, float]) -> Iterator[str]:
        subject = self._subject
        if has["uses"]:
            yield f'{"calls" if self._called.search(case.text) else "names"} "{subject.own}"'
        else:
            yield self._user(case)
        if has["named"] or has["group-named"]:
            yield f'is named after "{subject.own}"'
        if has["imports-module"] and has["uses-import"]:
            yield f"imports {self._module(file)}"
        if has["imports-name"] and has["file-uses"]:
            yield f'imports "{subject.own}"'
        if subject.owner in case.identifiers:
            yield f'uses "{subject.owner}"'
        if has["file-named"]:
            yield "its file is named after the module"
        yield self._shared_identifiers(case)

    def _user(self, case: DiscoveredTest) -> str:
        found = sorted(self._by_name.keys() & case.identifiers)
        return f'uses "{found[0]}", which uses "{self._subject.own}"' if found else ""

    def _module(self, file: TestFile) -> str:
        found = [
            import_.module for import_ in file.imports if _is_module(import_.module, self._subject.module)
        ]
        return found[0] if found else self._subject.module[-1]

    def _shared_identifiers(self, case: DiscoveredTest) -> str:
        """Return the two rarest of the shared identifiers, if they are rare."""
        subject = self._subject
        found = (subject.identifiers & case.identifiers) - {subject.own, subject.owner}
        rare = sorted(found, key=lambda word: (-self._rarity[word], word))[:2]
        reported = [f'"{word}"' for word in rare if self._rarity[word] >= _RARE]
        return f"shares {' and '.join(reported)}" if reported else ""


def _imported_names(file: TestFile, subject: TargetFunction) -> frozenset[str]:
    """Return the names by which a test file imports the subject's module, or names from it."""
    modules = [import_ for import_ in file.imports if _is_module(import_.module, subject.module)]
    used = {name for module in modules for name in module.names}
    if any(not module.names for module in modules) or _imports_from_package(file, subject):
        used.add(subject.module[-1])
    return frozenset(used)


def _imports_from_package(file: TestFile, subject: TargetFunction) -> bool:
    """Return True if a test file imports the subject's module from its package."""
    *package, name = subject.module
    return any(name in import_.names and _is_module(import_.module, package) for import_ in file.imports)


def _shared_features(
    file: TestFile, subject: TargetFunction, used_by: Sequence[Caller]
) -> tuple[tuple[float, float], tuple[float, float, float], tuple[float, float]]:
    """Return the numbers that all tests of a file share: by imports, name and path, and identifiers."""
    imports_module = any(
        _is_module(import_.module, subject.module) for import_ in file.imports
    ) or _imports_from_package(file, subject)
    expected = {subject.own, subject.owner} - {""}
    imports_name = any(not expected.isdisjoint(import_.names) for import_ in file.imports)
    about, module = _subject_words(file.path), _stems(subject.module[-1])
    uses = len(subject.own) >= _SHORTEST and subject.own in file.shared_identifiers
    by_user = any(
        about == _stems(module_parts(user.path)[-1]) for user in used_by if user.path != subject.path
    )
    beside = (float(about == module), _overlap(about, module), _nearness(file.path, subject.path))
    return (float(imports_module), float(imports_name)), beside, (float(uses), float(by_user))


def _is_module(named: str, module: Sequence[str]) -> bool:
    """Return True if an import names a module: by the end of its path."""
    steps = [step for step in re.split(r"[./]", named) if step and step[0] not in "@~"]
    return bool(steps) and list(module[-len(steps) :]) == steps


def _subject_words(path: str) -> list[str]:
    """Return the words of the subject of a test file, from its name: ``rows`` of ``test_rows.py``."""
    return [word for word in _stems(path.rpartition("/")[2].partition(".")[0]) if word != "test"]


def nearness(test: str, path: str) -> float:
    """Return how near a test file is to a file of code by their paths alone, 0 to 2."""
    return _overlap(_subject_words(test), _stems(module_parts(path)[-1])) + _nearness(test, path)


def _overlap(sequence: Sequence[str], other: Sequence[str]) -> float:
    either = set(sequence) | set(other)
    return len(set(sequence) & set(other)) / len(either) if either else 0.0


def _nearness(value: str, other: str) -> float:
    """Return the share of common folders of two paths, except folders that denote a kind of file."""
    ours = set(value.split("/")[:-1]) - _SAY_ONLY_WHAT_THEY_HOLD
    theirs = set(other.split("/")[:-1]) - _SAY_ONLY_WHAT_THEY_HOLD
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def _relative_to_best(scores: Sequence[float]) -> list[float]:
    best = max(scores, default=0.0) or 1.0
    return [score / best for score in scores]


def _stems(name: str) -> list[str]:
    return [search_stem(part) for part in parts(name)]
