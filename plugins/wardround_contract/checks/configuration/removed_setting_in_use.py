from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround.rules.cases import change
from wardround_contract.analysis.settings import application, automation
from wardround_contract.analysis.settings.kind import Kind
from wardround_contract.analysis.text_search import TextSearch
from wardround_contract.analysis.uses import NOT_MAINTAINED, RemainingUse
from wardround_contract.check import BrokenUseCheck

_KINDS = (*automation.KINDS, *application.KINDS)
_MOST_NAMES = 60


class RemovedSettingInUse(BrokenUseCheck):
    """An option, a variable, a script, a target, an input or a key is removed, and other files still use it.

    The command fails, or the value is silently ignored. Change the uses in the same commit, or keep the old
    name as an alias.

    Declarations are scripts of package.json, targets of make, inputs of actions and reusable workflows,
    command line options, environment variables, settings of Django, English messages, services and stages of
    containers, extras and dependency groups, and environments of tox. A name that any other file declares is
    not removed. Options in documentation are reported by PY013.
    """

    ID = "CT007"
    NAME = "removed-setting-in-use"
    DEFECT_CLASS = "removed-setting-in-use"
    SEVERITY = Severity.WARN
    PREFILTER = "wardround_contract.prefilters:loses_a_line"
    VALID = [
        change(
            {"package.json": ('{"scripts": {"check": "a", "lint": "b"}}\n', '{"scripts": {"lint": "b"}}\n')},
            others={
                "web/package.json": '{"scripts": {"check": "a"}}\n',
                ".github/workflows/ci.yml": """
                jobs:
                  a:
                    steps:
                      - run: npm run check
                """,
            },
        ),
        change(
            {"app/settings.py": ("MAIL_TRIES = 3\nDEBUG = 1\n", "DEBUG = 1\n")},
            others={
                "app/mail.py": """
                tries = getattr(settings, "MAIL_TRIES", 3)
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "package.json": (
                    '{"scripts": {"check": "a", "lint": "b"}}\n',
                    '«{"scripts": {"lint": "b"}}»\n',
                )
            },
            others={
                ".github/workflows/ci.yml": """
                jobs:
                  a:
                    steps:
                      - run: npm run check
                """,
            },
        ),
        change(
            {"app/settings.py": ("MAIL_TRIES = 3\nDEBUG = 1\n", "«DEBUG = 1»\n")},
            others={
                "app/mail.py": """
                tries = settings.MAIL_TRIES
                """,
            },
        ),
    ]

    def run(self) -> None:
        self._search = TextSearch(self.change)
        for file in self.change.files:
            if file.base_path is not None and file.base_text is not None:
                is_maintained = not NOT_MAINTAINED.search(file.path)
                for kind in _KINDS:
                    if is_maintained or kind.is_translated:
                        self._inspect(file, file.base_path, file.base_text, kind)

    def _inspect(self, file: ChangedFileView, path: str, base: str, kind: Kind) -> None:
        before = kind.read(path, base)
        after = kind.read(file.path, file.text) if before and file.text is not None else {}
        lost = {name: line for name, line in before.items() if name not in after}
        if not 0 < len(lost) <= _MOST_NAMES:
            return
        for name, line in lost.items():
            uses = sorted(set(self._uses(kind, name, path))) if not self._is_declared(kind, name) else []
            if uses:
                self.report_removed_definition(
                    file, line, f"{kind.label} `{name}` is removed", uses, Severity.WARN
                )

    def _is_declared(self, kind: Kind, name: str) -> bool:
        words = [name.rpartition(".")[2]]
        return bool(kind.declaring) and self._search.has(
            re.compile(kind.declared(name)), words, kind.declaring
        )

    def _uses(self, kind: Kind, name: str, declaring: str) -> Iterator[RemainingUse]:
        pattern = re.compile(kind.used(name, declaring), re.MULTILINE)
        for path in self._search.files([name.rpartition(".")[2]], kind.patterns):
            if path == declaring and not kind.is_in_file:
                continue
            if "use" in pattern.groupindex:
                text = self._search.text(path)
                for match in pattern.finditer(text):
                    yield RemainingUse(path, text.count("\n", 0, match.start("use")) + 1)
            else:
                for line in self._search.lines_of(path, pattern):
                    yield RemainingUse(line.path, line.number)
