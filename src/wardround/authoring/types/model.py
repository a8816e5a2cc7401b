"""The values that pass between the steps: functions, evidence, annotations and modules."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

RETURN = "return"
"""The name of the result among the parts of a signature: no parameter can have it."""


class Parameter(msgspec.Struct, frozen=True):
    """A parameter without an annotation.

    Attributes:
        default: the source of its default; empty without one.
    """

    name: str
    default: str = ""


class PublicFunction(msgspec.Struct, frozen=True):
    """A public function or method, by its place.

    Attributes:
        name: its qualified name, such as ``Basket.total``.
        order: the names of the positional arguments of a call, without ``self``.
        parameters: those without annotations.
        lacks_return: True if the result has no annotation and can have one.
        is_property: True for a method that is read as an attribute.
        is_coroutine: True for ``async def``, unless it yields.
        returns_value: True if it has a ``return`` with an expression other than None.
    """

    name: str
    line: int
    end_line: int
    order: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    lacks_return: bool
    is_property: bool = False
    is_coroutine: bool = False
    returns_value: bool = False


class Module(msgspec.Struct, frozen=True):
    """A module with public functions that lack annotations.

    Attributes:
        path: relative to the root of the repository.
        content: its bytes, as they were read.
    """

    path: str
    content: bytes
    functions: tuple[PublicFunction, ...]


class PredictedType(msgspec.Struct, frozen=True):
    """A type as source text, and the reason for it."""

    text: str
    evidence: str


class Annotation(msgspec.Struct, frozen=True):
    """A predicted annotation of one part of a signature: a parameter, or ``RETURN``."""

    path: str
    function: str
    line: int
    part: str
    type: str
    evidence: str


class AnnotatedModule(msgspec.Struct, frozen=True):
    """A module, its accepted annotations, and its content with them."""

    module: Module
    annotations: Sequence[Annotation]
    content: bytes
