"""The installed files are those of the tree, and no others."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
USED_MODELS = {"base", "new_parameters"}
"""The models of ``wardround related`` and of reviews: weights of no other are kept."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_folder_is_listed_and_every_listed_one_exists() -> None:
    listed = set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    present = {
        str(init.parent.relative_to(ROOT))
        for folder in ("src", "plugins", "rules", "adapters")
        for init in (ROOT / folder).glob("*/__init__.py")
    }
    assert listed == present


def test_every_plugin_folder_has_an_entry_point() -> None:
    modules = set(PROJECT["project"]["entry-points"]["wardround"].values())
    assert modules == {init.parent.name for init in (ROOT / "plugins").glob("*/__init__.py")}


def test_the_top_level_holds_only_what_belongs_there() -> None:
    out = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = {line.split("/")[0] for line in out.splitlines()}
    allowed = {
        "pyproject.toml", ".pre-commit-hooks.yaml", "src", "plugins", "rules", "adapters", "action.yml",
        "Jenkinsfile", "tests", "README.md", "benchmarks", "evals", "docs", "scripts", "LICENSE",
        "CHANGELOG.md", "Dockerfile",
    }  # fmt: skip
    assert {name for name in names if not name.startswith(".")} <= {
        n for n in allowed if not n.startswith(".")
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    argv = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(ROOT)]
    subprocess.run(argv, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.e2e
def test_the_wheel_carries_rules_and_nothing_that_runs_by_itself(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    source = {
        str(path.relative_to(ROOT / folder))
        for folder in ("src", "plugins", "rules", "adapters")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".yml"}
    }
    assert source <= set(names)
    assert [name for name in names if name.endswith(".pth")] == []
    base = "wardround_adapters/base"
    assert {f"{base}/model.onnx", f"{base}/shared.bin", f"{base}/tokenizer.json"} <= set(names)
    assert [name for name in names if name.endswith(".safetensors")] == []
    assert [name for name in names if name.startswith("wardround_adapters/") and name.endswith(".svg")] == []
    models = {Path(name).parent.name for name in names if name.endswith("/adapter.metadata.json")}
    assert models == {"base", "new_parameters", "secrets"}, "the models that a command or a specialist names"
    assert {Path(name).parent.name for name in names if name.endswith("/model.onnx")} == USED_MODELS
    assert [name for name in names if name.startswith(("tests/", "benchmarks/", "evals/"))] == []


@pytest.mark.e2e
def test_the_wheel_contains_the_evaluator_of_policies_but_not_its_command_line(wheel: Path) -> None:
    content = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in content.namelist() if name.endswith(".dist-info/METADATA"))
    bundled = [name for name in content.namelist() if name.startswith("wardround/policy/cel/")]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert f"-{python}-{python}-" in wheel.name
    assert len([name for name in bundled if name.endswith(".so")]) == 1
    assert "wardround/policy/cel/LICENSE" in bundled
    assert [name for name in content.namelist() if name.endswith("sboms/cel.cyclonedx.json")]
    required = content.read(metadata).decode().split("Provides-Extra")[0]
    assert "Requires-Dist: common-expression-language" not in required


def test_the_image_starts_as_a_user_without_rights_from_a_base_that_has_to_be_named() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("FROM ")] == [
        "FROM ${PYTHON} AS build",
        "FROM ${PYTHON}",
    ]
    assert "ARG PYTHON" in lines, "without a default, so that nobody builds from a tag that moves"
    assert "USER 10001" in lines
    assert 'ENTRYPOINT ["wardround"]' in lines
    copied = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().split() if "!" in line}
    assert all((ROOT / name).exists() for name in copied)


def test_every_hook_of_a_set_brings_what_the_extra_of_that_name_does() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    for_commit = sorted(extras["web"] + extras["docker-ci"] + extras["secrets"])
    expected = {"": [], "-web": extras["web"], "-docker-ci": sorted(extras["docker-ci"]), "-all": for_commit}
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    found = {hook["id"]: sorted(hook.get("additional_dependencies", [])) for hook in hooks}
    assert found == {
        **{f"wardround{push}{name}": needed for name, needed in expected.items() for push in ("", "-push")},
        **{f"wardround-{stage}": [] for stage in ("prepare-commit-msg", "commit-msg", "post-commit")},
        "wardround-changelog": [],
    }
    assert all("==" in needed for needs in expected.values() for needed in needs)


def test_git_has_the_weights_of_the_used_models_alone() -> None:
    argv = ["git", "ls-files", "--", "adapters"]
    out = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [Path(line) for line in out.splitlines()]
    weights = {".onnx", ".bin", ".safetensors"}
    assert {file.parent.name for file in files if file.suffix in weights} == USED_MODELS
    assert sum((ROOT / file).stat().st_size for file in files) <= 26_000_000


def test_models_are_what_their_metadata_reports_and_their_cards_are_current() -> None:
    folder = ROOT / "adapters" / "wardround_adapters"
    trained = sorted({card.parent for card in folder.glob("*/card.md")})
    for argv in (["verify", folder], *(["card", "--check", item] for item in trained)):
        program = Path(sys.executable).with_name("wardround")
        done = subprocess.run([program, "adapters", *argv], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
