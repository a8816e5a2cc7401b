"""The parts of TOML and INI files that a run of tests reads; metadata and settings of linters are
excluded.
"""

from __future__ import annotations

import configparser
import json
import tomllib
from collections.abc import Iterator, Mapping

from wardround.lazy import LazyPattern
from wardround.workflows.environments.requirements import name_of, normal

_UNREAD_TOOLS = frozenset(
    {"autopep8", "bandit", "basedpyright", "black", "bump-my-version", "bumpver", "bumpversion",
     "check-manifest", "check-wheel-contents", "cibuildwheel", "codespell", "commitizen", "coverage",
     "cruft", "deptry", "django-stubs", "djlint", "docformatter", "flake8", "git-cliff", "interrogate",
     "isort", "mypy", "numpydoc_validation", "pycln", "pycodestyle", "pydocstyle", "pydoclint", "pylint",
     "pyrefly", "pyright", "pytype", "refurb", "repo-review", "rstcheck", "ruff", "semantic_release",
     "sphinx", "tbump", "towncrier", "ty", "typos", "vulture", "wardround", "yapf", "zest-releaser"}
)  # fmt: skip
"""Tables below ``tool`` of programs that no run of tests starts by itself."""
_UNREAD_SECTIONS = LazyPattern(
    r"^(?:flake8|pycodestyle|pydocstyle|pep8|isort|mypy(?:-.+)?|pylint.*|coverage:.+|bumpversion.*|bdist_wheel|"
    r"sdist|upload|upload_docs|upload_sphinx|build_sphinx|check|check-manifest|codespell|devpi:upload|doc8|"
    r"egg_info|gh|gh-actions(?::env)?|semantic_release|testenv:\.pkg.*|tox|travis|yapf|wheel|zest\.releaser)$"
)
_FACTS = frozenset(
    {"author", "author_email", "authors", "classifiers", "classifier", "description", "documentation",
     "download_url", "homepage", "keywords", "license", "license-files", "license_file", "license_files",
     "long_description", "long_description_content_type", "maintainer", "maintainer_email", "maintainers",
     "platforms", "project_urls", "python_requires", "readme", "repository", "requires-python", "url",
     "urls"}
)  # fmt: skip
"""Keys of facts about a package for people and indexes."""
_VERSIONS = frozenset({"version", "dynamic"})
_REQUIRED = frozenset({"install_requires", "tests_require", "setup_requires"})
_UNRUN_GROUP = LazyPattern(
    r"^(?:docs?|documentation|lint(?:ing|er|ers)?|format(?:ting)?|style|pre-commit|release|publish(?:ing)?)$"
)
_TOX_UNREAD = frozenset(
    {"allowlist_externals", "whitelist_externals", "basepython", "base_python", "description",
     "ignore_outcome", "labels", "parallel_show_output", "passenv", "pass_env", "platform", "package",
     "recreate", "skip_install", "skipsdist", "usedevelop", "wheel_build_env"}
)  # fmt: skip
"""Keys of an environment of tox that only affect tox."""
_FRAMEWORK = LazyPattern(r"\b(?:pytest|py\.test|unittest)\b")
_FACTOR = LazyPattern(r"^[\w!.,{}-]+:[ \t]+")
Table = Mapping[str, object]
Parts = tuple[object, dict[str, object], dict[str, object]]
METADATA_MODULES = ("importlib.metadata", "importlib_metadata", "pkg_resources")
"""Modules through which code reads the version of an installed package."""


class SettingsUnread(ValueError):
    """A file of settings has an invalid syntax, so that nothing bounds the effect of its change."""


def toml_parts(text: str) -> Parts:
    """Return the effective settings of ``pyproject.toml``, those by module, and the required packages.

    Raises:
        SettingsUnread: it does not parse.
    """
    document = _toml(text)
    packages: dict[str, object] = {}
    for location, lines in _requirements(document):
        for line in lines:
            if name := name_of(line):
                packages.setdefault(name, [])
                packages[name] = [*_list(packages[name]), f"{location} {line}"]
    project = _table(document, "project")
    poetry = _table(document, "tool", "poetry")
    tools = {
        name: value
        for name, value in _table(document, "tool").items()
        if name not in _UNREAD_TOOLS and name not in ("poetry", "setuptools_scm", "tox")
    }
    effective = [
        {key: value for key, value in document.items()
         if key not in ("project", "tool", "dependency-groups", "build-system")},
        _remove_keys(_table(document, "build-system"), frozenset({"requires"})),
        _remove_keys(project, _FACTS | _VERSIONS | {"dependencies", "optional-dependencies"}),
        _remove_keys(poetry, _FACTS | _VERSIONS | {"dependencies", "dev-dependencies", "group"}),
        _remove_keys(tools, frozenset({"hatch"})), _hatch(_table(document, "tool", "hatch")),
        _tox(_table(document, "tool", "tox")),
    ]  # fmt: skip
    versions = [{key: part.get(key) for key in sorted(_VERSIONS)} for part in (project, poetry)] + [
        _table(document, "tool", "setuptools_scm"),
        _table(document, "tool", "hatch", "version"),
    ]
    by_module: dict[str, object] = {
        name.replace("-", "_"): _json_text(value)
        for name, value in _table(document, "tool").items()
        if name in _UNREAD_TOOLS
    }
    return _json_text(effective), by_module | dict.fromkeys(METADATA_MODULES, _json_text(versions)), packages


