from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_python.docdrift.docstring_check import DocstringCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair
    from wardround.semantics.docdrift.parameters import RemovedParameter


class RemovedParameterInDocs(DocstringCheck):
    """The docstring documents a parameter that a change removes, or that ``__init__`` of the class lacks.

    Readers pass an argument that is rejected, or miss the one that replaced it. Update the docstring in
    the same commit.
    """

    ID = "PY010"
    NAME = "removed-parameter-in-docs"
    DEFECT_CLASS = "documented-parameter-gone"
    SEVERITY = Severity.WARN
    PREFILTER = "wardround_python.prefilters:changes_documented_parameters"
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
    def wants(cls, source: SourceFile) -> bool:
        from wardround_python.prefilters import documents_a_constructor

        return super().wants(source) or documents_a_constructor(source)

    def visit_Module(self, node: ast.Module) -> None:
        from wardround_python.docdrift.class_parameters import unknown_parameters

        super().visit_Module(node)
        for owner, docstring, entry in unknown_parameters(self.module):
            span = self.token_span(docstring.lineno + entry.line, entry.name) or self.module.name_span(owner)
            self.report(span, f'"{entry.name}" is documented here, but __init__ has no such parameter')

    @classmethod
    def may_speak(cls, pair: DocumentedPair, source: SourceFile) -> bool:
        from wardround.semantics.docdrift.parameters import removed_documented_parameters

        return bool(removed_documented_parameters(pair.change))

    def look_at(self, pair: DocumentedPair) -> None:
        from wardround.semantics.docdrift.parameters import removed_documented_parameters

        for removal in removed_documented_parameters(pair.change):
            span = self.words_span(pair, removal.entry.name, removal.entry.line)
            self.report(span, _message(removal))


def _message(removal: RemovedParameter) -> str:
    effect = f'renames it to "{removal.now}"' if removal.now else "removes it from the signature"
    return f'"{removal.entry.name}" is documented here, but this change {effect}; update the docstring'
