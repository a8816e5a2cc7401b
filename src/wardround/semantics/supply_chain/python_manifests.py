"""Dependencies of Python projects: pyproject.toml, requirements files, setup.cfg and Pipfile."""

from __future__ import annotations

import configparser
from collections.abc import Iterator, Mapping
from typing import Any

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.dependency import Dependency, LineFinder, Manifest, Scope

_NORMAL = LazyPattern(r"[-_.]+")
_PINNED = LazyPattern(r"\s*={2,3}\s*[^*,;\s]+\s*")
_REVISION = LazyPattern(r"@([\w./-]{1,200})(?:#.*)?$")
_COMMIT = LazyPattern(r"[0-9a-f]{40}")
_OPTION = LazyPattern(r"\s(--?[a-z][a-z-]*)(?:[ =](\S+))?")
_INDEX_OPTION = LazyPattern(
    r"\s*(-i|-f|--index-url|--extra-index-url|--find-links|--trusted-host)(?:\s+|\s*=\s*)(\S+)"
)
_DEV_NAMES = LazyPattern(
    r"(?:^|[-_.\s])(?:dev(?:el(?:opment)?)?|tests?|testing|lint(?:ing)?|typing|docs?|ci|check|build|bench"
    r"|local|style|types|quality|tools?)(?:$|[-_.\s])"
)
_LONGEST_LINE = 5_000


def normal_name(name: str) -> str:
    """Return the name of a Python package as package indexes compare it."""
    return _NORMAL.sub("-", name).lower()


def read_pyproject(text: str) -> Manifest:
    """Read the tables of PEP 621, PEP 735, PEP 518, Poetry, PDM and uv."""
    import tomllib  # only changes of such a file need it

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as cause:
        return Manifest(problem=f"it is not TOML: {type(cause).__name__}")
    lines = LineFinder(text)
    tool = _table(document, "tool")
    uv = _table(tool, "uv")
    sources = _table(uv, "sources")
    return Manifest((
        *_project(document, sources, lines),
        *_poetry(_table(tool, "poetry"), lines),
        *_groups(_table(_table(tool, "pdm"), "dev-dependencies"), Scope.DEV, {}, lines),
        *_group(uv.get("dev-dependencies"), Scope.DEV, sources, lines),
        *_group(uv.get("override-dependencies"), Scope.CONSTRAINT, {}, lines),
        *_group(uv.get("constraint-dependencies"), Scope.CONSTRAINT, {}, lines),
        *_indexes(tool, lines),
    ))  # fmt: skip


def _project(
    document: Mapping[str, Any], sources: Mapping[str, Any], lines: LineFinder
) -> Iterator[Dependency]:
    project = _table(document, "project")
    yield from _group(_table(document, "build-system").get("requires"), Scope.BUILD, {}, lines)
    yield from _group(project.get("dependencies"), Scope.RUNTIME, sources, lines)
    yield from _groups(_table(project, "optional-dependencies"), Scope.OPTIONAL, sources, lines)
    yield from _groups(_table(document, "dependency-groups"), Scope.DEV, sources, lines)


def _groups(
    groups: Mapping[str, Any], scope: Scope, sources: Mapping[str, Any], lines: LineFinder
) -> Iterator[Dependency]:
    for requirements in groups.values():
        yield from _group(requirements, scope, sources, lines)


def _group(
    requirements: object, scope: Scope, sources: Mapping[str, Any], lines: LineFinder
) -> Iterator[Dependency]:
    """Return the requirements of a list; the included groups of PEP 735 are listed where they are defined."""
    for text in requirements if isinstance(requirements, list) else ():
        if isinstance(text, str) and (found := read_requirement(text, scope)) is not None:
            line = lines.line_of(f'"{text}"', f"'{text}'", found.name)
            yield _add_uv_source(found, _source_of(sources, found.name), line)


def _source_of(sources: Mapping[str, Any], name: str) -> Any:
    return next((value for key, value in sources.items() if normal_name(key) == name), None)


def _add_uv_source(found: Dependency, source: Any, line: int) -> Dependency:
    from msgspec.structs import replace

    if isinstance(source, list):
        source = next((table for table in source if isinstance(table, dict)), None)
    if not isinstance(source, dict):
        return replace(found, line=line)
    if source.get("workspace"):
        return replace(found, source="workspace", line=line)
    return replace(_locate(found, source), line=line)


