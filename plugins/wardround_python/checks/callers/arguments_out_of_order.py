"""PY049: arguments out of order."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.literals import is_text
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround.semantics.argument_order import ArgumentName
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
_METHOD_PARAMETERS = frozenset({"method", "verb", "http_method"})

# Pairs of words whose first precedes the second, in time, size or position.
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
_POSITIONS: Mapping[str, frozenset[tuple[str, int]]] = {
    word: frozenset((pair, side) for pair in _PAIRS for side, one in enumerate(pair.split()) if one == word)
    for pair in _PAIRS
    for word in pair.split()
}
# Pairs that are ordered alike: an opening and a closing hour are a lower and an upper bound.
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
    """Argument in the wrong position, judged by the library's parameters or by the other calls.

    ``re.sub(pattern, text, " ")`` replaces in the wrong string and raises nothing. Reorder the arguments
    to match the parameters, or pass them by keyword.
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
        description = self._by_library(node) or self._by_project(node) or self._by_reversed_calls(node)
        if description is not None:
            self.report(self.module.span(node), description)

    def visit_Dict(self, node: ast.Dict) -> None:
        """Report GeoJSON coordinates with the latitude first; the longitude comes first."""
        for key, value in zip(node.keys, node.values, strict=True):
            named_so = isinstance(key, ast.Constant) and key.value == "coordinates"
            places = value.elts if isinstance(value, (ast.List, ast.Tuple)) and named_so else []
            if len(places) > 1 and is_named(places[0], LATITUDE) and is_named(places[1], LONGITUDE):
                self.report(
                    self.module.span(value),
                    "GeoJSON coordinates are longitude first, then latitude; swap them",
                )

    def _by_library(self, node: ast.Call) -> str | None:
        name = self.module.imported_name(node.func) or (
            node.func.id if isinstance(node.func, ast.Name) else ""
        )
        if name.partition(".")[0] in self._own:
            return None
        describe = LIBRARY.get(name)
        if describe is not None:
            return describe(node.args)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("sub", "subn"):
            return self._by_substitution(node, node.func)
        is_point = name.endswith((".Point", ".geos.Point")) and name.startswith(_GEO_PACKAGES)
        return point(node.args) if is_point else None

    def _by_substitution(self, node: ast.Call, func: ast.Attribute) -> str | None:
        """Describe a replacement and a text in the wrong order: ``pattern.sub(text, " ")``."""
        owner = unparse(func.value).rpartition(".")[2]
        is_pattern = PATTERN.fullmatch(owner) or self._is_compiled(owner)
        if is_pattern and is_named(node.args[0], TEXT) and is_text(node.args[1]):
            return "sub() of a pattern takes the replacement first, then the text"
        return None

    @cached_property
    def _own(self) -> set[str]:
        """Names that the module defines itself."""
        return {
            n.name
            for n in self.module.tree.body
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }

    def _is_compiled(self, name: str) -> bool:
        assigned_values = self.module.assigned.get(name, [])
        return any(
            isinstance(v, ast.Call) and self.module.imported_name(v.func) == "re.compile"
            for v in assigned_values
        )

    def _by_project(self, node: ast.Call) -> str | None:
        argument_names = [named(argument) for argument in node.args]
        if node.keywords or not _is_checkable(node.args, argument_names):
            return None
        callee = self.callees.of(node)
        if callee is None or len(node.args) > len(callee.parameters):
            return None
        names = [name.name if name is not None else "" for name in argument_names]
        description = (
            _verb_elsewhere(callee.parameters, node.args)
            or self._by_other_calls(node, callee.parameters, names)
            or _by_order(callee.parameters, names)
            or _by_bounds(callee.parameters, node.args)
        )
        return None if description is None or self._is_reversed(node, callee.name) else description

    def _is_reversed(self, node: ast.Call, callee: str) -> bool:
        """Return True if the reversal is intended: a nearby name suggests it, or both orders occur nearby."""
        if is_intentional_reversal(self.source.text, PYTHON, node.lineno):
            return True
        function = next((one for one in self.module.ancestors(node) if isinstance(one, _FUNCTIONS)), None)
        statement = next(
            (parent for parent in self.module.ancestors(node) if isinstance(parent, ast.stmt)), node
        )
        if _has_reversed_call(function or statement, node):
            return True
        return function is not None and (
            _REVERSING.search(function.name) is not None or function.name == callee
        )

    def _by_other_calls(self, node: ast.Call, parameters: Sequence[str], names: Sequence[str]) -> str | None:
        """Describe an argument that has the name of another parameter and is passed for it in other calls."""
        for position, name in enumerate(names):
            expected = parameters.index(name) if name in parameters else position
            if expected in (position, *range(len(node.args), len(parameters))):
                continue
            if names[expected] == name or _likeness(name, parameters[position]):
                continue
            other = self._other_call(node, position, expected)
            if other is not None:
                passed = f'{unparse(node.args[position])} is passed as "{parameters[position]}" here'
                return f'{passed} but as "{name}" on line {other.lineno}'
        return None

    def _other_call(self, node: ast.Call, position: int, expected: int) -> ast.Call | None:
        """Return another call that passes the argument at the expected position and a different one here."""
        text = unparse(node.args[position])
        for other in self._calls_by_argument.get((unparse(node.func), expected, text), ()):
            passes_both = other is not node and len(other.args) > position
            if passes_both and unparse(other.args[position]) != text:
                return other
        return None

    def _by_reversed_calls(self, node: ast.Call) -> str | None:
        """Describe two arguments that other functions of the module pass in the opposite order."""
        texts = tuple(unparse(argument) for argument in node.args)
        orders = self._by_arguments.get((unparse(node.func), *sorted(texts)), {})
        if len(orders) != 2 or len(orders.get(texts, ())) != 1:
            return None
        (other_order, alike), *_ = [(order, calls) for order, calls in orders.items() if order != texts]
        if len(alike) < _MIN_OTHER_CALLS:
            return None
        swapped = [n for n, text in enumerate(texts) if other_order[n] != text]
        if len(swapped) != 2 or None in [named(node.args[n]) for n in swapped]:
            return None
        if self._is_in_function_of(node, alike) or self._is_reversed(node, ""):
            return None
        lines = ", ".join(str(other.lineno) for other in alike[:2])
        return f"{texts[swapped[0]]} precedes {texts[swapped[1]]} here but follows it on lines {lines}"

    def _is_in_function_of(self, node: ast.Call, others: Sequence[ast.Call]) -> bool:
        function = self.module.function_of(node)
        return any(self.module.function_of(other) is function for other in others)

    @cached_property
    def _by_arguments(self) -> dict[tuple[str, ...], dict[tuple[str, ...], list[ast.Call]]]:
        """Calls of the module by callee and sorted arguments, then by the order of the arguments."""
        found: dict[tuple[str, ...], dict[tuple[str, ...], list[ast.Call]]] = {}
        for callee, calls in self._calls.items():
            for call in calls if len(calls) > _MIN_OTHER_CALLS else ():
                texts = tuple(unparse(argument) for argument in call.args)
                found.setdefault((callee, *sorted(texts)), {}).setdefault(texts, []).append(call)
        return found

    @cached_property
    def _calls_by_argument(self) -> dict[tuple[str, int, str], list[ast.Call]]:
        """Callee, position and argument -> the calls, in source order."""
        found: dict[tuple[str, int, str], list[ast.Call]] = {}
        for callee, calls in self._calls.items():
            for call in calls:
                for place, argument in enumerate(call.args):
                    found.setdefault((callee, place, unparse(argument)), []).append(call)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and len(node.args) > 1:
                found.setdefault(unparse(node.func), []).append(node)
        return found


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MIN_OTHER_CALLS = 2
_BOUND = LazyPattern(r"(^|_)(lo|low|lower|min|minimum|floor|a_min|smallest|hi|high|upper|max|maximum)(_|$)")
_UNSPECIFIC = frozenset({"id", "name", "key", "value", "at", "code", "number", "path", "type"})
_REVERSING = LazyPattern(
    r"refund|revert|chargeback|roll_?back|repay|revers|backward|invert|swap|flip|mirror|undo|transpose"
    r"|opposite|symmetric|back_|rotat|return_|descend"
)
_GEO_PACKAGES = ("shapely.", "django.contrib.gis.", "geojson.", "geoalchemy2.", "pyproj.")


