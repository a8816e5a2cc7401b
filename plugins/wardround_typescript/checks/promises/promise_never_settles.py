"""TS044: promise never settles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    pass

_OUTCOME = LazyPattern(
    r"(?P<who>[\w$.?]+)(?:\.(?:onload|onloadend)\s*=(?!=)|\.(?:on|once|addEventListener)\(\s*"
    r"['\"](?:load|close|exit|finish|end|open|ready|connect|listening|drain)['\"])"
)
_FAILS = LazyPattern(
    r"\.on(?:error|abort)\s*=|['\"](?:error|abort|timeout|close|exit|disconnect)['\"]|\breject\b|\.catch\(|setTimeout\("
    r"|AbortSignal|\bpipeline\(|\bfinished\("
)
_MADE = LazyPattern(
    r"\bnew (?:window\.)?(?:Image|FileReader|Audio|XMLHttpRequest|WebSocket|EventSource|Worker)\b"
    r"|createElement\(\s*['\"](?:script|img|link|video|audio|iframe)['\"]|\b(?:spawn|exec|execFile|fork|createReadStream"
    r"|createWriteStream|createConnection|createServer|connect|request|get|pipe|listen)\("
)
_PROCESS = LazyPattern(r"\b(?:spawn|execFile|fork)\(")


class PromiseNeverSettles(TreeCheck):
    """A promise is resolved on success and never rejected on failure.

    It settles in the handler of an event that does not occur after a failure, so an ``await`` of it never
    returns: for an image that does not exist, a program that cannot be started. Call ``reject`` in the
    handler of the error as well.
    """

    ID = "TS044"
    NAME = "promise-never-settles"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "promise-never-settles"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("new Promise",)
    ALSO = (("onload", ".on(", ".once(", "addEventListener("),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const load = (url) => new Promise((done, fail) => {
              const image = new Image();
              image.onload = () => done(image);
              image.onerror = fail;
              image.src = url;
            });
        """),
        code("""
            const run = (name) => new Promise((done, fail) => {
              const child = spawn(name);
              child.on('error', fail);
              child.on('exit', done);
            });
        """),
    ]
    INVALID = [
        code("""
            const load = (url) => «new Promise((done) => {
              const image = new Image();
              image.onload = () => done(image);
              image.src = url;
            })»;
        """),
        code(
            """
            function run(name) {
              return «new Promise((resolve, reject) => {
                const child = spawn(name, []);
                child.on('exit', (code) => (code ? reject(new Error('no')) : resolve()));
              })»;
            }
            """,
            path="a.js",
        ),
    ]

    def check(self) -> None:
        code = self.code
        for made in code.kinds("new_expression"):
            if code.field(made, "constructor") == "Promise" and self._is_deaf(code.field(made, "arguments")):
                self.report_node(
                    made, "promise never settles after a failure; call reject in the handler of the error"
                )

    def _is_deaf(self, text: str) -> bool:
        found = _OUTCOME.search(text)
        if found is None or not _MADE.search(text):
            return False
        if _PROCESS.search(text):
            return not any(word in text for word in ("'error'", '"error"', "execFile(", "setTimeout("))
        return not _FAILS.search(text.replace(found[0], "", 1))
