from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.inference.api import NoModels
from wardround.rules.cases import code
from wardround_python.docdrift.docstring_check import DocstringCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair, Parameter


class ParameterUndocumented(DocstringCheck):
    """A change adds a parameter that the docstring omits, although it documents the others.

    The docstring documents most of the others, or a model estimates that functions like this one document it.
    Readers do not search the code for the new parameter. Document it in the same commit.
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
    def may_speak(cls, pair: DocumentedPair, source: SourceFile) -> bool:
        return any(_find_undocumented_parameters(pair, source))

    def look_at(self, pair: DocumentedPair) -> None:
        declared = _declared_arguments(self.function_of_change(pair).args)
        certain, likely = _find_undocumented_parameters(pair, self.source)
        for parameter in certain:
            self.report(
                self.module.span(declared[parameter.name]),
                f'parameter "{parameter.name}" is new and undocumented; the docstring documents the others',
            )
        for parameter, likelihood in likely:
            self.report(
                self.module.span(declared[parameter.name]),
                f'parameter "{parameter.name}" is new; docstrings like this one usually document it',
                confidence=round(likelihood, 4),
            )


def _find_undocumented_parameters(
    pair: DocumentedPair, source: SourceFile
) -> tuple[list[Parameter], list[tuple[Parameter, float]]]:
    """Return the parameters that the rule is certain about, and those that a model adds."""
    from wardround.semantics.docdrift.parameters import undocumented_parameters, unnamed_parameters

    certain = undocumented_parameters(pair.change)
    in_doubt = [doubtful for doubtful in unnamed_parameters(pair.change) if doubtful not in certain]
    if not in_doubt or isinstance(source.models, NoModels):
        return certain, []
    from wardround_python.docdrift.undocumented_parameters import (
        probably_undocumented,  # only if a model is available and a parameter is in doubt
    )

    return certain, probably_undocumented(pair, source, in_doubt)


def _declared_arguments(arguments: ast.arguments) -> dict[str, ast.arg]:
    return {
        parameter.arg: parameter
        for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    }
