"""Known values: constants, containers with known entries, functions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from wardround.languages.python.module import FunctionNode
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.domain import CLEAN, Taint

_LONGEST = 2000
"""Characters of a string, or digits of a number, that are still computed."""
_MOST_ENTRIES = 40

Kind = Literal["", "parser", "queue", "stack", "cell", "stream", "namespace"]
Plain = str | bytes | int | float | bool | None


@dataclass(frozen=True, slots=True)
class KnownConstant:
    """A constant."""

    value: Plain


@dataclass(frozen=True, slots=True)
class KnownFunction:
    """A function that a name is bound to."""

    function: FunctionNode


class KnownEntry(NamedTuple):
    """One entry of a container: its taint, and its known value."""

    value: Taint
    known: Known | None = None


@dataclass(eq=False, slots=True)
class KnownContainer:
    """A container whose entries are known, as long as all code that changes it is analysed.

    Attributes:
        entries: None once the container has escaped.
        region: the region of code in which it was created.
        total: the joined taint of everything that was ever stored.
        kind: the keys of a parser are pairs, reading a queue or a stack removes an entry, a cell has one
            value, a stream a string; the entries of a namespace are attributes.
        names: the attributes of a named tuple, in the order of its entries.
        strings: the constants that were stored.
    """

    entries: list[KnownEntry] | dict[object, KnownEntry] | None
    region: int
    total: Taint = field(default_factory=dict)
    kind: Kind = ""
    names: tuple[str, ...] = ()
    texts: set[object] = field(default_factory=set)

    @property
    def is_parser(self) -> bool:
        """True for a ``ConfigParser``."""
        return self.kind == "parser"

    def attribute(self, name: str) -> KnownEntry | None:
        """Return the entry behind an attribute, if attributes are entries."""
        if self.kind == "namespace":
            return self.at(name)
        return self.at(self.names.index(name)) if name in self.names else None

    def put(self, entry: KnownEntry) -> None:
        """Record the taint and the constant of an entry that is stored."""
        self.total = join(self.total, entry.value)
        if isinstance(entry.known, KnownConstant):
            self.texts.add(entry.known.value)

    def at(self, key: Plain) -> KnownEntry | None:
        """Return the entry under a key; a clean one if there is none."""
        if self.entries is None:
            return None
        if isinstance(self.entries, dict):
            return self.entries.get(key, NO_ENTRY)
        if not isinstance(key, int) or not -len(self.entries) <= key < len(self.entries):
            return NO_ENTRY
        return self.entries[key]

    @property
    def taint(self) -> Taint:
        """The joined taint of the entries."""
        if self.entries is None:
            return self.total
        entries = self.entries.values() if isinstance(self.entries, dict) else self.entries
        return join(*(entry.value for entry in entries))

    @property
    def has_room(self) -> bool:
        return self.entries is not None and len(self.entries) < _MOST_ENTRIES


@dataclass(frozen=True, slots=True)
class NamedTupleType:
    """A class created by ``namedtuple``, by the names of its fields."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartialCall:
    """A call that lacks its last arguments: ``partial(function, first)``, ``itemgetter(1)``."""

    made: ast.Call


Known = KnownConstant | KnownContainer | KnownFunction | NamedTupleType | PartialCall
NO_ENTRY = KnownEntry(CLEAN)


def is_same(first: Known | None, second: Known | None) -> bool:
    """Return True if two known values are equal; ``1`` and ``True`` are not."""
    if isinstance(first, KnownConstant) and isinstance(second, KnownConstant):
        return type(first.value) is type(second.value) and first.value == second.value
    return first is second or (
        isinstance(first, (KnownFunction, NamedTupleType, PartialCall)) and first == second
    )


_OPERATORS: Mapping[type[ast.operator | ast.cmpop | ast.unaryop], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, many: item in many,
    ast.NotIn: lambda item, many: item not in many,
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_FUNCTIONS: Mapping[str, Callable[..., object]] = {
    "len": len, "int": int, "str": str, "float": float, "bool": bool, "abs": abs, "min": min, "max": max,
    "ord": ord, "chr": chr, "round": round, "repr": repr,
}  # fmt: skip
_METHODS = frozenset(
    {
        "upper", "lower", "strip", "lstrip", "rstrip", "replace", "startswith", "endswith", "find", "rfind",
        "index", "count", "title", "capitalize", "casefold", "isdigit", "isalpha", "isalnum", "isdecimal",
        "isupper", "islower", "removeprefix", "removesuffix", "swapcase",
    }
)  # fmt: skip


def fold_operator(op: type[ast.operator | ast.cmpop | ast.unaryop], *values: Plain) -> KnownConstant | None:
    """Apply an operator to constants; None on an error, or if the result is too long."""
    act = _OPERATORS.get(op)
    if act is None or (op is ast.Mult and not _is_short(*values)):
        return None
    return _try_call(act, *values)


def fold_function(name: str, *values: Plain) -> KnownConstant | None:
    """Apply a builtin function to constants."""
    act = _FUNCTIONS.get(name)
    return _try_call(act, *values) if act is not None else None


def fold_method(on: Plain, name: str, *values: Plain) -> KnownConstant | None:
    """Apply a method of a string to constants."""
    is_known = isinstance(on, str) and name in _METHODS
    return _try_call(getattr(on, name), *values) if is_known else None


def fold_item(text: Plain, key: Plain) -> KnownConstant | None:
    return _try_call(operator.getitem, text, key) if isinstance(text, (str, bytes)) else None


def _is_short(*values: Plain) -> bool:
    texts = [value for value in values if isinstance(value, (str, bytes))]
    numbers = [operand for operand in values if isinstance(operand, int)]
    if not texts:
        return all(abs(number) < 10**_LONGEST for number in numbers)
    return all(len(text) * abs(times) <= _LONGEST for text in texts for times in numbers)


def _try_call(act: Callable[..., object], *values: Plain) -> KnownConstant | None:
    try:
        result = act(*values)
    except (ArithmeticError, TypeError, ValueError, LookupError):
        return None
    if isinstance(result, (str, bytes)):
        return KnownConstant(result) if len(result) <= _LONGEST else None
    return KnownConstant(result) if result is None or isinstance(result, (int, float, bool)) else None
