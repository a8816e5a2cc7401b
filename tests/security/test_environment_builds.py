"""A change that tries to run code on the host, or to decide later runs, while its environments are built."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.security.sandbox.host import WORKING
from tests.workflows.environments.conftest import archive_of, index, program, repository_with, wheel
from wardround.change.repository import INDEX, Repository
from wardround.cli.ci_environments import build_missing
from wardround.cli.environment import command
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.http_messages import Address
from wardround.sandbox.model import Limits
from wardround.sandbox.tree import RunFolder
from wardround.workflows.environments.added_files import move_checked, move_modules, move_outputs
from wardround.workflows.environments.built import built_environment
from wardround.workflows.environments.conditions import BuildConditions
from wardround.workflows.environments.download import DownloadFailed, open_downloads, own_python
from wardround.workflows.environments.node_build import node_key
from wardround.workflows.environments.node_places import require_registries
from wardround.workflows.environments.node_sources import node_sources, written_files
from wardround.workflows.environments.python_build import python_key
from wardround.workflows.environments.registries import Registries, registries_of, require_registry
from wardround.workflows.environments.requirements import parse
from wardround.workflows.environments.store import store_folder
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.environments.uv import Uv
from wardround.workflows.test.project.projects import DetectedProject

__all__ = ["index"]
PYTHON, NODE = DetectedProject("", "python"), DetectedProject("", "javascript")
TOUCH = "try: open({!r}, 'w')\nexcept OSError: pass\n"
BACKEND = """
import os, zipfile

def build_editable(folder, settings=None, metadata=None):
    os.symlink({linked!r}, ".wardround-sdist.tar.gz")
    for path, text in {added!r}.items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o6755)
    return build_wheel(folder)

