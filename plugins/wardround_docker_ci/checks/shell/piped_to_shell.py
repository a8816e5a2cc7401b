"""DC030."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.shell import Command, pipelines
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.libraries.commands import FETCHERS, INTERPRETERS, SHELLS, program

_FETCHED_INSIDE = LazyPattern(r"(?:\$\(|<\(|`)\s*(?:curl|wget)\b[^|)`]*(?:\)|`|$)")
_LOCAL = LazyPattern(r"\b(?:localhost|127\.0\.0\.1|169\.254\.169\.254)\b")


class PipedToShell(CiCheck):
    """A script is fetched from the network and run at once, unseen and unchecked.

    Whoever controls the server, its name or the way to it runs code in the build, and a connection cut
    half-way runs half a script. Fetch a named version into a file, compare its checksum, then run it.
    """

    ID = "DC030"
    NAME = "piped-to-shell"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "curl-pipe-shell"
    TRIED_ON = "trees of 27 repositories: 50 hits; 640 commits of 16 that touch such files: 5"
    KINDS = SCRIPTS
    NEEDS = ("curl", "wget")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1\nRUN curl -fsS https://example.org/key | gpg --dearmor -o /k\n", path="Dockerfile"),
        Valid("curl -fsSLo x.sh https://example.org/x && sha256sum -c x.sum && sh x.sh\n", path="a.sh"),
        Valid("curl -s https://example.org/a.json | python3 -c 'import json'\n", path="a.sh"),
        Valid("curl -s https://example.org/a.json | python -m json.tool\n", path="a.sh"),
        Valid("echo 'curl https://example.org | sh'\n# curl x | sh\n", path="a.sh"),
        Valid("curl https://example.org/list | bash -c 'cat'\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM a:1\nRUN apk add x && \\\n  curl -sL https://example.org | sh\n", 3, 3, path="Dockerfile"
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          echo a\n"
            "          curl https://example.org | sudo -E bash -s -- -y\n",
            8,
            11,
            path=".github/workflows/a.yml",
        ),
        Invalid("a:\n  script:\n    - bash <(wget -qO- https://example.org)\n", 3, 7, path=".gitlab-ci.yml"),
        Invalid('sh -c "$(curl -fsSL https://example.org/install.sh)"\n', 1, 1, path="install.sh"),
        Invalid("node { sh 'wget -O - https://example.org | python3 -' }\n", 1, 12, path="Jenkinsfile"),
        Invalid('eval "$(curl -s https://example.org)"\n', 1, 1, path="a.sh"),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for group in pipelines(script.commands):
                self._look(group)

    def _look(self, group: Sequence[Command]) -> None:
        fetch = next((c for c in group if program(c) in FETCHERS), None)
        if fetch is not None:
            rest = group[group.index(fetch) + 1 :]
            reads = next((c for c in rest if _reads_its_program(c)), None)
            if reads is not None and not any(_LOCAL.search(w.text) for w in fetch.words):
                self._report(fetch, reads)
            return
        for command in group:
            if self._runs_what_it_fetches(command):
                self._report(command, command)

    def _runs_what_it_fetches(self, command: Command) -> bool:
        if program(command) not in SHELLS | {"eval", "source", "."}:
            return False
        return any(_FETCHED_INSIDE.search(word.raw) for word in command.words)

    def _report(self, first: Command, last: Command) -> None:
        name = program(last)
        self.report_at(first.start, last.end, f"what the network answers is run by {name} at once, unchecked")


def _reads_its_program(command: Command) -> bool:
    """Whether an interpreter takes its program from standard input."""
    name = program(command)
    if name not in INTERPRETERS:
        return False
    words = [word.text for word in command.words]
    rest = words[next((n for n, w in enumerate(words) if w.rpartition("/")[2] == name), 0) + 1 :]
    options = [text for text in rest if text.startswith("-") and text != "-"]
    if "-c" in rest or "-m" in rest or "-e" in rest or "-pe" in rest or "-ne" in rest:
        return False
    if "-s" in options or "-" in rest or "/dev/stdin" in rest:
        return True
    return not [text for text in rest if not text.startswith("-")]
