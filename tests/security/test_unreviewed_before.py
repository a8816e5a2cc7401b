"""Attacks that bring code past the review as *existing*, because it was there before as something else.

Each entry commits content that no review reads, then changes as little as possible to make it code.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import GitRepository

PYTHON = """\
import os
import subprocess


def run(name):
    os.makedirs("out")
    subprocess.run("ls " + name, shell=True)
    assert (name, "x")
    return name


def again(name):
    return run(name) + run(name)
"""
TYPESCRIPT = """\
export function run(x: number): number {
  if (x === NaN) {
    return 1;
  }
  return x + 1;
}

export function again(x: number): number {
  return run(x) + run(x);
}
"""
WORKFLOW = """\
on: pull_request_target
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo "${{ github.event.pull_request.title }}"
"""
MIGRATION = "create table notes (id int);\nalter table notes add column a int;\ndrop table old_notes;\n"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 300\n"

Files = dict[str, str | bytes]


def moved(old: str, new: str, edit: tuple[str, str] | None = None) -> Callable[[GitRepository], None]:
    """Rename a file, and replace a part of it."""

    def change(repo: GitRepository) -> None:
        content = repo.read(old).decode()
        (repo.root / old).unlink()
        repo.write(new, content.replace(*edit) if edit else content)

    return change


def written(path: str, content: str | bytes) -> Callable[[GitRepository], None]:
    """Replace a file or a folder."""

    def change(repo: GitRepository) -> None:
        if (repo.root / path).is_symlink():
            (repo.root / path).unlink()
        repo.write(path, content)

    return change


def both(*changes: Callable[[GitRepository], None]) -> Callable[[GitRepository], None]:
    """Make several changes."""

    def change(repo: GitRepository) -> None:
        for item in changes:
            item(repo)

    return change


EXCLUDING = '[tool.wardround]\nexclude = ["legacy/"]\n'
SKIPPING = '[tool.wardround]\nskip = ["python"]\n'
LARGE = PYTHON + "# " + "x" * 2_100_000 + "\n"
SCRIPT = PYTHON.replace("import os\n", "#!/usr/bin/env python\nimport os\n", 1)
KEY = f"[aws]\nid = {'AKIA' + 'WZ5LV43N' + 'Z3STMSTC'}\n"
KEY_RULE = "secrets/SE001"
RULE = "ruff/F631"
ATTACKS: list[object] = [
    pytest.param({"notes.txt": PYTHON}, moved("notes.txt", "run.py"), "run.py", RULE, id="txt-to-py"),
    pytest.param(
        {"notes.txt": PYTHON},
        moved("notes.txt", "run.py", ("again", "twice")),
        "run.py",
        RULE,
        id="txt-to-py-with-an-edit",
    ),
    pytest.param({"a.md": TYPESCRIPT}, moved("a.md", "a.ts"), "a.ts", "oxlint/use-isnan", id="md-to-ts"),
    pytest.param({"run.py.tmpl": PYTHON}, moved("run.py.tmpl", "run.py"), "run.py", RULE, id="tmpl-to-py"),
    pytest.param({"run.py.txt": PYTHON}, moved("run.py.txt", "run.pyw"), "run.pyw", RULE, id="txt-to-pyw"),
    pytest.param(
        {"ci.yml": WORKFLOW},
        moved("ci.yml", ".github/workflows/ci.yml"),
        ".github/workflows/ci.yml",
        "docker-ci/DC050",
        id="yaml-to-workflow",
    ),
    pytest.param(
        {"run.txt": SCRIPT}, moved("run.txt", "run"), "run", RULE, id="txt-to-script-without-suffix"
    ),
    pytest.param(
        {"run": PYTHON},
        moved("run", "run", ("import os\n", "#!/usr/bin/env python\nimport os\n")),
        "run",
        RULE,
        id="interpreter-line-added",
    ),
    pytest.param(
        {"run": "#!/usr/bin/env ruby\n" + PYTHON},
        moved("run", "run", ("ruby", "python")),
        "run",
        RULE,
        id="interpreter-line-changed",
    ),
    pytest.param(
        {"run": 'Q = "select a from b"\n' + PYTHON},
        moved("run", "run", ("Q =", "#!/usr/bin/env python\nQ =")),
        "run",
        RULE,
        id="interpreter-line-added-to-a-file-with-sql",
    ),
    pytest.param(
        {"pyproject.toml": EXCLUDING, "legacy/run.py": PYTHON},
        moved("legacy/run.py", "src/run.py"),
        "src/run.py",
        RULE,
        id="out-of-an-excluded-folder",
    ),
    pytest.param(
        {"old/.wardround.toml": 'exclude = ["*"]\n', "old/run.py": PYTHON},
        moved("old/run.py", "src/run.py"),
        "src/run.py",
        RULE,
        id="out-of-a-folder-that-excludes-itself",
    ),
    pytest.param(
        {"old/.wardround.toml": 'rules = {"ruff/F631" = "off"}\n', "old/run.py": PYTHON},
        moved("old/run.py", "src/run.py"),
        "src/run.py",
        RULE,
        id="out-of-a-folder-where-the-rule-is-off",
    ),
    pytest.param(
        {"notes.cfg": b"\0\xff\n" + KEY.encode()},
        written("notes.cfg", KEY),
        "notes.cfg",
        KEY_RULE,
        id="binary-to-text",
    ),
    pytest.param(
        {"pyproject.toml": EXCLUDING, "legacy/run.py": PYTHON},
        both(
            written("pyproject.toml", "[tool.wardround]\n"),
            moved("legacy/run.py", "legacy/run.py", ("name", "n")),
        ),
        "legacy/run.py",
        RULE,
        id="no-longer-excluded",
    ),
    pytest.param(
        {"pyproject.toml": SKIPPING, "run.py": PYTHON},
        both(written("pyproject.toml", "[tool.wardround]\n"), moved("run.py", "run.py", ("again", "twice"))),
        "run.py",
        RULE,
        id="its-specialist-no-longer-skipped",
    ),
    pytest.param(
        {"run.py": b"# \xff\n" + PYTHON.encode()},
        written("run.py", PYTHON),
        "run.py",
        RULE,
        id="invalid-utf-8-to-utf-8",
    ),
    pytest.param(
        {"run.py": PYTHON.encode("utf-16")}, written("run.py", PYTHON), "run.py", RULE, id="utf-16-to-utf-8"
    ),
    pytest.param({"run.py": LARGE}, written("run.py", PYTHON), "run.py", RULE, id="too-large-to-small"),
    pytest.param({"run.py": POINTER}, written("run.py", PYTHON), "run.py", RULE, id="lfs-pointer-to-content"),
]


def reported(
    repo: GitRepository, base: str, path: str, rule: str, *more: str
) -> tuple[set[str], dict[str, object]]:
    """The statuses of a rule's findings in a file, and the gate."""
    report = repo.report("--base", base, "--fail-level", "warn", "--filter-mode", "nofilter", *more)
    found = {f["status"] for f in report["findings"] if f["file"] == path and rule in f["sources"]}
    return found, report["gate"]


