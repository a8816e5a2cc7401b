"""DC094."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.languages.shell import commands
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.libraries.commands import is_test
from wardround_docker_ci.models.jenkinsfile import GroovyToken, StepCall


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
        for call in self.file.jenkinsfile.shell_steps:
            option = call.named("returnStatus")
            runs_tests = any(is_test(one) for token in call.script for one in commands(token.passage()))
            if option is not None and option.text == "true" and not call.assigned and runs_tests:
                self.report_at(
                    call.name.start,
                    call.name.end,
                    "tests run here and their exit status is not used; compare it",
                )
        self._check_catches()
        for call in self.file.jenkinsfile.shell_steps:
            block = call.name.block
            outer = next((one for one in block.chain() if one.name == "catchError"), None) if block else None
            if (
                outer is not None
                and _stays_green(outer.arguments)
                and any(is_test(one) for token in call.script for one in commands(token.passage()))
            ):
                self.report_at(
                    call.name.start,
                    call.name.end,
                    "the build succeeds even if these tests fail; set buildResult to FAILURE",
                )

    def _check_catches(self) -> None:
        """Report tests in a ``try`` whose ``catch`` only logs the failure."""
        reported: set[int] = set()
        for call in self.file.jenkinsfile.shell_steps:
            option = call.named("returnStatus")
            if (option is None or option.text != "true") and _runs_tests(call):
                caught = _swallowed_at(self.file.jenkinsfile.tokens, call.name)
                if caught is not None and caught.start not in reported:
                    reported.add(caught.start)
                    self.report_at(
                        caught.start,
                        caught.end,
                        "the build ignores a failure of these tests; rethrow it or set the result",
                    )


def _runs_tests(call: StepCall) -> bool:
    return any(is_test(one) for token in call.script for one in commands(token.passage()))


def _stays_green(arguments: Sequence[GroovyToken]) -> bool:
    texts = [token.text for token in arguments]
    return any(texts[at : at + 3] == ["buildResult", ":", "SUCCESS"] for at in range(len(texts))) and not any(
        texts[at : at + 3] == ["stageResult", ":", "FAILURE"] for at in range(len(texts))
    )


_TAKES_NOTE = frozenset(
    {"throw", "error", "currentBuild", "unstable", "warnError", "result", "failed", "failures", "return"}
)


def _swallowed_at(tokens: Sequence[GroovyToken], step: GroovyToken) -> GroovyToken | None:
    """Return the ``catch`` of a step that does nothing with the exception; None if there is none."""
    block = next((one for one in step.block.chain() if one.name == "try"), None) if step.block else None
    if block is None:
        return None
    outer = block.parent
    catches = (t for t in tokens if t.start > step.start and t.text == "catch" and t.block is outer)
    caught = next(catches, None)
    if caught is None:
        return None
    following = [t for t in tokens if t.start > caught.start]
    body = [
        t for t in following if t.block is not None and t.block.name == "catch" and t.block.parent is outer
    ]
    inside = [
        t
        for t in following
        if t.block is not None and body and any(one is body[0].block for one in t.block.chain())
    ]
    reported = any(t.text in _TAKES_NOTE or (t.kind == "sign" and t.text in "=+") for t in inside)
    return None if reported else caught
