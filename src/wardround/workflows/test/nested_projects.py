"""The JavaScript projects whose tests the command of a folder above them runs, too.

vitest and jest can run the tests of several projects at once: by ``projects`` or ``workspace`` of a
configuration, or by a file ``vitest.workspace.*``. Such tests run once, from the folder above.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.workflows.test.projects import DetectedFramework, DetectedProject, Fact, ProjectFiles, table
from wardround.workflows.test.script_globs import matches_glob
from wardround.workflows.test.script_results import FRAMEWORKS

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


def with_owners(found: Sequence[DetectedProject], files: ProjectFiles) -> Iterator[DetectedProject]:
    """Yield the projects, with the source by which a folder above runs their tests."""
    listings = {one.root: list(_listings(one, files)) for one in found}
    for project in found:
        above = [one for one in found if _is_above(one.root, project.root)]
        owners = (
            (one.root, fact)
            for one in sorted(above, key=lambda each: -len(each.root))
            for fact, framework, patterns in listings[one.root]
            if _is_run_from(one, project, framework) and _lists(patterns, one.root, project.root, files)
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
    top, own = (_framework(one, framework) for one in (above, project))
    return top is not None and own is not None and (_has_script(top) or not _has_script(own))


def _framework(project: DetectedProject, name: str) -> DetectedFramework | None:
    """Return the framework whose tests are run, if it has this name."""
    found = next((one for one in project.frameworks if one.name in FRAMEWORKS), None)
    return found if found is not None and found.name == name else None


def _has_script(framework: DetectedFramework) -> bool:
    return any(one.key.startswith("scripts.") for one in framework.sources)


def _listings(project: DetectedProject, files: ProjectFiles) -> Iterator[tuple[Fact, str, tuple[str, ...]]]:
    """Yield the source, the framework and the patterns of each list of projects of a folder."""
    names = {one.name for one in project.frameworks}
    for name in files.names(project.root):
        path = posixpath.join(project.root, name)
        if "vitest" in names and _WORKSPACE.search(name):
            yield Fact(project.root, path), "vitest", _of_workspace(path, files.text(path))
        for framework, pattern in _CONFIGURATIONS.items():
            if framework in names and pattern.search(name) and _WORDS.search(files.text(path)):
                yield from _of_configuration(project.root, path, framework, files.text(path))
        if "jest" in names and (name == "package.json" or _JSON_CONFIGURATION.search(name)):
            document = _json(files.text(path))
            found = table(document, "jest") if name == "package.json" else table(document)
            yield Fact(project.root, path, "projects"), "jest", tuple(_strings(found.get("projects")))


def _json(text: str) -> object:
    try:
        return msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, UnicodeError):
        return {}


def _strings(value: object) -> Iterator[str]:
    """Yield the patterns of a list; of an object in it, those of its ``root`` or ``rootDir``."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            roots = (one.get("root"), one.get("rootDir"), table(one, "test").get("root"))
            yield from (each for each in roots if isinstance(each, str))


def _of_workspace(path: str, text: str) -> tuple[str, ...]:
    from wardround.workflows.test.script_literals import (
        lists_of,
    )  # the parser: few repositories have the file

    if path.endswith(".json"):
        return tuple(_strings(_json(text)))
    return tuple(one for _, found in lists_of(path, text) for one in _strings(found))[:_MOST_PATTERNS]


def _of_configuration(
    root: str, path: str, framework: str, text: str
) -> Iterator[tuple[Fact, str, tuple[str, ...]]]:
    from wardround.workflows.test.script_literals import lists_of  # as above

    for key, found in lists_of(path, text):
        if match := _KEYS.search(key):
            yield Fact(root, path, match[1]), framework, tuple(_strings(found))[:_MOST_PATTERNS]


def _lists(patterns: Iterable[str], above: str, folder: str, files: ProjectFiles) -> bool:
    """Return True if patterns match a folder, or a configuration in it, and none excludes it."""
    inside = posixpath.relpath(folder, above or ".")
    paths = [inside, *(f"{inside}/{name}" for name in files.names(folder))]
    short = [one for one in patterns if len(one) <= _LONGEST_PATTERN]
    positive = [_normal(one) for one in short if not one.startswith("!")]
    negative = [_normal(one[1:]) for one in short if one.startswith("!")]
    matched = [path for path in paths if any(matches_glob(one, path) for one in positive)]
    return bool(matched) and not any(
        matches_glob(one, path) for one in negative for path in (inside, *matched)
    )


def _normal(pattern: str) -> str:
    return posixpath.normpath(pattern.removeprefix(_ROOT_DIRECTORY).rstrip("/") or ".")
