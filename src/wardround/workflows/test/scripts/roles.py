"""The role of a file for JavaScript tests, by its name."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.manifests import is_sample
from wardround.storage.digest import sha256
from wardround.workflows.test.python_code.file_roles import is_prose
from wardround.workflows.test.scripts.outline import SUFFIXES

_LOCKS = frozenset(
    {"package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml",
     "yarn.lock", "bun.lock", "bun.lockb", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs"}
)  # fmt: skip
_CONFIGURATION = LazyPattern(
    r"(?:^|/)(?:(?:vitest|vite|jest|babel|tsup|rollup|webpack|esbuild|swc|svelte|next|nuxt|metro|postcss|tailwind)"
    r"\.(?:[\w-]+\.)*?config\.[\w.]+|vitest\.workspace\.\w+|vitest\.projects\.\w+|\.mocharc(?:\.\w+)?|"
    r"\.babelrc(?:\.\w+)?|\.swcrc|[tj]sconfig(?:[.-][\w.-]+)?\.json|\.env(?:\.[\w.]+)?|\.nvmrc|"
    r"\.node-version|\.tool-versions|\.browserslistrc|bunfig\.toml|jest[.-](?:setup|preset)\.\w+|"
    r"vitest[.-]setup\.\w+|setup-?tests?\.\w+)$"
)
_FOR_PEOPLE = frozenset(
    {"version", "description", "keywords", "homepage", "bugs", "license", "author", "contributors", "funding",
     "maintainers", "repository", "publishConfig", "files"}
)  # fmt: skip
"""Keys of ``package.json`` that no test depends on, unless it reads the file itself."""
_MOCKS = LazyPattern(r"(?:^|/)__mocks__/")
_SNAPSHOT = LazyPattern(r"(?P<folder>^|^.*/)__snapshots__/(?P<name>[^/]+)\.snap$")
_DECLARATIONS = LazyPattern(r"\.d\.[cm]?ts$")
_TEST = LazyPattern(
    r"(?:\.|(?:^|/)|-|_)(?:test|spec)\.[cm]?[jt]sx?$|(?:^|/)__tests__/.*(?<!\.d)\.[cm]?[jt]sx?$"
)
_UNMEASURED = LazyPattern(
    r"(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress|playwright|fixtures?|bench(?:mark)?s?|examples?|scripts|stories|"
    r"\.storybook|docs?|playgrounds?|demos?|website|mocks?|dist|build|vendor)/|\.stories\.[jt]sx?$|"
    r"(?:^|/)[\w.-]*\.config\.[cm]?[jt]s$|(?:^|/)\.[\w-]+rc\.[cm]?js$|(?:^|/)(?:gulpfile|gruntfile)\.[cm]?[jt]s$"
)
_TYPES_ONLY = LazyPattern(r"\.(?:test|spec)-d\.[cm]?tsx?$")


def has_identity(path: str) -> bool:
    """Return True for a file if only a part of it affects all tests, also if a test imports it."""
    return path.rpartition("/")[2] == "package.json"


def identity(path: str, blob: str, text: Callable[[str], str]) -> str:
    """Return a string that changes with the parts of a file that tests can depend on.

    It is the object id, except for ``package.json``, whose names, versions and links are ignored.

    Args:
        text: path -> the content of a file.
    """
    if not has_identity(path):
        return blob
    try:
        document = msgspec.json.decode(text(path))
    except (msgspec.DecodeError, UnicodeError):
        return blob
    if not isinstance(document, dict):
        return blob
    retained = {key: value for key, value in document.items() if key not in _FOR_PEOPLE}
    return sha256(msgspec.json.encode(retained, order="sorted")).hexdigest()


def script_settings_role(path: str) -> str:
    """Return the reason why every test depends on a file; empty if none does."""
    if path.rpartition("/")[2] in _LOCKS:
        return "it decides which packages are installed and how tests are run"
    if _CONFIGURATION.search(path):
        return "it configures the tests or the build"
    return "tests get it in place of a module" if _MOCKS.search(path) else ""


def is_script(path: str) -> bool:
    """Return True for a file of JavaScript or TypeScript that can run."""
    return path.endswith(SUFFIXES) and not is_declarations(path)


def is_measured_script(path: str) -> bool:
    """Return True for a script whose changed lines tests should run: no test, configuration or sample."""
    return is_script(path) and not (
        contains_script_tests(path)
        or script_settings_role(path)
        or is_sample(path)
        or _UNMEASURED.search(path)
    )


def is_declarations(path: str) -> bool:
    """Return True for a file of types only."""
    return _DECLARATIONS.search(path) is not None or _TYPES_ONLY.search(path) is not None


def is_document(path: str) -> bool:
    """Return True for documents and files of services, which tests use only if they name them."""
    return not is_script(path) and is_prose(path)


def tests_of_snapshot(path: str) -> str:
    """Return the test file that a file of snapshots belongs to; empty for other files."""
    found = _SNAPSHOT.search(path)
    return f"{found['folder']}{found['name']}" if found else ""


def contains_script_tests(path: str) -> bool:
    """Return True for the file names from which vitest, jest and ``node --test`` collect tests by default."""
    return _TEST.search(path) is not None and _TYPES_ONLY.search(path) is None
