from __future__ import annotations

import ast

from wardround.findings import Plane, Severity
from wardround.languages.python.literals import literal, settings_in
from wardround.languages.python.module import last_name
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_SERIALIZER = LazyPattern(r"(?i)^(celery_)?(task|result|event)_serializer$|^session_serializer$")
_ACCEPTED = LazyPattern(r"(?i)^(celery_)?(result_)?accept_content$")
_PICKLE = LazyPattern(
    r"(?i)^(pickle|yaml|application/x-python-serialize|application/x-yaml)$|PickleSerializer$"
)
_LOADERS = LazyPattern(r"^(c?[pP]ickle|dill|cloudpickle|marshal|jsonpickle|joblib)\.(loads?|decode)$")
_DECODERS = frozenset(
    {"value_deserializer", "key_deserializer", "deserializer", "object_hook", "loads", "decoder"}
)
_READS = frozenset({"cloudpickle.loads", "cloudpickle.load", "kombu.enable_insecure_serializers",
                    "yaml.unsafe_load", "yaml.unsafe_load_all"})  # fmt: skip
_KEYS = {
    "allow_pickle": (True, LazyPattern(r"(^|\.)(numpy|np)\.load$")),
    "weights_only": (False, LazyPattern(r"(^|\.)torch\.load$")),
    "safe_mode": (False, LazyPattern(r"load_model$|model_from_json$")),
    "trust_remote_code": (
        True,
        LazyPattern(r"\.(from_pretrained|from_config|load_dataset)$|(^|\.)(load_dataset|pipeline)$"),
    ),
    "allow_dangerous_deserialization": (True, LazyPattern(r"\.load_local$|^load_local$")),
    "typ": ("unsafe", LazyPattern(r"ruamel\.yaml\.(main\.)?YAML$")),
}
_MESSAGE = "anyone who can write a message or file there can run code here; use JSON or msgpack"


class UnsafeSerializer(PythonCheck):
    """Messages, sessions or files are read with a format that can call any function.

    Pickle and similar formats build objects by calling functions that the bytes name. Anyone with access to
    the broker, the cache or the file can run code in this process. Send JSON or msgpack; store arrays and
    weights in data-only formats.
    """

    ID = "PY348"
    NAME = "unsafe-serializer"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "insecure-deserialisation"
    WORDS = ("pickle", "Pickle", "enable_insecure_serializers", "recv_pyobj", "weights_only", "safe_mode",
             "unsafe", "serializer", "trust_remote_code", "allow_dangerous_deserialization",
             "load_all")  # fmt: skip
    VALID = [
        code("""
            task_serializer = 'json'
            accept_content = ['json']
        """),
        code("""
            import numpy
            rows = numpy.load('rows.npy', allow_pickle=False)
        """),
    ]
    INVALID = [
        code("""
            «task_serializer = 'pickle'»
            result_serializer = 'json'
        """),
        code("""
            broker_url = B
            «accept_content = ['json', 'pickle']»
        """),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        is_pickled = any(self._is_pickled(name, value) for name, value, _ in settings_in(node))
        if is_pickled and not self._is_repeated(node):
            self.report(self.module.span(node), _MESSAGE)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg is not None and self._is_pickled(node.arg, node.value):
            if not self._is_repeated(node):
                self.report(self.module.span(node), _MESSAGE)
            return
        call = self.module.parents[node]
        if not self._enables_code(node, call):
            return
        if node.arg == "trust_remote_code":
            assert isinstance(call, ast.Call)
            self._check_remote_code(node, call)
        else:
            self.report(self.module.span(node), _MESSAGE)

    def _enables_code(self, node: ast.keyword, call: ast.AST | None) -> bool:
        """Return True if an argument permits that data is decoded by calling functions that it names."""
        if node.arg in _DECODERS and _LOADERS.search(self.module.imported_name(node.value) or ""):
            return True
        name = (self.module.qualified_name(call.func) or "") if isinstance(call, ast.Call) else ""
        if node.arg not in _KEYS:
            return False
        value, functions = _KEYS[node.arg]
        return functions.search(name) is not None and literal(self.module, node.value) == value

    def _check_remote_code(self, node: ast.keyword, call: ast.Call) -> None:
        """Report code that is loaded from the model's owner; a pinned revision was reviewed."""
        if any(keyword.arg in ("revision", "code_revision") for keyword in call.keywords):
            return
        is_named = bool(call.args) and isinstance(call.args[0], ast.Constant)
        self.report(
            self.module.span(node),
            "code of the model is run here and can change at any time; pin a revision",
            severity=Severity.INFO if is_named else None,
        )

    def visit_Call(self, node: ast.Call) -> None:
        is_constant = bool(node.args) and isinstance(node.args[0], ast.Constant)
        name = self.module.imported_name(node.func)
        is_read = (name in _READS or (name == "yaml.load_all" and _is_loose(node))) and not is_constant
        if is_read or (isinstance(node.func, ast.Attribute) and node.func.attr == "recv_pyobj"):
            self.report(self.module.span(node), _MESSAGE)

    def _is_pickled(self, name: str, value: ast.expr) -> bool:
        if _SERIALIZER.search(name):
            text = literal(self.module, value)
            return isinstance(text, str) and _PICKLE.search(text) is not None
        if _ACCEPTED.search(name) and isinstance(value, (ast.List, ast.Tuple, ast.Set)):
            values = [literal(self.module, element) for element in value.elts]
            return any(isinstance(operand, str) and _PICKLE.search(operand) is not None for operand in values)
        return False

    def _is_repeated(self, node: ast.AST) -> bool:
        """Return True if an adjacent setting was already reported: the first is enough."""
        function = self.module.function_of(node)
        if function in self._said:
            return True
        self._said.add(function)
        return False

    def visit_Module(self, node: ast.Module) -> None:
        self._said: set[object] = set()


def _is_loose(node: ast.Call) -> bool:
    """Return True if YAML is read with a loader that builds any object; ruff reports ``yaml.load`` (S506)."""
    arguments = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "Loader")]
    return any(last_name(value) in ("Loader", "UnsafeLoader", "CLoader") for value in arguments)
