"""DC037."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.shell import Word
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.libraries.commands import SHELLS, program

_ARGUMENT = LazyPattern(r"(?<!\\)\$(?:[1-9@*]|\{[1-9@*](?::?[-+?][^}]*)?\})")
_INSIDE = LazyPattern(r"[^\"\s]\s*.*(?<!\\)\$(?:[1-9]|\{[1-9](?::?[-+?][^}]*)?\})")
_NO_TEXT = LazyPattern(r"^'|\$\(|`")
"""What is taken as it stands, or is what another command says."""
_VARIABLE = LazyPattern(r"(?<!\\)\$\{?([A-Za-z_]\w*)")


class EvalOfScriptArgument(CiCheck):
    """An argument of the script is evaluated as shell code.

    Whoever chooses the argument chooses what is run; a blank or a quote in it is enough. Run the words
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
        self._handed_to_a_shell()
        for script in self.file.scripts:
            given: set[str] = set()
            composed: set[str] = set()
            for command in script.commands:
                for word in command.assignments or command.words[1:]:
                    _note(word, given, composed)
                texts = [w.text for w in command.words[1:] if not w.raw.startswith("'")]
                if command.name == "eval" and any(
                    _ARGUMENT.search(t) or _named(t) in composed for t in texts
                ):
                    self.report_at(command.start, command.end, "an argument of the script is run as code")

    def _handed_to_a_shell(self) -> None:
        """``bash -c "... $1"``: the inner shell reads the argument as code."""
        for script in self.file.scripts:
            for command in script.commands:
                text = _shell_text(command.words) if program(command) in SHELLS else None
                if text is not None and _INSIDE.search(text.raw):
                    self.report_at(text.start, text.end, "an argument of the script is run as code")


def _shell_text(words: Sequence[Word]) -> Word | None:
    """The text that ``sh -c`` runs, where the shell that hands it over fills it in."""
    at = next((n for n, word in enumerate(words) if word.text in ("-c", "-lc", "-ec", "-euc")), 0)
    return words[at + 1] if at and at + 1 < len(words) and words[at + 1].raw.startswith('"') else None


def _note(word: Word, given: set[str], composed: set[str]) -> None:
    """Remember a variable that is given an argument of the script, or a command that has one in it."""
    name, sign, _ = word.raw.partition("=")
    value = word.text.partition("=")[2]
    if not sign or not name.isidentifier() or _NO_TEXT.search(word.raw[len(name) + 1 :]):
        return
    has_one = _ARGUMENT.search(value) or any(found[1] in given for found in _VARIABLE.finditer(value))
    if has_one:
        (composed if re.search(r"\s", value) else given).add(name)


def _named(text: str) -> str:
    """The variable that a text begins with."""
    found = _VARIABLE.match(text)
    return found[1] if found is not None else ""
