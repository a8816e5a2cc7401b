from __future__ import annotations

from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, Word
from wardround.languages.yaml.nodes import Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.check import PIPELINES, STEPS, CiCheck
from wardround_docker_ci.contents.scripts import EmbeddedScript
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import program
from wardround_docker_ci.models.jenkinsfile import GroovyToken

_SECRET_CONTEXT = LazyPattern(
    r"\$\{\{\s*(?:secrets\.(?!GITHUB_TOKEN\b)(\w+)|github\.token|secrets\.GITHUB_TOKEN)\s*\}\}"
)
_VARIABLE = LazyPattern(r"(?<!\\)\$(?:(\w+)|\{(\w+)(?::-?\d+(?::-?\d+)?)?\})")
_PRINTS = LazyPattern(
    r"(?:console\.\w+|print\w*|puts|echo|say|write)\b[^;\n]*?(?:process\.env\.|environ(?:\.get)?[\[(]['\"]|getenv\(['\"]|ENV\[['\"])(\w+)"
)
"""An inline program that prints an environment variable."""
_FROM_SECRETS = LazyPattern(r"^\s*\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)\w+\s*(?:\|\|[^}]*)?\}\}\s*$")
_PASSES_ON = LazyPattern(r"\s*(?:echo|printf|(?:cat|base64|cut|head|tail|rev|xxd)\b[^|]*<<<)")
_DIGEST = LazyPattern(r"\b(?:\w*sum|wc|md5|openssl\s+dgst|grep\s+-\w*[qc]|jq|curl|docker)\b")


