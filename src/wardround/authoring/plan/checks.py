"""What to run on the patch: the tests of the projects, and the specialists with their tools."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from wardround import host
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.plan.model import PlannedCheck
from wardround.workflows.test.project.projects import DetectedFramework, DetectedProject, detect_projects

_MOST_NAMED = 3


def planned_checks(tree: BaseTree, paths: Sequence[str], tests: Sequence[str]) -> tuple[PlannedCheck, ...]:
    """Return what covers some files of code and tests."""
    return (*_test_commands(tree, paths, tests), *_reviews([*paths, *tests]))


def _test_commands(tree: BaseTree, paths: Sequence[str], tests: Sequence[str]) -> Iterator[PlannedCheck]:
    projects = detect_projects(tuple(tree.blobs), tree.text)
    for project in _projects_of(projects, [*paths, *tests]):
        for framework in project.frameworks:
            if framework.command and not framework.is_listed_only:
                yield _test_command(project, framework, tests)
    if projects:
        yield PlannedCheck("wardround test", "the tests that the staged patch can break, in the sandbox")


def _test_command(
    project: DetectedProject, framework: DetectedFramework, tests: Sequence[str]
) -> PlannedCheck:
    """Return the command of a project; pytest gets the planned tests."""
    folder = f"{project.root}/" if project.root else ""
    own = [test.removeprefix(folder) for test in tests if test.startswith(folder)]
    arguments = own if framework.name == "pytest" else []
    place = project.root or "the top folder"
    return PlannedCheck(shlex.join([*framework.command, *arguments]), f"{_source(framework)}, in {place}")


def _source(framework: DetectedFramework) -> str:
    source = framework.command_source
    return framework.name if source is None else f"{framework.name}, by {source.file}"


def _projects_of(projects: Sequence[DetectedProject], paths: Sequence[str]) -> list[DetectedProject]:
    """Return the innermost projects around some files."""
    found: dict[DetectedProject, None] = {}
    for path in paths:
        around = [project for project in projects if not project.root or path.startswith(f"{project.root}/")]
        longest = max((len(project.root) for project in around), default=0)
        found |= dict.fromkeys(project for project in around if len(project.root) == longest)
    return list(found)


def _reviews(paths: Sequence[str]) -> Iterator[PlannedCheck]:
    """Yield the specialists that review the files, with their tools."""
    for specialist in host.load().specialists:
        own = [path for path in dict.fromkeys(paths) if specialist.claims_name(path)]
        if own and not specialist.reviews_all_text:
            tools = sorted({tool.name for tool in specialist.tools if not tool.opt_in})
            named = ", ".join(own[:_MOST_NAMED]) + (" and others" if len(own) > _MOST_NAMED else "")
            with_tools = f" with {', '.join(tools)}" if tools else ""
            yield PlannedCheck(f"wardround review --only {specialist.name}", f"{named}{with_tools}")
