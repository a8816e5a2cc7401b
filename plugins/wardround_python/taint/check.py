"""What every check on a stranger's data shares."""

from __future__ import annotations

import ast
from typing import ClassVar

from wardround.checks import Source
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.taint.dangers import ARCHIVE, Danger, Hit

_COMING_IN = LatePattern(
    r"request|\breq\b|get_argument|@\w+\.(get|post|put|patch|delete|route|api_route)\(|"
    r"def (lambda_)?handler\(event|infolist|namelist|getmembers|getnames|tarfile|cleaned_data|validated_data"
)


class TaintedCheck(PythonCheck):
    """A check that reports where data from outside reaches one kind of place.

    Attributes:
        DANGER: the kind of place.
        MESSAGE: what is said of data from a request; ``ARCHIVE_MESSAGE`` of names in an archive.
    """

    DANGER: ClassVar[Danger]
    MESSAGE: ClassVar[str]
    ARCHIVE_MESSAGE: ClassVar[str] = ""

    @classmethod
    def wants(cls, source: Source) -> bool:
        return super().wants(source) and _COMING_IN.search(source.text) is not None

    def visit_Module(self, node: ast.Module) -> None:  # noqa: N802 - named after the class of ast
        from wardround_python.taint.flow import hits  # only a file where data comes in needs the walk

        said: set[tuple[object, str]] = set()
        for hit in hits(self.module):
            if not hit.danger & self.DANGER or not self.counts(hit):
                continue
            place = (self.module.function_of(hit.node), ast.unparse(hit.node))
            if place not in said:
                said.add(place)
                message = (
                    self.ARCHIVE_MESSAGE if hit.origin == ARCHIVE and self.ARCHIVE_MESSAGE else self.MESSAGE
                )
                self.report(self.module.span(hit.node), message)

    def counts(self, hit: Hit) -> bool:
        """Whether this place is worth a word; a check narrows it by what stands around."""
        return True
