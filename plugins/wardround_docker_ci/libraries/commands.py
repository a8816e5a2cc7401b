"""Semantics of well-known programs and their arguments: install, test, download."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.languages.shell import Command, Word, unwrap_command
from wardround.lazy import LazyPattern

FETCHERS = frozenset({"curl", "wget", "fetch", "aria2c"})
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh"})
INTERPRETERS = SHELLS | {"python", "python2", "python3", "perl", "ruby", "node", "php"}
_TEST_RUNNERS = frozenset(
    {
        "pytest", "tox", "nox", "jest", "vitest", "mocha", "ava", "phpunit", "rspec", "ctest",
        "nosetests", "behave", "karma", "cypress", "playwright",
        "unittest", "newman", "k6", "bats", "nightwatch",
        "testcafe", "wdio", "pest", "gotestsum", "nextest", "robot", "locust", "minitest", "maestro", "detox",
    }
)  # fmt: skip
_LINTERS = frozenset(
    {
        "eslint", "mypy", "ruff", "flake8", "pylint", "tsc", "pyright", "golangci-lint",
        "shellcheck", "hadolint", "rubocop", "clippy", "bandit", "semgrep", "trivy", "gosec",
        "biome", "oxlint", "stylelint", "vet",
        "actionlint", "yamllint", "markdownlint", "ansible-lint", "tflint",
        "tfsec", "checkov", "kubeconform", "kubeval", "conftest",
        "buf", "sqlfluff", "phpstan", "psalm", "phpcs",
        "ktlint", "detekt", "swiftlint", "staticcheck",
        "govulncheck", "pip-audit", "grype", "cargo-audit", "cargo-deny",
        "basedpyright", "ty", "vulture", "credo", "dialyzer",
    }
)  # fmt: skip
_RUN_BY = frozenset(
    {"npx", "bunx", "uvx", "pipx", "run", "exec", "bundle", "poetry", "uv", "pdm", "rye", "hatch"}
)
_TASK = LazyPattern(
    r"(?:(?:\w+[-:_])?(?:tests?|lint|typecheck|type-check|check-types|specs?|e2e|integration|verify|acceptance)"
    r"|unittests?|check|checks|smoke|regression|vet)(?:[-:_]\w+(?:[-:]\w+)*)?$"
)


def program(command: Command) -> str:
    """Return the program that a command runs, after ``sudo`` and the like, without its directory."""
    words = unwrap_command(command)
    return words[0].text.rpartition("/")[2] if words else ""


def subcommand(words: Sequence[Word]) -> str:
    """Return the first argument that is not an option."""
    return next((word.text for word in words[1:] if not word.text.startswith("-")), "")


def is_test(command: Command) -> bool:
    """Return True if a command runs tests or a linter, so its exit status is its result."""
    texts = _strip_wrappers([word.text for word in unwrap_command(command)])
    if not texts or not _NO_TEST_OPTIONS.isdisjoint(texts):
        return False
    arguments = [text for text in texts[1:] if not text.startswith("-")]
    if arguments[:1] in (["install"], ["format"]):
        return False
    name = _file_name(texts[0])
    return name in _TEST_RUNNERS or name in _LINTERS or _runs_tests(name, texts, arguments)


def _strip_wrappers(texts: list[str]) -> list[str]:
    """Return the words of a command without wrapper programs (``sudo``, ``env``) and their options."""
    while texts and _file_name(texts[0]) in _RUN_BY:
        texts = [text for text in texts[1:] if not text.startswith("-")]
    return texts


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _runs_tests(name: str, texts: Sequence[str], arguments: Sequence[str]) -> bool:
    """Return True if a program that also does other work runs tests here."""
    if name in _TASK_RUNNERS:
        return _is_test_task(arguments)
    if name in _BUILD_TOOLS:
        return any(text in _BUILD_TOOL_TESTS for text in arguments[:3])
    if name.startswith("python"):
        is_django = arguments[:2] in (["manage.py", "test"], ["setup.py", "test"])
        return is_django or ("-m" in texts and bool(_TEST_RUNNERS.intersection(arguments)))
    if name in _FRAMEWORKS:
        return any(text in ("test", "test:system", "eunit", "ct") for text in arguments[:2])
    return _runs_project_script(name, texts, arguments)


def _is_test_task(arguments: Sequence[str]) -> bool:
    """Return True if the arguments of a task runner name a task with tests."""
    is_run = len(arguments) > 1 and arguments[0] in ("run", "run-script", "exec")
    task = arguments[1] if is_run else next(iter(arguments), "")
    return _TASK.match(task) is not None or task in _TEST_RUNNERS | _LINTERS


def _runs_project_script(name: str, texts: Sequence[str], arguments: Sequence[str]) -> bool:
    """Return True if a script of the project with tests runs, by itself or by an interpreter."""
    if "/" in texts[0] and _OWN_TESTS.search(name) is not None:
        return True
    script = next(iter(arguments), "").rpartition("/")[2]
    return name in INTERPRETERS and _OWN_TESTS.search(script) is not None


_NO_TEST_OPTIONS = frozenset({"--version", "--help", "-V", "--fix", "--install"})
_TASK_RUNNERS = frozenset(
    {
        "npm", "pnpm", "yarn", "bun", "make", "just", "task", "rake", "composer", "gmake", "mise", "invoke",
    }
)  # fmt: skip
_BUILD_TOOLS = frozenset(
    {"go", "cargo", "dotnet", "mvn", "gradle", "gradlew", "mvnw", "swift", "bazel", "deno", "mix"}
)
_BUILD_TOOL_TESTS = frozenset(
    {"test", "verify", "clippy", "vet", "lint", "check", "nextest", "audit", "integrationTest"}
)
_FRAMEWORKS = frozenset(
    {"rails", "artisan", "php", "manage.py", "bin/rails", "phpunit", "sbt", "lein", "rebar3", "zig"}
)


def is_audit(command: Command) -> bool:
    """Return True if a command reports known vulnerabilities of dependencies."""
    texts = [word.text for word in unwrap_command(command)]
    name = texts[0].rpartition("/")[2] if texts else ""
    is_part = name in ("npm", "pnpm", "yarn", "cargo", "composer", "bundle", "bun") and "audit" in texts[1:3]
    return name in _AUDITS or (is_part and "fix" not in texts)


_AUDITS = frozenset(
    {
        "bundle-audit", "bundler-audit", "safety", "gitleaks", "trufflehog", "snyk", "detect-secrets",
        "brakeman",
        "osv-scanner", "dependency-check", "nancy", "semgrep", "trivy", "grype", "pip-audit", "audit-ci",
        "better-npm-audit", "kics", "terrascan", "dockle",
    }
)  # fmt: skip
_OWN_TESTS = LazyPattern(
    r"^(?:run[-_]?)?(?:all[-_]?)?(?:unit|integration|e2e|smoke|acceptance|system)?[-_]?(?:tests?|specs?|lint|checks?)(?:[-_]\w+)?(?:\.(?:sh|bash|py|js|rb))?$"
)
WAITS = LazyPattern(
    r"\b(?:playwright|cypress|wdio|testcafe|nightwatch|detox|maestro|k6)\s+(?:test|run|open)\b"
    r"|\bgo test\b[^\n]*\s-fuzz\b"
    r"|\bcargo (?:\+\w+ )?fuzz run\b|\bconnected(?:Android)?(?:Debug)?(?:Android)?(?:Test|Check)\b"
    r"|\bwait-on\b"
    r"|^\s*(?:until|while !)\s[^\n]*(?:curl|nc|wget|pg_isready|kubectl|docker|gh|aws)\b"
    r"|\b(?:docker[ -]compose)\s+(?:-\S+\s+\S+\s+)*up\b(?![^\n]*(?:\s-d\b|--detach|--wait))"
    r"|\btail\s+-[fF]\b|(?:^|\s)ssh\s+\S+@\S+",
    re.MULTILINE,
)
"""Programs that wait for a browser, a device, a server or a random event."""
