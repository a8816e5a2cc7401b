"""Inputs, secrets and outputs of actions and reusable workflows, as others call them."""

from __future__ import annotations

from collections.abc import Mapping

from tests.context.surface.differences import lines, surface

ACTION = """\
name: build
inputs:
  target: {description: the target}
  level: {description: the level, default: "3"}
outputs:
  digest: {description: the digest}
"""
WORKFLOW = """\
on:
  workflow_call:
    inputs:
      target: {type: string}
"""


def broken(base: Mapping[str, str], head: Mapping[str, str | None]) -> list[str]:
    return lines(surface(base, head, package=False).breaking)


def test_removed_inputs_and_outputs_break_callers() -> None:
    assert broken({"action.yml": ACTION}, {"action.yml": "name: build\n"}) == [
        "action.yml:3 input `target` is removed",
        "action.yml:4 input `level` is removed",
        "action.yml:6 output `digest` is removed",
    ]


def test_an_input_that_is_required_breaks_callers() -> None:
    head = ACTION.replace("the target}", "the target, required: true}") + "  more: {}\n"
    assert broken({"action.yml": ACTION}, {"action.yml": head}) == ["action.yml:3 input `target` is required"]


def test_a_required_input_with_a_default_breaks_nobody() -> None:
    head = ACTION.replace('"3"}', '"3", required: true}')
    assert broken({"action.yml": ACTION}, {"action.yml": head}) == []


def test_a_new_required_input_breaks_callers() -> None:
    head = ACTION.replace("outputs:", "  token: {required: true}\noutputs:")
    assert broken({"action.yml": ACTION}, {"action.yml": head}) == [
        "action.yml:5 input `token` is added and required"
    ]


def test_another_default_is_a_change_that_breaks_nobody() -> None:
    found = surface({"action.yml": ACTION}, {"action.yml": ACTION.replace('"3"', '"4"')}, package=False)
    assert [(change.detail, change.is_breaking) for change in found.changes] == [
        ("has the default `4` instead of `3`", False)
    ]


def test_a_deleted_action_loses_all_inputs() -> None:
    assert len(broken({"sub/action.yml": ACTION}, {"sub/action.yml": None})) == 3


def test_a_reusable_workflow_that_others_call_has_an_interface() -> None:
    path = ".github/workflows/build.yml"
    assert broken({path: WORKFLOW}, {path: "on:\n  workflow_call:\n"}) == [
        f"{path}:4 input `target` is removed"
    ]


def test_a_workflow_that_the_repository_calls_itself_has_none() -> None:
    path = ".github/workflows/build.yml"
    caller = {".github/workflows/ci.yml": f"jobs:\n  a:\n    uses: ./{path}\n"}
    assert broken({path: WORKFLOW, **caller}, {path: "on:\n  workflow_call:\n"}) == []


def test_local_actions_and_broken_files_have_no_interface() -> None:
    base = {".github/actions/x/action.yml": ACTION, "action.yml": ACTION}
    assert broken(base, {".github/actions/x/action.yml": "name: x\n", "action.yml": "a: [\n"}) == []


def test_a_workflow_that_becomes_callable_had_no_interface() -> None:
    path = ".github/workflows/build.yml"
    head = WORKFLOW.replace("{type: string}", "{type: string, required: true}")
    assert broken({path: "on: push\n"}, {path: head}) == []
