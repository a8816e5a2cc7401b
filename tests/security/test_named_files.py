"""Attacks: a configuration of the tree names a file of the machine, whose text a tool would quote."""

from __future__ import annotations

import configparser
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from wardround_docker_ci.tools.checkov import CHECKOV
from wardround_python.tools.pyright import PYRIGHT
from wardround_python.tools.ruff import RUFF
from wardround_python.tools.ty import TY
from wardround_secrets.tools.gitleaks import GITLEAKS
from wardround_sql.tools.sqlfluff import SQLFLUFF
from wardround_typescript.tools.biome import Biome
from wardround_typescript.tools.eslint import ESLINT
from wardround_typescript.tools.oxlint import Oxlint
from wardround_typescript.tools.tsc import Tsc

from wardround.errors import ToolFailed
from wardround.tools.configuration import require_inside
from wardround.tools.process import Processes

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from wardround.tools.tool import Tool

SECRET = "s3cret-of-the-machine: 1"
TOOLS: dict[str, tuple[Tool, str, str]] = {
    "ruff": (RUFF, "sub/ruff.toml", "extend = '{}'"),
    "ruff in pyproject": (RUFF, "sub/pyproject.toml", "tool.ruff = {{extend = '{}'}}"),
    "ruff in other words": (RUFF, "sub/.ruff.toml", '"\\u0065xtend" = """{}"""'),
    "biome": (Biome(), "sub/biome.json", '{{"extends": ["{}"]}}'),
    "oxlint": (Oxlint(), "sub/.oxlintrc.json", '{{"extends": ["./a.json", "{}"]}}'),
    "tsc": (Tsc(), "sub/tsconfig.json", '{{"extends": "{}" /* of the machine */}}'),
    "tsc, its files": (Tsc(), "sub/tsconfig.json", '{{"files": ["a.ts", "{}"]}}'),
    "tsc, its references": (Tsc(), "sub/tsconfig.json", '{{"references": [{{"path": "{}"}}]}}'),
    "tsc, its modules": (Tsc(), "sub/tsconfig.json", '{{"compilerOptions": {{"paths": {{"*": ["{}"]}}}}}}'),
    "tsc, its types": (Tsc(), "sub/tsconfig.json", '{{"compilerOptions": {{"typeRoots": ["{}"]}}}}'),
    "eslint": (ESLINT, "sub/.eslintrc.json", '{{"extends": ["eslint:recommended", "{}"]}}'),
    "eslint in YAML": (ESLINT, "sub/.eslintrc.yml", "overrides:\n- files: ['*']\n  extends: '{}'\n"),
    "eslint without a suffix": (ESLINT, "sub/.eslintrc", "parser: '{}'\n"),
    "pyright": (PYRIGHT, "sub/pyrightconfig.json", '{{"extends": "{}"}}'),
    "pyright, its stubs": (PYRIGHT, "sub/pyproject.toml", "tool.pyright.stubPath = '{}'"),
    "pyright, its modules": (
        PYRIGHT,
        "sub/pyproject.toml",
        "[[tool.pyright.executionEnvironments]]\nextraPaths = ['src', '{}']",
    ),
    "ty": (TY, "sub/ty.toml", "environment.extra-paths = ['{}']"),
    "ty in pyproject": (TY, "sub/pyproject.toml", "[tool.ty.environment]\ntypeshed = '{}'"),
    "gitleaks": (GITLEAKS, "sub/.gitleaks.toml", "[extend]\npath = '{}'"),
}
OUTSIDE = ("/etc/passwd", "~/.netrc", "../../x", "../sub/../../x", "${HOME}/x", "file:///x")
INSIDE = ("base.toml", "../base.toml", "./a/../b.json", "@scope/base")


@pytest.mark.parametrize("case", TOOLS)
def test_a_configuration_names_paths_of_the_repository_only(case: str) -> None:
    tool, path, form = TOOLS[case]
    for name in INSIDE:
        require_inside(tool, path, form.format(name))
    for name in OUTSIDE:
        with pytest.raises(ToolFailed) as failure:
            require_inside(tool, path, form.format(name))
        assert str(failure.value) == (
            f"{path} names {name!r}, which is outside of the repository; name a path in it"
        )


