"""The planned tests by project and framework."""

from __future__ import annotations

import msgspec

from wardround.workflows.test.plan import SelectedTest
from wardround.workflows.test.planning import PlannedTests
from wardround.workflows.test.projects import DetectedFramework, DetectedProject

FRAMEWORKS = ("pytest", "unittest")
"""Frameworks with a session in ``wardround_in_sandbox``."""


class TestGroup(msgspec.Struct, frozen=True):
    """The planned tests of one project.

    Attributes:
        project: None for tests whose framework no file names.
        framework: the one that runs them.
    """

    __test__ = False

    project: DetectedProject | None
    framework: DetectedFramework | None
    tests: tuple[SelectedTest, ...]

    @property
    def root(self) -> str:
        return self.project.root if self.project else ""

    @property
    def name(self) -> str:
        """The name of the framework; empty if there is none."""
        return self.framework.name if self.framework else ""

    @property
    def objection(self) -> str:
        """The reason why they cannot be run, as a sentence; empty if they can."""
        if self.framework is None:
            return (
                "no file of the repository names a framework of these tests; add pytest to its requirements"
            )
        if self.name not in FRAMEWORKS or not self.framework.command:
            return f"tests of {self.name} are run only if a file names pytest or unittest"
        return ""


def groups_of(planned: PlannedTests) -> list[TestGroup]:
    """Return the planned tests by project, a test in the innermost one that is above its file."""
    projects = [one for one in planned.projects if one.language == "python"]
    inner_first = sorted(projects, key=lambda one: -len(one.root))
    found: dict[str | None, list[SelectedTest]] = {}
    for test in planned.plan.selected:
        roots = (one.root for one in inner_first if not one.root or test.id.startswith(f"{one.root}/"))
        found.setdefault(next(roots, None), []).append(test)
    by_root = {one.root: one for one in projects}
    groups = []
    for root, tests in found.items():
        project = None if root is None else by_root[root]
        groups.append(TestGroup(project, project.frameworks[0] if project else None, tuple(tests)))
    return groups
