"""The entry of the git hook, in the configuration of the hook runner that the repository has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wardround.setup_plan.model import Advice, FileChange, Present, Step
from wardround.setup_plan.surroundings import Surroundings
from wardround.setup_plan.wardround_source import WardroundSource
from wardround.setup_plan.yaml_text import NotUnderstood, YamlText

PRE_COMMIT = ".pre-commit-config.yaml"
_PREK = "prek.toml"
_LEFTHOOK = ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml")
_LEFTHOOK_OTHER = ("lefthook.toml", ".lefthook.toml", "lefthook.json", ".lefthook.json")
_HUSKY = ".husky"
_HUSKY_HOOK = ".husky/pre-commit"
_PAGE = "docs/hook.md"
_STAGES: Mapping[str, Mapping[str, str | bool]] = {
    "pre-commit": {"run": "wardround hook"},
    "pre-merge-commit": {"run": "wardround hook --stage pre-merge-commit"},
    "pre-push": {"run": "wardround hook --stage pre-push {0}", "use_stdin": True},
}
"""The commands of lefthook, by stage."""


def hook_steps(surroundings: Surroundings, source: WardroundSource) -> Iterator[Step]:
    """Yield the steps for the first hook runner that is configured; without one, for pre-commit and prek."""
    if lefthook := surroundings.first_of(*_LEFTHOOK):
        yield _lefthook_step(surroundings, lefthook)
    elif other := surroundings.first_of(_PREK, *_LEFTHOOK_OTHER):
        yield _by_hand(surroundings, other, "only YAML is changed")
    elif surroundings.first_of(PRE_COMMIT) is None and surroundings.first_of(_HUSKY):
        yield _husky_step(surroundings)
    else:
        yield _pre_commit_step(surroundings, source)


def _by_hand(surroundings: Surroundings, path: str, reason: str) -> Step:
    if b"wardround" in (surroundings.content(path) or b""):
        return Present(path, "the hook")
    return Advice(path, f"{reason}; add the hook by hand as {_PAGE} of wardround shows")


def _husky_step(surroundings: Surroundings) -> Step:
    if surroundings.first_of(_HUSKY_HOOK) is None:
        return FileChange(_HUSKY_HOOK, None, b"wardround hook\n")
    return _by_hand(surroundings, _HUSKY_HOOK, "a script is not changed")


# pre-commit and prek


def _pre_commit_step(surroundings: Surroundings, source: WardroundSource) -> Step:
    lines, entry = _pre_commit_entry(source)
    if surroundings.first_of(PRE_COMMIT) is None:
        indented = "".join(f"  {line}\n" for line in lines)
        return FileChange(PRE_COMMIT, None, f"repos:\n{indented}".encode())
    before = surroundings.content(PRE_COMMIT)
    if before is None:
        return _by_hand(surroundings, PRE_COMMIT, "it is a link, or cannot be read")
    try:
        text = YamlText(before)
        if _has_pre_commit_hook(text.value):
            return Present(PRE_COMMIT, "the hook")
        after = text.with_item(["repos"], lines, lambda value: value["repos"].append(entry))
    except NotUnderstood as cause:
        return _by_hand(surroundings, PRE_COMMIT, str(cause))
    return FileChange(PRE_COMMIT, before, after)


def _has_pre_commit_hook(value: Any) -> bool:
    """Return True if a hook of wardround is configured."""
    return any(_is_own_hook(hook) for repo in _entries(value, "repos") for hook in _entries(repo, "hooks"))


def _entries(value: Any, key: str) -> list[Any]:
    """Return a list of a mapping; empty if the mapping has none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _is_own_hook(hook: Any) -> bool:
    if not isinstance(hook, dict):
        return False
    return any(str(hook.get(key, "")).startswith("wardround") for key in ("id", "entry"))


def _pre_commit_entry(source: WardroundSource) -> tuple[Sequence[str], Mapping[str, Any]]:
    """Return the lines of an entry and its value."""
    if not source.address:
        return _local_entry()
    lines = [
        f"- repo: {source.address}",
        f"  rev: {source.revision}{source.comment}",
        "  hooks:",
        "    - id: wardround        # the staged change, at commit",
        "    - id: wardround-push   # the outgoing commits, at push",
    ]
    hooks = [{"id": "wardround"}, {"id": "wardround-push"}]
    return lines, {"repo": source.address, "rev": source.revision, "hooks": hooks}


def _local_entry() -> tuple[Sequence[str], Mapping[str, Any]]:
    """Return an entry that starts the installed command."""
    lines = ["- repo: local", "  hooks:"]
    hooks = []
    for name, options in (("wardround", "pre-commit"), ("wardround-push", "pre-push")):
        entry = f"wardround hook --stage {options}"
        stages = ["pre-commit", "pre-merge-commit"] if name == "wardround" else ["pre-push"]
        hooks.append(
            {"id": name, "name": name, "entry": entry, "language": "system", "pass_filenames": False,
             "always_run": True, "require_serial": True, "verbose": True, "stages": stages}
        )  # fmt: skip
        lines += [
            f"    - id: {name}",
            f"      name: {name}",
            f"      entry: {entry}",
            "      language: system",
            "      pass_filenames: false",
            "      always_run: true",
            "      require_serial: true",
            "      verbose: true",
            f"      stages: [{', '.join(stages)}]",
        ]
    return lines, {"repo": "local", "hooks": hooks}


# lefthook


def _lefthook_step(surroundings: Surroundings, path: str) -> Step:
    before = surroundings.content(path)
    if before is None:
        return _by_hand(surroundings, path, "it is a link, or cannot be read")
    if b"wardround" in before:
        return Present(path, "the hook")
    after = before
    try:
        for stage in _STAGES:
            after = _with_stage(after, stage)
    except NotUnderstood as cause:
        return _by_hand(surroundings, path, str(cause))
    return FileChange(path, before, after)


def _with_stage(content: bytes, stage: str) -> bytes:
    """Return the text of lefthook.yml with the command of a stage.

    Raises:
        NotUnderstood: the stage has neither commands nor jobs, or they cannot be extended.
    """
    text, command = YamlText(content), _STAGES[stage]
    settings = text.value.get(stage)
    options = [f"  {key}: {_scalar(value)}" for key, value in command.items()]
    if settings is None and stage not in text.value:
        lines = [f"{stage}:", "  commands:", "    wardround:", *(f"    {option}" for option in options)]
        added = {"commands": {"wardround": command}}
        return text.with_key(lines, lambda value: value.update({stage: added}))
    if isinstance(settings, dict) and "jobs" in settings:
        job = {"name": "wardround", **command}
        lines = ["- name: wardround", *options]
        return text.with_item([stage, "jobs"], lines, lambda value: value[stage]["jobs"].append(job))
    commands = [stage, "commands"]
    lines = ["wardround:", *options]
    return text.with_item(
        commands, lines, lambda value: value[stage]["commands"].update({"wardround": command})
    )


def _scalar(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value