def _locate(found: Dependency, source: Mapping[str, Any]) -> Dependency:
    """Return a dependency with the source of a table: git, url, path or index."""
    from msgspec.structs import replace

    for kind, shape in (("git", "git"), ("url", "url"), ("path", "path"), ("file", "path")):
        if isinstance(source.get(kind), str):
            revision = _revision_of(source)
            return replace(
                found,
                source=shape,
                origin=source[kind],
                requirement=revision or found.requirement,
                is_pinned=kind == "git" and bool(_COMMIT.fullmatch(revision)),
            )
    index = source.get("index") or source.get("source")
    return replace(found, origin=index) if isinstance(index, str) else found


def _revision_of(source: Mapping[str, Any]) -> str:
    revisions = filter(None, map(source.get, ("rev", "tag", "branch", "ref")))
    return str(next(revisions, ""))


def read_requirement(text: str, scope: Scope) -> Dependency | None:
    """Read a requirement of PEP 508; None for another text."""
    from packaging.requirements import InvalidRequirement, Requirement  # 40 ms

    if len(text) > _LONGEST_LINE:
        return None
    try:
        found = Requirement(text)
    except (InvalidRequirement, RecursionError):
        return None
    range_, name = str(found.specifier), normal_name(found.name)
    marker = str(found.marker or "")
    if found.url is not None:
        return _from_url(name, found.url, scope, marker)
    return Dependency("pypi", name, scope, range_, marker=marker, is_pinned=bool(_PINNED.fullmatch(range_)))


def _from_url(name: str, url: str, scope: Scope, marker: str = "") -> Dependency:
    is_git = url.startswith(("git+", "git://")) or url.endswith(".git")
    revision = _REVISION.search(url.partition("://")[2]) if is_git else None
    reference = revision[1] if revision is not None else ""
    kind = "git" if is_git else "path" if url.startswith(("file:", ".", "/")) else "url"
    has_hash = "#sha256=" in url or "#sha512=" in url
    is_pinned = has_hash or bool(_COMMIT.fullmatch(reference))
    return Dependency("pypi", name, scope, reference, kind, url, marker, is_pinned, has_hash)


def _poetry(poetry: Mapping[str, Any], lines: LineFinder) -> Iterator[Dependency]:
    yield from _poetry_group(_table(poetry, "dependencies"), Scope.RUNTIME, lines)
    yield from _poetry_group(_table(poetry, "dev-dependencies"), Scope.DEV, lines)
    for group in _table(poetry, "group").values():
        if isinstance(group, dict):
            yield from _poetry_group(_table(group, "dependencies"), Scope.DEV, lines)


def _poetry_group(table: Mapping[str, Any], scope: Scope, lines: LineFinder) -> Iterator[Dependency]:
    for name, value in table.items():
        if normal_name(name) == "python":
            continue
        line = lines.line_of(f"\n{name} =", f"\n{name}=", f'\n"{name}"', name)
        for entry in value if isinstance(value, list) else [value]:
            yield _poetry_dependency(name, entry, scope, line)


def _poetry_dependency(name: str, value: object, scope: Scope, line: int) -> Dependency:
    """Return a dependency of Poetry or Pipenv: a range, or a table."""
    table = value if isinstance(value, dict) else {"version": value}
    version = table.get("version")
    range_ = version.strip() if isinstance(version, str) else ""
    scope = Scope.OPTIONAL if table.get("optional") is True and scope is Scope.RUNTIME else scope
    marker = str(table.get("markers") or table.get("python") or "")
    is_exact = bool(_PINNED.fullmatch(range_)) or (
        range_[:1].isdigit() and "," not in range_ and "*" not in range_
    )
    found = Dependency("pypi", normal_name(name), scope, range_, marker=marker, is_pinned=is_exact, line=line)
    return _locate(found, table)


def _indexes(tool: Mapping[str, Any], lines: LineFinder) -> Iterator[Dependency]:
    """Return the package indexes of uv, Poetry and PDM."""
    uv = _table(tool, "uv")
    tables = [uv.get("index"), _table(tool, "poetry").get("source"), _table(tool, "pdm").get("source")]
    for table in tables:
        for index in table if isinstance(table, list) else ():
            if isinstance(index, dict) and isinstance(index.get("url"), str):
                yield _index(str(index.get("name", "")), index["url"], lines)
    for option in ("index-url", "extra-index-url"):
        urls = uv.get(option)
        for url in urls if isinstance(urls, list) else [urls]:
            if isinstance(url, str):
                yield _index(option, url, lines)