def _by_order(parameters: Sequence[str], names: Sequence[str]) -> str | None:
    """Describe two arguments in the reverse order of their parameters: ``within(t, closes, opens)``."""
    for place in range(len(names) - 1):
        taken, argument_names = (
            _ordered(parameters[place], parameters[place + 1]),
            _ordered(names[place + 1], names[place]),
        )
        if (
            taken
            and argument_names
            and (taken & argument_names or (taken & _ORDERED and argument_names & _ORDERED))
        ):
            return (
                f'"{names[place]}" is passed as "{parameters[place]}" and "{names[place + 1]}" as '
                f'"{parameters[place + 1]}"'
            )
    return None


def _by_bounds(parameters: Sequence[str], args: Sequence[ast.expr]) -> str | None:
    """Describe a literal number passed as the value while the value is passed as its lower bound."""
    if len(args) != 3 or not _BOUND.search(parameters[1]) or _BOUND.search(parameters[0]):
        return None
    return clip(args) and f'{clip(args)}: "{parameters[0]}" comes first'


def _ordered(first: str, second: str) -> set[str]:
    """Return the pairs of words that two names match, in this order."""
    earlier = {pair for word in _words(first) for pair, side in _POSITIONS.get(word, ()) if side == 0}
    later = {pair for word in _words(second) for pair, side in _POSITIONS.get(word, ()) if side == 1}
    return earlier & later