def lock_parts(text: str) -> dict[str, object]:
    """Return the packages in a lock file without those of the repository.

    Raises:
        SettingsUnread: it does not parse.
    """
    document = _toml(text)
    found: dict[str, object] = {}
    for entry in (*_list(document.get("package")), *_list(document.get("packages"))):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            raise SettingsUnread
        source = _table(entry, "source")
        if not ({"editable", "virtual"} & source.keys() or source.get("type") == "directory"):
            found[normal(name)] = [*_list(found.get(normal(name))), _json_text(entry)]
    return found


def ini_parts(text: str) -> Parts:
    """Return the effective settings of ``setup.cfg`` or ``tox.ini``, those by module, and the packages.

    Raises:
        SettingsUnread: it does not parse.
    """
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError) as cause:
        raise SettingsUnread from cause
    effective: dict[str, object] = {}
    versions: list[object] = []
    packages: dict[str, object] = {}
    by_module: dict[str, object] = {}
    for section in parser.sections():
        options = dict(parser.items(section))
        retained = {
            key: _ini_value(section, key, value or "")
            for key, value in options.items()
            if not _is_unread(section, key) and not _is_required(section, key)
        }
        if section == "metadata":
            versions.append(options.get("version"))
        for key, value in options.items():
            if _is_required(section, key):
                _add_packages(packages, f"{section} {key}", value or "")
        if retained and not _is_unread_section(section, options):
            effective[section] = retained
        elif _is_unread_section(section, options) and not section.startswith(("testenv", "tox")):
            by_module[section.partition(":")[0].partition("-")[0]] = _json_text(options)
    by_module |= dict.fromkeys(METADATA_MODULES, _json_text(versions))
    return _json_text(effective), by_module, packages


def _is_unread_section(section: str, options: Mapping[str, str]) -> bool:
    if section.startswith("testenv:"):
        return not _FRAMEWORK.search(" ".join(map(str, options.values())))
    return _UNREAD_SECTIONS.search(section) is not None


def _is_unread(section: str, key: str) -> bool:
    if section == "metadata":
        return key.replace("-", "_") in _FACTS or key in _FACTS or key in _VERSIONS
    if section == "options":
        return key == "python_requires"
    return section.startswith("testenv") and key in _TOX_UNREAD


def _is_required(section: str, key: str) -> bool:
    if section.startswith("testenv"):
        return key == "deps" and section not in ("testenv:docs", "testenv:lint")
    return section == "options.extras_require" or (section == "options" and key in _REQUIRED)


def _ini_value(section: str, key: str, value: str) -> object:
    """Return a value; of the commands of tox, the mention of a framework, which is all that is read."""
    if section.startswith("testenv") and key.startswith("commands"):
        return bool(_FRAMEWORK.search(value))
    return value


def _add_packages(packages: dict[str, object], place: str, value: str) -> None:
    for line in value.splitlines():
        requirement = _FACTOR.sub("", line.strip())
        if name := name_of(requirement):
            packages[name] = [*_list(packages.get(name)), f"{place} {line.strip()}"]


def _requirements(document: Table) -> Iterator[tuple[str, list[str]]]:
    """Yield the requirements by place, without those of groups that no run of tests installs."""
    project = _table(document, "project")
    yield "build", _strings_of(_table(document, "build-system").get("requires"))
    yield "project", _strings_of(project.get("dependencies"))
    groups = {**_table(document, "dependency-groups"), **_table(document, "tool", "pdm", "dev-dependencies")}
    for name, value in (*groups.items(), *_table(project, "optional-dependencies").items()):
        if not _UNRUN_GROUP.search(normal(name)):
            yield name, [*_strings_of(value), *_included_groups(value)]
    poetry = _table(document, "tool", "poetry")
    for name in ("dependencies", "dev-dependencies"):
        yield name, _poetry_lines(_table(poetry, name))
    for name in _table(poetry, "group"):
        if not _UNRUN_GROUP.search(normal(name)):
            yield name, _poetry_lines(_table(poetry, "group", name, "dependencies"))


def _included_groups(value: object) -> list[str]:
    """Return the names of included groups, each in the form of a requirement."""
    names = (item.get("include-group") for item in _list(value) if isinstance(item, dict))
    return [f"include-group-{name}" for name in names if isinstance(name, str)]


def _poetry_lines(found: Table) -> list[str]:
    return [f"{name} {_json_text(value)}" for name, value in found.items() if name != "python"]


def _hatch(found: Table) -> Table:
    return {
        key: value
        for key, value in found.items()
        if key != "version" and not (key == "envs" and not _FRAMEWORK.search(_json_text(value)))
    }


def _tox(found: Table) -> Table:
    """Return the settings of tox without its lists and the environments that start no framework."""
    unread = frozenset({"env_list", "envlist", "requires", "min_version", "minversion", "labels", "gh",
                        "skip_missing_interpreters", "isolated_build"})  # fmt: skip
    environments = {
        name: value for name, value in _table(found, "env").items() if _FRAMEWORK.search(_json_text(value))
    }
    return {**_remove_keys(found, unread | {"env"}), "env": environments}


def _toml(text: str) -> Table:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as cause:
        raise SettingsUnread from cause


def _table(document: object, *keys: str) -> Table:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _remove_keys(found: Table, keys: frozenset[str]) -> Table:
    return {key: value for key, value in found.items() if key not in keys}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _strings_of(value: object) -> list[str]:
    return [item for item in _list(value) if isinstance(item, str)]


def _json_text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
