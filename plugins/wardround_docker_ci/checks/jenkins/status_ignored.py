from __future__ import annotations

from collections.abc import Sequence

from wardround.findings import Plane
from wardround.languages.shell import commands
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.libraries.commands import is_test
from wardround_docker_ci.models.jenkinsfile import Block, GroovyToken, StepCall


class StatusIgnored(CiCheck):
    """A shell step returns its exit status, and the result is not used.

    With `returnStatus: true` the step never fails, so the build continues after any failure. Compare the
    result, or remove the option.
    """

    ID = "DC094"
    NAME = "status-ignored"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "hidden-failure"
    PLANE = Plane.TESTS
    KINDS = JENKINS
    NEEDS = ("returnStatus", "catchError", "catch")
    CASE_PATH = "Jenkinsfile"
    VALID = [
        code("""
            node { def rc = sh(script: 'make', returnStatus: true) }
        """),
        code("""
            node { if (sh(script: 'make', returnStatus: true) != 0) { error 'x' } }
        """),
    ]
    INVALID = [
        code("""
            node {
              catchError(buildResult: 'SUCCESS') {
                «sh» 'npm test'
              }
            }
        """),
        code("""
            node { «sh»(script: 'make test', returnStatus: true) }
        """),
    ]

    def run(self) -> None:
        steps = [call for call in self.file.jenkinsfile.shell_steps if _runs_tests(call)]
        for call in steps:
            if _returns_status(call) and not call.assigned:
                message = "tests run here and their exit status is not used; compare it"
                self.report_at(call.name.start, call.name.end, message)
        self._check_catches()
        for call in steps:
            outer = _enclosing_block(call.name, "catchError")
            if outer is not None and _ignores_failure(outer.arguments):
                message = "the build succeeds even if these tests fail; set buildResult to FAILURE"
                self.report_at(call.name.start, call.name.end, message)

    def _check_catches(self) -> None:
        """Report tests in a ``try`` whose ``catch`` only logs the failure."""
        reported: set[int] = set()
        for call in self.file.jenkinsfile.shell_steps:
            if not _returns_status(call) and _runs_tests(call):
                caught = _swallowed_at(self.file.jenkinsfile.tokens, call.name)
                if caught is not None and caught.start not in reported:
                    reported.add(caught.start)
                    message = "the build ignores a failure of these tests; rethrow it or set the result"
                    self.report_at(caught.start, caught.end, message)


def _runs_tests(call: StepCall) -> bool:
    return any(is_test(command) for token in call.script for command in commands(token.passage()))


def _ignores_failure(arguments: Sequence[GroovyToken]) -> bool:
    texts = [token.text for token in arguments]
    return any(texts[at : at + 3] == ["buildResult", ":", "SUCCESS"] for at in range(len(texts))) and not any(
        texts[at : at + 3] == ["stageResult", ":", "FAILURE"] for at in range(len(texts))
    )


_TAKES_NOTE = frozenset(
    {"throw", "error", "currentBuild", "unstable", "warnError", "result", "failed", "failures", "return"}
)


def _swallowed_at(tokens: Sequence[GroovyToken], step: GroovyToken) -> GroovyToken | None:
    """Return the ``catch`` of a step that does nothing with the exception; None if there is none."""
    block = _enclosing_block(step, "try")
    if block is None:
        return None
    outer = block.parent
    catches = (t for t in tokens if t.start > step.start and t.text == "catch" and t.block is outer)
    caught = next(catches, None)
    if caught is None or any(_handles_status(token) for token in _body_of(tokens, caught)):
        return None
    return caught


def _body_of(tokens: Sequence[GroovyToken], caught: GroovyToken) -> list[GroovyToken]:
    """Return the tokens in the block of a ``catch``."""
    following = [(token, token.block) for token in tokens if token.start > caught.start]
    body = _catch_block([block for _token, block in following if block is not None], caught)
    if body is None:
        return []
    return [token for token, block in following if block is not None and body in block.chain()]


def _catch_block(blocks: Sequence[Block], caught: GroovyToken) -> Block | None:
    for block in blocks:
        if block.name == "catch" and block.parent is caught.block:
            return block
    return None


def _handles_status(token: GroovyToken) -> bool:
    return token.text in _TAKES_NOTE or (token.kind == "sign" and token.text in "=+")


def _enclosing_block(token: GroovyToken, name: str) -> Block | None:
    """Return the innermost block of a name around a token."""
    blocks = token.block.chain() if token.block else ()
    return next((block for block in blocks if block.name == name), None)


def _returns_status(call: StepCall) -> bool:
    option = call.named_argument("returnStatus")
    return option is not None and option.text == "true"
