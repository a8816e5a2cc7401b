from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.checks.base import Check
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.semantics.argument_order import (
    MOST_ARGUMENTS,
    ArgumentList,
    ArgumentName,
    Reordering,
    has_mirror_call,
    implies_reordering,
    is_informative,
    similarity,
)
from wardround.semantics.docdrift.comment_lines import SCRIPT
from wardround.semantics.docdrift.directions import (
    against_the_words,
    are_opposites,
    is_intentional_reversal,
    names_a_way,
)
from wardround.text.tokens import parts
from wardround_typescript.analysis.call_resolution import callee_of
from wardround_typescript.analysis.function_extents import FunctionExtents
from wardround_typescript.analysis.resolved_scripts import script_of
from wardround_typescript.check import SCRIPTS

_CALL = LazyPattern(
    r"(?<![\w$.#])(?P<new>new\s{1,9})?(?P<name>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)?)\s{0,3}"
    r"(?:<[^<>();{}]{0,120}>)?\("
)
_NO_CALL = frozenset(
    {"if", "for", "while", "switch", "catch", "function", "return", "typeof", "await", "super"}
)
_ARGUMENT = LazyPattern(
    r"(?:await\s+)?(?P<chain>[A-Za-z_$][\w$]*(?:\s*\??\.\s*#?[A-Za-z_$][\w$]*)*)!?(?:\(\))?"
    r"(?:\s+as\s+[\w$.<>\[\]| ]{1,80})?"
)
_TEST_PATH = LazyPattern(
    r"(^|/)(__tests__|__mocks__|tests?|e2e|specs?|cypress)/|\.(test|spec|stories|e2e|cy)\.[mc]?[jt]sx?$"
)
_SCRIPT = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_HOLDS = frozenset({"value", "current"})
"""Properties that only hold the value of their owner: of a Vue or a React ref."""
_SORTS = LazyPattern(r"\b(?:sort|toSorted|sortBy|orderBy)\s{0,3}\($")
_CONDITION = LazyPattern(r"(?<![\w$.])(?:if|while)\s{0,9}\(")
_NEARBY_LINES = 12
_CONDITION_LINES = 3
_ALIKE = 0.6
_SUSPECTS_AT_MOST = 100
"""Number of suspects per file; a file with more follows another convention or is generated."""


