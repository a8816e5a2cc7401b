from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.messages import echo_err
from wardround.cli.process import Interrupted
from wardround.cli.run import emit, progress_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.inference.metadata import Metadata, Parity
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

    With --from-history one command runs all steps: queries are mined from REPO's own history and audited,
    adapters are trained on the older part and evaluated on later commits in other files, and the promotion
    criteria decide the state of each.

    With --from-judgements the judge of findings learns from verdicts of `wardround eval judge`. It is written
    to the file --out (default: wardround-judge.json) if it predicts unseen verdicts better than the judge
    that ships with wardround.
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
    emit(_describe_run(run, kind.metric, folder, shipped))
    return 0


_SPELT = {"tasks": "task", "specialists": "specialist", "clones": "from-clones"}
_OPTIONS = {
    "--from-history": ("tasks", "specialists", "steps", "hours"),
    "RECIPE": ("seed", "only_train", "clones"),
    "--from-judgements": ("clones",),
}
"""The options that are valid for one training method only."""


def _recipe_file(recipe: Path) -> Path:
    """Return the file of a recipe, which may be given as the name of a model.

    Raises:
        UsageError: it is neither a file nor the name of a model with a recipe.
    """
    from wardround.inference.registry import default_registry

    if recipe.is_file():
        return recipe
    models = {entry.name: entry for entry in default_registry(()).found}
    named = models.get(str(recipe))
    if named is not None and named.recipe.is_file():
        return named.recipe
    if named is not None:
        raise UsageError(f"{recipe}: this model is shipped as it is and has no recipe; pass the file of one")
    known = ", ".join(sorted(name for name, model in models.items() if model.recipe.is_file()))
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
    locations = Files(options["base"], options["base_folder"], options["hub"])
    with _resumable(folder), humanize_duration() as progress:
        tasks, specialists = _tasks((), ()), host.load().specialists
        rebuild = RecipeRebuild(recipe, options["clones"], folder, tasks, specialists, locations, progress)
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
        locations = Files(options["base"], options["base_folder"], options["hub"])
        specialists = host.load().specialists
        run = RepositoryAdapterTraining(repository, folder, tasks, specialists, locations, progress)
        outcomes = run.run(base, options["steps"] or 0, options["hours"] or 0.0)
    _emit_outcomes(outcomes, repository)
    return 0


def _emit_outcomes(outcomes: Sequence[TrainingOutcome], repository: Path) -> None:
    """Print the outcome of each task, and what to do with the models.

    Raises:
        UsageError: no task has a model; the message has the reasons.
    """
    created = [outcome for outcome in outcomes if outcome.metadata is not None]
    if not created:
        raise UsageError("\n".join(note for outcome in outcomes for note in outcome.notes))
    emit("\n".join(line for outcome in outcomes for line in _outcome(outcome)) + "\n")
    emit("\n".join(_advice(created, repository)) + "\n")


def _tasks(names: tuple[str, ...], specialists: tuple[str, ...]) -> list[Task]:
    """Return the requested tasks, including those of requested specialists; all by default."""
    from wardround import host
    from wardround.training_tasks import Task

    known = [task for task in host.load_tasks() if isinstance(task, Task)]
    _require_known_options("--task", names, {task.name for task in known})
    _require_known_options("--specialist", specialists, {task.specialist for task in known})
    if not names and not specialists:
        return known
    return [task for task in known if task.name in names or task.specialist in specialists]


