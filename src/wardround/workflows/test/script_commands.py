"""The commands that run files of JavaScript tests, with a report and with a record of the functions that ran."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

import msgspec

from wardround.workflows.test.script_arguments import ScriptArguments

RUNTIME = ("recorder.cjs", "vitest_provider.mjs", "jest_runner.cjs", "node_reporter.mjs")
"""The modules that a run loads, in the folder ``script_runtime``."""
RECORDS = "records"
REPORT = "report.json"
_ONE_FILE_EACH = frozenset({"mocha"})
"""Frameworks that load all files of tests into one process, so that a record needs one process per file."""


class ScriptCommand(msgspec.Struct, frozen=True):
    """A command in the folder of a project.

    Attributes:
        report: the file that it writes, in the folder of the run.
        variables: names and values that are set.
    """

    arguments: tuple[str, ...]
    report: str
    variables: tuple[tuple[str, str], ...] = ()


def script_commands(
    framework: str, found: ScriptArguments, tests: Sequence[str], folder: str, *, root: str, is_recorded: bool
) -> tuple[ScriptCommand, ...]:
    """Return the commands that run files of tests.

    Args:
        found: the way in which the project starts the framework.
        tests: relative to the folder of the project; none for all that the project's settings choose.
        folder: the absolute path of the folder of the run, which has the modules of ``RUNTIME``.
        root: the absolute path of the tree.
    """
    groups = [(one,) for one in tests] if framework in _ONE_FILE_EACH and is_recorded else [tuple(tests)]
    return tuple(
        _command(framework, found, group, folder, root=root, number=number, is_recorded=is_recorded)
        for number, group in enumerate(groups)
    )


def _command(
    framework: str, found: ScriptArguments, tests: Sequence[str], folder: str,
    *, root: str, number: int, is_recorded: bool,
) -> ScriptCommand:  # fmt: skip
    name = f"{number}-{REPORT}"
    report = posixpath.join(folder, name)
    chosen = tuple(tests) or found.patterns
    arguments = {
        "vitest": _vitest, "jest": _jest, "mocha": _mocha, "node:test": _node,
    }[framework](found, chosen, folder, report, is_recorded, bool(tests))  # fmt: skip
    variables = dict(found.variables)
    if is_recorded:
        variables |= _recording_variables(framework, variables, tests, folder, root)
    return ScriptCommand(arguments, name, (("CI", "1"), ("NO_COLOR", "1"), *variables.items()))


def _recording_variables(
    framework: str, variables: dict[str, str], tests: Sequence[str], folder: str, root: str
) -> dict[str, str]:
    recorder = posixpath.join(folder, "recorder.cjs")
    found = {
        "NODE_OPTIONS": f"{variables.get('NODE_OPTIONS', '')} --require {recorder}".strip(),
        "WARDROUND_RECORD": posixpath.join(folder, RECORDS),
        "WARDROUND_ROOT": root,
    }
    if framework in _ONE_FILE_EACH and tests:
        found["WARDROUND_TEST"] = posixpath.normpath(posixpath.join(root, tests[0]))
    if framework == "node:test":
        found["WARDROUND_TEST"] = "argument"
    return found


def _vitest(
    found: ScriptArguments,
    chosen: Sequence[str],
    folder: str,
    report: str,
    is_recorded: bool,
    is_by_path: bool,
) -> tuple[str, ...]:
    provider = posixpath.join(folder, "vitest_provider.mjs")
    recording = (
        "--coverage.enabled", "--coverage.provider=custom", f"--coverage.customProviderModule={provider}",
        "--isolate",
    )  # fmt: skip
    return (
        "vitest", "run", *found.options, "--reporter=json", f"--outputFile={report}",
        *(recording if is_recorded else ("--coverage.enabled=false",)), *chosen,
    )  # fmt: skip


def _jest(
    found: ScriptArguments,
    chosen: Sequence[str],
    folder: str,
    report: str,
    is_recorded: bool,
    is_by_path: bool,
) -> tuple[str, ...]:
    runner = posixpath.join(folder, "jest_runner.cjs")
    return (
        "jest", *found.options, "--ci", "--json", f"--outputFile={report}", "--coverage=false",
        *((f"--testRunner={runner}",) if is_recorded else ()), *(("--runTestsByPath",) if is_by_path else ()),
        *chosen,
    )  # fmt: skip


def _mocha(
    found: ScriptArguments,
    chosen: Sequence[str],
    folder: str,
    report: str,
    is_recorded: bool,
    is_by_path: bool,
) -> tuple[str, ...]:
    return (
        "mocha",
        *found.options,
        "--reporter",
        "json",
        "--reporter-option",
        f"output={report}",
        "--exit",
        *chosen,
    )


def _node(
    found: ScriptArguments,
    chosen: Sequence[str],
    folder: str,
    report: str,
    is_recorded: bool,
    is_by_path: bool,
) -> tuple[str, ...]:
    reporter = posixpath.join(folder, "node_reporter.mjs")
    return (
        found.program, *found.options, "--test", f"--test-reporter={reporter}",
        f"--test-reporter-destination={report}", *chosen,
    )  # fmt: skip
