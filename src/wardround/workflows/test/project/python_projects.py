"""The Python projects of a repository, from the files of their package managers and frameworks of tests."""

from __future__ import annotations

import configparser
import posixpath
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from wardround.lazy import LazyPattern
from wardround.retrieval.test_discovery import contains_tests
from wardround.workflows.test.project.projects import (
    DetectedFramework,
    DetectedProject,
    Fact,
    ProjectFiles,
    table,
    texts,
)
from wardround.workflows.test.project.workspaces import members

_MARKERS = (
    "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "pytest.ini", "requirements.txt",
)  # fmt: skip
_LOCKS = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm"}
_TOOLS = ("uv", "poetry", "pdm", "hatch")
_TABLES = {"hatch": ("envs",)}
"""Table below ``tool`` that shows that a manager is in use, where the build back end has the same name."""
_RUN = {"uv": ("uv", "run"), "poetry": ("poetry", "run"), "pdm": ("pdm", "run"), "hatch": ("hatch", "run")}
_REQUIREMENTS = LazyPattern(r"^[\w.-]*requirements[\w.-]*\.(?:txt|in)$")
_PYTEST = LazyPattern(r"(?m)^[ \t]*[\"']?pytest(?![\w-])| -m pytest\b")
_SETUP_PYTEST = LazyPattern(r"[\"']pytest(?:[\"'<>=~!;\[ ,])")
_IMPORTED_PYTEST = LazyPattern(r"(?m)^(?:import|from)[ \t]+pytest\b")
_NOX_PYTEST = LazyPattern(r"\.run\((?:[^()]{0,200}[\"', ])?[\"']pytest[\"']")
_UNITTEST = LazyPattern(r"(?m)^[ \t]*(?:import|from)[ \t]+unittest\b")
_MOST_DEPTH = 8
_MOST_TEST_FILES = 50
"""Test files that are read for a framework that no configuration names."""
_DEPENDENCIES: tuple[tuple[str, ...], ...] = (
    ("dependency-groups",), ("project", "optional-dependencies"), ("tool", "poetry", "group"),
    ("tool", "poetry", "dev-dependencies"), ("tool", "pdm", "dev-dependencies"), ("tool", "hatch", "envs"),
    ("tool", "uv"),
)  # fmt: skip


def detect_python(files: ProjectFiles) -> Iterator[DetectedProject]:
    """Yield the Python projects that have a framework of tests."""
    roots = [folder for folder in files.folders if any(files.has(folder, name) for name in _MARKERS)]
    settings = {root: _toml(files.text(posixpath.join(root, "pyproject.toml"))) for root in roots}
    belonging = dict(_workspaces(settings))
    for root in roots:
        workspace = belonging.get(root)
        managers = tuple(_managers(files, root, settings[root], workspace))
        frameworks = tuple(_frameworks(files, root, settings[root], managers, roots))
        if frameworks:
            yield DetectedProject(root, "python", managers, frameworks, workspace)


def _toml(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}


def _workspaces(settings: Mapping[str, Mapping[str, object]]) -> Iterator[tuple[str, Fact]]:
    for root, document in settings.items():
        found = table(document, "tool", "uv", "workspace")
        patterns = texts(found.get("members"))
        if patterns:
            source = Fact("uv", posixpath.join(root, "pyproject.toml"), "tool.uv.workspace.members")
            yield from members(root, patterns, texts(found.get("exclude")), settings.keys(), source)


def _managers(
    files: ProjectFiles, root: str, document: Mapping[str, object], workspace: Fact | None
) -> Iterator[Fact]:
    found = [
        Fact(value, posixpath.join(root, name)) for name, value in _LOCKS.items() if files.has(root, name)
    ]
    found += [workspace] if workspace is not None else []
    pyproject = posixpath.join(root, "pyproject.toml")
    for tool in _TOOLS:
        keys = ("tool", tool, *_TABLES.get(tool, ()))
        if table(document, *keys):
            found.append(Fact(tool, pyproject, ".".join(keys)))
    if files.has(root, "hatch.toml"):
        found.append(Fact("hatch", posixpath.join(root, "hatch.toml")))
    if not found:
        found = list(_pip(files, root, document))
    seen: set[str] = set()
    for manager in found:
        if manager.value not in seen:
            seen.add(manager.value)
            yield manager


def _pip(files: ProjectFiles, root: str, document: Mapping[str, object]) -> Iterator[Fact]:
    """Yield the files that pip installs from."""
    for name in files.names(root):
        if _REQUIREMENTS.search(name):
            yield Fact("pip", posixpath.join(root, name))
    if table(document, "build-system"):
        yield Fact("pip", posixpath.join(root, "pyproject.toml"), "build-system")
    elif files.has(root, "setup.py"):
        yield Fact("pip", posixpath.join(root, "setup.py"))


def _frameworks(
    files: ProjectFiles,
    root: str,
    document: Mapping[str, object],
    managers: Sequence[Fact],
    roots: Sequence[str],
) -> Iterator[DetectedFramework]:
    run = _RUN.get(managers[0].value, ()) if managers else ()
    pytest = tuple(_pytest(files, root, document))
    own = [] if pytest else _project_tests(files, root, roots)
    pytest = pytest or tuple(_imports(files, own, "pytest", _IMPORTED_PYTEST))
    if pytest:
        yield DetectedFramework("pytest", pytest, (*(run or ("python", "-m")), "pytest"), pytest[0])
    elif unittest := tuple(_imports(files, own, "unittest", _UNITTEST)):
        command = (*run, "python", "-m", "unittest", "discover")
        yield DetectedFramework("unittest", unittest, command, unittest[0])
    for name, sources in (("tox", _tox(files, root, document)), ("nox", _nox(files, root))):
        if found := tuple(sources):
            yield DetectedFramework(name, found, (name,), found[0])


