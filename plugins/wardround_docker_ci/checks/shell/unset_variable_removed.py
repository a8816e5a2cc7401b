from __future__ import annotations

import re
from functools import cached_property

from wardround.languages.shell import unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.libraries.commands import program

_ROOT_IF_UNSET = LazyPattern(
    r"\$(?:\w+|\{\w+\})/(?:\*|\.\*)?$|\$(?:\w+|\{\w+\})/(?:bin|lib|usr|etc|home|var|opt|root)/?$"
)
_ALWAYS_SET = frozenset(
    {
        "HOME",
        "PWD",
        "WORKSPACE",
        "GITHUB_WORKSPACE",
        "RUNNER_TEMP",
        "CI_PROJECT_DIR",
        "CI_BUILDS_DIR",
        "TMPDIR",
    }
)
_ASSIGNED = LazyPattern(
    r"(?<![\w$])(\w+)=[^\s;]|\b(?:ARG|ENV)\s+(\w+)[ =]|^[ \t]*(\w+):|\bfor[ \t]+(\w+)[ \t]+in\b", re.MULTILINE
)


class UnsetVariableRemoved(CiCheck):
    """`rm -r` of a variable and a slash removes the root directory if the variable is unset.

    A misspelled or missing variable is empty, and the path becomes `/` or `/*`. Write `"${NAME:?}/"`, which
    stops instead.
    """

    ID = "DC034"
    NAME = "unset-variable-removed"
    DEFECT_CLASS = "rm-with-empty-variable"
    KINDS = SCRIPTS
    NEEDS = ("rm ",)
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            rm -rf "${OUT:?}/"
        """),
        code("""
            rm -rf "$OUT/build"
            rm -rf "$OUT"
        """),
    ]
    INVALID = [
        code("""
            rm -rf «"$OUT/"»
        """),
        code(
            """
            FROM a:1
            RUN cd /x && rm -fr «${PREFIX}/*»
            """,
            path="Dockerfile",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            if bounded_pattern(r"^\s*set\s+-\w*u|set -o nounset|^#!.* -\w*u", re.MULTILINE).search(
                script.passage.text
            ):
                continue
            for command in script.commands:
                if program(command) != "rm" or not (
                    command.has_flag("r", "--recursive") or command.has_flag("R")
                ):
                    continue
                for word in unwrap_command(command)[1:]:
                    found = _ROOT_IF_UNSET.match(word.text)
                    if found and not self._is_set(word.text):
                        self.report_at(
                            word.start,
                            word.end,
                            f"{word.text} is the root directory if the variable is unset; use ${{NAME:?}}",
                        )

    def _is_set(self, text: str) -> bool:
        name = re.sub(r"\W", "", text.partition("/")[0])
        return name in _ALWAYS_SET or name in self._names_set_in_file

    @cached_property
    def _names_set_in_file(self) -> set[str]:
        """The names that the file sets anywhere."""
        return {name for groups in _ASSIGNED.findall(self.file.text) for name in groups if name}
