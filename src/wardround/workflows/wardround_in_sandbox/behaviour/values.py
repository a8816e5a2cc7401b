"""The text of a value: the same for equal values of two runs, whatever their addresses and hash seeds."""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import io
import os
import re
import types
from typing import Any

from .compiled import COMPILED, is_pattern, pattern_text
from .own_code import is_own_code
from .views import views_of

MOST_ITEMS = 200
_ROOT = os.getcwd()
_MOST_NODES = 5000
_MOST_VIEWED = 10
_MOST_VIEWED_DEPTH = 3
_MOST_DEPTH = 12
_MOST_STRING = 2000
_MOST_TEXT = 8000
_PLAIN = (bool, type(None), type(Ellipsis), type(NotImplemented), complex, bytes, bytearray, range, slice)
_LITERALS = (bool, int, float, complex, str, bytes, type(None))
_OWN_CODE = "<code>"
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)


class Attributes:
    """The public attributes and views of objects by class; those that only the head has are not compared.

    Attributes:
        base: ``module:name`` of a class -> those of its objects at the base; None while the base runs.
        seen: the same, of the objects of this process.
    """

    def __init__(self) -> None:
        self.base: dict[str, list[str]] | None = None
        self.seen: dict[str, set[str]] = {}

    def compared(self, kind: type, state: dict[str, Any]) -> dict[str, Any]:
        """Return the attributes of an object that both sides can have."""
        name = f"{kind.__module__}:{kind.__qualname__}"
        if self.base is None:
            self.seen.setdefault(name, set()).update(state)
        known = None if self.base is None else self.base.get(name)
        return state if known is None else {key: one for key, one in state.items() if key in known}


ATTRIBUTES = Attributes()


class Used:
    """The objects in a value.

    Attributes:
        classes: ``module:name`` of the classes of those that have attributes.
        patterns: of matches of regular expressions.
    """

    def __init__(self) -> None:
        self.classes: set[str] = set()
        self.patterns: set[str] = set()


def text_of(value: object, *, is_shown: bool = False, used: Used | None = None) -> str:
    """Return the text of a value; iterators are consumed, up to ``MOST_ITEMS`` items.

    Args:
        is_shown: for a person: an object as its own ``repr`` shows it, without its public attributes.
        used: takes what is in the value.
    """
    text = without_addresses(_Text(is_shown=is_shown, used=used).of(value, 0))
    return shortened(text, _MOST_TEXT)


def shortened(text: str, most: int) -> str:
    """Return the beginning of a long text, with a digest of all of it."""
    if len(text) <= most:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{text[:most]}... ({len(text)} characters, {digest})"


def without_addresses(text: str) -> str:
    """Remove the ``at 0x7f...`` of objects without a ``repr`` of their own, and the folder of the tree."""
    first, *others = text.replace(f"{_ROOT}/", "").split(" at 0x")
    return first + "".join(one.lstrip("0123456789abcdefABCDEF") for one in others)


def type_name(kind: type) -> str:
    """Return the qualified name of a class without the functions around it."""
    return kind.__qualname__.rpartition("<locals>.")[2]


def public_state(value: object) -> dict[str, Any]:
    """Return the attributes of an object that are no private ones, sorted."""
    found = dict(getattr(value, "__dict__", None) or {})
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            if hasattr(type(value), name) and name not in found:
                try:
                    found[name] = object.__getattribute__(value, name)
                except AttributeError:
                    continue
    return {str(name): found[name] for name in sorted(found, key=str) if not str(name).startswith("_")}


