from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from wardround.checks.source import ChangedFileView
from wardround.config.ignore_files import is_ignored
from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import change
from wardround_contract.analysis.optional_paths import is_filter, is_prose, may_be_missing
from wardround_contract.analysis.text_search import Line, TextSearch
from wardround_contract.analysis.uses import NOT_MAINTAINED, RemainingUse
from wardround_contract.check import BrokenUseCheck

_CONFIGURATION = (
    "*.yml", "*.yaml", "*.toml", "*.cfg", "*.ini", "*.json", "*.jsonc", "*.sh", "*.bash", "*.mk", "*Makefile",
    "*Dockerfile*", "*Jenkinsfile", "*justfile", "*Procfile", "*.config.js", "*.config.ts", "*.config.mjs",
    "*.config.mts", "*noxfile.py", "*setup.py", "*.gradle", "*.bat", "*.ps1", "*.nix",
)  # fmt: skip
_TOKEN = re.compile(r"[\w@.\-/~+]+")
_PIPELINE = re.compile(r"(^|/)\.github/|(^|/)\.gitlab-ci|Jenkinsfile|\.circleci/|azure-pipelines")
_MODULE_COMMAND = re.compile(r"-m\s+|gunicorn|uvicorn|celery|hypercorn|daphne|=\s*[\"']|:\s*[\"']?")
_MOST_PATHS = 60
_PROGRAM = LazyPattern(r"\b(?:python3?|node|bash|sh|ruby|perl|tsx|ts-node)\s+(?:-\w+\s+)*(?:\./)?$")
_ACTION_FILES = ("action.yml", "action.yaml", "Dockerfile")
_USES_ACTION = re.compile(r"^\s*(?:-\s+)?uses:\s*['\"]?\./([^'\"#\s]+)")
_OUTPUT = re.compile(r">\s*$|(?:--?o(?:ut(?:put)?)?(?:file)?|-O|touch|rm|mkdir|tee|>)[ =]+\S*$")


