"""CT004: removed path in use."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from wardround.checks.cases import change
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.config.ignore_files import is_ignored
from wardround.findings import Severity
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

    A path counts if it leads to the removed file from the root of the repository or from the folder of the
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
        removed = {one.base_path: one for one in self.change.files if _is_removed(one)}
        if not 0 < len(removed) <= _MOST_PATHS:
            return
        self._search = TextSearch(self.change)
        self._present = frozenset(self.change.project.paths([path for path in removed if path is not None]))
        uses: dict[str, list[RemainingUse]] = defaultdict(list)
        gone = {path: file for path, file in removed.items() if path is not None and self._is_gone(path)}
        self._deleted = frozenset(path for path, file in gone.items() if file.text is None)
        for path, line in self._uses(list(gone)):
            uses[path].append(RemainingUse(line.path, line.number))
        for path, places in sorted(uses.items()):
            file = gone[path]
            what = f"`{path}` is removed" if file.text is None else f"`{path}` is moved to {file.path}"
            self.report_removed(file, 1, what, places, Severity.WARN)

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
        modules = {module: path for path in paths for module in _module_names(path)}
        known = {module: path for module, path in modules.items() if not self._has_module(path)}
        for line in self._search.lines([one.rpartition(".")[2] for one in known], _CONFIGURATION):
            for module, path in known.items():
                match = re.search(
                    rf"(?<![\w./#-]){re.escape(module)}(?![\w/-]|\.\w+\.\w+\.|\.(?:com|org|io)\b)", line.text
                )
                is_command = match and _MODULE_COMMAND.search(line.text[: match.start()])
                if match and is_command and not is_prose(line, self._search.text(line.path), match.start()):
                    yield path, line

    def _uses_of_actions(self, paths: list[str]) -> Iterator[tuple[str, Line]]:
        """Yield the steps of workflows and actions that use the folder of a removed action."""
        folders = {posixpath.dirname(path): path for path in paths if path.endswith(_ACTION_FILES[:2])}
        gone = {folder: path for folder, path in folders.items() if folder and not self._has_action(folder)}
        for line in self._search.lines([posixpath.basename(folder) for folder in gone], ("*.yml", "*.yaml")):
            used = _USES_ACTION.match(line.text)
            path = gone.get(posixpath.normpath(used[1])) if used is not None else None
            if path is not None:
                yield path, line

    def _has_action(self, folder: str) -> bool:
        return any(self.change.project.read(f"{folder}/{name}") is not None for name in _ACTION_FILES)

    def _is_broken(self, line: Line, path: str) -> bool:
        """Return True if a line names a path, and the absence of the file breaks what the line does."""
        found = self._named(line, path)
        text = self._search.text(line.path)
        if found is None or is_prose(line, text, found.start()):
            return False
        if path not in self._deleted:  # the new place is meant, and a test or a filter misses it silently
            return True
        return not (is_filter(line, text) or may_be_missing(line, text, found[0].removeprefix("./")))

    def _named(self, line: Line, path: str) -> re.Match[str] | None:
        """Return the token of a line that leads to a path."""
        for match in _TOKEN.finditer(line.text):
            token = match[0].removeprefix("./")
            if not token.endswith(posixpath.basename(path)) or _OUTPUT.search(line.text[: match.start()]):
                continue
            before = line.text[: match.start()][-1:]
            if before in ("$", "}", "{", "*", ":") or token.startswith(("/", "~", "@")):
                continue
            folder = posixpath.dirname(line.path)
            is_relative = posixpath.normpath(posixpath.join(folder, token)) == path
            is_rooted = token == path and ("/" in token or bool(_PIPELINE.search(line.path)))
            is_rooted = is_rooted or (token == path and self._is_run(line.text[: match.start()], token))
            if (is_relative and _names_a_file(line, token)) or is_rooted:
                return match if not self._exists(folder, token) else None
        return None

    def _is_run(self, before: str, name: str) -> bool:
        """Return True if a program runs the only file of a name, in any working folder."""
        return bool(_PROGRAM.search(before)) and not self.change.project.paths((name, f"*/{name}"))

    def _exists(self, folder: str, token: str) -> bool:
        read = self.change.project.read
        return read(token) is not None or read(posixpath.normpath(posixpath.join(folder, token))) is not None

    def _has_module(self, path: str) -> bool:
        stem = path.removesuffix(".py").removesuffix("/__init__")
        return any(
            self.change.project.read(f"{stem}{end}") is not None for end in (".py", "/__init__.py", ".pyi")
        )


def _names_a_file(line: Line, token: str) -> bool:
    """Return True unless a bare name may be of anything, such as a key or a word."""
    return "." in token or "/" in token or line.path.rpartition("/")[2].startswith("Dockerfile")


def _is_removed(file: ChangedFileView) -> bool:
    return file.base_path is not None and (file.text is None or file.path != file.base_path)


def _module_names(path: str) -> Iterator[str]:
    """Yield the dotted names that a Python file may have; those of one part are too short to search."""
    if not path.endswith(".py"):
        return
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    if parts[0] in ("src", "lib", "backend", "app", "server", "api") and len(parts) > 2:
        yield ".".join(parts[1:])
    if len(parts) > 1 and all(part.isidentifier() for part in parts):
        yield ".".join(parts)
