"""The commands that run files of JavaScript tests, with a report and a record of the functions that ran."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence

import msgspec

from wardround.workflows.test.project.script_arguments import ScriptArguments

RUNTIME = ("recorder.cjs", "vitest_provider.mjs", "jest_runner.cjs", "node_reporter.mjs")
"""The modules that a run loads, in the folder ``script_runtime``."""
RECORDS = "records"
MEASURED = "measured.json"
"""The paths of the scripts whose blocks are counted, as a list."""
REPORT = "report.json"
ONE_FILE_EACH = frozenset({"mocha"})
"""Frameworks that load all test files into one process, so that a record needs one process per file."""


class ScriptCommand(msgspec.Struct, frozen=True):
    """A command in the folder of a project.

    Attributes:
        report: the file that it writes, in the folder of the run.
        variables: names and values that are set.
    """

    arguments: tuple[str, ...]
    report: str
    variables: tuple[tuple[str, str], ...] = ()


class _Start(msgspec.Struct, frozen=True):
    """The parts of a command that frameworks have in common."""

    found: ScriptArguments
    chosen: tuple[str, ...]
    folder: str
    report: str
    is_recorded: bool
    is_by_path: bool


def script_commands(
    framework: str, found: ScriptArguments, tests: Sequence[str], folder: str,
    *, root: str, project: str = "", is_recorded: bool,
) -> tuple[ScriptCommand, ...]:  # fmt: skip
    """Return the commands that run test files.

    Args:
        found: the way in which the project starts the framework.
        tests: relative to the folder of the project; none for all that the project's settings choose.
        folder: the absolute path of the folder of the run, which has the modules of ``RUNTIME``.
        root: the absolute path of the tree.
        project: the folder of the project, relative to the tree.
    """
    is_each = framework in ONE_FILE_EACH and is_recorded
    groups = [(test,) for test in tests] if is_each else [tuple(tests)]
    commands = []
    for number, group in enumerate(groups):
        report = f"{number}-{REPORT}"
        start = _Start(
            found, group or found.patterns, folder, posixpath.join(folder, report), is_recorded, bool(group)
        )
        variables = {**_VARIABLES, **dict(found.variables)}
        if is_recorded:
            path = posixpath.normpath(posixpath.join(root, project, group[0])) if group else ""
            variables |= _recording_variables(framework, variables, path, folder, root)
        commands.append(ScriptCommand(_COMMANDS[framework](start), report, tuple(variables.items())))
    return tuple(commands)


def _recording_variables(
    framework: str, variables: Mapping[str, str], test: str, folder: str, root: str
) -> dict[str, str]:
    recorder = posixpath.join(folder, "recorder.cjs")
    found = {
        "NODE_OPTIONS": f"{variables.get('NODE_OPTIONS', '')} --require {recorder}".strip(),
        "WARDROUND_RECORD": posixpath.join(folder, RECORDS),
        "WARDROUND_ROOT": root,
        "WARDROUND_MEASURED": posixpath.join(folder, MEASURED),
    }
    if framework in ONE_FILE_EACH:
        found["WARDROUND_TEST"] = test
    elif framework == "node:test":
        found["WARDROUND_TEST"] = "argument"
    return found


def _vitest(start: _Start) -> tuple[str, ...]:
    provider = posixpath.join(start.folder, "vitest_provider.mjs")
    recording = (
        "--coverage.enabled", "--coverage.provider=custom", f"--coverage.customProviderModule={provider}",
        "--isolate",
    )  # fmt: skip
    return (
        "vitest", "run", *start.found.options, "--reporter=json", f"--outputFile={start.report}",
        *(recording if start.is_recorded else ("--coverage.enabled=false",)), *start.chosen,
    )  # fmt: skip


def _jest(start: _Start) -> tuple[str, ...]:
    runner = posixpath.join(start.folder, "jest_runner.cjs")
    return (
        "jest", *start.found.options, "--ci", "--json", f"--outputFile={start.report}", "--coverage=false",
        *((f"--testRunner={runner}",) if start.is_recorded else ()),
        *(("--runTestsByPath",) if start.is_by_path else ()), *start.chosen,
    )  # fmt: skip


def _mocha(start: _Start) -> tuple[str, ...]:
    reporter = ("--reporter", "json", "--reporter-option", f"output={start.report}")
    return ("mocha", *start.found.options, *reporter, "--exit", *start.chosen)


def _node(start: _Start) -> tuple[str, ...]:
    reporter = posixpath.join(start.folder, "node_reporter.mjs")
    return (
        start.found.program, *start.found.options, "--test", f"--test-reporter={reporter}",
        f"--test-reporter-destination={start.report}", *start.chosen,
    )  # fmt: skip


_VARIABLES = {"CI": "1", "NO_COLOR": "1"}
_COMMANDS: Mapping[str, Callable[[_Start], tuple[str, ...]]] = {
    "vitest": _vitest, "jest": _jest, "mocha": _mocha, "node:test": _node,
}  # fmt: skip
