"""Images that the repository publishes: ports, volumes, the entry point and the user."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern
from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.packages import UNPUBLISHED
from wardround.context.surface.sides import Side, Sides, TextPair
from wardround.languages.dockerfile import Instruction, read

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
    image = posixpath.basename(pair.base_path)
    for keyword, label in (("EXPOSE", "port"), ("VOLUME", "volume")):
        for value, line in before.values(keyword).items():
            if value not in after.values(keyword) and "$" not in value:
                name = f"{label} `{value}` of {image}"
                yield SurfaceChange(KIND, pair.base_path, line, name, "is removed", True)
    for keyword, label in (("ENTRYPOINT", "entry point"), ("USER", "user")):
        old, new = before.last(keyword), after.last(keyword)
        name = f"{label} of {image}"
        if old is not None and new is None:
            yield SurfaceChange(KIND, pair.base_path, old[1], name, "is removed", True)
        elif new is not None and (old is None or old[0] != new[0]):
            was = "" if old is None else f" instead of `{old[0]}`"
            yield SurfaceChange(KIND, pair.head_path, new[1], name, f"is `{new[0]}`{was}", keyword == "USER")


class _Image:
    """The instructions that make the final image, first to last."""

    def __init__(self, text: str) -> None:
        self._text = text
        shipped = read(text).shipped
        self._instructions = [one for stage in reversed(shipped) for one in stage.instructions]

    def values(self, keyword: str) -> dict[str, int]:
        """Return the arguments of all instructions of a kind, with their lines; a port has its protocol."""
        found = {}
        for one in self._instructions:
            if one.keyword == keyword:
                for word in one.words:
                    found[word.text.removesuffix("/tcp")] = self._line(one)
        return found

    def last(self, keyword: str) -> tuple[str, int] | None:
        """Return the last instruction of a kind and its line."""
        found = [one for one in self._instructions if one.keyword == keyword]
        if not found:
            return None
        return " ".join(word.text for word in found[-1].words)[:80], self._line(found[-1])

    def _line(self, one: Instruction) -> int:
        return self._text.count("\n", 0, one.start) + 1
