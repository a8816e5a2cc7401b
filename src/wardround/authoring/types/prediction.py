"""The prediction of the types of parameters and results from the evidence about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from wardround.authoring.types import type_text
from wardround.authoring.types.call_sites import Arguments, CallSites
from wardround.authoring.types.literals import source_type
from wardround.authoring.types.model import (
    RETURN,
    Annotation,
    Module,
    Parameter,
    PredictedType,
    PublicFunction,
)
from wardround.authoring.types.module_names import ModuleNames
from wardround.authoring.types.name_conventions import NameConventions
from wardround.tools.type_checker import Diagnostic, Signature

_QUOTED_DEFAULT = 30
"""The length to which a default is quoted as evidence."""

Signatures = Mapping[tuple[str, str], Signature]
"""Path and qualified name of a function -> its types as the checker infers them."""


class Evidence(msgspec.Struct, frozen=True):
    """The facts about the functions of a repository: calls, names and the names of each module."""

    calls: CallSites
    conventions: NameConventions
    names: Mapping[str, ModuleNames]

    def parameters(
        self, modules: Iterable[Module], signatures: Signatures, diagnostics: Iterable[Diagnostic]
    ) -> Iterator[Annotation]:
        """Yield an annotation for each parameter with evidence for one type.

        Args:
            diagnostics: the complaints about the modules as they are. The checker already assumes the types
                of defaults, so a complaint about a call contradicts them.
        """
        contradicted = {(item.path, item.line) for item in diagnostics}
        for module in modules:
            for function in module.functions:
                if self.calls.lines(module.path, function.name) & contradicted:
                    continue
                signature = signatures.get((module.path, function.name))
                for parameter in function.parameters:
                    found = self._of_parameter(module, function, parameter, signature)
                    yield from self._annotation(module, function, parameter.name, found)

    def results(self, modules: Iterable[Module], signatures: Signatures) -> Iterator[Annotation]:
        """Yield an annotation for each result whose type the checker infers completely."""
        for module in modules:
            for function in module.functions:
                signature = signatures.get((module.path, function.name))
                if function.lacks_return and signature is not None:
                    found = _inferred_result(function, signature)
                    yield from self._annotation(module, function, RETURN, found)

    def _of_parameter(
        self, module: Module, function: PublicFunction, parameter: Parameter, signature: Signature | None
    ) -> PredictedType | None:
        arguments = self.calls.arguments(module.path, function.name, parameter.name)
        inferred = signature.parameters.get(parameter.name, "") if signature is not None else ""
        return (
            _type_of_default_and_calls(parameter, arguments, inferred)
            or _inferred_parameter(parameter, inferred)
            or self.conventions.type_for(parameter)
        )

    def _annotation(
        self, module: Module, function: PublicFunction, part: str, found: PredictedType | None
    ) -> Iterator[Annotation]:
        written = self.names[module.path].expression(found.text, function.line) if found is not None else None
        if found is not None and written is not None:
            yield Annotation(module.path, function.name, function.line, part, written, found.evidence)


def _inferred_result(function: PublicFunction, signature: Signature) -> PredictedType | None:
    """Return the type of a result; None alone is part of an unknown type where a value is returned."""
    text = type_text.annotation_text(signature.returns, is_coroutine=function.is_coroutine)
    if text == "None" and function.returns_value:
        return None
    return PredictedType(text, "inferred") if text is not None else None


def _inferred_parameter(parameter: Parameter, inferred: str) -> PredictedType | None:
    """Return the type that the checker takes from an overridden method; from a default others do."""
    text = type_text.annotation_text(inferred) if inferred and not parameter.default else None
    return PredictedType(text, "inferred") if text is not None else None


def _type_of_default_and_calls(
    parameter: Parameter, arguments: Arguments, inferred: str
) -> PredictedType | None:
    """Return the union of the types of a default and of literal arguments.

    A default of None shows nothing without arguments, and arguments of unknown type outweigh as many others.
    """
    default = _type_of_default(parameter, inferred)
    if parameter.default and default is None:
        return None
    passed = [] if arguments.unknown > len(arguments.types) else arguments.types
    if not set(passed) - {"None"} and default in (None, "None"):
        return None
    text = type_text.union([*([default] if default is not None else []), *passed])
    return PredictedType(text, _reason(parameter, len(passed))) if text is not None else None


def _type_of_default(parameter: Parameter, inferred: str) -> str | None:
    if not parameter.default:
        return None
    return source_type(parameter.default) or type_text.annotation_text(inferred)


def _reason(parameter: Parameter, calls: int) -> str:
    reasons = []
    if parameter.default:
        reasons.append(f"default {parameter.default[:_QUOTED_DEFAULT]}")
    if calls:
        reasons.append(f"{calls} call{'' if calls == 1 else 's'}")
    return ", ".join(reasons)
