"""Code that runs when a project or its packages are installed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.dependency import LineFinder
from wardround.semantics.supply_chain.locks.entry import LockFile
from wardround.semantics.supply_chain.manifests import is_sample
from wardround.semantics.supply_chain.notes import InstallNote, display_text
from wardround.semantics.supply_chain.npm_manifests import load_json
from wardround.semantics.supply_chain.plain_yaml import load_plain

if TYPE_CHECKING:
    from wardround.semantics.supply_chain.analysis import BothTexts

SCRIPTS = ("preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish")
"""Scripts that npm, yarn and pnpm run on their own when the project is installed."""
_ALLOWED = ("onlyBuiltDependencies", "trustedDependencies", "allowBuilds")
_REFUSED = "neverBuiltDependencies"
_NAMES = frozenset(
    {"package.json", "pnpm-workspace.yaml", "pyproject.toml", "setup.py", "binding.gyp"}
    | {".npmrc", ".yarnrc.yml", ".yarnrc", "sitecustomize.py", "usercustomize.py"}
)
_SETTING = LazyPattern(
    r"[ \t]*(ignore-scripts|enableScripts|yarnPath|yarn-path|dangerouslyAllowAllBuilds|script-shell"
    r"|node-options|strict-ssl|enableStrictSsl)\s*[=: ]\s*(\S{1,300})"
)
_WEAKER = {
    "ignore-scripts": ("false",), "enableScripts": ("true",), "dangerouslyAllowAllBuilds": ("true",),
    "strict-ssl": ("false",), "enableStrictSsl": ("false",),
}  # fmt: skip
_SETUP_CALL = LazyPattern(r"^[ \t]*(?:\w{1,50}\.)*setup\(", re.MULTILINE)
_USUAL_CALLS = frozenset(
    {
        "setup",
        "setuptools.setup",
        "find_packages",
        "setuptools.find_packages",
        "find_namespace_packages",
        "open",
    }
    | {
        "io.open",
        "codecs.open",
        "str",
        "dict",
        "list",
        "set",
        "tuple",
        "len",
        "Path",
        "pathlib.Path",
        "Extension",
    }
    | {"setuptools.Extension", "os.path.join", "os.path.dirname", "os.path.abspath", "os.path.exists", "join"}
    | {
        "dirname",
        "abspath",
        "re.search",
        "re.match",
        "re.compile",
        "print",
        "Version",
        "sorted",
        "any",
        "all",
    }
)
_USUAL_METHODS = frozenset(
    {
        "read",
        "read_text",
        "strip",
        "split",
        "splitlines",
        "join",
        "group",
        "startswith",
        "endswith",
        "append",
        "get",
    }
    | {
        "format",
        "replace",
        "decode",
        "extend",
        "items",
        "keys",
        "values",
        "parse",
        "resolve",
        "lower",
        "rstrip",
    }
)
_MOST_CHARACTERS = 2_000_000


def is_install_code(path: str) -> bool:
    """Return True for a file that an installation runs, or that decides about it."""
    name = path.rpartition("/")[2]
    return (name in _NAMES or name.endswith(".pth")) and not is_sample(path)


def install_notes(files: Sequence[BothTexts]) -> Iterator[InstallNote]:
    """Compare the install scripts and settings of base and head."""
    for file in files:
        if file.head is None or not is_install_code(file.path) or len(file.head) > _MOST_CHARACTERS:
            continue
        name = file.path.rpartition("/")[2]
        for line, kind, what, reason in _notes_of(name, file.base or "", file.head):
            yield InstallNote(file.path, line, kind, display_text(what), display_text(reason))


_Found = tuple[int, str, str, str]
"""Line, kind, name and reason."""


def _notes_of(name: str, base: str, head: str) -> Iterator[_Found]:
    if name == "package.json":
        yield from _package_json(base, head)
    elif name == "pnpm-workspace.yaml":
        yield from _allowed_builds(load_plain(base) or {}, load_plain(head) or {}, head)
        yield from _settings(base, head)
    elif name == "pyproject.toml":
        yield from _build_backend(base, head)
    elif name == "setup.py":
        yield from _setup(base, head)
    elif name in (".npmrc", ".yarnrc.yml", ".yarnrc"):
        yield from _settings(base, head)
    elif base != head:
        kind = "script" if name == "binding.gyp" else "setup"
        yield 1, kind, name, f"{'a new' if not base else 'a changed'} file that is run without a call"


def _package_json(base: str, head: str) -> Iterator[_Found]:
    old, new = load_json(base) or {}, load_json(head) or {}
    before, after = _table(old, "scripts"), _table(new, "scripts")
    lines = LineFinder(head)
    for script in SCRIPTS:
        command = after.get(script)
        if isinstance(command, str) and command != before.get(script):
            line = lines.line_of(f'"{script}"')
            yield line, "script", script, f"{'added' if script not in before else 'changed'}: {command}"
    yield from _allowed_builds(old, new, head)
    yield from _allowed_builds(_table(old, "pnpm"), _table(new, "pnpm"), head)


def _allowed_builds(old: Mapping[str, Any], new: Mapping[str, Any], head: str) -> Iterator[_Found]:
    """Return the packages whose scripts the package manager newly runs."""
    lines = LineFinder(head)
    for key in _ALLOWED:
        for name in sorted(_names(new.get(key)) - _names(old.get(key))):
            yield lines.line_of(f'"{name}"', name), "allowed-build", name, f"{key} has a new entry"
    for name in sorted(_names(old.get(_REFUSED)) - _names(new.get(_REFUSED))):
        yield 1, "allowed-build", name, f"{_REFUSED} has lost an entry"


def _names(value: object) -> set[str]:
    if isinstance(value, dict):
        return {str(name) for name, allowed in value.items() if allowed in (True, "true")}
    return {str(name) for name in value} if isinstance(value, list) else set()


def _settings(base: str, head: str) -> Iterator[_Found]:
    """Return the settings of a package manager that newly run code, or verify less."""
    before = {line.strip() for line in base.split("\n")}
    for number, line in enumerate(head.split("\n"), 1):
        found = _SETTING.match(line[:1_000])
        if found is None or line.strip() in before:
            continue
        value = found[2].strip("\"',").lower()
        if found[1] not in _WEAKER or value in _WEAKER[found[1]]:
            yield number, "setting", found[1], f"set to {found[2]}"


def _build_backend(base: str, head: str) -> Iterator[_Found]:
    """Return the changed programs that build the project; the usual backend of a new project is none."""
    old, new = _toml(base), _toml(head)
    lines = LineFinder(head)
    before, after = _table(old, "build-system"), _table(new, "build-system")
    for key in ("build-backend", "backend-path"):
        is_new_project = not base and key == "build-backend"
        if after.get(key) != before.get(key) and after.get(key) is not None and not is_new_project:
            yield lines.line_of(key), "backend", key, f"{before.get(key) or 'none'} became {after[key]}"
    for location in (
        ("hatch", "build", "hooks", "custom"),
        ("poetry", "build", "script"),
        ("setuptools", "cmdclass"),
    ):
        code = _entry_at(_table(new, "tool"), location)
        if code is not None and code != _entry_at(_table(old, "tool"), location):
            yield (
                lines.line_of(location[-1]),
                "backend",
                ".".join(location),
                "a build runs code of the project",
            )


def _entry_at(table: Mapping[str, Any], place: Sequence[str]) -> Any:
    value: Any = table
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # only changes of such a file need it

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _setup(base: str, head: str) -> Iterator[_Found]:
    """Return the calls in setup.py that the base does not make, without those of every setup.py."""
    old, new = _calls(base), _calls(head) if _SETUP_CALL.search(head) else {}
    for name in sorted(new.keys() - old.keys()):
        yield new[name], "setup", name, "setup.py calls it newly when it is installed"


def _calls(text: str) -> dict[str, int]:
    """Return the unusual functions that are called, and classes of commands that are replaced, with lines."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        name = ""
        if isinstance(node, ast.Call):
            name = _unusual_call(node)
        elif isinstance(node, ast.keyword) and node.arg == "cmdclass":
            name = "cmdclass"
        if name:
            found.setdefault(name, getattr(node, "lineno", 1))
    return found


def _unusual_call(node: ast.Call) -> str:
    """Return the name of a called function if it is unusual in setup.py."""
    try:
        name = unparse(node.func)
    except RecursionError:
        return "a nested call"
    method = name.rpartition(".")[2]
    is_usual = name in _USUAL_CALLS or (isinstance(node.func, ast.Attribute) and method in _USUAL_METHODS)
    return "" if is_usual else name[:100]


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def locked_script_notes(path: str, base: LockFile, head: LockFile) -> Iterator[InstallNote]:
    """Return the packages of a lock file that newly run code when they are installed."""
    if not path.endswith((".json", ".yaml")):
        return
    old = {entry.name for entry in base.entries if base.details(entry).runs_script}
    for entry in head.entries:
        if entry.name in old or not head.details(entry).runs_script:
            continue
        reason = f"{entry.version} runs a script when it is installed"
        yield InstallNote(path, entry.line, "locked-script", display_text(entry.name), reason)
