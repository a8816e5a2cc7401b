"""Differences of the schemas of requests and responses, each named component once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from wardround.context.surface.packages import table

_MOST_DEPTH = 8
_COMPOSED = ("oneOf", "anyOf", "not")

Schema = Mapping[str, Any]


def resolve(document: Schema, value: Any) -> Schema:
    """Return the target of a local reference, or the value itself; an empty mapping for anything else."""
    for _ in range(_MOST_DEPTH):
        reference = value.get("$ref") if isinstance(value, Mapping) else None
        if not isinstance(reference, str):
            break
        value = table(document, *reference.removeprefix("#/").split("/")) if reference[:2] == "#/" else {}
    return value if isinstance(value, Mapping) else {}


def _is_comparable(schema: Schema) -> bool:
    """Return True for a known schema that is not a choice between others."""
    return bool(schema) and not any(key in schema for key in _COMPOSED)


def _component_name(value: Any) -> str:
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
            resolve(self._before, old.get("requestBody")),
            resolve(self._after, new.get("requestBody")),
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
            first, second = resolve(self._before, answer), resolve(self._after, answers[status])
            yield from self._contents(first, second, is_request=False)
            yield from self._schemas(first.get("schema"), second.get("schema"), is_request=False)

    def _bodies(self, old: Schema, new: Schema) -> Iterator[tuple[str, str]]:
        """Compare the parameters that are bodies, as version 2 has them."""
        bodies = []
        for document, operation in ((self._before, old), (self._after, new)):
            listed = operation.get("parameters")
            found = [resolve(document, item) for item in listed] if isinstance(listed, list) else []
            bodies.append(
                next((parameter.get("schema") for parameter in found if parameter.get("in") == "body"), None)
            )
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
            place: the path of properties to the schemas.
        """
        name = _component_name(old)
        if name:
            if (name, is_request) in self._done:
                return
            self._done.add((name, is_request))
            owner, place = _component_name(new) or name, ""
        before, after = resolve(self._before, old), resolve(self._after, new)
        if not depth or not _is_comparable(before) or not _is_comparable(after):
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
        lost = [value for value in _enum(before) if value not in _enum(after)] if _enum(after) else []
        if lost and is_request:
            yield owner, f"does not accept `{lost[0]}`{where}"

    def _properties(
        self, before: Schema, after: Schema, owner: str, place: str, depth: int, *, is_request: bool
    ) -> Iterator[tuple[str, str]]:
        old, new = self._members(self._before, before), self._members(self._after, after)
        required = self._required_names(self._after, after)
        was_required = self._required_names(self._before, before)
        for name, schema in old.items():
            label = f"{place}.{name}".lstrip(".")
            if name not in new:
                if not is_request:
                    yield owner, f"has no property `{label}` in responses"
                continue
            if is_request and name in required - was_required:
                yield owner, f"requires the property `{label}` in requests"
            yield from self._compare(
                schema, new[name], owner, f"{place}.{name}", depth - 1, is_request=is_request
            )
        if is_request and old:
            for name in self._without_default(new, required - old.keys()):
                yield owner, f"requires the new property `{f'{place}.{name}'.lstrip('.')}` in requests"

    def _without_default(self, properties: Schema, names: Set[str]) -> Iterator[str]:
        for name, schema in properties.items():
            if name in names and "default" not in resolve(self._after, schema):
                yield name

    def _members(self, document: Schema, schema: Schema) -> dict[str, Any]:
        """Return the properties of a schema and of all schemas that it combines."""
        found: dict[str, Any] = {}
        for part in self._combined_schemas(document, schema):
            found |= table(part, "properties")
        return found

    def _required_names(self, document: Schema, schema: Schema) -> set[str]:
        lists = (part.get("required") for part in self._combined_schemas(document, schema))
        return {str(name) for listed in lists if isinstance(listed, list) for name in listed}

    def _combined_schemas(self, document: Schema, schema: Schema) -> list[Schema]:
        found, open_ = [schema], [schema]
        for _ in range(_MOST_DEPTH):
            listed = [
                part
                for part_schema in open_
                for part in part_schema.get("allOf") or ()
                if isinstance(part_schema.get("allOf"), list)
            ]
            open_ = [resolve(document, part) for part in listed]
            found += open_
        return found


def _enum(schema: Schema) -> list[Any]:
    """Return the values of an enumeration, without their descriptions."""
    found = schema.get("enum")
    listed = found if isinstance(found, list) else []
    return [item.get("const") if isinstance(item, Mapping) else item for item in listed]


def _is_compatible(old: str, new: str, *, is_request: bool) -> bool:
    """Return True if a type is the same, or wider in requests and narrower in responses."""
    pair = (old, new) if is_request else (new, old)
    return old == new or pair == ("integer", "number")
