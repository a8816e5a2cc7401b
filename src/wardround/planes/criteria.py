"""Acceptance criteria against a change: met only with added code or tests that show it.

A criterion is met in one of these ways:

- an added test states it in its title, asserts it, and exercises added code that is about it;
- all its literals (names, values, texts) are near one another in added code that is about its words;
- an added SQL statement or setting defines it.

Comments, docstrings, messages, documents, unused constants, dead code and tests without an assertion are no
evidence. A criterion about documents, work processes, appearance, measurements or judgements is not
checkable, as is one whose code is there but does not show it; the judge prefers that to a doubtful "met".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

from wardround.checks.lazy import LazyPattern
from wardround.context.ticket.model import Ticket
from wardround.planes.criterion.added_code import (
    AddedCode,
    ChangedSource,
    Language,
    LiveLine,
    as_line,
    is_constant,
    read_added,
    used_names,
)
from wardround.planes.criterion.added_tests import TestCase, exercised, test_cases
from wardround.planes.criterion.code_words import code_stems
from wardround.planes.criterion.demand import METHODS, Demand, Literal, LiteralKind, covered, demand_of, stems
from wardround.planes.criterion.literal_search import (
    identifying,
    is_in_text,
    lines_with,
    located,
    nearest,
    other_values,
    values,
)
from wardround.planes.criterion.results import (
    CodeSpan,
    CriterionResult,
    Judgement,
    met,
    not_checkable,
    not_met,
    spans_of,
)
from wardround.planes.criterion.settings import judge_config
from wardround.planes.criterion.sql import judge_sql
from wardround.planes.criterion.switches import reads_switch, switched_off

_STATED = 0.6
"""The share of the words of a criterion that a test must have, its title half of them."""
_IMPLEMENTED = 0.5
"""The share of the words that the exercised code must have, if it has no name of the criterion."""
_PRESENT = 0.75
"""The share of the words that code and test must have of each clause of several, or if the test asserts only
that something exists.
"""
_UNRELATED = 0.34
_STUFFED = 0.6
"""With less than the first share of its words in live code and more than the second in text, a criterion is
mentioned only.
"""
_NEAR = 3
"""Lines around a number that tell what it is about."""
_STRONG = LazyPattern(r"--|/|[A-Z][A-Z0-9]*_|\w\.\w|\s")
_USED_BY_FRAMEWORK = LazyPattern(
    r"\s*(?:export default\b|export (?:async )?function (?:GET|POST|PUT|PATCH|DELETE)\b)"
)
_REDIRECTS = LazyPattern(r"\bredirect", re.IGNORECASE)
_REDIRECT = LazyPattern(r"redirect|navigate|push|replace|location|href|return")
"""Code that sends the user to an address."""
_DEFINITION = LazyPattern(
    r"(\s*)(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:def|function)\s+([A-Za-z_$][\w$]*)|"
    r"(\s*)(?:export\s+)?const\s+([A-Za-z_$][\w$]*)\s*(?::[^=]+)?=\s*(?:async\s*)?\("
)


def judge_criteria(ticket: Ticket, changed_files: Sequence[ChangedSource]) -> tuple[CriterionResult, ...]:
    """Judge each criterion of a ticket against the lines that a change adds; pure."""
    change = _Change(changed_files)
    results = []
    for criterion in ticket.criteria:
        judgement = _judge(demand_of(criterion.text), change)
        results.append(CriterionResult(criterion.id, judgement.state, judgement.spans, judgement.reason))
    return tuple(results)


class _Change:
    """The added lines of all files, read once for all criteria."""

    def __init__(self, sources: Sequence[ChangedSource]) -> None:
        counts = {source.path: used_names([source]) for source in sources}
        self.codes = []
        for source in sources:
            others = frozenset(
                name for path, names in counts.items() if path != source.path for name in names
            )
            self.codes.append(read_added(source, others))
        self.implementation = [
            code for code in self.codes if not code.source.is_test and _does_something(code)
        ]
        self.tests = [test for code in self.codes if code.source.is_test for test in test_cases(code)]
        self._used = {name for names in counts.values() for name, lines in names.items() if lines > 1}
        self._tested = {
            name for code in self.codes if code.source.is_test for name in counts[code.source.path]
        }

    @cached_property
    def _switches(self) -> frozenset[str]:
        return switched_off(self.implementation)

    def switched_on(self, demand: Demand) -> list[AddedCode]:
        """The files of the implementation that read no switch that is off; one that it names may be."""
        switches = frozenset(name for name in self._switches if name not in demand.text)
        return [code for code in self.implementation if not reads_switch(code, switches)]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all live code that is not a test."""
        return frozenset().union(*(code.stems_with_path for code in self.implementation))

    @cached_property
    def inert(self) -> str:
        """Everything that does nothing: comments, documents, messages, tests without implementation."""
        logs = (line.code for code in self.codes for line in code.lines if line.is_log)
        return "\n".join([*(code.inert for code in self.codes), *logs])

    def is_used(self, name: str) -> bool:
        """Return True if another added line has the name."""
        return name.lower() in self._used or name.lower() in self._tested


