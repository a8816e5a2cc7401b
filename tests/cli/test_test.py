"""``wardround test`` as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.conftest import SCRIPTS, GitRepository
from tests.security.sandbox.host import WORKING
from tests.workflows.test.tiny_project import FILES, run_with_coverage

GROSS = "net * (1 + RATE)"


def plan(repo: GitRepository, *arguments: str) -> dict[str, Any]:
    done = repo.wardround("test", "--dry-run", "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def recorded(repo: GitRepository) -> GitRepository:
    """A repository with the stored runs of all tests of its first commit."""
    repo.commit(FILES)
    data = repo.root.parent / "contexts.data"
    data.write_bytes(run_with_coverage(repo.root, FILES))
    assert plan(repo, "--contexts", str(data))["plan"]["notes"] == []
    return repo


def test_a_staged_edit_selects_the_tests_that_ran_it(recorded: GitRepository) -> None:
    recorded.stage({"shop/prices.py": FILES["shop/prices.py"].replace(GROSS, f"{GROSS} + 0")})

    chosen = {item["id"]: item["reason"] for item in plan(recorded)["plan"]["selected"]}

    changed = "it ran shop/prices.py::gross, which changed"
    assert chosen == {
        "tests/test_basket.py::TestBasket::test_a_basket_adds_up": changed,
        "tests/test_prices.py::test_tax_is_added[1]": changed,
        "tests/test_prices.py::test_tax_is_added[2]": changed,
        "tests/test_launch.py::test_the_version_is_printed": (
            "it ran shop/launch.py::version, which can start a process, whose code no recording covers"
        ),
    }


def test_a_commit_is_compared_with_a_base_and_nothing_is_written_to_the_repository(
    recorded: GitRepository,
) -> None:
    recorded.commit({"shop/prices.py": FILES["shop/prices.py"].replace(GROSS, f"{GROSS} + 0")})
    before = recorded.fingerprint()

    done = recorded.wardround("test", "--dry-run", "--base", "HEAD~1")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        ".: python, no package manager\n  pytest (pyproject.toml: tool.pytest.ini_options)"
    )
    assert "\n4 of 16 tests to run\n" in done.stdout
    assert "\n12 left out\n" in done.stdout
    assert recorded.fingerprint() == before


def test_without_recorded_runs_the_tests_of_the_change_come_first(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.commit({"shop/prices.py": FILES["shop/prices.py"].replace("math.floor(value)", "int(value)")})

    found = plan(repo, "--base", "HEAD~1")["plan"]

    assert {item["id"].partition("::")[0] for item in found["selected"][:3]} == {"tests/test_prices.py"}
    assert len(found["selected"]) == 15
    assert "No run is recorded" in found["notes"][0]


def test_tests_can_be_requested_by_file(recorded: GitRepository) -> None:
    found = plan(recorded, "--target", "tests/test_stock.py", "--target", "tests/test_launch.py")["plan"]

    assert len(found["selected"]) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--dry-run", "--target", "tests/none.py"), "no test has this id"),
        (("--dry-run", "--contexts", "pyproject.toml"), "it is not a data file of coverage.py"),
        (("--dry-run", "--contexts", "missing"), "No such file"),
        (("--dry-run", "--head", "HEAD"), "--head needs --base"),
        (("--format", "xml"), "unknown format"),
        (("--dry-run", "--format", "junit"), "--dry-run prints the plan"),
        (("--budget", "0"), "0"),
    ],
)
def test_a_wrong_request_is_a_usage_error(
    repo: GitRepository, arguments: tuple[str, ...], words: str
) -> None:
    repo.commit(FILES)

    done = repo.wardround("test", *arguments)

    assert done.returncode == 2
    assert words in done.stderr


def test_contexts_of_files_that_are_not_staged_are_rejected(recorded: GitRepository) -> None:
    recorded.write("shop/prices.py", "x = 1\n")

    done = recorded.wardround("test", "--dry-run", "--contexts", str(recorded.root.parent / "contexts.data"))

    assert done.returncode == 2
    assert "shop/prices.py is not as staged" in done.stderr


ADDED = "net * (1 + RATE) + 0"


def run(repo: GitRepository, *arguments: str, base: str = "HEAD~1") -> subprocess.CompletedProcess[str]:
    return repo.wardround("test", "--base", base, *arguments, env={"VIRTUAL_ENV": sys.prefix})


def report(repo: GitRepository) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(repo.read("artifacts/wardround/test-report.json"))
    return found


def outcomes(repo: GitRepository) -> dict[str, str]:
    return {item["id"].partition("::")[2]: item["outcome"] for item in report(repo)["tests"]}


@pytest.fixture
def changed(repo: GitRepository) -> GitRepository:
    """A repository whose last commit changes one function, without recorded runs."""
    repo.commit(FILES)
    repo.commit({"shop/prices.py": FILES["shop/prices.py"].replace(GROSS, ADDED)})
    return repo


def test_a_run_records_what_tests_ran_so_that_the_next_run_is_small(changed: GitRepository) -> None:
    before = changed.git("status", "--short")

    first, second = run(changed), run(changed)

    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("tests of the change from HEAD~1 to HEAD\n15 of 15 tests to run\n")
    assert f"isolation: {WORKING[0]}" in first.stdout
    assert "\n16 passed in " in first.stdout
    assert "1 of 1 changed line was run by these tests" in first.stdout
    assert "\n4 of 16 tests to run\n" in second.stdout
    assert changed.git("status", "--short") == before


def test_edits_of_changed_lines_that_no_test_notices_are_listed(changed: GitRepository) -> None:
    done = run(changed, "--mutate", "60", "--target", "tests/test_prices.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert " small edits of the changed lines\n" in done.stdout
    assert "not noticed: shop/prices.py:12: net * (1 + RATE) + 0 -> net * (1 + RATE) - 0\n" in done.stdout
    mutation = report(changed)["mutation"]
    assert (mutation["state"], len(mutation["tried"])) == ("complete", mutation["possible"])
    assert {item["is_noticed"] for item in mutation["tried"]} == {True, False}


def test_a_failure_is_repeated_and_tied_to_the_changed_line(changed: GitRepository) -> None:
    changed.commit({"shop/prices.py": FILES["shop/prices.py"].replace(GROSS, "net / 0")})

    done = run(changed, "--format", "junit=junit.xml", "--format", "text")

    assert done.returncode == 1
    error = "ZeroDivisionError: division by zero\n"
    assert f"failed tests/test_prices.py::test_tax_is_added[1]: {error}" in done.stdout
    assert "changed lines in its traceback: shop/prices.py:12" in done.stdout
    failed = [item for item in report(changed)["tests"] if item["outcome"] == "failed"]
    assert len(failed) == 3
    assert {(item["attempts"], *item["places"]) for item in failed} == {(2, "shop/prices.py:12")}
    assert "ZeroDivisionError" in failed[0]["excerpt"]
    suite = ElementTree.parse(Path(changed.root, "junit.xml")).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("16", "3")


def test_tests_that_end_the_process_are_errors_and_the_others_run(changed: GitRepository) -> None:
    changed.commit(
        {
            "tests/test_end.py": "import ctypes, os\n"
            "def test_exit(): os._exit(0)\n"
            "def test_fault(): ctypes.string_at(0)\n"
            "def test_pass(): pass\n"
        }
    )

    done = run(changed, "--target", "tests/test_end.py")

    assert done.returncode == 1
    assert outcomes(changed) == {"test_exit": "error", "test_fault": "error", "test_pass": "passed"}
    assert "while it ran, the process exited with status 0" in done.stdout
    assert "while it ran, the process was ended by signal 11" in done.stdout


def test_tests_that_cannot_be_collected_are_inconclusive(changed: GitRepository) -> None:
    changed.commit({"tests/test_new.py": "import not_there\ndef test_new(): pass\n"})

    done = run(changed)

    assert done.returncode == 4
    assert outcomes(changed)["test_new"] == "not-run"
    reason = "it could not be collected: ModuleNotFoundError: No module named 'not_there'"
    advice = "install it in the environment of the project"
    assert f"1 test not run: {reason}; {advice}\n" in done.stdout


@pytest.mark.parametrize(
    ("conftest", "words"),
    [
        ("raise ValueError('broken')", "ValueError: broken"),
        ("import os; os._exit(0)", "pytest collected no tests, and the process exited with status 0"),
    ],
)
def test_a_conftest_that_fails_is_inconclusive(changed: GitRepository, conftest: str, words: str) -> None:
    changed.commit({"conftest.py": f"{conftest}\n"})

    done = run(changed)

    assert done.returncode == 4
    assert set(outcomes(changed).values()) == {"not-run"}
    assert words in done.stdout


def test_a_folder_whose_conftest_ends_the_collection_is_excluded(changed: GitRepository) -> None:
    hook = "def pytest_collection_modifyitems(items): raise ValueError('no database')\n"
    changed.commit({"bench/conftest.py": hook, "bench/test_speed.py": "def test_speed(): pass\n"})

    done = run(changed)

    assert done.returncode == 4
    assert {name for name, outcome in outcomes(changed).items() if outcome == "not-run"} == {"test_speed"}
    reason = "bench/conftest.py failed, so its folder was left out: ValueError: no database"
    assert f"1 test not run: {reason}\n" in done.stdout
    assert "1 of 1 changed line was run by these tests" in run(changed, base="HEAD~2").stdout


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"pytest.ini": "[pytest]\naddopts = --no-such-option\n"},
            "unrecognized arguments: --no-such-option",
        ),
        (
            {
                "pytest.ini": "[pytest]\naddopts = -p old_plugin\npythonpath = .\n",
                "old_plugin.py": "def pytest_collect_file(path, nothing): pass\n",
            },
            "Plugin 'old_plugin' for hook 'pytest_collect_file': Argument(s) ",
        ),
    ],
)
def test_the_reason_of_pytest_is_the_reason_of_the_run(
    changed: GitRepository, files: dict[str, str], reason: str
) -> None:
    changed.commit(files)

    done = run(changed)

    assert done.returncode == 4
    assert reason in report(changed)["detail"]


def test_a_hook_of_a_missing_plugin_ends_nothing(changed: GitRepository) -> None:
    hook = "def pytest_benchmark_update_machine_info(config, machine_info): pass\n"
    tests = "def test_speed(benchmark): pass\ndef test_size(): pass\n"
    changed.commit({"bench/conftest.py": hook, "bench/test_speed.py": tests})

    done = run(changed)

    assert outcomes(changed)["test_size"] == "passed"
    reason = "the environment has no fixture benchmark; install pytest-benchmark in it"
    assert f"1 test not run: {reason}\n  bench/test_speed.py::test_speed\n" in done.stdout


STATE = """
import pytest
from shop.prices import gross