class RemovedPathInUse(BrokenUseCheck):
    """A file or folder is moved or deleted, and a workflow, an image or a configuration still names it.

    The build fails, or a pattern silently matches nothing. Change the path in the same commit.

    A path counts if it resolves to the removed file from the root of the repository or from the folder of the
    file that names it, and if git does not ignore it; an action is named by its folder. Dotted names of
    Python modules count in commands and configuration. Imports are reported by PY084 and TS098. Comments and
    prose, as in a prompt, do not count. For a deleted file, neither do a use in a file that tests whether it
    exists, and a filter of paths.
    """

    ID = "CT004"
    NAME = "removed-path-in-use"
    DEFECT_CLASS = "removed-path-in-use"
    SEVERITY = Severity.WARN
    PREFILTER = "wardround_contract.prefilters:removes_a_path"
    VALID = [
        change(
            {
                "scripts/build.sh": ("echo 1\n", None),
                "scripts/make.sh": (None, "echo 1\n"),
            },
            others={
                ".github/workflows/ci.yml": """
                jobs:
                  build:
                    steps:
                      - run: bash scripts/make.sh
                """,
            },
        ),
        change(
            {"scripts/build.sh": ("echo 1\n", None)},
            others={
                ".gitignore": "build.sh\n",
                "Makefile": """
                build:
                \tbash scripts/build.sh
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {"scripts/build.sh": ("«»echo 1\n", None)},
            others={
                ".github/workflows/ci.yml": """
                jobs:
                  build:
                    steps:
                      - run: bash scripts/build.sh
                """,
            },
        ),
        change(
            {"mail/jobs.py": ("«»x = 1\n", None)},
            others={
                "Dockerfile": """
                FROM python
                CMD ["celery", "-A", "mail.jobs", "worker"]
                """,
            },
        ),
    ]

    def run(self) -> None:
        removed = {file.base_path or "": file for file in self.change.files if _is_removed(file)}
        if not 0 < len(removed) <= _MOST_PATHS:
            return
        self._search = TextSearch(self.change)
        self._present = frozenset(self.change.project.paths(list(removed)))
        removed_items = {path: file for path, file in removed.items() if self._is_gone(path)}
        self._deleted = frozenset(path for path, file in removed_items.items() if file.text is None)
        for path, locations in sorted(self._uses_by_path(list(removed_items)).items()):
            file = removed_items[path]
            self.report_removed_definition(file, 1, self._describe(path, file), locations, Severity.WARN)

    def _uses_by_path(self, paths: list[str]) -> dict[str, list[RemainingUse]]:
        locations: dict[str, list[RemainingUse]] = defaultdict(list)
        for path, line in self._uses(paths):
            locations[path].append(RemainingUse(line.path, line.number))
        return locations

    def _describe(self, path: str, file: ChangedFileView) -> str:
        return f"`{path}` is removed" if path in self._deleted else f"`{path}` is moved to {file.path}"

    def _is_gone(self, path: str) -> bool:
        is_there = path in self._present or self.change.project.read(path) is not None
        if NOT_MAINTAINED.search(path) or is_there:
            return False
        return not is_ignored(path, self.change.project.read)

    def _uses(self, paths: list[str]) -> Iterator[tuple[str, Line]]:
        names = {posixpath.basename(path): path for path in paths}
        for line in self._search.lines(list(names), _CONFIGURATION):
            for path in paths:
                if posixpath.basename(path) in line.text and self._is_broken(line, path):
                    yield path, line
        yield from self._uses_of_actions(paths)
        yield from self._uses_of_modules(paths)

    def _uses_of_modules(self, paths: list[str]) -> Iterator[tuple[str, Line]]:
        """Yield the commands that name the module of a removed file."""
        modules = {module: path for path in paths for module in _module_names(path)}
        known = {module: path for module, path in modules.items() if not self._has_module(path)}
        last_parts = [module.rpartition(".")[2] for module in known]
        for line in self._search.lines(last_parts, _CONFIGURATION):
            for module, path in known.items():
                if self._runs_module(line, module):
                    yield path, line

    def _runs_module(self, line: Line, module: str) -> bool:
        name = rf"(?<![\w./#-]){re.escape(module)}(?![\w/-]|\.\w+\.\w+\.|\.(?:com|org|io)\b)"
        match = re.search(name, line.text)
        if match is None or not _MODULE_COMMAND.search(line.text[: match.start()]):
            return False
        return not is_prose(line, self._search.text(line.path), match.start())

    def _uses_of_actions(self, paths: list[str]) -> Iterator[tuple[str, Line]]:
        """Yield the steps of workflows and actions that use the folder of a removed action."""
        removed_items = {}
        for path in paths:
            folder = posixpath.dirname(path)
            if folder and path.endswith(_ACTION_FILES[:2]) and not self._has_action(folder):
                removed_items[folder] = path
        for line in self._search.lines(list(map(posixpath.basename, removed_items)), ("*.yml", "*.yaml")):
            action = _USES_ACTION.match(line.text)
            folder = posixpath.normpath(action[1]) if action is not None else ""
            if folder in removed_items:
                yield removed_items[folder], line

    def _has_action(self, folder: str) -> bool:
        return any(self.change.project.read(f"{folder}/{name}") is not None for name in _ACTION_FILES)

    def _is_broken(self, line: Line, path: str) -> bool:
        """Return True if a line names a path, and does not work without the file."""
        found = self._find_path_token(line, path)
        text = self._search.text(line.path)
        if found is None or is_prose(line, text, found.start()):
            return False
        if path not in self._deleted:  # the new place is meant, and a test or a filter misses it silently
            return True
        return not (is_filter(line, text) or may_be_missing(line, text, found[0].removeprefix("./")))

    def _find_path_token(self, line: Line, path: str) -> re.Match[str] | None:
        """Return the token of a line that leads to a path."""
        folder = posixpath.dirname(line.path)
        for match in _TOKEN.finditer(line.text):
            token, before = match[0].removeprefix("./"), line.text[: match.start()]
            if not token.endswith(posixpath.basename(path)) or _OUTPUT.search(before):
                continue
            if before[-1:] in ("$", "}", "{", "*", ":") or token.startswith(("/", "~", "@")):
                continue
            if self._leads_to(path, line, token, before):
                return match if not self._has_path(folder, token) else None
        return None

    def _leads_to(self, path: str, line: Line, token: str, before: str) -> bool:
        """Return True if a token is a path to the file, from the folder of the token's file or from the
        root.
        """
        relative = posixpath.normpath(posixpath.join(posixpath.dirname(line.path), token))
        if relative == path and _names_a_file(line, token):
            return True
        if token != path:
            return False
        return "/" in token or _PIPELINE.search(line.path) is not None or self._is_run(before, token)

    def _is_run(self, before: str, name: str) -> bool:
        """Return True if a program runs the only file of a name, in any working folder."""
        return bool(_PROGRAM.search(before)) and not self.change.project.paths((name, f"*/{name}"))

    def _has_path(self, folder: str, token: str) -> bool:
        read = self.change.project.read
        return read(token) is not None or read(posixpath.normpath(posixpath.join(folder, token))) is not None

    def _has_module(self, path: str) -> bool:
        stem = path.removesuffix(".py").removesuffix("/__init__")
        return any(
            self.change.project.read(f"{stem}{end}") is not None for end in (".py", "/__init__.py", ".pyi")
        )


def _names_a_file(line: Line, token: str) -> bool:
    """Return False if a bare name may be anything other than a file, such as a key or a word."""
    return "." in token or "/" in token or line.path.rpartition("/")[2].startswith("Dockerfile")


def _is_removed(file: ChangedFileView) -> bool:
    return file.base_path is not None and (file.text is None or file.path != file.base_path)


def _module_names(path: str) -> Iterator[str]:
    """Yield the dotted names of a Python file; names with a single part are too short to search."""
    if not path.endswith(".py"):
        return
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    if parts[0] in ("src", "lib", "backend", "app", "server", "api") and len(parts) > 2:
        yield ".".join(parts[1:])
    if len(parts) > 1 and all(part.isidentifier() for part in parts):
        yield ".".join(parts)
