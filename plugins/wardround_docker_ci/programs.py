"""What well-known programs do with their arguments: install, test, fetch."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.late import LatePattern
from wardround_docker_ci.shell import Command, Word, unwrapped

FETCHERS = frozenset({"curl", "wget", "fetch", "aria2c"})
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh"})
INTERPRETERS = SHELLS | {"python", "python2", "python3", "perl", "ruby", "node", "php"}
_TEST_RUNNERS = frozenset(
    {
        "pytest", "tox", "nox", "jest", "vitest", "mocha", "ava", "phpunit", "rspec", "ctest",
        "nosetests", "behave", "karma", "cypress", "playwright", "unittest",
    }
)  # fmt: skip
_LINTERS = frozenset(
    {
        "eslint", "mypy", "ruff", "flake8", "pylint", "tsc", "pyright", "golangci-lint",
        "shellcheck", "hadolint", "rubocop", "clippy", "bandit", "semgrep", "trivy", "gosec",
        "biome", "oxlint", "stylelint", "vet",
    }
)  # fmt: skip
_RUN_BY = frozenset(
    {"npx", "bunx", "uvx", "pipx", "run", "exec", "bundle", "poetry", "uv", "pdm", "rye", "hatch"}
)
_TASK = LatePattern(
    r"(?:unit|integration|e2e|run)?[-:_]?(?:tests?|lint|typecheck|type-check|check-types)(?:[-:_]\w+)*$"
)


def program(command: Command) -> str:
    """The program a command runs, behind ``sudo`` and the like, without its folder."""
    words = unwrapped(command)
    return words[0].text.rpartition("/")[2] if words else ""


def subcommand(words: Sequence[Word]) -> str:
    """The first argument that is no option."""
    return next((word.text for word in words[1:] if not word.text.startswith("-")), "")


def is_test(command: Command) -> bool:
    """Whether a command runs tests or a linter, so that its exit status is what it is run for."""
    texts = [word.text for word in unwrapped(command)]
    while texts and (texts[0].rpartition("/")[2] in _RUN_BY):
        texts = [text for text in texts[1:] if not text.startswith("-")]
    if not texts:
        return False
    name = texts[0].rpartition("/")[2]
    rest = [text for text in texts[1:] if not text.startswith("-")]
    first = rest[0] if rest else ""
    if {"--version", "--help", "-V", "--fix", "--install"}.intersection(texts) or first in (
        "install",
        "format",
    ):
        return False
    if name in _TEST_RUNNERS or name in _LINTERS:
        return True
    if name in ("npm", "pnpm", "yarn", "bun", "make", "just", "task", "rake", "composer"):
        task = rest[1] if first in ("run", "run-script", "exec") and len(rest) > 1 else first
        return _TASK.match(task) is not None
    if name in ("go", "cargo", "dotnet", "mvn", "gradle", "gradlew", "mvnw", "swift", "bazel", "deno", "mix"):
        return any(text in ("test", "verify", "clippy", "vet", "lint", "check") for text in rest[:3])
    return name.startswith("python") and "-m" in texts and bool(_TEST_RUNNERS.intersection(rest))
