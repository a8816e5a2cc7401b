"""HTTP interfaces: requests and clients that a new description does not fit."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from tests.context.surface.differences import surface

PAGE = {"name": "page", "in": "query", "schema": {"type": "integer"}}
USER = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "role": {"type": "string", "enum": ["a", "b"]},
    },
}
ANSWER = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}}}
API: dict[str, Any] = {
    "openapi": "3.0.0",
    "paths": {
        "/users/{id}": {
            "get": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    PAGE,
                ],
                "responses": ANSWER,
            },
            "put": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Change"}}}
                },
                "responses": {"204": {}},
            },
        }
    },
    "components": {"schemas": {"User": USER, "Change": deepcopy(USER)}},
}


def changed(*keys: str, value: Any = None) -> dict[str, Any]:
    """Return the description with a value replaced, or removed."""
    found = deepcopy(API)
    holder = found
    for key in keys[:-1]:
        holder = holder[key]
    if value is None:
        del holder[keys[-1]]
    else:
        holder[keys[-1]] = value
    return found


def broken(head: dict[str, Any] | None, base: dict[str, Any] = API, path: str = "openapi.json") -> list[str]:
    text = None if head is None else json.dumps(head, indent=2)
    found = surface({path: json.dumps(base, indent=2)}, {path: text}, package=False).breaking
    return [f"{item.name} {item.detail}" for item in found]


GET = ("paths", "/users/{id}", "get")
SCHEMA = ("components", "schemas")


@pytest.mark.parametrize(
    ("keys", "value", "expected"),
    [
        (("paths", "/users/{id}"), None, "/users/{id} is removed"),
        (GET, None, "GET /users/{id} is removed"),
        ((*GET, "parameters"), [PAGE | {"schema": {"type": "boolean"}}],
         "GET /users/{id} has the parameter `page` as boolean instead of integer"),
        ((*GET, "parameters"), [PAGE | {"required": True}],
         "GET /users/{id} requires the parameter `page`"),
        ((*GET, "parameters"), [{"name": "size", "in": "query", "required": True}],
         "GET /users/{id} requires the new parameter `size`"),
        ((*GET, "responses", "200"), None, "GET /users/{id} has no response 200"),
        ((*SCHEMA, "User", "properties", "name"), None, "schema User has no property `name` in responses"),
        ((*SCHEMA, "User", "properties", "id", "type"), "string",
         "schema User has the type string instead of integer for `id`"),
        ((*SCHEMA, "Change", "required"), ["id", "name"],
         "schema Change requires the property `name` in requests"),
        ((*SCHEMA, "Change", "properties", "role", "enum"), ["a"],
         "schema Change does not accept `b` for `role`"),
        (("paths", "/users/{id}", "put", "requestBody", "required"), True, "PUT /users/{id} requires a body"),
    ],
)  # fmt: skip
def test_a_change_that_breaks_clients(keys: tuple[str, ...], value: Any, expected: str) -> None:
    assert broken(changed(*keys, value=value)) == [expected]


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("paths", "/users/{id}", "delete"), {"responses": {}}),
        ((*GET, "parameters"), [{"name": "size", "in": "query"}]),
        ((*GET, "parameters"), [PAGE | {"schema": {"type": "string"}}]),
        ((*GET, "parameters"), [PAGE | {"schema": {}}]),
        ((*GET, "parameters"), [PAGE | {"schema": {"type": "array"}}]),
        ((*SCHEMA, "User", "properties", "mail"), {"type": "string"}),
        ((*SCHEMA, "Change", "properties", "name"), None),
        ((*SCHEMA, "User", "properties", "role", "enum"), ["a"]),
        ((*SCHEMA, "Change", "properties", "id", "type"), "number"),
        ((*SCHEMA, "Change", "properties", "role", "enum"), [{"const": "a"}, {"const": "b"}]),
        (("info",), {"title": "x"}),
    ],
)  # fmt: skip
def test_a_change_that_clients_do_not_notice(keys: tuple[str, ...], value: Any) -> None:
    assert broken(changed(*keys, value=value)) == []


def test_another_name_of_a_path_parameter_is_invisible() -> None:
    found = deepcopy(API)
    found["paths"] = {"/users/{user}": found["paths"]["/users/{id}"]}
    assert broken(found) == []


def test_two_paths_that_differ_in_the_name_of_a_parameter_are_two() -> None:
    base = deepcopy(API)
    base["paths"]["/users/{token}"] = {"post": {"responses": {"204": {}}}}
    head = deepcopy(base)
    head["info"] = {"title": "x"}
    assert broken(head, base) == []


def test_a_schema_that_several_operations_use_is_reported_once() -> None:
    base = deepcopy(API)
    base["paths"]["/me"] = {"get": {"responses": ANSWER}}
    head = deepcopy(base)
    del head["components"]["schemas"]["User"]["properties"]["name"]
    assert broken(head, base) == ["schema User has no property `name` in responses"]


def test_schemas_that_refer_to_themselves_are_compared() -> None:
    base = deepcopy(API)
    base["components"]["schemas"]["User"]["properties"]["boss"] = {"$ref": "#/components/schemas/User"}
    head = deepcopy(base)
    del head["components"]["schemas"]["User"]["properties"]["name"]
    assert broken(head, base) == ["schema User has no property `name` in responses"]


def test_a_deleted_description_is_removed() -> None:
    assert broken(None) == ["openapi.json is removed"]


def test_descriptions_of_tests_are_nobodys_surface() -> None:
    assert broken(changed(*GET), path="tests/openapi.json") == []


def test_yaml_has_lines() -> None:
    base = "openapi: 3.0.0\npaths:\n  /a:\n    get: {}\n  /b:\n    get: {}\n"
    (found,) = surface({"api.yaml": base}, {"api.yaml": base[: base.index("  /b")]}, package=False).breaking
    assert (found.path, found.line, found.name) == ("api.yaml", 5, "/b")


def test_a_description_that_is_not_valid_is_not_compared() -> None:
    found = surface(
        {"api.yaml": "openapi: 3.0.0\npaths: {/a: {}}\n"}, {"api.yaml": "openapi: [\n"}, package=False
    )
    assert [item.reason for item in found.not_compared] == ["api.yaml is not valid"]
