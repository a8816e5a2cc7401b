"""The checks of a patch: the tests of the projects, and the specialists with their tools."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from wardround import host
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.plan.model import PlannedCheck
from wardround.specialists import Specialist
from wardround.workflows.test.project.projects import DetectedFramework, DetectedProject, detect_projects

_MOST_NAMED = 3


def planned_checks(tree: BaseTree, paths: Sequence[str], tests: Sequence[str]) -> tuple[PlannedCheck, ...]:
    """Return what covers some files of code and tests."""
    files = list(dict.fromkeys([*paths, *tests]))
    return (*_test_commands(tree, files, tests), *_reviews(files))


def _test_commands(tree: BaseTree, files: Sequence[str], tests: Sequence[str]) -> Iterator[PlannedCheck]:
    projects = detect_projects(tuple(tree.blobs), tree.text)
    if not projects:
        return
    for project in _projects_of(projects, files):
        for framework in project.frameworks:
            yield from _test_command(project, framework, tests)
    yield PlannedCheck("wardround test", "the tests that the staged patch can break, in the sandbox")


def _test_command(
    project: DetectedProject, framework: DetectedFramework, tests: Sequence[str]
) -> Iterator[PlannedCheck]:
    """Yield the command of a framework that runs in a sandbox; pytest gets the planned tests."""
    if not framework.command or framework.is_listed_only:
        return
    arguments = list(framework.command)
    if framework.name == "pytest":
        arguments += [test.removeprefix(_folder(project)) for test in tests if _is_in(project, test)]
    source = framework.command_source
    origin = framework.name if source is None else f"{framework.name}, by {source.file}"
    yield PlannedCheck(shlex.join(arguments), f"{origin}, in {project.root or 'the top folder'}")


def _folder(project: DetectedProject) -> str:
    return f"{project.root}/" if project.root else ""


def _is_in(project: DetectedProject, path: str) -> bool:
    return path.startswith(_folder(project))


def _projects_of(projects: Sequence[DetectedProject], files: Sequence[str]) -> list[DetectedProject]:
    """Return the innermost projects around some files."""
    found: dict[DetectedProject, None] = {}
    for file in files:
        around = [project for project in projects if _is_in(project, file)]
        longest = max((len(project.root) for project in around), default=0)
        innermost = (project for project in around if len(project.root) == longest)
        found |= dict.fromkeys(innermost)
    return list(found)


def _reviews(files: Sequence[str]) -> Iterator[PlannedCheck]:
    """Yield the specialists that review the files, with their tools."""
    for specialist in host.load().specialists:
        own = list(filter(specialist.claims_name, files))
        if own and not specialist.reviews_all_text:
            yield PlannedCheck(f"wardround review --only {specialist.name}", _coverage(specialist, own))


def _coverage(specialist: Specialist, files: Sequence[str]) -> str:
    """Return the first files, and the tools that review them."""
    named = ", ".join(files[:_MOST_NAMED])
    if len(files) > _MOST_NAMED:
        named += f" and {len(files) - _MOST_NAMED} more"
    tools = {tool.name for tool in specialist.tools if not tool.opt_in}
    return f"{named} with {', '.join(sorted(tools))}" if tools else named