def _does_something(code: AddedCode) -> bool:
    is_code = code.language in (Language.PYTHON, Language.SCRIPT)
    return bool(code.effective) and not (is_code and code.is_stub)


def _judge(demand: Demand, change: _Change) -> Judgement:
    if demand.unverifiable:
        return not_checkable(f"{demand.unverifiable}, which code does not show")
    if not demand.words and not demand.literals:
        return not_checkable("it names nothing that code has")
    if demand.about_tests:
        return _judge_tests(demand, change)
    if not change.implementation:
        return not_met("the change adds no code that could do it")
    if opposite := _opposite(demand, change):
        return not_met(opposite)
    return (
        _by_test(demand, change)
        or judge_sql(demand, change.implementation)
        or judge_config(demand, change.implementation)
        or _by_literals(demand, change)
        or _without_evidence(demand, change)
    )


def _judge_tests(demand: Demand, change: _Change) -> Judgement:
    """A criterion that demands tests: an added test with an assertion is the evidence."""
    words = demand.words - stems(
        "test tests unit integration covered cover check checks exist written regression"
    )
    for test in change.tests:
        if (
            test.asserts
            and not _asserts_other(demand, words, test)
            and _states(words, test)
            and all(is_in_text(one, test.text) for one in demand.literals)
        ):
            return met("an added test states it", [_span(test)])
    if any(not test.asserts and _states(words, test) for test in change.tests):
        return not_met("the added test asserts nothing")
    related = any(covered(words, test.stems) for test in change.tests)
    return (
        not_checkable("no added test clearly is the one") if related else not_met("no added test is about it")
    )


def _asserts_other(demand: Demand, words: frozenset[str], test: TestCase) -> bool:
    """Return True if the assertions show another outcome, the negation, or only that something exists."""
    if _contradicts(demand, test):
        return True
    shown = test.body_stems(frozenset())
    return test.is_about_presence and len(covered(words, shown)) < _PRESENT * len(words)


def _contradicts(demand: Demand, test: TestCase) -> bool:
    if test.contradicts(demand.outcome) or (demand.is_negative and test.is_about_presence):
        return True
    if demand.is_negative:
        return False
    return any(test.denies(lines_with(one, test.asserts)) for one in demand.literals)


def _states(words: frozenset[str], test: TestCase) -> bool:
    """Return True if the title has half of the words and the test most of them."""
    if not words:
        return True
    in_title = len(covered(words, test.title_stems))
    in_test = len(covered(words, test.stems))
    return in_title * 2 >= len(words) and in_test >= _STATED * len(words)


def _span(test: TestCase) -> CodeSpan:
    numbers = [line.number for line in test.lines]
    return CodeSpan(test.path, min(numbers), max(numbers))


def _by_test(demand: Demand, change: _Change) -> Judgement | None:
    """A test that states the criterion, asserts something, and exercises added code about it."""
    for test in change.tests:
        if not _states(demand.words, test) or not _has_literals(demand, test, change):
            continue
        if demand.is_negative and not test.is_negative:
            return not_met(f"the added test {test.title!r} states the opposite")
        if not test.asserts or (test.title_is_negative and not demand.is_negative):
            continue
        if _contradicts(demand, test):
            continue
        for code in change.switched_on(demand):
            if lines := _implementing(demand, test, code):
                spans = spans_of(code.source.path, (line.number for line in lines))
                return met("an added test states it and exercises the added code", [_span(test), *spans])
    return None


def _has_literals(demand: Demand, test: TestCase, change: _Change) -> bool:
    """Each literal is in the body of the test or in the added code; a name may be in the title instead."""
    return all(
        lines_with(one, test.body)
        or (one.kind is LiteralKind.NAME and is_in_text(one, test.title))
        or _is_live(one, change.implementation)
        for one in demand.literals
    )


