"""``wardround adapters train``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.messages import echo_err
from wardround.cli.process import Interrupted
from wardround.cli.run import emit, progress_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.training_tasks import Task
    from wardround_lab.training.adapter_pipeline import TrainingOutcome
    from wardround_lab.training.packaging import Shipped
    from wardround_lab.training.recipe_kind import RunSummary

_RUNS = "wardround-runs"
_SECONDS_BETWEEN_LINES = 60.0
_REASONS = 3
"""Reasons against a model that are printed; the card has all."""


@click.command("train")
@click.argument("recipe", required=False, type=click.Path(path_type=Path), metavar="[RECIPE|NAME]")
@click.option("--from-history", "repository", type=click.Path(path_type=Path), metavar="REPO",
              help="Instead of RECIPE: train and evaluate adapters for this repository only.")  # fmt: skip
@click.option("--from-clones", "clones", type=click.Path(path_type=Path), metavar="DIR",
              help="With RECIPE: mine its records from clones in DIR; promote the model. With "
              "--from-judgements: review the judged commits in them.")  # fmt: skip
@click.option("--from-judgements", "judgements", type=click.Path(path_type=Path), metavar="DIR",
              help="Instead of RECIPE: train a judge of findings on the judgements in DIR.")  # fmt: skip
@click.option("--task", "tasks", multiple=True, metavar="NAME",
              help="With --from-history: this task (default: all). Repeatable.")  # fmt: skip
@click.option("--specialist", "specialists", multiple=True, metavar="NAME",
              help="With --from-history: the tasks of this specialist. Repeatable.")  # fmt: skip
@click.option("--steps", type=click.IntRange(min=1), metavar="N",
              help="With --from-history: training steps (default: by the number of queries).")  # fmt: skip
@click.option("--hours", type=click.FloatRange(min=0, min_open=True), metavar="H",
              help="With --from-history: time limit in hours for all trainings together.")  # fmt: skip
@click.option("--base-model", default="minilm", show_default=True, metavar="NAME",
              help="With --from-history: base to train on, by name or description file.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR",
              help="Output folder (default: wardround-runs/NAME-SEED).")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed (default: the recipe's).")
@click.option("--base", type=click.Path(path_type=Path), metavar="DIR",
              help="Exported frozen base (default: the one shipped with wardround).")  # fmt: skip
@click.option("--base-folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Folder with the files of the base.")  # fmt: skip
@click.option("--hub", is_flag=True, help="Download the base if it is not available locally.")
@click.option("--only-train", is_flag=True, help="Skip merge, export and quantise.")
def command(
    recipe: Path | None, repository: Path | None, judgements: Path | None, out: Path | None, **options: Any
) -> int:
    """Train the adapter that RECIPE describes, then merge, export and quantise it.

    RECIPE is the file of a recipe, or the NAME of a model as `wardround adapters list` prints it.

    The records must have passed `wardround data audit`. After an interruption the same command resumes from
    the last checkpoint. The model is written to DIR/model and stays a shadow until it is evaluated and
    promoted.

    With --from-clones one command rebuilds a model of choices: the records are mined from clones of the
    repositories that RECIPE names (DIR/owner/name, DIR/owner+name or DIR/name) and audited, the adapter is
    trained with two seeds, exported, measured, calibrated and promoted.

    With --from-history one command does everything: queries are mined from REPO's own history and audited,
    adapters are trained on the older part and evaluated on later commits in other files, and the promotion
    criteria decide the state of each.

    With --from-judgements the judge of findings learns from verdicts of `wardround eval judge`. It is written
    to the file --out (default: wardround-judge.json) if it predicts verdicts that it was not fitted on better
    than the judge that comes with wardround.
    """
    from wardround_lab.training.dependencies import MEASURING, require_extra

    ways = {"RECIPE": recipe, "--from-history": repository, "--from-judgements": judgements}
    if sum(way is not None for way in ways.values()) != 1:
        raise UsageError("give one of RECIPE, --from-history REPO and --from-judgements DIR")
    way = next(name for name, value in ways.items() if value is not None)
    for owner, names in _OPTIONS.items():
        _refuse(options, tuple(name for name in names if name not in _OPTIONS[way]), owner)
    if judgements is not None:
        from wardround.cli.adapters.train_judge import train_judge

        require_extra(("numpy",))
        return train_judge(judgements, options["clones"], out or Path("wardround-judge.json"))
    require_extra()
    if repository is not None:
        require_extra(MEASURING)
        return _from_history(repository, out, options)
    assert recipe is not None
    recipe = _recipe_file(recipe)
    if options["clones"] is not None:
        require_extra(MEASURING)
        return _from_clones(recipe, out, options)
    from wardround_lab.training.recipe_kind import Files
    from wardround_lab.training.recipe_registry import kind_of
    from wardround_lab.training.repository_adapter import make_private

    kind = kind_of(recipe)
    read = kind.read(recipe)
    seed = read.training.seed if options["seed"] is None else options["seed"]
    folder = out or Path(_RUNS) / f"{read.name}-{seed}"
    if out is None:
        make_private(Path(_RUNS), ours=True)
    files = Files(options["base"], options["base_folder"], options["hub"])
    with _resumable(folder), humanize_duration() as progress:
        run = kind.train(recipe, folder, options["seed"], files, progress)
        shipped = None if options["only_train"] else kind.finish(recipe, folder, files, progress)
    emit(_told(run, kind.metric, folder, shipped))
    return 0


_SPELT = {"tasks": "task", "specialists": "specialist", "clones": "from-clones"}
_OPTIONS = {
    "--from-history": ("tasks", "specialists", "steps", "hours"),
    "RECIPE": ("seed", "only_train", "clones"),
    "--from-judgements": ("clones",),
}
"""The options that go with one way of training only."""


def _recipe_file(recipe: Path) -> Path:
    """Return the file of a recipe, which may be given as the name of a model.

    Raises:
        UsageError: it is neither a file nor the name of a model with a recipe.
    """
    from wardround.inference.registry import default_registry

    if recipe.is_file():
        return recipe
    models = {one.name: one for one in default_registry(()).found}
    named = models.get(str(recipe))
    if named is not None and named.recipe.is_file():
        return named.recipe
    if named is not None:
        raise UsageError(f"{recipe}: this model is shipped as it is and has no recipe; pass the file of one")
    known = ", ".join(sorted(name for name, one in models.items() if one.recipe.is_file()))
    raise UsageError(f"{recipe}: it is neither the file of a recipe nor a model with one: {known}")


def _refuse(options: dict[str, Any], names: tuple[str, ...], owner: str) -> None:
    """Reject options of the other mode."""
    for name in names:
        given = options[name]
        if given is not None and given is not False and given != ():
            spelt = _SPELT.get(name, name).replace("_", "-")
            raise UsageError(f"--{spelt} goes with {owner} only; leave it out")


@contextmanager
def _resumable(folder: Path) -> Iterator[None]:
    try:
        yield
    except Interrupted:
        echo_err(f"wardround: interrupted; the same command goes on from what is done in {folder}")
        raise


# --- from clones of the repositories that a recipe names


def _from_clones(recipe: Path, out: Path | None, options: dict[str, Any]) -> int:
    from wardround import host
    from wardround_lab.training.recipe import read_recipe
    from wardround_lab.training.recipe_kind import Files
    from wardround_lab.training.recipe_rebuild import RecipeRebuild
    from wardround_lab.training.repository_adapter import make_private

    for name in ("seed", "only_train"):
        if options[name] not in (None, False):
            raise UsageError(f"--{name.replace('_', '-')} does not go with --from-clones; leave it out")
    make_private(out or Path(_RUNS), ours=out is None)
    folder = out or Path(_RUNS) / read_recipe(recipe).name
    places = Files(options["base"], options["base_folder"], options["hub"])
    with _resumable(folder), humanize_duration() as progress:
        tasks, specialists = _tasks((), ()), host.load().specialists
        rebuild = RecipeRebuild(recipe, options["clones"], folder, tasks, specialists, places, progress)
        outcome = rebuild.run()
    emit("\n".join(_outcome(outcome)) + "\n")
    return 0


# --- from a repository's own history


def _from_history(repository: Path, out: Path | None, options: dict[str, Any]) -> int:
    from wardround import host
    from wardround_lab.training.recipe_kind import Files
    from wardround_lab.training.repository_adapter import RepositoryAdapterTraining, make_private

    tasks = _tasks(options["tasks"], options["specialists"])
    make_private(out or Path(_RUNS), ours=out is None)
    folder = out or Path(_RUNS) / "from-history"
    named = options["base_model"]
    base = str(Path(named).resolve()) if named.endswith((".yml", ".yaml")) else named
    with _resumable(folder), humanize_duration() as progress:
        places = Files(options["base"], options["base_folder"], options["hub"])
        specialists = host.load().specialists
        run = RepositoryAdapterTraining(repository, folder, tasks, specialists, places, progress)
        outcomes = run.run(base, options["steps"] or 0, options["hours"] or 0.0)
    made = [one for one in outcomes if one.metadata is not None]
    if not made:
        raise UsageError("\n".join(note for one in outcomes for note in one.notes))
    emit("\n".join(line for one in outcomes for line in _outcome(one)) + "\n")
    emit("\n".join(_advice(made, repository)) + "\n")
    return 0


def _tasks(names: tuple[str, ...], specialists: tuple[str, ...]) -> list[Task]:
    """Return the requested tasks, including those of requested specialists; all by default."""
    from wardround import host
    from wardround.training_tasks import Task

    known = [task for task in host.load_tasks() if isinstance(task, Task)]
    _require_known("--task", names, {task.name for task in known})
    _require_known("--specialist", specialists, {task.specialist for task in known})
    if not names and not specialists:
        return known
    return [task for task in known if task.name in names or task.specialist in specialists]


def _require_known(option: str, given: tuple[str, ...], known: set[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"{option} {name}: not a known name; choose from {', '.join(sorted(known))}")


def _outcome(one: TrainingOutcome) -> Iterator[str]:
    """Summarise the result of one task."""
    if one.metadata is None:
        yield from one.notes
        return
    known, measured = one.metadata, one.metadata.evaluation
    where = " in other files" if measured is not None and "files" in measured.drawn else ""
    asked = "" if measured is None else f", measured on {measured.items} later ones{where}"
    learnt = 0 if known.data is None else known.data.items
    scope = known.scope or "the recipe's repositories"
    yield f"{one.task}: {known.state.value}: learnt from {learnt} questions of {scope}{asked}"
    yield from (f"  - {reason}" for reason in known.reasons[:_REASONS])
    if len(known.reasons) > _REASONS:
        yield f"  - and {len(known.reasons) - _REASONS} reasons more, on its card"
    if not known.reasons:
        later = f"later commits of {known.scope}" if known.scope else "repositories that were not trained on"
        yield f"  - It beats what needs no model, and the frozen base, on {later}."
    yield from (f"  - {note}" for note in one.notes)
    yield f"  {one.folder}: the model, with card.md; the recipe beside the trainings repeats it"


def _advice(made: list[TrainingOutcome], repository: Path) -> Iterator[str]:
    """Describe how to use the models that were promoted above shadow."""
    from wardround.inference.locations import package_folder
    from wardround.inference.metadata import PromotionState
    from wardround_lab.training.promote import asked_by

    earned = [
        (one, one.metadata)
        for one in made
        if one.metadata and one.metadata.state is not PromotionState.SHADOW
    ]
    if not earned:
        yield (
            "Nothing to configure: a model in shadow is seen by no review, and would only put aside the one "
            "of its name that comes with wardround."
        )
        return
    asked = [one for one, metadata in earned if asked_by(metadata)]
    for one, metadata in earned:
        if one not in asked:
            yield from _unasked(one, metadata.name)
    own = package_folder()
    folders = [one.folder for one in asked]
    folders += [one.base for one in asked if one.base is not None and own not in one.base.parents]
    root = _root_of(repository.resolve())
    told = dict.fromkeys(_seen_from(folder.resolve(), root) for folder in folders)
    if told:
        yield "To use it in reviews of this repository, write in pyproject.toml (git ignores that folder;"
        yield "copy it to another one to share it):"
        yield "[tool.wardround]"
        yield f"model-folders = [{', '.join(json.dumps(folder) for folder in told)}]"


def _unasked(one: TrainingOutcome, name: str) -> Iterator[str]:
    """Describe how to use a model that no installed specialist requests."""
    yield f"No review and no command asks {name}: no installed specialist has it among its `models`, so there"
    yield "is nothing to configure. Checks of a plugin of your own may: name it in its specialist's `models`"
    yield f"and {one.folder} in model-folders. For other programs, one ONNX file with its tokenizer:"
    yield f"  wardround adapters export {one.folder.parent} --merged --out DIR"


def _root_of(place: Path) -> Path:
    return next((folder for folder in (place, *place.parents) if (folder / ".git").exists()), place)


def _seen_from(folder: Path, root: Path) -> str:
    return folder.relative_to(root).as_posix() if folder.is_relative_to(root) else str(folder)


# --- from a recipe


def _told(run: RunSummary, metric: str, folder: Path, shipped: Shipped | None) -> str:
    best = "" if run.best is None else f", {metric} {run.best:.3f} on validation at step {run.kept}"
    lines = [f"{run.name}: {run.steps} steps in {run.seconds / 60:.1f} minutes, seed {run.seed}{best}"]
    if shipped is None:
        lines.append(f"{folder}: trained; `wardround adapters merge`, `export` and `quantise` make the model")
    else:
        lines += parity_lines(shipped)
    return "\n".join(lines) + "\n"


def parity_lines(shipped: Shipped) -> list[str]:
    """Summarise the steps of a training and where the model was written."""
    metadata = shipped.metadata
    lines = [
        f"  {one.step:<10} largest difference {one.largest:.2g}, correlation of scores {one.correlation:.5f}"
        for one in metadata.parity
    ]
    size = (metadata.model.bytes + (metadata.shares.bytes if metadata.shares else 0)) / 1e6
    common = f", {len(metadata.shared)} tensors shared" if metadata.shared else ""
    return [*lines, f"{shipped.folder}: {size:.1f} MB{common}, state {metadata.state.value}"]


@contextmanager
def humanize_duration() -> Iterator[Callable[[str], None]]:
    """Show progress on one terminal line; without a terminal, log one line per minute."""
    with progress_line() as show:
        if sys.stderr.isatty():
            yield show
            return
        said = [-_SECONDS_BETWEEN_LINES]

        def log(text: str) -> None:
            now = time.monotonic()
            if now - said[0] >= _SECONDS_BETWEEN_LINES:
                said[0] = now
                echo_err(text)

        said[0] = time.monotonic() - _SECONDS_BETWEEN_LINES
        yield log
