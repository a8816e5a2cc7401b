"""The change under review cannot change the rules of its own review."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from wardround_typescript.node_modules import platform_name

from tests.conftest import GitRepository
from tests.stand_ins import stand_in

BAD = "def start():\n    return missing\n"


@pytest.fixture
def base(repo: GitRepository) -> GitRepository:
    """A repository whose base commit has its own configuration."""
    repo.write("pyproject.toml", '[project]\nname = "shop"\n\n[tool.ruff]\nline-length = 100\n')
    repo.write("app.py", "x = 1\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "base")
    return repo


def _rules(repo: GitRepository, *options: str) -> tuple[int, list[str]]:
    status, report = _report(repo, *options)
    return status, [finding["rule"] for finding in report["findings"]]


def _report(repo: GitRepository, *options: str) -> tuple[int, dict[str, list[dict[str, str]]]]:
    import json

    repo.git("add", "-A")
    repo.git("commit", "-qm", "head")
    done = repo.wardround("review", "--base", "HEAD~1", "--format", "json", *options)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".wardround.toml", '[rules]\n"ruff/F821" = "off"\n'),
        (".wardround.toml", 'fail-level = "none"\n'),
        (".wardround.toml", 'skip = ["python"]\n'),
        (".wardround.toml", 'exclude = ["*.py"]\n'),
        ("pyproject.toml", '[tool.wardround]\nfail-level = "none"\n'),
        ("pyproject.toml", '[tool.ruff]\nlint.select = ["E9"]\n'),
        ("pyproject.toml", '[tool.ruff]\nexclude = ["app.py"]\n'),
        ("ruff.toml", 'exclude = ["*"]\n'),
        (".ruff.toml", 'lint.ignore = ["F821"]\n'),
        (".wardround-baseline.json", '{"schema": "wardround.baseline/1", "findings": []}\n'),
    ],
)
def test_a_changed_configuration_does_not_count_and_is_a_finding(
    base: GitRepository, name: str, content: str
) -> None:
    base.write(name, content)
    base.write("app.py", BAD)
    status, rules = _rules(base, "--config-from", "base")
    assert status == 1
    assert "ruff/F821" in rules
    assert "wardround/config-changed" in rules


def test_a_change_of_other_parts_of_pyproject_is_not_a_finding(base: GitRepository) -> None:
    base.write("pyproject.toml", '[project]\nname = "shop2"\n\n[tool.ruff]\nline-length = 100\n')
    assert _rules(base, "--config-from", "base") == (0, [])


def test_an_added_suppression_does_not_count_and_is_a_finding(base: GitRepository) -> None:
    base.write("app.py", "def start():\n    return missing  # wardround: ignore[ruff/F821] trust me\n")
    status, rules = _rules(base, "--config-from", "base")
    assert status == 1
    assert sorted(rules) == ["ruff/F821", "wardround/config-changed"]


def test_a_suppression_the_base_has_counts_where_its_line_moved(base: GitRepository) -> None:
    waived = "def start():\n    return missing  # wardround: ignore[ruff/F821] made by the framework\n"
    base.write("app.py", waived)
    base.git("add", "-A")
    base.git("commit", "-qm", "waived on the trusted branch")
    base.write("app.py", f"import os\n\n\nprint(os.name)\n\n\n{waived}")
    status, rules = _rules(base, "--config-from", "base")
    assert (status, [rule for rule in rules if rule != "ruff/F821"]) == (0, [])


def test_at_commit_the_developers_own_configuration_counts(base: GitRepository) -> None:
    base.write(".wardround.toml", '[rules]\n"ruff/F821" = "off"\n"ty/unresolved-reference" = "off"\n')
    base.write("app.py", BAD)
    status, report = _report(base)
    assert (status, report["findings"]) == (0, [])


def test_ci_trusts_the_base_by_default(base: GitRepository) -> None:
    base.write(".wardround.toml", 'fail-level = "none"\n')
    base.write("app.py", BAD)
    status, rules = _rules(base, "--profile", "ci")
    assert status == 1
    assert "wardround/config-changed" in rules


def test_an_interpreter_that_is_under_review_is_not_started(base: GitRepository, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    base.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    base.write(".venv/bin/python", f'#!/bin/sh\necho >> {trace}\nexec /usr/bin/env python3 "$@"\n')
    (base.root / ".venv/bin/python").chmod(0o755)
    base.write("app.py", "import os\n\nprint(os.name)\n")
    status, _ = _rules(base, "--profile", "ci")
    assert status == 0
    assert not trace.exists()


def test_an_environment_that_is_not_under_version_control_is_used(
    base: GitRepository, tmp_path: Path
) -> None:
    trace = tmp_path / "started"
    base.write(".gitignore", ".venv/\n")
    base.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    base.write(".venv/bin/python", f'#!/bin/sh\necho >> {trace}\nexec /usr/bin/env python3 "$@"\n')
    (base.root / ".venv/bin/python").chmod(0o755)
    base.write("app.py", "import os\n\nprint(os.name)\n")
    _rules(base, "--profile", "ci")
    assert trace.exists()


def _environment(folder: Path, trace: Path) -> None:
    """A folder that resembles a virtual environment, whose interpreter writes a file when it is started."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    python = folder / "bin/python"
    python.write_text(f'#!/bin/sh\necho >> {trace}\nexec /usr/bin/env python3 "$@"\n', encoding="utf-8")
    python.chmod(0o755)


