"""Trainings started from a page: detached, watched, cancelled, killed and resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from tests.conftest import GitRepository
from tests.installed import require_installed
from wardround.errors import TrainingError, UsageError

require_installed("torch", "peft")

from tests.lab.training import tiny  # noqa: E402
from wardround_lab.dashboard.actions import training_start, training_supervisor  # noqa: E402
from wardround_lab.dashboard.actions.training_start import (  # noqa: E402
    cancel_training,
    command_line,
    resume_training,
    start_training,
)
from wardround_lab.dashboard.process_record import (  # noqa: E402
    LOG_FILE,
    TrainingProcess,
    TrainingRequest,
    own_identity,
    read_process,
    write_process,
)
from wardround_lab.dashboard.stores import Stores  # noqa: E402
from wardround_lab.dashboard.views.recipes import recipe_rows  # noqa: E402
from wardround_lab.dashboard.views.training_runs import curves, log_lines, run_named, training_row  # noqa: E402
from wardround_lab.training.run_directory import CHECKPOINT_FILE, read_steps  # noqa: E402

_WAIT_S = 120
RECIPE = "models/recipe.yml"


def stores_of(folder: Path) -> Stores:
    return Stores(
        repository=folder, records=folder / "records.sqlite", judgements=folder / "judgements",
        data=folder / "data", training=folder / "runs", experiments=None, runs=folder / "artifacts",
    )  # fmt: skip


@pytest.fixture
def stores(repo: GitRepository) -> Iterator[Stores]:
    yield (found := stores_of(repo.root))
    for file in found.training.glob("*/training-process.json"):
        kill(read_process(file.parent))


def kill(process: TrainingProcess | None) -> None:
    """Kill the two processes of a record, by their identities."""
    if process is not None:
        for identity in filter(None, (process.supervisor, process.training)):
            assert identity.number != os.getpid()
            identity.send(signal.SIGKILL)


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _WAIT_S
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def add_recipe(stores: Stores, **training: object) -> None:
    folder = stores.repository / "models"
    folder.mkdir()
    tiny.recipe(folder, tiny.base(folder), **training)


def test_a_training_is_killed_resumed_and_cancelled(stores: Stores) -> None:
    add_recipe(stores, steps=400, checkpoint=5, validate=100)
    request = TrainingRequest(recipe=RECIPE, name="first", only_train=True)
    assert command_line(stores, request) == f"wardround adapters train {RECIPE} --out runs/first --only-train"
    folder = start_training(stores, request, {**os.environ, "WARDROUND_DASHBOARD_PASSWORD": "secret"})
    process = read_process(folder)
    assert process is not None
    assert os.getsid(process.supervisor.number) == process.supervisor.number != os.getsid(0)
    assert training_row(stores.training, folder).state.name == "running"

    wait_until((folder / CHECKPOINT_FILE).exists)
    started = read_process(folder)
    assert started is not None
    assert started.training is not None
    assert "PASSWORD" not in Path(f"/proc/{started.training.number}/environ").read_text()
    with pytest.raises(UsageError, match="first: this training is running; cancel it first"):
        resume_training(stores, folder)
    kill(started)
    wait_until(lambda: not started.is_running)
    row = training_row(stores.training, folder)
    assert (row.state.name, row.can_resume) == ("interrupted", True)
    assert row.state.reason == "its process is gone: killed, or the machine was restarted"

    done = row.steps
    resume_training(stores, folder)
    wait_until(lambda: training_row(stores.training, folder).steps > done + 5)
    cancel_training(folder)
    wait_until(lambda: training_row(stores.training, folder).state.name != "running")
    row = training_row(stores.training, folder)
    assert row.state.name == "interrupted"
    assert row.state.reason.startswith("cancelled at ")
    assert 5 < row.steps < 400
    assert "wardround: interrupted; the same command goes on" in log_lines(folder)[-1]
    steps = [step.step for step in read_steps(folder)]
    assert steps == list(range(1, len(steps) + 1))
    assert [curve.label for curve in curves(folder)][:1] == ["training loss"]
    with pytest.raises(
        UsageError, match="no process of this training is running; there is nothing to cancel"
    ):
        cancel_training(folder)


def test_a_training_that_fails_says_why(stores: Stores) -> None:
    folder = stores.training / "broken"
    folder.mkdir(parents=True)
    supervise(folder, "import sys; print('step 1'); sys.exit('wardround: the records are gone; mine them')")
    row = training_row(stores.training, folder)
    assert (row.state.name, row.can_resume) == ("failed", True)
    assert row.state.reason == "step 1 wardround: the records are gone; mine them"
    assert log_lines(folder) == ["step 1", "wardround: the records are gone; mine them"]


@pytest.mark.parametrize(
    ("code", "state", "reason"),
    [
        ("", "ended", "at 20"),
        ("import os; os.kill(os.getpid(), 9)", "interrupted", "killed at 20"),
        ("import sys; sys.exit(130)", "interrupted", "cancelled at 20"),
        ("import sys; sys.exit(5)", "failed", "status 5, and its log is empty"),
    ],
)
def test_the_state_follows_from_the_status(stores: Stores, code: str, state: str, reason: str) -> None:
    folder = stores.training / "x"
    folder.mkdir(parents=True)
    supervise(folder, code)
    found = training_row(stores.training, folder).state
    assert found.name == state
    assert found.reason.startswith(reason)


def supervise(folder: Path, code: str, program: str = sys.executable) -> None:
    request = msgspec.json.encode(TrainingRequest(recipe=RECIPE, name=folder.name)).decode()
    argv = [sys.executable, "-m", training_supervisor.__name__, str(folder), request, program, "-c", code]
    assert subprocess.run(argv, start_new_session=True).returncode == 0


def test_a_program_that_cannot_be_started_is_reported(stores: Stores) -> None:
    folder = stores.training / "x"
    folder.mkdir(parents=True)
    supervise(folder, "", program="/nowhere/python")
    found = training_row(stores.training, folder).state
    assert (found.name, found.reason) == ("failed", "/nowhere/python: No such file or directory")


def test_a_process_that_got_the_number_of_an_old_one_is_left_alone(stores: Stores) -> None:
    folder = stores.training / "x"
    folder.mkdir(parents=True)
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    own = own_identity()
    stale = type(own)(other.pid, own.started, own.boot)
    request = TrainingRequest(recipe=RECIPE, name="x")
    write_process(folder, TrainingProcess(request=request, began="", supervisor=stale, training=stale))
    try:
        assert training_row(stores.training, folder).state.name == "interrupted"
        with pytest.raises(UsageError, match="nothing to cancel"):
            cancel_training(folder)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_init_and_whole_groups_are_never_signalled(monkeypatch: pytest.MonkeyPatch) -> None:
    own = own_identity()
    monkeypatch.setattr(signal, "pidfd_send_signal", lambda *arguments: pytest.fail("it was signalled"))
    monkeypatch.setattr(type(own), "is_alive", True)
    for number in (1, 0, -1, -own.number):
        assert not type(own)(number, own.started, own.boot).send(signal.SIGCONT)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"recipe": "../recipe.yml"}, "neither a recipe of this repository nor one of wardround's"),
        ({"recipe": "/etc/passwd"}, "neither a recipe of this repository"),
        ({"recipe": "--hub"}, "neither a recipe of this repository"),
        ({"name": "../x"}, "a run has a name of letters, digits, dots and dashes"),
        ({"name": "--out"}, "a run has a name of letters"),
        ({"name": "taken"}, "taken: this run exists; resume it, or choose another name"),
        ({"recipe": "shipped: tests"}, "shipped: tests: .* is missing; mine it"),
    ],
)
def test_only_listed_recipes_are_started_in_new_folders(
    stores: Stores, changes: dict[str, str], complaint: str
) -> None:
    folder = stores.repository / "models"
    folder.mkdir()
    tiny.records(folder, tiny.choices(), held=("own/r3",))
    tiny.recipe(folder, Path("minilm"))
    (stores.repository.parent / "recipe.yml").write_text((folder / "recipe.yml").read_text())
    (stores.training / "taken").mkdir(parents=True)
    request = TrainingRequest(**({"recipe": RECIPE, "name": "new"} | changes))
    with pytest.raises(UsageError, match=complaint):
        start_training(stores, request)
    assert os.listdir(stores.training) == ["taken"]


def test_without_the_extra_nothing_is_started(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = stores.repository / "models"
    folder.mkdir()
    tiny.recipe(folder, Path("minilm"))

    def fail() -> None:
        raise UsageError("this needs torch; pip install 'wardround[train]'")

    monkeypatch.setattr(training_start, "require_extra", fail)
    with pytest.raises(UsageError, match="this needs torch; pip install"):
        start_training(stores, TrainingRequest(recipe=RECIPE, name="new"))
    assert not stores.training.exists()


def test_recipes_are_listed_with_what_a_training_would_stop_at(stores: Stores) -> None:
    folder = stores.repository / "models"
    folder.mkdir()
    tiny.recipe(folder, Path("minilm"))
    (folder / "broken-recipe.yml").write_text("name: [\n")
    (folder / "odd-recipe.yml").write_text("name: x\ndata: {records: [a]}\nkind: none\n")
    (folder / "recipe-of-soup.yml").write_text("water: 1 l\n")
    rows = {row.name: row for row in recipe_rows(stores) if not row.name.startswith("shipped: ")}
    assert list(rows) == ["models/broken-recipe.yml", "models/odd-recipe.yml", RECIPE]
    assert (rows[RECIPE].model, rows[RECIPE].kind, rows[RECIPE].steps, rows[RECIPE].trouble) == (
        "tiny",
        "choice",
        6,
        "",
    )
    assert "not valid YAML" in rows["models/broken-recipe.yml"].trouble
    assert "kind 'none' is unknown" in rows["models/odd-recipe.yml"].trouble
    tiny.write_audit(folder / "records.jsonl", passed=False)
    (row,) = [row for row in recipe_rows(stores) if row.name == RECIPE]
    assert "failed its audit" in row.trouble


def test_only_run_directories_can_be_named(stores: Stores) -> None:
    (stores.training / "empty").mkdir(parents=True)
    (stores.repository / "outside").mkdir()
    (stores.repository / "outside" / "run.jsonl").write_text("")
    (stores.training / "link").symlink_to(stores.repository / "outside")
    for name in ("empty", "link", "../outside", "", ".", "/etc"):
        with pytest.raises(UsageError, match=r"no training in .*; choose one of the list"):
            run_named(stores.training, name)


def test_a_training_of_a_terminal_cannot_be_cancelled_here(stores: Stores) -> None:
    folder = stores.training / "x"
    folder.mkdir(parents=True)
    (folder / "run.jsonl").write_text('{"step": 1, "loss": 0.5, "rate": 0.1, "seconds": 1.0}\n{"step"')
    row = training_row(stores.training, folder)
    assert (row.state.name, row.steps, row.loss, row.can_resume) == ("unknown", 1, 0.5, False)
    for action in (lambda: cancel_training(folder), lambda: resume_training(stores, folder)):
        with pytest.raises(UsageError, match="x: this training was not started from the dashboard"):
            action()


def test_a_second_supervisor_of_a_run_ends_at_once(stores: Stores) -> None:
    folder = stores.training / "x"
    folder.mkdir(parents=True)
    argv = [sys.executable, "-m", training_supervisor.__name__, str(folder), '{"recipe": "r", "name": "x"}']
    first = subprocess.Popen(
        [*argv, sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True
    )
    wait_until((folder / LOG_FILE).exists)
    second = subprocess.run([*argv, sys.executable, "-c", ""], start_new_session=True)
    kill(read_process(folder))
    first.wait()
    assert second.returncode == training_supervisor.ALREADY_RUNNING


def test_a_folder_that_cannot_be_written_is_one_sentence(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stores.repository / "models"
    folder.mkdir()
    tiny.recipe(folder, Path("minilm"))
    stores.training.write_text("a file in its place")
    with pytest.raises(
        (UsageError, TrainingError), match=r"choose a writable folder with --training|this run exists"
    ):
        start_training(stores, TrainingRequest(recipe=RECIPE, name="new"))
