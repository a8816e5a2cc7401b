"""The plan of a task, from its context and the commit that it starts from; without a model."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.model import WriteContext
from wardround.authoring.plan.checks import planned_checks
from wardround.authoring.plan.constraint_places import bound_constraints
from wardround.authoring.plan.files import FilePlans, files_to_change, place_of
from wardround.authoring.plan.model import PatchPlan
from wardround.authoring.plan.questions import questions_of
from wardround.authoring.plan.risks import risks_of
from wardround.authoring.plan.tests import planned_tests

_MOST_CONVENTIONS = 6


def plan_of(context: WriteContext, code: BaseCode) -> PatchPlan:
    """Return the plan of a context."""
    paths = files_to_change(context)
    files = FilePlans(context, code.graph)
    tests = planned_tests(context, code.tree, paths)
    names = [test.path for test in tests]
    return PatchPlan(
        title=context.task.title,
        base=context.base,
        instance=context.instance,
        kind=context.task.kind,
        criteria=context.task.criteria,
        files=files.in_order(paths),
        first_file=next(iter(paths), ""),
        others=files.others(paths),
        tests=tests,
        checks=planned_checks(code.tree, paths, names),
        risks=risks_of(context, code, paths),
        questions=questions_of(context, code),
        constraints=bound_constraints(context, code.tree, paths, names),
        conventions=tuple(_conventions(context)),
    )


def _conventions(context: WriteContext) -> Iterator[str]:
    for item in context.conventions[:_MOST_CONVENTIONS]:
        yield f"{item.pointer.path} {place_of(item)}: {'; '.join(item.reasons)}"
    for commit in context.commits:
        yield f'commit {commit.id[:12]} "{commit.subject}" changed {", ".join(commit.paths)}'
