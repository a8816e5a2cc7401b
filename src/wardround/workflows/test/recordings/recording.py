"""The recording of a run of pytest: the options of the run, and the reading of its data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wardround.context.line_coverage.context_lines import ContextLines, read_contexts
from wardround.context.line_coverage.model import MeasuredLines
from wardround.context.line_coverage.paths import measured_paths
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import Recording, record

ENVIRONMENT: Mapping[str, str] = {"COVERAGE_CORE": "ctrace"}
"""The tracer of coverage.py that knows the test in which a line ran."""


def recording_options(configuration: str) -> tuple[str, ...]:
    """Return the options with which pytest measures the lines of each test.

    Args:
        configuration: the path of an empty file, so that no settings of the project exclude files.
    """
    return (
        "--cov=.",
        "--cov-context=test",
        f"--cov-config={configuration}",
        "--cov-report=",
        "-o",
        "addopts=",
    )


def read_recording(content: bytes, tree: TreeUnderTest, root: str, *, is_complete: bool) -> Recording:
    """Return the recording in a data file of coverage.py.

    Args:
        tree: the files with which the tests ran.
        root: the absolute path of the folder in which they ran.
        is_complete: all tests were run.

    Raises:
        CoverageUnreadable: it is not such a file, or it has no contexts.
    """
    rows = list(read_contexts(content))
    return record(rows, paths_in(rows, tree, root), tree.blobs, tree.text, is_complete=is_complete)


def paths_in(rows: Iterable[ContextLines], tree: TreeUnderTest, root: str) -> dict[str, str]:
    """Return path as written -> path in the repository."""
    written = MeasuredLines({row.path: {} for row in rows})
    found = measured_paths(written, root, "", tree.blobs.keys())
    return {path: name for name, path in found.items()}