def _words(name: str) -> list[str]:
    words = name.lower().split("_")
    return words + [word.removesuffix("s") for word in words] + [word.removesuffix("ing") for word in words]


def _texts(call: ast.Call) -> list[str]:
    return [*map(unparse, call.args)]


def _verb_elsewhere(parameters: Sequence[str], args: Sequence[ast.expr]) -> str | None:
    """Describe an HTTP method that is not passed to the parameter for it."""
    for parameter, argument in zip(parameters, args, strict=False):
        if (
            isinstance(argument, ast.Constant)
            and argument.value in _VERBS
            and parameter not in _METHOD_PARAMETERS
        ):
            method_parameters = [p for p in parameters[: len(args)] if p in _METHOD_PARAMETERS]
            return (
                f'{argument.value} is passed as "{parameter}", not as "{method_parameters[0]}"'
                if method_parameters
                else None
            )
    return None


def _likeness(name: str, parameter: str) -> bool:
    return bool(set(_words(name)) & set(_words(parameter)) - _UNSPECIFIC)


def _is_checkable(args: Sequence[ast.expr], names: Sequence[ArgumentName | None]) -> bool:
    """Return True if two names, an HTTP method or clipping bounds identify the arguments."""
    if sum(name is not None for name in names) > 1:
        return True
    if any(isinstance(argument, ast.Constant) and argument.value in _VERBS for argument in args):
        return True
    return len(args) == 3 and clip(args) is not None


def _has_reversed_call(scope: ast.AST, node: ast.Call) -> bool:
    """Return True if the same callee gets the same arguments in another order."""
    callee, texts = unparse(node.func), _texts(node)
    calls = (child for child in walk(scope) if isinstance(child, ast.Call))
    others = [_texts(call) for call in calls if unparse(call.func) == callee]
    return any(sorted(other) == sorted(texts) and other != texts for other in others)
