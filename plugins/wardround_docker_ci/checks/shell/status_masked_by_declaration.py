"""DC220: status masked by declaration."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.shell import Command
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind

_STOPS = LazyPattern(r"^[ \t]*set[ \t]+-\w*e|^#!.*sh[ \t]+-\w*e|set -o errexit", re.MULTILINE)
_MAY_FAIL = LazyPattern(
    r"^(\w+)=[\"']?\$\([ \t]*(?:git|curl|wget|aws|gcloud|az|kubectl|helm|vault|jq|yq|docker|terraform|psql"
    r"|mysql|ssh|npm|node|python3?|gh|cat|op|sops|gpg|cargo|go|poetry)\b"
)
_ACTS = LazyPattern(
    r"\b(?:rm\s+-\w*r\w*|docker\s+(?:push|tag|build)|kubectl|helm|terraform|aws|gcloud|az|git\s+(?:tag|push|reset|checkout)"
    r"|psql|pg_restore|mysql|npm\s+publish|rsync|scp|ssh|curl\s[^\n]*-X|gh\s+release|mv)\b"
)


class StatusMaskedByDeclaration(CiCheck):
    """`local` or `export` masks a failure of the command substitution, and later commands use the result.

    The declaration succeeds, so `set -e` does not stop, and a push, deployment or removal uses an
    empty variable. Declare first, then assign: `local sha; sha=$(git rev-parse HEAD)`.
    """

    ID = "DC220"
    NAME = "status-masked-by-declaration"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "lost-status"
    KINDS = frozenset({FileKind.SHELL})
    NEEDS = ("local ", "export ", "readonly ", "declare ")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            set -e
            local sha
            sha=$(git rev-parse HEAD)
            docker push a:$sha
        """),
        code("""
            set -e
            export SHA=$(git rev-parse HEAD)
            echo $SHA
        """),
    ]
    INVALID = [
        code("""
            set -e
            export «SHA=$(git rev-parse HEAD)»
            docker push a:$SHA
        """),
        code("""
            #!/bin/bash
            set -euo pipefail
            f() {
              local «dir="$(jq -r .dir c.json)"»
              rm -rf "$dir"/*
            }
        """),
    ]

    def run(self) -> None:
        text = self.file.text
        if not _STOPS.search(text):
            return
        for script in self.file.scripts:
            for command in script.commands:
                if command.name in ("local", "export", "readonly", "declare"):
                    self._check(command, text)

    def _check(self, command: Command, text: str) -> None:
        for word in command.words[1:]:
            found = _MAY_FAIL.match(word.raw)
            if found is None or "||" in word.raw:
                continue
            used = re.compile(rf"\$(?:{found.group(1)}\b|\{{{found.group(1)}\}})")
            rest = text[word.end : word.end + 3000]
            tested = re.search(rf"-[nz]\s+\"?\$\{{?{found.group(1)}\b|\$\{{{found.group(1)}:[?+-]", rest)
            acts = any(used.search(line) and _ACTS.search(line) for line in rest.split("\n"))
            if acts and tested is None:
                message = f"if this fails {found.group(1)} is empty; declare first, then assign"
                self.report_at(word.start, word.end, message)
