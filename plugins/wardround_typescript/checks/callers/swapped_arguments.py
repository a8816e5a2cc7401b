"""TS030: swapped arguments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.checks.base import Check
from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity, Span
from wardround.rules.maturity import Maturity
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
from wardround_typescript.analysis.call_resolution import callee_of, script_of
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
_DEFINED = LazyPattern(
    r"(?<![\w$.])function\s{0,3}\*?\s{0,3}(?P<function>[A-Za-z_$][\w$]*)"
    r"|(?<![\w$.])(?:const|let|var)\s{1,9}(?P<held>[A-Za-z_$][\w$]*)\s{0,9}=[^;{}\n]{0,200}=>\s{0,9}(?=\{)"
    r"|(?m:^[ \t]*)(?:(?:public|private|protected|static|override|async)[ ]+)*"
    r"(?P<method>[A-Za-z_$][\w$]*)(?=\()"
)
_BODY = LazyPattern(r"\s{0,9}(?::[^;{}]{0,200})?\{")
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
    MATURITY = Maturity.PREVIEW
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
        self._suspects = 0

    def run(self) -> None:
        for place, call in self.calls():
            swap = self._reordering(place, call)
            if swap is not None:
                self.report(self._span(place, swap), call.describe(swap))

    def calls(self) -> Iterator[tuple[re.Match[str], ArgumentList]]:
        """Yield the added calls with a known callee and arguments that names can tell apart."""
        if not self._is_looked_at():
            return
        for place in _CALL.finditer(self._script.scan.structure):
            if place["name"] not in _NO_CALL:
                call = self._call(place)
                if call is not None:
                    yield place, call

    def _is_looked_at(self) -> bool:
        source = self.source
        return (
            source.path.endswith(_SCRIPT)
            and not _TEST_PATH.search(source.path)
            and any("," in line and source.is_added(n) for n, line in enumerate(source.lines, 1))
            and self._script.is_written
        )

    def _call(self, place: re.Match[str]) -> ArgumentList | None:
        script = self._script
        opening = place.end() - 1
        first, last = (
            self.source.position(place.start())[0],
            self.source.position(script.scan.pairs.get(opening, opening))[0],
        )
        if not any(map(self.source.is_added, range(first, last + 1))):
            return None
        places = script.list_at(opening)
        if places is None or not 2 <= len(places) <= MOST_ARGUMENTS:
            return None
        texts = tuple(script.scan.code[start:end] for start, end in places)
        arguments = tuple(map(named, texts))
        if sum(one is not None and is_informative(one.name) for one in arguments) < 2:
            return None
        if any(text.startswith("...") for text in texts):
            return None
        callee = callee_of(place["name"], bool(place["new"]), script, self.source.project)
        if callee is None or len(texts) > len(callee.parameters):
            return None
        return ArgumentList(callee.name, callee.parameters[: len(texts)], arguments, texts)

    def _reordering(self, place: re.Match[str], call: ArgumentList) -> Reordering | None:
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
        names = [one.name if one is not None else "" for one in call.arguments]
        for here, name in enumerate(names):
            there = call.parameters.index(name) if name in call.parameters else here
            if not _is_swap_candidate(names, here, there, call.parameters[here]):
                continue
            given = self._passed_at(place, here)
            if call.texts[there] in given and call.texts[here] not in given:
                return Reordering(tuple(sorted([(here, there), (there, here)])), 1.0)
        return None

    def _passed_at(self, place: re.Match[str], argument: int) -> set[str]:
        """Return the arguments that other calls of the same function in the file pass at a position."""
        found: set[str] = set()
        for other in _CALL.finditer(self._script.scan.structure):
            if other["name"] == place["name"] and other.start() != place.start():
                listed = self._script.list_at(other.end() - 1) or ()
                if len(listed) > argument:
                    start, end = listed[argument]
                    found.add(self._script.scan.code[start:end])
        return found

    def _is_intentional(self, place: re.Match[str], call: ArgumentList, swap: Reordering) -> bool:
        moved = {call.texts[i] for i, _ in swap.moves}
        return (
            any(
                implies_reordering(name) or name == call.callee or are_opposites(name, call.callee)
                for name in self._names_around(place.start())
            )
            or self._is_chosen(place.start(), moved)
            or is_intentional_reversal(self.source.text, SCRIPT, self.source.position(place.start())[0])
            or has_mirror_call(call.texts, self._orders_nearby(place))
        )

    def _names_around(self, offset: int) -> Iterator[str]:
        """Return the names of the functions that contain a position."""
        scan = self._script.scan
        place = bisect_right(self._functions, (offset,)) - 1
        while place >= 0:
            _, end, name, around = self._functions[place]
            if offset <= end:
                yield name
            place = around
        line_start = scan.structure.rfind("\n", 0, offset) + 1
        held = re.match(r"\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)", scan.structure[line_start:offset])
        if held:
            yield held[1]

    @cached_property
    def _functions(self) -> list[tuple[int, int, str, int]]:
        """Return (start, end, name, index of the enclosing function or -1) of the functions with a body in
        braces.
        """
        scan = self._script.scan
        found: list[tuple[int, int, str, int]] = []
        around: list[int] = []
        for match in _DEFINED.finditer(scan.structure):
            opening = match.end()
            if not match["held"]:
                listed = scan.structure.find("(", match.end(), match.end() + 200)
                body = _BODY.match(scan.structure, scan.pairs.get(listed, len(scan.structure)) + 1)
                opening = body.end() - 1 if body else -1
            if opening in scan.pairs:
                while around and found[around[-1]][1] < match.start():
                    around.pop()
                name = match[match.lastgroup or 0]
                found.append((match.start(), scan.pairs[opening], name, around[-1] if around else -1))
                around.append(len(found) - 1)
        return found

    def _is_chosen(self, offset: int, moved: set[str]) -> bool:
        """Return True if a condition reads two of the arguments, or a sort calls it: the order is
        intentional.
        """
        scan = self._script.scan
        line = self.source.position(offset)[0]
        start = self.source.line_starts[max(0, line - 1 - _CONDITION_LINES)]
        for match in _CONDITION.finditer(scan.structure, start, offset):
            closing = scan.pairs.get(match.end() - 1, match.end())
            if _held(moved, scan.code[match.end() : closing]) > 1:
                return True
        before = scan.structure[self.source.line_starts[line - 1] : offset]
        if "?" in before and _held(moved, before) > 1:
            return True
        return any(_SORTS.search(before, 0, found.end()) for found in re.finditer(r"\(", before))

    def _orders_nearby(self, place: re.Match[str]) -> Iterator[list[str]]:
        """Yield the arguments of other calls of the same function in the lines around."""
        line = self.source.position(place.start())[0]
        start = self.source.line_starts[max(0, line - 1 - _NEARBY_LINES)]
        end = self.source.line_starts[min(len(self.source.line_starts) - 1, line + _NEARBY_LINES)]
        for other in _CALL.finditer(self._script.scan.structure, start, max(end, place.end())):
            if other["name"] == place["name"] and other.start() != place.start():
                places = self._script.list_at(other.end() - 1) or ()
                yield [self._script.scan.code[a:b] for a, b in places]

    def _span(self, place: re.Match[str], swap: Reordering) -> Span:
        places = self._script.list_at(place.end() - 1) or ()
        start, end = places[swap.moves[0][0]][0], places[swap.moves[-1][0]][1]
        return Span(*self.source.position(start), *self.source.position(end))


def named(text: str) -> ArgumentName | None:
    """Return the name of an argument: a name, a property, or a call without arguments."""
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        return None
    names = [name.strip("?# \n\t") for name in match["chain"].split(".")]
    if len(names) > 1 and names[-1] in _HOLDS:
        names.pop()
    return ArgumentName(names[-1], names[-2] if len(names) > 1 else "")


def _held(moved: set[str], text: str) -> int:
    """Count the arguments that a text mentions."""
    return sum(re.search(rf"(?<![\w$]){re.escape(one)}(?![\w$])", text) is not None for one in moved)


def _is_swap_candidate(names: list[str], here: int, there: int, parameter: str) -> bool:
    """Return True if an argument may belong to another position; only a name of several words is evidence."""
    if there == here or len(parts(names[here])) < 2 or not names[there]:
        return False
    return similarity(names[here], parameter) <= _ALIKE and names[there] != names[here]
