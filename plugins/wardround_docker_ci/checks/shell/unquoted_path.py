from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.findings import Severity
from wardround.languages.shell import Command, Word, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import program

_MOVERS = frozenset(
    {"rm", "cp", "mv", "ln", "chmod", "chown", "rmdir", "shred", "tar", "zip", "gzip", "gunzip", "install"}
)
_VARIABLE = LazyPattern(r"\$(?:([A-Za-z_]\w*|[1-9@*])|\{([A-Za-z_]\w*|[1-9@*])\})")
_FROM_OUTSIDE = LazyPattern(r"\$(?:[1-9@*]|\{[1-9@*]\}|\{[1-9]:[-?=][^}]*\})")
_LOOP = LazyPattern(r"\bfor\s+(\w+)\s+in\s+([^\n;]*)|\bread\s+(?:-\w+\s+)*([A-Za-z_][\w \t]*)")
_OVER_LS = LazyPattern(r"^[^\n#]*\bfor\s+\w+\s+in\s+(\$\(\s*ls\s[^\n)|]*\|[^\n)]*\))", re.MULTILINE)
"""A filtered list of ``ls``; shellcheck reports the plain one."""
_COUNTED = LazyPattern(r"\s*(?:\{\d+\.\.\d+\}|\$\(seq\b|[\w./ -]+$)")


class UnquotedPath(CiCheck):
    """An external file name is unquoted in a command that removes, moves or copies files.

    A blank in it makes two names of it, and a `*` matches any number of files, so the command removes or
    overwrites the wrong files. Put it in double quotes.
    """

    ID = "DC113"
    NAME = "unquoted-path"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "unquoted-expansion"
    KINDS = frozenset({FileKind.SHELL})
    NEEDS = ("$",)
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            rm -rf "$1"
        """),
        code("""
            OUT=build
            rm -rf $OUT/x
        """),
    ]
    INVALID = [
        code("""
            rm -rf «$1/cache»
        """),
        code("""
            for f in «$(ls $D | grep log)»; do
              gzip "$D/$f"
            done
        """),
    ]

    def run(self) -> None:
        text = self.file.text
        if bounded_pattern(r"(?:^|\n)\s*IFS=|set -f|noglob").search(text):
            return
        for loop in _OVER_LS.finditer(text):
            message = "file names are split at blanks; loop over a glob pattern, or read them line by line"
            self.report_at(loop.start(1), loop.end(1), message)
        commands = [command for script in self.file.scripts for command in script.commands]
        outside = {*_assigned_names(commands), *_loop_names(text), *_POSITIONS}
        for command in commands:
            if program(command) in _MOVERS:
                self._check(command, outside)

    def _check(self, command: Command, outside: set[str]) -> None:
        """Report the first path that is split."""
        for word in unwrap_command(command)[1:]:
            name = _bare(word)
            if name in outside or self._may_remove_more(command, word, name):
                self.report_at(word.start, word.end, f"{word.raw} is split at blanks; quote it")
                return

    def _may_remove_more(self, command: Command, word: Word, name: str) -> bool:
        """Return True if the beginning of a path of ``rm -r`` is set outside the file."""
        if program(command) != "rm" or not name or not command.has_flag("r", "--recursive"):
            return False
        return name not in self._set and "/" not in word.raw.partition("$")[0]

    @cached_property
    def _set(self) -> frozenset[str]:
        """The variables that the file assigns, loops over or reads."""
        read = (word for found in _READ.finditer(self.file.text) for word in re.findall(r"\w+", found[1]))
        return frozenset([*(found[1] or found[2] for found in _SET.finditer(self.file.text)), *read])


_SET = LazyPattern(r"(?<![^\s;])(\w++)(?==)|\bfor\s+(\w++)")
_READ = LazyPattern(r"\bread\b([^\n]*)")


_POSITIONS = frozenset("123456789@*")


def _assigned_names(commands: Sequence[Command]) -> Iterator[str]:
    """Yield variables that hold arguments of the script."""
    for command in commands:
        words = list(command.assignments)
        if command.name in ("local", "export", "readonly"):
            words += command.words[1:]
        for word in words:
            name, sign, value = word.text.partition("=")
            is_option = re.search(r"flag|opt|arg", name, re.IGNORECASE) is not None
            if sign and _FROM_OUTSIDE.fullmatch(value) and not is_option:
                yield name


def _loop_names(text: str) -> Iterator[str]:
    """Yield variables that hold the file name of a loop."""
    for loop in _LOOP.finditer(text):
        if loop.group(1) and not _COUNTED.match(loop.group(2)):
            yield loop.group(1)
        elif loop.group(3):
            yield from loop.group(3).split()[-1:]


def _bare(word: Word) -> str:
    """Return the first unquoted variable of a word; empty for an option or none."""
    plain = re.sub(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", "", word.raw)
    found = _VARIABLE.search(plain)
    return "" if found is None or word.raw.startswith("-") else found.group(1) or found.group(2)
