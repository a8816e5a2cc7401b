"""Train an adapter for one repository from its own history, in one command.

Each stage writes its files to the directory and is skipped if they exist, so that the same command continues
after a kill; the history is read from the commit at the start. The claim is narrow: better on later commits
of *this* repository, in files outside of the training.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from wardround.errors import TrainingError, UsageError
from wardround.inference.locations import RECIPE_FILE, package_folder
from wardround.training_tasks import Choice, Task
from wardround_lab.corpora.audit_runner import AuditPolicy
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory
from wardround_lab.corpora.holdout import HoldoutRepositories
from wardround_lab.corpora.miner import Miner, MiningSource, RecordLocation
from wardround_lab.corpora.records import rows_of
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.corpora.within_repository_split import WithinRepositorySplit
from wardround_lab.training.adapter_pipeline import SEEDS, AdapterPipeline, TrainingOutcome, clean_records
from wardround_lab.training.choice_dataset import split
from wardround_lab.training.recipe import DataPart, Recipe, TrainingPart, read_recipe
from wardround_lab.training.recipe_kind import Files
from wardround_lab.training.run_directory import write_atomically, write_struct

if TYPE_CHECKING:
    from wardround.specialists import Specialist

PLAN_FILE = "plan.json"
FEWEST_TRAINED = 100
FEWEST_MEASURED = 40
"""Minimum number of evaluation questions: fewer cannot show a gain of a likely size."""
_LATER = 0.4
"""Share of the questions, the most recent, from which the evaluation is taken."""
_ROUNDS = 4
"""Maximum number of epochs: more of so few questions would be memorised."""
_FEWEST_STEPS = 20
_DAY = 24 * 3600

Progress = Callable[[str], None]


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """The options at the start of a run.

    Attributes:
        head: the newest commit of the history, whatever was committed since.
        base: the base to train on, as a recipe names it.
        steps: steps of each training; 0 to derive them from the number of questions.
        hours: hours for all trainings together; 0 for no limit.
    """

    schema: Literal["wardround.own/1"]
    repository: str
    head: str
    tasks: tuple[str, ...]
    base: str
    steps: int = 0
    hours: float = 0.0


@dataclass(slots=True)
class RepositoryAdapterTraining:
    """One run over one repository.

    Args:
        tasks: the requested ones.
        specialists: all loaded ones, since some of them detect secrets.
    """

    repository: Path
    folder: Path
    tasks: Sequence[Task]
    specialists: Sequence[Specialist]
    places: Files
    progress: Progress
    plan: Plan = field(init=False)

    def run(self, base: str, steps: int, hours: float) -> list[TrainingOutcome]:
        """Complete the remaining stages; return one outcome for each task, in order.

        Raises:
            UsageError: there is no such repository, it is held out, or the directory contains a run with
                other options.
        """
        self.plan = self._plan(base, steps, hours)
        self._mine()
        recipes = {task.name: self._prepare_recipe(task) for task in self.tasks}
        return [
            self._pipeline(task, found).run()
            if isinstance(found := recipes[task.name], Path)
            else TrainingOutcome(task.name, None, (found,), self.folder / task.name)
            for task in self.tasks
        ]

    def _pipeline(self, task: Task, recipe: Path) -> AdapterPipeline:
        return AdapterPipeline(task.name, recipe, recipe.parent, self.places, self.progress)

    def _plan(self, base: str, steps: int, hours: float) -> Plan:
        names = tuple(task.name for task in self.tasks)
        with RepositoryHistory(self.repository) as history:
            expected = Plan(
                schema="wardround.own/1", repository=history.repository, head=history.head, tasks=names,
                base=base, steps=steps, hours=hours,
            )  # fmt: skip
        file = self.folder / PLAN_FILE
        if not file.is_file():
            write_struct(file, expected)
            return expected
        try:
            begun = msgspec.json.decode(file.read_bytes(), type=Plan)
        except (OSError, msgspec.MsgspecError) as cause:
            raise UsageError(f"{file}: {cause}; choose another --out") from cause
        if msgspec.structs.replace(begun, head="") != msgspec.structs.replace(expected, head=""):
            raise UsageError(
                f"{self.folder}: it contains a run with other tasks or options; "
                "use the same ones to continue, or choose another --out"
            )
        return begun

    # --- mining and auditing

    @property
    def _mined_folder(self) -> Path:
        return self.folder / "mined"

    def _mine(self) -> None:
        retained = HoldoutRepositories.read(None)
        scan = SecretScan(self.specialists)
        limits = HistoryLimits(head=self.plan.head)
        mining = Miner(self._mined_folder, limits, retained.__contains__, scan, self.progress)
        mining.mine([MiningSource(task.name, task) for task in self.tasks], [RecordLocation(self.repository)])

    def _prepare_recipe(self, task: Task) -> Path | str:
        """Return the recipe of a task with prepared records, or the reason why there is none."""
        file = self.folder / task.name / RECIPE_FILE
        if file.is_file():
            return file
        mined = self._mined_folder / f"{task.name}.jsonl"
        times = sorted(choice.time for choice in rows_of(mined, Choice))
        if len(times) < FEWEST_TRAINED + FEWEST_MEASURED:
            return _too_little(task, len(times), 0, 0)
        own = WithinRepositorySplit(repository=self.plan.repository)
        cut = _day_of(times[int(len(times) * (1 - _LATER))])
        demands = AuditPolicy(own=own, since=cut, kept=HoldoutRepositories.read(None))
        scan = SecretScan(self.specialists)
        failures = clean_records(mined, file.parent / mined.name, demands, scan, self.progress)
        if failures:
            return f"{task.name}: its questions failed their audit: {'; '.join(failures)}"
        recipe = self._recipe(task, own, cut)
        try:
            sides = split(recipe, file.parent)
        except TrainingError:
            return _too_little(task, len(times), 0, 0)
        trained, measured = len(sides.training), len(sides.evaluation)
        if trained < FEWEST_TRAINED or measured < FEWEST_MEASURED:
            return _too_little(task, len(times), trained, measured)
        write_atomically(file, self._write_recipe(recipe, trained))
        return file

    # --- the recipe

    def _recipe(self, task: Task, own: WithinRepositorySplit, cut: int) -> Recipe:
        """Return the bundled recipe of the task, if any, with this repository's data."""
        model = shipped_recipe(task.name)
        day = datetime.datetime.fromtimestamp(cut, datetime.UTC).date()
        data = DataPart(records=(f"{task.name}.jsonl",), scope=own, until=day, since=day)
        if model is None or model.base != self.plan.base:
            name = task.name if model is None else model.name
            return Recipe(
                name=name, specialist=task.specialist, task=task.name, title=task.title, base=self.plan.base,
                data=data,
            )  # fmt: skip
        return msgspec.structs.replace(model, data=data)

    def _write_recipe(self, recipe: Recipe, items: int) -> bytes:
        """Write the recipe, with a number of steps that matches its questions."""
        import yaml

        given = recipe.training
        worth = max(_FEWEST_STEPS, items * _ROUNDS // given.batch)
        steps = self.plan.steps or min(given.steps, worth)
        minutes = self.plan.hours * 60 / (len(self.tasks) * len(SEEDS))
        training: TrainingPart = msgspec.structs.replace(given, steps=steps, max_minutes=round(minutes, 2))
        complete = msgspec.structs.replace(recipe, training=training)
        head = (
            f"# Records: wardround data mine --task {recipe.task} --head {self.plan.head}, then wardround "
            "data audit --recipe recipe.yml --clean-to.\n"
        )
        reported: str = yaml.safe_dump(msgspec.to_builtins(complete), sort_keys=False, allow_unicode=True)
        return (head + reported).encode()


def shipped_recipe(task: str) -> Recipe | None:
    """Return the recipe of the bundled model of a task."""
    own = package_folder()
    for file in sorted(own.glob(f"*/{RECIPE_FILE}")) if own is not None else ():
        try:
            recipe = read_recipe(file)
        except TrainingError:
            continue  # of a model that makes no choices
        if recipe.task == task:
            return recipe
    return None


def make_private(folder: Path, *, ours: bool) -> None:
    """Create a directory whose content git ignores.

    Args:
        ours: it was named by this program; another directory that has files already is the user's, and left
            unchanged.

    Raises:
        UsageError: it cannot be created.
    """
    ignore = folder / ".gitignore"
    try:
        if ignore.exists() or (not ours and folder.is_dir() and any(folder.iterdir())):
            return
        folder.mkdir(parents=True, exist_ok=True)
        ignore.write_text("*\n")
    except OSError as cause:
        raise UsageError(f"{folder}: {cause.strerror}; choose another directory with --out") from cause


def _too_little(task: Task, items: int, trained: int, measured: int) -> str:
    divided = f", {trained} of them to learn from and {measured} to measure on" if trained or measured else ""
    return (
        f"{task.name}: too little history: it gives {items} questions{divided}; {FEWEST_TRAINED} to learn "
        f"from and {FEWEST_MEASURED} later ones, in other files, are needed"
    )


def _day_of(time: int) -> int:
    """Return midnight UTC before a time."""
    return time - time % _DAY
