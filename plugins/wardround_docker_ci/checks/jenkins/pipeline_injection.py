from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import JENKINS, CiCheck
from wardround_docker_ci.models.jenkinsfile import GroovyToken, StepCall

_PARAMETER = LazyPattern(r"^(?:params|pipelineParams)(?:\.(\w+)|\[['\"](\w+)['\"]\])$")
_CHANGE = LazyPattern(
    r"^(?:env\.)?(BRANCH_NAME|GIT_BRANCH|CHANGE_(?:TITLE|BRANCH|AUTHOR(?:_DISPLAY_NAME|_EMAIL)?|FORK)|ghprb\w*(?:Title|Body|LongDescription"
    r"|SourceBranch|CommentBody|CommitAuthor)|gitlab(?:SourceBranch|MergeRequestTitle|MergeRequestDescription))$"
)


class PipelineInjection(CiCheck):
    """Groovy interpolates untrusted text into a shell script.

    The shell then runs it as code: a branch name, title or parameter that contains `;` runs the rest as a
    command, with the agent's credentials. Use single quotes and let the shell expand the variable: `sh
    'deploy "$TARGET"'`.
    """

    ID = "DC090"
    NAME = "pipeline-injection"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "template-injection"
    KINDS = JENKINS
    NEEDS = ("params", "parameters", "input", "CHANGE_", "BRANCH", "ghprb", "gitlab")
    CASE_PATH = "Jenkinsfile"
    VALID = [
        code("""
            node { sh 'deploy "$TARGET"' }
        """),
        code("""
            node { sh "make -j${cores}" }
        """),
    ]
    INVALID = [
        code("""
            node {
              def tag = "1-${params.T}"
              sh "make «${tag}»"
            }
        """),
        code("""
            node {
              def tag = params.T
              sh "make «${tag.trim()}»"
            }
        """),
    ]

    def run(self) -> None:
        safe = _chosen_parameters(self.file.jenkinsfile.calls)
        self._typed = _typed_parameters(self.file.jenkinsfile.calls)
        self._holders = _holders(self.file.jenkinsfile.tokens)
        for call in self.file.jenkinsfile.calls:
            if call.name.text in ("evaluate", "load") and call.arguments:
                self._check_groovy(call)
        for call in self.file.jenkinsfile.shell_steps:
            self._reported: set[str] = set()
            for token in call.script:
                for found in token.interpolations:
                    self._check(found.inside, found.start, found.end, safe)
            self._check_concatenation(call, safe)
            self._check_variable(call, safe)

    def _check(self, inside: str, start: int, end: int, safe: frozenset[str]) -> None:
        source = self._source_of(_CHANGED_A_LITTLE.sub("", inside))
        parameter = _PARAMETER.match(source)
        name = parameter and (parameter.group(1) or parameter.group(2))
        is_untrusted = bool(name and name not in safe) or _CHANGE.match(source) is not None
        if not is_untrusted or source in self._reported:
            return
        self._reported.add(source)
        # Parameters come from people who may start the build; a change request from anyone.
        is_limited = bool(name) or source.endswith("BRANCH_NAME") or "GIT_" in source
        severity = Severity.WARN if is_limited else None
        message = f"{source} is interpolated into the script and can inject commands; use single quotes"
        self.report_at(start, end, message, severity=severity)

    def _source_of(self, inside: str) -> str:
        """Return the source of the variable in an interpolation, or the interpolated code itself."""
        source = self._holders.get(inside.removeprefix("env."), inside)
        return f"params.{source}" if source in self._typed else source

    def _check_groovy(self, call: StepCall) -> None:
        source = _source_in(call.arguments, self._holders)
        if source:
            message = f"{source} determines the Groovy code that runs with the pipeline's permissions"
            self.report_at(call.arguments[0].start, call.arguments[-1].end, message, severity=Severity.WARN)

    def _check_variable(self, call: StepCall, safe: frozenset[str]) -> None:
        """Check a script that is passed as a variable."""
        arguments = [token for token in call.arguments if token.kind != "newline"]
        texts = [token.text for token in arguments]
        at = texts.index("script") + 2 if "script" in texts else 0
        if at >= len(arguments) or texts[at + 1 : at + 2] not in ([], [","]):
            return
        script = arguments[at]
        if script.kind == "word" and script.text in self._holders:
            self._check(script.text, script.start, script.end, safe)

    def _check_concatenation(self, call: StepCall, safe: frozenset[str]) -> None:
        """Check strings concatenated with ``+``."""
        arguments = call.arguments
        for at in range(1, len(arguments) - 2):
            plus, owner, dot, name = arguments[at - 1 : at + 3]
            if plus.text != "+" or dot.text != ".":
                continue
            if owner.kind == "word" and owner.text in ("params", "env"):
                self._check(f"{owner.text}.{name.text}", owner.start, name.end, safe)


