"""The files that name the packages of a Python project: a lock file, or others."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.workflows.environments.build_code import build_tables
from wardround.workflows.environments.compiled import build_inputs
from wardround.workflows.environments.named_package_sources import named_package_sources
from wardround.workflows.environments.requirements import LocalProject, Requirements, name_of, normal, parse
from wardround.workflows.environments.setuptools_files import SetuptoolsFile, setuptools_files
from wardround.workflows.environments.task_requirements import TASK_FILES, task_requirements
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import DetectedProject, table, texts

_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock")
_TEST_NAME = LazyPattern(
    r"^(?:all-?)?(?:dev|devel|development|ci|pytest|(?:unit-?)?tests?|testing)(?:-(?:dev|deps|tools|base|requirements))?$"
)
_REQUIREMENTS = LazyPattern(r"^(?:requirements|[\w.-]*[._-]requirements|requirements[._-][\w.-]+)\.txt$")
_TEST_FILE = LazyPattern(r"(?:^|[._-])(?:dev|devel|development|ci|tests?|testing)(?:[._-]|$)")
_PINNED_PYTHON = LazyPattern(r"^(?:cpython-)?(\d\.\d{1,2})(?:\.\d+)?$")
_LEAST_PYTHON = LazyPattern(r"\d\.\d{1,2}")
_RELEVANT = ("project", "build-system", "dependency-groups")
_MOST_DEPTH = 10


class PythonSources(msgspec.Struct, frozen=True):
    """The files that decide the packages of a project.

    Attributes:
        folder: folder of the lock file or of the project, relative to the repository.
        lock: its name; empty if there is none.
        document: ``pyproject.toml`` of the folder.
        documents: folder -> ``pyproject.toml`` of the folder and of all below it.
        requirements: paths of files of requirements, the main one first.
        is_project: True if the folder itself can be installed.
        setuptools: the extras and packages of tests in ``setup.cfg`` and ``setup.py``.
        has_tasks: True if tox or nox name packages for tests, and no lock file does.
    """

    folder: str
    lock: str
    document: Mapping[str, object]
    documents: Mapping[str, Mapping[str, object]]
    requirements: tuple[str, ...] = ()
    is_project: bool = False
    setuptools: tuple[SetuptoolsFile, ...] = ()
    has_tasks: bool = False

    @property
    def description(self) -> str:
        """The files, as a noun phrase for a person."""
        if self.lock:
            return posixpath.join(self.folder, self.lock)
        names = [*self.requirements]
        if table(self.document, "project") or (self.document and not self.setuptools):
            names.append(posixpath.join(self.folder, "pyproject.toml"))
        names += [source.path for source in self.setuptools if source.path not in names]
        if self.has_tasks:
            names.append(f"the environments of tests of tox and nox in {self.folder or 'the repository'}")
        names = names or [posixpath.join(self.folder, "setup.py")]
        return " and ".join(names)

    @property
    def pythons(self) -> tuple[str, ...]:
        """The versions of the interpreter that the project allows, as a request."""
        requires = table(self.document, "project").get("requires-python")
        if not isinstance(requires, str):
            requires = table(self.document, "tool", "poetry", "dependencies").get("python")
            least = _LEAST_PYTHON.search(requires) if isinstance(requires, str) else None
            requires = f">={least[0]}" if least else ""
        return (requires,) if requires else ()


def python_sources(project: DetectedProject, files: TreeFiles) -> PythonSources:
    """Find the files that determine the packages of a project: a lock file of it or of a folder above it.

    Raises:
        EnvironmentUnavailable: no file names packages, or one cannot be read.
    """
    folder, lock = next(_locks(project.root, files), (project.root, ""))
    stem = f"{folder}/" if folder else ""
    documents = {
        posixpath.dirname(path): files.table(path)
        for path in sorted(files.paths)
        if posixpath.basename(path) == "pyproject.toml"
        and (path == f"{stem}pyproject.toml" or (lock == "uv.lock" and path.startswith(stem)))
    }
    document = documents.get(folder, {})
    names = files.names(folder)
    found = PythonSources(
        folder=folder,
        lock=lock,
        document=document,
        documents=documents,
        requirements=() if lock else tuple(_requirement_files(folder, files)),
        is_project=_is_project(document, names),
        setuptools=() if lock else tuple(setuptools_files(folder, files)),
        has_tasks=not lock and task_requirements(folder, files) != Requirements(),
    )
    if not (lock or document or found.requirements or found.is_project or found.has_tasks):
        raise EnvironmentUnavailable(
            f"{project.root or 'the repository'} has no lock file, no requirements and no pyproject.toml "
            "that names its packages; add one"
        )
    return found


def key_inputs(sources: PythonSources, files: TreeFiles) -> list[tuple[str, bytes]]:
    """Return the files that decide the packages, reduced to the parts that do."""
    inputs = [(path, files.content(path)) for path in _complete_inputs(sources, files)]
    for folder, document in _projects(sources, files).items():
        tools = build_tables(document)
        if sources.has_tasks:
            tools["tox"] = table(document, "tool", "tox")
        parts = {name: document.get(name) for name in _RELEVANT}
        content = json.dumps([parts, tools], sort_keys=True, default=str).encode()
        inputs.append((posixpath.join(folder, "pyproject.toml"), content))
        inputs += build_inputs(folder, document, files)
    return inputs


def _complete_inputs(sources: PythonSources, files: TreeFiles) -> Iterator[str]:
    """Yield the paths of the files that count in full: the lock or the requirements, and those of tasks."""
    if sources.lock:
        yield posixpath.join(sources.folder, sources.lock)
    if sources.has_tasks:
        stem = f"{sources.folder}/" if sources.folder else ""
        yield from (stem + name for name in TASK_FILES)
    if not sources.lock:
        for path in files.paths:
            if path.endswith((".txt", ".in")) and "requirements" in path:
                yield path


def _projects(sources: PythonSources, files: TreeFiles) -> dict[str, Mapping[str, object]]:
    """Return the manifests of the projects that a build installs, those that requirements name included."""
    folders = [sources.folder]
    with suppress(EnvironmentUnavailable):  # then nothing is built
        folders += [
            project.folder
            for project in declared_requirements(sources, files).projects
            if sources.lock != "uv.lock"
        ]
    others = {folder: files.table(posixpath.join(folder, "pyproject.toml")) for folder in folders}
    return {**others, **sources.documents}


def _locks(root: str, files: TreeFiles) -> Iterator[tuple[str, str]]:
    parts = root.split("/") if root else []
    for count in range(len(parts), -1, -1):
        folder = "/".join(parts[:count])
        yield from ((folder, name) for name in _LOCKS if posixpath.join(folder, name) in files.paths)


def _requirement_files(folder: str, files: TreeFiles) -> Iterator[str]:
    names = [name for name in files.names(folder) if _REQUIREMENTS.search(name)]
    if "requirements.txt" in names:
        yield posixpath.join(folder, "requirements.txt")
    inner = posixpath.join(folder, "requirements")
    below = [f"requirements/{name}" for name in files.names(inner) if name.endswith(".txt")]
    for name in (*names, *below):
        stem = posixpath.basename(name).removesuffix(".txt")
        if _TEST_FILE.search(stem) or name in ("requirements/base.txt", "requirements/main.txt"):
            yield posixpath.join(folder, name)


def _is_project(document: Mapping[str, object], names: Collection[str]) -> bool:
    """Return True if a folder can be installed as a package."""
    if table(document, "tool", "uv").get("package") is False:
        return False
    if table(document, "tool", "poetry").get("package-mode") is False:
        return False
    if table(document, "build-system"):
        return True
    return "setup.py" in names or ("setup.cfg" in names and "pyproject.toml" not in names)


def declared_requirements(sources: PythonSources, files: TreeFiles) -> Requirements:
    """Return the requirements that the files of a project state, including those of its tests.

    The versions in a lock file of poetry or pdm become constraints; one of uv is read by uv itself.
    """
    found = Requirements()
    for path in sources.requirements:
        found += parse(path, files.text(path) or "", files.text)
    document = sources.document
    if sources.lock == "poetry.lock" or table(document, "tool", "poetry"):
        found += Requirements(lines=tuple(_poetry(document)))
    found += Requirements(lines=tuple(_groups(document)))
    named = {*table(document, "project", "optional-dependencies")}
    named.update(name for source in sources.setuptools for name in source.extras)
    extras = tuple(sorted(filter(is_for_tests, named)))
    found += Requirements(lines=tuple(line for source in sources.setuptools for line in source.tests))
    if sources.is_project:
        found += Requirements(projects=(LocalProject(sources.folder, extras),))
    else:
        found += Requirements(lines=tuple(_direct(document, extras)))
    if sources.has_tasks:
        found += task_requirements(sources.folder, files)
    lock = files.table(posixpath.join(sources.folder, sources.lock)) if sources.lock else {}
    found += Requirements(constraints=tuple(_pins(lock)))
    locations = [*_poetry_tables(document), table(document, "tool", "uv", "sources")]
    return found + named_package_sources(sources.folder, locations, lock, files)


def is_for_tests(name: str) -> bool:
    """Return True for the name of an extra or a group with packages of tests or of development."""
    return _TEST_NAME.search(normal(name)) is not None


def group_names(document: Mapping[str, object]) -> list[str]:
    """Return the names of dependency groups for tests."""
    return sorted(filter(is_for_tests, table(document, "dependency-groups")))


def _direct(document: Mapping[str, object], extras: Collection[str]) -> Iterator[str]:
    yield from texts(table(document, "project").get("dependencies"))
    for name in extras:
        yield from texts(table(document, "project", "optional-dependencies").get(name))


def _groups(document: Mapping[str, object]) -> Iterator[str]:
    for name in group_names(document):
        yield from _group(table(document, "dependency-groups"), name, 0)
    legacy = table(document, "tool", "pdm", "dev-dependencies")
    for name in sorted(legacy):
        yield from (text for text in texts(legacy[name]) if not text.startswith("-e"))
    yield from texts(table(document, "tool", "uv").get("dev-dependencies"))


def _group(groups: Mapping[str, object], name: str, depth: int) -> Iterator[str]:
    members = groups.get(name)
    for member in members if isinstance(members, list) and depth < _MOST_DEPTH else ():
        if isinstance(member, str):
            yield member
        elif isinstance(member, dict) and isinstance(member.get("include-group"), str):
            yield from _group(groups, member["include-group"], depth + 1)


def _poetry(document: Mapping[str, object]) -> Iterator[str]:
    """Yield the requirements of poetry's own tables; the lock file has their versions."""
    poetry = table(document, "tool", "poetry")
    extras = table(poetry, "extras")
    for_tests = {normal(text) for name in extras if is_for_tests(name) for text in texts(extras[name])}
    for requirements in _poetry_tables(document):
        for name, value in requirements.items():
            if name == "python":
                continue
            for requirement in value if isinstance(value, list) else [value]:
                if not _is_optional(requirement) or normal(name) in for_tests:
                    yield _poetry_line(name, requirement)