@pytest.mark.parametrize(
    ("tool", "path", "text"),
    [
        (Tsc(), "tsconfig.json", "{'extends': '/etc/passwd'}"),
        (Tsc(), "tsconfig.json", '{"extends": "/etc/passwd" "files": []}'),
        (ESLINT, ".eslintrc.yml", "extends: [/etc/passwd"),
    ],
)
def test_what_a_broken_configuration_names_is_unknown(tool: Tool, path: str, text: str) -> None:
    with pytest.raises(ToolFailed, match=f"{path} is n.* correct it"):
        require_inside(tool, path, text)


@pytest.mark.parametrize("text", ["", "// none\n", '{"include": ["${configDir}/src/**/*"]}'])
def test_a_configuration_may_name_its_own_folder(text: str) -> None:
    require_inside(Tsc(), "sub/tsconfig.json", text)


def test_pyright_sees_the_configurations_that_its_own_extends() -> None:
    text = '{"extends": "../base.json"}'

    assert list(PYRIGHT.config_closure("sub/pyrightconfig.json", text)) == ["base.json"]


@pytest.mark.parametrize(
    "name", ["x = 1\\n[sqlfluff:templater:jinja]\\nloader_search_path", "x\\r[sqlfluff:templater:jinja]\\ry"]
)
@pytest.mark.parametrize(
    "form", ['[tool.sqlfluff.rules]\n"{}" = "/etc"', '[tool.sqlfluff.rules."{}"]\na = 1']
)
def test_a_name_in_toml_adds_no_settings_of_sqlfluff(name: str, form: str) -> None:
    retained = SQLFLUFF.config_overlay("", {"pyproject.toml": form.format(name)})

    assert "templater" not in "".join(retained.values())


def test_a_value_in_toml_adds_no_settings_of_sqlfluff() -> None:
    text = '[tool.sqlfluff.indentation]\na = "1\\r[sqlfluff:templater:jinja]\\rloader_search_path = /etc"'
    written = SQLFLUFF.config_overlay("", {"pyproject.toml": text})[".sqlfluff"]

    parser = configparser.ConfigParser(delimiters="=", interpolation=None)
    parser.read_file(io.StringIO(written, newline=None))
    assert parser.sections() == ["sqlfluff:indentation"]


@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028", "\u2029"])
def test_an_end_of_line_of_yaml_adds_no_code_to_the_settings_of_checkov(end: str) -> None:
    text = f"check: CKV_K8S_1{end}external-checks-dir: [checks]\nskip-check:\n- CKV_K8S_2\n"

    (retained,) = (
        text for name, text in CHECKOV.config_overlay("", {".checkov.yaml": text}).items() if "../" in name
    )

    assert yaml.safe_load(retained) == {"check": "CKV_K8S_1", "skip-check": ["CKV_K8S_2"]}


def test_biome_extends_the_configuration_of_the_root() -> None:
    require_inside(Biome(), "sub/biome.json", '{"extends": "//"}')


def test_the_text_of_a_named_file_is_in_no_report(repo: GitRepository, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    repo.commit({"ruff.toml": f"extend = '{secret}'\n"})
    repo.stage({"a.py": "import os\n"})

    done = repo.wardround("review", "--staged", "--only", "python", "--format", "json")

    assert "which is outside of the repository" in done.stdout
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "error",
    [
        f"Cause: TOML parse error at line 1\n  |\n1 | {SECRET}\n  |   ^\nexpected `=`",
        f"  \u00d7 invalid\n   \u256d\u2500[/secret:1:1]\n 1 \u2502 {SECRET}\n   \u00b7 ^\n",
    ],
    ids=["rust", "boxes"],
)
def test_lines_that_a_tool_quotes_are_excluded_of_its_error(tmp_path: Path, error: str) -> None:
    program = f"import sys; sys.stderr.write({error!r}); sys.exit(3)"
    with pytest.raises(ToolFailed) as failure:
        Processes().run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            timeout_s=60,
            clean=frozenset({0}),
            env={"PYTHONIOENCODING": "utf-8"},
        )

    assert "exited with status 3" in str(failure.value)
    assert SECRET not in str(failure.value)
