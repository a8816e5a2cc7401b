"""The plan as ``patch-plan.md``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wardround.authoring.plan.model import BoundConstraint, PatchPlan, PlannedFile, PlannedTest
from wardround.text.escaping import one_line

_NONE = "- none found"


def as_markdown(plan: PatchPlan) -> str:
    """Return the plan, with the same bytes for the same plan."""
    lines = [f"# {one_line(plan.title)}", "", *_intent(plan)]
    for title, content in (
        ("Files to change, in order", _files(plan)),
        ("Tests to add or change", map(_test, plan.tests)),
        ("Checks to run", (f"- `{check.command}`: {check.reason}" for check in plan.checks)),
        ("Constraints", map(_constraint, plan.constraints)),
        ("Conventions", (f"- {one_line(convention)}" for convention in plan.conventions)),
        ("Risks", (f"- {one_line(risk)}" for risk in plan.risks)),
        ("Open questions", (f"- {one_line(question)}" for question in plan.questions)),
    ):
        lines += ["", f"## {title}", "", *(list(content) or [_NONE])]
    return "\n".join(lines) + "\n"


def _intent(plan: PatchPlan) -> Iterator[str]:
    kind = f"{plan.kind.kind or 'not stated'} ({one_line(plan.kind.reason)})"
    yield f"Kind: {kind}. Base: `{plan.base[:12]}`. Instance: `{plan.instance}`."
    yield "Places are candidates by words, names, history and links. Their code is in `write-context.json`."
    if plan.criteria:
        yield from ("", "Done when:", "")
        yield from (f"- [ ] {one_line(criterion)}" for criterion in plan.criteria)


def _files(plan: PatchPlan) -> Iterator[str]:
    for number, file in enumerate(plan.files, 1):
        is_first = file.path == plan.first_file and len(plan.files) > 1
        mark = " (most probable)" if is_first else ""
        yield f"{number}. `{one_line(file.path)}`{mark}: {_reasons(file)}"
        yield from _lines_of_file(file)
    if plan.others:
        named = "; ".join(f"`{one_line(file.path)}` ({_reasons(file)})" for file in plan.others)
        yield ""
        yield f"If these are not the right ones: {named}."


def _lines_of_file(file: PlannedFile) -> Iterator[str]:
    for place, reason in file.functions:
        yield f"   - {one_line(place)}: {one_line(reason)}"
    if file.after:
        imported = ", ".join(f"`{one_line(path)}`" for path in file.after)
        yield f"   - after {imported}, which it imports"


def _reasons(file: PlannedFile) -> str:
    return one_line("; ".join(file.reasons)) or "linked with the first functions"


def _test(test: PlannedTest) -> str:
    verb = "add" if test.is_new else "change"
    near = f"; near {_joined_lines(test.near)}" if test.near else ""
    return f"- {verb} `{one_line(test.path)}`: {one_line(test.reason)}{near}"


def _joined_lines(texts: Iterable[str]) -> str:
    return ", ".join(map(one_line, texts))


def _constraint(bound: BoundConstraint) -> str:
    places = _joined_lines(bound.places) if bound.places else "everywhere"
    return f"> {one_line(bound.constraint.text)}\n\n- line {bound.constraint.line}, binds {places}"
