"""The tests of a tree in the order in which they probably call some functions."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.change.change_source import decoded
from wardround.change.repository import Repository
from wardround.workflows.behaviour.targets import Target
from wardround.workflows.test.tree import TreeUnderTest

_MOST_FILES = 2000


def tests_near(repository: Repository, side: str, targets: Sequence[Target]) -> tuple[str, ...]:
    """Return the files of tests, those that mention a function first, then those that mention its module.

    Without a file of the usual name there is none, so that pytest collects by its own configuration.
    """
    blobs = dict(repository.blobs_of(side))

    def text(path: str) -> str | None:
        content = repository.blobs.get(blobs[path]) if path in blobs else None
        return None if content is None else decoded(content)

    tree = TreeUnderTest(blobs, text)
    files = tree.test_files
    if len(files) > _MOST_FILES:
        return ()
    functions = {one.base.own_name for one in targets}
    modules = {
        one.base_path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2] for one in targets
    }

    def distance(path: str) -> tuple[int, str]:
        content = tree.text(path)
        for at, names in enumerate((functions, modules)):
            if any(name in content or name in path for name in names):
                return at, path
        return 2, path

    return tuple(sorted(files, key=distance))
