"""The public API of published packages: what calls and imports of others do not survive."""

from __future__ import annotations

import importlib.util

import pytest

from tests.context.surface.differences import lines, surface
from wardround.context.surface import python_api

INIT = {"src/shop/__init__.py": "from shop.api import Client, send\n"}
API = """
    class Client:
        def get(self, url, timeout=3): ...


    def send(url): ...
"""


def broken(head: str, api: str = API) -> list[str]:
    """Return the changes that break users, of a new version of a module."""
    return lines(surface({**INIT, "src/shop/api.py": api}, {"src/shop/api.py": head}).breaking)


def test_a_removed_export_is_reported_once_at_its_definition() -> None:
    head = {
        "src/shop/__init__.py": "from shop.api import Client\n",
        "src/shop/api.py": API.rpartition("def")[0],
    }
    found = surface({**INIT, "src/shop/api.py": API}, head)
    assert lines(found.breaking) == ["src/shop/api.py:6 shop.send is removed"]


def test_a_removed_parameter_of_a_method_breaks_calls() -> None:
    found = broken(API.replace(", timeout=3", ""))
    assert found == ["src/shop/api.py:3 shop.api.Client.get has no parameter `timeout`"]


def test_the_differences_of_one_function_are_one_change() -> None:
    found = broken(API.replace("(self, url, timeout=3)", "(self, path, timeout)"))
    assert found == [
        "src/shop/api.py:3 shop.api.Client.get has no parameter `url`; "
        "requires the parameter `timeout`; requires the new parameter `path`"
    ]


def test_a_new_optional_parameter_breaks_nothing() -> None:
    assert broken(API.replace("timeout=3", "timeout=3, retries=0")) == []


def test_another_default_is_a_change_that_breaks_nothing() -> None:
    found = surface({**INIT, "src/shop/api.py": API}, {"src/shop/api.py": API.replace("=3", "=5")})
    assert lines(found.changes) == ["src/shop/api.py:3 shop.api.Client.get has the default `5` for `timeout`"]
    assert not found.breaking


def test_a_definition_that_moves_behind_its_export_breaks_nothing() -> None:
    head: dict[str, str | None] = {
        "src/shop/__init__.py": "from shop._core import Client, send\n",
        "src/shop/_core.py": API,
        "src/shop/api.py": None,
    }
    found = surface({**INIT, "src/shop/api.py": API}, head)
    assert lines(found.changes) == ["src/shop/api.py:1 shop.api is moved"]
    assert not found.breaking


@pytest.mark.parametrize("path", ["src/shop/_api.py", "src/shop/tests/api.py", "src/shop/_vendor/api.py"])
def test_internal_modules_are_nobodys_surface(path: str) -> None:
    assert surface({"src/shop/__init__.py": "", path: API}, {path: ""}).changes == ()


def test_private_names_are_nobodys_surface() -> None:
    assert broken("", "def _send(url): ...\n\nT = TypeVar('T')\n") == []


def test_names_outside_of_all_are_private() -> None:
    assert (
        broken(
            "__all__ = ['send']\ndef send(url): ...\n",
            "__all__ = ['send']\ndef send(url): ...\ndef get(): ...\n",
        )
        == []
    )


@pytest.mark.parametrize(
    "pyproject",
    [
        "",
        '[project]\nname = "shop"\n',
        '[build-system]\n[project]\nname = "shop"\nclassifiers = ["Private :: Do Not Upload"]\n',
        '[build-system]\nrequires = []\n[project]\nname = "shop"\n[tool.uv]\npackage = false\n',
        '[build-system]\nrequires = []\n[tool.poetry]\nname = "shop"\npackage-mode = false\n',
    ],
)
def test_an_application_has_no_public_api(pyproject: str) -> None:
    base = {**INIT, "src/shop/api.py": API, "pyproject.toml": pyproject}
    assert surface(base, {"src/shop/api.py": ""}).changes == ()


def test_a_module_that_does_not_parse_is_not_compared() -> None:
    found = surface({**INIT, "src/shop/api.py": API}, {"src/shop/api.py": "def send(:\n"})
    assert found.changes == ()
    assert [(item.kind, item.reason) for item in found.not_compared] == [
        ("python-api", "src/shop/api.py is not valid Python")
    ]


def test_without_griffe_the_api_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "griffe" else find(name))
    found = surface({**INIT, "src/shop/api.py": API}, {"src/shop/api.py": ""})
    assert [item.reason for item in found.not_compared] == [python_api.MISSING]
    assert not found.tools


def test_the_version_of_griffe_is_recorded() -> None:
    found = surface({**INIT, "src/shop/api.py": API}, {"src/shop/api.py": ""})
    assert [tool.tool for tool in found.tools] == ["griffe"]


