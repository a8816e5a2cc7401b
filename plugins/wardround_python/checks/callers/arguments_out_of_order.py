"""PY049."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.literals import is_text
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.comment_lines import PYTHON
from wardround.semantics.docdrift.directions import is_intentional_reversal
from wardround_python.check import PythonCheck
from wardround_python.checks.callers.swapped_arguments import named
from wardround_python.libraries.argument_order import (
    LATITUDE,
    LIBRARY,
    LONGITUDE,
    PATTERN,
    TEXT,
    clip,
    is_named,
    point,
)

_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"})
_FOR_VERBS = frozenset({"method", "verb", "http_method"})

# Words of which the one comes before the other, in time, in size or in place.
_PAIRS = (
    "open close", "start end", "begin finish", "min max", "minimum maximum", "lower upper", "low high",
    "first last",
    "since until", "earliest latest", "old new", "src dst", "source target", "source destination",
    "arrival departure",
    "oldest newest", "from to", "from until", "sunrise sunset", "checkin checkout", "begin end",
    "smallest largest",
    "floor ceiling", "sender recipient", "width height", "lat lon", "latitude longitude", "debit credit",
    "buyer seller",
    "parent child",
)  # fmt: skip
_SIDES: Mapping[str, frozenset[tuple[str, int]]] = {
    word: frozenset((pair, side) for pair in _PAIRS for side, one in enumerate(pair.split()) if one == word)
    for pair in _PAIRS
    for word in pair.split()
}
# What is ordered alike: an opening and a closing hour are a lower and an upper bound.
_ORDERED = frozenset(_PAIRS[:13]) | {
    "arrival departure",
    "oldest newest",
    "from until",
    "sunrise sunset",
    "begin end",
    "smallest largest",
    "floor ceiling",
}


class ArgumentsOutOfOrder(PythonCheck):
    """An argument stands in another's place, by what the library takes there or by how it is called
    elsewhere.

    ``re.sub(pattern, text, " ")`` replaces in the wrong text and raises nothing. Put the arguments in the
    order of the parameters, or give them by keyword.
    """

    ID = "PY049"
    NAME = "arguments-out-of-order"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:gives_several_or_a_place"
    DEFECT_CLASS = "swapped-arguments"
    VALID = [
        code("""
            import re
            def f(text):
                return re.sub('a', 'b', text)
        """),
        code("""
            import re
            def f(text, by):
                return re.sub('a', by, 'abc')
        """),
    ]
    INVALID = [
        code(r"""
            import re
            def f(text):
                return «re.sub(r'\s+', text, ' ')»
        """),
        code("""
            import re
            GAP = re.compile(' +')
            def f(line):
                return «GAP.sub(line, ' ')»
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if (
            not len(node.args) >= 2
            or any(isinstance(a, ast.Starred) for a in node.args)
            or not self.adds(node)
        ):
            return
        told = self._of_library(node) or self._of_project(node) or self._against_the_others(node)
        if told is not None:
            self.report(self.module.span(node), told)

    def visit_Dict(self, node: ast.Dict) -> None:
        """GeoJSON: the longitude comes first."""
        for key, value in zip(node.keys, node.values, strict=True):
            named_so = isinstance(key, ast.Constant) and key.value == "coordinates"
            places = value.elts if isinstance(value, (ast.List, ast.Tuple)) and named_so else []
            if len(places) > 1 and is_named(places[0], LATITUDE) and is_named(places[1], LONGITUDE):
                self.report(self.module.span(value), "GeoJSON takes the longitude first, then the latitude")

    def _of_library(self, node: ast.Call) -> str | None:
        name = self.module.imported_name(node.func) or (
            node.func.id if isinstance(node.func, ast.Name) else ""
        )
        if name.partition(".")[0] in self._own:
            return None
        judge = LIBRARY.get(name)
        if judge is None and isinstance(node.func, ast.Attribute) and node.func.attr in ("sub", "subn"):
            owner = ast.unparse(node.func.value).rpartition(".")[2]
            is_pattern = PATTERN.fullmatch(owner) or self._is_compiled(owner)
            if is_pattern and is_named(node.args[0], TEXT) and is_text(node.args[1]):
                return "sub() of a pattern takes the replacement first, then the text"
            return None
        if judge is None and name.endswith((".Point", ".geos.Point")) and name.startswith(_MAPS):
            judge = point
        return judge(node.args) if judge is not None else None

    @cached_property
    def _own(self) -> set[str]:
        """The names the module defines itself."""
        return {
            n.name
            for n in self.module.tree.body
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }

    def _is_compiled(self, name: str) -> bool:
        made = self.module.assigned.get(name, [])
        return any(
            isinstance(v, ast.Call) and self.module.imported_name(v.func) == "re.compile" for v in made
        )

    def _of_project(self, node: ast.Call) -> str | None:
        given = [named(argument) for argument in node.args]
        verbs = [a for a in node.args if isinstance(a, ast.Constant) and a.value in _VERBS]
        clips = len(node.args) == 3 and clip(node.args) is not None
        if (sum(one is not None for one in given) < 2 and not verbs and not clips) or node.keywords:
            return None
        callee = self.callees.of(node)
        if callee is None or len(node.args) > len(callee.parameters):
            return None
        names = [one.name if one is not None else "" for one in given]
        told = (
            _verb_elsewhere(callee.parameters, node.args)
            or self._by_other_calls(node, callee.parameters, names)
            or _by_order(callee.parameters, names)
            or _by_bounds(callee.parameters, node.args)
        )
        return None if told is None or self._is_turned(node, callee.name) else told

    def _is_turned(self, node: ast.Call, callee: str) -> bool:
        """Whether the turning round is meant: said by a name around, or both ways are asked close by."""
        if is_intentional_reversal(self.source.text, PYTHON, node.lineno):
            return True
        function = next((one for one in self.module.ancestors(node) if isinstance(one, _FUNCTIONS)), None)
        statement = next((one for one in self.module.ancestors(node) if isinstance(one, ast.stmt)), node)
        calls = [one for one in walk(function or statement) if isinstance(one, ast.Call)]
        written, texts = ast.unparse(node.func), _texts(node)
        others = [_texts(one) for one in calls if ast.unparse(one.func) == written]
        if any(sorted(other) == sorted(texts) and other != texts for other in others):
            return True
        return function is not None and (_TURNS.search(function.name) is not None or function.name == callee)

    def _by_other_calls(self, node: ast.Call, parameters: Sequence[str], names: Sequence[str]) -> str | None:
        """An argument that is called as another parameter, and stands in that one's place in other calls."""
        for place, name in enumerate(names):
            if name not in parameters or parameters.index(name) == place:
                continue
            there = parameters.index(name)
            text = ast.unparse(node.args[place])
            if there >= len(node.args) or names[there] == name or _likeness(names[place], parameters[place]):
                continue
            for other in self._given_at.get((ast.unparse(node.func), there, text), ()):
                right = other is not node and len(other.args) > place
                if right and ast.unparse(other.args[place]) != text:
                    return (
                        f'{text} goes to "{parameters[place]}" here, and to "{name}" in line {other.lineno}'
                    )
        return None

    def _against_the_others(self, node: ast.Call) -> str | None:
        """Two arguments that other functions of the module give the same callee the other way round."""
        texts = tuple(ast.unparse(argument) for argument in node.args)
        ways = self._by_arguments.get((ast.unparse(node.func), *sorted(texts)), {})
        if len(ways) != 2 or len(ways.get(texts, ())) != 1:
            return None
        (other_way, alike), *_ = [(way, calls) for way, calls in ways.items() if way != texts]
        if len(alike) < _ENOUGH_OTHERS:
            return None
        around = self.module.function_of(node)
        turned = [n for n, text in enumerate(texts) if other_way[n] != text]
        apart = all(self.module.function_of(other) is not around for other in alike)
        names = [named(node.args[n]) for n in turned]
        if len(turned) != 2 or not apart or None in names or self._is_turned(node, ""):
            return None
        lines = ", ".join(str(other.lineno) for other in alike[:2])
        return f"{texts[turned[0]]} comes before {texts[turned[1]]} here, and after it in lines {lines}"

    @cached_property
    def _by_arguments(self) -> dict[tuple[str, ...], dict[tuple[str, ...], list[ast.Call]]]:
        """The calls of the module by what is called with which arguments, then by their order."""
        found: dict[tuple[str, ...], dict[tuple[str, ...], list[ast.Call]]] = {}
        for callee, calls in self._calls.items():
            for call in calls if len(calls) > _ENOUGH_OTHERS else ():
                texts = tuple(ast.unparse(argument) for argument in call.args)
                found.setdefault((callee, *sorted(texts)), {}).setdefault(texts, []).append(call)
        return found

    @cached_property
    def _given_at(self) -> dict[tuple[str, int, str], list[ast.Call]]:
        """What is called, a place and the argument there -> the calls, in source order."""
        found: dict[tuple[str, int, str], list[ast.Call]] = {}
        for callee, calls in self._calls.items():
            for call in calls:
                for place, argument in enumerate(call.args):
                    found.setdefault((callee, place, ast.unparse(argument)), []).append(call)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and len(node.args) > 1:
                found.setdefault(ast.unparse(node.func), []).append(node)
        return found


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ENOUGH_OTHERS = 2
_BOUND = LazyPattern(r"(^|_)(lo|low|lower|min|minimum|floor|a_min|smallest|hi|high|upper|max|maximum)(_|$)")
_SAY_LITTLE = frozenset({"id", "name", "key", "value", "at", "code", "number", "path", "type"})
_TURNS = LazyPattern(
    r"refund|revert|chargeback|roll_?back|repay|revers|backward|invert|swap|flip|mirror|undo|transpose"
    r"|opposite|symmetric|back_|rotat|return_|descend"
)
_MAPS = ("shapely.", "django.contrib.gis.", "geojson.", "geoalchemy2.", "pyproj.")


