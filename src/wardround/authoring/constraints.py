"""The constraints of a task: the items and paragraphs of a Markdown file, or a YAML list of strings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wardround.authoring.instance import Constraint
from wardround.authoring.text_file import read_input
from wardround.errors import UsageError
from wardround.lazy import LazyPattern

MOST_CONSTRAINTS = 100
LONGEST_CONSTRAINT = 2000
_ITEM = LazyPattern(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)$")
_BETWEEN = LazyPattern(r"#{1,6}\s|\s*(?:-{3,}|={3,}|\*{3,}|<!--.*-->)?\s*$")
"""Headings, rules, comments and blank lines."""
_YAML = (".yml", ".yaml")


def read_constraints(path: Path) -> tuple[Constraint, ...]:
    """Return the constraints of a file, in its order.

    Raises:
        UsageError: it cannot be read, or is not a list of constraints.
    """
    text = read_input(path, f"the constraints file {path}")
    is_yaml = path.suffix.lower() in _YAML
    found = tuple(_from_yaml(text, path) if is_yaml else _from_markdown(text))
    if not found:
        raise UsageError(f"{path} has no constraints; write one list item or paragraph for each")
    if len(found) > MOST_CONSTRAINTS:
        raise UsageError(
            f"{path} has {len(found)} constraints, more than {MOST_CONSTRAINTS}; merge or remove some"
        )
    for constraint in found:
        if len(constraint.text) > LONGEST_CONSTRAINT:
            place = f"{path}:{constraint.line}"
            raise UsageError(
                f"{place}: the constraint has more than {LONGEST_CONSTRAINT} characters; shorten it"
            )
    return found


def _from_markdown(text: str) -> Iterator[Constraint]:
    """Yield list items and paragraphs; headings and comments are none."""
    start, parts = 0, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        item = _ITEM.match(line)
        is_between = item is None and _BETWEEN.match(line) is not None
        if parts and (item is not None or is_between):
            yield Constraint(" ".join(parts), start)
            parts = []
        if not is_between:
            start = start if parts else number
            parts.append(line.strip() if item is None else item["text"].strip())


def _from_yaml(text: str, path: Path) -> Iterator[Constraint]:
    import yaml  # only constraints in this form need it

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as cause:
        reason = str(getattr(cause, "problem", None) or "it is nested too deep")
        raise UsageError(f"{path} is not valid YAML: {reason}; write a list of strings") from cause
    if node is None:
        return
    if not isinstance(node, yaml.SequenceNode):
        raise UsageError(f"{path} is not a list; write a list of strings")
    for item in node.value:
        line = item.start_mark.line + 1
        if not isinstance(item, yaml.ScalarNode) or not item.value.strip():
            raise UsageError(f"{path}:{line}: the item is not a text; write a list of strings")
        yield Constraint(" ".join(item.value.split()), line)
