"""Compare the name of a step with the commands that it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from wardround.checks.lazy import LazyPattern
from wardround_docker_ci.docdrift.step_names import NamedStep

_WORK = {
    "migrations": (r"migrat(?:e|es|ions?|ing)", "alembic flyway liquibase dbmate goose"),
    "a deployment": (
        r"deploy(?:s|ing|ment|ments)?|roll(?:s|ing)? ?out|release to \w+",
        "helm kubectl vercel netlify flyctl fly serverless rsync",
    ),
    "tests": (
        r"(?:unit |integration |e2e |end-to-end )?tests?|testing",
        "pytest jest vitest mocha rspec phpunit ava karma playwright cypress ctest",
    ),
    "linting": (
        r"lint(?:s|er|ers|ing)?|(?:check )?(?:code )?style|format(?:ting)?|type[- ]?check(?:s|ing)?|types",
        "eslint oxlint flake8 pylint ruff stylelint golangci-lint rubocop hadolint shellcheck lint "
        "typecheck yamllint "
        "clippy mypy"
        " pyright vue-tsc prettier black gofmt rustfmt isort biome",
    ),
    "a build": (r"build(?:s|ing)?|compil(?:e|es|ing)", "webpack rollup esbuild"),
    "documentation": (r"docs?|documentation", "mkdocs sphinx-build typedoc docusaurus vitepress"),
}
"""Kinds of work: patterns of their names, and the programs that do only that."""
_CARRIERS = frozenset(
    """
    npx pnpm yarn bunx poetry uv uvx pdm hatch python python3 -m run exec sudo env time npm bundle
    pipx rye dlx bun
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
"""Words before the program that is finally run."""
_FREE = frozenset({"set", "cd", "echo", "export", "mkdir", "printf", "true", "test", "[", "[["})
"""Commands that are not the work of a step."""
_SHELLS = frozenset({"bash", "sh", "pwsh", "zsh"})
_PART = LazyPattern(r"\s*(?:&&|\|\||;|\n|\|)\s*")
_ASSIGNED = LazyPattern(r"^(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")
_ENVIRONMENTS = (
    frozenset({"staging", "stage", "stg"}),
    frozenset({"production", "prod", "live"}),
    frozenset({"development", "dev", "preview", "sandbox"}),
    frozenset({"qa", "uat"}),
)
_PUTS = LazyPattern(
    r"(?i)\b(?:deploy\w*|roll(?:s|ing)? ?out|promot\w+|smoke|rollback|roll back|migrat\w+|publish\w*"
    r"|push|apply|upload|sync)\b"
)
_STAGE = LazyPattern(
    r"--(?:target|mode|env-file|only|with|without|group|extras?|include|omit|no)[= -]\S+|\bNODE_ENV\S*"
)
"""Options that select a build target or dependency group, not a destination."""
_WORD = LazyPattern(r"[A-Za-z]+")


class Misnamed(Struct, frozen=True):
    """A word of a name that the commands contradict; ``now`` is their actual work."""

    term: str
    at: int
    now: str


def misnamed(one: NamedStep, *, is_job: bool) -> Misnamed | None:
    """Return the word in the name of a step or job that its commands contradict.

    Args:
        is_job: True if an entry identified by its name alone is a job; otherwise it is the workflow.
    """
    name = one.name.value.replace("_", " ")
    if "${" in name:
        return None
    return (_by_environment(name, one.done) if len(one.place) > 1 or is_job else None) or _by_work(
        name, one.done
    )


def _by_work(name: str, done: tuple[str, ...]) -> Misnamed | None:
    """Return a kind of work in the name if every command is of one other kind."""
    named = {
        work: match
        for work, (words, _) in _WORK.items()
        if (match := re.search(rf"(?i)(?<![\w-])(?:{words})(?![\w-])", name))
    }
    programs = list(_programs(done))
    kinds = {_kind_of(one) for one in programs}
    if len(named) != 1 or len(kinds) != 1 or "" in kinds or kinds & set(named):
        return None
    match = next(iter(named.values()))
    stem = match[0].lower()[:5].strip().rstrip("s")
    if any(stem in line.lower() for line in done) or any(one in name.lower() for one in programs):
        return None
    return Misnamed(match[0], match.start(), f"{next(iter(kinds))}, with {programs[0]}")


def _kind_of(program: str) -> str:
    """Return the kind of work of a program; empty if it does several."""
    return next((work for work, (_, tools) in _WORK.items() if program in tools.split()), "")


def _programs(done: tuple[str, ...]) -> Iterator[str]:
    """Yield the programs that lines run; an empty one for a line that is not a plain command."""
    for line in done:
        if line in _SHELLS:
            continue
        for part in _PART.split(line.rstrip("\\")):
            words = _ASSIGNED.sub("", part).split()
            while words and words[0] in _CARRIERS:
                words = words[1:]
            if not words or words[0] in _FREE or words[0].startswith(("#", "-")):
                continue
            yield words[0] if re.fullmatch(r"[\w-]+", words[0]) else ""


def _by_environment(name: str, done: tuple[str, ...]) -> Misnamed | None:
    """Return an environment in the name if all commands refer to one other environment."""
    terms = [match for match in _WORD.finditer(name) if _environment_of(match[0])]
    if _PUTS.search(name) is None or len({_environment_of(match[0]) for match in terms}) != 1:
        return None
    words = [word for line in done for word in _WORD.findall(_STAGE.sub("", line))]
    used = [word for word in words if _environment_of(word)]
    environments = {_environment_of(word) for word in used}
    if len(environments) != 1 or _environment_of(terms[0][0]) in environments:
        return None
    if any(terms[0][0].lower() in line.lower() for line in done):
        return None  # as a part of another word, such as "shopqa"
    return Misnamed(terms[0][0], terms[0].start(), f'"{used[0]}"')


def _environment_of(word: str) -> frozenset[str] | None:
    return next((place for place in _ENVIRONMENTS if word.lower() in place), None)
