"""PY011."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.inference.api import NoModels
from wardround_python.docdrift.docstring_check import DocstringCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair, Parameter

_DOCSTRING = (
    '"""Send a text.\n\n    Args:\n        to: who gets it\n        text: it is wrapped at width\n    """'
)
_METHOD = (
    '"""Send a text.\n\n        :param to: who gets it\n        :param str text: what is sent\n        """'
)


def _module(signature: str, docstring: str = _DOCSTRING, name: str = "send") -> str:
    return f"def {name}({signature}):\n    {docstring}\n    post(to, text)\n"


class ParameterUndocumented(DocstringCheck):
    """A change brought a parameter that the docstring leaves out, though it names such parameters.

    Most of the others are documented there, or functions like this one usually have it documented, as a model
    sees it. Nobody looks for the new parameter in the code then. Document it in the same commit.
    """

    ID = "PY011"
    NAME = "parameter-undocumented"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "history of 12 repositories, 12,955 commits with 23,937 changed functions that have a docstring: 608 "
        "hits, of which the author changed the docstring in 498; of what authors left, in a set with "
        "python/PY010, 46 of 50 read are right. What the model adds, in commits since 2022 of 37 "
        "repositories it was not trained on: 591 parameters, 508 of them documented by the author; of the 59 "
        "where the docstring was left alone 51 are right by two readers"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        _module("to, text, tries=3"),
        Valid(_module("to, text, width=3"), base=_module("to, text")),
        Valid(_module("to, text, _tries=3"), base=_module("to, text")),
        Valid(_module("to, text, *rest"), base=_module("to, text")),
        Valid(_module("to, text, tries=3", name="_send"), base=_module("to, text", name="_send")),
        Valid(_module("to, text, tries=3", '"""Send it."""'), base=_module("to, text", '"""Send it."""')),
        Valid(_module("to, body"), base=_module("to, text")),
        Valid(
            _module("to, text, tries=3", f"{_DOCSTRING[:-7]}    tries: how often\n    {_DOCSTRING[-3:]}"),
            base=_module("to, text"),
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_module("to, text, tries=3"), base=_module("to, text"), line=1, column=20),
        Invalid(_module("to, text, *, tries"), base=_module("to, text"), line=1, column=23),
        Invalid(
            f"class Mail:\n    @once\n    def send(self, to, text,\n          tries=3):\n        {_METHOD}\n",
            base=f"class Mail:\n    @once\n    def send(self, to, text):\n        {_METHOD}\n",
            line=4,
            column=11,
        ),
    ]

    @classmethod
    def may_speak(cls, one: DocumentedPair, source: SourceFile) -> bool:
        return any(_left_out(one, source))

    def look_at(self, one: DocumentedPair) -> None:
        declared = _declared(self.function_of_change(one).args)
        sure, likely = _left_out(one, self.source)
        for parameter in sure:
            self.report(
                self.module.span(declared[parameter.name]),
                f'this change brought "{parameter.name}", and the docstring documents the other parameters',
            )
        for parameter, likelihood in likely:
            self.report(
                self.module.span(declared[parameter.name]),
                f'this change brought "{parameter.name}", which docstrings like this one usually name',
                confidence=round(likelihood, 4),
            )


def _left_out(
    one: DocumentedPair, source: SourceFile
) -> tuple[list[Parameter], list[tuple[Parameter, float]]]:
    """What the rule is sure of, and what a model adds."""
    from wardround.semantics.docdrift.parameters import undocumented_parameters, unnamed_parameters

    sure = undocumented_parameters(one.change)
    in_doubt = [each for each in unnamed_parameters(one.change) if each not in sure]
    if not in_doubt or isinstance(source.models, NoModels):
        return sure, []
    from wardround_python.docdrift.undocumented_parameters import (
        likely_left_out,  # only where somebody can be asked about something
    )

    return sure, likely_left_out(one, source, in_doubt)


def _declared(arguments: ast.arguments) -> dict[str, ast.arg]:
    return {one.arg: one for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
