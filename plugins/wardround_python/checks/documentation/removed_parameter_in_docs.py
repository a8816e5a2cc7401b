"""PY010."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround_python.docdrift.docstring_check import DocstringCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair
    from wardround.semantics.docdrift.parameters import RemovedParameter


class RemovedParameterInDocs(DocstringCheck):
    """A change took a parameter out of a function, and the docstring still documents it.

    Whoever reads the docstring passes an argument that is refused, or misses the one that replaced it. Change
    the docstring in the same commit.
    """

    ID = "PY010"
    NAME = "removed-parameter-in-docs"
    DEFECT_CLASS = "documented-parameter-gone"
    SEVERITY = Severity.WARN
    VALID = [
        code('''
            def send(to):
                """Send a text.

                Args:
                    to: who gets it
                    tries (int): how often
                """
                post(to)
        '''),
        code(
            '''
            def send(to, tries=3):
                """Send a text.

                Args:
                    to: who gets it
                    tries (int): how often
                """
                post(to, 1)
            ''',
            base='''
            def send(to, tries=3):
                """Send a text.

                Args:
                    to: who gets it
                    tries (int): how often
                """
                post(to)
            ''',
        ),
    ]
    INVALID = [
        code(
            '''
            def send(to):
                """Send a text.

                Args:
                    to: who gets it
                    «tries» (int): how often
                """
                post(to)
            ''',
            base='''
            def send(to, tries=3):
                """Send a text.

                Args:
                    to: who gets it
                    tries (int): how often
                """
                post(to, tries)
            ''',
        ),
        code(
            '''
            def send(to, attempts=3):
                """Send a text.

                :param to: who gets it
                :param «tries»: how often it is tried
                """
                post(to, attempts)
            ''',
            base='''
            def send(to, tries=3):
                """Send a text.

                :param to: who gets it
                :param tries: how often it is tried
                """
                post(to, tries)
            ''',
        ),
    ]

    @classmethod
    def may_speak(cls, one: DocumentedPair, source: SourceFile) -> bool:
        from wardround.semantics.docdrift.parameters import gone_parameters

        return bool(gone_parameters(one.change))

    def look_at(self, one: DocumentedPair) -> None:
        from wardround.semantics.docdrift.parameters import gone_parameters

        for gone in gone_parameters(one.change):
            place = self.words_span(one, gone.entry.name, gone.entry.line)
            self.report(place, _message(gone))


def _message(gone: RemovedParameter) -> str:
    became = f'renamed it to "{gone.now}"' if gone.now else "took it out of the signature"
    return f'"{gone.entry.name}" is documented here, but this change {became}'