class TestRates:
    offset = 0

    @pytest.mark.parametrize("case", [1, "offset", 2])
    def test_case(self, case):
        if case == "offset":
            type(self).offset = 1
        else:
            assert gross(100) and self.offset == case - 1
"""
"""A test that a test of the same class prepares, which runs no function of the package."""


def test_a_test_that_needs_an_omitted_test_of_its_file_is_run_after_it(changed: GitRepository) -> None:
    changed.commit({"tests/test_state.py": STATE})
    assert run(changed, base="HEAD~2").returncode == 0
    changed.commit({"shop/prices.py": FILES["shop/prices.py"].replace(GROSS, f"{GROSS} + 0.0")})

    done = run(changed)

    assert "of 19 tests to run\n" in done.stdout
    found = {item["id"].partition("::")[2]: item for item in report(changed)["tests"]}
    assert "TestRates::test_case[offset]" not in found
    needy = found["TestRates::test_case[2]"]
    assert (needy["outcome"], needy["attempts"]) == ("passed", 3)
    assert needy["detail"].startswith("it passes after other tests of its file")
    assert done.returncode == 0


def test_a_cache_folder_that_cannot_be_written_is_one_sentence(
    changed: GitRepository, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    env = {"VIRTUAL_ENV": sys.prefix, "XDG_CACHE_HOME": str(blocked)}

    done = changed.wardround("test", "--base", "HEAD~1", "--target", "tests/test_prices.py", env=env)

    folder = blocked / "wardround" / "test-runs"
    reason = f"{folder} cannot be written (Not a directory); make it writable, or set XDG_CACHE_HOME"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(f"No run can be stored, so that later plans are not smaller: {reason}.\n") == 1
    assert "No run is recorded" not in done.stdout


def test_a_folder_for_the_report_that_cannot_be_written_is_one_sentence(changed: GitRepository) -> None:
    changed.write("artifacts", "")

    done = run(changed)

    assert done.returncode == 2
    name = changed.root / "artifacts/wardround"
    message = f"{name} cannot be written: Not a directory; make room or change its permissions"
    assert done.stderr == f"wardround: {message}\n"


def test_tests_after_the_budget_are_listed(changed: GitRepository) -> None:
    changed.commit({"tests/test_slow.py": "import time\ndef test_slow(): time.sleep(600)\n"})

    done = run(changed, "--target", "tests/test_slow.py", "--target", "tests/test_stock.py", "--budget", "8")

    assert done.returncode == 4
    assert outcomes(changed)["test_slow"] == "not-run"
    assert len(outcomes(changed)) == 4
    assert "tests/test_slow.py::test_slow" in done.stdout


def test_without_an_environment_the_run_is_inconclusive(changed: GitRepository) -> None:
    done = changed.wardround("test", "--base", "HEAD~1", env={"VIRTUAL_ENV": ""})

    assert done.returncode == 4
    assert "has no Python environment; activate one, or create .venv" in done.stdout
    assert set(outcomes(changed).values()) == {"not-run"}


def test_a_run_without_isolation_names_it(changed: GitRepository) -> None:
    done = run(changed, "--sandbox", "none", "--target", "tests/test_prices.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert "isolation: none" in done.stdout
    assert report(changed)["runs"][0]["isolation"] == "none"


def test_a_test_that_failed_runs_until_it_passes(repo: GitRepository) -> None:
    repo.commit({**FILES, "tests/test_wrong.py": "def test_wrong(): assert 0\n"})
    repo.commit({"README.md": "A large shop.\n"})
    assert run(repo, "--target", "all").returncode == 1

    again = run(repo)

    assert again.returncode == 1
    selected = "  selected: it failed in its last run\n"
    assert f"failed tests/test_wrong.py::test_wrong: assert 0\n{selected}" in again.stdout
    assert len(report(repo)["tests"]) == 2


UNITTEST = {
    "shop.py": "def gross(net):\n    return net * 2\n\n\ndef unused():\n    return 1\n",
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "tests/__init__.py": "",
    "tests/test_shop.py": "import unittest\nimport shop\n\n\n"
    "class TestShop(unittest.TestCase):\n"
    "    @classmethod\n    def setUpClass(cls):\n        cls.one = shop.unused()\n\n"
    "    def test_gross(self):\n        self.assertEqual(shop.gross(1), 2)\n\n"
    "    def test_one(self):\n        self.assertEqual(self.one, 1)\n\n"
    "    @unittest.skip('not now')\n    def test_later(self):\n        pass\n",
}


def test_unittest_is_run_and_recorded(repo: GitRepository) -> None:
    repo.commit(UNITTEST)
    repo.commit({"shop.py": UNITTEST["shop.py"].replace("net * 2", "net + net")})

    first, second = run(repo), run(repo)

    assert (first.returncode, first.stderr) == (0, "")
    assert "python -m unittest discover (tests/test_shop.py: import unittest)" in first.stdout
    assert "2 passed, 1 skipped" in first.stdout
    assert "1 of 1 changed line was run" in first.stdout
    repo.commit({"shop.py": UNITTEST["shop.py"].replace("net * 2", "net * 3")})
    third = run(repo)
    assert second.returncode == 0
    assert third.returncode == 1
    assert "failed tests/test_shop.py::TestShop::test_gross" in third.stdout
    assert "TestShop::test_one" not in third.stdout


def test_the_coverage_before_the_change_is_compared_on_request(changed: GitRepository) -> None:
    changed.commit({"shop/stock.py": FILES["shop/stock.py"] + "\n\ndef more():\n    return 2\n"})

    done = run(changed, "--compare-base")

    assert "  shop/stock.py: 3 of 3 lines run before the change, 4 of 5 now\n" in done.stdout
    assert report(changed)["delta"] == [{"path": "shop/stock.py", "base": [3, 3], "head": [4, 5]}]
    assert "test-pytest-base.log" in {
        item.name for item in Path(changed.root, "artifacts/wardround").iterdir()
    }


def test_the_coverage_before_the_change_is_not_known_if_its_tests_could_not_run(
    changed: GitRepository,
) -> None:
    changed.commit({"tests/test_rates.py": "from shop.rates import RATE\n\n\ndef test_rate(): assert RATE\n"})
    changed.commit({"shop/rates.py": "RATE = 1\n"})

    run(changed, "--compare-base", "--target", "tests/test_rates.py")

    assert report(changed)["delta"] == []
    words = "its tests could not all be collected there, as tests/test_rates.py"
    assert f"The coverage before the change is not known: {words}." in report(changed)["notes"]


def test_a_branch_that_tests_take_in_one_way_only_is_listed(changed: GitRepository) -> None:
    more = "\n\ndef more(flag):\n    total = 0\n    if flag:\n        total += 1\n    return total\n"
    changed.commit(
        {
            "shop/stock.py": FILES["shop/stock.py"] + more,
            "tests/test_more.py": "from shop.stock import more\ndef test_more(): assert more(True) == 1\n",
        }
    )

    done = run(changed, "--target", "tests/test_more.py")

    assert (
        "5 of 5 changed lines were run by these tests\n  not all ways taken: shop/stock.py:10\n"
        in done.stdout
    )
    assert report(changed)["lines"][0]["partial"] == [10]


def test_a_test_without_the_socket_that_it_needs_was_not_run(changed: GitRepository) -> None:
    changed.commit({"tests/test_port.py": "import socket\n\n\ndef test_port():\n    socket.socket()\n"})

    done = run(changed, "--target", "tests/test_port.py")

    assert (done.returncode, outcomes(changed)["test_port"]) == (4, "not-run")
    assert "commit loopback = true in [tool.wardround.sandbox]" in done.stdout


def test_a_test_without_the_submodule_that_it_reads_has_the_reason(changed: GitRepository) -> None:
    changed.commit({"tests/test_data.py": "def test_data():\n    open('tests/data/rows.csv')\n"})
    head = changed.git("rev-parse", "HEAD").strip()
    changed.git("update-index", "--add", "--cacheinfo", f"160000,{head},tests/data")
    changed.git("commit", "--quiet", "--message", "data")

    done = run(changed, "--target", "tests/test_data.py")

    assert (done.returncode, outcomes(changed)["test_data"]) == (1, "failed")
    assert "it reads the submodule tests/data" in done.stdout


def test_a_test_that_only_the_recording_breaks_is_not_flaky(changed: GitRepository) -> None:
    text = "import sys\n\n\ndef test_speed():\n    assert sys.gettrace() is None\n"
    changed.commit({"tests/test_speed.py": text})

    done = run(changed, "--target", "tests/test_speed.py")

    assert (done.returncode, outcomes(changed)["test_speed"]) == (0, "passed")
    (test,) = report(changed)["tests"]
    assert test["detail"] == "it passes, and fails only while the functions that it runs are recorded"


def test_the_tests_that_make_another_one_fail_are_found_on_request(changed: GitRepository) -> None:
    changed.commit(
        {
            "tests/test_order.py": "STATE = []\n"
            + "".join(f"def test_{name}(): pass\n" for name in "abc")
            + "def test_first(): STATE.append(1)\n"
            + "".join(f"def test_{name}(): pass\n" for name in "xyz")
            + "def test_second(): assert not STATE\n"
        }
    )

    done = run(changed, "--target", "tests/test_order.py", "--find-order")

    assert done.returncode == 0
    assert outcomes(changed)["test_second"] == "flaky"
    names = ("tests/test_order.py::test_second", "tests/test_order.py::test_first")
    assert f"{names[0]} fails after {names[1]}, and passes alone" in done.stdout
    assert report(changed)["order"] == [{"id": names[0], "after": [names[1]]}]


def test_output_that_is_long_or_binary_is_retained_in_the_log(changed: GitRepository) -> None:
    changed.commit(
        {
            "tests/test_loud.py": "import os, sys\n"
            "def test_long(): sys.stdout.write('x' * 10_000_000); assert 0\n"
            "def test_binary(): os.write(1, bytes(range(256))); assert 0\n"
        }
    )

    done = run(changed, "--target", "tests/test_loud.py")

    assert done.returncode == 1
    assert outcomes(changed) == {"test_long": "failed", "test_binary": "failed"}
    assert len(done.stdout) < 5000
    log = changed.read("artifacts/wardround/test-pytest-1.log")
    assert len(log) > 10_000_000
    assert bytes(range(1, 256)) in log or b"\xff" in log or b"x" * 1000 in log


def test_a_test_that_removes_its_tree_changes_nothing_outside(changed: GitRepository) -> None:
    changed.commit({"tests/test_rm.py": "import shutil\ndef test_rm(): shutil.rmtree('.', True)\n"})
    before = changed.fingerprint()

    done = run(changed, "--target", "tests/test_rm.py", "--target", "tests/test_prices.py")

    assert len(outcomes(changed)) == 5
    assert "passed" in done.stdout
    after = changed.fingerprint()
    assert {path for path in after if not path.startswith("artifacts")} == set(before)


def test_artifacts_are_not_written_through_a_link_of_the_repository(
    changed: GitRepository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    Path(changed.root, "artifacts").symlink_to(outside)
    changed.commit({})

    done = run(changed)

    assert done.returncode == 2
    assert "is a symbolic link inside the repository" in done.stderr
    assert list(outside.iterdir()) == []


def test_a_repository_without_tests_is_inconclusive(repo: GitRepository) -> None:
    repo.commit({"a.py": "A = 1\n"})
    repo.commit({"a.py": "A = 2\n"})

    done = run(repo)

    assert done.returncode == 4
    assert "no tests were found\n" in done.stdout


def test_an_interrupt_ends_the_run_and_keeps_the_output(changed: GitRepository) -> None:
    changed.commit({"tests/test_hang.py": "import time\ndef test_hang(): time.sleep(600)\n"})
    command = [SCRIPTS / "wardround", "test", "--base", "HEAD~1", "--target", "tests/test_hang.py"]
    environ = {**os.environ, "VIRTUAL_ENV": sys.prefix}
    running = subprocess.Popen(command, cwd=changed.root, env=environ, stdout=subprocess.PIPE)
    log = Path(changed.root, "artifacts/wardround/test-pytest-1.log")
    while not log.exists():
        time.sleep(0.1)

    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)

    assert running.returncode == 130
    assert log.exists()
    assert not Path(changed.root, "artifacts/wardround/test-report.json").exists()


TOKEN = "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc"
SECRET_TESTS = f"""\
import pytest
from shop.prices import gross


@pytest.mark.parametrize("key", [{TOKEN!r}, {TOKEN[::-1] + "9x"!r}, "plain"])
def test_a_key(key):
    assert gross(100) == (0 if key == {TOKEN!r} else 120)
"""


def test_a_secret_in_the_id_of_a_test_is_nowhere(changed: GitRepository, isolated_folders: Path) -> None:
    changed.commit({"tests/test_key.py": SECRET_TESTS})

    done = run(changed, "--format", "json", f"--format=junit={isolated_folders / 'junit.xml'}")

    ids = [item["id"] for item in json.loads(done.stdout)["tests"] if "test_key" in item["id"]]
    assert sorted(ids) == [f"tests/test_key.py::test_a_key[{name}" for name in ("***]", "***] (2)", "plain]")]
    retained = [
        path for location in (isolated_folders, changed.root / ".git") for path in location.rglob("*")
    ]
    holding = [path for path in retained if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert [path for path in holding if "objects" not in path.parts] == []
    assert TOKEN not in done.stdout + done.stderr
    again = run(changed, "--format", "json")
    assert {item["id"] for item in json.loads(again.stdout)["tests"]} >= set(ids)