def _submodule(repo: GitRepository, source: Path, place: str) -> None:
    other = GitRepository(source)
    other.git("init", "--quiet")
    other.commit()
    repo.git("submodule", "--quiet", "add", source, place)


@pytest.mark.parametrize("way", ["files", "one file", "link", "submodule"])
def test_an_environment_that_the_change_brings_is_not_started_on_either_side(
    base: GitRepository, tmp_path: Path, way: str
) -> None:
    trace = tmp_path / "started"
    if way == "link":
        _environment(base.root / "tools/made", trace)
        (base.root / ".venv").symlink_to("tools/made")
    elif way == "submodule":
        _environment(tmp_path / "made", trace)
        _submodule(base, tmp_path / "made", ".venv")
    else:
        _environment(base.root / ".venv", trace)
    if way == "one file":
        base.write(".venv/lib/site.pth", "import os\n")
        base.write(".gitignore", ".venv/\n")
        base.git("add", "--force", ".venv/lib/site.pth")
    base.write("app.py", BAD)  # something to say, so that the base is looked at too
    _, report = _report(base, "--profile", "ci", "--only", "python")
    (change,) = [f for f in report["findings"] if f["rule"] == "wardround/config-changed"]
    assert change["file"].startswith((".venv", "tools/made"))
    assert not trace.exists()


OXLINT_SAYS_NOTHING = '{"diagnostics": [], "number_of_files": 1, "number_of_rules": 1}'


@pytest.mark.parametrize("profile", ["commit", "ci"])
@pytest.mark.parametrize("way", ["submodule", "link", "one file"])
def test_a_program_that_the_change_brings_is_not_started(
    base: GitRepository, tmp_path: Path, way: str, profile: str
) -> None:
    trace = tmp_path / "started"
    folder = {"submodule": tmp_path / "made", "link": base.root / "tools/made"}.get(way)
    created = GitRepository(folder or base.root / "node_modules")
    created.write("oxlint/package.json", "{}")
    program = created.write("oxlint/bin/oxlint", f"#!/bin/sh\ntouch {trace}\necho '{OXLINT_SAYS_NOTHING}'\n")
    program.chmod(0o755)
    if way == "submodule":
        _submodule(base, created.root, "node_modules")
    elif way == "link":
        (base.root / "node_modules").symlink_to("tools/made")
    else:
        created.write("oxlint/dist/cli.js", "")
        base.write(".gitignore", "node_modules/\n")
        base.git("add", "--force", "node_modules/oxlint/dist/cli.js")
    base.write("app.js", "debugger;\n")
    _, rules = _rules(base, "--profile", profile, "--config-from", "base", "--only", "typescript")
    assert sorted(set(rules)) == ["oxlint/no-debugger", "wardround/config-changed"]
    assert not trace.exists()


