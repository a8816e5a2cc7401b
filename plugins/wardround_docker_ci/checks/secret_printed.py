"""DC035."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import PIPELINES, STEPS, CiCheck
from wardround_docker_ci.checks.credential_interpolated import bound_credentials
from wardround_docker_ci.ci_file import CiFile, Script
from wardround_docker_ci.kinds import Kind
from wardround_docker_ci.secret_names import is_secret_name
from wardround_docker_ci.shell import Command, Word
from wardround_docker_ci.yaml_tree import Scalar

_SECRET_CONTEXT = LatePattern(
    r"\$\{\{\s*(?:secrets\.(?!GITHUB_TOKEN\b)(\w+)|github\.token|secrets\.GITHUB_TOKEN)\s*\}\}"
)
_VARIABLE = LatePattern(r"(?<!\\)\$(?:(\w+)|\{(\w+)\})")
_FROM_SECRETS = LatePattern(r"^\s*\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)\w+\s*(?:\|\|[^}]*)?\}\}\s*$")
_PASSES_ON = LatePattern(r"\s*(?:echo|printf|(?:cat|base64|cut|head|tail|rev|xxd)\b[^|]*<<<)")
_DIGEST = LatePattern(r"\b(?:\w*sum|wc|md5|openssl\s+dgst|grep\s+-\w*[qc]|jq|curl|docker)\b")


class SecretPrinted(CiCheck):
    """A secret is written to the log of the build.

    Masking knows only the exact text: base64, JSON escapes or a part of it pass, and whoever may read the
    log has it. Print that it is set, not what it is.
    """

    ID = "DC035"
    NAME = "secret-printed"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "secret-in-log"
    TRIED_ON = "trees of 79 repositories: 5 hits, all true, 3 of them secrets that GitHub masks"
    KINDS = PIPELINES
    NEEDS = ("echo", "printf", "env", "export", "set", "<<<")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("a:\n  script:\n    - echo $TOKEN | docker login --password-stdin\n", path=".gitlab-ci.yml"),
        Valid('a:\n  script:\n    - echo "$NPM_TOKEN" > .npmrc\n', path=".gitlab-ci.yml"),
        Valid('a:\n  script:\n    - echo "::add-mask::$TOKEN"\n', path=".gitlab-ci.yml"),
        Valid("a:\n  script:\n    - export A=$(echo $API_KEY)\n", path=".gitlab-ci.yml"),
        Valid('a:\n  script:\n    - echo "length ${#TOKEN}"\n', path=".gitlab-ci.yml"),
        Valid("a:\n  script:\n    - echo 'token=$TOKEN'\n", path=".gitlab-ci.yml"),
        Valid(
            'a:\n  script:\n    - echo "$(curl -H "X: $API_KEY" a) $(echo $API_KEY | sha256sum)"\n',
            path=".gitlab-ci.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n"
            "          env A=$B make\n          env\n"
            "        env:\n          HAS: ${{ secrets.A != '' }}\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n"
            '          echo "begins with $(echo "$MAIL" | cut -c1-8)"\n'
            "        env:\n          MAIL: ${{ secrets.MAIL }}\n",
            7,
            16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\nenv:\n  URL: ${{ secrets.URL }}\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - run: env | sort\n",
            8,
            14,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            '      - run: echo "with ${{ secrets.KEY }}" >> $GITHUB_STEP_SUMMARY\n',
            6,
            19,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ secrets.API_KEY }}\n",
            6,
            19,
            path=".github/workflows/a.yml",
        ),
        Invalid('a:\n  script:\n    - echo "token is $DEPLOY_TOKEN"\n', 3, 12, path=".gitlab-ci.yml"),
        Invalid("node { sh 'echo $DB_PASSWORD | base64' }\n", 1, 17, path="Jenkinsfile"),
        Invalid("a:\n  script:\n    - printf '%s' \"$API_KEY\"\n", 3, 19, path=".gitlab-ci.yml"),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            names = given_secrets(self.file, script)
            for at, command in enumerate(script.commands):
                if command.depth == 0 and _reaches_the_log(script.commands, at):
                    if command.name in _LISTS:
                        self._listing(command, names)
                    elif command.name in ("echo", "printf") or _feeds_itself(command):
                        self._look(command, names)

    def _look(self, command: Command, names: frozenset[str]) -> None:
        for word in command.words[1:]:
            name = _secret_in(word, names)
            if name and "add-mask" not in word.text:
                self.report_at(word.start, word.end, f"{name} is written to the log")
                return

    def _listing(self, command: Command, names: frozenset[str]) -> None:
        """``env`` without an argument, where a secret is among what it lists."""
        if names and self.file.kind in STEPS and not command.words[1:] and not command.assignments:
            self.report_at(command.start, command.end, f"{min(names)} is among what this lists in the log")


_LISTS = frozenset({"env", "printenv", "export", "set", "declare"})


def given_secrets(file: CiFile, script: Script) -> frozenset[str]:
    """The variables a step has from the secrets of the platform, whatever they are called."""
    if file.kind is Kind.JENKINSFILE:
        return frozenset(bound_credentials(file.jenkinsfile.tokens))
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
    """Whether what is printed ends in the log, as it is or only encoded."""
    command = commands[at]
    goes_to = [one.target for one in command.redirects if one.sign.endswith((">", ">>", ">|", "&>"))]
    if goes_to:
        return "STEP_SUMMARY" in goes_to[-1] or goes_to[-1] in ("/dev/stderr", "/dev/stdout")
    if command.after in ("|", "|&"):
        behind = commands[at + 1 : at + 2]
        return (
            bool(behind)
            and behind[0].name
            in ("base64", "rev", "xxd", "sort", "cut", "head", "tail", "fold", "tee", "sed", "tr")
            and not (
                behind[0].after == "|" or behind[0].redirects or {"-d", "--decode"} & set(behind[0].texts)
            )
        )
    return command.after in ("\n", "", ";", "&&", "||") and not _in_block(commands, at)


def _in_block(commands: Sequence[Command], at: int) -> bool:
    """Whether a group whose output goes elsewhere may be around it."""
    depth = 0
    for one in commands[at + 1 :]:
        if one.name in ("}", "done", "fi") and depth == 0 and (one.redirects or one.after == "|"):
            return True
    return commands[at].before == "(" or any(one.after == ")" for one in commands[at : at + 6])


def _secret_in(word: Word, given: frozenset[str]) -> str:
    found = _SECRET_CONTEXT.search(word.raw)
    if found:
        return found.group(1) or "the token"
    if word.raw.startswith("'"):
        return ""
    names = [m.group(1) or m.group(2) for m in _VARIABLE.finditer(_shown(word.text))]
    return next((name for name in names if name in given or (name.isupper() and is_secret_name(name))), "")


def _shown(text: str) -> str:
    """The text without the substitutions that only use a variable, and show something else."""
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
