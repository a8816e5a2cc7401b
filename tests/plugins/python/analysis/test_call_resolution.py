"""Resolution of the callees of a Python module."""

from __future__ import annotations

import ast

import pytest
from wardround_python.analysis.call_resolution import CallResolver, definition_in

from wardround.change.repository_view import InMemoryRepository
from wardround.languages.python.module import PythonModule


def _parameters(text: str, path: str = "app/use.py", **files: str) -> tuple[str, ...] | None:
    """Return the parameters of the last call's callee in a text; ``a_b`` stands for ``a/b.py``."""
    module = PythonModule(path, text)
    project = InMemoryRepository({name.replace("_", "/") + ".py": held for name, held in files.items()})
    call = [node for node in module.nodes if isinstance(node, ast.Call)][-1]
    callee = CallResolver(module, project).of(call)
    return None if callee is None else callee.parameters


@pytest.mark.parametrize(
    "text",
    [
        "def crop(width, height): ...\ncrop(1, 2)\n",
        "@contextmanager\ndef crop(width, /, height): ...\ncrop(1, 2)\n",
        "class A:\n    def f(self):\n        self.crop(1, 2)\n    def crop(self, width, height): ...\n",
        "class A:\n    def f(self):\n        self.crop(1, 2)\n"
        "    @staticmethod\n    def crop(width, height): ...\n",
        "class A:\n    def __init__(self, width, height): ...\nA(1, 2)\n",
        "class A:\n    @classmethod\n    def f(cls):\n        cls(1, 2)\n"
        "    def __init__(self, width, height): ...\n",
        "@dataclass(frozen=True)\nclass A:\n    width: int\n    height: int\n"
        "    kind: ClassVar[int]\nA(1, 2)\n",
        "class A(NamedTuple):\n    width: int\n    height: int\nA(1, 2)\n",
        "def outer():\n    self.g(lambda: crop(1, 2))\ndef crop(width, height): ...\n",
    ],
)
def test_callee_of_the_same_module(text: str) -> None:
    assert _parameters(text) == ("width", "height")


@pytest.mark.parametrize(
    "text",
    [
        "from app.shape import crop\ncrop(1, 2)\n",
        "from .shape import crop as cut\ncut(1, 2)\n",
        "from . import shape\nshape.crop(1, 2)\n",
        "import app.shape\napp.shape.crop(1, 2)\n",
        "import app.shape as s\ns.crop(1, 2)\n",
        "from app.package import crop\ncrop(1, 2)\n",
    ],
)
def test_callee_of_another_module(text: str) -> None:
    files = {"app_package": "from .shape import crop\n", "app_shape": "def crop(width, height): ...\n"}
    assert _parameters(text, **files) == ("width", "height")


@pytest.mark.parametrize(
    "text",
    [
        "crop(1, 2)\n",
        "def crop(*sides): ...\ncrop(1, 2)\n",
        "@task(bind=True)\ndef crop(width, height): ...\ncrop(1, 2)\n",
        "def crop(width, height): ...\ncrop = other(crop)\ncrop(1, 2)\n",
        "def crop(width, height): ...\ndef f(crop):\n    crop(1, 2)\n",
        "if x:\n    def crop(a, b): ...\nelse:\n    def crop(b, a): ...\ncrop(1, 2)\n",
        "class A:\n    def f(self):\n        self.crop(1, 2)\n",
        "class A(B):\n    pass\nA(1, 2)\n",
        "class A:\n    def __new__(cls, *a): ...\n    def __init__(self, width, height): ...\nA(1, 2)\n",
        "@dataclass(kw_only=True)\nclass A:\n    width: int\n    height: int\nA(1, 2)\n",
        "self.crop(1, 2)\n",
        "thing.crop(1, 2)\n",
        "make()(1, 2)\n",
        "from elsewhere import crop\ncrop(1, 2)\n",
        "from ....far import crop\ncrop(1, 2)\n",
        "from . import missing\nmissing.crop(1, 2)\n",
        "from app.ring import crop\ncrop(1, 2)\n",
        "from app.broken import crop\ncrop(1, 2)\n",
        "from app.twice import crop\ncrop(1, 2)\n",
    ],
)
def test_a_callee_that_the_text_does_not_determine(text: str) -> None:
    files = {
        "app_ring": "from app.ring import crop\n",
        "app_broken": "def crop(width, height\n",
        "app_twice": "def crop(width, height): ...\ncrop = None\n",
    }
    assert _parameters(text, **files) is None


def test_an_import_that_may_refer_to_two_modules() -> None:
    held = "def crop(width, height): ...\n"
    assert _parameters("from shape import crop\ncrop(1, 2)\n", shape=held) == ("width", "height")
    assert _parameters("from shape import crop\ncrop(1, 2)\n", shape=held, app_shape=held) is None


def test_definition_is_read_without_the_rest_of_its_module() -> None:
    text = "x = (\n\n@final\ndef crop(width,\n         height):\n    pass\n\n\ny = 1\n"
    node = definition_in(text, "crop")
    assert isinstance(node, ast.FunctionDef)
    assert [argument.arg for argument in node.args.args] == ["width", "height"]


@pytest.mark.parametrize(
    "text",
    [
        "from app.shape import Cutter\ndef f(cutter: Cutter):\n    cutter.crop(1, 2)\n",
        "from app.shape import Cutter\ndef f(cutter: 'Cutter'):\n    cutter.crop(1, 2)\n",
        "from app.shape import Cutter\ndef f(cutter: Cutter | None):\n    cutter.crop(1, 2)\n",
        "from app.shape import Cutter\ndef f():\n    cutter = Cutter()\n    cutter.crop(1, 2)\n",
        "from app.shape import Cutter\nclass A:\n    def __init__(self, cutter: Cutter):\n"
        "        self._cutter = cutter\n    def f(self):\n        self._cutter.crop(1, 2)\n",
        "import app.shape\nclass A:\n    cutter: app.shape.Cutter\n    def f(self):\n        "
        "self.cutter.crop(1, 2)\n",
    ],
)
def test_callee_on_an_object_of_a_known_class(text: str) -> None:
    files = {"app_shape": "class Cutter:\n    def crop(self, width, height): ...\n"}
    assert _parameters(text, **files) == ("width", "height")


@pytest.mark.parametrize(
    "text",
    [
        "from app.shape import Cutter\ndef f(cutter):\n    cutter.crop(1, 2)\n",
        "from app.shape import Cutter, Other\ndef f(c: Cutter): ...\ndef g(c: Other):\n    c.crop(1, 2)\n",
        "from app.shape import Cutter\ndef f(cutters: list[Cutter]):\n    cutters.crop(1, 2)\n",
        "from app.shape import Cutter\ndef f(all):\n    c = Cutter()\n    for c in all:\n        "
        "c.crop(1, 2)\n",
    ],
)
def test_no_callee_on_an_object_of_an_uncertain_class(text: str) -> None:
    files = {"app_shape": "class Cutter:\n    def crop(self, width, height): ...\nclass Other: ...\n"}
    assert _parameters(text, **files) is None
