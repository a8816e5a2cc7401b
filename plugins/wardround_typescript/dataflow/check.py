"""What every check on a stranger's data shares."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.dataflow.domain import Hit

_COMING_IN = LazyPattern(
    r"\breq(uest)?\b|\bctx\b|\bc\.req\b|searchParams|formData|FormData|use server|\bevent\.(body|"
    r"query|path|headers|Records)|"
    r"@(Body|Query|Param|Args|Headers)\b|\b(?:lambda_?)?[hH]andler\b|process\.argv|\.input\(|\.action\(|\.on\(\s*['\"]|getQuery|readBody|entryName|"
    r"\bentry\.|header\.name|originalname|relativePath|fileName|\bparams\b|\bresolvers\b|Mutation\b"
)
_GIVES_OUT = LazyPattern(r"\bexport\b|\bexports\b|\bclass\b")
_HARMFUL = LazyPattern(
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

ARCHIVE = "archive"
ARGUMENTS = "arguments"


class TaintedCheck(TreeCheck):
    """A check that reports where data from outside reaches one kind of place.

    Attributes:
        DANGER: the kind of place, by its name in ``Danger``.
        MESSAGE: what is said of data from a request; ``ARCHIVE_MESSAGE`` of names in an archive,
            ``GIVEN_MESSAGE`` of what callers of a function choose.
        CERTAIN: the danger of which it is wrong to take it from any caller; none if that depends on them.
    """

    DANGER: ClassVar[tuple[str, ...]]
    MESSAGE: ClassVar[str]
    ARCHIVE_MESSAGE: ClassVar[str] = ""
    ARGUMENTS_MESSAGE: ClassVar[str] = ""
    GIVEN_MESSAGE: ClassVar[str] = ""
    CERTAIN: ClassVar[str] = ""

    def _may_speak(self, text: str) -> bool:
        return super()._may_speak(text) and _may_matter(self.source.path, text)

    def look(self) -> None:
        from wardround_typescript.dataflow.domain import NOTHING, SinkKind  # loads the parser
        from wardround_typescript.dataflow.file_analysis import hits, parameter_hits

        wanted = NOTHING
        for name in self.DANGER:
            wanted |= SinkKind[name]
        said: set[tuple[int, str]] = set()
        for hit in hits(self.source):
            if hit.kind & wanted and self.counts(hit):
                self._say(hit, said)
        for hit in parameter_hits(self.source) if self.CERTAIN else ():
            if hit.kind & wanted and hit.labels & SinkKind[self.CERTAIN]:
                self._say(hit, said, self.GIVEN_MESSAGE)

    def _say(self, hit: Hit, said: set[tuple[int, str]], message: str = "") -> None:
        place = (function_at(hit.node), self.code.text(hit.node))
        if place in said:
            return
        said.add(place)
        severity = None
        if hit.origin == ARCHIVE:
            message = self.ARCHIVE_MESSAGE
        elif hit.origin == ARGUMENTS:
            message, severity = self.ARGUMENTS_MESSAGE, Severity.INFO
        message = message or self.MESSAGE
        if hit.path != self.source.path:
            message += f" in {hit.path}"
        self.say(hit.node, message, severity)

    def counts(self, hit: Hit) -> bool:
        """Whether this place is worth a word."""
        if hit.origin == ARCHIVE:
            return bool(self.ARCHIVE_MESSAGE)
        return bool(self.ARGUMENTS_MESSAGE) or hit.origin != ARGUMENTS


def function_at(node: Node) -> int:
    """Where the function begins that a node is in; 0 outside of all."""
    around = node.parent
    while around is not None and "function" not in around.type and around.type != "method_definition":
        around = around.parent
    return around.start_byte if around is not None else 0


@lru_cache(maxsize=2)
def _may_matter(path: str, text: str) -> bool:
    """Whether something comes in here, or may be handed in by others; code of pages has neither."""
    if _CLIENT.search(text[:400]) or (path.endswith((".tsx", ".jsx")) and not _ON_SERVER.search(text)):
        return False
    return _COMING_IN.search(text) is not None or (
        _GIVES_OUT.search(text) is not None and _HARMFUL.search(text) is not None
    )
