"""DC016: broken exec form."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity, SuggestedFix
from wardround.languages.dockerfile import Instruction
from wardround.rules.maturity import Maturity
from wardround.storage.regex_cache import bounded
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class BrokenExecForm(CiCheck):
    """CMD or ENTRYPOINT in brackets is not valid JSON, so a shell runs the brackets.

    Docker silently treats it as shell form, and the container fails to start with "[": not found. JSON
    needs double quotes and no trailing comma.
    """

    ID = "DC016"
    NAME = "broken-exec-form"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "shell-form-command"
    NEEDS = ("[",)
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM a:1
            CMD ["node", "app.js"]
        """),
        code("""
            FROM a:1
            RUN [ -f a ] && b
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            «CMD ['node', 'app.js']»
            """,
            fixed="""
            FROM a:1
            CMD ["node", "app.js"]
            """,
        ),
        code("""
            FROM a:1
            «ENTRYPOINT ["node", "app.js",]»
        """),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            text = one.text
            is_bracketed = (
                text.startswith("[") and text.endswith("]") and not text.startswith(("[[", "[ -", "[ !"))
            )
            is_test = text.startswith("[ ") and "," not in text and '"' not in text
            if (
                one.keyword in ("CMD", "ENTRYPOINT")
                and is_bracketed
                and not is_test
                and one.exec_form is None
            ):
                self.report_at(
                    one.start, one.end, f"{one.keyword} is invalid JSON, so a shell runs it; use a JSON list",
                    self._requoted(one),
                )  # fmt: skip

    def _requoted(self, one: Instruction) -> SuggestedFix | None:
        if not bounded(r"\[(?:\s*'[^'\"\\]*'\s*,?)+\]").fullmatch(one.text):
            return None
        start = one.body.start + len(one.body.text) - len(one.body.text.lstrip())
        return self.replacing(start, one.end, one.text.replace("'", '"'), "use double quotes", safe=True)
