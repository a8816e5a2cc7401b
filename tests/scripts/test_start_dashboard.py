"""The script that starts the dashboard."""

from __future__ import annotations

from pathlib import Path

from tests.scripts.stubbed_checkout import make_checkout, write_command

SCRIPT = "start_dashboard.sh"
_PROGRAM = 'echo "$0" "$@"'


def test_the_environment_of_the_checkout_is_used_and_arguments_are_passed_on(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path, {"wardround": "exit 1"})
    program = checkout.root / ".venv-spark/bin/wardround"
    write_command(program, _PROGRAM)
    done = checkout.run(SCRIPT, "--port", "0", "--data", "my data")
    assert (done.returncode, done.stdout) == (0, f"{program} dashboard --port 0 --data my data\n")


def test_otherwise_it_is_the_one_on_path(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path, {"wardround": _PROGRAM})
    assert checkout.run(SCRIPT).stdout.endswith("/wardround dashboard\n")


def test_without_an_environment_it_names_the_script_that_makes_one(tmp_path: Path) -> None:
    done = make_checkout(tmp_path).run(SCRIPT)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("and none is on PATH; run scripts/setup_spark_env.sh\n")


def test_an_environment_that_does_not_run_is_reported(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path)
    write_command(checkout.root / ".venv-spark/bin/wardround", "exit 3")
    done = checkout.run(SCRIPT)
    assert done.returncode == 1
    assert "does not run; run scripts/setup_spark_env.sh again" in done.stderr


def test_the_status_is_that_of_the_dashboard(tmp_path: Path) -> None:
    body = 'case "$*" in *--help*) exit 0 ;; esac; exit 2'
    assert make_checkout(tmp_path, {"wardround": body}).run(SCRIPT, "--host", "0.0.0.0").returncode == 2
