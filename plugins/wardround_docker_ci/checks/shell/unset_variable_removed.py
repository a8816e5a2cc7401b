"""DC034."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.languages.shell import unwrapped
from wardround.storage.regex_cache import bounded
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
_GIVEN = LazyPattern(
    r"(?<![\w$])(\w+)=[^\s;]|\b(?:ARG|ENV)\s+(\w+)[ =]|^[ \t]*(\w+):|\bfor[ \t]+(\w+)[ \t]+in\b", re.MULTILINE
)


class UnsetVariableRemoved(CiCheck):
    """`rm -r` of a variable and a slash removes the root folder where the variable is not set.

    A misspelt or missing variable is empty, and what is left is `/` or `/*`. Write `"${NAME:?}/"`, which
    stops instead.
    """

    ID = "DC034"
    NAME = "unset-variable-removed"
    DEFECT_CLASS = "rm-with-empty-variable"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = SCRIPTS
    NEEDS = ("rm ",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('rm -rf "${OUT:?}/"\n', path="a.sh"),
        Valid('rm -rf "$OUT/build"\nrm -rf "$OUT"\n', path="a.sh"),
        Valid('set -u\nrm -rf "$OUT/"\n', path="a.sh"),
        Valid("OUT=/srv/out\nrm -rf $OUT/*\n", path="a.sh"),
        Valid('rm "$OUT/"*\n', path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('rm -rf "$OUT/"\n', 1, 8, path="a.sh"),
        Invalid("FROM a:1\nRUN cd /x && rm -fr ${PREFIX}/*\n", 2, 21, path="Dockerfile"),
        Invalid("sudo rm -r -- $ROOT/lib\n", 1, 15, path="a.sh"),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            if bounded(r"^\s*set\s+-\w*u|set -o nounset|^#!.* -\w*u", re.MULTILINE).search(
                script.passage.text
            ):
                continue
            for command in script.commands:
                if program(command) != "rm" or not (
                    command.has_flag("r", "--recursive") or command.has_flag("R")
                ):
                    continue
                for word in unwrapped(command)[1:]:
                    found = _ROOT_IF_UNSET.match(word.text)
                    if found and not self._is_set(word.text):
                        self.report_at(
                            word.start, word.end, f"{word.text} is the root folder where it is not set"
                        )

    def _is_set(self, text: str) -> bool:
        name = re.sub(r"\W", "", text.partition("/")[0])
        return name in _ALWAYS_SET or name in self._given

    @cached_property
    def _given(self) -> set[str]:
        """Every name that the file gives a value anywhere."""
        return {name for groups in _GIVEN.findall(self.file.text) for name in groups if name}
