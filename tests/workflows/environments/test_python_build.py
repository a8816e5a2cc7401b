"""Python environments are built from lock files by uv; code of packages runs in the sandbox only."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.workflows.environments.conftest import archive_of, program, release, repository_with, run_in, wheel
from wardround.change.repository import INDEX, Repository
from wardround.config.sandbox_settings import SandboxSettings
from wardround.errors import EnvironmentUnavailable, UsageError
from wardround.sandbox.model import Limits
from wardround.workflows.environments.built import Build, build_environment, built_environment
from wardround.workflows.environments.download import DownloadFailed
from wardround.workflows.environments.lookup import environment_of
from wardround.workflows.environments.store import store_folder
from wardround.workflows.test.project.projects import DetectedProject

PROJECT = DetectedProject("", "python")
BACKEND = """
import os, zipfile

def build_editable(folder, settings=None, metadata=None):
    with open("src/demo/_version.py", "w") as file:
        file.write("version = 'generated'")
    return _wheel(folder, {"demo.pth": os.path.abspath("src")})

def build_wheel(folder, settings=None, metadata=None):
    return _wheel(folder, {NAME + ".py": "value = 'built'"})

def _wheel(folder, files):
    info = NAME + "-1.2.dist-info/"
    files[info + "METADATA"] = "Metadata-Version: 2.1\\nName: " + NAME + "\\nVersion: 1.2\\n" + DEPENDS
    files[info + "WHEEL"] = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[info + "RECORD"] = "".join(path + ",,\\n" for path in [*files, info + "RECORD"])
    name = NAME + "-1.2-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return name
"""
MANIFEST = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "demo"
version = "1.2"
dependencies = ["leaf"]
"""
DEMO: dict[str, str | bytes] = {
    "pyproject.toml": MANIFEST,
    "backend.py": BACKEND + "NAME, DEPENDS = 'demo', 'Requires-Dist: leaf\\n'\n",
    "src/demo/__init__.py": "from demo._version import version",
}
SHOWN = """
import importlib.metadata, demo, leaf
print(importlib.metadata.version('demo'), demo.__file__, demo.version, leaf.value)
"""


