"""PY010."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround_python.docdrift.docstring_check import DocstringCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair
    from wardround.semantics.docdrift.parameters import RemovedParameter

_SPHINX = '"""Send a text.\n\n    :param to: who gets it\n    :param {}: how often it is tried\n    """'
_GOOGLE = '"""Send a text.\n\n    Args:\n        to: who gets it\n        tries (int): how often\n    """'
_NUMPY = (
    '"""Send a text.\n\n    Parameters\n    ----------\n    to : str\n        Who gets it.\n'
    '    tries, wait : int\n        How often.\n    """'
)


def _module(signature: str, docstring: str, body: str = "post(to)") -> str:
    return f"def send({signature}):\n    {docstring}\n    {body}\n"


class RemovedParameterInDocs(DocstringCheck):
    """A change took a parameter out of a function, and the docstring still documents it.

    Whoever reads the docstring passes an argument that is refused, or misses the one that replaced it. Change
    the docstring in the same commit.
    """

    ID = "PY010"
    NAME = "removed-parameter-in-docs"
    DEFECT_CLASS = "documented-parameter-gone"
    SEVERITY = Severity.WARN
    TRIED_ON = (
        "history of 12 repositories, 12,955 commits with 23,937 changed functions that have a docstring: 347 "
        "hits, of which the author changed the docstring in 315; of what authors left, in a set with "
        "python/PY011, 46 of 50 read are right"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        _module("to", _GOOGLE),
        Valid(_module("to, tries=3", _GOOGLE, "post(to, 1)"), base=_module("to, tries=3", _GOOGLE)),
        Valid(_module("to, **options", _GOOGLE), base=_module("to, tries=3", _GOOGLE)),
        Valid(_module("to, *tries", _GOOGLE), base=_module("to, tries=3", _GOOGLE)),
        Valid(
            _module("to", '"""Send a text.\n\n    :param to: who gets it\n    """'),
            base=_module("to, tries=3", _SPHINX.format("tries")),
        ),
        Valid(_module("to", _GOOGLE), base=_module("to", _GOOGLE, "post(to, 1)")),
        Valid(
            _module(
                "to, wait=1", '"""Send.\n\n    .. versionchanged:: 2\n       ``tries``: how often.\n    """'
            ),
            base=_module(
                "to, tries=3", '"""Send.\n\n    .. versionchanged:: 2\n       ``tries``: how often.\n    """'
            ),
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            _module("to", _GOOGLE),
            base=_module("to, tries=3", _GOOGLE, "post(to, tries)"),
            line=6,
            column=9,
        ),
        Invalid(
            _module("to, attempts=3", _SPHINX.format("tries"), "post(to, attempts)"),
            base=_module("to, tries=3", _SPHINX.format("tries"), "post(to, tries)"),
            line=5,
            column=12,
        ),
        Invalid(
            f"class Mail:\n    @traced\n    async def send(self, to, wait):\n        {_NUMPY}\n",
            base=f"class Mail:\n    @traced\n    async def send(self, to, tries, wait):\n        {_NUMPY}\n",
            line=10,
            column=5,
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
