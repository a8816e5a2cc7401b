from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.checks.base import Check
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.analysis.call_resolution import declared_in, origin
from wardround_typescript.analysis.resolved_scripts import ResolvedScript, script_of
from wardround_typescript.check import SCRIPTS

_STATEMENT = LazyPattern(
    r"(?m)^[ \t]*(?P<call>(?:this\.)?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)?)(?:<[^<>();{}]{0,120}>)?\("
)
_NO_CALL = frozenset(
    {"if", "for", "while", "switch", "catch", "function", "return", "await", "super", "throw", "import"}
)
_GOES_ON = LazyPattern(r"[ \t]*(?:;|\n\s*(?![.?\s)\],&|:])|\n?\s*\})")
_CONTINUED = LazyPattern(r"(?:[=,(\[+*/&|?:<>.]|\b(?:return|await|void|throw|yield|new|case|of|in))\s*$")
_LIST_END = LazyPattern(r"\)\s*(?::[^;={}()]{0,150})?\s*(?:=>)?\s*$")
_NAMED = LazyPattern(
    r"(?P<async>\basync\b\s*)?(?:\bfunction\b\s*\*?\s*)?(?P<name>[\w$]*)\s*(?:<[^<>()]{0,100}>)?\s*$"
)
_BARE_ARROW = LazyPattern(r"(?P<async>\basync\s+)?[\w$]+\s*=>\s*$")
_BLOCK_WORDS = frozenset({"if", "for", "while", "switch", "catch", "with"})
_CLASS = LazyPattern(r"\bclass\b[^{}();]{0,300}$")
_LOOK_BACK = 200
"""Number of characters before a brace or bracket that are searched for its owner."""
_MEANT = LazyPattern(
    r"(?i)(?:background|loop|poll|watch|listen|forever|schedule|fire|track|prefetch|preload|warm|daemon|heartbeat"
    r"|report|log|worker|main|start\w*|run|emit|dispatch|capture|notifyAll|publish|broadcast|enqueue\w*"
    r"|queue\w*)$"
)
_ASIDE = LazyPattern(
    r"(?i)(?:analytics|telemetry|metrics?|logger|log|pubsub|tracker|tracing|posthog|sentry)\w*$"
)
_NOTE = LazyPattern(
    r"(?i)not await|no await|without await|fire.and.forget|background|on purpose|intention|deliberate"
    r"|best.effort"
)
_ASYNC_BEFORE = LazyPattern(r"\basync\s+$")
_ASYNC_VALUE = LazyPattern(r"\s*(?::[^=;]{0,200})?=\s*async\b")
_TYPED = (
    r"(?<![\w$.])(?:readonly\s+|private\s+|protected\s+|public\s+){1,3}%s\s*[!?]?\s*:\s*"
    r"(?P<type>[A-Z][\w$]*)\s*[,;)=\n]"
)
_MADE = LazyPattern(r"\s*(?::\s*[\w$.<>]{1,80}\s*)?=\s*new\s+(?P<type>[A-Z][\w$]*)\s*[(;\n]")
_OBJECT = LazyPattern(r"\s*(?::\s*[\w$.<>]{1,80}\s*)?=\s*\{")
_TEST_PATH = LazyPattern(
    r"(^|/)(__tests__|__mocks__|tests?|e2e|specs?|cypress|playwright)/|\.(\w*test|spec|stories|e2e|cy)\.[mc]?[jt]sx?$"
)


