"""Sinks: the catalogue of functions and methods, and the patterns of their receivers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.catalogue import load_catalogue
from wardround_typescript.dataflow.domain import SinkKind


@dataclass(frozen=True, slots=True)
class Sink:
    """Arguments of a call that must not be tainted, by position.

    Attributes:
        fields: if an argument is an object, only these properties of it count; empty for all.
        receiver: the source of the receiver, if the method name alone is ambiguous.
    """

    kind: SinkKind
    first: int = 0
    last: int = 0
    fields: tuple[str, ...] = ()
    receiver: LazyPattern | None = None


class SinkEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Functions or methods that are the same kind of sink."""

    kind: str
    names: list[str]
    modules: list[str] = []
    first: int = 0
    last: int | None = None
    fields: tuple[str, ...] = ()
    receiver: str | None = None

    def full_names(self) -> Iterator[str]:
        """Yield the names, each with each module."""
        if not self.modules:
            yield from self.names
        for module in self.modules:
            yield from (f"{module}.{name}" for name in self.names)


class SinkCatalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", dict=True):
    """The content of ``wardround_rules/dataflow/typescript/sinks.yml``."""

    receivers: dict[str, str]
    functions: list[SinkEntry]
    methods: list[SinkEntry]
    processes: frozenset[str]
    listed_processes: dict[str, str]
    formatters: frozenset[str]
    log_methods: frozenset[str]
    archive_names: frozenset[str]
    not_records: frozenset[str]

    @cached_property
    def by_function(self) -> Mapping[str, tuple[Sink, ...]]:
        """The name of a function, as imported -> its sinks."""
        return self._table(self.functions)

    @cached_property
    def by_method(self) -> Mapping[str, tuple[Sink, ...]]:
        """The name of a method -> its sinks."""
        return self._table(self.methods)

    def _table(self, entries: Sequence[SinkEntry]) -> Mapping[str, tuple[Sink, ...]]:
        table: dict[str, tuple[Sink, ...]] = {}
        for entry in entries:
            sink = self._sink(entry)
            for name in entry.full_names():
                table[name] = (*table.get(name, ()), sink)
        return table

    def _sink(self, entry: SinkEntry) -> Sink:
        receiver = LazyPattern(self.receivers[entry.receiver]) if entry.receiver is not None else None
        last = entry.first if entry.last is None else entry.last
        return Sink(SinkKind[entry.kind.upper()], entry.first, last, entry.fields, receiver)


@cache
def catalogue() -> SinkCatalogue:
    """Return the sinks that ``wardround_rules/dataflow/typescript/sinks.yml`` declares."""
    return load_catalogue("typescript", "sinks", SinkCatalogue)


NOT_RECORDS = LazyPattern(
    r"(^|\.)(Object|axios|crypto|hash|hmac|cipher|sign|verify|stripe|z|Joi|yup|cache|Array|Map|Set|Promise|React|ReactDOM|"
    r"Date|JSON|URL|Readable|Writable|Buffer|i18n|router|redis|Redis|Intl|Error|Reflect|Symbol|Proxy)(\.\w+)?$|createH"
)
SHELLS = LazyPattern(r"(^|/)(ba|z|da|k)?sh$|^(cmd(\.exe)?|powershell(\.exe)?|pwsh)$")
COMMAND_FLAGS = LazyPattern(r"^(-[elui]*c|/[cC]|-Command)$")
RESPONSES = LazyPattern(
    r"^((this\.)?(res|response|_res|reply|rep|ctx\.res)(\.raw)?)((\.status|\.code|\.type|\.header|\.set|\.setHeader)\(.*\))?$",
    16,
)
"""Responses of Express, Fastify and Node."""
LOGS = LazyPattern(r"^console$|(^|\.)log4js$")
"""Loggers that write text verbatim; most others write JSON, in which line breaks are escaped."""
TYPED_TEXT = LazyPattern(
    r"(?i)content-type['\"]?\s*[,:]\s*['\"`](text/(plain|csv|xml|markdown|javascript|event-stream|calendar)|application/|image/)"
    r"|\.type\(\s*['\"](text|txt|json|csv|xml|js|text/(plain|csv|markdown|xml)|application/[\w.+-]+|image/\w+)['\"]"
)
TYPED_HTML = LazyPattern(
    r"(?i)text/html|\.type\(\s*['\"](html|\.html)['\"]|[tT]ype\s*=\s*['\"](html|text/html)"
)

ARCHIVES = LazyPattern(
    r"['\"](?:node:)?(unzipper|yauzl(-promise)?|adm-zip|tar-stream|tar|jszip|unzip|node-stream-zip|extract-zip|decompress\w*|"
    r"fflate|zip-lib|yazl|zipjs|@zip\.js/zip\.js)['\"]"
)
ARCHIVE_ENTRY = LazyPattern(r"(?i)^(zip_?|tar_?)?(entry|header|member|zipentry|e|file|item)$")
MONGO = LazyPattern(r"(?i)mongo|\bcollection\(|\bCollection<")
TYPEORM = LazyPattern(r"createQueryBuilder|SelectQueryBuilder")
SESSION = LazyPattern(r"^(req|request|ctx|this\.ctx|c)\.session$")
TRUSTED = LazyPattern(
    r"^(req|request|ctx|this\.ctx|c)\.session(\.\w+)?\.\w*(?i:user|account|role|admin|tenant|org|team|perm|scope|plan|group|owner|"
    r"email|flag|price|total|amount|credit|level|verified|auth|login|workspace|project|customer|privilege|feature|"
    r"impersonat|id)\w*$"
)
"""Properties of a session that identify or authorize the user."""