class SecretPrinted(CiCheck):
    """A secret is written to the log of the build.

    Masking matches only the exact text: base64, JSON escapes or a part of it are not masked, and anyone who
    can read the log has it. Print only that it is set.
    """

    ID = "DC035"
    NAME = "secret-printed"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "secret-in-log"
    KINDS = PIPELINES
    NEEDS = ("echo", "printf", "env", "export", "set", "<<<", "curl", "print")
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            a:
              script:
                - echo $TOKEN | docker login --password-stdin
        """),
        code("""
            a:
              script:
                - echo "$NPM_TOKEN" > .npmrc
        """),
    ]
    INVALID = [
        code("""
            a:
              script:
                - «printenv»
                - env | cut -d= -f1
        """),
        code(
            """
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: |
                      echo «"begins with $(echo "$MAIL" | cut -c1-8)"»
                    env:
                      MAIL: ${{ secrets.MAIL }}
            """,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        if self.file.kind is FileKind.JENKINSFILE:
            self._check_steps()
        for script in self.file.scripts:
            names = secret_variables(self.file, script)
            files: dict[str, str] = {}
            for at, command in enumerate(script.commands):
                if command.depth == 0:
                    self._check_command(script.commands, at, names, files)

    def _check_steps(self) -> None:
        """Check ``echo`` and ``println`` of Groovy."""
        for call in self.file.jenkinsfile.calls:
            if call.name.text in ("echo", "println"):
                for token in call.strings():
                    self._check_interpolations(token)

    def _check_interpolations(self, token: GroovyToken) -> None:
        bound = self.file.jenkinsfile.bound
        for interpolation in token.interpolations:
            name = interpolation.inside.removeprefix("env.")
            if name in bound or (name.isupper() and is_secret_name(name)):
                message = f"{name} is written to the log; do not print it"
                self.report_at(interpolation.start, interpolation.end, message)

    def _check_command(
        self, commands: Sequence[Command], at: int, names: frozenset[str], files: dict[str, str]
    ) -> None:
        command = commands[at]
        if _reaches_the_log(commands, at):
            self._check_output(command, names, files)
        elif command.name in ("env", "printenv") and command.after == "|":
            self._check_filter(command, commands[at + 1 : at + 2], names)
        elif _prints_argument(command):
            files |= _files_with_secret(command, names)

    def _check_output(self, command: Command, names: frozenset[str], files: dict[str, str]) -> None:
        """Check a command whose output is in the log."""
        shown = next((files[word.text] for word in command.words[1:] if word.text in files), None)
        if command.name in _LISTS:
            self._check_listing(command, names)
        elif _prints_argument(command) or _traces_request(command):
            self._check(command, names)
        elif command.name in _SHOW and shown is not None:
            message = f"{shown}, which this file contains, is written to the log"
            self.report_at(command.start, command.end, message)
        else:
            self._check_inline_program(command, names)

    def _check_inline_program(self, command: Command, names: frozenset[str]) -> None:
        for word in command.words[1:]:
            printed = _PRINTS.search(word.text) if "env" in word.text.lower() else None
            if printed is None:
                continue
            name = printed.group(1)
            if name in names or is_secret_name(name):
                self.report_at(word.start, word.end, f"{name} is written to the log; do not print it")
                return

    def _check_filter(self, command: Command, following: Sequence[Command], names: frozenset[str]) -> None:
        """Check ``env | grep NAME``; ``following`` is the next command, if there is one."""
        for grep in following:
            parts = [pattern.strip("^=").upper() for pattern in _filter_patterns(grep)]
            for name in sorted(names):
                if any(part in name.upper() for part in parts):
                    message = f"{name} is written to the log; do not print it"
                    self.report_at(command.start, grep.end, message)
                    return

    def _check(self, command: Command, names: frozenset[str]) -> None:
        here_strings = [
            Word(r.target, r.target, command.start, command.end) for r in command.redirects if r.sign == "<<<"
        ]
        for word in (*command.words[1:], *here_strings):
            name = secret_in(word, names)
            if name and "add-mask" not in word.text:
                self.report_at(word.start, word.end, f"{name} is written to the log; do not print it")
                return

    def _check_listing(self, command: Command, names: frozenset[str]) -> None:
        """Check ``env`` without arguments if it lists a secret; in GitLab it lists all of them."""
        lists_all = command.name != "set" and not command.words[1:] and command.after not in ("|", "|&")
        if self.file.kind is FileKind.GITLAB_CI and lists_all:
            message = "unmasked variables of the project are written to the log; do not list them"
            self.report_at(command.start, command.end, message, severity=Severity.INFO)
        if names and self.file.kind in STEPS and not command.words[1:] and not command.assignments:
            self.report_at(
                command.start,
                command.end,
                f"{min(names)} is among the variables written to the log; do not list them",
            )


def _files_with_secret(command: Command, names: frozenset[str]) -> dict[str, str]:
    """Return the files that a command writes a secret to, with the name of the first one."""
    name = next(filter(None, (secret_in(word, names) for word in command.words[1:])), "")
    if not name:
        return {}
    targets = [redirect.target for redirect in command.redirects if redirect.sign in (">", ">>")]
    return {target: name for target in targets if not target.startswith(("/dev", "$GITHUB"))}


def _filter_patterns(command: Command) -> list[str]:
    """Return the arguments of a ``grep`` whose output reaches the log; none if it prints no lines."""
    if command.redirects or command.has_flag("q", "--quiet", "c", "--count"):
        return []
    if command.name != "grep" or command.after == "|":
        return []
    arguments = [word.text for word in command.words[1:]]
    if any(argument.startswith(("-v", "-q", "-c")) for argument in arguments):
        return []
    return arguments


_LISTS = frozenset({"env", "printenv", "export", "set", "declare"})
_SHOW = frozenset({"cat", "head", "tail", "less", "more", "jq", "yq", "bat", "nl"})
_SHOWN_ON = frozenset(
    {
        "base64",
        "rev",
        "xxd",
        "sort",
        "cut",
        "head",
        "tail",
        "fold",
        "tee",
        "sed",
        "tr",
        "jq",
        "cat",
        "nl",
        "od",
    }
)
"""Programs that write their input, unchanged or transformed."""


def secret_variables(file: CiFile, script: EmbeddedScript) -> frozenset[str]:
    """Return the variables of a step that hold secrets of the platform, under any name."""
    if file.kind is FileKind.JENKINSFILE:
        return file.jenkinsfile.bound
    if file.kind not in STEPS:
        return frozenset()
    nodes = [file.root.mapping("env")]
    if script.job is not None:
        nodes.append(script.job.node.mapping("env"))
    if script.owner is not None:
        nodes.append(script.owner.node.mapping("env"))
    return frozenset(
        key.value
        for node in nodes
        for key, value in node.entries
        if isinstance(value, Scalar) and _FROM_SECRETS.search(value.value)
    )


def _feeds_itself(command: Command) -> bool:
    return command.name in ("cat", "base64", "rev", "xxd") and any(r.sign == "<<<" for r in command.redirects)


def _reaches_the_log(commands: Sequence[Command], at: int) -> bool:
    """Return True if printed text reaches the log, unchanged or encoded."""
    command = commands[at]
    targets = [
        redirect.target for redirect in command.redirects if redirect.sign.endswith((">", ">>", ">|", "&>"))
    ]
    if targets:
        return "STEP_SUMMARY" in targets[-1] or targets[-1] in ("/dev/stderr", "/dev/stdout")
    last = _end_of_pipe(commands, at) if command.after in ("|", "|&") else command
    return (
        last is not None
        and last.after in ("\n", "", ";", "&&", "||")
        and not _is_redirected_by_block(commands, at)
    )


def _end_of_pipe(commands: Sequence[Command], at: int) -> Command | None:
    """Return the last command of a pipe if all of its commands pass their input on; else None."""
    for command in commands[at + 1 :]:
        if command.depth:
            continue
        if program(command) not in _SHOWN_ON or command.redirects:
            return None
        if command.after not in ("|", "|&"):
            return command
    return None


def _prints_argument(command: Command) -> bool:
    return command.name in ("echo", "printf") or _feeds_itself(command)


def _traces_request(command: Command) -> bool:
    return command.name == "curl" and command.has_flag("v", "--verbose", "--trace-ascii", "--trace")


def _is_redirected_by_block(commands: Sequence[Command], at: int) -> bool:
    """Return True if an enclosing group may redirect the output."""
    depth = 0
    for command in commands[at + 1 :]:
        if command.name in ("}", "done", "fi") and depth == 0 and (command.redirects or command.after == "|"):
            return True
    return commands[at].before == "(" or any(command.after == ")" for command in commands[at : at + 6])


def secret_in(word: Word, secrets: frozenset[str]) -> str:
    """Return the name of the secret that a word expands to; empty if none."""
    context = _SECRET_CONTEXT.search(word.raw)
    if context:
        return context.group(1) or "the token"
    if word.raw.startswith("'"):
        return ""
    for variable in _VARIABLE.finditer(_strip_substitutions(word.text)):
        name = variable.group(1) or variable.group(2)
        if name in secrets or (name.isupper() and is_secret_name(name)):
            return name
    return ""


def _strip_substitutions(text: str) -> str:
    """Return the text without command substitutions whose output does not contain the variables."""
    out, at = [], 0
    while (start := text.find("$(", at)) >= 0:
        depth, end = 0, start
        for end in range(start + 1, len(text)):
            depth += (text[end] == "(") - (text[end] == ")")
            if depth == 0:
                break
        inside = text[start + 2 : end]
        out.append(text[at:start])
        if _PASSES_ON.match(inside) and not _DIGEST.search(inside):
            out.append(inside)
        at = end + 1
    return "".join((*out, text[at:]))
