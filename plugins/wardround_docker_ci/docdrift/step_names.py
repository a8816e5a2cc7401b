"""Compare the versions and tools in names of steps and jobs with the change to their commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.languages.yaml import nodes, tree
from wardround.languages.yaml.nodes import Node, Scalar
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.github_workflow import Workflow

_VERSION = LazyPattern(r"(?<![\w.$/])v?(\d+(?:\.\d+)+)(?![\w.]*\w)")
_NUMBERED = LazyPattern(
    r"(?i)\b(?:node(?:\.?js)?|java|jdk|jre|temurin|php|go|postgres(?:ql)?|mysql|mariadb|redis"
    r"|mongo(?:db)?|xcode|"
    r"llvm|clang|gcc|ruby|python|\.?net|dotnet|debian|fedora|macos|macos-|ubuntu)[ -]v?(\d{1,4})(?![\w.]*\w)"
)
_FILLED_IN = LazyPattern(r"\$\{\{.*?\}\}|\$\w+")
_REMARK = LazyPattern(r"(?m)(?:^|(?<=\s))#.*$")
_WORD = LazyPattern(
    r"(?<![\w./-])(?<!\bto )(?<!\bon )(?<!\bfor )(?<!\bfrom )[A-Za-z][\w-]*(?![\w/-])"
    r"(?! (?:packages?|modules?|images?|containers?|registry|hub|tokens?|dependenc(?:y|ies)|deps|publish\w*"
    r"|env(?:ironment)?s?|releases?)\b)",
    re.IGNORECASE,
)
"""A word by itself; in "publish npm package" or "publish to npm" it names a product or destination."""

_FAMILIES = (
    "flake8 ruff pylint pycodestyle pyflakes black isort autopep8 yapf autoflake",
    "mypy pyright pytype pyre basedpyright ty",
    "pytest nose nosetests nose2 tox nox",
    "jest vitest mocha karma jasmine ava",
    "cypress playwright selenium puppeteer testcafe",
    "npm yarn pnpm bun",
    "pip pipenv poetry uv pdm hatch conda mamba micromamba rye easy_install",
    "eslint tslint oxlint biome prettier standard xo jshint",
    "webpack rollup vite esbuild parcel tsup gulp grunt rspack",
    "maven gradle ant bazel",
    "docker podman buildah kaniko",
    "codecov coveralls codeclimate",
    "bandit safety trivy snyk grype pip-audit clair anchore",
    "golint golangci-lint staticcheck revive",
    "cmake meson autotools bazel",
    "sphinx mkdocs docusaurus vuepress vitepress",
    "twine flit",
    "kubectl helm kustomize",
)
"""Families of tools that replace each other."""
_COMMANDS = {"maven": ("maven", "mvn", "mvnw"), "gradle": ("gradle", "gradlew"), "pip": ("pip", "pip3")}
_VERSION_AT = r"(?<![\w.])v?{}(?!\w|\.\d)"


class NamedStep(msgspec.Struct, frozen=True):
    """A named step, job or workflow.

    Attributes:
        place: the unique key of the entry, including its name.
        done: the values below it, except names.
    """

    place: tuple[str, ...]
    name: Scalar
    done: tuple[str, ...]


class StaleStepName(msgspec.Struct, frozen=True):
    """A version or a tool in a name, and its replacement in the commands.

    Attributes:
        start, end: the offsets of the outdated text in the file.
    """

    term: str
    now: str
    name: str
    start: int
    end: int


def stale_versions(file: CiFile, source: SourceFile) -> list[StaleStepName]:
    """Return the versions in names that the change removes from the commands."""
    return [one for new, old in _pairs(file, source, versions_in) for one in versions(file, new, old)]


def stale_tools(file: CiFile, source: SourceFile) -> list[StaleStepName]:
    """Return the well-known tools in names that the change removes from the commands."""
    return [one for new, old in _pairs(file, source, tools_in) for one in tools(file, new, old)]


def versions_in(name: str) -> dict[str, int]:
    """Return the versions in a name with their offsets."""
    plain = _FILLED_IN.sub(lambda hole: "_" * len(hole[0]), name)
    matches = [*_VERSION.finditer(plain), *_NUMBERED.finditer(plain)]
    return {match[1]: match.start(1) for match in reversed(matches)}


def tools_in(name: str) -> dict[str, int]:
    """Return the well-known tools in a name, as written, with their offsets."""
    plain = _FILLED_IN.sub(lambda hole: "_" * len(hole[0]), name)
    families = _families()
    return {m[0]: m.start() for m in _WORD.finditer(plain) if m[0].lower() in families}


def _families() -> Mapping[str, frozenset[str]]:
    return {tool: frozenset(line.split()) for line in _FAMILIES for tool in line.split()}


def named(root: nodes.Mapping, kind: FileKind) -> Iterator[NamedStep]:
    """Yield the named entries of a file."""
    if kind is FileKind.GITLAB_CI:
        for key, value in root.entries:
            if isinstance(value, nodes.Mapping) and value.get("script") is not None:
                yield NamedStep((key.value,), key, _values(value))
        return
    workflow = Workflow(root)
    yield from _with_name((), root)
    for job in workflow.jobs:
        yield from _with_name((job.name,), job.node)
    for job, step in workflow.all_steps:
        yield from _with_name((job.name, "step"), step.node)


def _with_name(place: tuple[str, ...], node: nodes.Mapping) -> Iterator[NamedStep]:
    name = node.scalar("name")
    if name is not None and name.value:
        yield NamedStep((*place, name.value), name, _values(node))


def _values(node: Node) -> tuple[str, ...]:
    """Return the scalars below a node except names, without the comments of scripts."""
    found: list[str] = []
    pending: list[Node] = [node]
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Scalar):
            found.append(_REMARK.sub("", one.value) if "#" in one.value else one.value)
        elif isinstance(one, nodes.Sequence):
            pending += one.items
        else:
            pending += [
                value for key, value in one.entries if key.value not in ("name", "run-name", "description")
            ]
    return tuple(line.strip() for value in found for line in value.split("\n") if line.strip())


def _pairs(
    file: CiFile, source: SourceFile, term: Callable[[str], Mapping[str, int]]
) -> list[tuple[NamedStep, NamedStep]]:
    """Return the entries whose names contain a term of this kind, each with its former version."""
    base = source.base_text
    if base is None or base == source.text:
        return []
    candidates = [
        one
        for one in named(file.root, file.kind)
        if any(_grew_rarer(word, base, source.text) for word in term(one.name.value))
    ]
    if not candidates:
        return []
    return list(_matched(candidates, _named_before(base, file.kind)))


def _grew_rarer(word: str, old: str, new: str) -> bool:
    """Return True if the commands of a word occur less often after the change."""
    return any(old.lower().count(one) > new.lower().count(one) for one in _commands(word))


def _commands(tool: str) -> tuple[str, ...]:
    return _COMMANDS.get(tool.lower(), (tool.lower(),))


def _named_before(base: str, kind: FileKind) -> list[NamedStep]:
    """Return the named entries before the change; none if the base cannot be parsed."""
    try:
        before = next((d for d in tree.documents(base) if isinstance(d, nodes.Mapping)), None)
    except SyntaxError:
        return []
    return list(named(before, kind)) if before else []


def _matched(new: Sequence[NamedStep], old: Sequence[NamedStep]) -> Iterator[tuple[NamedStep, NamedStep]]:
    count = Counter(one.place for one in old)
    again = Counter(one.place for one in new)
    by_place = {one.place: one for one in old if count[one.place] == 1}
    for one in new:
        if one.place in by_place and again[one.place] == 1 and by_place[one.place].done != one.done:
            yield one, by_place[one.place]


def versions(file: CiFile, new: NamedStep, old: NamedStep) -> Iterator[StaleStepName]:
    """Yield the versions in the name of ``new`` that the change replaced in the commands of ``old``."""
    for version, at in versions_in(new.name.value).items():
        pattern = re.compile(_VERSION_AT.format(re.escape(version)))
        looser = re.compile(rf"(?<![\d.]){re.escape(version)}(?!\d)")
        if any(looser.search(line) for line in new.done):
            continue
        for line in (one for one in old.done if pattern.search(one)):
            shape = re.escape(pattern.sub("\0", line)).replace("\0", r"v?(\d+(?:\.[\dx*]+)*)")
            added = Counter(new.done) - Counter(old.done)
            now = next((m[1] for one in added if (m := re.fullmatch(shape, one))), None)
            if now is not None and now.count(".") >= version.count("."):
                yield _stale(file, new, version, now, at)
                break


def tools(file: CiFile, new: NamedStep, old: NamedStep) -> Iterator[StaleStepName]:
    """Yield the tools in the name of ``new`` that the change replaced; ``file`` contains the name."""
    families = _families()
    before, after = _words_of(old.done), _words_of(new.done)
    parts = frozenset(part for word in after for part in re.split("[-_]", word))
    for tool, at in tools_in(new.name.value).items():
        if not before.intersection(_commands(tool)) or parts.intersection(_commands(tool)):
            continue
        added = after - before
        now = sorted(one for one in families[tool.lower()] if added.intersection(_commands(one)))
        if now:
            yield _stale(file, new, tool, now[0], at)


def _words_of(lines: Sequence[str]) -> frozenset[str]:
    return frozenset(word.lower() for line in lines for word in re.findall(r"[A-Za-z][\w-]*", line))


def _stale(file: CiFile, new: NamedStep, term: str, now: str, at: int) -> StaleStepName:
    passage = file.passage(new.name)
    place = passage.text.find(term, min(at, max(len(passage.text) - len(term), 0)))
    start = passage.start + max(place, 0)
    return StaleStepName(term, now, new.name.value, start, start + len(term))


_TARGETS = (
    "staging production prod development dev preview sandbox testing qa uat canary",
    "ubuntu windows macos linux alpine debian fedora",
    "main master develop",
    "hourly daily nightly weekly monthly",
    "frontend backend server client web mobile ios android api worker workers docs admin",
    "aws gcp azure",
    "dockerhub ghcr ecr gcr quay",
    "postgres postgresql mysql sqlite mariadb mssql oracle",
    "debug release",
    "chromium chrome firefox webkit safari edge",
    "amd64 arm64 armv7 x86",
)
"""Targets of work; the words of one line replace each other."""
_TARGET_WORD = LazyPattern(r"(?<![\w./-])[A-Za-z][A-Za-z0-9]+(?![\w/-])")
_WORK = {
    "lint": (r"lint(?:s|er|ers|ing)?",
             "eslint oxlint flake8 pylint ruff tslint stylelint golangci-lint golint rubocop "
             "hadolint shellcheck yamllint clippy"
             " sqlfluff biome standard xo actionlint markdownlint ktlint"),
    "types": (r"type[- ]?(?:check(?:s|ing)?"
              r"|s)|types", "tsc mypy pyright basedpyright pyre vue-tsc ty sorbet"),
    "test": (r"(?:unit |integration )?tests?",
             "pytest jest vitest mocha nose2 tox nox rspec phpunit ava jasmine karma unittest ctest"),
    "format": (r"format(?:s|ting)?", "prettier black gofmt rustfmt isort yapf clang-format dprint shfmt"),
    "e2e": (r"e2e(?: tests?)?|end-to-end(?: tests?)?", "playwright cypress puppeteer testcafe wdio"),
    "audit": (r"audit|vulnerabilit(?:y|ies)"
              r"|security scan", "pip-audit trivy snyk grype safety bandit audit-ci osv-scanner"),
    "docs": (r"(?:build )?docs|documentation", "mkdocs sphinx-build typedoc docusaurus vitepress jsdoc"),
    "deploy": (r"deploy(?:ment|s)?", "kubectl helm rsync vercel netlify fly flyctl serverless"),
}  # fmt: skip
"""Kinds of work: patterns of their names, and the programs that do only that."""
_ALIKE = {"test": ("e2e",), "lint": ("format",)}
"""Other kinds of work that a name of the first kind may also denote."""


_ANY_WORK = LazyPattern(
    r"\b(?:pre-commit|make|hatch|nox|tox|just|nx|turbo|lerna|invoke|moon|bazel|gradlew?|mvnw?)\b"
)
"""Programs whose work is defined by the project."""


def work_in(name: str) -> dict[str, int]:
    """Return the one kind of work in a name, as written, with its offset; empty if there are several."""
    found: dict[str, tuple[str, int]] = {}
    for work, (term, _) in _WORK.items():
        match = re.search(rf"(?i)(?<![\w-])(?:{term})(?![\w-])", name)
        if match:
            found[work] = (match[0], match.start())
    if "e2e" in found:
        found.pop("test", None)
    return dict(found.values()) if len(found) == 1 else {}


def stale_work(file: CiFile, source: SourceFile) -> list[StaleStepName]:
    """Return the kinds of work in names that the change replaced by another kind."""
    base = source.base_text
    if base is None or base == source.text or not any(_does(base).values()):
        return []
    candidates = [one for one in named(file.root, file.kind) if work_in(one.name.value)]
    if not candidates:
        return []
    pairs = _matched(candidates, _named_before(base, file.kind))
    return [one for new, old in pairs for one in works(file, new, old)]


def stale_targets(file: CiFile, source: SourceFile) -> list[StaleStepName]:
    """Return the words in names, such as an environment's, that the change replaced in the commands."""
    return [one for new, old in _pairs(file, source, words_in) for one in targets(file, new, old)]