def _index(name: str, url: str, lines: LineFinder) -> Dependency:
    return Dependency("pypi", name, Scope.INDEX, origin=url, line=lines.line_of(url))


def read_requirements(text: str, path: str) -> Manifest:
    """Read a requirements file of pip: requirements, hashes and options of indexes."""
    stem = path.rpartition("/")[2].removesuffix(".txt").removesuffix(".in")
    folder = path.rpartition("/")[0].rpartition("/")[2]
    is_constraint = "constraint" in stem
    is_dev = bool(_DEV_NAMES.search(stem.replace("requirements", " "))) or bool(
        _DEV_NAMES.search(stem) if folder == "requirements" else None
    )
    scope = Scope.CONSTRAINT if is_constraint else Scope.DEV if is_dev else Scope.RUNTIME
    return Manifest(tuple(_requirement_lines(text, scope)))


def _requirement_lines(text: str, scope: Scope) -> Iterator[Dependency]:
    from msgspec.structs import replace

    for number, line in _joined_lines(text):
        if (option := _INDEX_OPTION.match(line)) is not None:
            yield Dependency("pypi", option[1], Scope.INDEX, origin=option[2], line=number)
            continue
        content = line.strip().removeprefix("-e ").removeprefix("--editable ").strip()
        options = {found[1] for found in _OPTION.finditer(f" {content}")}
        requirement = content.partition(" --")[0].strip()
        found = read_requirement(requirement, scope) or _bare_url(requirement, scope)
        if found is not None:
            yield replace(found, line=number, has_hash=found.has_hash or "--hash" in options)


def _bare_url(text: str, scope: Scope) -> Dependency | None:
    """Return a requirement that is only a URL; its name is that of the fragment, or the URL itself."""
    if "://" not in text or text.startswith("-"):
        return None
    name = text.rpartition("egg=")[2].partition("&")[0] if "egg=" in text else ""
    name = name.partition("[")[0] or text.partition("#")[0].partition("@")[0].rstrip("/").rpartition("/")[2]
    return _from_url(normal_name(name.removesuffix(".git")), text, scope)


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Return the logical lines with the number of their first one, without comments."""
    parts: list[str] = []
    start = 1
    for number, line in enumerate(text.split("\n"), 1):
        if not parts:
            start = number
        body = line.rstrip("\r")[:_LONGEST_LINE]
        if body.lstrip().startswith("#"):
            body = ""
        is_continued = body.endswith("\\")
        parts.append(body[:-1] if is_continued else body.partition(" #")[0])
        if not is_continued:
            yield start, " ".join(parts)
            parts = []
    if parts:
        yield start, " ".join(parts)


def read_setup_cfg(text: str) -> Manifest:
    """Read the options of setuptools in setup.cfg."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as cause:
        return Manifest(problem=f"it is not a configuration file: {type(cause).__name__}")
    lines = LineFinder(text)
    expected = [("options", "install_requires", Scope.RUNTIME), ("options", "setup_requires", Scope.BUILD)]
    if parser.has_section("options.extras_require"):
        extras = parser.options("options.extras_require")
        expected += [("options.extras_require", extra, Scope.OPTIONAL) for extra in extras]
    found: list[Dependency] = []
    for section, option, scope in expected:
        listed = parser.get(section, option, fallback="").replace(";\n", "\n").split("\n")
        found += _group([line.partition(" #")[0].strip() for line in listed], scope, {}, lines)
    return Manifest(tuple(found))


def read_pipfile(text: str) -> Manifest:
    """Read a Pipfile."""
    import tomllib  # only changes of such a file need it

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as cause:
        return Manifest(problem=f"it is not TOML: {type(cause).__name__}")
    lines = LineFinder(text)
    found = list(_pipfile_sources(document, lines))
    for section, scope in (("packages", Scope.RUNTIME), ("dev-packages", Scope.DEV)):
        found += _poetry_group(_table(document, section), scope, lines)
    return Manifest(tuple(found))


def _pipfile_sources(document: Mapping[str, Any], lines: LineFinder) -> Iterator[Dependency]:
    sources = document.get("source")
    for source in sources if isinstance(sources, list) else ():
        if isinstance(source, dict) and isinstance(source.get("url"), str):
            yield _index(str(source.get("name", "")), source["url"], lines)


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}
