"""Images that the repository publishes: ports, volumes, the entry point and the user."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.packages import UNPUBLISHED
from wardround.context.surface.sides import Side, Sides, TextPair
from wardround.languages.dockerfile import Instruction, read
from wardround.lazy import LazyPattern

KIND = SurfaceKind.CONTAINER
_DOCKERFILE = LazyPattern(r"(?i)(?:^|/)(?:[\w.-]+\.)?(?:dockerfile|containerfile)(?:\.[\w-]+)?$")
_NOT_PUBLISHED = LazyPattern(
    r"(?i)(?:^|[/._-])(?:dev|development|devcontainer|tests?|testing|ci|local|debug|e2e|bench\w*)(?:[/._-]|$)"
)
_PUBLISHES = LazyPattern(
    r"docker/build-push-action|\bdocker\s+push\b|docker/bake-action|--push\b|kaniko|ko publish"
)


def is_relevant(path: str) -> bool:
    """Return True for the description of an image that is not for development."""
    return bool(_DOCKERFILE.search(path)) and not UNPUBLISHED.search(path) and not _NOT_PUBLISHED.search(path)


def compare(sides: Sides) -> Iterator[SurfaceChange]:
    """Yield the changes of the images that some workflow of the repository pushes."""
    pairs = list(sides.text_pairs(is_relevant))
    if pairs and _is_published(sides.base):
        for pair in pairs:
            if pair.head is not None:
                yield from _changes(pair)


def _is_published(side: Side) -> bool:
    names = (".gitlab-ci.yml", "Jenkinsfile", ".circleci/config.yml", "Makefile")
    workflows = [path for path in side.paths if path.startswith(".github/workflows/") or path in names]
    side.fetch(workflows)
    return any(_PUBLISHES.search(side.read(path) or "") for path in workflows)


def _changes(pair: TextPair) -> Iterator[SurfaceChange]:
    before, after = _Image(pair.base), _Image(pair.head or "")
    for keyword, label in (("EXPOSE", "port"), ("VOLUME", "volume")):
        yield from _removals(pair, label, before.values(keyword), after.values(keyword))
    for keyword, label in (("ENTRYPOINT", "entry point"), ("USER", "user")):
        change = _setting_change(pair, label, before.last(keyword), after.last(keyword))
        if change is not None:
            yield change


def _removals(
    pair: TextPair, label: str, before: Mapping[str, int], after: Mapping[str, int]
) -> Iterator[SurfaceChange]:
    """Yield the literal values that the image has no more."""
    for value, line in before.items():
        if value not in after and "$" not in value:
            name = f"{label} `{value}` of {posixpath.basename(pair.base_path)}"
            yield SurfaceChange(KIND, pair.base_path, line, name, "is removed", True)


def _setting_change(
    pair: TextPair, label: str, before: tuple[str, int] | None, after: tuple[str, int] | None
) -> SurfaceChange | None:
    """Return the change of the last instruction of a kind: its value and line before and after."""
    name = f"{label} of {posixpath.basename(pair.base_path)}"
    match before, after:
        case (_, line), None:
            return SurfaceChange(KIND, pair.base_path, line, name, "is removed", True)
        case None, (value, line):
            return SurfaceChange(KIND, pair.head_path, line, name, f"is `{value}`", label == "user")
        case (old, _), (new, line) if old != new:
            detail = f"is `{new}` instead of `{old}`"
            return SurfaceChange(KIND, pair.head_path, line, name, detail, label == "user")
        case _:
            return None


class _Image:
    """The instructions that make the final image, first to last."""

    def __init__(self, text: str) -> None:
        self._text = text
        shipped = read(text).shipped
        self._instructions = [
            instruction for stage in reversed(shipped) for instruction in stage.instructions
        ]

    def values(self, keyword: str) -> dict[str, int]:
        """Return the arguments of all instructions of a kind, with their lines; a port has its protocol."""
        found = {}
        for instruction in self._instructions:
            if instruction.keyword == keyword:
                for word in instruction.words:
                    found[word.text.removesuffix("/tcp")] = self._line(instruction)
        return found

    def last(self, keyword: str) -> tuple[str, int] | None:
        """Return the last instruction of a kind and its line."""
        found = [instruction for instruction in self._instructions if instruction.keyword == keyword]
        if not found:
            return None
        return " ".join(word.text for word in found[-1].words)[:80], self._line(found[-1])

    def _line(self, item: Instruction) -> int:
        return self._text.count("\n", 0, item.start) + 1