def words_in(name: str) -> dict[str, int]:
    """Return the environments, systems and times in a name with their offsets."""
    plain = _FILLED_IN.sub(lambda hole: "_" * len(hole[0]), name)
    return {m[0]: m.start() for m in _TARGET_WORD.finditer(plain) if m[0].lower() in _target_families()}


def _target_families() -> Mapping[str, frozenset[str]]:
    return {word: frozenset(line.split()) for line in _TARGETS for word in line.split()}


def targets(file: CiFile, new: NamedStep, old: NamedStep) -> Iterator[StaleStepName]:
    """Yield the targets in the name of ``new`` that the change replaced in the commands of ``old``."""
    named = words_in(new.name.value)
    left = _words_of(new.done)
    others = {word.lower() for word in named}
    for word, at in named.items():
        pattern = re.compile(rf"(?i)(?<![A-Za-z]){word}(?![A-Za-z])")
        if word.lower() in left or any(pattern.search(line) for line in new.done):
            continue
        family = _target_families()[word.lower()] - others
        lines = (line for line in old.done if pattern.search(line))
        replaced = (_replacement(pattern, line, new.done) for line in lines)
        now = next((target for target in replaced if target.lower() in family), None)
        if now is not None:
            yield _stale(file, new, word, now, at)


def _replacement(pattern: re.Pattern[str], line: str, lines: Sequence[str]) -> str:
    """Return the word at the position of a pattern in the first line that is otherwise the same."""
    shape = re.escape(pattern.sub("\0", line)).replace("\0", r"([A-Za-z][\w]*)")
    return next((match[1] for one in lines if (match := re.fullmatch(shape, one))), "")


