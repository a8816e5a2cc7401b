from __future__ import annotations

from collections.abc import Sequence

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, pipelines
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.libraries.commands import FETCHERS, INTERPRETERS, SHELLS, program

_FETCHED_INSIDE = LazyPattern(r"(?:\$\(|<\(|`)\s*(?:curl|wget)\b[^|)`]*(?:\)|`|$)")
_LOCAL = LazyPattern(r"\b(?:localhost|127\.0\.0\.1|169\.254\.169\.254)\b")


class PipedToShell(CiCheck):
    """A script is downloaded and run immediately, without verification.

    Anyone who controls the server, its name or the connection can run code in the build, and an interrupted
    connection runs half a script. Download a fixed version to a file, compare its checksum, then run it.
    """

    ID = "DC030"
    NAME = "piped-to-shell"
    SEVERITY = Severity.INFO
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "curl-pipe-shell"
    KINDS = SCRIPTS
    NEEDS = ("curl", "wget")
    CASE_PATH = "a.sh"
    VALID = [
        code(
            """
            FROM a:1
            RUN curl -fsS https://example.org/key | gpg --dearmor -o /k
            """,
            path="Dockerfile",
        ),
        code("""
            curl -fsSLo x.sh https://example.org/x && sha256sum -c x.sum && sh x.sh
        """),
    ]
    INVALID = [
        code(
            r"""
            FROM a:1
            RUN apk add x && \
              «curl -sL https://example.org | sh»
            """,
            path="Dockerfile",
        ),
        code(
            """
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: |
                      echo a
                      «curl https://example.org | sudo -E bash -s -- -y»
            """,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for group in pipelines(script.commands):
                self._check(group)

    def _check(self, group: Sequence[Command]) -> None:
        for at, command in enumerate(group):
            if program(command) in FETCHERS:
                self._check_readers(command, group[at + 1 :])
                return
        for command in group:
            if self._runs_download(command):
                self._report(command, command)

    def _check_readers(self, fetch: Command, following: Sequence[Command]) -> None:
        reader = next(filter(_reads_its_program, following), None)
        if reader is not None and not any(_LOCAL.search(word.text) for word in fetch.words):
            self._report(fetch, reader)

    def _runs_download(self, command: Command) -> bool:
        if program(command) not in SHELLS | {"eval", "source", "."}:
            return False
        return any(_FETCHED_INSIDE.search(word.raw) for word in command.words)

    def _report(self, first: Command, last: Command) -> None:
        name = program(last)
        self.report_at(
            first.start,
            last.end,
            f"{name} runs a download without verification; save it and verify its checksum",
        )


def _reads_its_program(command: Command) -> bool:
    """Return True if an interpreter reads its program from standard input."""
    name = program(command)
    if name not in INTERPRETERS:
        return False
    words = [word.text for word in command.words]
    at = next((n for n, text in enumerate(words) if text.rpartition("/")[2] == name), 0)
    arguments = words[at + 1 :]
    if not _WITH_PROGRAM.isdisjoint(arguments):
        return False
    reads_input = not {"-s", "-", "/dev/stdin"}.isdisjoint(arguments)
    return reads_input or all(text.startswith("-") for text in arguments)


_WITH_PROGRAM = frozenset({"-c", "-m", "-e", "-pe", "-ne"})
"""Options of interpreters whose argument is the program or module to run."""
