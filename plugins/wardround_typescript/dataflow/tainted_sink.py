"""The report of tainted values that reach a sink."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from wardround.findings import Severity
from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.check import TreeCheck
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


@dataclass(frozen=True, slots=True)
class TaintedSink:
    """A kind of sink, and the messages for the tainted values that reach it.

    Attributes:
        kinds: the kinds of sink, by their names in ``SinkKind``.
        message: the message for data of a request.
        archive_message: the message for names in an archive; empty where these are not reported.
        arguments_message: the message for arguments of the program; empty where these are not reported.
        parameter_message: the message for parameters of public functions.
        parameter_label: the label with which a parameter is reported for any caller; empty for none.
    """

    kinds: tuple[str, ...]
    message: str
    archive_message: str = ""
    arguments_message: str = ""
    parameter_message: str = ""
    parameter_label: str = ""

    def message_for(self, origin: str) -> tuple[str, Severity | None]:
        """Return the message for an origin of data and the severity, if it is not the rule's."""
        if origin == _ARCHIVE:
            return self.archive_message, None
        if origin == _ARGUMENTS:
            return self.arguments_message, Severity.INFO
        return self.message, None


def report_tainted_sink(check: TreeCheck, sink: TaintedSink) -> None:
    """Report the tainted values that reach a sink, once per function and source text."""
    if not _may_have_flows(check.source.path, check.source.text):
        return
    reported: set[tuple[int, str]] = set()
    for hit, message, severity in _hits(check, sink):
        key = (_function_start(hit.node), check.text(hit.node))
        if message and key not in reported:
            reported.add(key)
            suffix = f" in {hit.path}" if hit.path != check.source.path else ""
            check.report_node(hit.node, message + suffix, severity)


def _hits(check: TreeCheck, sink: TaintedSink) -> Iterator[tuple[Hit, str, Severity | None]]:
    from wardround_typescript.dataflow.domain import NOTHING, SinkKind  # loads the parser
    from wardround_typescript.dataflow.file_analysis import hits, parameter_hits

    kinds = NOTHING
    for name in sink.kinds:
        kinds |= SinkKind[name]
    for hit in hits(check.source):
        if hit.kind & kinds:
            yield hit, *sink.message_for(hit.origin)
    for hit in parameter_hits(check.source) if sink.parameter_label else ():
        if hit.kind & kinds and hit.labels & SinkKind[sink.parameter_label]:
            yield hit, sink.parameter_message, None


def _function_start(node: Node) -> int:
    """Return the offset of the function that contains a node; 0 outside of functions."""
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
