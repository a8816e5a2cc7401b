"""The JavaScript and TypeScript projects of a repository, from ``package.json`` and the files next to it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.plain_yaml import load_plain
from wardround.workflows.test.project.nested_projects import add_owners
from wardround.workflows.test.project.projects import (
    DetectedFramework,
    DetectedProject,
    Fact,
    ProjectFiles,
    table,
    texts,
)
from wardround.workflows.test.project.workspaces import members

_PACKAGE = "package.json"
_LOCKS = {
    "pnpm-lock.yaml": "pnpm", "bun.lock": "bun", "bun.lockb": "bun", "yarn.lock": "yarn",
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm",
}  # fmt: skip
_MANAGERS = ("npm", "pnpm", "yarn", "bun")
_EXECUTE = {
    "npm": ("npx", "--no-install"), "pnpm": ("pnpm", "exec"), "yarn": ("yarn", "run"),
    "bun": ("bunx", "--no-install"),
}  # fmt: skip
_PACKAGES = {"vitest": "vitest", "jest": "jest", "mocha": "mocha", "playwright": "@playwright/test"}
_ARGUMENTS = {"vitest": ("vitest", "run"), "jest": ("jest",), "mocha": ("mocha",)}
_FILES = LazyPattern(r"^(?:(vitest|jest|playwright)\.config\.[\w.]+|\.(mocha)rc(?:\.\w+)?)$")
_NODE_TEST = LazyPattern(r"(?:^|[\s&;])node\s(?:[^&|;]*\s)?--test\b")
_TEST_SCRIPT = LazyPattern(r"^(?:test|unit)(?:$|[:\-_])")
_PROGRAM = LazyPattern(r"(?:^|[\s&;/])(vitest|jest|mocha)(?![\w-])")
_USUAL_SCRIPTS = ("test", "test:unit", "unit", "test:run", "test:ci", "test:src")
_LONGEST_SCRIPT = 2000
_USUAL_MANAGER = "npm"
"""The one that is installed with Node.js; it runs scripts where no file names another."""
_NO_TEST = "no test specified"
"""The text of the script that ``npm init`` writes."""


def detect_scripts(files: ProjectFiles) -> Iterator[DetectedProject]:
    """Yield the folders with a ``package.json`` that have a framework of tests."""
    yield from add_owners(list(_detect_projects(files)), files)


def _detect_projects(files: ProjectFiles) -> Iterator[DetectedProject]:
    roots = [folder for folder in files.folders if files.has(folder, _PACKAGE)]
    documents = {root: _json(files.text(posixpath.join(root, _PACKAGE))) for root in roots}
    belonging: dict[str, tuple[str, Fact]] = {}
    for top in roots:
        for root, source in _members(files, top, documents):
            belonging.setdefault(root, (top, source))
    for root in roots:
        top, workspace = belonging.get(root, (root, None))
        managers = tuple(_managers(files, root, top, documents))
        frameworks = tuple(_frameworks(files, root, documents[root], managers))
        if frameworks:
            yield DetectedProject(root, "javascript", managers, frameworks, workspace)


def _json(text: str) -> Mapping[str, object]:
    try:
        found = msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _members(
    files: ProjectFiles, top: str, documents: Mapping[str, Mapping[str, object]]
) -> Iterator[tuple[str, Fact]]:
    found = documents[top].get("workspaces")
    nested = texts(table(found).get("packages"))
    key = "workspaces.packages" if nested else "workspaces"
    package = posixpath.join(top, _PACKAGE)
    yield from members(top, nested or texts(found), (), documents.keys(), Fact("workspace", package, key))
    pnpm = posixpath.join(top, "pnpm-workspace.yaml")
    patterns = texts((load_plain(files.text(pnpm)) or {}).get("packages"))
    yield from members(top, patterns, (), documents.keys(), Fact("pnpm", pnpm, "packages"))


def _managers(
    files: ProjectFiles, root: str, top: str, documents: Mapping[str, Mapping[str, object]]
) -> Iterator[Fact]:
    """Yield the managers of a folder, or else of the top of its workspace."""
    for folder in dict.fromkeys((root, top)):
        found = list(_managers_in(files, folder, documents[folder]))
        if found:
            yield from found
            return


def _managers_in(files: ProjectFiles, folder: str, document: Mapping[str, object]) -> Iterator[Fact]:
    seen: set[str] = set()
    named = str(document.get("packageManager") or "").partition("@")[0]
    if named in _MANAGERS:
        seen.add(named)
        yield Fact(named, posixpath.join(folder, _PACKAGE), "packageManager")
    for name, manager in _LOCKS.items():
        if files.has(folder, name) and manager not in seen:
            seen.add(manager)
            yield Fact(manager, posixpath.join(folder, name))


def _frameworks(
    files: ProjectFiles, root: str, document: Mapping[str, object], managers: Sequence[Fact]
) -> Iterator[DetectedFramework]:
    manager = managers[0].value if managers else ""
    for name, found in _sources(files, root, document).items():
        command, source = _command(name, found, manager)
        is_listed_only = name == "playwright"
        if is_listed_only or not command:
            yield DetectedFramework(name, found, is_listed_only=is_listed_only)
        else:
            yield DetectedFramework(name, found, command, source)
    yield from _runtime_framework(root, document, manager)


def _runtime_framework(
    root: str, document: Mapping[str, object], manager: str
) -> Iterator[DetectedFramework]:
    """Yield the framework of the runtime itself that the script of the tests starts."""
    script = str(table(document, "scripts").get("test") or "")
    if _NO_TEST in script:
        return
    source = Fact(script, posixpath.join(root, _PACKAGE), "scripts.test")
    if _NODE_TEST.search(script):
        yield DetectedFramework("node:test", (source,), (manager or _USUAL_MANAGER, "run", "test"), source)
    elif manager == "bun" and "bun test" in script:
        yield DetectedFramework("bun:test", (source,), ("bun", "run", "test"), source)


def _command(name: str, found: Sequence[Fact], manager: str) -> tuple[tuple[str, ...], Fact]:
    """Return the command of a framework: the script that runs it, or else its program."""
    scripts = sorted((source for source in found if source.key.startswith("scripts.")), key=script_preference)
    if scripts:
        return (manager or _USUAL_MANAGER, "run", scripts[0].key.removeprefix("scripts.")), scripts[0]
    if not manager:
        return (), found[0]
    return (*_EXECUTE[manager], *_ARGUMENTS.get(name, (name,))), found[0]


def script_preference(fact: Fact) -> tuple[int, int]:
    """Return the sort key of a script that runs tests: those with a usual name first, then short names."""
    name = fact.key.removeprefix("scripts.")
    usual = _USUAL_SCRIPTS.index(name) if name in _USUAL_SCRIPTS else len(_USUAL_SCRIPTS)
    return usual, len(name)


def _sources(files: ProjectFiles, root: str, document: Mapping[str, object]) -> dict[str, tuple[Fact, ...]]:
    """Return the frameworks that a file of configuration, a key or a dependency names."""
    found: dict[str, list[Fact]] = {}
    for fact in (
        *_facts_of_files(files, root),
        *_facts_of_keys(root, document),
        *_facts_of_scripts(root, document),
    ):
        found.setdefault(fact.value, []).append(fact)
    return {name: tuple(dict.fromkeys(facts)) for name, facts in found.items()}


def _facts_of_files(files: ProjectFiles, root: str) -> Iterator[Fact]:
    for name in files.names(root):
        if match := _FILES.search(name):
            yield Fact(match[1] or match[2], posixpath.join(root, name))


def _facts_of_keys(root: str, document: Mapping[str, object]) -> Iterator[Fact]:
    package = posixpath.join(root, _PACKAGE)
    for framework, dependency in _PACKAGES.items():
        if framework in document:
            yield Fact(framework, package, framework)
        for key in ("devDependencies", "dependencies"):
            if dependency in table(document, key):
                yield Fact(framework, package, f"{key}.{dependency}")


def _facts_of_scripts(root: str, document: Mapping[str, object]) -> Iterator[Fact]:
    package = posixpath.join(root, _PACKAGE)
    for key, value in table(document, "scripts").items():
        if _TEST_SCRIPT.search(key):
            for match in _PROGRAM.finditer(str(value)[:_LONGEST_SCRIPT]):
                yield Fact(match[1], package, f"scripts.{key}")