def _implementing(demand: Demand, test: TestCase, code: AddedCode) -> list[LiveLine]:
    """The lines of a file that a test exercises, if the file is about the criterion and does something."""
    reached = exercised(test, code)
    if not reached or code.is_stub:
        return []
    names = [one for one in identifying(demand) if lines_with(one, code.effective)]
    if any(_is_unread(one, code) for one in names):
        return []
    share = len(covered(demand.words, code.stems))
    if not names and share < _IMPLEMENTED * len(demand.words):
        return []
    shown = code.stems_with_path | test.body_stems(code.unread)
    if covered(demand.proper, shown) != demand.proper:
        return []
    if not _has_clauses(demand, shown | test.title_stems):
        return []
    if test.is_about_presence and len(covered(demand.words, shown)) < _PRESENT * len(demand.words):
        return []
    return reached[:4] + [line for one in names for line in lines_with(one, code.effective)[:1]]


def _is_unread(literal: Literal, code: AddedCode) -> bool:
    """Return True for the name of a parameter, or of its option, that no line reads."""
    return literal.text.lstrip("-").replace("-", "_") in code.unread


def _has_clauses(demand: Demand, shown: frozenset[str]) -> bool:
    """Return True if most words of each of several longer clauses are shown."""
    return len(demand.clauses) == 1 or all(
        len(covered(words, shown)) >= _PRESENT * len(words) for words in demand.clauses if len(words) > 1
    )


def _by_literals(demand: Demand, change: _Change) -> Judgement | None:
    """All literals of a criterion in one place of code that is about its words."""
    names = identifying(demand)
    strong = [one for one in names if _STRONG.search(one.text)]
    enough = bool(strong) or len(names) > 1 or (bool(names) and bool(demand.default))
    if not enough or demand.is_negative or demand.bounds or demand.removes:
        return None
    for code in change.switched_on(demand):
        if code.language not in (Language.PYTHON, Language.SCRIPT) or code.is_stub:
            continue
        found = located(demand, code)
        lines = nearest(found) if len(found) == len(demand.literals) else None
        if not lines or not _is_about(demand, code) or all(is_constant(line) for line in lines):
            continue
        if demand.default and not _gives_default(demand, code):
            continue
        if any(_is_unread(one, code) for one in names) or not _has_clauses(demand, code.stems_with_path):
            continue
        if _REDIRECTS.search(demand.text) and not any(_REDIRECT.search(line.code) for line in lines):
            continue
        if all(_is_reached(line, code, change) for line in lines):
            spans = spans_of(code.source.path, (line.number for line in lines))
            return met("the added code uses what the criterion names", spans)
    return None


def _is_about(demand: Demand, code: AddedCode) -> bool:
    words = len(covered(demand.words, code.stems_with_path))
    evidence = words + len(demand.literals)
    return words >= _IMPLEMENTED * len(demand.words) and evidence >= 2


def _is_reached(line: LiveLine, code: AddedCode, change: _Change) -> bool:
    """Return False inside of a new function that neither the change nor a framework uses."""
    enclosing, decorated = _enclosing(line, code)
    if enclosing is None or decorated or _USED_BY_FRAMEWORK.match(enclosing.original):
        return True
    match = _DEFINITION.match(enclosing.original)
    name = (match[2] or match[4]) if match else ""
    is_method = bool(match and (match[1] or match[3]))
    is_known = name in code.source.symbols or any(name in removed for removed in code.source.removed)
    is_component = name[:1].isupper() and code.source.path.endswith(("x",))
    return is_method or is_known or is_component or change.is_used(name)


def _enclosing(line: LiveLine, code: AddedCode) -> tuple[LiveLine | None, bool]:
    """The definition above a line with less indentation, and whether it has a decorator."""
    lines = list(code.effective)
    at = lines.index(line)
    indent = len(line.original) - len(line.original.lstrip())
    if line.original.lstrip().startswith("@"):
        return None, True
    for index in range(at, -1, -1):
        match = _DEFINITION.match(lines[index].original)
        depth = len(match[1] or match[3] or "") if match else 0
        if match and (depth < indent or index == at):
            return lines[index], index > 0 and lines[index - 1].original.lstrip().startswith("@")
    return None, False


def _opposite(demand: Demand, change: _Change) -> str:
    """The reason why added code gives another default than the criterion; empty if it does not."""
    if not demand.default:
        return ""
    for code in change.implementation:
        for name in identifying(demand):
            for line in lines_with(name, code.effective):
                value = _assigned(name, line)
                if value and value != demand.default and _is_comparable(value, demand.default):
                    return f"the added default of {name.text} is {value}, not {demand.default}"
    return ""


