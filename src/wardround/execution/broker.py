"""The provision of models during a review: for which checks, within which limits, and the report about it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import msgspec
from msgspec.structs import replace

from wardround.errors import PLUGIN_EXCEPTIONS, ModelError
from wardround.findings import ToolRun, Unreviewed
from wardround.inference.api import Models, NoModels
from wardround.inference.locations import extra_folders
from wardround.inference.model_session import ModelScope, ModelSession, review_models
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.assignment.work_units import WorkUnit
    from wardround.config.schema import RunSettings
    from wardround.inference.shadow_log import ShadowLog
    from wardround.specialists import Specialist

Said = TypeVar("Said")


class Limits(msgspec.Struct, frozen=True):
    """The limits on the input of models.

    Attributes:
        hunks: hunks of the change; files beyond them, in the order of their paths, are not scored.
        texts_of_file: texts of one file, including those that it is compared with.
        texts_of_change: texts of one change-level check.
    """

    hunks: int
    texts_of_file: int
    texts_of_change: int


LIMITS: Mapping[Profile, Limits] = {
    # 20 hunks of 128 tokens take 0.2 to 0.6 s on the CPU: a git hook has no time for more than three times
    # that.
    Profile.COMMIT: Limits(hunks=60, texts_of_file=64, texts_of_change=256),
    Profile.CI: Limits(hunks=5_000, texts_of_file=2_000, texts_of_change=10_000),
}


class ModelReport(msgspec.Struct, frozen=True):
    """The part of a report about models.

    Attributes:
        runs: the models that took part.
        notes: hunks they did not score and why, a sentence each.
        unreviewed: the same if models are required.
    """

    runs: tuple[ToolRun, ...] = ()
    notes: tuple[str, ...] = ()
    unreviewed: tuple[Unreviewed, ...] = ()


class ModelBroker(msgspec.Struct):
    """Provides the models of one review.

    Attributes:
        required: True if a model that cannot be used makes its files unreviewed.
    """

    models: ModelSession
    limits: Limits
    required: bool = False
    _whole: list[Specialist] = msgspec.field(default_factory=list)
    _spent: set[str] = msgspec.field(default_factory=set)

    def identity(self, unit: WorkUnit) -> str:
        """Return the identity of the models of a file, on which results depend."""
        return self.models.identity(unit.specialist.models) if unit.scored else "unscored"

    def is_used_by(self, specialist: Specialist) -> bool:
        """Return True if a specialist's models can report anything, or could if valid; not in shadow."""
        models = self.models
        return any(models.usable(name) is not None or name in models.broken for name in specialist.models)

    def run_with_models(self, unit: WorkUnit, run: Callable[[Models], list[Said]]) -> tuple[list[Said], bool]:
        """Run the checks of one file; see ``execution.model.ModelProvider``."""
        names = unit.specialist.models
        if not names or not unit.scored:
            return run(NoModels()), True
        before = self.identity(unit)
        shared = self.models.scope(names, self.limits.texts_of_file)
        reported = _run(shared, run)
        if shared.exhausted:
            self._spent.add(unit.path)
        self._shadow(names, run)
        return reported, not shared.exhausted and before == self.identity(unit)

    def run_change_check(self, specialist: Specialist, run: Callable[[Models], list[Said]]) -> list[Said]:
        """Run a change check."""
        if not specialist.models:
            return run(NoModels())
        if specialist not in self._whole:
            self._whole.append(specialist)
        shared = self.models.scope(specialist.models, self.limits.texts_of_change)
        reported = _run(shared, run)
        if shared.exhausted:
            self._spent.add(f"the whole change ({specialist.name})")
        self._shadow(specialist.models, run)
        return reported

    def _shadow(self, names: Sequence[str], run: Callable[[Models], list[Said]]) -> None:
        """Run checks once more with the models in shadow, only for the log; the findings are discarded."""
        shared = self.models.open_shadow_scope(names, self.limits.texts_of_file)
        if shared is not None:
            with suppress(*PLUGIN_EXCEPTIONS):  # no result is used; the first run has reported any error
                run(shared)

    def summarize(self, units: Sequence[WorkUnit], hunks: Mapping[str, int], first: str) -> ModelReport:
        """Return the report about models, at the end of the review.

        Args:
            units: those of the head.
            hunks: path -> the number of hunks of the change there.
            first: the path to report for a check of changes.
        """
        used = self._uses(units, first)
        troubles = self.models.errors(sorted(used))
        unreviewed = [
            Unreviewed(path, specialist, f"model {name}", _about_it(name, reason))
            for name, reason in sorted(troubles.items())
            for path, specialist in used[name]
        ]
        quiet = self.required or self.models.is_bare  # without an installed runtime no model is expected
        notes = [] if quiet else list(_group_by_reason(troubles))
        notes += self._refused_models(troubles) if used else []
        notes += self.models.overstatements(sorted(used))
        if any(self.models.usable(name) is not None for name in used):
            notes += self._excess_inputs(units, hunks)
        runs = self.models.runs(
            {name: len({path for path, _ in locations}) for name, locations in used.items()}
        )
        return ModelReport(tuple(runs), tuple(notes), tuple(unreviewed) if self.required else ())

    def _uses(self, units: Sequence[WorkUnit], first: str) -> dict[str, dict[tuple[str, str], None]]:
        """Return name of a model -> the paths and the specialists that use it, in the order of the units."""
        uses: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
        for unit in units:
            for name in unit.specialist.models:
                uses[name][unit.path, unit.specialist.name] = None
        for specialist in self._whole:
            for name in specialist.models:
                uses[name][first, specialist.name] = None
        return uses

    def _refused_models(self, troubles: Mapping[str, str]) -> Iterable[str]:
        """Return the models that cannot be read, except those that were requested and may be used."""
        with suppress(ModelError):
            for refused in self.models.shelf().refused:
                if refused.reason not in troubles.values():
                    yield f"model {refused.name} cannot be used: {refused.reason}"

    def _excess_inputs(self, units: Sequence[WorkUnit], hunks: Mapping[str, int]) -> Iterable[str]:
        """Return the inputs that models did not score because they exceed the limits."""
        left = sorted({unit.path for unit in units if not unit.scored and unit.specialist.models})
        if left:
            count = sum(hunks.get(path, 0) for path in left)
            yield (
                f"models scored the first {self.limits.hunks} hunks; {count} hunks in {len(left)} "
                f"{'file is' if len(left) == 1 else 'files are'} unscored"
            )
        if self._spent:
            locations = sorted(self._spent)
            more = f" and {len(locations) - 1} more" if len(locations) > 1 else ""
            yield f"models had too many texts to score in {locations[0]}{more}, which is unscored"

    def close(self) -> None:
        self.models.close()


