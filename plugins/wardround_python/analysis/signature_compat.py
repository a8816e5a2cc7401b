"""Signatures of functions, before and after a change, and the calls that no longer fit."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse


class Signature(msgspec.Struct, frozen=True):
    """The signature of a function.

    Attributes:
        positional: the names that positional arguments bind to, in order.
        by_keyword: the names that can be passed by keyword.
        required: the names without a default, in order.
        types: name and annotation of those that have one.
    """

    positional: tuple[str, ...]
    by_keyword: frozenset[str]
    required: tuple[str, ...]
    any_positional: bool
    any_keyword: bool
    types: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, function: FunctionNode, receiver: bool = False) -> Signature:
        """Return the signature of a function; ``receiver`` if its first parameter is the new instance."""
        arguments = function.args
        ordered = arguments.posonlyargs + arguments.args
        positional = [a.arg for a in ordered]
        optional_from = len(positional) - len(arguments.defaults)
        keyword_only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        types = ((a.arg, unparse(a.annotation)) for a in ordered if a.annotation is not None)
        return cls(
            tuple(positional[receiver:]),
            frozenset(a.arg for a in (arguments.args + arguments.kwonlyargs)[receiver:]),
            (*positional[receiver:optional_from], *(a.arg for a, default in keyword_only if default is None)),
            arguments.vararg is not None,
            arguments.kwarg is not None,
            tuple(types),
        )

    @classmethod
    def of_fields(cls, node: ast.ClassDef) -> Signature:
        """Return the signature of the class that a dataclass decorator creates from its fields."""
        fields = [
            f
            for f in node.body
            if isinstance(f, ast.AnnAssign)
            and isinstance(f.target, ast.Name)
            and "ClassVar" not in unparse(f.annotation)
        ]
        names = [f.target.id for f in fields if isinstance(f.target, ast.Name)]
        types = tuple(zip(names, (unparse(f.annotation) for f in fields), strict=True))
        required = tuple(name for name, f in zip(names, fields, strict=True) if f.value is None)
        return cls(tuple(names), frozenset(names), required, False, False, types)

    def accepts_all_of(self, old: Signature) -> bool:
        """Return True if every call that fits the old signature is certain to fit this one."""
        return (
            self.positional[: len(old.positional)] == old.positional
            and set(self.required) <= set(old.required)
            and (self.any_keyword or old.by_keyword <= self.by_keyword)
            and self.any_positional >= old.any_positional
            and self.any_keyword >= old.any_keyword
        )

    def misfit(self, call: ast.Call) -> str | None:
        """Return the reason for which a call without ``*`` or ``**`` does not fit; None if it fits."""
        if len(call.args) > len(self.positional) and not self.any_positional:
            return f"takes no more than {len(self.positional)} positional arguments"
        arguments = set(self.positional[: len(call.args)])
        for name in [keyword.arg or "" for keyword in call.keywords]:
            if name in arguments and name in self.by_keyword:
                return f'gets "{name}" twice'
            if name not in self.by_keyword and not self.any_keyword:
                return f'has no parameter "{name}"'
            arguments.add(name)
        missing = next((name for name in self.required if name not in arguments), None)
        return f'needs "{missing}"' if missing else None


class SignatureChange(msgspec.Struct, frozen=True):
    """One function before and after a change, and its location.

    Attributes:
        awaited: True if calls must be awaited now and not before, False for the reverse; None if unchanged.
    """

    path: str
    name: str
    old: Signature
    new: Signature
    awaited: bool | None = None

    def broken_by(self, call: ast.Call) -> str | None:
        """Return the reason for which a call that fitted before no longer does."""
        spread = any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        )
        if spread or self.old.misfit(call) is not None:
            return None
        misfit = self.new.misfit(call)
        if misfit is None:
            return self._misdirected(call)
        added = [name for name in self.new.required if name not in self.old.positional + self.old.required]
        return f'needs "{added[0]}"' if misfit and misfit.startswith("needs") and added else misfit

    def partial_misfit(self, call: ast.Call) -> str | None:
        """Return the arguments of ``partial(function, ...)`` that no longer fit; others may follow."""
        misfit = self.broken_by(call) if self.old.misfit(call) is None else None
        if misfit is not None and misfit.startswith(("takes no more", "has no parameter", "gets ")):
            return misfit
        unknown = [
            k.arg for k in call.keywords if k.arg and k.arg in self.old.by_keyword - self.new.by_keyword
        ]
        return f'has no parameter "{unknown[0]}"' if unknown and not self.new.any_keyword else None

    def _misdirected(self, call: ast.Call) -> str | None:
        """Return the argument that binds to another parameter than before, judging by its name."""
        moved = [
            (old, new, argument)
            for old, new, argument in zip(self.old.positional, self.new.positional, call.args, strict=False)
            if old != new
        ]
        names = set(self.new.positional) | self.new.by_keyword
        stays = [(old, new) for old, new, _ in moved if old in names or new in self.old.positional]
        if not stays:
            return None  # a new name for the same parameter
        before = sum(_suits(argument, old, self.old.types) for old, _, argument in moved)
        now = sum(_suits(argument, new, self.new.types) for _, new, argument in moved)
        old, new = stays[0]
        return f'{MOVED}"{new}" where it took "{old}"' if before > now else None


MOVED = "takes "
_WORD = LazyPattern(r"[a-z]+|[A-Z][a-z]*")


def _suits(argument: ast.expr, name: str, types: Sequence[tuple[str, str]]) -> bool:
    """Return True if an argument, by its own name or as a literal by its type, suits a parameter."""
    annotation = dict(types).get(name)
    if isinstance(argument, ast.Constant):
        return type(argument.value).__name__ == annotation
    text = argument.attr if isinstance(argument, ast.Attribute) else getattr(argument, "id", "")
    whole = unparse(argument) if isinstance(argument, ast.Attribute) else text
    expected = {word.lower() for word in _WORD.findall(name)}
    return bool(expected & {word.lower() for word in _WORD.findall(whole)})
