"""From a team's own repository to its own adapter, with a tiny real base."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.installed import require_installed

require_installed("torch", "peft", "matplotlib")

from tests.lab.training import teams, tiny  # noqa: E402
from wardround import host  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.cli.process import Interrupted  # noqa: E402
from wardround.inference.metadata import PromotionState, read_metadata  # noqa: E402
from wardround.inference.registry import ModelRegistry  # noqa: E402
from wardround.inference.runtime import detect_runtime  # noqa: E402
from wardround.training_tasks import Task  # noqa: E402
from wardround_lab.training import repository_adapter  # noqa: E402
from wardround_lab.training.recipe import DataPart, LoraPart, Recipe, TrainingPart, read_recipe  # noqa: E402

STAGES = ("1/1", "audit", "training 1", "training 2", "measuring")
"""The first message of each stage."""


def own_training(
    repository: Path, folder: Path, progress: Callable[[str], None]
) -> repository_adapter.RepositoryAdapterTraining:
    tasks = [task for task in host.load_tasks() if isinstance(task, Task) and task.name == "test-body"]
    locations = repository_adapter.Files()
    return repository_adapter.RepositoryAdapterTraining(
        repository, folder, tasks, host.load().specialists, locations, progress
    )


def recipe_for(base: Path) -> Recipe:
    return Recipe(
        name="tests", specialist="tests", task="test-body", base=str(base), window=16,
        data=DataPart(records=("any",), train=("any",)), lora=LoraPart(rank=16, alpha=32, layers=(1, 2, 3)),
        training=TrainingPart(steps=500, rate=0.01, validate=10, temperature=0.1, checkpoint=10),
    )  # fmt: skip


def interrupt_at(what: str) -> Callable[[str], None]:
    def say(text: str) -> None:
        if what in text:
            raise Interrupted(15)

    return say


def test_an_interrupted_run_still_builds_the_adapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    team, base = teams.repository(tmp_path / "team", 64), tiny.base(tmp_path)
    monkeypatch.setattr(repository_adapter, "shipped_recipe", lambda task: recipe_for(base))
    monkeypatch.chdir(team.root)
    folder = Path("wardround-runs") / "from-history"
    repository_adapter.make_private(folder.parent, ours=True)
    for stage in STAGES:
        with pytest.raises(Interrupted):
            own_training(team.root, folder, interrupt_at(stage)).run(str(base), 60, 0.0)
    (team.root / "later.py").write_text("")
    team.git("add", "later.py")
    team.git("commit", "--quiet", "-m", "work went on")

    arguments = ["adapters", "train", "--from-history", ".", "--task", "test-body", "--steps", "60"]
    assert invoke([*arguments, "--base-model", str(base)]) == 0
    reported = capfd.readouterr().out
    model = team.root / folder / "test-body" / "seed-0" / "model"
    metadata = read_metadata(model)
    assert (metadata.name, metadata.scope, metadata.state) == ("tests", "team", PromotionState.RANK), (
        metadata.reasons
    )
    assert metadata.evaluation is not None
    assert set(metadata.evaluation.drawn) == {"weeks", "files"}
    assert metadata.evaluation.leaks == 0
    assert metadata.calibration.model == metadata.model.sha256
    assert "test-body: rank: learnt from" in reported
    assert (
        "No review and no command asks tests: no installed specialist has it among its `models`" in reported
    )
    assert (
        "wardround adapters export wardround-runs/from-history/test-body/seed-0 --merged --out DIR"
        in reported
    )
    assert "model-folders = [" not in reported
    assert "**Only for team.**" in (model / "card.md").read_text()
    shelf = ModelRegistry.of([model, model.parent / "base"])
    assert shelf.embedder("tests", detect_runtime("cpu")).embed(["a_xi = 1"]).shape[0] == 1
    assert team.git("status", "--short", "--untracked-files=all") == ""

    run_folder = str(model.parent.relative_to(team.root))
    assert invoke(["adapters", "export", run_folder, "--merged", "--out", "alone"]) == 0
    assert invoke(["adapters", "verify", "alone"]) == 0

    before = metadata.model.sha256
    assert invoke([*arguments, "--base-model", str(base)]) == 0
    assert read_metadata(model).model.sha256 == before
    assert invoke([*arguments[:-1], "7", "--base-model", str(base)]) == 2
    assert "it contains a run with other tasks or options" in capfd.readouterr().err


def test_too_little_history_is_reported_with_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    team = teams.repository(tmp_path / "team", 3)
    monkeypatch.chdir(team.root)
    assert invoke(["adapters", "train", "--from-history", ".", "--specialist", "tests"]) == 2
    assert capsys.readouterr().err.endswith(
        "wardround: test-body: too little history: it gives 18 questions; 100 to learn from and 40 later "
        "ones, in other files, are needed\n"
    )
    assert team.git("status", "--short") == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give one of RECIPE, --from-history REPO and --from-judgements DIR"),
        (
            ["recipe.yml", "--from-history", "."],
            "give one of RECIPE, --from-history REPO and --from-judgements DIR",
        ),
        (["recipe.yml", "--steps", "5"], "--steps goes with --from-history only; leave it out"),
        (["--from-history", ".", "--seed", "0"], "--seed goes with RECIPE only; leave it out"),
        (["--from-history", ".", "--task", "guess"], "--task guess: not a known name; choose from "),
        (["--from-history", "none"], "none"),
    ],
)
def test_an_error_is_one_sentence_with_status_2(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["adapters", "train", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_directory_of_the_user_is_not_ignored(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "work.py").write_text("")
    repository_adapter.make_private(tmp_path / "theirs", ours=False)
    assert not (tmp_path / "theirs" / ".gitignore").exists()
    repository_adapter.make_private(tmp_path / "new", ours=False)
    assert (tmp_path / "new" / ".gitignore").read_text() == "*\n"


def test_the_recipe_that_comes_with_wardround_is_the_one_of_the_task() -> None:
    assert repository_adapter.shipped_recipe("no-such-task") is None
    found = repository_adapter.shipped_recipe("test-body")
    assert found is not None
    assert (found.name, found.base) == ("tests", "minilm")


def test_a_recipe_of_one_repository_needs_a_day(tmp_path: Path) -> None:
    from wardround.errors import TrainingError

    text = "{name: a, specialist: tests, task: b, data: {records: [r], scope: {repository: a/b}%s}}"
    for more, message in (
        ("", "scope needs until and since"),
        (", until: 2024-01-01, since: 2024-01-01, train: [a/b]", "scope excludes train"),
        (", until: 2024-01-02, since: 2024-01-01", "is before until"),
    ):
        (tmp_path / "recipe.yml").write_text(text % more)
        with pytest.raises(TrainingError, match=message):
            read_recipe(tmp_path / "recipe.yml")
    (tmp_path / "recipe.yml").write_text(text % ", until: 2024-01-01, since: 2024-01-01")
    assert read_recipe(tmp_path / "recipe.yml").data.trained == ("a/b",)