@pytest.mark.parametrize(("before", "change", "path", "rule"), ATTACKS)
def test_content_no_review_covered_is_new(
    repo: GitRepository, before: Files, change: Callable[[GitRepository], None], path: str, rule: str
) -> None:
    base = repo.commit(before)
    change(repo)
    repo.commit()

    statuses, gate = reported(repo, base, path, rule)

    assert statuses in ({"new"}, {"caused"}), gate
    assert gate["outcome"] == "blocked"


def test_in_ci_it_is_new_and_its_suppressions_are_added(repo: GitRepository) -> None:
    waived = PYTHON.replace('"x")\n', '"x")  # wardround: ignore[F631] known\n')
    base = repo.commit({"notes.txt": waived})
    moved("notes.txt", "run.py")(repo)
    repo.commit()

    statuses, gate = reported(repo, base, "run.py", RULE, "--profile", "ci")

    assert statuses == {"new"}
    assert gate["outcome"] == "blocked"


def test_the_target_of_a_link_is_not_what_a_file_held_before(repo: GitRepository) -> None:
    (repo.root / "run.py").symlink_to('assert (name, "x")')
    base = repo.commit()
    written("run.py", PYTHON)(repo)
    repo.commit()

    assert reported(repo, base, "run.py", RULE)[0] == {"new"}


def test_a_folder_instead_of_a_submodule_is_new(repo: GitRepository) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},part")
    repo.git("commit", "--quiet", "--message", "submodule")
    base = repo.git("rev-parse", "HEAD").strip()
    repo.git("rm", "--cached", "--quiet", "part")
    repo.commit({"part/run.py": PYTHON})

    assert reported(repo, base, "part/run.py", RULE)[0] == {"new"}


def test_a_copy_of_an_unreviewed_file_in_a_diff_is_new(repo: GitRepository) -> None:
    repo.commit({"notes.txt": PYTHON})
    diff = (
        "diff --git a/notes.txt b/run.py\nsimilarity index 95%\ncopy from notes.txt\ncopy to run.py\n"
        "--- a/notes.txt\n+++ b/run.py\n@@ -1,2 +1,2 @@\n-import os\n+import os  # used\n import subprocess\n"
    )

    done = repo.wardround("review", "--diff-file", "-", "--format", "json", stdin=diff)

    assert done.returncode == 1, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("old", "new", "edit"),
    [
        pytest.param("run.py", "go.py", ("again", "twice"), id="py-to-py"),
        pytest.param("run.py", "run.pyi", ("again", "twice"), id="py-to-pyi"),
        pytest.param(
            "run.py", "run.py", ("import os\n", "import os\n\nQ = 'select a from b'\n"), id="first-sql"
        ),
    ],
)
def test_content_a_review_covered_stays_existing(
    repo: GitRepository, old: str, new: str, edit: tuple[str, str]
) -> None:
    base = repo.commit({old: PYTHON})
    moved(old, new, edit)(repo)
    repo.commit()

    assert reported(repo, base, new, RULE)[0] == {"existing"}


def test_a_renamed_test_is_new_to_the_specialist_for_tests_alone(repo: GitRepository) -> None:
    text = "import run\n\n\ndef test_a():\n    run.run(1)\n\n\ndef b():\n    raise NotImplemented\n"
    base = repo.commit({"checks.py": text, ".wardround.toml": "preview = true\n"})
    moved("checks.py", "test_checks.py", ("import run\n", "import run\n\n"))(repo)
    repo.commit()

    report = repo.report("--base", base, "--filter-mode", "nofilter")

    statuses = {(f["specialist"], f["status"]) for f in report["findings"]}
    assert statuses == {("python", "existing"), ("tests", "new")}
