"""Pods and containers of Kubernetes manifests."""

from __future__ import annotations

from collections.abc import Sequence as Many

from msgspec import Struct

from wardround.languages.yaml.nodes import Mapping, Node, Scalar, Sequence
from wardround.languages.yaml.tree import walk
from wardround_docker_ci.models.compose import shell_arguments

_POD_SPEC_BY_KIND: dict[str, tuple[str, ...]] = {
    "Pod": ("spec",),
    "Deployment": ("spec", "template", "spec"),
    "StatefulSet": ("spec", "template", "spec"),
    "DaemonSet": ("spec", "template", "spec"),
    "ReplicaSet": ("spec", "template", "spec"),
    "ReplicationController": ("spec", "template", "spec"),
    "Job": ("spec", "template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}


class Container(Struct, frozen=True, eq=False):
    """One container of a pod."""

    node: Mapping
    is_init: bool

    @property
    def name(self) -> str:
        return self.node.text("name")

    @property
    def shell_texts(self) -> list[Scalar]:
        """The scripts that it runs with ``sh -c``."""
        command = self.node.get("command")
        found = [text for name in ("command", "args") for text in shell_arguments(self.node.get(name))]
        ends_in_c = isinstance(command, Sequence) and command.items and _is_c(command.items[-1])
        arguments = self.node.items_at("args")
        if ends_in_c and arguments and isinstance(arguments[0], Scalar):
            found.append(arguments[0])
        return found


class Pod(Struct, frozen=True, eq=False):
    """A pod, or a pod template; ``node`` is its spec."""

    kind: str
    node: Mapping

    @property
    def images(self) -> str:
        """The images of its containers, separated by blanks."""
        return " ".join(container.node.text("image") for container in self.containers)

    @property
    def containers(self) -> list[Container]:
        return [
            Container(node, name == "initContainers")
            for name in ("initContainers", "containers")
            for node in self.node.items_at(name)
            if isinstance(node, Mapping)
        ]


def _is_c(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value in ("-c", "-ec", "-lc", "-xc")


def objects(documents: Many[Node]) -> list[Mapping]:
    """Return the objects of all documents and the items of their Lists."""
    found = [document for document in documents if isinstance(document, Mapping)]
    items = []
    for document in found:
        if document.text("kind") == "List":
            items += [item for item in document.items_at("items") if isinstance(item, Mapping)]
    return found + items


def pods(documents: Many[Node]) -> list[Pod]:
    """Return the pods and pod templates of the documents."""
    out = []
    for resource in objects(documents):
        kind = resource.text("kind")
        path = _POD_SPEC_BY_KIND.get(kind)
        spec = resource.at(*path) if path else None
        if isinstance(spec, Mapping):
            out.append(Pod(kind, spec))
    return out


def contexts(root: Mapping) -> list[Mapping]:
    """Return the security contexts in a chart's values, at any depth."""
    return [
        value
        for node in walk(root)
        for key, value in (node.entries if isinstance(node, Mapping) else ())
        if isinstance(value, Mapping) and key.value.lower().endswith("securitycontext")
    ]
