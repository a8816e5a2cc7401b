"""The files from which frameworks collect JavaScript tests: by default, and as configurations name them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.workflows.test.projects import DetectedFramework, DetectedProject, table
from wardround.workflows.test.script_arguments import ScriptArguments, script_arguments
from wardround.workflows.test.script_globs import matches_glob
from wardround.workflows.test.script_projects import script_preference
from wardround.workflows.test.script_results import FRAMEWORKS
from wardround.workflows.test.script_roles import holds_script_tests, is_script
from wardround.workflows.test.tree import TreeUnderTest

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
    """Return the files of tests of the projects whose framework runs here, sorted."""
    owners = {one.root: one for one in projects if one.language == "javascript"}
    roots = sorted(owners, key=lambda root: -len(root))
    patterns = {root: tuple(_patterns(owners[root], files)) for root in roots}
    return tuple(
        path
        for path in sorted(files.blobs)
        if is_script(path)
        and (root := next((one for one in roots if not one or path.startswith(f"{one}/")), None)) is not None
        and _is_test(path, owners[root], patterns[root])
    )


def runnable_framework(project: DetectedProject) -> DetectedFramework | None:
    """Return the first framework of a project whose tests are run."""
    return next((one for one in project.frameworks if one.name in FRAMEWORKS), None)


def framework_arguments(framework: DetectedFramework, files: TreeUnderTest) -> ScriptArguments:
    """Return the arguments of the script that starts a framework; none if no script does."""
    scripts = [one for one in framework.sources if one.key.startswith("scripts.")]
    for one in sorted(scripts, key=script_preference):
        try:
            document = msgspec.json.decode(files.text(one.file))
        except (msgspec.DecodeError, UnicodeError):
            continue
        script = str(table(document, "scripts").get(one.key.removeprefix("scripts.")) or "")
        return script_arguments(framework.name, script)
    return script_arguments(framework.name, "")


def _is_test(path: str, project: DetectedProject, patterns: Sequence[str]) -> bool:
    framework = runnable_framework(project)
    if framework is None:
        return False
    inside = posixpath.relpath(path, project.root or ".")
    if any(matches_glob(one, inside) for one in patterns):
        return True
    if framework.name == "node:test":
        return not patterns and _NODE_DEFAULT.search(inside) is not None
    return framework.name != "mocha" and holds_script_tests(path)


def _patterns(project: DetectedProject, files: TreeUnderTest) -> Iterator[str]:
    framework = runnable_framework(project)
    if framework is None:
        return
    found = list(_configured(framework, files))[:_MOST_PATTERNS]
    if framework.name in ("mocha", "node:test"):
        found += framework_arguments(framework, files).patterns
    if framework.name == "mocha" and not found:
        found.append(_MOCHA_DEFAULT)
    for one in found:
        yield one
        if _FOLDER.search(one):
            yield f"{one.rstrip('/')}/**/*"


def _configured(framework: DetectedFramework, files: TreeUnderTest) -> Iterator[str]:
    """Yield the patterns in files of configuration that name tests."""
    for source in framework.sources:
        for found in _LISTS.finditer(files.text(source.file)):
            for one in _QUOTED.finditer(found[1]):
                if _OF_TESTS.search(one[1]):
                    yield one[1].removeprefix("<rootDir>/")
