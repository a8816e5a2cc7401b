from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, Word
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.libraries.commands import SHELLS, program

_ARGUMENT = LazyPattern(r"(?<!\\)\$(?:[1-9@*]|\{[1-9@*](?::?[-+?][^}]*)?\})")
_INSIDE = LazyPattern(r"[^\"\s]\s*.*(?<!\\)\$(?:[1-9]|\{[1-9](?::?[-+?][^}]*)?\})")
_NO_TEXT = LazyPattern(r"^'|\$\(|`")
"""Text that is literal, or the output of another command."""
_VARIABLE = LazyPattern(r"(?<!\\)\$\{?([A-Za-z_]\w*)")


class EvalOfScriptArgument(CiCheck):
    """An argument of the script is evaluated as shell code.

    Anyone who controls the argument controls what runs; a blank or a quote in it is enough. Run the words
    themselves: `"$@"`.
    """

    ID = "DC037"
    NAME = "eval-of-script-argument"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "shell-eval-argument"
    KINDS = SCRIPTS
    NEEDS = ("eval", " -c ", " -lc ", " -ec ")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            eval "$(ssh-agent -s)"
        """),
        code("""
            exec "$@"
        """),
    ]
    INVALID = [
        code("""
            «eval "$1"»
        """),
        code("""
            run() {
              «eval "$@"»
            }
        """),
    ]

    def run(self) -> None:
        self._check_inner_shells()
        for script in self.file.scripts:
            arguments: set[str] = set()
            composed: set[str] = set()
            for command in script.commands:
                for word in command.assignments or command.words[1:]:
                    _record(word, arguments, composed)
                if command.name == "eval" and _evaluates_argument(command, composed):
                    message = "an argument of the script is run as code; run its words instead"
                    self.report_at(command.start, command.end, message)

    def _check_inner_shells(self) -> None:
        """Check ``bash -c "... $1"``, where the inner shell evaluates the argument as code."""
        for script in self.file.scripts:
            for command in script.commands:
                text = _shell_argument(command.words) if program(command) in SHELLS else None
                if text is not None and _INSIDE.search(text.raw):
                    self.report_at(
                        text.start,
                        text.end,
                        "an argument of the script is run as code; pass it as an argument of the inner shell",
                    )


def _evaluates_argument(command: Command, composed: set[str]) -> bool:
    for word in command.words[1:]:
        if word.raw.startswith("'"):
            continue
        if _ARGUMENT.search(word.text) or _leading_variable(word.text) in composed:
            return True
    return False


def _shell_argument(words: Sequence[Word]) -> Word | None:
    """Return the text that ``sh -c`` runs if the outer shell expands it."""
    at = next((n for n, word in enumerate(words) if word.text in ("-c", "-lc", "-ec", "-euc")), 0)
    return words[at + 1] if at and at + 1 < len(words) and words[at + 1].raw.startswith('"') else None


def _record(word: Word, arguments: set[str], composed: set[str]) -> None:
    """Record a variable that is set to an argument of the script, or to a command that contains one."""
    name, sign, _ = word.raw.partition("=")
    value = word.text.partition("=")[2]
    if not sign or not name.isidentifier() or _NO_TEXT.search(word.raw[len(name) + 1 :]):
        return
    has_one = _ARGUMENT.search(value) or any(found[1] in arguments for found in _VARIABLE.finditer(value))
    if has_one:
        (composed if re.search(r"\s", value) else arguments).add(name)


def _leading_variable(text: str) -> str:
    """Return the variable at the start of a string."""
    found = _VARIABLE.match(text)
    return found[1] if found is not None else ""