def test_a_tool_that_cannot_be_started_for_the_change_is_missed(base: GitRepository) -> None:
    base.commit({".gitignore": "node_modules/\n", "biome.json": "{}"})
    base.write("node_modules/@biomejs/biome/package.json", "{}")
    program = base.write(f"node_modules/@biomejs/cli-{platform_name()}/biome", "#!/bin/sh\n")
    program.chmod(0o755)
    base.git("add", "--force", "node_modules/@biomejs/biome/package.json")
    base.write("app.js", "debugger;\n")
    status, report = _report(base, "--config-from", "base", "--profile", "ci", "--only", "typescript")
    assert status == 4
    assert {entry["reason"] for entry in report["unreviewed"]} == {
        "biome was not started from node_modules, because the change adds something there"
    }


ESLINT = """\
#!/usr/bin/env node
const path = require("node:path");
const fs = require("node:fs");
const files = process.argv.slice(process.argv.indexOf("--") + 1);
const at = (line) => ({ ruleId: "no-debugger", severity: 2, message: "Unexpected.", line, column: 1 });
const said = (file) => {
  const line = fs.readFileSync(file, "utf8").split("\\n").indexOf("debugger;") + 1;
  return { filePath: path.resolve(file), messages: line ? [at(line)] : [] };
};
const configs = ["eslint.config.js", "eslint.config.mjs"].map((name) => path.resolve(name));
const loading = configs.filter(fs.existsSync).map((file) => import(file));
Promise.all(loading).then(
  () => console.log(JSON.stringify(files.map(said))),
  (error) => { console.error(error.stack); process.exit(2); },
);
"""
WITHOUT_NODE = pytest.mark.skipif(
    shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None,
    reason="node is not where tools look for it",
)


def _with_eslint(repo: GitRepository, config: str, files: dict[str, str]) -> None:
    """A base that has an eslint, which loads its configuration and reports nothing more."""
    repo.write("node_modules/eslint/package.json", "{}")
    repo.write("node_modules/eslint/bin/eslint.js", ESLINT).chmod(0o755)
    name = "eslint.config.mjs" if config.startswith("import") else "eslint.config.js"
    repo.commit({".gitignore": "node_modules\n", name: config, "app.js": "export const a = 1;\n", **files})


@WITHOUT_NODE
@pytest.mark.parametrize(
    ("config", "loaded"),
    [
        ("require('./lint/rules.cjs')", "lint/rules.cjs"),
        ("require(require('path').join(__dirname, 'lint', 'rules.cjs'))", "lint/rules.cjs"),
        ("try { require('./lint') } catch {}", "lint/main.js"),
        ("import './lint/rules.mjs'", "lint/rules.mjs"),
        ("import 'node:fs'; await import(['.', 'lint', 'rules.mjs'].join('/'))", "lint/rules.mjs"),
        ("require('@shop/lint')", "lint/main.js"),
        (
            "const run = (file) => new (require('vm').Script)(require('fs').readFileSync(file), "
            "{ filename: file }).runInThisContext(); run('lint/rules.cjs')",
            "lint/rules.cjs",
        ),
    ],
)
@pytest.mark.parametrize("is_changed", [True, False])
def test_eslint_runs_nothing_that_the_change_brings(
    base: GitRepository, tmp_path: Path, config: str, loaded: str, is_changed: bool
) -> None:
    trace = tmp_path / "started"
    (base.root / "node_modules/@shop").mkdir(parents=True)
    (base.root / "node_modules/@shop/lint").symlink_to("../../lint")
    main = '{"name": "@shop/lint", "main": "main.js"}'
    _with_eslint(base, config, {"lint/package.json": main, loaded: "1;\n"})
    base.write("app.js", "export const a = 2;\n")
    if is_changed:
        code = f"process.getBuiltinModule('fs').writeFileSync({str(trace)!r}, '');\n"
        base.write(loaded, code)
    _, report = _report(base, "--profile", "ci", "--only", "typescript")
    assert not trace.exists()
    reported = [entry["reason"] for entry in report["unreviewed"] if entry["file"] == "app.js"]
    assert [reason.endswith(f"the change edits what eslint would run: {loaded}") for reason in reported] == [
        True
    ] * is_changed