def _require_known_options(option: str, given: tuple[str, ...], known: set[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"{option} {name}: not a known name; choose from {', '.join(sorted(known))}")


def _outcome(outcome: TrainingOutcome) -> Iterator[str]:
    """Summarise the result of one task."""
    if outcome.metadata is None:
        yield from outcome.notes
        return
    metadata = outcome.metadata
    yield _training_line(outcome.task, metadata)
    yield from (f"  - {reason}" for reason in metadata.reasons[:_REASONS])
    if len(metadata.reasons) > _REASONS:
        yield f"  - and {len(metadata.reasons) - _REASONS} reasons more, on its card"
    if not metadata.reasons:
        of_scope = f"later commits of {metadata.scope}"
        later = of_scope if metadata.scope else "repositories that were not trained on"
        yield f"  - It beats what needs no model, and the frozen base, on {later}."
    yield from (f"  - {note}" for note in outcome.notes)
    yield f"  {outcome.folder}: the model, with card.md; the recipe beside the trainings repeats it"


def _training_line(task: str, metadata: Metadata) -> str:
    """Return the line with the questions that a model learnt from and is measured on."""
    measured = metadata.evaluation
    where = " in other files" if measured is not None and "files" in measured.drawn else ""
    on_later = "" if measured is None else f", measured on {measured.items} later ones{where}"
    questions = 0 if metadata.data is None else metadata.data.items
    scope = metadata.scope or "the recipe's repositories"
    return f"{task}: {metadata.state.value}: learnt from {questions} questions of {scope}{on_later}"


def _advice(created: list[TrainingOutcome], repository: Path) -> Iterator[str]:
    """Describe how to use the models that were promoted above shadow."""
    from wardround.inference.locations import package_folder
    from wardround.inference.metadata import PromotionState
    from wardround_lab.training.promote import users_of_model

    earned = [
        (outcome, outcome.metadata)
        for outcome in created
        if outcome.metadata and outcome.metadata.state is not PromotionState.SHADOW
    ]
    if not earned:
        yield (
            "Nothing to configure: a model in shadow is seen by no review, and would only put aside the one "
            "of its name that comes with wardround."
        )
        return
    requested = [outcome for outcome, metadata in earned if users_of_model(metadata)]
    for outcome, metadata in earned:
        if outcome not in requested:
            yield from _usage_lines(outcome, metadata.name)
    own = package_folder()
    folders = [outcome.folder for outcome in requested]
    folders += [
        outcome.base for outcome in requested if outcome.base is not None and own not in outcome.base.parents
    ]
    root = _root_of(repository.resolve())
    reported = dict.fromkeys(_seen_from(folder.resolve(), root) for folder in folders)
    if reported:
        yield "To use it in reviews of this repository, write in pyproject.toml (git ignores that folder;"
        yield "copy it to another one to share it):"
        yield "[tool.wardround]"
        yield f"model-folders = [{', '.join(json.dumps(folder) for folder in reported)}]"


def _usage_lines(item: TrainingOutcome, name: str) -> Iterator[str]:
    """Describe how to use a model that no installed specialist requests."""
    yield f"No review and no command asks {name}: no installed specialist has it among its `models`, so there"
    yield "is nothing to configure. Checks of a plugin of your own may: name it in its specialist's `models`"
    yield f"and {item.folder} in model-folders. For other programs, one ONNX file with its tokenizer:"
    yield f"  wardround adapters export {item.folder.parent} --merged --out DIR"


def _root_of(place: Path) -> Path:
    return next((folder for folder in (place, *place.parents) if (folder / ".git").exists()), place)


def _seen_from(folder: Path, root: Path) -> str:
    return folder.relative_to(root).as_posix() if folder.is_relative_to(root) else str(folder)


# --- from a recipe


def _describe_run(run: RunSummary, metric: str, folder: Path, shipped: Shipped | None) -> str:
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
        f"  {step.step:<10} largest difference {step.largest:.2g}, "
        f"correlation of scores {step.correlation:.5f}{_agreement_text(step)}"
        for step in metadata.parity
    ]
    apart = metadata.decoder_files if metadata.shares is None else (metadata.shares,)
    size = (metadata.model.bytes + sum(file.bytes for file in apart)) / 1e6
    common = f", {len(metadata.shared)} tensors shared" if metadata.shared else ""
    return [*lines, f"{shipped.folder}: {size:.1f} MB{common}, state {metadata.state.value}"]


def _agreement_text(step: Parity) -> str:
    return "" if step.agreement is None else f", {step.agreement:.1%} of the greedy tokens the same"


@contextmanager
def humanize_duration() -> Iterator[Callable[[str], None]]:
    """Show progress on one terminal line; without a terminal, log one line per minute."""
    with progress_line() as show:
        if sys.stderr.isatty():
            yield show
            return
        reported = [-_SECONDS_BETWEEN_LINES]

        def log(text: str) -> None:
            current = time.monotonic()
            if current - reported[0] >= _SECONDS_BETWEEN_LINES:
                reported[0] = current
                echo_err(text)

        reported[0] = time.monotonic() - _SECONDS_BETWEEN_LINES
        yield log
