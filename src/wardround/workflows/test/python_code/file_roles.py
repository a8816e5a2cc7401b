"""The role of a file for the tests of a repository, by its name."""

from __future__ import annotations

from collections.abc import Mapping, Set

from wardround.lazy import LazyPattern

MOST_OTHERS = 100_000
"""Larger files are not recorded, so that a change of one selects every test."""
_CONFIGURATION = frozenset(
    {"conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml",
     "noxfile.py", "setup.py", "setup.cfg", "pyproject.toml", "hatch.toml", "meson.build", "CMakeLists.txt",
     "build.py", "environment.yml", ".env", ".env.test", ".python-version", "sitecustomize.py",
     "usercustomize.py"}
)  # fmt: skip
_LOCKS = frozenset(
    {"uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile", "Pipfile.lock", "package.json",
     "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock",
     "bun.lock", "bun.lockb"}
)  # fmt: skip
_REQUIREMENTS = LazyPattern(
    r"(?:^|/)(?:[\w.-]*(?:requirements?|constraints?)[\w.-]*|requirements/.+)\.(?:txt|in)$"
)
_COMPILED = LazyPattern(r"\.(?:c|cc|cpp|cxx|h|hpp|pyx|pxd|pxi|rs|so|f90|pth)$")
_PROSE = LazyPattern(
    r"(?:\.(?:md|rst|adoc|pyi|svg|png|gif|jpe?g|po|pot)|(?:^|/)(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS|CONTRIBUT\w+|"
    r"README|MAINTAINERS|SECURITY|HISTORY|NEWS|CITATION|CHANGELOG|CHANGES|MANIFEST\.in|"
    r"CODEOWNERS|\.gitignore|\.gitattributes|\.git-blame-ignore-revs|\.editorconfig|\.mailmap|\.flake8|\.pylintrc|\.coveragerc|"
    r"GNUmakefile|[Mm]akefile|[Jj]ustfile|\.?ruff\.toml|mypy\.ini|\.mypy\.ini|\.isort\.cfg|\.bumpversion\.|"
    r"pyrightconfig\.json|\.yamllint|\.markdownlint|\.dockerignore|renovate\.json|\.?release-please|"
    r"\.all-contributorsrc|\.pre-commit-hooks\.yaml|\.zenodo\.json|py\.typed|"
    r"(?:\.pre-commit-config|\.?readthedocs|\.travis|\.?appveyor|\.?codecov|\.coveralls|azure-pipelines)\.ya?ml)"
    r"[\w.-]*)$|^\.github/|^\.vscode/|^\.idea/|^\.devcontainer/|^\.circleci/|^\.gitlab/|^docs?/"
    r"|(?:^|/)(?:news|newsfragments|changelog\.d|changes)/[^/]+$"
)


def settings_role(path: str) -> str:
    """Return the reason why every test depends on a file; empty if none does."""
    name = path.rpartition("/")[2]
    if is_conftest(path):
        return "it holds fixtures and hooks of pytest"
    if name in _LOCKS or _REQUIREMENTS.search(path):
        return "it decides which packages are installed"
    if name in _CONFIGURATION:
        return "it configures the tests or the build"
    return "it is compiled" if _COMPILED.search(path) else ""


def is_conftest(path: str) -> bool:
    """Return True for a file with fixtures and hooks of pytest."""
    return path.rpartition("/")[2] == "conftest.py"


def is_prose(path: str) -> bool:
    """Return True for documents, files of services and of tasks, which tests use only if they name them."""
    return not path.endswith(".py") and _PROSE.search(path) is not None


def is_python(path: str) -> bool:
    """Return True for source whose functions have a digest."""
    return path.endswith(".py") and not settings_role(path)


def files_compared_by_content(blobs: Mapping[str, str], measured: Set[str]) -> dict[str, str]:
    """Return path -> blob of the files that are compared as one piece: all but measured Python source."""
    found = [path for path in sorted(blobs) if path not in measured or not is_python(path)]
    return {path: blobs[path] for path in found[:MOST_OTHERS]}