def paths_within_budget(hunks: int, units: Sequence[WorkUnit], hunks_of: Mapping[str, int]) -> set[str]:
    """Return the paths that models score: in order, until there are too many hunks; the first file always."""
    paths = sorted({unit.path for unit in units if unit.specialist.models})
    retained: set[str] = set()
    count = 0
    for path in paths:
        count += hunks_of.get(path, 0)
        if retained and count > hunks:
            break
        retained.add(path)
    return retained


def open_broker(
    settings: RunSettings, profile: Profile, root: Path, changed: Iterable[str], use_models: bool
) -> ModelBroker | None:
    """Return the broker of one review, or None in a review without models.

    Args:
        root: root folder of the repository, to which the model folders of the configuration are relative.
        changed: paths of the change; it must not contain the models that score it.
    """
    if settings.models == "off" or (not use_models and settings.models == "on"):
        return None
    folders = extra_folders(root, settings.model_folders)
    return ModelBroker(
        _models(settings, folders, _changed_path(changed, folders, root), use_models=use_models),
        LIMITS[profile],
        settings.models == "required",
    )


def _models(
    settings: RunSettings, folders: Sequence[Path], altered: str | None, *, use_models: bool
) -> ModelSession:
    """Return the models of a review; rejected ones if the change alters a file of theirs."""
    if not use_models:
        return disabled_models(folders, "--no-models was given")
    if altered is not None:
        reason = f"the change itself alters {altered}; a change must not select the models that review it"
        return refused_models(reason)
    return review_models(folders, settings.model_provider, settings.model_threads, _log(settings))


def _changed_path(changed: Iterable[str], folders: Sequence[Path], root: Path) -> str | None:
    """Return a changed path in one of the folders."""
    real, top = [folder.resolve() for folder in folders], root.resolve()
    inside = [folder.relative_to(top).as_posix() for folder in real if folder.is_relative_to(top)]
    if not inside:
        return None
    stems = tuple("" if name == "." else f"{name}/" for name in inside)
    return next((path for path in changed if path.startswith(stems)), None)


def _log(settings: RunSettings) -> ShadowLog | None:
    if not settings.log_shadow:
        return None
    from wardround.inference.shadow_log import ShadowLog  # only where the configuration requests it

    return ShadowLog()


def refused_models(reason: str) -> ModelSession:
    """Return models that may not be used and whose metadata is not trusted."""
    refuse = _refusal(reason)
    return ModelSession(refuse, refuse)


def disabled_models(folders: Sequence[Path], reason: str) -> ModelSession:
    """Return models that are not run; those in shadow are not missed."""
    return replace(review_models(folders, "cpu", 1), runtime=_refusal(reason))


def _refusal(reason: str) -> Callable[[], NoReturn]:
    def refuse() -> NoReturn:
        raise ModelError(reason)

    return refuse


def _run(shared: ModelScope, run: Callable[[Models], list[Said]]) -> list[Said]:
    """Run with the provided models; a model that fails is excluded from the next attempt."""
    for _ in range(len(shared.names) + 1):
        try:
            return run(shared)
        except ModelError:
            continue
    return run(NoModels())


def _about_it(name: str, reason: str) -> str:
    """Return the reason with the model's name instead of "it", which would denote the unreviewed file."""
    return f"model {name} {reason[3:]}" if reason.startswith("it ") else reason


def _group_by_reason(troubles: Mapping[str, str]) -> Iterable[str]:
    """Return one sentence for all models with the same error."""
    count = Counter(troubles.values())
    for reason in sorted(count):
        names = ", ".join(sorted(name for name in troubles if troubles[name] == reason))
        yield f"{'model' if count[reason] == 1 else 'models'} {names} not used: {reason}"
