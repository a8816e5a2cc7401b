"""Building the packages of a JavaScript project: downloaded without scripts, which run in the sandbox."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.change.repository import Repository
from wardround.sandbox.model import Limits, State, Visible
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import INNER_ROOT
from wardround.workflows.environments.added_files import keep_added
from wardround.workflows.environments.download import PackageManager
from wardround.workflows.environments.existing_node import PACKAGES, node, node_view
from wardround.workflows.environments.node_sources import (
    NodeSources,
    key_inputs,
    manifest,
    node_sources,
    written_files,
)
from wardround.workflows.environments.store import BuiltEnvironment, keep, key_of, store_folder
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.projects import DetectedProject, table

_INSTALL = {
    "npm": ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--include=dev"),
    "pnpm": (
        "install", "--frozen-lockfile", "--ignore-scripts", "--ignore-pnpmfile",
        "--config.manage-package-manager-versions=false", "--config.package-import-method=clone-or-copy",
        "--config.enable-global-virtual-store=false", "--config.confirm-modules-purge=false",
    ),
    "yarn": ("install", "--frozen-lockfile", "--ignore-scripts", "--ignore-engines", "--non-interactive"),
    "bun": ("install", "--frozen-lockfile", "--ignore-scripts", "--backend=copyfile"),
}  # fmt: skip
"""Arguments that install a lock file as it is, without code of packages, as files that no cache shares."""
_INSTALL_BERRY = ("install", "--immutable", "--mode=skip-build")
_BERRY = "__metadata:"
"""A line of the lock files of yarn 2 and later."""
_VARIABLES = {
    "CI": "1", "COREPACK_ENABLE_PROJECT_SPEC": "0", "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0", "NO_COLOR": "1",
    "YARN_IGNORE_PATH": "1", "YARN_ENABLE_SCRIPTS": "0", "YARN_NODE_LINKER": "node-modules",
    "YARN_ENABLE_TELEMETRY": "0", "NO_UPDATE_NOTIFIER": "1",
}  # fmt: skip
_OFFLINE = (
    ("npm_config_offline", "true"), ("npm_config_audit", "false"), ("npm_config_fund", "false"),
    ("npm_config_update_notifier", "false"), ("HUSKY", "0"), ("CI", "1"),
)  # fmt: skip
_IN_FOLDER = ("sh", "-c", 'cd "$0" && exec "$@"')
_ROOT_SCRIPTS = ("preinstall", "install", "postinstall", "prepare")
_MOST_SCRIPTS = 50


def node_key(project: DetectedProject, files: TreeFiles) -> str:
    """Return the key of the packages of a project.

    Raises:
        EnvironmentUnavailable: the lock file is missing, or a file cannot be read.
    """
    return key_of("javascript", key_inputs(node_sources(project, files), files))


def build_node(
    project: DetectedProject,
    repository: Repository,
    side: str,
    limits: Limits,
    environ: Mapping[str, str],
    progress: Callable[[str], None],
    isolation: str,
) -> tuple[str, ...]:
    """Install the packages of a project into the store, and return a sentence for each script that failed.

    Raises:
        EnvironmentUnavailable: a program or a package is missing, or the lock file cannot be installed.
    """
    files = TreeFiles(repository.tracked(side), repository.tree(side).read)
    sources = node_sources(project, files)
    version, program = node(repository.root, environ)
    hint = "install it" if sources.manager != "npm" else "install Node.js with npm"
    manager = PackageManager(sources.manager, hint, repository.root, environ)
    store_folder().mkdir(parents=True, exist_ok=True)
    with EphemeralTree(repository, side, store_folder()) as tree:
        work, built = tree.root.parent / "work", tree.root.parent / "built"
        work.mkdir()
        built.mkdir()
        progress(f"installation of {sources.description}")
        _install(manager, sources, files, work)
        _move_packages(work, tree.root, files)
        visible = msgspec.structs.replace(node_view(program), variables=_OFFLINE)
        scripts = _Scripts(tree, visible, limits, isolation, work / "scripts.log")
        failed = tuple(scripts.run(_tasks(sources, files), progress))
        description = BuiltEnvironment(
            language="javascript",
            source=sources.description,
            version=version,
            packages=(f"{sources.lock} {key_of('', [('', files.content(sources.description))])}",),
            added=keep_added(tree.root, files.paths, built, is_output_kept=True),
        )
        keep(built, node_key(project, files), description)
        return failed


def _install(manager: PackageManager, sources: NodeSources, files: TreeFiles, work: Path) -> None:
    for path, content in written_files(sources, files):
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_bytes(content)
    arguments: Sequence[str] = _INSTALL[sources.manager]
    if sources.manager == "yarn" and _BERRY in (files.text(sources.description) or ""):
        arguments = _INSTALL_BERRY
    manager.output(arguments, work / sources.folder, f"install {sources.description}", _VARIABLES)


def _move_packages(work: Path, root: Path, files: TreeFiles) -> None:
    """Move the installed packages into the tree; nothing has run there yet that could have made a link."""
    folders = {posixpath.dirname(path) for path in files.paths if posixpath.basename(path) == "package.json"}
    for folder in sorted(folders):
        source, target = work / folder / PACKAGES, root / folder / PACKAGES
        if source.is_dir() and not source.is_symlink() and not os.path.lexists(target):
            os.rename(source, target)


def _tasks(sources: NodeSources, files: TreeFiles) -> Iterator[tuple[str, list[str]]]:
    """Yield a description and a command for each script: those of packages first, then the project's own."""
    start = [*_IN_FOLDER, posixpath.join(INNER_ROOT, sources.folder)]
    for name in _built_packages(sources, files)[:_MOST_SCRIPTS]:
        yield f"the install script of {name}", [*start, "npm", "rebuild", "--foreground-scripts", "--", name]
    document = manifest(files, posixpath.join(sources.folder, "package.json"))
    for script in _ROOT_SCRIPTS:
        if script in table(document, "scripts"):
            yield f"the script {script}", [*start, "npm", "run", script]


def _built_packages(sources: NodeSources, files: TreeFiles) -> list[str]:
    """Return the names of packages with install scripts, which only the lock file of npm lists."""
    if sources.manager != "npm":
        return []
    try:
        packages = table(json.loads(files.text(sources.description) or "{}"), "packages")
    except (ValueError, RecursionError):
        return []
    found = {
        path.rpartition(f"{PACKAGES}/")[2]
        for path, one in packages.items()
        if PACKAGES in path and table(one).get("hasInstallScript") is True
    }
    return sorted(found)


class _Scripts:
    """Runs scripts in the tree, without network."""

    def __init__(
        self, tree: EphemeralTree, visible: Visible, limits: Limits, isolation: str, log: Path
    ) -> None:
        self._tree = tree
        self._visible = visible
        self._limits = limits
        self._isolation = isolation
        self._log = log

    def run(self, tasks: Iterator[tuple[str, list[str]]], progress: Callable[[str], None]) -> Iterator[str]:
        """Run each script and yield a sentence for those that fail; many need the network, tests do not."""
        for description, command in tasks:
            progress(description)
            outcome = run(
                command,
                self._tree,
                self._limits,
                log=self._log,
                visible=self._visible,
                isolation=self._isolation,
            )
            if outcome.state is not State.FINISHED or outcome.status != 0:
                yield f"{description} failed in the sandbox: {outcome.detail or f'status {outcome.status}'}"
