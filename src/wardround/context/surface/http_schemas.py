"""Differences of the schemas of requests and responses, each named component once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wardround.context.surface.packages import table

_MOST_DEPTH = 8
_COMPOSED = ("oneOf", "anyOf", "not")

Schema = Mapping[str, Any]


def resolved(document: Schema, value: Any) -> Schema:
    """Return what a local reference leads to, or the value itself; an empty one for anything else."""
    for _ in range(_MOST_DEPTH):
        reference = value.get("$ref") if isinstance(value, Mapping) else None
        if not isinstance(reference, str):
            break
        value = table(document, *reference.removeprefix("#/").split("/")) if reference[:2] == "#/" else {}
    return value if isinstance(value, Mapping) else {}


def _component(value: Any) -> str:
    """Return the name of the component that a reference leads to; empty for anything else."""
    reference = value.get("$ref") if isinstance(value, Mapping) else None
    return reference.rpartition("/")[2] if isinstance(reference, str) else ""


class SchemaDifference:
    """Compares schemas of two descriptions, and remembers those it has compared."""

    def __init__(self, before: Schema, after: Schema) -> None:
        self._before, self._after = before, after
        self._done: set[tuple[str, bool]] = set()

    def of_operation(self, old: Schema, new: Schema) -> Iterator[tuple[str, str]]:
        """Yield the component, empty for the operation itself, and the change as a predicate."""
        before, after = (
            resolved(self._before, old.get("requestBody")),
            resolved(self._after, new.get("requestBody")),
        )
        if after.get("required") is True and before.get("required") is not True:
            yield "", "requires a body" if before else "requires a new body"
        yield from self._contents(before, after, is_request=True)
        yield from self._bodies(old, new)
        answers = table(new, "responses")
        for status, answer in table(old, "responses").items():
            if not str(status).startswith("2"):
                continue
            if status not in answers:
                yield "", f"has no response {status}"
                continue
            first, second = resolved(self._before, answer), resolved(self._after, answers[status])
            yield from self._contents(first, second, is_request=False)
            yield from self._schemas(first.get("schema"), second.get("schema"), is_request=False)

    def _bodies(self, old: Schema, new: Schema) -> Iterator[tuple[str, str]]:
        """Compare the parameters that are bodies, as version 2 has them."""
        bodies = []
        for document, operation in ((self._before, old), (self._after, new)):
            listed = operation.get("parameters")
            found = [resolved(document, one) for one in listed] if isinstance(listed, list) else []
            bodies.append(next((one.get("schema") for one in found if one.get("in") == "body"), None))
        yield from self._schemas(*bodies, is_request=True)

    def _contents(self, old: Schema, new: Schema, *, is_request: bool) -> Iterator[tuple[str, str]]:
        before, after = table(old, "content"), table(new, "content")
        for media, value in before.items():
            if media in after:
                schemas = table(before, media).get("schema"), table(after, media).get("schema")
                yield from self._schemas(*schemas, is_request=is_request)
            elif after and isinstance(value, Mapping):
                where = "requests" if is_request else "responses"
                yield "", f"has no {media} in {where}"

    def _schemas(self, old: Any, new: Any, *, is_request: bool) -> Iterator[tuple[str, str]]:
        if old is not None and new is not None:
            yield from self._compare(old, new, "", "", _MOST_DEPTH, is_request=is_request)

    def _compare(
        self, old: Any, new: Any, owner: str, place: str, depth: int, *, is_request: bool
    ) -> Iterator[tuple[str, str]]:
        """Compare two schemas.

        Args:
            owner: the component that contains them.
            place: the properties that lead to them in it.
        """
        name = _component(old)
        if name:
            if (name, is_request) in self._done:
                return
            self._done.add((name, is_request))
            owner, place = _component(new) or name, ""
        before, after = resolved(self._before, old), resolved(self._after, new)
        if (
            not depth
            or not before
            or not after
            or any(key in one for one in (before, after) for key in _COMPOSED)
        ):
            return
        yield from self._types(before, after, owner, place, is_request=is_request)
        yield from self._properties(before, after, owner, place, depth, is_request=is_request)
        if "items" in before and "items" in after:
            items = before["items"], after["items"]
            yield from self._compare(*items, owner, f"{place}[]", depth - 1, is_request=is_request)

    def _types(
        self, before: Schema, after: Schema, owner: str, place: str, *, is_request: bool
    ) -> Iterator[tuple[str, str]]:
        where = f" for `{place.lstrip('.')}`" if place else ""
        old, new = before.get("type"), after.get("type")
        if (
            isinstance(old, str)
            and isinstance(new, str)
            and not _is_compatible(old, new, is_request=is_request)
        ):
            yield owner, f"has the type {new} instead of {old}{where}"
        lost = [one for one in _enum(before) if one not in _enum(after)] if _enum(after) else []
        if lost and is_request:
            yield owner, f"does not accept `{lost[0]}`{where}"

    def _properties(
        self, before: Schema, after: Schema, owner: str, place: str, depth: int, *, is_request: bool
    ) -> Iterator[tuple[str, str]]:
        old, new = self._members(self._before, before), self._members(self._after, after)
        required = self._required(self._before, before), self._required(self._after, after)
        for name, schema in old.items():
            label = f"{place}.{name}".lstrip(".")
            if name not in new:
                if not is_request:
                    yield owner, f"has no property `{label}` in responses"
                continue
            if is_request and name in required[1] and name not in required[0]:
                yield owner, f"requires the property `{label}` in requests"
            yield from self._compare(
                schema, new[name], owner, f"{place}.{name}", depth - 1, is_request=is_request
            )
        for name in new if is_request and old else ():
            if name not in old and name in required[1] and "default" not in resolved(self._after, new[name]):
                yield owner, f"requires the new property `{f'{place}.{name}'.lstrip('.')}` in requests"

    def _members(self, document: Schema, schema: Schema) -> dict[str, Any]:
        """Return the properties of a schema and of all schemas that it combines."""
        found: dict[str, Any] = {}
        for one in self._combined(document, schema):
            found |= table(one, "properties")
        return found

    def _required(self, document: Schema, schema: Schema) -> set[str]:
        lists = (one.get("required") for one in self._combined(document, schema))
        return {str(name) for listed in lists if isinstance(listed, list) for name in listed}

    def _combined(self, document: Schema, schema: Schema) -> list[Schema]:
        found, open_ = [schema], [schema]
        for _ in range(_MOST_DEPTH):
            listed = [
                part for one in open_ for part in one.get("allOf") or () if isinstance(one.get("allOf"), list)
            ]
            open_ = [resolved(document, part) for part in listed]
            found += open_
        return found


def _enum(schema: Schema) -> list[Any]:
    """Return the values that a schema lists; of those with a description, the value alone."""
    found = schema.get("enum")
    listed = found if isinstance(found, list) else []
    return [one.get("const") if isinstance(one, Mapping) else one for one in listed]


def _is_compatible(old: str, new: str, *, is_request: bool) -> bool:
    """Return True if a type is the same, or wider in requests and narrower in responses."""
    pair = (old, new) if is_request else (new, old)
    return old == new or pair == ("integer", "number")
