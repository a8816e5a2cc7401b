"""The base of the checks on tainted values."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.dataflow.domain import Hit

_SOURCES = LazyPattern(
    r"\breq(uest)?\b|\bctx\b|\bc\.req\b|searchParams|formData|FormData|use server|\bevent\.(body|"
    r"query|path|headers|Records)|"
    r"@(Body|Query|Param|Args|Headers)\b|\b(?:lambda_?)?[hH]andler\b|process\.argv|\.input\(|\.action\(|\.on\(\s*['\"]|getQuery|readBody|entryName|"
    r"\bentry\.|header\.name|originalname|relativePath|fileName|\bparams\b|\bresolvers\b|Mutation\b"
)
_EXPORTS = LazyPattern(r"\bexport\b|\bexports\b|\bclass\b")
_SINKS = LazyPattern(
    r"child_process|['\"](node:)?fs(/promises)?['\"]|fs-extra|\.(query|execute|raw|find|findOne|aggregate|prepare)\(|Unsafe\(|"
    r"\beval\(|new Function\b|['\"](node:)?vm['\"]|\b(fetch|axios|got|redirect)\b|createQueryBuilder|"
    r"Where\(|unserialize|yaml|"
    r"xpath|ldap|\.(create|update|save|insert)\(|RegExp\(|emplate|andlebars|nunjucks|\bejs\b|\bcryo\b|eserialize|"
    r"sendFile|setHeader|\.session\b|\blocation\(|\bopenExternal\("
)
_CLIENT = LazyPattern(r"^\s*(/\*[^*]*\*/\s*)?['\"]use client['\"]")
_ON_SERVER = LazyPattern(
    r"use server|getServerSideProps|\bfunction (GET|POST|PUT|PATCH|DELETE|loader|action)\b|"
    r"searchParams|\bparams\b|\breq\b"
)

_ARCHIVE = "archive"
_ARGUMENTS = "arguments"
"""The sources of ``domain`` that have a message of their own; ``domain`` loads the parser."""


class TaintedCheck(TreeCheck):
    """A check that reports the tainted values that reach one kind of sink; a subclass declares which.

    Attributes:
        SINKS: the kinds of sink, by their names in ``SinkKind``.
        MESSAGE: the message for data of a request.
        ARCHIVE_MESSAGE: the message for names in an archive; empty where these are not reported.
        ARGUMENTS_MESSAGE: the message for arguments of the program; empty where these are not reported.
        PARAMETER_MESSAGE: the message for parameters of public functions.
        PARAMETER_LABEL: the label with which a parameter is reported whatever calls pass; empty for none.
    """

    SINKS: ClassVar[tuple[str, ...]]
    MESSAGE: ClassVar[str]
    ARCHIVE_MESSAGE: ClassVar[str] = ""
    ARGUMENTS_MESSAGE: ClassVar[str] = ""
    PARAMETER_MESSAGE: ClassVar[str] = ""
    PARAMETER_LABEL: ClassVar[str] = ""

    def _may_speak(self, text: str) -> bool:
        return super()._may_speak(text) and _may_have_flows(self.source.path, text)

    def look(self) -> None:
        from wardround_typescript.dataflow.domain import NOTHING, SinkKind  # loads the parser
        from wardround_typescript.dataflow.file_analysis import hits, parameter_hits

        kinds = NOTHING
        for name in self.SINKS:
            kinds |= SinkKind[name]
        reported: set[tuple[int, str]] = set()
        for hit in hits(self.source):
            if hit.kind & kinds:
                self._report_hit(hit, reported)
        for hit in parameter_hits(self.source) if self.PARAMETER_LABEL else ():
            if hit.kind & kinds and hit.labels & SinkKind[self.PARAMETER_LABEL]:
                self._report_once(hit, self.PARAMETER_MESSAGE, reported)

    def _report_hit(self, hit: Hit, reported: set[tuple[int, str]]) -> None:
        message, severity = self.MESSAGE, None
        if hit.origin == _ARCHIVE:
            message = self.ARCHIVE_MESSAGE
        elif hit.origin == _ARGUMENTS:
            message, severity = self.ARGUMENTS_MESSAGE, Severity.INFO
        if message:
            self._report_once(hit, message, reported, severity)

    def _report_once(
        self, hit: Hit, message: str, reported: set[tuple[int, str]], severity: Severity | None = None
    ) -> None:
        """Report the first of the hits in a function whose source text is the same."""
        key = (_function_start(hit.node), self.code.text(hit.node))
        if key in reported:
            return
        reported.add(key)
        suffix = f" in {hit.path}" if hit.path != self.source.path else ""
        self.say(hit.node, message + suffix, severity)


def _function_start(node: Node) -> int:
    """The offset of the function that contains a node; 0 outside of functions."""
    around = node.parent
    while around is not None and "function" not in around.type and around.type != "method_definition":
        around = around.parent
    return around.start_byte if around is not None else 0


@lru_cache(maxsize=2)
def _may_have_flows(path: str, text: str) -> bool:
    """Prefilter: a file has sources, or exports functions with sinks; code of the browser has neither."""
    if _CLIENT.search(text[:400]) or (path.endswith((".tsx", ".jsx")) and not _ON_SERVER.search(text)):
        return False
    if _SOURCES.search(text) is not None:
        return True
    return _EXPORTS.search(text) is not None and _SINKS.search(text) is not None