def _gives_default(demand: Demand, code: AddedCode) -> bool:
    """Return True if a line gives a name of the criterion its default."""
    return any(
        _assigned(name, line) == demand.default
        for name in identifying(demand)
        for line in lines_with(name, code.effective)
    )


def _assigned(name: Literal, line: LiveLine) -> str:
    spelled = re.escape(name.spellings[0])
    assignment = LazyPattern(
        rf"{spelled}[\"']?\s*(?::\s*[\w\[\]| .]+?)?\s*(?:=|:|\?\?=?|\|\|)\s*[{{\"']?([\w.-]+)|"
        rf"{spelled}.*\bdefault\s*=\s*[\"']?([\w.-]+)"
    )
    match = assignment.search(line.code)
    return next((group for group in match.groups() if group), "") if match else ""


def _is_comparable(value: str, wanted: str) -> bool:
    booleans = ("true", "false")
    return (value in booleans) == (wanted in booleans) and (value[:1].isdigit() == wanted[:1].isdigit())


def _without_evidence(demand: Demand, change: _Change) -> Judgement:
    """Not met if the change lacks it, not checkable if related code is there."""
    names = [one for one in identifying(demand) if one.text not in METHODS]
    missing = [one for one in names if not _is_known(one, change.implementation)]
    if names and len(missing) == len(names):
        where = (
            "only outside of live code" if is_in_text(missing[0], change.inert) else "not in the added code"
        )
        return not_met(f"{missing[0].text!r} is {where}")
    if idle := [one for one in demand.literals if _is_idle(one, change)]:
        return not_met(f"{idle[0].text!r} is only in text or code without effect")
    share = len(covered(demand.words, change.stems)) / len(demand.words) if demand.words else 1.0
    if reason := _other_value(demand, change):
        return not_met(reason)
    if any(not test.asserts and _states(demand.words, test) for test in change.tests):
        return not_met("the added test that states it asserts nothing")
    inert = len(covered(demand.words, stems(change.inert))) / len(demand.words) if demand.words else 0.0
    is_tested = any(test.asserts and _states(demand.words, test) for test in change.tests)
    if share < _UNRELATED and inert >= _STUFFED and not names and not is_tested:
        return not_met("only comments, messages or unused code mention it")
    if share == 0 and not names and len(demand.words) > 1:
        return not_met("nothing in the added code is about it")
    return not_checkable("related code is added, but no added test or literal shows it")


def _is_idle(literal: Literal, change: _Change) -> bool:
    """Return True for a literal in comments, dead code or unused functions and nowhere else."""
    lines = [(line, code) for code in change.implementation for line in lines_with(literal, code.effective)]
    if not lines:
        return bool(change.inert) and bool(lines_with(literal, (as_line(change.inert),)))
    return all(
        code.language in (Language.PYTHON, Language.SCRIPT) and not _is_reached(line, code, change)
        for line, code in lines
    )


def _is_known(literal: Literal, codes: Iterable[AddedCode]) -> bool:
    """Return True for a literal in live code, in removed lines, or in the name of a file or symbol."""
    return any(
        lines_with(literal, code.effective)
        or is_in_text(literal, "\n".join((code.source.path, *code.source.symbols, *code.source.removed)))
        for code in codes
    )


def _is_live(literal: Literal, codes: Iterable[AddedCode]) -> bool:
    return any(lines_with(literal, code.effective) for code in codes)


def _around(line: LiveLine, code: AddedCode) -> frozenset[str]:
    """The stems of the lines near a line."""
    at = bisect_left(code.effective, line.number, key=lambda one: one.number)
    near = code.effective[max(0, at - _NEAR) : at + _NEAR + 1]
    return code_stems("\n".join(one.original for one in near if abs(one.number - line.number) <= _NEAR))


def _other_value(demand: Demand, change: _Change) -> str:
    """The reason if a line about the criterion has another number than the criterion."""
    for literal in values(demand):
        if literal.kind is not LiteralKind.VALUE or _is_live(literal, change.implementation):
            continue
        for code in change.implementation:
            for line in other_values(literal, code.effective):
                near = _around(line, code)
                names = any(lines_with(one, (line,)) for one in identifying(demand))
                if names or len(covered(demand.words, near)) * 2 >= max(2, len(demand.words)):
                    return f"line {line.number} of {code.source.path} has another value than {literal.text}"
    return ""
