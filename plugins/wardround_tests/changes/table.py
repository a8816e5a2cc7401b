"""What each check is for. Not to be edited: ``wardround.check_table`` writes it."""

from __future__ import annotations

from wardround.late import Row

TABLE: tuple[Row, ...] = (
    (
        "TE201",
        "untested_function:UntestedFunction",
        (".cjs", ".cts", ".js", ".mjs", ".mts", ".py", ".ts"),
        (),
    ),
    ("TE202", "fix_without_test:FixWithoutTest", (".cjs", ".cts", ".js", ".mjs", ".mts", ".py", ".ts"), ()),
    ("TE203", "weakened_test:WeakenedTest", (".cy.", ".e2e.", "spec", "t/", "test"), ()),
    (
        "TE204",
        "edited_harness:EditedHarness",
        (
            ".ci/",
            ".circleci/",
            ".coveragerc",
            ".github/actions/",
            ".github/workflows/",
            ".gitlab-ci.yml",
            ".pytest.ini",
            ".pytest.toml",
            ".travis.yml",
            "azure-pipelines.yml",
            "ci/",
            "codecov.y",
            "conftest.py",
            "cypress",
            "gnumakefile",
            "jenkinsfile",
            "jest",
            "justfile",
            "karma",
            "makefile",
            "mocharc",
            "noxfile.py",
            "nycrc",
            "package.json",
            "playwright",
            "pyproject.toml",
            "pytest.ini",
            "pytest.toml",
            "scripts/",
            "setup.cfg",
            "taskfile.yaml",
            "taskfile.yml",
            "tox.ini",
            "vite",
            "vitest",
        ),
        (),
    ),
)