def _is_optional(requirement: object) -> bool:
    return isinstance(requirement, dict) and bool(requirement.get("optional"))


def _poetry_tables(document: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the tables of requirements that are installed."""
    poetry = table(document, "tool", "poetry")
    tables = [table(poetry, "dependencies"), table(poetry, "dev-dependencies")]
    groups = filter(is_for_tests, table(poetry, "group"))
    return [*tables, *(table(poetry, "group", name, "dependencies") for name in groups)]


def _poetry_line(name: str, value: object) -> str:
    """Return a requirement without its version, which only poetry's own syntax can express."""
    if not isinstance(value, dict):
        return name
    extras = ",".join(texts(value.get("extras")))
    markers = value.get("markers")
    return f"{name}[{extras}]" * bool(extras) + name * (not extras) + (f" ; {markers}" if markers else "")


def _pins(lock: Mapping[str, object]) -> Iterator[str]:
    """Yield the versions in a lock file with their hashes; not those of a package that has several."""
    packages = lock.get("package")
    entries: dict[str, list[Mapping[str, object]]] = {}
    for package in packages if isinstance(packages, list) else ():
        if isinstance(package, dict) and isinstance(package.get("name"), str):
            entries.setdefault(name_of(package["name"]), []).append(package)
    for name, of_name in sorted(entries.items()):
        version = _only_version(of_name)
        if version is not None and not _is_from_elsewhere(of_name[0]):
            yield " ".join((f"{name}=={version}", *_hash_options(of_name)))


def _only_version(entries: Sequence[Mapping[str, object]]) -> str | None:
    match list({entry.get("version") for entry in entries}):
        case [str() as version]:
            return version
        case _:
            return None


def _is_from_elsewhere(package: Mapping[str, object]) -> bool:
    """Return True for a package that does not come from a registry."""
    kind = table(package, "source").get("type")
    return kind in ("git", "directory", "file", "url") or not {"git", "path", "url"}.isdisjoint(package)


def _hash_options(entries: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the options that name the digests of the files of a version, in order."""
    digests = (table(file).get("hash") for entry in entries for file in _files(entry))
    return sorted({f"--hash={digest}" for digest in digests if isinstance(digest, str)})


def _files(entry: Mapping[str, object]) -> Iterator[object]:
    found = entry.get("files")
    yield from found if isinstance(found, list) else ()
