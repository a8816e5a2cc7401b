"""The files of a commit in a scratch folder, and runs of its tests there."""

from __future__ import annotations

import io
import json
import os
import resource
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

from msgspec.structs import replace

from selection.outcomes import VARIABLE
from wardround.context.line_coverage.model import CoverageUnreadable
from wardround.retrieval.test_discovery import contains_tests
from wardround.workflows.environments.installed_packages import installed_packages
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import Recording
from wardround.workflows.test.recordings.recording import ENVIRONMENT, read_recording, recording_options

_LONGEST_RUN_S = 60
_TEST_PARTS = frozenset({"test", "tests", "testing", "conftest.py"})
_QUIET = ("-q", "--tb=no", "-p", "no:xdist", "-p", "no:randomly", "-o", "addopts=")


def belongs_to_tests(path: str) -> bool:
    """Return True for a test file, their data and their settings."""
    return contains_tests(path) or not _TEST_PARTS.isdisjoint(path.split("/"))


@dataclass(frozen=True)
class Suite:
    """The tests of a repository: its clone, the interpreter that runs them, and arguments of pytest."""

    repository: Path
    python: str
    arguments: Sequence[str] = ()

    def git(self, *arguments: str) -> bytes:
        """Return the output of a command of git in the clone."""
        command = ["git", "-C", str(self.repository), *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout

    def text(self, blob: str) -> str | None:
        """Return the text of an object; None if there is none."""
        try:
            return self.git("cat-file", "blob", blob).decode("utf-8", "surrogateescape")
        except subprocess.CalledProcessError:
            return None

    def installed(self) -> dict[str, str] | None:
        """Return the packages in the environment of the interpreter."""
        return installed_packages(Path(self.python).parent.parent)


class Checkout:
    """A scratch folder with the files of one commit at a time."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self.scratch = Path(tempfile.mkdtemp(prefix="test-selection-"))
        self.folder = self.scratch / "tree"
        self._blobs: dict[str, str] = {}

    def become(self, commit: str, tests_of: str | None = None) -> None:
        """Replace the files by those of a commit, with the tests of another commit."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        if tests_of is None:
            self._blobs = self._unpack(commit, self._tree_of_commit(commit))
            return
        code = {
            path: blob for path, blob in self._tree_of_commit(commit).items() if not belongs_to_tests(path)
        }
        tests = {
            path: blob for path, blob in self._tree_of_commit(tests_of).items() if belongs_to_tests(path)
        }
        self._blobs = self._unpack(commit, code) | self._unpack(tests_of, tests)

    def _tree_of_commit(self, commit: str) -> dict[str, str]:
        rows = self._suite.git("ls-tree", "-r", "-z", commit).decode().split("\0")
        entries = (row.split("\t", 1) for row in rows if row.startswith("100"))
        return {path: head.split()[2] for head, path in entries}

    def _unpack(self, commit: str, blobs: Mapping[str, str]) -> dict[str, str]:
        with tarfile.open(fileobj=io.BytesIO(self._suite.git("archive", commit))) as archive:
            members = [member for member in archive.getmembers() if member.name in blobs]
            archive.extractall(self.folder, members)
        return {member.name: blobs[member.name] for member in members}

    def read(self, path: str) -> str | None:
        try:
            return (self.folder / path).read_text("utf-8", "surrogateescape")
        except OSError:
            return None

    def write(self, path: str, text: str) -> None:
        """Replace a file, as an edit of the commit."""
        content = text.encode("utf-8", "surrogateescape")
        (self.folder / path).write_bytes(content)
        header = f"blob {len(content)}\0".encode()
        self._blobs[path] = sha1(header + content, usedforsecurity=False).hexdigest()

    def tree(self) -> TreeUnderTest:
        """Return the tree with its current texts."""
        texts = {path: self.read(path) for path in self._blobs if path.endswith(".py")}

        def text_of(path: str) -> str | None:
            return texts[path] if path in texts else self._suite.text(blobs.get(path, ""))

        blobs = dict(self._blobs)
        return TreeUnderTest(blobs, text_of, self._suite.text)

    def pytest(self, *options: str, **variables: str) -> tuple[str, float]:
        """Run the tests; return the output, empty if they ran too long, and the CPU time."""
        environment = {
            **os.environ,
            "PYTHONPATH": f"{self.folder}:{self.folder}/src",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "1",
            **variables,
        }
        command = [self._suite.python, "-m", "pytest", *_QUIET, *options, *self._suite.arguments]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
                timeout=_LONGEST_RUN_S,
            )  # fmt: skip
            output = done.stdout
        except subprocess.TimeoutExpired:
            output = ""
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def outcomes(self, *options: str, **variables: str) -> tuple[dict[str, str], float]:
        """Return the outcome of each test, and the CPU time."""
        file = self.scratch / "outcomes.json"
        file.unlink(missing_ok=True)
        paths = f"{self.folder}:{self.folder}/src:{Path(__file__).parent}"
        _, cpu = self.pytest(
            "-p", "no:cacheprovider", "-p", "no:testmon", "-p", "outcomes", *options,
            PYTHONPATH=paths, **{VARIABLE: str(file)}, **variables,
        )  # fmt: skip
        return (json.loads(file.read_text()) if file.exists() else {}), cpu

    def record(self) -> tuple[Recording | None, dict[str, str], float]:
        """Record all tests.

        Returns:
            The recording, None if nothing was recorded; the outcome of each test; the CPU time.
        """
        data = self.scratch / "contexts"
        data.unlink(missing_ok=True)
        outcomes, cpu = self.outcomes(*recording_options(os.devnull), COVERAGE_FILE=str(data), **ENVIRONMENT)
        if not data.exists():
            return None, outcomes, cpu
        try:
            recording = read_recording(data.read_bytes(), self.tree(), str(self.folder), is_complete=True)
        except CoverageUnreadable:
            return None, outcomes, cpu
        recording = replace(recording, installed=self._suite.installed() or {})
        return recording, outcomes, cpu

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.scratch, ignore_errors=True)