_CHANGED_A_LITTLE = LazyPattern(
    r"(?:\.(?:trim|toLowerCase|toUpperCase|toString|strip)\(\))+$|\s*\?:\s*(?:'[^']*'|\"[^\"]*\"|\w+)$"
)
_SET_FROM = LazyPattern(r"(?:params|env)\.\w+(?![\w.(])")


def _holders(tokens: Sequence[GroovyToken]) -> dict[str, str]:
    """Return the sources of variables that hold untrusted text, by name: ``def tag = params.TAG``."""
    found: dict[str, str] = {}
    for at, (name, sign) in enumerate(pairwise(tokens)):
        if name.kind == "word" and sign.text == "=" and sign.kind == "sign" and at + 2 < len(tokens):
            source = _source_in(_tokens_to_line_end(tokens, at + 2), found)
            if source:
                found[name.text] = source
        elif name.text == "withEnv":
            found |= _untrusted_environment(tokens[at + 1 : at + 40], found)
    return found


def _untrusted_environment(tokens: Sequence[GroovyToken], known: Mapping[str, str]) -> dict[str, str]:
    """Return the sources of the variables that the arguments of a ``withEnv`` set to untrusted text."""
    found: dict[str, str] = {}
    for token in takewhile(lambda token: token.text != "{" or token.kind != "sign", tokens):
        name, sign, _ = token.text.partition("=")
        if token.kind == "string" and sign and (source := _source_in([token], {**known, **found})):
            found[name] = source
    return found


def _tokens_to_line_end(tokens: Sequence[GroovyToken], start: int) -> list[GroovyToken]:
    rest = []
    for token in tokens[start : start + 30]:
        if token.kind == "newline" or token.text in ("}", ";"):
            break
        rest.append(token)
    return rest


def _source_in(tokens: Sequence[GroovyToken], known: Mapping[str, str]) -> str:
    """Return the first untrusted text in a value: interpolated into a string, or the value itself."""
    if _has_free_text_input(tokens):
        return "params.input"
    if any(token.kind == "sign" and token.text in _DECIDING_SIGNS for token in tokens):
        return ""
    interpolated = _interpolated_source(tokens, known)
    if interpolated:
        return interpolated
    plain = "".join(token.text for token in tokens if token.kind != "string")
    match = _SET_FROM.match(plain)
    if match is not None and _is_untrusted(match.group()):
        return match.group()
    return known.get(plain, "")


_DECIDING_SIGNS = ("==", "!=", "(", "[", "?", "!")


def _interpolated_source(tokens: Sequence[GroovyToken], known: Mapping[str, str]) -> str:
    for token in tokens:
        for interpolation in token.interpolations if token.kind == "string" else ():
            code = _CHANGED_A_LITTLE.sub("", interpolation.inside)
            source = code if _is_untrusted(code) else known.get(code, "")
            if source:
                return source
    return ""


def _is_untrusted(inside: str) -> bool:
    return _PARAMETER.match(inside) is not None or _CHANGE.match(inside) is not None


def _typed_parameters(calls: Sequence[StepCall]) -> frozenset[str]:
    """Return the parameters with free text; Groovy also defines them by their bare names."""
    found = [call.named_argument("name") for call in calls if call.name.text in ("string", "text")]
    return frozenset(token.text for token in found if token is not None)


def _has_free_text_input(tokens: Sequence[GroovyToken]) -> bool:
    """Return True if a value is the text entered in an ``input`` step with one field."""
    words = [token.text for token in tokens if token.kind == "word"]
    return words[:1] == ["input"] and any(word in ("string", "text") for word in words)


def _chosen_parameters(calls: Sequence[StepCall]) -> frozenset[str]:
    """Return the parameters limited to values in the file, or to true and false."""
    found = [call for call in calls if call.name.text in ("choice", "booleanParam")]
    names = [call.named_argument("name") for call in found]
    return frozenset(token.text for token in names if token is not None)
