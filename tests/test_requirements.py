"""The locked requirements of the Action: complete, in step with pyproject.toml, and each with its digests."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from tests.ci_runs import installer
from tests.conftest import GitRepository

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKS = sorted((ROOT / ".github" / "requirements").glob("*.txt"))
LOCKED_SETS = {
    "all", "ci", "docker-ci", "iac", "language-model", "models", "postgres", "records", "secrets", "sql",
    "tickets", "web",
}  # fmt: skip
PYTHONS = ("3.11", "3.12", "3.13")
_LINE = re.compile(r"([a-z0-9][a-z0-9.-]*)==([\w.!+-]+)(?: ; ([^\\]+))? \\")
_HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?")


def _direct(extra: str) -> list[Requirement]:
    """The requirements of an extra, including those of the extras to which it refers."""
    expected = [Requirement(text) for text in PROJECT["dependencies"]]
    for text in PROJECT["optional-dependencies"].get(extra, []):
        requirement = Requirement(text)
        if requirement.name == "wardround":
            expected += [item for name in sorted(requirement.extras) for item in _direct(name)]
        else:
            expected.append(requirement)
    return expected


def _locked(path: Path, python: str = "3.11") -> dict[str, str]:
    """Version by name, for Linux on x86-64."""
    linux = {"sys_platform": "linux", "platform_machine": "x86_64", "platform_system": "Linux",
             "platform_python_implementation": "CPython", "implementation_name": "cpython",
             "python_version": python, "python_full_version": f"{python}.7"}  # fmt: skip
    found = {}
    for name, version, marker in _LINE.findall(path.read_text()):
        if not marker or Marker(marker).evaluate(linux):
            assert name not in found
            found[name] = version
    return found


def test_every_set_is_locked() -> None:
    assert {path.stem for path in LOCKS} == LOCKED_SETS | {"base", "build", "uv"}
    assert set(PROJECT["optional-dependencies"]) > LOCKED_SETS


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_every_line_is_pinned_and_has_a_digest(path: Path) -> None:
    lines = path.read_text().splitlines()
    requirements = [number for number, line in enumerate(lines) if not line.startswith("    ")]
    assert requirements
    for number in requirements:
        assert _LINE.fullmatch(lines[number]), lines[number]
        assert _HASH.fullmatch(lines[number + 1]), lines[number]
    assert all(_HASH.fullmatch(line) for line in lines if line.startswith("    "))


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("extra", sorted({*LOCKED_SETS, "base"}))
def test_the_requirements_of_a_set_are_those_of_the_project(extra: str, python: str) -> None:
    locked = _locked(ROOT / ".github" / "requirements" / f"{extra}.txt", python)
    for requirement in _direct(extra):
        name = requirement.name.lower().replace("_", "-")
        assert requirement.specifier.contains(locked[name]), (
            f"{requirement}: run .github/requirements/compile"
        )


def test_sets_that_are_installed_together_agree() -> None:
    together = [_locked(path) for path in LOCKS if path.stem not in ("iac", "build")]
    versions: dict[str, set[str]] = {}
    for locked in together:
        for name, version in locked.items():
            versions.setdefault(name, set()).add(version)
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def test_the_build_requirements_are_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    locked = _locked(ROOT / ".github" / "requirements" / "build.txt")
    for requirement in map(Requirement, project["build-system"]["requires"]):
        assert requirement.specifier.contains(locked[requirement.name])


def test_no_index_is_named() -> None:
    for path in LOCKS:
        assert not re.search(r"https?:|--(?:extra-)?index|--find-links|@ ", path.read_text())


@pytest.mark.parametrize(
    ("extras", "files"),
    [
        ("", ["base"]),
        ("all", ["all"]),
        ("ci,web", ["ci", "web"]),
        (" ci , web ,ci", ["ci", "web"]),
        ("web,iac", ["iac"]),
    ],
)
def test_the_action_installs_the_sets_that_are_requested(extras: str, files: list[str]) -> None:
    install = installer()
    assert [path.stem for path in install.locks(extras)] == files
    assert all(path in LOCKS for path in install.locks(extras))


@pytest.mark.parametrize(
    ("files", "sets"),
    [
        (["README.md", "q.sql"], "base"),
        (["src/a.py"], "ci"),
        (["src/a.tsx"], "ci,web"),
        (["Dockerfile.prod"], "docker-ci"),
        ([".github/workflows/ci.yml", "a.PY"], "ci,docker-ci"),
        (["node_modules/x/index.js", ".git/hooks/x.py"], "base"),
        (["pyproject.toml=[tool.wardround]\nrun = true\n"], "all"),
        ([".wardround.toml=fail-level = 'warn'\n"], "base"),
        ([".wardround.toml=[language-model]\nurl = 'https://x'\n", "a.yml"], "docker-ci,language-model"),
        (["pyproject.toml=[tool.wardround.tickets]\nprojects = ['A']\n"], "tickets"),
        ([".wardround.toml=[[models]]\n"], "models"),
    ],
)
def test_auto_chooses_the_sets_for_the_files_of_a_checkout(
    tmp_path: Path, files: list[str], sets: str
) -> None:
    for file in files:
        name, _, text = file.partition("=")
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert installer().chosen_sets(tmp_path) == sets


@pytest.mark.parametrize(
    ("extras", "also", "sets"),
    [("all", "records,tickets", "all"), ("all", "postgres", "all,postgres"), ("ci", "records", "ci,records")],
)
def test_further_sets_are_added_unless_all_has_them(extras: str, also: str, sets: str) -> None:
    install = installer()
    arguments = install.parse_arguments([f"--extras={extras}", f"--also={also}"])
    assert install.requested_sets(arguments) == sets


def test_auto_is_for_the_files_of_the_change_where_its_commits_are_known(repo: GitRepository) -> None:
    install = installer()
    start = repo.commit({"old.py": "x = 1\n"})
    head = repo.commit({"q.yml": "a: 1\n"})
    repo.git("checkout", "-q", "-b", "ahead", start)
    ahead = repo.commit({"web.ts": "export {};\n"})
    repo.git("checkout", "-q", "--detach", head)
    assert install.chosen_sets(repo.root, (start, "HEAD")) == "docker-ci"
    assert install.chosen_sets(repo.root, (ahead, "HEAD")) == "ci,web,docker-ci"
    for unknown in ("", "0" * 40, "1" * 40, "--output=x"):
        assert install.chosen_sets(repo.root, (unknown, "HEAD")) == "ci,docker-ci"


@pytest.mark.parametrize(
    ("payload", "base"),
    [
        ('{"pull_request": {"base": {"sha": "aa"}}}', "aa"),
        ('{"merge_group": {"base_sha": "bb"}}', "bb"),
        ('{"before": "cc"}', "cc"),
        ('{"pull_request": {"base": []}}', ""),
        ("[1]", ""),
        ("not JSON", ""),
    ],
)
def test_the_commits_of_the_change_are_those_of_the_event(tmp_path: Path, payload: str, base: str) -> None:
    install = installer()
    (tmp_path / "event.json").write_text(payload)
    arguments = install.parse_arguments([f"--event={tmp_path / 'event.json'}"])
    assert install.change_of(arguments)[0] == base


def test_a_download_with_another_digest_is_rejected(tmp_path: Path) -> None:
    install = installer()
    (tmp_path / "uv-0-py3-none-any.whl").write_bytes(b"another program")
    with pytest.raises(install.InstallError, match="has another digest than listed; remove it"):
        install.find_uv(tmp_path, tmp_path)


def test_programs_of_the_installation_get_no_secret_of_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    install = installer()
    for name in ("GITHUB_TOKEN", "JIRA_PAT", "PYTHONPATH", "UV_INDEX", "PATHS", "ACTIONS_RUNTIME_TOKEN"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")
    monkeypatch.setenv("PIP_CERT", "file")
    found = install.own_environment()
    assert "secret" not in found.values()
    assert {"HTTPS_PROXY", "PIP_CERT", "PATH"} <= set(found)


def test_the_key_of_the_downloads_changes_with_the_requirements(tmp_path: Path) -> None:
    install, (item, other) = installer(), (tmp_path / "a.txt", tmp_path / "b.txt")
    item.write_text("ruff==1\n")
    other.write_text("ruff==2\n")
    keys = {install.key_of(files) for files in ([item], [other], [item, other])}
    assert len(keys) == 3
    assert install.key_of([item]) == install.key_of([item])


def test_an_agent_installs_once_and_an_interrupted_installation_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install = installer()
    made: list[Path] = []

    def record(directory: Path, requirements: object) -> None:
        made.append(directory)
        if len(made) == 1:
            raise install.InstallError("interrupted")
        directory.mkdir()

    monkeypatch.setattr(install, "install", record)
    requirements = install.locks("base")
    with pytest.raises(install.InstallError, match="interrupted"):
        install.install_once(tmp_path / "agent", requirements, None)
    first = install.install_once(tmp_path / "agent", requirements, None)
    assert first == install.install_once(tmp_path / "agent", requirements, None) == made[1]
    assert len(made) == 2


def test_a_folder_of_the_workspace_or_of_others_is_not_used_for_an_agent(tmp_path: Path) -> None:
    install = installer()
    with pytest.raises(install.InstallError, match="is in the workspace"):
        install.install_once(tmp_path / "workspace/agent", [], tmp_path / "workspace")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    with pytest.raises(install.InstallError, match="can be written by others"):
        install.install_once(tmp_path / "shared", [], None)