class _Text:
    def __init__(self, *, is_shown: bool, used: Used | None) -> None:
        self._is_shown = is_shown
        self._used = used
        self._views_left = _MOST_VIEWED
        self._nodes = 0
        self._around: set[int] = set()

    def of(self, value: object, depth: int) -> str:
        self._nodes += 1
        if self._nodes > _MOST_NODES or depth > _MOST_DEPTH or id(value) in self._around:
            return "..."
        self._around.add(id(value))
        try:
            return self._text(value, depth + 1)
        except RecursionError:
            return "..."
        finally:
            self._around.discard(id(value))

    def _text(self, value: Any, depth: int) -> str:
        kind = type(value)
        if kind is str:
            return repr(shortened(value, _MOST_STRING))
        if kind is int or kind is float:
            return _number(value)
        if kind is memoryview:
            return f"memoryview({shortened(repr(value.tobytes()), _MOST_STRING)})"
        if kind in _PLAIN:
            return shortened(repr(value), _MOST_STRING)
        if isinstance(value, enum.Enum):
            return f"{type_name(kind)}.{value.name}" if getattr(value, "name", None) else repr(value)
        if isinstance(value, _CODE) or is_own_code(value):
            return self._code(value, depth)
        if is_pattern(value):
            return self._pattern(value)
        text = (
            self._container(value, kind, depth)
            or self._stream(value, kind, depth)
            or self._object(value, depth)
        )
        return text + self._views(value, kind, depth)

    def _code(self, value: Any, depth: int) -> str:
        """Return the name of code; of the tree's own code, only where a person reads it.

        A class that is itself the result is one.
        """
        is_result = isinstance(value, type) and depth == 1
        return _code(value) if self._is_shown or is_result or not is_own_code(value) else _OWN_CODE

    def _pattern(self, value: Any) -> str:
        text = shortened(pattern_text(value), _MOST_STRING)
        if not self._is_shown:
            COMPILED.add(text, value)
        return text

    def _views(self, value: Any, kind: type, depth: int) -> str:
        """Return the results of methods that show private attributes; a person reads the ``repr`` only."""
        if self._is_shown or depth > _MOST_VIEWED_DEPTH or self._views_left <= 0:
            return ""
        found = ATTRIBUTES.compared(kind, views_of(value))
        self._views_left -= bool(found)
        return f", with {self._fields(found, depth + 1)}" if found else ""

    def _container(self, value: Any, kind: type, depth: int) -> str:
        name = type_name(kind)
        if isinstance(value, tuple) and hasattr(kind, "_fields"):
            return f"{name}({self._fields(dict(zip(kind._fields, value)), depth)})"
        if isinstance(value, (list, tuple)):
            items = self._items(value, depth)
            inner = f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
            return inner if kind in (list, tuple) else f"{name}({inner})"
        if isinstance(value, (set, frozenset)):
            items = ", ".join(sorted(self.of(one, depth) for one in value))
            return (
                f"{{{items}}}" if kind is set and value else f"{name}({{{items}}})" if items else f"{name}()"
            )
        if isinstance(value, dict):
            pairs = [f"{self.of(key, depth)}: {self.of(one, depth)}" for key, one in _first(value.items())]
            return f"{{{', '.join(pairs)}}}" if kind is dict else f"{name}({{{', '.join(pairs)}}})"
        if name == "deque":
            return f"deque([{self._items(value, depth)}])"
        return ""

    def _items(self, values: Any, depth: int) -> str:
        texts = [self.of(one, depth) for one in _first(values)]
        return ", ".join(texts if len(values) <= len(texts) else [*texts, f"... {len(values)} items"])

    def _fields(self, fields: dict[str, Any], depth: int) -> str:
        return ", ".join(f"{name}={self.of(one, depth)}" for name, one in fields.items())

    def _stream(self, value: Any, kind: type, depth: int) -> str:
        """Return the text of what is read once."""
        if isinstance(value, (io.StringIO, io.BytesIO)):
            return f"{type_name(kind)}({'closed' if value.closed else self.of(value.getvalue(), depth)})"
        if isinstance(value, io.IOBase):
            return f"<{type_name(kind)} {getattr(value, 'name', '')}>"
        if kind.__module__.startswith("unittest.mock"):
            return f"<{type_name(kind)}>"
        if hasattr(kind, "__next__") and hasattr(kind, "__iter__"):
            return f"iterator [{', '.join(self._consumed(value, depth))}]"
        return ""

    def _consumed(self, values: Any, depth: int) -> list[str]:
        texts: list[str] = []
        try:
            for one in values:
                texts.append(self.of(one, depth))
                if len(texts) == MOST_ITEMS:
                    return [*texts, "..."]
        except Exception as error:
            texts.append(f"raises {self.of(error, depth)}")
        return texts

    def _object(self, value: Any, depth: int) -> str:
        kind = type(value)
        name = type_name(kind)
        if self._used is not None and _has_state(value):
            self._used.classes.add(f"{kind.__module__}:{kind.__qualname__}")
        if self._used is not None and isinstance(value, re.Match):
            self._used.patterns.add(shortened(str(value.re.pattern), _MOST_STRING))
        if isinstance(value, BaseException):
            return self._error(value, name, depth)
        if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist"):
            return f"{name}({self.of(value.tolist(), depth)}, {getattr(value, 'dtype', '')})"
        own = "" if dataclasses.is_dataclass(value) or is_listed_state(value) else _repr(value)
        if own and self._is_shown:
            return own
        fields = self._fields(ATTRIBUTES.compared(kind, public_state(value)), depth)
        shown = f", shown as {own}" if own else ""
        return f"{name}({fields}){shown}" if fields or not own else own

    def _error(self, error: BaseException, name: str, depth: int) -> str:
        """Return an exception by its plain arguments, and by its message if they do not determine it."""
        is_plain = all(map(is_literal, error.args))
        if is_plain and not isinstance(getattr(type(error), "__str__", None), types.FunctionType):
            return f"{name}({self._items(error.args, depth)})"
        message = self.of(_message(error), depth)
        if self._is_shown:
            return f"{name}({message})"
        plain = [self.of(one, depth) if is_literal(one) else "..." for one in _first(error.args)]
        return f"{name}({', '.join([*plain, f'shown as {message}'])})"


def is_literal(value: Any) -> bool:
    """Return True for a value that a literal can write."""
    if type(value) in (list, tuple, set, frozenset):
        return all(map(is_literal, value))
    if type(value) is dict:
        return all(is_literal(key) and is_literal(one) for key, one in value.items())
    return type(value) in _LITERALS


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as other:
        return f"<str raises {type_name(type(other))}>"


def is_listed_state(value: object) -> bool:
    """Return True for an object without a ``repr`` of its own, whose text has its public attributes."""
    return "__repr__" not in _own_methods(type(value))


def _own_methods(kind: type) -> set[str]:
    """Return the names that the classes of an object define, without those of ``object``."""
    return {name for one in kind.__mro__ if one is not object for name in one.__dict__}


def _has_state(value: object) -> bool:
    slots = (name for kind in type(value).__mro__ for name in kind.__dict__.get("__slots__", ()))
    return bool(getattr(value, "__dict__", None)) or any(hasattr(value, name) for name in slots)


def _first(values: Any) -> list[Any]:
    found: list[Any] = []
    for one in values:
        if len(found) == MOST_ITEMS:
            break
        found.append(one)
    return found


def _number(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # longer than the interpreter converts
        return hex(value)


def _code(value: Any) -> str:
    if isinstance(value, functools.partial):
        return without_addresses(_repr(value))
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", "")
    return (
        f"<{type(value).__name__} {name}>" if not isinstance(value, type) else f"<class {type_name(value)}>"
    )


def _repr(value: object) -> str:
    try:
        return shortened(repr(value), _MOST_STRING)
    except Exception as error:
        return f"<{type_name(type(value))}, whose repr raises {type_name(type(error))}>"