def build_wheel(folder, settings=None, metadata=None):
    info = {name!r} + "-1.0.dist-info/"
    needs = "".join("Requires-Dist: " + one + "\\n" for one in {needs!r})
    files = {{info + "METADATA": "Metadata-Version: 2.1\\nName: " + {name!r} + "\\nVersion: 1.0\\n" + needs}}
    files[info + "WHEEL"] = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[info + "RECORD"] = "".join(path + ",,\\n" for path in [*files, info + "RECORD"])
    with zipfile.ZipFile(os.path.join(folder, {name!r} + "-1.0-py3-none-any.whl"), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return {name!r} + "-1.0-py3-none-any.whl"
"""
SYSTEM = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
ADDED = {
    "tests/conftest.py": "def pytest_collection_modifyitems(items): items.clear()",
    "src/demo/core.so": "",
    "src/demo/rule_version.py": "import os; version = os.getpid()",
    "src/demo/_version.py": "version = '1.0'",
    "sitecustomize.py": "",
}


def hostile_project(outside: Path) -> dict[str, str | bytes]:
    """Return a project whose files instruct the package manager to run code and to write outside."""
    settings = f'no-binary = [":all:"]\ntarget = "{outside}/target"\n'
    backend = BACKEND.format(
        linked=str(outside / "linked"), added=ADDED, name="demo", needs=["leaf", "source"]
    )
    return {
        "pyproject.toml": f'{SYSTEM}[project]\nname = "demo"\nversion = "1.0"\ndependencies = ["leaf"]\n'
        f"[tool.pytest.ini_options]\n[tool.uv.pip]\n{settings}",
        "uv.toml": f"[pip]\n{settings}",
        "backend.py": TOUCH.format(str(outside / "backend")) + backend,
        "src/demo/__init__.py": "",
        "src/demo/core.py": "broken",
        "src/demo/fast.c": "",
        "tests/test_core.py": "def test_core(): assert False",
    }  # fmt: skip


@pytest.mark.parametrize("isolation", WORKING)
@pytest.mark.parametrize("door", ["environment build", "ci"])
def test_no_code_of_a_build_runs_on_the_host_and_nothing_is_written_outside(
    door: str, isolation: str, tmp_path: Path, index: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    hostile = TOUCH.format(str(outside / "dependency"))
    for name in ("coverage", "pytest", "leaf"):
        wheel(index[0], name, "1.0", {f"{name}.py": ""})
    (index[0] / "leaf-1.0.tar.gz").write_bytes(archive_of("leaf-1.0", {"setup.py": hostile}))
    backend = hostile + BACKEND.format(linked="", added={}, name="source", needs=[])
    content = archive_of("source-1.0", {"pyproject.toml": SYSTEM, "backend.py": backend})
    (index[0] / "source-1.0.tar.gz").write_bytes(content)
    for name, value in (
        ("XDG_CACHE_HOME", str(tmp_path / "cache")),
        ("UV_INDEX_URL", index[1]),
        ("PATH", os.pathsep.join((program("uv"), os.environ["PATH"]))),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    root = tmp_path / "repo"
    with repository_with(root, hostile_project(outside)) as repository:
        if door == "ci":
            build_missing(root, repository.head() or "", repository.head() or "", isolation)
        else:
            done = CliRunner().invoke(command, ["build", "--repo", str(root), "--sandbox", isolation])
            assert done.exception is None or "SystemExit" in repr(done.exception), done.output
        frameworks = DetectedProject("", "python", frameworks=_pytest_of(repository))
        found = built_environment(frameworks, repository, INDEX, os.environ)

    assert sorted(outside.iterdir()) == []
    assert found is not None
    assert {path for path, _ in found.copies} == {"src/demo/_version.py"}
    modes = [os.lstat(location).st_mode for location in _files(store_folder())]
    assert not [mode for mode in modes if mode & (stat.S_ISUID | stat.S_ISGID)]


def _pytest_of(repository: Repository) -> tuple[object, ...]:
    from wardround.cli.project_environments import projects_of

    return tuple(projects_of(repository, INDEX, None)[0].frameworks)


def _files(folder: Path) -> list[Path]:
    return [Path(top, name) for top, _, names in os.walk(folder) for name in names]


ATTEMPTS = """
import os, socket, sys, urllib.request
def trial(name, act):
    try: print(name, act())
    except Exception as cause: pass
trial("port", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
trial("proxied", lambda: urllib.request.urlopen("http://127.0.0.1:{port}/", timeout=5).read())
trial("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0{abstract}"))
trial("home", lambda: open({secret!r}).read())
trial("tree", lambda: os.listdir({repository!r}))
trial("written", lambda: open({outside!r}, "w"))
trial("variable", lambda: os.environ["API_TOKEN"])
trial("caller", lambda: {home!r} == os.environ["HOME"] and 1 / 1 or 1 / 0)
open("/tree/report", "w").write("done")
print("allowed", urllib.request.urlopen("http://127.0.0.1:{allowed}/simple/x/", timeout=50).status)
"""


@pytest.mark.parametrize("isolation", WORKING)
def test_a_download_reaches_registries_and_its_own_folder_and_nothing_else(
    isolation: str, tmp_path: Path, index: tuple[Path, str]
) -> None:
    home, work, empty = (tmp_path / name for name in ("home", "work", "empty"))
    for folder in (home, work, empty):
        folder.mkdir()
    (home / ".netrc").write_text("password")
    abstract = f"wardround-{os.urandom(8).hex()}"
    allowed = int(index[1].partition("127.0.0.1:")[2].partition("/")[0])
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "API_TOKEN": "t", "UV_INDEX_URL": index[1]}
    conditions = BuildConditions(Limits(wall_s=60), environ, isolation)
    with (
        repository_with(tmp_path / "repo", {"a": ""}) as repository,
        closing(socket.create_server(("127.0.0.1", 0))) as service,
        closing(socket.socket(socket.AF_UNIX)) as named,
    ):
        named.bind(f"\0{abstract}")
        named.listen()
        text = ATTEMPTS.format(
            port=service.getsockname()[1], abstract=abstract, secret=str(home / ".netrc"), home=str(home),
            repository=str(repository.root), outside=str(tmp_path / "written"), allowed=allowed,
        )  # fmt: skip
        folder = RunFolder(work, empty, (repository.root, repository.git_dir))
        with (
            open_downloads(folder, registries_of(conditions), conditions) as downloads,
            pytest.raises(DownloadFailed) as caught,
        ):
            downloads.run(own_python(), ["-I", "-c", text + "sys.exit(3)"], "try")

    reached = (tmp_path / "download.log").read_text().split("\n")
    assert [line for line in reached if line] == ["allowed 200"], reached
    assert folder.read("report") == b"done"
    assert "which is not among the registries: name it in sandbox.registries at the base" in str(caught.value)
    assert not (tmp_path / "written").exists()


PUBLIC = Registries(frozenset({Address("pypi.org", 443), Address("registry.npmjs.org", 443)}))
PERMITTED = Registries(PUBLIC.addresses, ("https://github.com/known/",))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("leaf @ git+https://github.com/other/leaf", "from git"),
        ("leaf @ git+file:///etc/leaf", "from git"),
        ("leaf[x] @ git+ssh://git@host.example/leaf ; python_version > '3'", "from git"),
        ("git+https://github.com/other/leaf#egg=leaf", "from git"),
        ("leaf @ GIT+HTTPS://github.com/other/leaf", "from git"),
        ("leaf @ git@github.com:other/leaf", "from git"),
        ("leaf @ hg+https://hg.example/leaf", "on no registry"),
        ("leaf @ ftp://evil.example/leaf.whl", "on no registry"),
        ("leaf @ HTTPS://evil.example/leaf.whl", "on no registry"),
        ("https://evil.example/leaf.whl", "on no registry"),
        ("leaf @ file:///etc/leaf", "from a file of this machine"),
        ("leaf @ FILE:/etc/leaf", "from a file of this machine"),
        ("leaf @ file:leaf.whl", "from a file of this machine"),
        ("leaf[x]@./leaf.whl ; python_version > '3'", "from a file of this machine"),
        ("/etc/leaf.whl", "from a file of this machine"),
        ("leaf @ ${HOME}/leaf.whl", "from a file of this machine"),
        ("leaf @ https://evil.example/leaf.whl", "on no registry"),
        ("leaf @ http://169.254.169.254/latest", "on no registry"),
        ("--index-url https://evil.example/simple", "on no registry"),
        ("--extra-index-url http://pypi.org/simple", "on no registry"),
    ],
)
def test_requirements_from_other_places_are_rejected_with_the_reason(line: str, reason: str) -> None:
    with pytest.raises(EnvironmentUnavailable, match=reason):
        require_registry(line, "requirements.txt", PERMITTED)


@pytest.mark.parametrize(
    "line",
    [
        "leaf",
        "leaf[x,y]>=1,!=2.* ; python_version > '3' and extra == 'a@b:c/d'",
        "leaf==1.0;sys_platform=='a/b'",
        "leaf==1.0 --hash=sha256:00 --hash=sha256:11",
        "leaf===1.0+local",
        "leaf @ https://pypi.org/leaf-1.0.whl",
        "leaf@HTTPS://pypi.org/leaf-1.0.whl#sha256=00",
    ],
)
def test_requirements_of_registries_are_permitted(line: str) -> None:
    require_registry(line, "requirements.txt", PERMITTED)


def test_a_repository_that_the_settings_name_is_permitted() -> None:
    require_registry("leaf @ git+https://github.com/known/leaf@v1", "requirements.txt", PERMITTED)
    for name in ("git+https://github.com/known-not/leaf", "git+https://github.com.evil.example/known/leaf"):
        with pytest.raises(EnvironmentUnavailable, match="from git"):
            require_registry(f"leaf @ {name}", "requirements.txt", PERMITTED)


@pytest.mark.parametrize(
    "line", ["-e ../../other", "../../other", "-e git+https://github.com/a/b", "/etc/leaf"]
)
def test_paths_outside_and_repositories_without_a_name_are_rejected(line: str) -> None:
    if line == "/etc/leaf":
        assert parse("requirements.txt", line, lambda _: None).lines == ()
        return
    with pytest.raises(EnvironmentUnavailable):
        parse("sub/requirements.txt", line, lambda _: None)


def tree(texts: dict[str, str]) -> TreeFiles:
    return TreeFiles(texts, lambda path: texts[path].encode() if path in texts else None)


NPM_LOCK = '{"packages": {"": {}, "node_modules/leaf": {"version": "1.0.0", "resolved": "%s"}}}'
PNPM_LOCK = "lockfileVersion: '9.0'\n\npackages:\n\n  leaf@1.0.0:\n    resolution: {%s}\n"
YARN_LOCK = 'leaf@^1:\n  version "1.0.0"\n  resolved "%s"\n'


@pytest.mark.parametrize(
    "files",
    [
        {"package-lock.json": NPM_LOCK % "git+ssh://git@github.com/a/leaf.git#0123"},
        {"package-lock.json": NPM_LOCK % "https://evil.example/leaf.tgz"},
        {"package-lock.json": NPM_LOCK % "file:../../leaf.tgz"},
        {"pnpm-lock.yaml": PNPM_LOCK % "tarball: https://codeload.github.com/a/leaf/tar.gz/0123"},
        {"pnpm-lock.yaml": PNPM_LOCK % "type: git, repo: https://evil.example/leaf.git, commit: '0123'"},
        {"yarn.lock": YARN_LOCK % "git+https://github.com/a/leaf.git#0123"},
        {"yarn.lock": YARN_LOCK % "https://codeload.github.com/a/leaf/tar.gz/0123"},
        {"yarn.lock": "", "package.json": '{"dependencies": {"leaf": "a/leaf"}}'},
        {"yarn.lock": "", "package.json": '{"devDependencies": {"leaf": "github:a/leaf"}}'},
        {"yarn.lock": "", "package.json": '{"dependencies": {"leaf": "link:../leaf"}}'},
        {"yarn.lock": "", ".npmrc": "registry=https://evil.example/\n"},
        {"yarn.lock": "", "package.json": '{"dependencies": {"leaf": "exec:./make.js"}}'},
        {"yarn.lock": "", "package.json": '{"dependencies": {"leaf": "HTTPS://evil.example/leaf.tgz"}}'},
        {"yarn.lock": "", "package.json": '{"dependencies": {"leaf": "GitHub:a/leaf"}}'},
    ],
)
def test_packages_of_javascript_from_other_places_are_rejected(files: dict[str, str]) -> None:
    found = tree({"package.json": "{}"} | files)
    with pytest.raises(EnvironmentUnavailable):
        require_registries(node_sources(NODE, found), found, PERMITTED)


def test_packages_of_registries_and_of_the_repository_are_permitted() -> None:
    manifest = (
        '{"dependencies": {"a": "^1.0.0", "b": "file:vendor/b.tgz", "c": "workspace:*", "d": "npm:e@1"}}'
    )
    found = tree(
        {"package.json": manifest, "yarn.lock": YARN_LOCK % "https://registry.npmjs.org/leaf/-/leaf.tgz"}
    )
    require_registries(node_sources(NODE, found), found, PUBLIC)


def test_settings_of_the_tree_are_reduced_to_those_that_name_packages() -> None:
    workspace = (
        "packages: [a]\nmodulesDir: /out\nvirtualStoreDir: /out\nstoreDir: /out\nconfigDependencies: {x: 1}\n"
        "scriptShell: /out\nhoist: true\n"
    )
    manifest = (
        '{"name": "x", "scripts": {"install": "run"}, "packageManager": "pnpm@0", "pnpm": {"storeDir": "/"}}'
    )
    npmrc = "prefix=/out\ncache=/out\nscript-shell=/out\ngit=/out\nglobalconfig=/out\nstore-dir=/out\n"
    found = tree(
        {
            "package.json": manifest, "pnpm-lock.yaml": "", "pnpm-workspace.yaml": workspace, ".npmrc": npmrc,
            ".yarnrc": "yarn-path run", ".yarnrc.yml": "plugins: [run]", ".pnpmfile.cjs": "run()",
        }
    )  # fmt: skip

    written = dict(written_files(node_sources(NODE, found), found))

    assert written == {
        "package.json": b'{"name": "x", "pnpm": {}}', "pnpm-lock.yaml": b"", ".npmrc": b"",
        "pnpm-workspace.yaml": b'{"packages": ["a"], "hoist": true}',
    }  # fmt: skip


def test_a_request_for_python_that_is_a_path_starts_no_program(tmp_path: Path) -> None:
    run = tmp_path / "python3"
    run.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    run.chmod(0o755)
    uv = Uv(tmp_path / "repo", {"PATH": os.pathsep.join((program("uv"), os.environ["PATH"]))})

    with pytest.raises(EnvironmentUnavailable, match="which uv does not find"):
        uv.interpreter((str(run),))

    assert not (tmp_path / "started").exists()


def test_the_key_of_an_environment_has_all_that_its_build_reads() -> None:
    project = {
        "pyproject.toml": SYSTEM.replace('"."', '"tools"'),
        "tools/backend.py": "",
        "tools/part.py": "",
        "a.c": "",
        "b.py": "",
    }
    package = {"package.json": '{"scripts": {"prepare": "tsc"}}', "package-lock.json": "{}", "a.ts": ""}
    cases: list[tuple[Callable[[TreeFiles], str], dict[str, str], list[str]]] = [
        (lambda files: python_key(PYTHON, files), project, [*project][1:-1]),
        (lambda files: node_key(NODE, files), package, ["a.ts"]),
    ]
    for key, files, deciding in cases:
        for path in deciding:
            assert key(tree(files)) != key(tree(files | {path: "changed"})), path
    assert python_key(PYTHON, tree(project)) == python_key(PYTHON, tree(project | {"b.py": "changed"}))
    husky = package | {"package.json": '{"scripts": {"prepare": "husky"}}'}
    assert node_key(NODE, tree(husky)) == node_key(NODE, tree(husky | {"a.ts": "changed"}))


def test_only_modules_that_the_tree_lacks_are_retained_of_a_build(tmp_path: Path) -> None:
    tracked = ["pkg/__init__.py", "pkg/core.py", "pkg/fast.pyx", "tests/__init__.py", "plain/a.py"]
    added = {
        "pkg/fast.so", "pkg/core.so", "pkg/conftest.so", "pkg/helper.py", "pkg/_version.py", "tests/x.so",
        "tests/conftest.py", "plain/b.so", "sitecustomize.so", "pytest.ini", "pkg/data/x.so",
    }  # fmt: skip
    root = tmp_path / "tree"
    for path in (*tracked, *added):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("version = (1, 0)")
    os.symlink("/etc/passwd", root / "pkg" / "linked.so")

    assert move_modules(root, tracked, tmp_path / "built") == ("pkg/_version.py", "pkg/fast.so")


def test_files_that_tests_find_on_their_own_are_not_kept_of_scripts(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for path in (
        "dist/index.js",
        "dist/a.test.js",
        "dist/vitest.config.js",
        "vitest.config.js",
        "extra/a.js",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    os.symlink("/etc", root / "node_modules")

    assert move_outputs(root, ["package.json"], tmp_path / "built", {"dist"}) == ("dist",)
    assert os.listdir(tmp_path / "built" / "tree" / "dist") == ["index.js"]


def test_what_a_build_leaves_has_no_special_rights_and_no_second_name(tmp_path: Path) -> None:
    source = tmp_path / "left"
    source.mkdir()
    for name, mode in (("setuid", 0o6755), ("shared", 0o644)):
        (source / name).write_text("content")
        (source / name).chmod(mode)
    os.link(source / "shared", tmp_path / "other")
    os.mkfifo(source / "pipe")

    move_checked(source, tmp_path / "kept")

    assert sorted(os.listdir(tmp_path / "kept")) == ["setuid", "shared"]
    assert stat.S_IMODE((tmp_path / "kept" / "setuid").stat().st_mode) == 0o755
    assert (tmp_path / "kept" / "shared").stat().st_nlink == 1
