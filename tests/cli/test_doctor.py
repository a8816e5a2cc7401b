"""``wardround doctor`` calls a tool missing where a file of the repository is for that tool."""

from __future__ import annotations

import re

import pytest
from wardround_docker_ci.specialist import DockerCiSpecialist
from wardround_docker_ci.tools import TOOLS

from tests.conftest import GitRepository
from tests.security.sandbox.host import WORKING
from tests.variants import variant
from wardround import host
from wardround.cli import doctor
from wardround.context.code_graph import extraction
from wardround.host import PluginHost
from wardround.sandbox import bubblewrap
from wardround.sandbox.distribution import install_bubblewrap
from wardround.sandbox.namespaces import Namespaces

_MISSING = re.compile(r"^  docker-ci +(\w+) +missing \(commit and CI\): pip", re.MULTILINE)


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tool of the Docker and CI specialist is found."""
    absent = tuple(variant(tool, find=lambda root: None) for tool in TOOLS)
    monkeypatch.setattr(host, "load", lambda: PluginHost([variant(DockerCiSpecialist(), tools=absent)]))


@pytest.mark.parametrize(
    ("files", "needed"),
    [
        ({".pre-commit-config.yaml": "repos: []\n", "app.py": "x = 1\n"}, []),
        ({"Dockerfile": "FROM scratch\n"}, ["hadolint"]),
        ({".github/workflows/ci.yml": "on: push\n"}, ["actionlint", "ruff", "shellcheck", "zizmor"]),
    ],
)
def test_a_tool_is_missing_where_a_file_is_for_it(
    repo: GitRepository, capfd: pytest.CaptureFixture[str], files: dict[str, str], needed: list[str]
) -> None:
    repo.stage(files)
    status = doctor.command.callback(repo=repo.root)  # type: ignore[misc]
    printed = capfd.readouterr().out
    assert sorted(set(_MISSING.findall(printed))) == needed
    assert status == (4 if needed else 0)
    ready = "wardround: ready - every tool that the files here need works"
    missing = f"wardround: not ready - missing: {', '.join(needed)}"
    assert printed.splitlines()[-1] == (missing if needed else ready)


def test_a_tool_instead_of_another_of_its_name_is_listed_once(repo: GitRepository) -> None:
    repo.stage({"a.ts": "export const a = 1\n"})
    printed = repo.wardround("doctor").stdout
    assert len(re.findall(r"^  typescript oxlint ", printed, re.MULTILINE)) == 1


def test_a_configured_tool_that_is_not_installed_is_named(repo: GitRepository) -> None:
    repo.commit({"package.json": "{}", "eslint.config.js": "export default [];\n", "a.js": "f();\n"})

    done = repo.wardround("doctor")

    (line,) = [line for line in done.stdout.splitlines() if " eslint " in line]
    assert line.split("eslint", 1)[1].split(": ", 1)[0].strip() == "configured, and left out (CI)"
    assert "eslint is not installed; npm" in line
    assert done.stdout.splitlines()[-1].endswith("; left out: eslint")


def test_a_file_that_is_not_checked_out_is_not_a_trouble(
    repo: GitRepository, capfd: pytest.CaptureFixture[str]
) -> None:
    repo.stage({"Dockerfile": "FROM scratch\n"})
    (repo.root / "Dockerfile").unlink()
    assert doctor.command.callback(repo=repo.root) == 0  # type: ignore[misc]
    assert "hadolint   missing, and nothing here needs it" in capfd.readouterr().out


def test_settings_are_printed_as_they_are_written(repo: GitRepository) -> None:
    written = (
        'fail-level = "warn"\nskip = ["sql"]\nfold = false\njobs = 2\ntool-timeout = 2.5\n'
        'rules = {"ruff/S307" = "error"}\n'
    )
    repo.stage({".wardround.toml": written})
    printed = repo.wardround("doctor").stdout
    for line in (*written.splitlines(), 'baseline = ".wardround-baseline.json"', "only = []"):
        assert f"  {line}  (" in printed
    assert "'" not in printed.partition("settings\n")[2].replace("'wardround", "")
    assert "None" not in printed


def test_a_missing_grammar_is_named_with_its_effect_and_the_remedy(
    repo: GitRepository, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "has_sql_grammar", lambda: False)
    assert doctor.command.callback(repo=repo.root) == 0  # type: ignore[misc]
    assert "  sql        without tables and columns: pip install 'wardround[sql]'\n" in capfd.readouterr().out


SECRET = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1\n-----END PRIVATE KEY-----\n"


def section(printed: str, name: str) -> list[str]:
    """The lines of a section of the output."""
    return printed.partition(f"\n{name}\n")[2].partition("\n\n")[0].splitlines()


def test_the_signing_key_in_use_is_shown(repo: GitRepository) -> None:
    assert section(repo.wardround("doctor").stdout, "records") == [
        "  signing key none, so records are not signed", "  trusted     0",
    ]  # fmt: skip
    repo.wardround("keys", "new")
    lines = section(repo.wardround("doctor").stdout, "records")
    assert re.fullmatch(r"  signing key /.*/keys/private\.pem", lines[0])
    assert re.fullmatch(r"  key id      [0-9a-f]{64}", lines[1])


@pytest.mark.parametrize(
    ("requested", "shown"),
    [
        ("env:WARDROUND_KEY", "in the variable WARDROUND_KEY, which is set"),
        ("hsm:2?pin-value=4711", "by the scheme hsm:"),
        ("gcpkms://user:4711@host/key", "by the scheme gcpkms:"),
        (SECRET, "in a file that does not exist"),
        (SECRET * 20, "in a file that does not exist"),
        (SECRET.replace("\n", ":"), "by an invalid URI"),
        (f"env:{SECRET}", "in the variable with an invalid name, which is not set"),
    ],
)
def test_no_secret_of_a_requested_signer_is_shown(repo: GitRepository, requested: str, shown: str) -> None:
    environment = {"WARDROUND_SIGN_WITH": requested, "WARDROUND_KEY": SECRET}
    printed = repo.wardround("doctor", env=environment).stdout
    assert section(printed, "records")[0] == f"  signing key {shown} (WARDROUND_SIGN_WITH)"
    assert "4711" not in printed
    assert "MC4CAQAwBQYDK2VwBCIEIJ1" not in printed


def test_the_endpoint_of_the_language_model_is_shown_without_its_key(repo: GitRepository) -> None:
    assert section(repo.wardround("doctor").stdout, "language model") == [
        "  none is configured, and none is contacted"
    ]
    settings = (
        '{url = "https://llm.example/v1", model = "m", api-key-env = "WARDROUND_LLM", planes = ["intent"]}'
    )
    repo.stage({".wardround.toml": f"language-model = {settings}\n"})
    printed = repo.wardround("doctor", env={"WARDROUND_LLM": "s3cr3t-token"}).stdout
    assert section(printed, "language model") == [
        "  endpoint https://llm.example/v1, model m",
        "  used in  ci, by intent",
        "  key      in the variable WARDROUND_LLM, which is set",
    ]
    assert "s3cr3t-token" not in printed


def test_credentials_in_the_url_of_an_endpoint_are_not_printed(repo: GitRepository) -> None:
    settings = '{url = "https://user:s3cr3t@llm.example/v1", model = "m"}'
    repo.stage({".wardround.toml": f"language-model = {settings}\n"})
    done = repo.wardround("doctor")
    assert "s3cr3t" not in done.stdout + done.stderr


def test_the_isolation_that_works_is_shown_with_its_version(repo: GitRepository) -> None:
    lines = section(repo.wardround("doctor").stdout, "sandbox")

    names = [line.split()[0] for line in lines if not line.startswith("  code is not run")]
    assert names == ["bubblewrap", "namespaces", "docker", "podman"]
    assert any(
        line.startswith(f"  {name} ") and line.endswith(" works") for name in WORKING for line in lines
    )


def test_without_isolation_the_package_to_install_is_shown(
    repo: GitRepository, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "_program", lambda: None)
    monkeypatch.setattr(Namespaces, "objection", lambda self: "user namespaces are switched off")

    assert doctor.command.callback(repo=repo.root) == 0  # type: ignore[misc]

    lines = section(capfd.readouterr().out, "sandbox")
    absent = f"bubblewrap is not installed; {install_bubblewrap()}"
    assert f"does not work: {absent}" in lines[0]
    assert lines[2] == f"  code is not run: {absent} (without it: user namespaces are switched off)"
