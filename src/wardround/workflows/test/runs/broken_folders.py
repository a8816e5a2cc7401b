"""Folders of tests whose ``conftest.py`` fails, which can end the collection of all other folders, too."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.workflows.test.runs import session_events as events
from wardround.workflows.test.runs.session import SessionResult

_CONFTEST = LazyPattern(r"""(?m)(?:^|[\s'"(])([^\s'"():]{1,400})/conftest\.py\b""")


class BrokenFolder(msgspec.Struct, frozen=True):
    """A folder whose tests cannot be collected.

    Attributes:
        path: relative to the tree.
        excerpt: the failure.
    """

    path: str
    excerpt: str

    def has(self, test: str) -> bool:
        """Return True if a test is in the folder."""
        return test.startswith(f"{self.path}/")


def broken_folder(done: SessionResult, project: str, tests: Sequence[str]) -> BrokenFolder | None:
    """Return the folder whose ``conftest.py`` ended a process before its first test.

    None if no such file did, or if all tests are in its folder.

    Args:
        project: the folder in which the framework ran, relative to the tree.
    """
    if any(isinstance(event, events.Begun) for event in done.events):
        return None
    for excerpt in _excerpts(done):
        for match in reversed([*_CONFTEST.finditer(excerpt)]):
            folder = BrokenFolder(_tree_path(match[1], done.root, project), excerpt)
            inside = [folder.has(test) for test in tests]
            if any(inside) and not all(inside):
                return folder
    return None


def _excerpts(done: SessionResult) -> Sequence[str]:
    found = [event.excerpt for event in done.events if isinstance(event, events.Broken | events.Uncollected)]
    is_collected = any(isinstance(event, events.Collected) for event in done.events)
    return found if is_collected else [*found, done.outcome.stderr]


def _tree_path(path: str, root: str, project: str) -> str:
    inside = path.removeprefix(f"{root}/")
    return inside if inside != path or not project else f"{project}/{path}"
