"""TE204."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import ChangeCase
from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround_tests.changes.config_loosening import lowered_thresholds, weakened_lines
from wardround_tests.changes.conftest import changed_autouse, fewer_demands
from wardround_tests.changes.harness_files import (
    PYTHON_SETTINGS,
    RECIPE_FOLDERS,
    RECIPES,
    SCRIPT_SETTINGS,
    SET_UP_NAMES,
    HarnessKind,
    kind_of,
)
from wardround_tests.changes.line_diff import added_lines, removed_lines, span_of_line
from wardround_tests.changes.loosening import Eased, line_that_lost, short
from wardround_tests.changes.production_changes import Production
from wardround_tests.changes.test_commands import RUNS_TESTS, narrower
from wardround_tests.file_kinds import is_production, is_test

# Patterns are texts here, since compiling them takes longer than most reviews that need none.

_IS_INSTALL = (
    r"\b(install|uses:|pip|requires|dependencies|(uv|poetry|pdm|npm|yarn|pnpm|bun) add)\b|^\s*#|[=<>~]=|"
    r"^\s*(- )?(name|cache|key|path|image|[\w-]*version)\s*:|"
    r"\b(pytest|jest|vitest|tox|nox)[\w.-]*\.(html|xml|json|ini|cfg|toml|py|js|ts)\b"
)


_MOST = 5
"""So many places of one file are told."""
_ADDOPTS = "[tool.pytest.ini_options]\naddopts = '-ra'\n"
_PYTEST = (
    "[tool.pytest.ini_options]\naddopts = [\n  '-ra',\n  '--strict-markers',\n  '--cov-fail-under=90',\n]\n"
)
_INI = (
    "[pytest]\ntestpaths =\n    tests/unit\n    tests/slow\nxfail_strict = true\n"
    "filterwarnings =\n    error\n    ignore:old:UserWarning\n"
)
_JEST = (
    "module.exports = {\n  testPathIgnorePatterns: [\n    '/node_modules/',\n  ],\n"
    "  testMatch: ['**/*.test.ts', '**/*.spec.ts'],\n"
    "  coverageThreshold: { global: { lines: 90, branches: 80 } },\n}\n"
)
_VITEST = "export default defineConfig({\n  test: {\n    exclude: ['dist'],\n  },\n})\n"
_PACKAGE = '{\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest run && playwright test"\n  }\n}\n'
_WORKFLOW = (
    "jobs:\n  test:\n    steps:\n      - name: Lint\n        run: ruff check\n"
    "      - name: Tests\n        run: pytest tests\n      - name: Upload\n        run: codecov\n"
)
_CODE = {"shop.py": ("a = 1\n", "a = 2\n")}


class WeakenedTestHarness(ChangeCheck):
    """A change eases the tests it is judged by: what they collect, what fails them, or whether CI minds.

    Together with code in the same change, a green run no longer says what it said before. A person has to
    look at this edit by itself; best give it a commit of its own, with the reason.
    """

    ID = "TE204"
    NAME = "weakened-test-harness"
    DEFECT_CLASS = "test-harness-edited"
    TRIED_ON = (
        "4,800 commits of 9 projects, on which it was also tuned: 2 warnings, both hooks that choose among "
        "the tests; 8 notes on autouse fixtures and on warnings let pass; 150 of 5 with more settings: none."
    )
    SEVERITY = Severity.WARN
    PATHS = (
        *("conftest.py", "package.json", "codecov.y"),
        *sorted({*PYTHON_SETTINGS, *SCRIPT_SETTINGS, *RECIPES, *RECIPE_FOLDERS, *SET_UP_NAMES}),
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase({"pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", "-ra --ignore=tests/old"))}),
        ChangeCase({**_CODE, "pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", "-ra --strict-markers"))}),
        ChangeCase(
            {
                **_CODE,
                "conftest.py": (
                    "import pytest\n",
                    "import pytest\n@pytest.fixture\ndef shop():\n    return 1\n",
                ),
            }
        ),
        ChangeCase({**_CODE, ".coveragerc": ("[report]\nfail_under = 80\n", "[report]\nfail_under = 85\n")}),
        ChangeCase({**_CODE, ".github/workflows/ci.yml": ("- run: pytest\n", "- run: pytest -n auto\n")}),
        ChangeCase({**_CODE, "Makefile": ("test:\n\tpytest\n", "test:\n\tpytest\na:\n\trm -r b || true\n")}),
        # stricter, or the same in other words
        ChangeCase({**_CODE, "pyproject.toml": (_PYTEST, _PYTEST.replace("=90", "=95"))}),
        ChangeCase({**_CODE, "pyproject.toml": (_PYTEST, _PYTEST.replace("'-ra',\n  ", ""))}),
        ChangeCase(
            {**_CODE, "pyproject.toml": (_PYTEST, _PYTEST.replace("'-ra'", "'-p', 'no:cacheprovider'"))}
        ),
        ChangeCase(
            {**_CODE, "pyproject.toml": (_PYTEST, f"{_PYTEST}[project]\ndependencies = ['a', 'pytest']\n")}
        ),
        ChangeCase({**_CODE, "pytest.ini": (_INI, _INI.replace("tests/unit\n    tests/slow", "tests"))}),
        ChangeCase({**_CODE, "pytest.ini": (_INI, _INI.replace("    ignore:old:UserWarning\n", ""))}),
        ChangeCase({**_CODE, "jest.config.js": (_JEST, _JEST.replace("lines: 90", "lines: 91"))}),
        ChangeCase({**_CODE, "jest.config.js": (_JEST, _JEST.replace("module.exports =", "export default"))}),
        ChangeCase({**_CODE, "vite.config.ts": (_VITEST, _VITEST.replace("'dist'", "'dist', 'build'"))}),
        ChangeCase(
            {**_CODE, "package.json": (_PACKAGE, _PACKAGE.replace("vitest run", "vitest run --coverage"))}
        ),
        ChangeCase(
            {
                **_CODE,
                "package.json": (
                    _PACKAGE,
                    _PACKAGE.replace(
                        '"vitest run && playwright test"',
                        '"npm run test:unit && npm run test:e2e",\n    "test:unit": "vitest run",\n'
                        '    "test:e2e": "playwright test"',
                    ),
                ),
            }
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    _WORKFLOW,
                    _WORKFLOW.replace("run: codecov", "run: codecov\n        continue-on-error: true"),
                ),
            }
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (_WORKFLOW, _WORKFLOW.replace("pytest tests", "make test")),
                "Makefile": ("lint:\n\truff check\n", "lint:\n\truff check\ntest:\n\tpytest tests\n"),
            }
        ),
        ChangeCase(
            {**_CODE, "tox.ini": ("[testenv]\ncommands = pytest tests\n", "[testenv]\ncommands = pytest\n")}
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    _WORKFLOW.replace(
                        "pytest tests", ">\n          tox -e\n          ${{ matrix.python-version }}"
                    ),
                    _WORKFLOW.replace("pytest tests", "|\n          tox -e ${{ matrix.python-version }}"),
                ),
            }
        ),
        ChangeCase(
            {
                **_CODE,
                "vite.config.ts": (
                    "export default { plugins: [dts({ exclude: ['a'] })], test: {} }\n",
                    "export default { plugins: [dts({ exclude: ['a', 'b.test.ts'] })], test: {} }\n",
                ),
            }
        ),
        ChangeCase(
            {
                **_CODE,
                "tox.ini": (
                    "[testenv]\ncommands = pytest tests/unit\n",
                    "[testenv]\ncommands = pytest {env:TESTS:tests/unit} {posargs}\n",
                ),
            }
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    f"{_WORKFLOW}      - env:\n          - nox-session: test-3.9\n",
                    f"{_WORKFLOW}      - env:\n",
                ),
            }
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        ChangeCase(
            {
                **_CODE,
                "tests/conftest.py": (
                    "@pytest.fixture\ndef db():\n    db = Db()\n    yield db\n    assert db.open == 0\n",
                    "@pytest.fixture\ndef db():\n    db = Db()\n    yield db\n",
                ),
            },
            place=("tests/conftest.py", 4, 5),
        ),
        ChangeCase(
            {
                **_CODE,
                "src/setupTests.ts": (
                    "console.error = (text) => {\n  throw new Error(text)\n}\nmount()\n",
                    "console.error = (text) => {\n}\nmount()\n",
                ),
            },
            place=("src/setupTests.ts", 1, 1),
        ),
        ChangeCase(
            {**_CODE, "Makefile": ("test:\n\tpytest\n", "test:\n\t-pytest\n")},
            place=("Makefile", 2, 2),
        ),
        ChangeCase(
            {
                **_CODE,
                "tox.ini": ("[testenv]\ncommands = pytest\n", "[testenv]\ncommands = - pytest\n"),
            },
            place=("tox.ini", 2, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    "jobs:\n  ship:\n    needs: [test]\n    steps: []\n",
                    "jobs:\n  ship:\n    steps: []\n",
                ),
            },
            place=(".github/workflows/ci.yml", 2, 3),
        ),
        ChangeCase(
            {
                **_CODE,
                ".coveragerc": (
                    "[report]\nfail_under = 90\nexclude_also =\n    if DEBUG\n",
                    "[report]\nfail_under = 90\nexclude_also =\n    if DEBUG\n    def legacy_\n",
                ),
            },
            place=(".coveragerc", 5, 5),
        ),
        ChangeCase(
            {**_CODE, "codecov.yml": ("a: 1\n", "a: 1\nstatus:\n  informational: true\n")},
            place=("codecov.yml", 3, 3),
        ),
        ChangeCase(
            {
                **_CODE,
                ".coveragerc": (
                    "[run]\nbranch = True\n[report]\nfail_under = 90\n",
                    "[run]\nbranch = True\nomit = shop.py\n[report]\nfail_under = 90\n",
                ),
            },
            place=(".coveragerc", 3, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                "jest.config.js": (
                    "coverageThreshold: {\n},\ncollectCoverageFrom: [\n  'src/**',\n],\n",
                    "coverageThreshold: {\n},\ncollectCoverageFrom: [\n  'src/**',\n  '!src/shop.js',\n],\n",
                ),
            },
            place=("jest.config.js", 5, 3),
        ),
        ChangeCase(
            {
                **_CODE,
                "pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", "-ra --deselect tests/test_a.py")),
            },
            place=("pyproject.toml", 2, 1),
        ),
        ChangeCase(
            {**_CODE, ".coveragerc": ("[report]\nfail_under = 90\n", "[report]\nfail_under = 70\n")},
            place=(".coveragerc", 2, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": ("- run: pytest\n", "- run: pytest\n  continue-on-error: true\n"),
            },
            place=(".github/workflows/ci.yml", 2, 3),
        ),
        ChangeCase(
            {**_CODE, "Makefile": ("test:\n\tpytest\n", "test:\n\tpytest || true\n")},
            place=("Makefile", 2, 2),
        ),
        ChangeCase(
            {
                **_CODE,
                "tests/conftest.py": (
                    "import pytest\n@pytest.fixture(autouse=True)\ndef calm(net):\n    cut(net)\n    yield\n",
                    "import pytest\n@pytest.fixture(autouse=True)\ndef calm(net):\n    yield\n",
                ),
            },
            place=("tests/conftest.py", 3, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    "- run: make\n- run: pytest\n- run: ls\n",
                    "- run: make\n- run: ls\n",
                ),
            },
            place=(".github/workflows/ci.yml", 1, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                "pytest.ini": (
                    "[pytest]\nfilterwarnings =\n    error\n",
                    "[pytest]\nfilterwarnings =\n    default\n",
                ),
            },
            place=("pytest.ini", 3, 5),
        ),
        ChangeCase(
            {**_CODE, "pyproject.toml": (_PYTEST, _PYTEST.replace("  '--strict-markers',\n", ""))},
            place=("pyproject.toml", 3, 3),
        ),
        ChangeCase(
            {**_CODE, "pyproject.toml": (_PYTEST, _PYTEST.replace("=90", "=60"))},
            place=("pyproject.toml", 5, 3),
        ),
        ChangeCase(
            {**_CODE, "pyproject.toml": (_PYTEST, _PYTEST.replace("  '--cov-fail-under=90',\n", ""))},
            place=("pyproject.toml", 4, 3),
        ),
        ChangeCase(
            {**_CODE, "pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", "-ra -p no:randomly"))},
            place=("pyproject.toml", 2, 1),
        ),
        ChangeCase(
            {**_CODE, "pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", '-ra -m "not slow"'))},
            place=("pyproject.toml", 2, 1),
        ),
        ChangeCase(
            {**_CODE, "pyproject.toml": (_ADDOPTS, _ADDOPTS.replace("-ra", "-ra --reruns 3"))},
            place=("pyproject.toml", 2, 1),
        ),
        ChangeCase(
            {**_CODE, "pytest.ini": (_INI, _INI.replace("    tests/slow\n", ""))},
            place=("pytest.ini", 3, 5),
        ),
        ChangeCase(
            {**_CODE, "pytest.ini": (_INI, _INI.replace("xfail_strict = true", "xfail_strict = false"))},
            place=("pytest.ini", 5, 1),
        ),
        ChangeCase(
            {**_CODE, "pytest.ini": (_INI, _INI.replace("xfail_strict = true\n", ""))},
            place=("pytest.ini", 4, 5),
        ),
        ChangeCase(
            {**_CODE, "pytest.ini": (_INI, f"{_INI}    ignore::DeprecationWarning\n")},
            place=("pytest.ini", 9, 5),
        ),
        ChangeCase(
            {
                **_CODE,
                "setup.cfg": (
                    "[coverage:report]\nfail_under = 90\n",
                    "[coverage:report]\nskip_empty = true\n",
                ),
            },
            place=("setup.cfg", 2, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                "tests/conftest.py": (
                    "collect_ignore = [\n    'a.py',\n]\n",
                    "collect_ignore = [\n    'a.py',\n    'test_b.py',\n]\n",
                ),
            },
            place=("tests/conftest.py", 3, 5),
        ),
        ChangeCase(
            {**_CODE, "jest.config.js": (_JEST, _JEST.replace("lines: 90", "lines: 70"))},
            place=("jest.config.js", 6, 3),
        ),
        ChangeCase(
            {**_CODE, "jest.config.js": (_JEST, _JEST.replace("lines: 90, ", ""))},
            place=("jest.config.js", 6, 3),
        ),
        ChangeCase(
            {**_CODE, "jest.config.js": (_JEST, _JEST.replace("  ],\n", "    '/slow/',\n  ],\n", 1))},
            place=("jest.config.js", 4, 5),
        ),
        ChangeCase(
            {**_CODE, "jest.config.js": (_JEST, _JEST.replace(", '**/*.spec.ts'", ""))},
            place=("jest.config.js", 5, 3),
        ),
        ChangeCase(
            {**_CODE, "vitest.config.ts": (_VITEST, _VITEST.replace("'dist'", "'dist', '**/slow.test.ts'"))},
            place=("vitest.config.ts", 3, 5),
        ),
        ChangeCase(
            {**_CODE, "vitest.config.ts": (_VITEST, _VITEST.replace("  },\n", "    retry: 2,\n  },\n"))},
            place=("vitest.config.ts", 4, 5),
        ),
        ChangeCase(
            {**_CODE, "package.json": (_PACKAGE, _PACKAGE.replace(" && playwright test", ""))},
            place=("package.json", 4, 5),
        ),
        ChangeCase(
            {
                **_CODE,
                "package.json": (_PACKAGE, _PACKAGE.replace("vitest run && playwright test", "echo none")),
            },
            place=("package.json", 4, 5),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    _WORKFLOW,
                    _WORKFLOW.replace("      - name: Tests\n        run: pytest tests\n", ""),
                ),
            },
            place=(".github/workflows/ci.yml", 5, 9),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    _WORKFLOW,
                    _WORKFLOW.replace("pytest tests", "pytest tests/unit"),
                ),
            },
            place=(".github/workflows/ci.yml", 7, 9),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    _WORKFLOW,
                    _WORKFLOW.replace("pytest tests", "pytest tests || true"),
                ),
            },
            place=(".github/workflows/ci.yml", 7, 9),
        ),
        ChangeCase(
            {
                **_CODE,
                ".github/workflows/ci.yml": (
                    _WORKFLOW,
                    _WORKFLOW.replace("- name: Tests", "- name: Tests\n        if: false"),
                ),
            },
            place=(".github/workflows/ci.yml", 7, 9),
        ),
        ChangeCase(
            {
                **_CODE,
                "tox.ini": (
                    "[testenv]\ncommands = pytest tests\n",
                    "[testenv]\ncommands = pytest tests --ignore=tests/slow\n",
                ),
            },
            place=("tox.ini", 2, 1),
        ),
        ChangeCase(
            {
                **_CODE,
                "noxfile.py": (
                    "def tests(session):\n    session.run('pytest', 'tests')\n",
                    "def tests(session):\n    session.run('pytest', 'tests', '-k', 'not slow')\n",
                ),
            },
            place=("noxfile.py", 2, 5),
        ),
        ChangeCase(
            {**_CODE, "Makefile": ("test:\n\tpytest tests\n\tpytest docs\n", "test:\n\tpytest docs\n")},
            place=("Makefile", 1, 1),
        ),
    ]

    def run(self) -> None:
        edited = [f for f in self.change.files if f.base_path is not None and kind_of(f.path) is not None]
        judged = [f for f in self.change.files if is_production(f.path) or _holds_tests(f.path)]
        if not edited or not judged:
            return
        for file in edited:
            if file.text is None or file.base_text is None:
                continue
            places: dict[int, Eased] = {}
            for one in self._eased(file):
                places.setdefault(one.line, one)
            for line in sorted(places)[:_MOST]:
                self.report(file.path, span_of_line(file, line), places[line].message, places[line].severity)

    def _eased(self, file: ChangedFileView) -> Iterator[Eased]:
        """The lines by which a file lets more pass than before, and how."""
        kind, added, gone = kind_of(file.path), added_lines(file), removed_lines(file)
        yield from weakened_lines(kind, file, added, gone)
        if kind is HarnessKind.PYTHON:
            from wardround_tests.changes.pytest_config import eased_settings  # parsers of settings

            yield from eased_settings(file)
        else:
            yield from lowered_thresholds(added, gone)
        if kind is HarnessKind.RECIPE or file.path.endswith(("tox.ini", "noxfile.py")):
            yield from self._run_less(file, added, gone)
        elif kind is HarnessKind.SCRIPT:
            from wardround_tests.changes.js_runner_config import eased_script_settings

            yield from eased_script_settings(file)
        elif kind is HarnessKind.CONFTEST:
            from wardround_tests.changes.js_runner_config import grown_lists

            yield from grown_lists(
                file, "collect_ignore|collect_ignore_glob", "leaves more tests out of the run"
            )
            code = Production([f for f in Production.of(self.change).files if kind_of(f.path) is None])
            yield from changed_autouse(file, gone, code)
            yield from fewer_demands(file, code)

    def _run_less(
        self, file: ChangedFileView, added: Sequence[tuple[int, str]], gone: Sequence[str]
    ) -> Iterator[Eased]:
        """Commands that run fewer tests than before, or are gone from every recipe of the change."""
        old = [line for line in gone if _is_run(line)]
        new = [(number, line) for number, line in added if _is_run(line)]
        if len(new) == len(old):
            for was, (number, now) in zip(old, new, strict=True):
                reason = narrower(was, now)
                if reason:
                    yield Eased(number, f"{reason}, in the change that it judges")
        elif not new:
            kept = [line for line in (file.text or "").split("\n") if _is_run(line)]
            lost = [line for line in old if not any(_command(line) in one for one in kept)]
            if lost and not any(_command(lost[0]) in text for text in self._other_recipes(file)):
                yield Eased(
                    line_that_lost(file, lost[0]), f"these tests are no longer run here: {short(lost[0])}"
                )

    def _other_recipes(self, file: ChangedFileView) -> list[str]:
        return [
            other.text or ""
            for other in self.change.files
            if other is not file
            and kind_of(other.path) in (HarnessKind.RECIPE, HarnessKind.SCRIPT, HarnessKind.PYTHON)
        ]


def _holds_tests(path: str) -> bool:
    return is_test(path) and not path.endswith("conftest.py")


def _is_run(line: str) -> bool:
    return re.search(RUNS_TESTS, line) is not None and re.search(_IS_INSTALL, line) is None


def _command(line: str) -> str:
    """A line without what makes it an item or a value of something."""
    return re.sub(r"^[-\s@]*(run|command|script|commands)?\s*[:=]?\s*", "", line).strip()
