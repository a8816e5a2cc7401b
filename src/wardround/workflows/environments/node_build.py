"""Building the packages of a JavaScript project: downloaded without scripts, which run in the sandbox."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from wardround.change.repository import Repository
from wardround.sandbox.model import State, Visible
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree, RunFolder
from wardround.sandbox.visible import INNER_ROOT
from wardround.semantics.supply_chain.urls import strip_credentials
from wardround.workflows.environments.added_files import move_checked, move_outputs
from wardround.workflows.environments.conditions import BuildConditions
from wardround.workflows.environments.download import Downloads, Tool, cache, open_downloads, package_manager
from wardround.workflows.environments.existing_node import PACKAGES, node, node_view
from wardround.workflows.environments.node_outputs import ROOT_SCRIPTS, output_inputs, outputs
from wardround.workflows.environments.node_places import require_registries
from wardround.workflows.environments.node_sources import (
    NodeSources,
    key_inputs,
    manifest,
    node_sources,
    written_files,
)
from wardround.workflows.environments.registries import npm_registries, registries_of
from wardround.workflows.environments.store import BuiltEnvironment, keep, key_of, store_folder
from wardround.workflows.environments.tree_files import TreeFiles, files_of
from wardround.workflows.test.project.projects import DetectedProject, table

_INSTALL = {
    "npm": ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--include=dev"),
    "pnpm": (
        "install", "--frozen-lockfile", "--ignore-scripts", "--ignore-pnpmfile",
        "--config.manage-package-manager-versions=false", "--config.package-import-method=clone-or-copy",
        "--config.enable-global-virtual-store=false", "--config.confirm-modules-purge=false",
        f"--config.store-dir={cache('pnpm')}",
    ),
    "yarn": ("install", "--frozen-lockfile", "--ignore-scripts", "--ignore-engines", "--non-interactive"),
    "bun": ("install", "--frozen-lockfile", "--ignore-scripts", "--backend=copyfile"),
}  # fmt: skip
"""Arguments that install a lock file unmodified, without code of packages, as files that no cache shares."""
_INSTALL_BERRY = ("install", "--immutable", "--mode=skip-build")
_BERRY = "__metadata:"
"""A line of the lock files of yarn 2 and later."""
_VARIABLES = {
    "CI": "1", "COREPACK_ENABLE_PROJECT_SPEC": "0", "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0", "NO_COLOR": "1",
    "YARN_IGNORE_PATH": "1", "YARN_ENABLE_SCRIPTS": "0", "YARN_NODE_LINKER": "node-modules",
    "YARN_ENABLE_TELEMETRY": "0", "NO_UPDATE_NOTIFIER": "1",
}  # fmt: skip
_PASSED = (
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "npm_config_offline",
    "YARN_REGISTRY",
    "YARN_NPM_REGISTRY_SERVER",
)
"""Variables of the caller that name registries."""
_USER_SETTINGS = ".wardround-npmrc"
_BUILD = b"2"
"""Raise it when other packages follow from the same files, so that older environments are not used."""
_OFFLINE = (
    ("npm_config_offline", "true"), ("npm_config_audit", "false"), ("npm_config_fund", "false"),
    ("npm_config_update_notifier", "false"), ("HUSKY", "0"), ("CI", "1"),
)  # fmt: skip
_IN_FOLDER = ("sh", "-c", 'cd "$0" && exec "$@"')
_MOST_SCRIPTS = 50


def node_key(project: DetectedProject, files: TreeFiles) -> str:
    """Return the key of the packages of a project.

    Raises:
        EnvironmentUnavailable: the lock file is missing, or a file cannot be read.
    """
    sources = node_sources(project, files)
    inputs = (*key_inputs(sources, files), *output_inputs(sources, files), ("build", _BUILD))
    return key_of("javascript", inputs)


def build_node(
    project: DetectedProject, repository: Repository, side: str, conditions: BuildConditions
) -> tuple[str, ...]:
    """Install the packages of a project into the store, and return a sentence for each script that failed.

    Raises:
        EnvironmentUnavailable: a program or a package is missing, or the lock file cannot be installed.
    """
    files = files_of(repository, side)
    sources = node_sources(project, files)
    environ, progress = conditions.environ, conditions.progress
    version, program = node(repository.root, environ)
    view = node_view(program)
    hint = "install it" if sources.manager != "npm" else "install Node.js with npm"
    manager = package_manager(sources.manager, hint, repository.root, environ)
    registries = registries_of(conditions)
    require_registries(sources, files, registries)
    store_folder().mkdir(parents=True, exist_ok=True)
    with EphemeralTree(repository, side, store_folder()) as tree:
        work, built = tree.root.with_name("work"), tree.root.with_name("built")
        work.mkdir()
        built.mkdir()
        progress(f"installation of {sources.description}")
        folder = RunFolder(work, tree.home, tree.private)
        with open_downloads(folder, registries, conditions) as downloads:
            _install(downloads, manager, view, sources, files, environ)
        _move_packages(work, tree.root, files)
        scripts = _Scripts(tree, msgspec.structs.replace(view, variables=_OFFLINE), conditions)
        failed = tuple(scripts.run(_tasks(sources, files), progress))
        description = BuiltEnvironment(
            language="javascript",
            source=sources.description,
            version=version,
            packages=(f"{sources.lock} {key_of('', [('', files.content(sources.description))])}",),
            added=move_outputs(tree.root, files.paths, built, outputs(sources, files)),
        )
        keep(built, node_key(project, files), description)
        return failed


def _install(
    downloads: Downloads,
    manager: Tool,
    view: Visible,
    sources: NodeSources,
    files: TreeFiles,
    environ: Mapping[str, str],
) -> None:
    for path, content in written_files(sources, files):
        downloads.add(path, content)
    settings = "".join(f"{name}={url}\n" for name, url in npm_registries(environ))
    variables = {
        "npm_config_userconfig": downloads.add(_USER_SETTINGS, settings.encode()),
        "npm_config_cache": cache("npm"), "YARN_CACHE_FOLDER": cache("yarn"),
        "YARN_GLOBAL_FOLDER": cache("berry"), "BUN_INSTALL_CACHE_DIR": cache("bun"),
        "COREPACK_HOME": cache("corepack"),
    }  # fmt: skip
    passed = {name: strip_credentials(environ[name]) for name in _PASSED if name in environ}
    arguments: Sequence[str] = _INSTALL[sources.manager]
    if sources.manager == "yarn" and _BERRY in (files.text(sources.description) or ""):
        arguments = _INSTALL_BERRY
    visible = msgspec.structs.replace(
        view, read_only=tuple(dict.fromkeys((*view.read_only, *manager.visible.read_only)))
    )
    downloads.run(
        msgspec.structs.replace(manager, visible=visible),
        arguments,
        f"install {sources.description}",
        folder=sources.folder,
        variables=_VARIABLES | passed | variables,
    )
    downloads.remove_caches()


def _move_packages(work: Path, root: Path, files: TreeFiles) -> None:
    """Move the installed packages into the tree, where nothing has run yet that could have made a link."""
    folders = {posixpath.dirname(path) for path in files.paths if posixpath.basename(path) == "package.json"}
    for folder in sorted(folders):
        source, target = work / folder / PACKAGES, root / folder / PACKAGES
        is_own = os.path.realpath(source) == os.path.join(os.path.realpath(work), folder, PACKAGES)
        if is_own and source.is_dir() and not os.path.lexists(target):
            move_checked(source, target)


def _tasks(sources: NodeSources, files: TreeFiles) -> Iterator[tuple[str, list[str]]]:
    """Yield a description and a command for each script: those of packages first, then the project's own."""
    start = [*_IN_FOLDER, posixpath.join(INNER_ROOT, sources.folder)]
    for name in _built_packages(sources, files)[:_MOST_SCRIPTS]:
        yield f"the install script of {name}", [*start, "npm", "rebuild", "--foreground-scripts", "--", name]
    document = manifest(files, posixpath.join(sources.folder, "package.json"))
    for script in ROOT_SCRIPTS:
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
        for path, package in packages.items()
        if PACKAGES in path and table(package).get("hasInstallScript") is True
    }
    return sorted(found)


class _Scripts:
    """Runs scripts in the tree, without network."""

    def __init__(self, tree: EphemeralTree, visible: Visible, conditions: BuildConditions) -> None:
        self._tree = tree
        self._visible = visible
        self._conditions = conditions

    def run(self, tasks: Iterator[tuple[str, list[str]]], progress: Callable[[str], None]) -> Iterator[str]:
        """Run each script and yield a sentence for those that fail; many need the network, tests do not."""
        for description, command in tasks:
            progress(description)
            outcome = run(
                command,
                self._tree,
                self._conditions.limits,
                log=self._tree.root.with_name("scripts.log"),
                visible=self._visible,
                isolation=self._conditions.isolation,
            )
            if outcome.state is not State.FINISHED or outcome.status != 0:
                yield f"{description} failed in the sandbox: {outcome.detail or f'status {outcome.status}'}"