def _does(text: str) -> dict[str, str]:
    """Return the kinds of work whose programs a text contains, each with one of them."""
    words = {word.lower() for word in re.findall(r"(?<![\w./-])[A-Za-z][\w-]*(?![\w/-])", text)}
    return {
        work: next((tool for tool in tools.split() if tool in words), "")
        for work, (_, tools) in _WORK.items()
    }


def works(file: CiFile, new: NamedStep, old: NamedStep) -> Iterator[StaleStepName]:
    """Yield the kinds of work in the name of ``new`` that the change replaced by another kind."""
    commands = "\n".join(new.done)
    had, does = _does("\n".join(old.done)), _does(commands)
    for term, at in work_in(new.name.value).items():
        work = next(w for w, (shape, _) in _WORK.items() if re.fullmatch(rf"(?i){shape}", term))
        alike = {work, *_ALIKE.get(work, ())}
        added = sorted(other for other in does if does[other] and not had[other] and other not in alike)
        if had[work] and not does[work] and added and not _may_still_do(work, commands):
            yield _stale(file, new, term, does[added[0]], at)


def _may_still_do(work: str, commands: str) -> bool:
    still = re.search(rf"(?i)(?<!\w)(?:{_WORK[work][0]})(?!\w)", commands)
    return still is not None or _ANY_WORK.search(commands) is not None
