"""The tools that a project brings: its compiler, its biome, its eslint; small fake programs replace them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from wardround_typescript import node_modules
from wardround_typescript.tools.biome import BIOME, config_overlay
from wardround_typescript.tools.eslint import ESLINT
from wardround_typescript.tools.eslint_output import Utf16Text
from wardround_typescript.tools.oxlint import OXLINT, OXLINT_TYPES
from wardround_typescript.tools.tsc import TSC, config_closure

from tests.conftest import GitRepository
from tests.plugins.typescript.conftest import Reviewed
from tests.stand_ins import stand_in
from wardround.errors import ToolFailed, ToolOutputError
from wardround.findings import Severity
from wardround.tools.tool import Invocation, Profile

HAS_NODE = shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is not None


def _install(repo: GitRepository, package: str, program: str, code: str) -> None:
    """A package with a fake program in it, and the content of its platform package."""
    repo.write(f"node_modules/{package}/package.json", "{}")
    tool = {"typescript": "tsc", "@biomejs/biome": "biome"}.get(package, package)
    stand_in(repo.root / "node_modules" / program, tool, code)


def _run(root: Path, *files: str) -> Invocation:
    return Invocation(Path("/bin/true"), root, files, None, root)


PLATFORM = node_modules.platform_name()
BIOME_SAYS = {
    "summary": {"changed": 0, "unchanged": 1, "errors": 1},
    "diagnostics": [
        {
            "severity": "error",
            "message": "This is an unexpected use of the debugger statement.",
            "category": "lint/suspicious/noDebugger",
            "location": {
                "path": "a.ts",
                "start": {"line": 1, "column": 1},
                "end": {"line": 1, "column": 9},
            },
            "advices": [],  # codespell:ignore advices
        }
    ],
}
IGNORED = {".gitignore": "node_modules\n"}


def test_biome_of_the_project_runs_if_it_is_configured(reviewed: Reviewed, repo: GitRepository) -> None:
    _install(
        repo,
        "@biomejs/biome",
        f"@biomejs/cli-{PLATFORM}/biome",
        f"print(json.dumps({BIOME_SAYS!r})); sys.exit(1)",
    )
    files = {**IGNORED, "a.ts": "debugger\n"}

    assert reviewed(files, BIOME).findings == ()
    done = reviewed({"biome.json": "{}"}, BIOME)

    assert [(f.rule, f.defect_class) for f in done.visible] == [("biome/noDebugger", "debugger-left-behind")]
    assert done.unreviewed == ()


_SAYS_FOLDER = (
    "files = sys.argv[sys.argv.index('--') + 1 :]\n"
    "entries = sorted(os.listdir('.'))\n"
    "message = {'ruleId': 'no-var', 'severity': 2, 'line': 1, 'column': 1}\n"
    "print(json.dumps([{'filePath': os.path.abspath(one), 'messages': ["
    "{**message, 'message': '|'.join([one, *entries])}]} for one in files]))"
)


@pytest.mark.skipif(not HAS_NODE, reason="needs node")
def test_eslint_starts_in_the_package_that_configures_it(reviewed: Reviewed, repo: GitRepository) -> None:
    for folder in ("", "apps/b/"):
        repo.write(f"{folder}node_modules/eslint/package.json", "{}")
        stand_in(repo.root / f"{folder}node_modules/eslint/bin/eslint.js", "eslint", _SAYS_FOLDER)
    config = {"eslint.config.js": "export default [];\n"}
    files = {f"apps/{name}/eslint.config.js": text for name in "ab" for text in config.values()}
    files |= {f"apps/{name}/src/x.js": "var a = 1\n" for name in "abc"}

    done = reviewed({**IGNORED, **files}, ESLINT, profile=Profile.CI)

    found = {finding.file: finding.message for finding in done.visible if finding.file.endswith("x.js")}
    assert found == {
        "apps/a/src/x.js": "src/x.js|eslint.config.js|src",
        "apps/b/src/x.js": "src/x.js|eslint.config.js|node_modules|src",
    }
    assert done.unreviewed == ()


@pytest.mark.parametrize(
    ("configs", "folder"),
    [
        ({}, None),
        ({"biome.json": "{}"}, ""),
        ({"p/biome.json": '{"root": true}'}, "p"),
        ({"biome.json": "{}", "p/biome.json": '{"root": false}'}, ""),
        ({"biome.json": "{}", "p/biome.json": '{"extends": "//"}'}, ""),
        ({"biome.json": "{}", "p/biome.json": "{}"}, "p"),
        ({"p/biome.jsonc": '{"extends": ["acme/biome"]}'}, None),
    ],
)
def test_biome_starts_where_its_configuration_is_complete(
    configs: dict[str, str], folder: str | None
) -> None:
    assert BIOME.package_of("p/src/a.js", configs) == folder


_LEVELS = [
    ('{"linter": {"rules": {"suspicious": {"noDebugger": "error"}}}}', Severity.ERROR),
    (
        '{"linter": {"rules": {"suspicious": {"noDebugger": {"level": "error", "options": {}}}}}}',
        Severity.ERROR,
    ),
    ('{"overrides": [{"linter": {"rules": {"suspicious": "error"}}}]}', Severity.ERROR),
    ('{"linter": {"rules": {"suspicious": {"noDebugger": "warn"}}}}', None),
    ("{}", None),
]


@pytest.mark.parametrize(("config", "severity"), _LEVELS)
def test_rules_that_the_project_makes_errors_of_biome_are_errors(
    tmp_path: Path, config: str, severity: Severity | None
) -> None:
    (tmp_path / "biome.json").write_text(config)

    (found,) = BIOME.parse(json.dumps(BIOME_SAYS).encode(), _run(tmp_path, "a.ts"))

    assert (found.severity, found.explicitly_enabled) == (severity, severity is not None)


@pytest.mark.parametrize(("level", "severity"), [(2, Severity.ERROR), (1, None)])
def test_rules_that_the_project_makes_errors_of_eslint_are_errors(
    tmp_path: Path, level: int, severity: Severity | None
) -> None:
    (tmp_path / "a.js").write_text("alert(1)\n")
    message = {"ruleId": "no-alert", "severity": level, "message": "m", "line": 1, "column": 1}
    answer = [{"filePath": str(tmp_path / "a.js"), "messages": [message]}]

    (found,) = ESLINT.parse(json.dumps(answer).encode(), _run(tmp_path, "a.js"))

    assert (found.severity, found.explicitly_enabled) == (severity, severity is not None)


@pytest.mark.parametrize(
    ("rules", "levels"),
    [
        ({"no-alert": "error", "no-debugger": "warn"}, {"no-alert": "error", "no-debugger": "warn"}),
        ({"no-alert": "warn", "no-debugger": "error"}, {"no-alert": "info", "no-debugger": "error"}),
        ({"no-console": "error"}, {"no-console": "error"}),
        ({"eqeqeq": "error"}, {"eqeqeq": "error"}),
        ({"eqeqeq": "warn"}, {"eqeqeq": None}),
    ],
)
def test_rules_that_the_project_makes_errors_of_oxlint_are_errors(
    reviewed: Reviewed, rules: dict[str, str], levels: dict[str, str | None]
) -> None:
    code = "alert(1); debugger; console.log(1 == alert)\n"
    files = {".oxlintrc.json": json.dumps({"rules": rules}), "a.js": code}

    done = reviewed(files, OXLINT)

    found = {finding.rule.removeprefix("oxlint/"): finding.severity.label for finding in done.findings}
    assert {rule: found.get(rule) for rule in levels} == levels


def test_biome_paths_are_those_of_the_repository(tmp_path: Path) -> None:
    run = replace(_run(tmp_path, "p/a.ts"), folder="p")

    (found,) = BIOME.parse(json.dumps(BIOME_SAYS).encode(), run)

    assert (found.file, run.files_from_folder) == ("p/a.ts", ("a.ts",))


CONFIGURED = {"biome.json": "{}", "tsconfig.json": "{}", ".eslintrc.yml": "", "a.ts": "export const a = 1\n"}


def test_unconfigured_tools_are_not_reported_as_missing(reviewed: Reviewed) -> None:
    files = {"a.ts": "export const a = 1\n"}
    done = reviewed(files, BIOME, TSC, ESLINT, OXLINT_TYPES, profile=Profile.CI)

    assert (done.findings, done.unreviewed) == ((), ())
    assert [run.tool for run in done.runs] == ["typescript"]


def test_configured_but_missing_tools_are_reported_in_ci(reviewed: Reviewed) -> None:
    at_commit = reviewed(CONFIGURED, BIOME, TSC, ESLINT, OXLINT_TYPES)
    assert (at_commit.unreviewed, at_commit.notes) == ((), ())
    done = reviewed({}, BIOME, TSC, ESLINT, OXLINT_TYPES, profile=Profile.CI)

    assert done.unreviewed == ()
    assert done.notes == (
        "biome is not installed; npm install --save-dev @biomejs/biome",
        "eslint is not installed; npm install --save-dev eslint",
        "tsc is not installed; npm install --save-dev typescript",
    )


@pytest.mark.parametrize(
    ("lock", "line"),
    [
        ("package-lock.json", "npm ci"),
        ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
        ("yarn.lock", "yarn install --immutable"),
        ("bun.lock", "bun install --frozen-lockfile"),
    ],
)
def test_install_hint_uses_the_package_manager_of_the_lock_file(
    reviewed: Reviewed, lock: str, line: str
) -> None:
    files = {**CONFIGURED, "package.json": '{"devDependencies": {"eslint": "^9"}}', lock: ""}
    done = reviewed(files, ESLINT, profile=Profile.CI)

    assert done.notes == (f"eslint is not installed; {line}",)


def test_tools_with_unsupported_configuration_are_not_reported_as_missing(reviewed: Reviewed) -> None:
    files = {"biome.json": '{"extends": ["acme/biome"]}', "a.ts": "export const a = 1\n"}

    done = reviewed(files, BIOME, profile=Profile.CI)
    assert (done.unreviewed, done.notes) == ((), ())


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "rubbish",
        json.dumps({"summary": {"changed": 0, "unchanged": 0, "errors": 1}, "diagnostics": []}),
        json.dumps(
            {
                "summary": {"changed": 0, "unchanged": 0, "errors": 1},
                "diagnostics": [
                    {"severity": "error", "message": "Cannot read file.", "category": "fs/cantRead"}
                ],
            }
        ),
    ],
)
def test_incomplete_biome_output_is_an_error(tmp_path: Path, answer: str) -> None:
    with pytest.raises((ToolOutputError, ValueError)):
        BIOME.parse(answer.encode(), _run(tmp_path, "a.ts"))


def test_biome_configuration_has_no_git_settings_and_no_plugins() -> None:
    text = '{"vcs": {"enabled": true}, "plugins": ["./x.grit"], "linter": {"enabled": true}, // ours\n}'

    assert json.loads(config_overlay("", {"biome.jsonc": text})["biome.jsonc"]) == {
        "linter": {"enabled": True}
    }


COMPILED = """\
src/a.ts(1,17): error TS2322: Type 'string' is not assignable to type 'number'.
  The expected type comes from somewhere else.
