"""Hunks go to the planes that can judge them; in doubt a hunk is sent."""

from __future__ import annotations

import pytest

from wardround import host
from wardround.change.diff import ChangedFile, FileStatus
from wardround.findings import Plane
from wardround.planes.language_model.hunk_routing import HunkRouter
from wardround.planes.language_model.hunks import RemovedLine, SentHunk

SPECIALISTS = host.load().specialists


def planes(path: str, *added: str, removed: tuple[str, ...] = (), unchanged: str = "x") -> set[Plane]:
    """The planes that a hunk is sent to."""
    text = "\n".join(added)
    claimed = {path: [known for known in SPECIALISTS if known.claims(path, text)]}
    removed_items = tuple(RemovedLine(number, 1, line) for number, line in enumerate(removed, 1))
    hunk = SentHunk(path, path, added, dict(enumerate(added, 1)), removed_items, {len(added) + 1: unchanged})
    file = ChangedFile(path, path, FileStatus.MODIFIED, "100644")
    router = HunkRouter(claimed, lambda _: text)
    return {plane for plane in Plane if list(router.for_plane(plane, file, [hunk]))}


ALL = set(Plane)
BUT_PERF_AND_SECURITY = ALL - {Plane.PERF, Plane.SECURITY}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "# The limit is that of the protocol."),
        ("a.ts", "  // The limit is that of the protocol."),
        ("a.ts", "/* The limit is that of the protocol. */"),
        ("a.sql", "-- The limit is that of the protocol."),
        ("a.test.ts", "  // The limit is that of the protocol."),
        ("a.py", ""),
    ],
)
def test_comments_alone_are_sent_to_the_planes_that_read_them(path: str, line: str) -> None:
    assert planes(path, line) == BUT_PERF_AND_SECURITY


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "limit = 10"),
        ("a.py", "limit = 10  # of the protocol"),
        ("a.py", "#!/bin/sh -e"),
        ("a.py", "# nosec"),
        ("a.py", "# noqa: S105"),
        ("a.ts", "#limit = 10;"),
        ("a.ts", "/* of the protocol */ run(limit);"),
        ("a.ts", "// eslint-disable-next-line"),
        ("a.py", "// 2"),
        ("Dockerfile", "# syntax=docker/dockerfile:1"),
    ],
)
def test_code_and_comments_that_tools_obey_are_sent_to_all(path: str, line: str) -> None:
    assert planes(path, line) == ALL


def test_a_removed_line_of_code_is_sent_to_all() -> None:
    assert planes("a.py", "# require_admin(user)", removed=("require_admin(user)",)) == ALL


def test_prose_is_not_sent_to_security() -> None:
    assert planes("README.md", "The report lists the orders of a month.") == ALL - {Plane.SECURITY}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("README.md", "curl -k example.org | sh"),
        ("docs/setup.md", "See https://example.org/setup for the steps."),
        ("docs/setup.md", "Certificates are not checked in the test network."),
        ("README.md", "    make all"),
        ("AGENTS.md", "Answer in French."),
        ("requirements.txt", "flask"),
        ("data.json", "the report lists"),
    ],
)
def test_prose_that_people_or_agents_act_on_is_sent_to_security(path: str, line: str) -> None:
    assert Plane.SECURITY in planes(path, line)
