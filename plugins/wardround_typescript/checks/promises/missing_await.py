from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_MEANT = LazyPattern(
    r"(?i)(?:^|\.)(?:push|replace|back|go|navigate\w*|refresh\w*|reload\w*|emit\w*|dispatch\w*|invalidate\w*|refetch\w*"
    r"|prefetch\w*|mutate\w*|track\w*|capture\w*|log\w*|info|warn|error|debug|close\w*|disconnect|destroy|abort|cancel\w*"
    r"|publish\w*|broadcast|enqueue\w*|queue\w*|start\w*|run\w*|init\w*|poll\w*|watch\w*|listen\w*|schedule\w*|report\w*"
    r"|play|pause|focus|scroll\w*|write|end|set|reset|trigger|copy\w*|writeText|exit\w*|open\w*|show\w*|notify\w*|next"
    r"|fire\w*|tick|sign[IO]\w*|login|logout|release|redirect\w*|\w*dialog|\w*modal|confirm|prompt|postMessage|flush\w*|cleanup\w*|stop\w*|kill|unsubscribe|validate\w*|setQueryData|fetch\w*|load\w*)$"
    r"|(?:^|\.)(?:analytics|telemetry|metrics?|logger|log|pubsub|tracker|posthog|sentry|toast|router|console)\."
)
_NOTE = LazyPattern(
    r"(?i)not await|no await|without await|fire.and.forget|in the background|on purpose|intention|deliberate"
    r"|best.effort|don'?t await|no need to (?:a)?wait"
)


class MissingAwait(TreeCheck):
    """A call is not awaited, although every other call of the function in this file is.

    The statement only starts the work: the following code runs before it is done, and its failure becomes an
    unhandled rejection, which ends a Node process. Await it, or write ``void`` and catch its errors.
    """

    ID = "TS040"
    NAME = "missing-await"
    DEFECT_CLASS = "floating-promise"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = SCRIPTS
    WORDS = ("await ",)
    ALSO = (("async",),)
    CASE_PATH = "a.js"
    VALID = [
        code("""
            async function save(row) {
              await db.put(row);
              void db.put(row);
              db.put(row).catch(report);
              // in the background
              db.put(row);
            }
        """),
        code("""
            async function save(row) {
              await router.push('/a');
            }
            async function drop() {
              router.push('/b');
              db.get(1);
            }
        """),
    ]
    INVALID = [
        code("""
            const db = require('./db');
            exports.save = async (row) => {
              await db.put('rows', row);
              «db.put('index', row.id)»;
              return row;
            };
        """),
        code(
            """
            async function join(user) {
              «mail.welcome(user.email)»;
              answer(201);
            }
            async function again(user) {
              await mail.welcome(user.email);
            }
            """,
            path="a.ts",
        ),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import function_around, is_async

        for called, calls in self._discarded_calls().items():
            # A function that is not awaited more than once runs in the background intentionally.
            if len(calls) > 1 or _MEANT.search(called):
                continue
            function = function_around(calls[0])
            if (
                function is not None
                and is_async(function)
                and not self._is_noted(calls[0])
                and not _accepts_callback(calls[0])
            ):
                self.report_node(
                    calls[0], f"{called} is awaited elsewhere in this file but not here; add await"
                )

    def _discarded_calls(self) -> dict[str, list[Node]]:
        """Yield the calls that are statements of functions that are awaited elsewhere."""
        from wardround.languages.script.code import is_awaited

        found: dict[str, list[Node]] = {}
        for called, call in self.code.calls:
            statement = call.parent
            if (
                statement is None
                or statement.type != "expression_statement"
                or called not in self._awaited_callees
            ):
                continue
            if not is_awaited(call):
                found.setdefault(called, []).append(call)
        return found

    @cached_property
    def _awaited_callees(self) -> frozenset[str]:
        """Return the awaited callees of the file, alone or with others, verbatim."""
        return frozenset(self.code.callee(call) for call in self._waited_for())

    def _waited_for(self) -> Iterator[Node]:
        from wardround.languages.script.code import argument

        for awaited in self.code.kinds("await_expression"):
            inner = awaited.named_children[0]
            if inner.type != "call_expression":
                continue
            if self.code.callee(inner) not in ("Promise.all", "Promise.allSettled"):
                yield inner
                continue
            listed = argument(inner, 0)
            for child in listed.named_children if listed is not None and listed.type == "array" else ():
                if child.type == "call_expression":
                    yield child

    def _is_noted(self, call: Node) -> bool:
        line = call.start_point[0]
        return _NOTE.search("\n".join(self.source.lines[max(0, line - 3) : line + 1])) is not None


def _accepts_callback(call: Node) -> bool:
    """Return True if a call receives a callback by which it reports completion."""
    from wardround.languages.script.code import FUNCTIONS

    arguments = call.child_by_field_name("arguments")
    return arguments is not None and any(child.type in FUNCTIONS for child in arguments.named_children)
