"""ruff for the steps of workflows that are written in Python: its command and its output."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import Plane, RawFinding, Span
from wardround.lazy import LazyPattern
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output
from wardround.tools.tool import Invocation, Probe, Tool, install_line
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import FileKind, kind_of

_SELECTED = "E9,F"
_UNSELECTED = "F401,F403,F405,F841"
"""Unused imports and variables in a step do no harm."""
_EXPRESSION = LazyPattern(r"\$\{\{.*?\}\}", re.DOTALL)
_STANDS_FOR_EXPRESSION = LazyPattern(r"`_+`")


class RuffPosition(msgspec.Struct):
    row: int
    column: int


class RuffResult(msgspec.Struct):
    filename: str
    location: RuffPosition
    end_location: RuffPosition
    message: str
    code: str | None = None
    url: str | None = None


class PythonStep(msgspec.Struct, frozen=True):
    """A step's script, on its lines of the workflow.

    Attributes:
        line: the number of its first line.
        margin: the columns by which it is dedented.
    """

    line: int
    margin: int
    script: str


def python_steps(path: str, text: str) -> Iterator[PythonStep]:
    """Yield the Python steps of a workflow, except for scripts folded from several lines."""
    file = CiFile(FileKind.WORKFLOW, path, text)
    for job, step in file.workflow.all_steps:
        if step.run is None or not file.workflow.shell(job, step).startswith("python"):
            continue
        passage = file.passage(step.run)
        start = passage.start + len(passage.text) - len(passage.text.lstrip())
        if step.run.style == "|":
            start = text.rfind("\n", 0, start) + 1
        elif "\n" in text[start : passage.end].strip():
            continue
        written = passage.part(start, passage.end).text
        script = textwrap.dedent(written)
        line = file.places.line(start)
        column = start - file.places.line_start(line)
        margin = column + len(written) - len(written.lstrip()) - (len(script) - len(script.lstrip()))
        yield PythonStep(line, margin, _EXPRESSION.sub(_placeholder, script))


def _placeholder(expression: re.Match[str]) -> str:
    """Return a name as long as an expression; where the expression has several lines, they are continued."""
    lines = expression[0].split("\n")
    return "\n".join([*("_" * (len(line) - 1) + "\\" for line in lines[:-1]), "_" * len(lines[-1])])


def _home(run: Invocation) -> Path:
    return run.scratch / "python-steps" / run.root.parent.name


def _write_steps(run: Invocation, file: str) -> Iterator[str]:
    """Write the steps of a workflow to ``<margin>/<path of the workflow>/<line>.py`` and yield the files."""
    text = (run.root / file).read_text("utf-8-sig", "surrogateescape")
    steps = list(python_steps(file, text)) or [PythonStep(1, 0, "")]
    for step in steps:
        location_items = _home(run) / str(step.margin) / file / f"{step.line}.py"
        location_items.parent.mkdir(parents=True, exist_ok=True)
        location_items.write_text("\n" * (step.line - 1) + step.script, "utf-8", "surrogateescape")
        yield str(location_items)


def _origin_of(name: str, run: Invocation) -> tuple[str, int]:
    """Return the workflow of a step's file, and the step's margin."""
    try:
        margin, *parts = PurePosixPath(name).relative_to(_home(run)).parts
    except ValueError:
        parts = []
    file = "/".join(parts[:-1])
    if file not in run.files:
        raise ToolOutputError(f"it named {name!r}, which is not one of its files")
    return file, int(margin)


class RuffInWorkflows(Tool):
    """ruff for the steps of workflows that are written in Python."""

    name = "ruff"
    planes = frozenset(Plane) - {Plane.INTENT}
    probe = Probe(
        ".github/workflows/probe.yml",
        "on: push\njobs:\n  probe:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - shell: python\n        run: print(undefined)\n",
        "F821",
        7,
    )
    program = "ruff"
    success_codes = RAN
    install = install_line()
    distribution = "ruff"

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command over files with one step each, on its lines of the workflow."""
        locations = [location_items for file in run.files for location_items in _write_steps(run, file)]
        return [
            str(run.program), "check", "--isolated", "--no-cache", "--no-fix", "--quiet",
            "--select", _SELECTED, "--ignore", _UNSELECTED, "--output-format", "json", "--", *locations,
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``ruff check --output-format json`` and map the findings to the workflow.

        Raises:
            ToolOutputError: it reports a file that was not passed to it.
        """
        found = []
        for result in decode_output(output, list[RuffResult]):
            file, margin = _origin_of(result.filename, run)
            if not _STANDS_FOR_EXPRESSION.search(result.message):
                start, end = result.location, result.end_location
                span = Span(start.row, start.column + margin, end.row, end.column + margin)
                code = result.code or "invalid-syntax"
                found.append(RawFinding(code, file, span, collapse_whitespace(result.message), result.url))
        return found

    def accepts(self, path: str, text: str) -> bool:
        return kind_of(path, text) is FileKind.WORKFLOW

    def can_match(self, text: str) -> bool:
        return "shell" in text and "python" in text


RUFF_IN_WORKFLOWS = RuffInWorkflows()