def test_nothing_of_the_package_is_executed() -> None:
    base = {**INIT, "src/shop/api.py": "raise SystemExit('imported')\ndef send(): ...\n"}
    found = surface(base, {"src/shop/api.py": "raise SystemExit('imported')\n", **INIT})
    assert lines(found.breaking) == ["src/shop/api.py:2 shop.api.send is removed"]


def test_a_deleted_package_is_removed() -> None:
    base = {"src/shop/__init__.py": "", "src/shop/api.py": API}
    found = surface(base, {"src/shop/__init__.py": None, "src/shop/api.py": None})
    assert lines(found.breaking) == ["src/shop/__init__.py:1 shop is removed"]


def test_a_name_that_getattr_still_serves_is_deprecated() -> None:
    head = {
        "src/shop/__init__.py": "def __getattr__(name):\n    if name == 'send':\n        return 1\n",
        "src/shop/api.py": API.replace("def send", "def _send")
        + "    def __getattr__(name): return {'send': 1}[name]\n",
    }
    found = surface({**INIT, "src/shop/api.py": API}, head)
    assert "src/shop/api.py:6 shop.send is deprecated or dynamic" in lines(found.changes)
    assert "shop.send" not in {item.name for item in found.breaking}


def test_a_member_that_another_base_class_may_have_is_not_removed() -> None:
    assert broken("class Client(other.Base): ...\n\n\ndef send(url): ...\n") == []


def test_a_static_method_that_becomes_a_class_method_is_called_as_before() -> None:
    static = "class Client:\n    @staticmethod\n    def read(path): ...\n\n\ndef send(): ...\n"
    assert broken(static.replace("static", "class").replace("(path)", "(cls, path)"), static) == []


PROGRAM = '[build-system]\nrequires = []\n[project]\nname = "shop"\nscripts = {shop = "shop.api:send"}\n'


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({}, []),
        ({"src/shop/__init__.py": "from shop.api import send\n"}, ["shop.send"]),
        ({"docs/api.md": "::: shop.api\n"}, ["shop.api.send"]),
        ({"README.md": "Call `send(url)`.\n"}, ["shop.api.send"]),
        ({"README.md": "It can send mail.\n"}, []),
        ({"src/shop/__init__.py": "def other(): ...\n"}, []),
    ],
)
def test_users_of_a_program_import_what_it_exports_or_documents(
    others: dict[str, str], expected: list[str]
) -> None:
    base = {"pyproject.toml": PROGRAM, "src/shop/__init__.py": "", "src/shop/api.py": API, **others}
    head = {"src/shop/api.py": API.rpartition("def")[0]}
    if "src/shop/__init__.py" in others:
        head["src/shop/__init__.py"] = ""
    assert [item.name for item in surface(base, head).breaking] == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def send(*names): ...\n", "def send(*paths): ...\n"),
        ("def send(**names): ...\n", "def send(**values): ...\n"),
        ("@app.command()\ndef send(url): ...\n", "@app.command()\ndef send(path): ...\n"),
        ("@click.option('-x')\ndef send(x): ...\n", "@click.option('-y')\ndef send(y): ...\n"),
    ],
)
def test_parameters_that_no_caller_names(before: str, after: str) -> None:
    assert broken(after, before) == []


def test_an_import_of_another_package_is_not_a_export() -> None:
    base = {**INIT, "src/shop/api.py": API, "src/shop/web/__init__.py": "from shop.api import send\n"}
    found = surface(base, {"src/shop/web/__init__.py": "from shop.api import Client\n"})
    assert found.changes == ()


def test_a_parameter_of_a_constructor_breaks_the_calls_of_its_class() -> None:
    before = "class Client:\n    def __init__(self, url, proxies=None): ...\n"
    assert broken(before.replace(", proxies=None", ""), before) == [
        "src/shop/api.py:2 shop.api.Client has no parameter `proxies`"
    ]


def test_the_constructor_of_an_exception_is_called_by_the_package_itself() -> None:
    before = "class ApiError(Exception):\n    def __init__(self, url, status=0): ...\n"
    assert broken(before.replace(", status=0", ""), before) == []


def test_a_function_of_a_private_module_is_published_by_its_export() -> None:
    base = {
        "src/shop/__init__.py": "from shop._api import get\n",
        "src/shop/_api.py": "def get(url, proxy=None): ...\n",
    }
    found = surface(base, {"src/shop/_api.py": "def get(url): ...\n"})
    assert lines(found.breaking) == ["src/shop/_api.py:1 shop.get has no parameter `proxy`"]


def test_a_package_that_moves_into_another_folder_is_compared() -> None:
    head: dict[str, str | None] = {"src/shop/__init__.py": None, "shop/__init__.py": "def f(a): ...\n"}
    found = surface({"src/shop/__init__.py": "def f(a, b=1): ...\n"}, head)
    assert lines(found.breaking) == ["shop/__init__.py:1 shop.f has no parameter `b`"]