def _by_order(parameters: Sequence[str], names: Sequence[str]) -> str | None:
    """Two arguments of which the later stands where the earlier is taken: ``within(t, closes, opens)``."""
    for place in range(len(names) - 1):
        taken, given = (
            _ordered(parameters[place], parameters[place + 1]),
            _ordered(names[place + 1], names[place]),
        )
        if taken and given and (taken & given or (taken & _ORDERED and given & _ORDERED)):
            return (
                f'"{names[place]}" goes to "{parameters[place]}" and "{names[place + 1]}" to '
                f'"{parameters[place + 1]}"'
            )
    return None


def _by_bounds(parameters: Sequence[str], args: Sequence[ast.expr]) -> str | None:
    """A number written out where the value is taken, and the value where its lower bound is."""
    if len(args) != 3 or not _BOUND.search(parameters[1]) or _BOUND.search(parameters[0]):
        return None
    return clip(args) and f'{clip(args)}: "{parameters[0]}" comes first'


def _ordered(first: str, second: str) -> set[str]:
    """The pairs of words that two names stand for, in this order."""
    earlier = {pair for word in _words(first) for pair, side in _SIDES.get(word, ()) if side == 0}
    later = {pair for word in _words(second) for pair, side in _SIDES.get(word, ()) if side == 1}
    return earlier & later


def _words(name: str) -> list[str]:
    words = name.lower().split("_")
    return words + [word.removesuffix("s") for word in words] + [word.removesuffix("ing") for word in words]


def _texts(call: ast.Call) -> list[str]:
    return [*map(ast.unparse, call.args)]


def _verb_elsewhere(parameters: Sequence[str], args: Sequence[ast.expr]) -> str | None:
    """An HTTP method that does not go to the parameter for it."""
    for parameter, argument in zip(parameters, args, strict=False):
        if isinstance(argument, ast.Constant) and argument.value in _VERBS and parameter not in _FOR_VERBS:
            wanted = [p for p in parameters[: len(args)] if p in _FOR_VERBS]
            return f'{argument.value} goes to "{parameter}", not to "{wanted[0]}"' if wanted else None
    return None


def _likeness(name: str, parameter: str) -> bool:
    return bool(set(_words(name)) & set(_words(parameter)) - _SAY_LITTLE)
