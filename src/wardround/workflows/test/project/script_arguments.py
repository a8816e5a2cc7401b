"""The arguments and variables with which a script of ``package.json`` starts a framework of tests."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import msgspec

from wardround.lazy import LazyPattern

_LONGEST_SCRIPT = 2000
_OPERATORS = LazyPattern(r"\s*(?:&&|\|\||[;|&\n])\s*")
_ASSIGNMENT = LazyPattern(r"^[A-Za-z_]\w*=")
_VALUED = frozenset(
    {"--config", "-c", "--root", "-r", "--dir", "--project", "--projects", "--environment", "--env", "--pool",
     "--require", "--import", "--loader", "--experimental-loader", "--extension", "--timeout", "-t", "--ui",
     "-u", "--file", "--spec", "--mode", "--testTimeout", "--maxWorkers", "--rootDir", "--package",
     "--selectProjects", "--conditions", "-C", "--slow", "--retries", "--reporter", "-R", "--reporters",
     "--outputFile", "--coverageReporters", "--coverageDirectory", "--test-reporter",
     "--test-reporter-destination", "--testRunner", "--env-file", "--tsconfig", "--project-config"}
)  # fmt: skip
"""Options whose value is the next argument."""
_DROPPED = LazyPattern(
    r"^(?:--(?:no-)?(?:watch\w*|coverage\S*|reporters?|outputFile|json|ui=\S+|silent|verbose|ci|colou?rs?|bail"
    r"|passWithNoTests|pass-with-no-tests|allowOnly|run|typecheck\S*|testRunner|changed\w*|onlyChanged|open"
    r"|inspect\S*|logHeapUsage|updateSnapshot|update|test-reporter\S*|test|experimental-test-coverage"
    r"|test-coverage-\S+|parallel|exit|findRelatedTests|lastCommit)(?:[=.].*)?|-[wRoui]|-R=.*)$"
)
_COMMANDS = frozenset({"run", "watch", "dev", "related", "bench"})
_PROGRAMS = {
    "vitest": ("vitest",),
    "jest": ("jest",),
    "mocha": ("mocha", "_mocha"),
    "node:test": ("node", "tsx"),
}


class ScriptArguments(msgspec.Struct, frozen=True):
    """The start of a framework.

    Attributes:
        options: without those that select tests, reports or another mode.
        patterns: the arguments that are no options, which choose tests.
        variables: assignments before the program.
        program: the name of the program, as ``tsx`` for ``tsx --test``.
    """

    program: str
    options: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


def script_arguments(framework: str, script: str) -> ScriptArguments:
    """Return the arguments of the first start of a framework in a script; none if it does not start it."""
    for part in _OPERATORS.split(script[:_LONGEST_SCRIPT]):
        try:
            words = shlex.split(part)
        except ValueError:
            continue
        at = next((at for at, word in enumerate(words) if _starts_framework(framework, word, words)), None)
        if at is not None:
            return _read(framework, words, at)
    return ScriptArguments(_PROGRAMS[framework][0])


def _starts_framework(framework: str, word: str, words: Sequence[str]) -> bool:
    name = word.rpartition("/")[2].removesuffix(".js").removesuffix(".mjs")
    return name in _PROGRAMS[framework] and (framework != "node:test" or "--test" in words)


def _read(framework: str, words: Sequence[str], at: int) -> ScriptArguments:
    pairs = (word.partition("=") for word in words[:at] if _ASSIGNMENT.search(word))
    variables = tuple((name, value) for name, _, value in pairs)
    program = words[at].rpartition("/")[2] if framework == "node:test" else _PROGRAMS[framework][0]
    options: list[str] = []
    patterns: list[str] = []
    for group in _groups(words[at + 1 :]):
        if not group[0].startswith("-"):
            patterns += [word for word in group if word not in _COMMANDS]
        elif not _DROPPED.search(group[0]):
            options += group
    return ScriptArguments(program, tuple(options), tuple(patterns), variables)


def _groups(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield options with their values, and other arguments separately."""
    rest = list(words)
    while rest:
        count = 2 if rest[0] in _VALUED and len(rest) > 1 else 1
        yield rest[:count]
        rest = rest[count:]
