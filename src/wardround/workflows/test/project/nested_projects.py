"""The JavaScript projects whose tests the command of a folder above them runs, too.

vitest and jest can run the tests of several projects at once: by ``projects`` or ``workspace`` of a
configuration, or by a file ``vitest.workspace.*``. Such tests run once, from the folder above.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.workflows.test.project.projects import (
    DetectedFramework,
    DetectedProject,
    Fact,
    ProjectFiles,
    table,
)
from wardround.workflows.test.scripts.globs import matches_glob
from wardround.workflows.test.scripts.results import FRAMEWORKS

_CONFIGURATIONS: Mapping[str, LazyPattern] = {
    "vitest": LazyPattern(r"^vite(?:st)?\.(?:[\w-]+\.)?config\.[cm]?[jt]s$"),
    "jest": LazyPattern(r"^jest\.config\.[cm]?[jt]s$"),
}
_JSON_CONFIGURATION = LazyPattern(r"^jest\.config\.json$")
_WORKSPACE = LazyPattern(r"^vitest\.(?:workspace|projects)\.(?:[cm]?[jt]s|json)$")
_KEYS = LazyPattern(r"^[\"']?(projects|workspace)[\"']?$")
_WORDS = LazyPattern(r"\b(?:projects|workspace)\b")
_ROOT_DIRECTORY = "<rootDir>/"
_MOST_PATTERNS = 200
_LONGEST_PATTERN = 200


def add_owners(found: Sequence[DetectedProject], files: ProjectFiles) -> Iterator[DetectedProject]:
    """Yield the projects, with the source by which a folder above runs their tests."""
    listings = {other.root: list(_listings(other, files)) for other in found}
    for project in found:
        above = [other for other in found if _is_above(other.root, project.root)]
        owners = (
            (above_project.root, fact)
            for above_project in sorted(above, key=lambda each: -len(each.root))
            for fact, framework, patterns in listings[above_project.root]
            if _is_run_from(above_project, project, framework)
            and _lists_folder(patterns, above_project.root, project.root, files)
        )
        owner = next(owners, None)
        yield (
            project
            if owner is None
            else msgspec.structs.replace(project, run_from=owner[0], run_from_source=owner[1])
        )


def _is_above(folder: str, other: str) -> bool:
    return folder != other and (not folder or other.startswith(f"{folder}/"))


def _is_run_from(above: DetectedProject, project: DetectedProject, framework: str) -> bool:
    """Return True unless only the project itself has a script that starts the framework."""
    top, own = (_framework(owner, framework) for owner in (above, project))
    return top is not None and own is not None and (_has_script(top) or not _has_script(own))


def _framework(project: DetectedProject, name: str) -> DetectedFramework | None:
    """Return the framework whose tests are run, if it has this name."""
    found = next((framework for framework in project.frameworks if framework.name in FRAMEWORKS), None)
    return found if found is not None and found.name == name else None


def _has_script(framework: DetectedFramework) -> bool:
    return any(source.key.startswith("scripts.") for source in framework.sources)


def _listings(project: DetectedProject, files: ProjectFiles) -> Iterator[tuple[Fact, str, tuple[str, ...]]]:
    """Yield the source, the framework and the patterns of each list of projects of a folder."""
    frameworks = {framework.name for framework in project.frameworks}
    for name in files.names(project.root):
        path = posixpath.join(project.root, name)
        if "vitest" in frameworks and _WORKSPACE.search(name):
            yield Fact(project.root, path), "vitest", _workspace_projects(path, files.text(path))
        for framework, pattern in _CONFIGURATIONS.items():
            if framework in frameworks and pattern.search(name) and _WORDS.search(files.text(path)):
                yield from _configured_projects(project.root, path, framework, files.text(path))
        if "jest" in frameworks:
            yield from _jest_projects(project.root, name, files)


def _jest_projects(root: str, name: str, files: ProjectFiles) -> Iterator[tuple[Fact, str, tuple[str, ...]]]:
    """Yield the list of projects of a configuration of jest in JSON."""
    is_package = name == "package.json"
    if not is_package and not _JSON_CONFIGURATION.search(name):
        return
    path = posixpath.join(root, name)
    document = _json(files.text(path))
    found = table(document, "jest") if is_package else table(document)
    yield Fact(root, path, "projects"), "jest", tuple(_strings(found.get("projects")))


def _json(text: str) -> object:
    try:
        return msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, UnicodeError):
        return {}


def _strings(value: object) -> Iterator[str]:
    """Yield the patterns of a list; for an object in it, those of its ``root`` or ``rootDir``."""
    for part in value if isinstance(value, list) else ():
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            roots = (part.get("root"), part.get("rootDir"), table(part, "test").get("root"))
            yield from (each for each in roots if isinstance(each, str))


def _workspace_projects(path: str, text: str) -> tuple[str, ...]:
    from wardround.workflows.test.scripts.literals import (
        lists_of,  # the parser: few repositories have the file
    )

    if path.endswith(".json"):
        return tuple(_strings(_json(text)))
    return tuple(string for _, found in lists_of(path, text) for string in _strings(found))[:_MOST_PATTERNS]


def _configured_projects(
    root: str, path: str, framework: str, text: str
) -> Iterator[tuple[Fact, str, tuple[str, ...]]]:
    from wardround.workflows.test.scripts.literals import lists_of  # as above

    for key, found in lists_of(path, text):
        if match := _KEYS.search(key):
            yield Fact(root, path, match[1]), framework, tuple(_strings(found))[:_MOST_PATTERNS]


def _lists_folder(patterns: Iterable[str], above: str, folder: str, files: ProjectFiles) -> bool:
    """Return True if patterns match a folder, or a configuration in it, and none excludes it."""
    inside = posixpath.relpath(folder, above or ".")
    paths = [inside, *(f"{inside}/{name}" for name in files.names(folder))]
    positive: list[str] = []
    negative: list[str] = []
    for pattern in patterns:
        if len(pattern) <= _LONGEST_PATTERN:
            (negative if pattern.startswith("!") else positive).append(_normal(pattern.removeprefix("!")))
    matched = [path for path in paths if _is_matched(path, positive)]
    return bool(matched) and not any(_is_matched(path, negative) for path in (inside, *matched))


def _is_matched(path: str, patterns: Iterable[str]) -> bool:
    return any(matches_glob(pattern, path) for pattern in patterns)


def _normal(pattern: str) -> str:
    return posixpath.normpath(pattern.removeprefix(_ROOT_DIRECTORY).rstrip("/") or ".")