@pytest.fixture
def environ(index: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a caller whose packages come from an index on loopback."""
    folder, address = index
    wheel(folder, "coverage", "7.0", {"coverage/__init__.py": ""})
    wheel(folder, "leaf", "1.0", {"leaf.py": "value = 'first'"})
    wheel(folder, "leaf", "2.0", {"leaf.py": "value = 'second'"})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return {
        "PATH": os.pathsep.join((program("uv"), os.environ["PATH"])),
        "HOME": os.environ.get("HOME", "/"),
        "UV_CACHE_DIR": str(tmp_path / "uv"),
        "UV_INDEX_URL": address,
    }


def built(repository: Repository, environ: dict[str, str], project: DetectedProject = PROJECT) -> Build:
    return build_environment(project, repository, INDEX, limits=Limits(wall_s=60), environ=environ)


def is_store_empty() -> bool:
    return not store_folder().exists() or not list(store_folder().iterdir())


def test_a_project_is_importable_with_its_metadata_its_generated_files_and_its_packages(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with repository_with(tmp_path / "repo", DEMO) as repository:
        found = built(repository, environ)
        outcome = run_in(repository, found.environment, ["python", "-c", SHOWN], tmp_path / "log")
        again = built(repository, environ | {"PATH": "/nonexistent"})
        looked_up = environment_of(PROJECT, repository, SandboxSettings(), environ={})

    assert found.is_new
    assert outcome.stdout.split() == ["1.2", "/tree/src/demo/__init__.py", "generated", "second"], (
        outcome.stderr
    )
    assert not again.is_new
    assert looked_up.digest == found.environment.digest
    assert not (tmp_path / "repo" / "src" / "demo" / "_version.py").exists()


def test_code_of_packages_and_projects_runs_in_the_sandbox_only(
    tmp_path: Path, environ: dict[str, str], index: tuple[Path, str]
) -> None:
    canary = tmp_path / "canary"
    touch = f"open({str(canary)!r}, 'w')"
    wheel(
        index[0], "leaf", "3.0", {"leaf.py": "value = 3", "leaf.pth": f"import builtins; builtins.{touch}\n"}
    )
    hostile = f"try: {touch}\nexcept OSError: pass\n"
    files = DEMO | {"backend.py": hostile + str(DEMO["backend.py"]), "setup.py": hostile}
    with repository_with(tmp_path / "repo", files) as repository:
        found = built(repository, environ).environment
        environment_of(PROJECT, repository, SandboxSettings(), environ={})
        active = {"VIRTUAL_ENV": dict(found.visible.variables)["VIRTUAL_ENV"]}
        activated = environment_of(PROJECT, repository, SandboxSettings(), environ=active)

    assert not canary.exists()
    assert activated.source == found.source
    subprocess.run([found.visible.programs[0] / "python3", "-I", "-c", ""], check=True)
    assert canary.exists(), "the package runs its code wherever its interpreter starts"


@pytest.mark.parametrize("requirement", ["source==1.2 # newest", "source", "source>=1", "source\n-c pins"])
def test_a_package_without_a_wheel_is_built_in_the_sandbox(
    tmp_path: Path, environ: dict[str, str], index: tuple[Path, str], requirement: str
) -> None:
    canary = tmp_path / "canary"
    hostile = f"try: open({str(canary)!r}, 'w')\nexcept OSError: pass\nNAME, DEPENDS = 'source', ''\n"
    manifest = MANIFEST.replace("demo", "source").replace('"leaf"', "")
    content = archive_of("source-1.2", {"pyproject.toml": manifest, "backend.py": hostile + BACKEND})
    (index[0] / "source-1.2.tar.gz").write_bytes(content)
    (index[0] / "source-1.10rc1.tar.gz").write_bytes(b"")
    digest = hashlib.sha256(content).hexdigest()
    files: dict[str, str | bytes] = {
        "requirements-dev.txt": f"{requirement}\n", "pins": f"source==1.2 --hash=sha256:{digest}\n",
    }  # fmt: skip
    with repository_with(tmp_path / "repo", files) as repository:
        found = built(repository, environ)
        command = ["python", "-c", "import source; print(source.value)"]
        outcome = run_in(repository, found.environment, command, tmp_path / "log")

    assert outcome.stdout == "built\n", outcome.stderr
    assert not canary.exists()


def test_a_source_distribution_with_another_digest_is_not_built(
    tmp_path: Path, environ: dict[str, str], index: tuple[Path, str]
) -> None:
    (index[0] / "source-1.2.tar.gz").write_bytes(archive_of("source-1.2", {"setup.py": "raise SystemExit"}))
    files: dict[str, str | bytes] = {"requirements.txt": f"source==1.2 --hash=sha256:{'0' * 64}\n"}
    with (
        repository_with(tmp_path / "repo", files) as repository,
        pytest.raises(EnvironmentUnavailable, match=r"has none of the digests that are named for source$"),
    ):
        built(repository, environ)


def test_the_versions_of_a_lock_file_are_installed(tmp_path: Path, environ: dict[str, str]) -> None:
    lock = '[[package]]\nname = "leaf"\nversion = "1.0"\n'
    for name in ("poetry.lock", "pdm.lock"):
        with repository_with(tmp_path / name, DEMO | {name: lock}) as repository:
            found = built(repository, environ).environment
            outcome = run_in(repository, found, ["python", "-c", SHOWN], tmp_path / "log")

        assert found.source == f"the environment built from {name}"
        assert outcome.stdout.split()[-1] == "first", outcome.stderr


def test_the_packages_of_a_day_are_those_that_existed_then(
    tmp_path: Path, environ: dict[str, str], index: tuple[Path, str]
) -> None:
    days = {"coverage-7.0": "2021-01-01", "leaf-1.0": "2021-01-31", "leaf-2.0": "2021-06-01"}
    for name, day in days.items():
        release(index[0] / f"{name}-py3-none-any.whl", day)
    found = {}
    with repository_with(tmp_path / "repo", DEMO) as repository:
        for day in ("2021-01-31", "2021-07-01", ""):
            found[day] = build_environment(
                PROJECT, repository, INDEX, limits=Limits(wall_s=60), environ=environ, day=day
            )
        again = built_environment(PROJECT, repository, INDEX, environ, "2021-01-31")

    assert all(build.is_new for build in found.values())
    assert again == found["2021-01-31"].environment
    assert again.source == "the environment built from pyproject.toml with the releases of 2021-01-31"
    assert [leaf_of(build) for build in found.values()] == ["leaf-1.0", "leaf-2.0", "leaf-2.0"]


def leaf_of(build: Build) -> str:
    site = next((build.environment.visible.read_only[0]).glob("python/lib/python*/site-packages"))
    return next(site.glob("leaf-*.dist-info")).name.removesuffix(".dist-info")


def test_an_index_without_dates_has_no_packages_of_a_day(tmp_path: Path, environ: dict[str, str]) -> None:
    with repository_with(tmp_path / "repo", DEMO) as repository, pytest.raises(DownloadFailed) as raised:
        build_environment(
            PROJECT, repository, INDEX, limits=Limits(wall_s=60), environ=environ, day="2021-01-31"
        )

    assert "missing an upload date" in raised.value.output
    assert is_store_empty()


def test_uv_reads_its_own_lock_file(tmp_path: Path, environ: dict[str, str]) -> None:
    root = tmp_path / "repo"
    group = '\n[dependency-groups]\ntest = ["leaf<2"]\ndocs = ["absent"]\n'
    files = DEMO | {
        "pyproject.toml": MANIFEST.replace('"leaf"', "") + group.replace('docs = ["absent"]\n', "")
    }
    repository_with(root, files).__exit__(None, None, None)
    subprocess.run(["uv", "lock", "-q"], cwd=root, env=environ, check=True)
    with Repository(root) as repository:
        subprocess.run(["git", "add", "uv.lock"], cwd=root, check=True)
        found = built(repository, environ).environment
        outcome = run_in(repository, found, ["python", "-c", SHOWN], tmp_path / "log")

    assert found.source == "the environment built from uv.lock"
    assert outcome.stdout.split()[-1] == "first", outcome.stderr


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"uv.lock": "version = \n"}, r"^uv cannot read uv\.lock: .*parse"),
        ({"poetry.lock": "[[package\n"}, r"^poetry\.lock is not valid TOML: "),
        ({"pyproject.toml": MANIFEST.replace('"leaf"', '"nowhere"')},
         r"^uv cannot install the packages: .*nowhere"),
        ({"backend.py": "raise ValueError('no compiler')"},
         r"^the project cannot be built in the sandbox: ValueError: no compiler$"),
        ({"backend.py": "import os; os._exit(0)"}, r"^the project cannot be built in the sandbox: "),
        ({"pyproject.toml": MANIFEST + 'requires-python = ">=9"\n'},
         r"^the project needs Python >=9, which uv does not find; install it$"),
    ],
    ids=["uv.lock", "poetry.lock", "package", "build", "silent-build", "interpreter"],
)  # fmt: skip
def test_a_failed_build_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, environ: dict[str, str], files: dict[str, str | bytes], message: str
) -> None:
    changed = DEMO | files
    if "nowhere" in message:
        changed["backend.py"] = str(DEMO["backend.py"]).replace("leaf", "nowhere")
    with (
        repository_with(tmp_path / "repo", changed) as repository,
        pytest.raises(EnvironmentUnavailable, match=message) as caught,
    ):
        built(repository, environ)

    assert "\n" not in str(caught.value)
    assert is_store_empty()


def test_without_uv_and_without_files_the_reason_is_named(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with repository_with(tmp_path / "repo", DEMO) as repository:
        monkeypatch.setattr("sys.prefix", "/nonexistent")
        reason = r"needs uv, which is not on PATH; pip install 'wardround\[run\]' includes it"
        with pytest.raises(EnvironmentUnavailable, match=reason):
            built(repository, environ | {"PATH": "/nonexistent"})
        with pytest.raises(EnvironmentUnavailable, match=r"^docs has no lock file, no requirements"):
            built(repository, environ, DetectedProject("docs", "python"))


def test_a_cache_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with (
        repository_with(tmp_path / "repo", DEMO) as repository,
        pytest.raises(
            EnvironmentUnavailable, match=r"cannot be written \(.*\); make room or set XDG_CACHE_HOME$"
        ),
    ):
        built(repository, environ)


def test_nothing_is_built_without_isolation(tmp_path: Path, environ: dict[str, str]) -> None:
    with (
        repository_with(tmp_path / "repo", DEMO) as repository,
        pytest.raises(UsageError, match=r"^an environment is built with isolation only"),
    ):
        build_environment(PROJECT, repository, INDEX, limits=Limits(), environ=environ, isolation="none")


def test_an_interrupted_build_leaves_nothing(tmp_path: Path, environ: dict[str, str]) -> None:
    slow = "import time\nprint('begun', flush=True)\ntime.sleep(600)\n"
    files = DEMO | {"backend.py": slow, "tests/conftest.py": ""}
    repository_with(tmp_path / "repo", files).__exit__(None, None, None)
    command = [sys.executable, "-m", "wardround", "environment", "build"]
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    with subprocess.Popen(
        command, cwd=tmp_path / "repo", env=environ | cache, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        while not list(store_folder().glob("wardround-*/build.log")) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)

    assert process.returncode == 128 + signal.SIGINT, errors
    assert b"Traceback" not in errors
    assert is_store_empty()
