"""The planned tests by project and framework."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from wardround.workflows.test.plans.plan import SelectedTest
from wardround.workflows.test.plans.planning import PlannedTests
from wardround.workflows.test.plans.script_patterns import runnable_framework
from wardround.workflows.test.project.projects import DetectedFramework, DetectedProject
from wardround.workflows.test.scripts import results as script_results
from wardround.workflows.test.scripts.roles import is_script

FRAMEWORKS = ("pytest", "unittest")
"""Frameworks with a session in ``wardround_in_sandbox.sessions``."""


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
    def is_script(self) -> bool:
        """True for tests of JavaScript, whose ids are files."""
        return self.name in script_results.FRAMEWORKS

    @property
    def objection(self) -> str:
        """The reason why they cannot be run, as a sentence; empty if they can."""
        if self.framework is None:
            return (
                "no file of the repository names a framework of these tests; add pytest to its requirements"
            )
        if self.is_script:
            return ""
        if self.name not in FRAMEWORKS or not self.framework.command:
            return f"tests of {self.name} are run only if a file names pytest or unittest"
        return ""


def groups_of(planned: PlannedTests) -> list[TestGroup]:
    """Return the planned tests by the project whose command runs them.

    A test belongs to the innermost project of its language above its file.
    """
    inner_first = sorted(planned.projects, key=lambda project: -len(project.root))
    found: dict[tuple[str, str] | None, list[SelectedTest]] = {}
    for test in planned.plan.selected:
        found.setdefault(_owner(test.id, inner_first), []).append(test)
    by_root = {(project.root, project.language): project for project in planned.projects}
    groups = []
    for key, tests in found.items():
        project = None if key is None else by_root[key]
        groups.append(TestGroup(project, _framework(project), tuple(tests)))
    return groups


def _owner(test: str, inner_first: Iterable[DetectedProject]) -> tuple[str, str] | None:
    """Return the folder and the language of the project that runs a test."""
    language = "javascript" if is_script(test) else "python"
    for project in inner_first:
        is_above = not project.root or test.startswith(f"{project.root}/")
        if project.language == language and is_above:
            return (project.root if project.run_from is None else project.run_from), language
    return None


def _framework(project: DetectedProject | None) -> DetectedFramework | None:
    if project is None:
        return None
    return project.frameworks[0] if project.language == "python" else runnable_framework(project)