class SwappedArguments(Check):
    """Two arguments are swapped, by their names and the names of the parameters.

    If both have the same type the compiler accepts it: width and height are exchanged, the wrong one of two
    accounts is charged. Pass the arguments in the order of the parameters.
    """

    ID = "TS030"
    NAME = "swapped-arguments"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            function crop(width, height) {}
            crop(width, height);
        """),
        code("""
            function crop(width, height) {}
            function rotated() {
              crop(height, width);
            }
        """),
    ]
    INVALID = [
        code("""
            function crop(width: number, height = 1) {}

            crop(«height, width»);
        """),
        code(
            """
            import { crop as cut } from './shape.js';
            export const f = (image) => cut(1, «image.height, image.width»);
            """,
            path="src/use.tsx",
            others={
                "src/shape.ts": """
                export const crop = (of: Map<any, any>, width: number, height?: number): void => {};
                """,
            },
        ),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ()

    def __init__(self, source: SourceFile) -> None:
        super().__init__(source)
        self._script = script_of(source.path, source.text)
        self._functions = FunctionExtents(self._script.scan)
        self._suspects = 0

    def run(self) -> None:
        for location, call in self.calls():
            swap = self._better_order(location, call)
            if swap is not None:
                self.report(self._span(location, swap), call.describe(swap))

    def calls(self) -> Iterator[tuple[re.Match[str], ArgumentList]]:
        """Yield the added calls with a known callee and arguments that names can tell apart."""
        if not self._has_added_list() or not self._script.is_written:
            return
        for location in _CALL.finditer(self._script.scan.structure):
            call = self._call(location) if self._is_added_call(location) else None
            if call is not None:
                yield location, call

    def _has_added_list(self) -> bool:
        """Return True if an added line of a script that is not a test may have two arguments."""
        path = self.source.path
        if not path.endswith(_SCRIPT) or _TEST_PATH.search(path):
            return False
        numbers = (number for number, line in enumerate(self.source.lines, 1) if "," in line)
        return any(map(self.source.is_added, numbers))

    def _is_added_call(self, place: re.Match[str]) -> bool:
        if place["name"] in _NO_CALL:
            return False
        opening = place.end() - 1
        closing = self._script.scan.pairs.get(opening, opening)
        first, last = self.source.position(place.start())[0], self.source.position(closing)[0]
        return any(map(self.source.is_added, range(first, last + 1)))

    def _call(self, place: re.Match[str]) -> ArgumentList | None:
        script = self._script
        locations = script.list_at(place.end() - 1)
        if locations is None or not 2 <= len(locations) <= MOST_ARGUMENTS:
            return None
        texts = tuple(script.scan.code[start:end] for start, end in locations)
        arguments = tuple(map(argument_name, texts))
        if sum(map(_is_informative, arguments)) < 2 or any(text.startswith("...") for text in texts):
            return None
        callee = callee_of(place["name"], bool(place["new"]), script, self.source.project)
        if callee is None or len(texts) > len(callee.parameters):
            return None
        return ArgumentList(callee.name, callee.parameters[: len(texts)], arguments, texts)

    def _better_order(self, place: re.Match[str], call: ArgumentList) -> Reordering | None:
        """Return the order that fits better, unless the context shows that this order is intentional."""
        swap = call.better_order()
        if swap is None:
            swap = self._against_the_words(place, call) or self._against_another(place, call)
        if swap is None or self._suspects >= _SUSPECTS_AT_MOST:
            return None
        self._suspects += 1
        return None if self._is_intentional(place, call, swap) else swap

    def _against_the_words(self, place: re.Match[str], call: ArgumentList) -> Reordering | None:
        """Return True for two arguments whose order contradicts the name of the function."""
        if not names_a_way(call.parameters):
            return None
        line = self.source.position(place.start())[0]
        return against_the_words(self.source.text, SCRIPT, line, call.arguments, call.parameters)

    def _against_another(self, place: re.Match[str], call: ArgumentList) -> Reordering | None:
        """Return the swap of an argument named like another parameter, as another call passes it."""
        names = [argument.name if argument is not None else "" for argument in call.arguments]
        for here, name in enumerate(names):
            there = call.parameters.index(name) if name in call.parameters else here
            if not _is_swap_candidate(names, here, there, call.parameters[here]):
                continue
            passed = self._passed_at(place, here)
            if call.texts[there] in passed and call.texts[here] not in passed:
                return Reordering(tuple(sorted([(here, there), (there, here)])), 1.0)
        return None

    def _passed_at(self, place: re.Match[str], argument: int) -> set[str]:
        """Return the arguments that other calls of the same function in the file pass at a position."""
        lists = self._other_lists(place, 0, len(self._script.scan.structure))
        return {texts[argument] for texts in lists if len(texts) > argument}

    def _other_lists(self, place: re.Match[str], start: int, end: int) -> Iterator[list[str]]:
        """Yield the arguments of other calls of the same function between two positions."""
        for other in _CALL.finditer(self._script.scan.structure, start, end):
            if other["name"] == place["name"] and other.start() != place.start():
                positions = self._script.list_at(other.end() - 1) or ()
                yield [self._script.scan.code[begin:stop] for begin, stop in positions]

    def _is_intentional(self, place: re.Match[str], call: ArgumentList, swap: Reordering) -> bool:
        names = self._functions.names_around(place.start())
        if any(_is_for_reordering(name, call.callee) for name in names):
            return True
        if self._is_chosen(place.start(), {call.texts[position] for position, _ in swap.moves}):
            return True
        if is_intentional_reversal(self.source.text, SCRIPT, self.source.position(place.start())[0]):
            return True
        return has_mirror_call(call.texts, self._orders_nearby(place))

    def _is_chosen(self, offset: int, moved: set[str]) -> bool:
        """Return True if a condition reads two of the arguments, or a sort calls it: the order is
        intentional.
        """
        line = self.source.position(offset)[0]
        before = self._script.scan.structure[self.source.line_starts[line - 1] : offset]
        if "?" in before and _mentions(moved, before) > 1:
            return True
        if any(_mentions(moved, condition) > 1 for condition in self._conditions_before(offset, line)):
            return True
        return any(_SORTS.search(before, 0, found.end()) for found in re.finditer(r"\(", before))

    def _conditions_before(self, offset: int, line: int) -> Iterator[str]:
        scan = self._script.scan
        start = self.source.line_starts[max(0, line - 1 - _CONDITION_LINES)]
        for match in _CONDITION.finditer(scan.structure, start, offset):
            closing = scan.pairs.get(match.end() - 1, match.end())
            yield scan.code[match.end() : closing]

    def _orders_nearby(self, place: re.Match[str]) -> Iterator[list[str]]:
        """Yield the arguments of other calls of the same function in the lines around."""
        line = self.source.position(place.start())[0]
        line_starts = self.source.line_starts
        start = line_starts[max(0, line - 1 - _NEARBY_LINES)]
        end = line_starts[min(len(line_starts) - 1, line + _NEARBY_LINES)]
        return self._other_lists(place, start, max(end, place.end()))

    def _span(self, place: re.Match[str], swap: Reordering) -> Span:
        locations = self._script.list_at(place.end() - 1) or ()
        start, end = locations[swap.moves[0][0]][0], locations[swap.moves[-1][0]][1]
        return Span(*self.source.position(start), *self.source.position(end))


def argument_name(text: str) -> ArgumentName | None:
    """Return the name of an argument: a name, a property, or a call without arguments."""
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        return None
    names = [name.strip("?# \n\t") for name in match["chain"].split(".")]
    if len(names) > 1 and names[-1] in _HOLDS:
        names.pop()
    return ArgumentName(names[-1], names[-2] if len(names) > 1 else "")


def _mentions(moved: set[str], text: str) -> int:
    """Count the arguments that a string mentions."""
    patterns = (rf"(?<![\w$]){re.escape(argument)}(?![\w$])" for argument in moved)
    return sum(re.search(pattern, text) is not None for pattern in patterns)


def _is_informative(argument: ArgumentName | None) -> bool:
    return argument is not None and is_informative(argument.name)


def _is_for_reordering(name: str, callee: str) -> bool:
    """Return True for a function that may pass on its arguments in another order."""
    return name == callee or implies_reordering(name) or are_opposites(name, callee)


def _is_swap_candidate(names: list[str], here: int, there: int, parameter: str) -> bool:
    """Return True if an argument may belong to another position; only a name of several words is evidence."""
    if there == here or len(parts(names[here])) < 2 or not names[there]:
        return False
    return similarity(names[here], parameter) <= _ALIKE and names[there] != names[here]
