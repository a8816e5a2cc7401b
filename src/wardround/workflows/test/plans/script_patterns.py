"""The files from which frameworks collect JavaScript tests: by default, and as configurations name them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.workflows.test.project.projects import DetectedFramework, DetectedProject, table
from wardround.workflows.test.project.script_arguments import ScriptArguments, script_arguments
from wardround.workflows.test.project.script_projects import script_preference
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.scripts.globs import matches_glob
from wardround.workflows.test.scripts.results import FRAMEWORKS
from wardround.workflows.test.scripts.roles import contains_script_tests, is_script

_LISTS = LazyPattern(
    r"\b(?:include|testMatch|spec|testRegex)[\"']?\s*:\s*(\[[^\]]{0,2000}\]|[\"'`][^\"'`\n]{1,200}[\"'`])"
)
_QUOTED = LazyPattern(r"[\"'`]([^\"'`\n]{1,200})[\"'`]")
_OF_TESTS = LazyPattern(r"(?i)test|spec")
_FOLDER = LazyPattern(r"^[\w./-]+$")
_MOCHA_DEFAULT = "./test/*.{js,cjs,mjs}"
_NODE_DEFAULT = LazyPattern(
    r"(?:^|/)test/(?:.*/)?[^/]+\.[cm]?js$|(?:^|/)test(?:-[^/]+)?\.[cm]?js$|[._-]test\.[cm]?js$"
)
_MOST_PATTERNS = 50


def script_test_files(projects: Iterable[DetectedProject], files: TreeUnderTest) -> tuple[str, ...]:
    """Return the test files of the projects whose framework runs here, sorted."""
    owners = {project.root: project for project in projects if project.language == "javascript"}
    roots = sorted(owners, key=lambda root: -len(root))
    patterns = {root: tuple(_patterns(owners[root], files)) for root in roots}
    found = []
    for path in filter(is_script, sorted(files.blobs)):
        root = next((root for root in roots if not root or path.startswith(f"{root}/")), None)
        if root is not None and _is_test(path, owners[root], patterns[root]):
            found.append(path)
    return tuple(found)


def runnable_framework(project: DetectedProject) -> DetectedFramework | None:
    """Return the first framework of a project whose tests are run."""
    return next((framework for framework in project.frameworks if framework.name in FRAMEWORKS), None)


def framework_arguments(framework: DetectedFramework, files: TreeUnderTest) -> ScriptArguments:
    """Return the arguments of the script that starts a framework; none if no script does."""
    scripts = [source for source in framework.sources if source.key.startswith("scripts.")]
    for source in sorted(scripts, key=script_preference):
        try:
            document = msgspec.json.decode(files.text(source.file))
        except (msgspec.DecodeError, UnicodeError):
            continue
        script = str(table(document, "scripts").get(source.key.removeprefix("scripts.")) or "")
        return script_arguments(framework.name, script)
    return script_arguments(framework.name, "")


def _is_test(path: str, project: DetectedProject, patterns: Sequence[str]) -> bool:
    framework = runnable_framework(project)
    if framework is None:
        return False
    inside = posixpath.relpath(path, project.root or ".")
    if any(matches_glob(pattern, inside) for pattern in patterns):
        return True
    if framework.name == "node:test":
        return not patterns and _NODE_DEFAULT.search(inside) is not None
    return framework.name != "mocha" and contains_script_tests(path)


def _patterns(project: DetectedProject, files: TreeUnderTest) -> Iterator[str]:
    framework = runnable_framework(project)
    if framework is None:
        return
    found = list(_configured_patterns(framework, files))[:_MOST_PATTERNS]
    if framework.name in ("mocha", "node:test"):
        found += framework_arguments(framework, files).patterns
    if framework.name == "mocha" and not found:
        found.append(_MOCHA_DEFAULT)
    for pattern in found:
        yield pattern
        if _FOLDER.search(pattern):
            yield f"{pattern.rstrip('/')}/**/*"


def _configured_patterns(framework: DetectedFramework, files: TreeUnderTest) -> Iterator[str]:
    """Yield the patterns in files of configuration that name tests."""
    for source in framework.sources:
        for found in _LISTS.finditer(files.text(source.file)):
            for match in _QUOTED.finditer(found[1]):
                if _OF_TESTS.search(match[1]):
                    yield match[1].removeprefix("<rootDir>/")
