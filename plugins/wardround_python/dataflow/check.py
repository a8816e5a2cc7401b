"""The base of the checks for one kind of sink."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import ClassVar

from wardround.checks.source import SourceFile
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.domain import ARCHIVE
from wardround_python.check import PythonCheck
from wardround_python.dataflow.domain import MODEL, STORED, Hit, SinkKind

_SOURCE = LazyPattern(
    r"request|HTTPRequestHandler|\breq\b|get_\w*argument|@\w+\.(get|post|put|patch|delete|route|api_route)\(|"
    r"def (lambda_)?handler\(event|start_response|"
    r"output_text|completions?\.create|messages\.create|litellm|\.invoke\(|generate_content|infolist|namelist|getmembers|getnames|tarfile|cleaned_data|validated_data"
)


@lru_cache(maxsize=16)
def may_have_source(text: str) -> bool:
    """Return True if a module may have a source of taint; a prefilter."""
    return _SOURCE.search(text) is not None


class TaintedCheck(PythonCheck):
    """A check that reports the tainted data that reaches one kind of sink.

    Attributes:
        SINK: the kind of sink.
        MESSAGE: the message for data from a request; ``ARCHIVE_MESSAGE`` for names in an archive,
            ``STORED_MESSAGE`` for data stored by an earlier request.
    """

    SINK: ClassVar[SinkKind]
    MESSAGE: ClassVar[str]
    ARCHIVE_MESSAGE: ClassVar[str] = ""
    STORED_MESSAGE: ClassVar[str] = ""

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and may_have_source(source.text)

    def visit_Module(self, node: ast.Module) -> None:  # noqa: N802 - named after the class of ast
        from wardround_python.dataflow.module_analysis import hits  # only a file with a source needs it

        reported: set[tuple[object, str]] = set()
        for hit in hits(self.module):
            if hit.path != self.module.path or not hit.kind & self.SINK or not self.is_reported(hit):
                continue
            location = (self.module.function_of(hit.node), self.report_key(hit))
            if location not in reported:
                reported.add(location)
                self.report(self.module.span(hit.node), self.message_of(hit))

    def report_key(self, hit: Hit) -> str:
        """Return the key by which hits of one function are deduplicated."""
        return unparse(hit.node)

    def message_of(self, hit: Hit) -> str:
        if hit.origin == MODEL:
            return self.MESSAGE.replace("data from the request", "text from a language model")
        others = {ARCHIVE: self.ARCHIVE_MESSAGE, STORED: self.STORED_MESSAGE}
        return others.get(hit.origin) or self.MESSAGE

    def is_reported(self, hit: Hit) -> bool:
        """Return True if a hit is reported; a check narrows it by the code around the sink."""
        return True