def _pytest(files: ProjectFiles, root: str, document: Mapping[str, object]) -> Iterator[Fact]:
    yield from _pytest_settings(files, root, document)
    for keys in _DEPENDENCIES:
        if _requires_package(table(document, *keys), "pytest"):
            yield Fact("pytest", posixpath.join(root, "pyproject.toml"), ".".join(keys))
    tox = posixpath.join(root, "tox.ini")
    if _PYTEST.search(files.text(tox)):
        yield Fact("pytest", tox, "testenv")
    nox = posixpath.join(root, "noxfile.py")
    if _NOX_PYTEST.search(files.text(nox)):
        yield Fact("pytest", nox, "session.run")
    if _has_pytest(table(document, "tool", "tox")):
        yield Fact("pytest", posixpath.join(root, "pyproject.toml"), "tool.tox")
    yield from _pytest_requirements(files, root)
    for folder in (root, posixpath.join(root, "tests")):
        if files.has(folder, "conftest.py"):
            yield Fact("pytest", posixpath.join(folder, "conftest.py"))


def _pytest_requirements(files: ProjectFiles, root: str) -> Iterator[Fact]:
    """Yield the files of requirements, and those of setuptools, that name pytest."""
    folder = posixpath.join(root, "requirements")
    paths = [posixpath.join(root, name) for name in files.names(root) if _REQUIREMENTS.search(name)]
    paths += [posixpath.join(folder, name) for name in files.names(folder) if name.endswith((".txt", ".in"))]
    for path in (*paths, posixpath.join(root, "setup.cfg")):
        if _PYTEST.search(files.text(path)):
            yield Fact("pytest", path)
    setup = posixpath.join(root, "setup.py")
    if _SETUP_PYTEST.search(files.text(setup)):
        yield Fact("pytest", setup)


def _has_pytest(value: object, depth: int = 0) -> bool:
    """Return True if a table has pytest as an argument of a command, or in a text of commands."""
    if isinstance(value, str):
        return value == "pytest" or ("\n" in value and _PYTEST.search(value) is not None)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth < _MOST_DEPTH and any(_has_pytest(table, depth + 1) for table in inner)


def _pytest_settings(files: ProjectFiles, root: str, document: Mapping[str, object]) -> Iterator[Fact]:
    """Yield the files and sections that configure pytest."""
    for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"):
        if files.has(root, name):
            yield Fact("pytest", posixpath.join(root, name))
    for section in ("tool.pytest.ini_options", "tool.pytest"):
        if table(document, *section.split(".")):
            yield Fact("pytest", posixpath.join(root, "pyproject.toml"), section)
            break
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        if section in _sections(files.text(posixpath.join(root, name))):
            yield Fact("pytest", posixpath.join(root, name), section)


def _requires_package(value: object, package: str, depth: int = 0) -> bool:
    """Return True if a table of dependencies has a package, as a key or as a requirement in a list."""
    if isinstance(value, dict):
        return package in value or (
            depth < 5 and any(_requires_package(table, package, depth + 1) for table in value.values())
        )
    return any(
        text.startswith(package)
        and not text[len(package) :][:1].isalnum()
        and text[len(package) :][:1] not in ("-", "_")
        for text in texts(value)
    )


def _imports(
    files: ProjectFiles, tests: Sequence[str], framework: str, pattern: LazyPattern
) -> Iterator[Fact]:
    """Yield the first import of a framework in some test files."""
    for path in tests[:_MOST_TEST_FILES]:
        if match := pattern.search(files.text(path)):
            yield Fact(framework, path, match[0].strip())
            return


def _project_tests(files: ProjectFiles, root: str, roots: Sequence[str]) -> list[str]:
    """Return the test files below a folder that belong to no project further below."""
    inner = [f"{other}/" for other in roots if other != root and (not root or other.startswith(f"{root}/"))]
    return [
        path
        for path in files.below(root)
        if path.endswith(".py") and contains_tests(path) and not path.startswith(tuple(inner))
    ]


def _tox(files: ProjectFiles, root: str, document: Mapping[str, object]) -> Iterator[Fact]:
    sections = _sections(files.text(posixpath.join(root, "tox.ini")))
    if section := next((name for name in sections if name == "tox" or name.startswith("testenv")), ""):
        yield Fact("tox", posixpath.join(root, "tox.ini"), section)
    if files.has(root, "tox.toml"):
        yield Fact("tox", posixpath.join(root, "tox.toml"))
    if table(document, "tool", "tox"):
        yield Fact("tox", posixpath.join(root, "pyproject.toml"), "tool.tox")


def _nox(files: ProjectFiles, root: str) -> Iterator[Fact]:
    if files.has(root, "noxfile.py"):
        yield Fact("nox", posixpath.join(root, "noxfile.py"))


def _sections(text: str) -> list[str]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return []
    return parser.sections()
