"""Jobs of GitLab pipelines."""

from __future__ import annotations

from msgspec import Struct

from wardround.languages.yaml.nodes import Mapping, Node, Scalar, Sequence

_NO_JOBS = frozenset(
    {
        "stages", "variables", "include", "workflow", "default", "image", "services", "cache",
        "before_script", "after_script", "types", "spec", "pages:deploy", "inputs",
    }
)  # fmt: skip
_SCRIPTS = ("before_script", "script", "after_script")


class GitlabJob(Struct, frozen=True, eq=False):
    """One job, or the top-level settings that all jobs share."""

    name: str
    key: Scalar | None
    node: Mapping

    @property
    def script_lines(self) -> list[Scalar]:
        """The lines of its scripts; nested lists from anchors are flattened."""
        return [line for name in _SCRIPTS for line in _flat(self.node.get(name))]


def jobs(root: Mapping) -> list[GitlabJob]:
    """Return the jobs of a file, including hidden ones, and the top-level scripts."""
    found = {
        id(value): GitlabJob(key.value, key, value)
        for key, value in root.entries
        if isinstance(value, Mapping) and (key.value not in _NO_JOBS or value.get("script") is not None)
    }
    return [*found.values(), *_shared_jobs(root)]


def _shared_jobs(root: Mapping) -> list[GitlabJob]:
    shared = [GitlabJob("default", None, root.mapping("default"))] if root.get("default") else []
    scripts = [(key, value) for key, value in root.entries if key.value in _SCRIPTS]
    return [*shared, *([GitlabJob("", None, Mapping(0, 0, scripts))] if scripts else [])]


def images(root: Mapping, found: list[GitlabJob]) -> list[Scalar]:
    """Return the images and services of every job and of the file."""
    nodes = [root, *(job.node for job in found)]
    out = [scalar for node in nodes for scalar in _image_names(node)]
    return list({id(scalar): scalar for scalar in out}.values())


def _image_names(node: Mapping) -> list[Scalar]:
    named = [node.get("image"), *node.items_at("services")]
    scalars = [entry.scalar("name") if isinstance(entry, Mapping) else entry for entry in named]
    return [scalar for scalar in scalars if isinstance(scalar, Scalar)]


def _flat(node: Node | None) -> list[Scalar]:
    found: dict[int, Scalar] = {}
    pending: list[Node] = [node] if node is not None else []
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, Scalar):
            found.setdefault(id(item), item)
        elif isinstance(item, Sequence) and id(item) not in seen:
            seen.add(id(item))
            pending += reversed(item.items)
    return list(found.values())


def inherited_value(root: Mapping, job: Mapping, key: str) -> Node | None:
    """Return the value of a key in a job, or in the nearest job of the file that it extends."""
    seen: set[int] = set()
    pending = [job]
    while pending:
        item = pending.pop(0)
        if id(item) in seen:
            continue
        seen.add(id(item))
        found = item.get(key)
        if found is not None:
            return found
        names = [name.value for name in reversed(item.items_at("extends")) if isinstance(name, Scalar)]
        pending += [root.mapping(name) for name in names if root.get(name) is not None]
    return None