class UnawaitedImportedCall(Check):
    """An async function of another file is called without ``await``.

    The statement only starts the work: the following code runs before it is done, and a failure becomes an
    unhandled rejection that ends a Node process. Await it, return it, or write ``void`` and catch its errors.
    """

    ID = "TS031"
    NAME = "unawaited-imported-call"
    DEFECT_CLASS = "floating-promise"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    CASE_PATH = "src/a.ts"
    VALID = [
        code(
            """
            import { store } from './db';
            export async function save(row) {
              await store(row);
              void store(row);
            }
            """,
            others={
                "src/db.ts": """
                export async function store(row) {}
                """,
            },
        ),
        code(
            """
            import { store } from './db';
            export async function save(row) {
              store(row);
            }
            """,
            others={
                "src/db.ts": """
                export function store(row) {}
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            import { store } from './db';
            export async function save(row) {
              «store(row)»;
              close();
            }
            """,
            others={
                "src/db.ts": """
                export const store = async (row) => {};
                """,
            },
        ),
        code(
            """
            import { mail } from '@/mail';
            export const add = async (user) => {
              await put(user);
              «mail.welcome(user)»;
            };
            """,
            path="src/users/a.js",
            others={
                "src/mail.js": """
                class Mail {
                  async welcome(to) {
                  }
                }
                export const mail = new Mail();
                """,
            },
        ),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ("async",)

    def __init__(self, source: SourceFile) -> None:
        super().__init__(source)
        self._script = script_of(source.path, source.text)
        self._known: dict[str, bool] = {}

    def run(self) -> None:
        if "async" not in self.source.text or _TEST_PATH.search(self.source.path):
            return
        if not self._script.is_written:
            return
        for location in _STATEMENT.finditer(self._script.scan.structure):
            if self._is_dropped(location):
                name = location["call"]
                self.report(
                    self._span(location),
                    f"{name} is async and not awaited here; await it, or write void and catch",
                )

    def _is_dropped(self, place: re.Match[str]) -> bool:
        owner, _, name = place["call"].rpartition(".")
        line = self.source.position(place.start("call"))[0]
        return (
            self.source.is_added(line)
            and (owner or name) not in _NO_CALL
            and self._is_of_other_file(owner, name)
            and not _MEANT.search(name)
            and not _ASIDE.search(owner)
            and self._resolves_to_async(place["call"])
            and self._is_statement(place)
            and self._is_waiting(place.start("call"))
            and not _NOTE.search("\n".join(self.source.lines[max(0, line - 4) : line]))
        )

    def _is_of_other_file(self, owner: str, name: str) -> bool:
        return owner.startswith("this.") or (owner or name) in self._script.imports

    def _resolves_to_async(self, call: str) -> bool:
        if call not in self._known:
            owner, _, name = call.rpartition(".")
            self._known[call] = self._is_async(owner, name)
        return self._known[call]

    def _is_statement(self, place: re.Match[str]) -> bool:
        """Return True if the call is the complete statement, with nothing that takes its value."""
        structure = self._script.scan.structure
        closing = self._script.scan.pairs.get(place.end() - 1)
        if closing is None or not _GOES_ON.match(structure, closing + 1):
            return False
        return not _CONTINUED.search(structure[max(0, place.start() - _LOOK_BACK) : place.start("call")])

    def _is_waiting(self, offset: int) -> bool:
        """Return True if the innermost function around a position is async."""
        for opening in self._open_braces(offset):
            before = self._script.scan.structure[max(0, opening - _LOOK_BACK) : opening]
            head = _BARE_ARROW.search(before) or self._head(opening, before)
            if head is None and _CLASS.search(before):
                return False
            if head is not None and head.groupdict().get("name") not in _BLOCK_WORDS:
                return head["async"] is not None
        return False

    def _head(self, opening: int, before: str) -> re.Match[str] | None:
        """Match the code before the parentheses that precede a brace: a function's name or a keyword."""
        end = _LIST_END.search(before)
        start = self._opens.get(opening - len(before) + end.start()) if end else None
        if start is None:
            return None
        return _NAMED.search(self._script.scan.structure[max(0, start - _LOOK_BACK) : start])

    @cached_property
    def _opens(self) -> dict[int, int]:
        """Return the position of the opening bracket for a closing one."""
        return {closing: opening for opening, closing in self._script.scan.pairs.items()}

    def _open_braces(self, offset: int) -> Iterator[int]:
        """Yield the positions of the braces that are open at a position, innermost first."""
        at = bisect_right(self._braces, (offset, 0)) - 1
        while at >= 0:
            opening, closing = self._braces[at]
            if closing > offset:
                yield opening
            at -= 1

    @cached_property
    def _braces(self) -> list[tuple[int, int]]:
        scan = self._script.scan
        return sorted((a, b) for a, b in scan.pairs.items() if scan.structure[a] == "{")

    def _is_async(self, owner: str, name: str) -> bool:
        script, project = self._script, self.source.project
        if not owner:
            found = origin(name, script, project)
            return found is not None and _function_is_async(*found)
        module, there = script.imports.get(owner, ("", ""))
        if there == "*":
            found = declared_in(module, name, script.path, project)
            return found is not None and _function_is_async(*found)
        if owner.startswith("this."):
            held = re.search(_TYPED % re.escape(owner.removeprefix("this.")), script.scan.structure)
            found = origin(held["type"], script, project) if held else None
            return found is not None and _method_is_async(*found, name)
        found = origin(owner, script, project)
        return found is not None and _member_is_async(*found, name)

    def _span(self, place: re.Match[str]) -> Span:
        start = place.start("call")
        return Span(
            *self.source.position(start), *self.source.position(self._script.scan.pairs[place.end() - 1] + 1)
        )


def _function_is_async(script: ResolvedScript, name: str) -> bool:
    """Return True if the only function of a name in a file is declared async."""
    found = script.bound.get(name, ())
    if len(found) != 1:
        return False
    structure = script.scan.structure
    if found[0]["kind"].startswith("function"):
        return _ASYNC_BEFORE.search(structure[max(0, found[0].start() - 20) : found[0].start()]) is not None
    return _ASYNC_VALUE.match(structure, found[0].end()) is not None


def _method_is_async(script: ResolvedScript, owner: str, name: str) -> bool:
    """Return True if a class of a file has an async method of a name."""
    found = script.bound.get(owner, ())
    if len(found) != 1 or found[0]["kind"] != "class":
        return False
    return _has_async(script, script.scan.structure.find("{", found[0].end()), name)


def _member_is_async(script: ResolvedScript, owner: str, name: str) -> bool:
    """Return True for an object of a file, or an instance of a class of that file, with such a method."""
    found = script.bound.get(owner, ())
    if len(found) != 1 or found[0]["kind"] != "const":
        return False
    created = _MADE.match(script.scan.structure, found[0].end())
    if created is not None:
        return _method_is_async(script, created["type"], name)
    opening = _OBJECT.match(script.scan.structure, found[0].end())
    return opening is not None and _has_async(script, opening.end() - 1, name)


def _has_async(script: ResolvedScript, opening: int, name: str) -> bool:
    closing = script.scan.pairs.get(opening)
    if closing is None:
        return False
    words = (
        r"(?m)^[ \t]*(?:(?:public|private|protected|static|override)\s+)*"
        rf"(?:async\s+{re.escape(name)}\s*[(<]|{re.escape(name)}\s*[:=]\s*async\b)"
    )
    return re.search(words, script.scan.structure[opening:closing]) is not None
