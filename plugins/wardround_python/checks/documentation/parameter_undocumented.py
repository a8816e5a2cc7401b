"""PY011."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.inference.api import NoModels
from wardround_python.docdrift.docstring_check import DocstringCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair, Parameter


class ParameterUndocumented(DocstringCheck):
    """A change brought a parameter that the docstring leaves out, though it names such parameters.

    Most of the others are documented there, or functions like this one usually have it documented, as a model
    sees it. Nobody looks for the new parameter in the code then. Document it in the same commit.
    """

    ID = "PY011"
    NAME = "parameter-undocumented"
    SEVERITY = Severity.INFO
    VALID = [
        code('''
            def send(to, text, tries=3):
                """Send a text.

                Args:
                    to: who gets it
                    text: it is wrapped at width
                """
                post(to, text)
        '''),
        code(
            '''
            def send(to, text, tries=3):
                """Send it."""
                post(to, text)
            ''',
            base='''
            def send(to, text):
                """Send it."""
                post(to, text)
            ''',
        ),
    ]
    INVALID = [
        code(
            '''
            def send(to, text, «tries»=3):
                """Send a text.

                Args:
                    to: who gets it
                    text: it is wrapped at width
                """
                post(to, text)
            ''',
            base='''
            def send(to, text):
                """Send a text.

                Args:
                    to: who gets it
                    text: it is wrapped at width
                """
                post(to, text)
            ''',
        ),
        code(
            '''
            def send(to, text, *, «tries»):
                """Send a text.

                Args:
                    to: who gets it
                    text: it is wrapped at width
                """
                post(to, text)
            ''',
            base='''
            def send(to, text):
                """Send a text.

                Args:
                    to: who gets it
                    text: it is wrapped at width
                """
                post(to, text)
            ''',
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
