from __future__ import annotations

from collections.abc import Sequence

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround.storage.regex_cache import bounded_pattern
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.models.jenkinsfile import Block, GroovyToken, StepCall

_BINDING = frozenset({"variable", "usernameVariable", "passwordVariable", "keyFileVariable", "tokenVariable"})
_USED = LazyPattern(r"(?<![\\$])\$(?:(\w+)|\{(\w+)\})")


class CredentialUsedOutsideBinding(CiCheck):
    """A shell step uses a credential outside the block that binds it.

    `withCredentials` sets the variable for the steps inside it; after it the variable is unset, and the
    shell continues with an empty password. Move the step into the block.
    """

    ID = "DC215"
    NAME = "credential-used-outside-binding"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "credential-outside-binding"
    KINDS = JENKINS
    NEEDS = ("withCredentials",)
    CASE_PATH = "Jenkinsfile"
    VALID = [
        code("""
            withCredentials([string(credentialsId: 'a', variable: 'T')]) { sh 'x $T' }
            sh 'y'
        """),
        code("""
            withCredentials([string(credentialsId: 'a', variable: 'T')]) { sh 'x $T' }
            withEnv(['T=1']) { sh 'x $T' }
        """),
    ]
    INVALID = [
        code("""
            withCredentials([string(credentialsId: 'a', variable: 'T')]) {
              sh 'login $T'
            }
            sh 'push --key=«$T»'
        """),
        code("""
            node {
              withCredentials([usernamePassword(credentialsId: 'a', usernameVariable: 'U',
                  passwordVariable: 'P')]) { sh 'login' }
              sh '''
                curl -u "«${U}»:x" y
              '''
            }
        """),
    ]

    def run(self) -> None:
        tokens = self.file.jenkinsfile.tokens
        bound = _bound_variables(tokens)
        for call in self.file.jenkinsfile.shell_steps if bound else ():
            for token in call.script if call.name.text == "sh" else ():
                self._check(call, token, bound)

    def _check(self, call: StepCall, token: GroovyToken, bound: frozenset[str]) -> None:
        text = token.passage().text
        reported: set[str] = set()
        for found in _USED.finditer(text):
            name = found.group(1) or found.group(2)
            if (
                name in bound - reported
                and not _is_bound_around(call.name.block, name)
                and not self._is_set(name)
            ):
                reported.add(name)
                start = token.inside + found.start()
                message = f"{name} is only bound inside a withCredentials block; move this step into it"
                self.report_at(start, start + len(found.group()), message)

    def _is_set(self, name: str) -> bool:
        """Return True if anything else sets the name."""
        return (
            bounded_pattern(rf"\b{name}\s*=(?!=)|\bname:\s*['\"]{name}['\"]|read\s[^\n]*\b{name}\b").search(
                self.file.text
            )
            is not None
        )


def _bound_variables(tokens: Sequence[GroovyToken]) -> frozenset[str]:
    return frozenset(
        third.text
        for first, second, third in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if first.text in _BINDING and second.text == ":" and third.kind == "string"
    )


def _is_bound_around(block: Block | None, name: str) -> bool:
    return block is not None and any(
        token.kind == "string" and token.text == name for call in block.chain() for token in call.arguments
    )