src/other.ts(3,1): error TS2304: Cannot find name 'x'.
/lib/lib.d.ts
/repo/src/a.ts
"""


def test_tsc_errors_in_other_files_are_ignored(tmp_path: Path) -> None:
    (found,) = TSC.parse(COMPILED.encode(), _run(tmp_path, "src/a.ts"))

    assert (found.code, found.file, found.span.start) == ("TS2322", "src/a.ts", (1, 17))


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "killed",
        "error TS5083: Cannot read file 'base.json'.\n/lib/lib.d.ts\n",
        "src/other.ts(1,1): error TS1005: ';' expected.\n/lib/lib.d.ts\n",
    ],
)
def test_failed_tsc_run_is_an_error(tmp_path: Path, answer: str) -> None:
    with pytest.raises(ToolOutputError):
        TSC.parse(answer.encode(), _run(tmp_path, "src/a.ts"))


@pytest.mark.parametrize(
    "answer",
    [
        COMPILED,
        f"{COMPILED}wardround: left with 0\n",
        "/lib/lib.d.ts\n/repo/src/a.ts\nwardround: left with 2\n",
        "src/a.ts(1,17): error TS2322: Type 'string' is not assign",
    ],
    ids=["cut", "errors without a status", "a status without errors", "cut in a line"],
)
def test_truncated_tsc_output_is_an_error(tmp_path: Path, answer: str) -> None:
    (tmp_path / "tsconfig.json").write_text("{}")
    with pytest.raises(ToolOutputError):
        TSC.parse(answer.encode(), _run(tmp_path, "src/a.ts"))
    assert TSC.parse(f"{COMPILED}wardround: left with 2\n".encode(), _run(tmp_path, "src/a.ts"))


def test_tsc_skips_files_outside_of_all_projects(reviewed: Reviewed, repo: GitRepository) -> None:
    says = "import os; print(os.getcwd() + '/src/a.ts')"
    _install(repo, "typescript", f"@typescript/typescript-{PLATFORM}/lib/tsc", says)
    good = "export const a = 1\n"
    files = {**IGNORED, "tsconfig.json": '{"include": ["src"]}', "src/a.ts": good, "b.ts": good}

    done = reviewed(files, TSC, profile=Profile.CI)
    assert done.unreviewed == ()
    assert [(run.tool, run.files) for run in done.runs if run.tool == "tsc"] == [("tsc", 1)]


def test_tsc_compiles_referenced_projects(tmp_path: Path) -> None:
    for path, text in {
        "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "gone"}]}',
        "tsconfig.app.json": "{}",
        "web/tsconfig.json": "{}",
        "web/src/a.ts": "",
        "b.ts": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    argv = TSC.command(_run(tmp_path, "web/src/a.ts", "b.ts"))

    assert list(argv[-3:]) == ["tsconfig.app.json", "tsconfig.json", "web/tsconfig.json"]


def test_tsc_configuration_closure_contains_references() -> None:
    text = '{"extends": "../base", "references": [{"path": "../lib"}, {"path": "./tsconfig.node.json"}]}'

    assert config_closure("web/tsconfig.json", text) == [
        "base", "base.json", "lib/tsconfig.json", "web/tsconfig.node.json",
    ]  # fmt: skip


def test_tsc_runs_in_ci_only(reviewed: Reviewed, repo: GitRepository) -> None:
    says = (
        "print(\"a.ts(1,21): error TS2322: Type 'string' is not assignable.\\n/lib/lib.d.ts\"); sys.exit(2)"
    )
    _install(repo, "typescript", f"@typescript/typescript-{PLATFORM}/lib/tsc", says)
    files = {**IGNORED, "tsconfig.json": "{}", "a.ts": '/* 🦉 */ const n: number = "x"\n'}

    assert reviewed(files, TSC).findings == ()
    (finding,) = reviewed({}, TSC, profile=Profile.CI).visible
    assert (finding.rule, finding.span.start, finding.defect_class) == (
        "tsc/TS2322",
        (1, 20),
        "type-mismatch",
    )


def test_eslint_output_includes_fixes(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text("/* 🦉 */ let a = 1\n", encoding="utf-8")
    message = {
        "ruleId": "prefer-const", "severity": 2, "message": "'a' is never reassigned.", "line": 1,
        "column": 14, "endLine": 1, "endColumn": 15, "fix": {"range": [9, 12], "text": "const"},
    }  # fmt: skip
    answer = [{"filePath": str(tmp_path / "a.ts"), "messages": [message]}]

    (found,) = ESLINT.parse(json.dumps(answer).encode(), _run(tmp_path, "a.ts"))

    assert (found.span.column, found.span.end_column) == (13, 14)
    assert found.fix is not None
    (edit,) = found.fix.edits
    assert (edit.span.column, edit.span.end_column, edit.replacement) == (9, 12, "const")


def test_eslint_output_must_cover_every_file(tmp_path: Path) -> None:
    with pytest.raises(ToolOutputError, match=r"nothing about a\.ts"):
        ESLINT.parse(b"[]", _run(tmp_path, "a.ts"))


def test_utf16_offsets_are_converted_to_lines_and_code_points() -> None:
    text = Utf16Text("a🦉b\n🦉c")

    assert [text.position(n) for n in (0, 1, 3, 5, 7)] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]
    assert [text.column(1, n) for n in (1, 2, 4)] == [1, 2, 3]


@pytest.mark.skipif(not HAS_NODE, reason="node is not where tools look for it")
def test_eslint_runs_only_with_the_trusted_configuration(
    reviewed: Reviewed, repo: GitRepository, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    says = (
        "files = sys.argv[sys.argv.index('--') + 1 :]\n"
        f"open({str(seen)!r}, 'w').write(open('eslint.config.mjs').read())\n"
        "print(json.dumps([{'filePath': os.path.abspath(file), 'messages': []} for file in files]))"
    )
    _install(repo, "eslint", "eslint/bin/eslint.js", says)
    repo.commit({**IGNORED, "eslint.config.mjs": "export default []\n"})

    changed = {"eslint.config.mjs": "export default [1]\n", "a.ts": "export const a = 1\n"}
    done = reviewed(changed, ESLINT, profile=Profile.CI, config="base")
    assert done.unreviewed == ()
    assert seen.read_text() == "export default []\n"

    added = {"sub/eslint.config.mjs": "export default [2]\n", "sub/a.ts": "export const a = 1\n"}
    done = reviewed(added, ESLINT, profile=Profile.CI, config="base")
    reasons = {u.reason.partition(",")[0] for u in done.unreviewed}
    assert reasons == {"sub/eslint.config.mjs is itself under review"}


@pytest.mark.skipif(not HAS_NODE, reason="node is not where tools look for it")
@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({"eslint.config.mjs": "export default []\n"}, {"eslint.config.mjs": "export default [1]\n"}),
        ({}, {"eslint.config.mjs": "export default []\n"}),
        ({".eslintrc.json": "{}"}, {".eslintrc.json": '{"extends": "./deploy.js"}', "deploy.js": "a\n"}),
        ({".eslintrc.json": "{}", "deploy.js": "a\n"}, {".eslintrc.json": '{"extends": "./deploy.js"}'}),
        (
            {".eslintrc.json": "{}", "deploy.js": "a\n", "package.json": "{}"},
            {"package.json": '{"eslintConfig": {"extends": "./deploy.js"}}'},
        ),
    ],
)
def test_eslint_does_not_run_with_a_configuration_of_commits_under_review(
    reviewed: Reviewed, repo: GitRepository, tmp_path: Path, base: dict[str, str], head: dict[str, str]
) -> None:
    seen, (changed, text) = tmp_path / "seen", next(iter(head.items()))
    says = (
        "texts = [open(one).read() for one in glob.glob('*') + glob.glob('.*') if os.path.isfile(one)]\n"
        f"open({str(seen)!r}, 'a').write(''.join(texts)); print('[]')"
    )
    _install(repo, "eslint", "eslint/bin/eslint.js", f"import glob\n{says}")
    repo.commit({**IGNORED, **base})
    repo.commit({**head, "a.ts": "export const a = 1\n"})

    done = reviewed({}, ESLINT, profile=Profile.CI, revisions=("HEAD~1", "HEAD"))

    assert not seen.exists() or text not in seen.read_text()  # it runs with that of the base, to compare
    expected = f"the change edits {changed}, which decides what code eslint runs; use --config-from base"
    assert {item.reason for item in done.unreviewed if item.file == "a.ts"} == {expected}


@pytest.mark.skipif(not HAS_NODE, reason="node is not where tools look for it")
def test_eslint_runs_with_a_configuration_that_commits_under_review_leave_alone(
    reviewed: Reviewed, repo: GitRepository
) -> None:
    _install(repo, "eslint", "eslint/bin/eslint.js", _SAYS_FOLDER)
    repo.commit({**IGNORED, "eslint.config.mjs": "export default []\n"})
    repo.commit({"a.ts": "export const a = 1\n"})

    done = reviewed({}, ESLINT, profile=Profile.CI, revisions=("HEAD~1", "HEAD"))

    assert done.unreviewed == ()
    assert [finding.file for finding in done.visible] == ["a.ts"]


def test_changed_seal_stops_a_tool(tmp_path: Path) -> None:
    from wardround_typescript.tools.own_config import add_seal, check_seals

    root = tmp_path / "side" / "repo"
    root.mkdir(parents=True)
    for path, text in add_seal("oxlint", "web", {"web/.oxlintrc.json": "{}", "base.json": "{}"}).items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    run = _run(root, "web/src/a.ts")
    check_seals("oxlint", run)

    (root / "web/src").mkdir()
    (root / "web/src/.oxlintrc.json").write_text("{}")
    with pytest.raises(ToolFailed, match=r"web/src/\.oxlintrc\.json is itself under review"):
        check_seals("oxlint", run, (".oxlintrc.json",))

    for seal in root.parent.glob("wardround-*.json"):  # a seal in the repository is not one
        (root / "web/src" / seal.name).write_text(seal.read_text().replace("web/", "web/src/"))
    with pytest.raises(ToolFailed, match=r"web/src/\.oxlintrc\.json is itself under review"):
        check_seals("oxlint", run, (".oxlintrc.json",))

    (root / "base.json").write_text("{} ")
    with pytest.raises(ToolFailed, match=r"base\.json is itself under review"):
        check_seals("oxlint", run)


def test_killed_tool_is_inconclusive(reviewed: Reviewed, repo: GitRepository) -> None:
    says = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    _install(repo, "typescript", f"@typescript/typescript-{PLATFORM}/lib/tsc", says)
    files = {**IGNORED, "tsconfig.json": "{}", "a.ts": "export const a = 1\n"}

    done = reviewed(files, TSC, profile=Profile.CI)
    assert [(item.file, item.tool) for item in done.unreviewed] == [("a.ts", "tsc")]
    assert [(run.tool, run.files) for run in done.runs] == [("typescript", 1)]
