from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import GITLAB, CiCheck
from wardround_docker_ci.libraries.commands import program

_ATTACKER = (
    r"\$\{?(?:CI_MERGE_REQUEST_(?:TITLE|DESCRIPTION|SOURCE_BRANCH_NAME|LABELS)|CI_COMMIT_(?:MESSAGE|TITLE|DESCRIPTION"
    r"|REF_NAME|BRANCH|AUTHOR|TAG_MESSAGE)|CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME)\b"
)
_UNTRUSTED = LazyPattern(_ATTACKER)


class EvalOfMergeRequestText(CiCheck):
    """Text of a merge request is run as shell code.

    Anyone who writes the title, the message or the branch name can run commands with the job's token. Pass
    it as an argument or a variable to the program that needs it.
    """

    ID = "DC081"
    NAME = "eval-of-merge-request-text"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "template-injection"
    KINDS = GITLAB
    NEEDS = ("eval", " -c", "ssh")
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            a:
              script:
                - echo "$CI_MERGE_REQUEST_TITLE"
        """),
        code("""
            a:
              script:
                - eval "$(ssh-agent -s)"
        """),
    ]
    INVALID = [
        code("""
            a:
              script:
                - «eval "echo $CI_MERGE_REQUEST_TITLE"»
        """),
        code("""
            a:
              script:
                - «bash -c "deploy ${CI_COMMIT_REF_NAME}"»
        """),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                variable = _untrusted_variable(command) if _evaluates_argument(command) else ""
                if variable:
                    message = f"{variable} is untrusted and runs as code; pass it as an argument"
                    self.report_at(command.start, command.end, message)


def _evaluates_argument(command: Command) -> bool:
    name = program(command)
    return name in ("eval", "ssh") or (name in ("sh", "bash") and command.has_flag("c"))


def _untrusted_variable(command: Command) -> str:
    """Return the first untrusted variable that the shell expands; empty if none."""
    texts = (word.text for word in command.words[1:] if not word.raw.startswith("'"))
    variables = (variable for text in texts if (variable := _UNTRUSTED.search(text)) is not None)
    return next((variable.group().strip("${") for variable in variables), "")
