"""Signatures as users read them: without annotations, and of long ones only the parameters that matter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wardround.release_notes.surfaces.declaration import Parameter

_LONG = 6
"""The number of parameters above which those without a change are left out."""
_OTHERS = "..."


def signature_form(name: str, parameters: Sequence[Parameter]) -> str:
    """Return the signature of a function that is qualified in its module; of a constructor, its class."""
    return f"{_called_name(name)}({', '.join(_forms(parameters))})"


def short_form(name: str, parameters: Sequence[Parameter], shown: Collection[str]) -> str:
    """Return a signature with only some of its parameters if it has many."""
    if len(parameters) <= _LONG:
        return signature_form(name, parameters)
    forms: list[str] = []
    for parameter in parameters:
        if parameter.label in shown:
            forms.append(parameter.form)
        elif forms[-1:] != [_OTHERS]:
            forms.append(_OTHERS)
    return f"{_called_name(name)}({', '.join(forms)})"


def _called_name(name: str) -> str:
    return name.removesuffix(".__init__").rpartition(".")[2]


def _forms(parameters: Sequence[Parameter]) -> Iterator[str]:
    kind = ""
    for parameter in parameters:
        if kind == "positional" != parameter.kind:
            yield "/"
        if parameter.kind == "keyword" and kind not in ("keyword", "*"):
            yield "*"
        kind = parameter.kind
        yield parameter.form
    if kind == "positional":
        yield "/"
