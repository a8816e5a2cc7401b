from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind

_LOOP = LazyPattern(r"(?<!\|)\|[ \t]*(?:\\?\n[ \t]*)?while\b")
_WORD = LazyPattern(r"(?:^|(?<=[\s;&|(]))(do|done|case|esac)(?=$|[\s;&|)<>])", re.MULTILINE)
_SET = LazyPattern(
    r"(?:^|(?<=[\s;&|(]))(?:([A-Za-z_]\w*)\+?=|\(\(\s*(?:\+\+|--)?([A-Za-z_]\w*)\s*(?:\+\+|--|[-+*|]?=[^=])|let\s+[\"']?([A-Za-z_]\w*))",
    re.MULTILINE,
)
_LASTS = LazyPattern(r"lastpipe|^#!.*\b(?:zsh|ksh\w*)\b", re.MULTILINE)
_COMMENT = LazyPattern(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)


class _Loop(Struct, frozen=True):
    """A loop that reads from a pipe: the offsets of its body."""

    start: int
    end: int


class VariableLostInPipe(CiCheck):
    """A variable set in a loop after a pipe has its old value when the loop ends.

    The shell runs the loop in a subshell, so its counts and results are lost, and later tests never see
    them. Feed the loop from `< <(...)` or a file: `while read ...; done < <(find ...)`.
    """

    ID = "DC116"
    NAME = "variable-lost-in-pipe"
    KINDS = frozenset(
        {FileKind.SHELL, FileKind.WORKFLOW, FileKind.ACTION, FileKind.GITLAB_CI, FileKind.JENKINSFILE}
    )
    NEEDS = ("while",)
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            n=0
            while read -r l; do n=$((n+1)); done < x
            echo $n
        """),
        code("""
            cat x | while read -r l; do n=$((n+1)); echo $n; done
            echo done
        """),
    ]
    INVALID = [
        code("""
            n=0
            cat x «|» while read -r l; do n=$((n+1)); done
            exit $((n > 0))
        """),
        code("""
            find . «|»
              while read -r f; do
                if ! check $f; then
                  failed=1
                fi
              done
            [ "$failed" = 1 ] && exit 1
        """),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            text = _COMMENT.sub(lambda m: " " * len(m.group()), script.passage.text)
            if _LASTS.search(script.passage.text):
                continue
            for loop in _loops(text):
                name = next((n for n in _names(text, loop) if _is_read(text, loop, n)), "")
                if name:
                    start = script.passage.start + loop.start
                    self.report_at(
                        start,
                        start + 1,
                        f"the pipe runs this loop in a subshell, so changes of {name} are lost; use < <(...)",
                    )


def _loops(text: str) -> Iterator[_Loop]:
    for found in _LOOP.finditer(text):
        depth = 0
        for word in _WORD.finditer(text, found.end()):
            depth += {"do": 1, "done": -1}.get(word.group(1), 0)
            if depth == 0 and word.group(1) == "done":
                yield _Loop(found.start(), word.end())
                break


def _names(text: str, loop: _Loop) -> Iterator[str]:
    body = text[loop.start : loop.end]
    seen = set()
    for found in _SET.finditer(body):
        name = found.group(1) or found.group(2) or found.group(3)
        # An assignment before a command is a variable of that command alone.
        if name not in seen and not re.match(r"IFS|LC_|LANG", name):
            seen.add(name)
            yield name


def _is_read(text: str, loop: _Loop, name: str) -> bool:
    """Return True if the variable is used after the loop before it is set again."""
    if re.search(rf"\blocal\b[^\n]*\b{name}\b", text[loop.start : loop.end]):
        return False
    rest = text[loop.end :]
    if bounded_pattern(r"\s*(?:\||[^\n]*\n?\s*\|)(?!\|)").match(rest) or _is_in_group(text, loop):
        return False
    function_ends = re.search(r"^\}", rest, re.MULTILINE)
    if function_ends is not None and re.search(
        r"^[\w-]+\s*\(\)\s*\{|^function\s", text[: loop.start], re.MULTILINE
    ):
        inside = rest[: function_ends.start()]
        rest = inside if not re.search(rf"^{name}=", text[: loop.start], re.MULTILINE) else rest
    used = bounded_pattern(rf"\$\{{?#?{name}\b|\(\([^)\n]*(?<![\w$]){name}\b").search(rest)
    again = re.search(
        rf"(?:^|[\s;&|(]){name}=|\bread\b[^\n]*\b{name}\b|\bfor\s+{name}\b|\blocal\b[^\n]*\b{name}\b", rest
    )
    return used is not None and (again is None or used.start() < again.start())


def _is_in_group(text: str, loop: _Loop) -> bool:
    """Return True if the pipe feeds a group around the loop, whose later commands share the subshell."""
    line = text[text.rfind("\n", 0, loop.start) + 1 : loop.start]
    return bool(re.search(r"\|\s*[({]", line)) or line.count("(") > line.count(")")