@WITHOUT_NODE
def test_eslint_runs_nothing_that_is_written_meanwhile(base: GitRepository, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    bundling = "const fs = require('fs'); fs.writeFileSync('out.cjs', fs.readFileSync('lint/rules.cjs'))"
    config = f"{bundling}; require('./out.cjs')"
    _with_eslint(base, config, {"lint/rules.cjs": "1;\n"})
    base.write("lint/rules.cjs", f"require('fs').writeFileSync({str(trace)!r}, '');\n")
    _, report = _report(base, "--profile", "ci", "--only", "typescript")
    assert {entry["reason"].rpartition(": ")[2] for entry in report["unreviewed"]} == {"out.cjs"}
    assert not trace.exists()


@WITHOUT_NODE
def test_eslint_runs_code_of_ones_own_change_and_none_of_commits(base: GitRepository, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    _with_eslint(base, "require('./lint/rules.cjs')", {"lint/rules.cjs": "1;\n"})
    base.stage({"lint/rules.cjs": f"require('fs').writeFileSync({str(trace)!r}, '');\n"})
    options = ("--profile", "ci", "--only", "typescript", "--config-from", "head")
    staged = base.report(*options)
    assert (staged["unreviewed"], trace.exists()) == ([], True)
    trace.unlink()
    _, report = _report(base, *options)
    assert {entry["reason"].rpartition(": ")[2] for entry in report["unreviewed"]} == {"lint/rules.cjs"}
    assert not trace.exists()


@WITHOUT_NODE
def test_data_that_eslints_configuration_names_is_not_read_from_the_change(base: GitRepository) -> None:
    reading = "JSON.parse(require('fs').readFileSync('lint/rules.json'))"
    _with_eslint(base, reading, {"lint/rules.json": "{}"})
    base.write("lint/rules.json", '{"no-debugger": "off"}')
    base.write("app.js", "export const a = 2;\n")
    status, report = _report(base, "--profile", "ci", "--only", "typescript")
    assert status == 4
    assert [entry["reason"] for entry in report["unreviewed"]] == [
        "the change edits a file that eslint would read: lint/rules.json"
    ]


@pytest.mark.parametrize("name", ["oxlint.config.ts", "web/oxlint.config.mts"])
def test_a_configuration_of_oxlint_that_is_code_is_not_run(
    base: GitRepository, tmp_path: Path, name: str
) -> None:
    trace = tmp_path / "started"
    config = f"import fs from 'node:fs'; fs.writeFileSync({str(trace)!r}, ''); export default {{}};\n"
    base.write(name, config)
    base.write("web/app.js", "debugger;\n")
    options = ("--profile", "ci", "--only", "typescript")
    status, report = _report(base, *options)
    rules = [finding["rule"] for finding in report["findings"]]
    assert (status, "wardround/config-changed" in rules, "oxlint/no-debugger" in rules) == (4, True, False)
    assert {entry["tool"] for entry in report["unreviewed"]} == {"oxlint"}

    base.write("web/app.js", "debugger;\nvoid 0;\n")  # once it is the base's, it is merely not read
    _, rules = _rules(base, *options, "--filter-mode", "file")
    assert (rules, trace.exists()) == (["oxlint/no-debugger"], False)


def test_types_are_checked_by_the_configuration_of_the_base(base: GitRepository) -> None:
    says = "print('/lib/lib.d.ts', 'web/app.ts', 'web/app.ts(1,1): error TS2322: ' + sys.argv[-1], sep='\\n')"
    program = f"node_modules/@typescript/typescript-{platform_name()}/lib/tsc"
    stand_in(base.root / program, "tsc", f"{says}\nsys.exit(2)")
    base.write("node_modules/typescript/package.json", "{}")
    base.commit({".gitignore": "node_modules\n", "tsconfig.json": "{}"})
    base.write("web/tsconfig.json", '{"compilerOptions": {"strict": false}}')
    base.write("web/app.ts", "export const a = 1;\n")
    _, report = _report(base, "--profile", "ci", "--only", "typescript")
    found = {finding["rule"]: finding for finding in report["findings"]}
    assert found["tsc/TS2322"]["message"] == "tsconfig.json"
    assert found["wardround/config-changed"]["file"] == "web/tsconfig.json"


def test_types_are_not_checked_by_a_package_that_the_change_edits(base: GitRepository) -> None:
    program = f"node_modules/@typescript/typescript-{platform_name()}/lib/tsc"
    stand_in(base.root / program, "tsc", "")
    base.write("node_modules/typescript/package.json", "{}")
    (base.root / "node_modules/@shop").mkdir()
    (base.root / "node_modules/@shop/types").symlink_to("../../types")
    config = '{"extends": "@shop/types/base.json"}'
    base.commit({".gitignore": "node_modules\n", "tsconfig.json": config, "types/base.json": "{}"})
    base.write("types/base.json", '{"compilerOptions": {"strict": false}}')
    base.write("app.ts", "export const a = 1;\n")
    _, report = _report(base, "--profile", "ci", "--only", "typescript")
    assert [entry["reason"] for entry in report["unreviewed"]] == [
        "the change edits a file that tsc would read: types/base.json"
    ]


def test_settings_that_npms_file_adds_for_eslint_are_a_finding(base: GitRepository) -> None:
    base.commit({"package.json": '{"name": "shop"}', "web/package.json": "{}"})
    base.write("package.json", '{"name": "shop", "version": "2.0.0"}')
    base.write("web/package.json", '{"eslintConfig": {"extends": ["./evil.cjs"]}}')
    _, report = _report(base, "--config-from", "base")
    assert [f["file"] for f in report["findings"] if f["rule"] == "wardround/config-changed"] == [
        "web/package.json"
    ]


@pytest.mark.parametrize("name", ["wardround.py", "wardround/__init__.py", "msgspec.py", "sitecustomize.py"])
def test_no_module_of_the_folder_under_review_takes_the_place_of_ours(
    base: GitRepository, tmp_path: Path, name: str
) -> None:
    trace = tmp_path / "started"
    base.stage({name: f"open({str(trace)!r}, 'w').close()\n", "app.py": BAD})
    plain = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    done = base.wardround("review", "--only", "python", env=plain)
    assert (done.returncode, "ruff/F821" in done.stdout, trace.exists()) == (1, True, False)


WAIVED = "def start():\n    return missing  # wardround: ignore[ruff/F821] made by the framework\n"


@pytest.mark.parametrize(
    "head",
    [
        WAIVED + "\n\n" + WAIVED.replace("start", "stop"),  # the comment is copied to other code
        "def start():\n    return other  # wardround: ignore[ruff/F821] made by the framework\n",
        "def start():\n    # wardround: ignore[ruff/F821] made by the framework\n    return other\n",
    ],
)
def test_a_suppression_of_the_base_does_not_count_for_other_code(base: GitRepository, head: str) -> None:
    above = "    # wardround: ignore[ruff/F821] made by the framework\n"
    is_above = head.splitlines()[1].lstrip().startswith("#")
    base.commit({"app.py": f"def start():\n{above}    return missing\n" if is_above else WAIVED})
    base.write("app.py", head)
    status, rules = _rules(base, "--config-from", "base")
    assert (status, sorted(rules)) == (1, ["ruff/F821", "wardround/config-changed"])


def test_a_suppression_counts_where_it_was_moved_with_its_code(base: GitRepository) -> None:
    others = [f"def task_{number}():\n    return {number}\n" for number in range(6)]
    base.commit({"app.py": "\n\n".join([WAIVED, *others])})
    base.write("app.py", "\n\n".join([*others, WAIVED]))
    status, report = _report(base, "--config-from", "base", "--filter-mode", "nofilter")
    assert status == 0
    assert "wardround/config-changed" not in {finding["rule"] for finding in report["findings"]}


def test_a_comment_that_disables_a_tool_is_reported_if_the_base_applies(base: GitRepository) -> None:
    base.commit({"app.py": "import os  # noqa: F401\n"})
    base.write("app.py", "import os  # noqa: F401\n\n\ndef start():\n    return missing  # noqa: F821\n")
    options = ("--only", "python")
    status, report = _report(base, "--config-from", "base", *options)
    (reported,) = [f for f in report["findings"] if f["rule"] == "wardround/waiver-added"]
    assert (status, str(reported["line"]), reported["severity"]) == (1, "5", "info")  # what it hides blocks
    assert "'noqa' switches a tool off here" in reported["message"]
    assert "waiver-added" not in base.wardround("review", "--base", "HEAD~1", *options).stdout

    base.commit({".wardround.toml": '[rules]\n"wardround/waiver-added" = "off"\n'})
    base.write("app.py", "def start():\n    return missing  # noqa: F821\n")
    assert "wardround/waiver-added" not in _rules(base, "--config-from", "base", *options)[1]
