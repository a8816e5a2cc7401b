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
from .own_code import is_code_of_tree
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
        base: ``module:name`` of a class -> the attributes of its objects at the base; None while the base
            runs.
        seen: the same, of the objects of this process.
    """

    def __init__(self) -> None:
        self.base: dict[str, list[str]] | None = None
        self.seen: dict[str, set[str]] = {}

    def comparable_attributes(self, kind: type, state: dict[str, Any]) -> dict[str, Any]:
        """Return the attributes of an object that both base and head can have."""
        name = f"{kind.__module__}:{kind.__qualname__}"
        if self.base is None:
            self.seen.setdefault(name, set()).update(state)
        known = None if self.base is None else self.base.get(name)
        return (
            state if known is None else {key: attribute for key, attribute in state.items() if key in known}
        )


ATTRIBUTES = Attributes()


class Used:
    """The objects in a value.

    Attributes:
        classes: ``module:name`` of the classes of those that have attributes.
        patterns: the patterns of match objects of ``re``.
    """

    def __init__(self) -> None:
        self.classes: set[str] = set()
        self.patterns: set[str] = set()


def text_of(value: object, *, is_shown: bool = False, used: Used | None = None) -> str:
    """Return the text of a value; iterators are consumed, up to ``MOST_ITEMS`` items.

    Args:
        is_shown: for a person: an object as its own ``repr`` shows it, without its public attributes.
        used: collects the parts of the value.
    """
    text = strip_addresses(_Text(is_shown=is_shown, used=used).of(value, 0))
    return shorten(text, _MOST_TEXT)


def shorten(text: str, most: int) -> str:
    """Return the beginning of a long string, with a digest of all of it."""
    if len(text) <= most:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{text[:most]}... ({len(text)} characters, {digest})"


def strip_addresses(text: str) -> str:
    """Remove the ``at 0x7f...`` of objects without a ``repr`` of their own, and the folder of the tree."""
    first, *others = text.replace(f"{_ROOT}/", "").split(" at 0x")
    return first + "".join(part.lstrip("0123456789abcdefABCDEF") for part in others)


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
            return self._represent(value, depth + 1)
        except RecursionError:
            return "..."
        finally:
            self._around.discard(id(value))

    def _represent(self, value: Any, depth: int) -> str:
        kind = type(value)
        plain = _plain(value, kind)
        if plain is not None:
            return plain
        if isinstance(value, enum.Enum):
            return f"{type_name(kind)}.{value.name}" if getattr(value, "name", None) else repr(value)
        if isinstance(value, _CODE) or is_code_of_tree(value):
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
        """Return the name of code; for the tree's own code, only if it is shown to a person.

        A class that is itself the result is one.
        """
        is_result = isinstance(value, type) and depth == 1
        return _code(value) if self._is_shown or is_result or not is_code_of_tree(value) else _OWN_CODE

    def _pattern(self, value: Any) -> str:
        text = shorten(pattern_text(value), _MOST_STRING)
        if not self._is_shown:
            COMPILED.add(text, value)
        return text

    def _views(self, value: Any, kind: type, depth: int) -> str:
        """Return the results of methods that show private attributes; a person reads the ``repr`` only."""
        if self._is_shown or depth > _MOST_VIEWED_DEPTH or self._views_left <= 0:
            return ""
        found = ATTRIBUTES.comparable_attributes(kind, views_of(value))
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
            return self._set(value, kind, depth)
        if isinstance(value, dict):
            pairs = [f"{self.of(key, depth)}: {self.of(item, depth)}" for key, item in _first(value.items())]
            inner = f"{{{', '.join(pairs)}}}"
            return inner if kind is dict else f"{name}({inner})"
        if name == "deque":
            return f"deque([{self._items(value, depth)}])"
        return ""

    def _set(self, value: Any, kind: type, depth: int) -> str:
        name = type_name(kind)
        items = ", ".join(sorted(self.of(item, depth) for item in value))
        if kind is set and value:
            return f"{{{items}}}"
        return f"{name}({{{items}}})" if items else f"{name}()"

    def _items(self, values: Any, depth: int) -> str:
        texts = [self.of(item, depth) for item in _first(values)]
        return ", ".join(texts if len(values) <= len(texts) else [*texts, f"... {len(values)} items"])

    def _fields(self, fields: dict[str, Any], depth: int) -> str:
        return ", ".join(f"{name}={self.of(field, depth)}" for name, field in fields.items())

    def _stream(self, value: Any, kind: type, depth: int) -> str:
        """Return the representation of a stream that can only be read once."""
        if isinstance(value, (io.StringIO, io.BytesIO)):
            return f"{type_name(kind)}({'closed' if value.closed else self.of(value.getvalue(), depth)})"
        if isinstance(value, io.IOBase):
            return f"<{type_name(kind)} {getattr(value, 'name', '')}>"
        if kind.__module__.startswith("unittest.mock"):
            return f"<{type_name(kind)}>"
        if hasattr(kind, "__next__") and hasattr(kind, "__iter__"):
            return f"iterator [{', '.join(self._consume(value, depth))}]"
        return ""

    def _consume(self, values: Any, depth: int) -> list[str]:
        texts: list[str] = []
        try:
            for value in values:
                texts.append(self.of(value, depth))
                if len(texts) == MOST_ITEMS:
                    return [*texts, "..."]
        except Exception as error:
            texts.append(f"raises {self.of(error, depth)}")
        return texts

    def _object(self, value: Any, depth: int) -> str:
        kind = type(value)
        name = type_name(kind)
        self._note_use(value, kind)
        if isinstance(value, BaseException):
            return self._error(value, name, depth)
        if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist"):
            return f"{name}({self.of(value.tolist(), depth)}, {getattr(value, 'dtype', '')})"
        own = "" if dataclasses.is_dataclass(value) or is_listed_state(value) else _repr(value)
        if own and self._is_shown:
            return own
        fields = self._fields(ATTRIBUTES.comparable_attributes(kind, public_state(value)), depth)
        if own and not fields:
            return own
        return f"{name}({fields}), shown as {own}" if own else f"{name}({fields})"

    def _note_use(self, value: Any, kind: type) -> None:
        """Remember the class of an object with state, and the pattern of a match."""
        if self._used is None:
            return
        if _has_state(value):
            self._used.classes.add(f"{kind.__module__}:{kind.__qualname__}")
        if isinstance(value, re.Match):
            self._used.patterns.add(shorten(str(value.re.pattern), _MOST_STRING))

    def _error(self, error: BaseException, name: str, depth: int) -> str:
        """Return an exception by its plain arguments, and by its message if they do not determine it."""
        is_plain = all(map(is_literal, error.args))
        if is_plain and not isinstance(getattr(type(error), "__str__", None), types.FunctionType):
            return f"{name}({self._items(error.args, depth)})"
        message = self.of(_message(error), depth)
        if self._is_shown:
            return f"{name}({message})"
        plain = [self.of(item, depth) if is_literal(item) else "..." for item in _first(error.args)]
        return f"{name}({', '.join([*plain, f'shown as {message}'])})"


def _plain(value: Any, kind: type) -> str | None:
    """Return the representation of a value without parts; None for another one."""
    if kind is str:
        return repr(shorten(value, _MOST_STRING))
    if kind is int or kind is float:
        return _number(value)
    if kind is memoryview:
        return f"memoryview({shorten(repr(value.tobytes()), _MOST_STRING)})"
    return shorten(repr(value), _MOST_STRING) if kind in _PLAIN else None


def is_literal(value: Any) -> bool:
    """Return True for a value that a literal can write."""
    if type(value) in (list, tuple, set, frozenset):
        return all(map(is_literal, value))
    if type(value) is dict:
        return all(is_literal(key) and is_literal(item) for key, item in value.items())
    return type(value) in _LITERALS


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as other:
        return f"<str raises {type_name(type(other))}>"


def is_listed_state(value: object) -> bool:
    """Return True for an object without its own ``repr``, whose representation lists its public
    attributes.
    """
    return "__repr__" not in _own_methods(type(value))


def _own_methods(kind: type) -> set[str]:
    """Return the names that the classes of an object define, without those of ``object``."""
    return {name for base in kind.__mro__ if base is not object for name in base.__dict__}


def _has_state(value: object) -> bool:
    slots = (name for kind in type(value).__mro__ for name in kind.__dict__.get("__slots__", ()))
    return bool(getattr(value, "__dict__", None)) or any(hasattr(value, name) for name in slots)


def _first(values: Any) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if len(found) == MOST_ITEMS:
            break
        found.append(value)
    return found


def _number(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # longer than the interpreter converts
        return hex(value)


def _code(value: Any) -> str:
    if isinstance(value, functools.partial):
        return strip_addresses(_repr(value))
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", "")
    return (
        f"<{type(value).__name__} {name}>" if not isinstance(value, type) else f"<class {type_name(value)}>"
    )


def _repr(value: object) -> str:
    try:
        return shorten(repr(value), _MOST_STRING)
    except Exception as error:
        return f"<{type_name(type(value))}, whose repr raises {type_name(type(error))}>"
