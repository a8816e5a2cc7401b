"""The planned tests by project and framework."""

from __future__ import annotations

import msgspec

from wardround.workflows.test import script_results
from wardround.workflows.test.plan import SelectedTest
from wardround.workflows.test.planning import PlannedTests
from wardround.workflows.test.projects import DetectedFramework, DetectedProject
from wardround.workflows.test.script_patterns import runnable_framework
from wardround.workflows.test.script_roles import is_script

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
    inner_first = sorted(planned.projects, key=lambda one: -len(one.root))
    found: dict[tuple[str, str] | None, list[SelectedTest]] = {}
    for test in planned.plan.selected:
        language = "javascript" if is_script(test.id) else "python"
        owners = (
            (one.root if one.run_from is None else one.run_from, language)
            for one in inner_first
            if one.language == language and (not one.root or test.id.startswith(f"{one.root}/"))
        )
        found.setdefault(next(owners, None), []).append(test)
    by_root = {(one.root, one.language): one for one in planned.projects}
    groups = []
    for key, tests in found.items():
        project = None if key is None else by_root[key]
        groups.append(TestGroup(project, _framework(project), tuple(tests)))
    return groups


def _framework(project: DetectedProject | None) -> DetectedFramework | None:
    if project is None:
        return None
    return project.frameworks[0] if project.language == "python" else runnable_framework(project)
