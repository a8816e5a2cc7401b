"""Expressions that read the environment, and the rule on where they belong."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Set
from functools import cached_property

import msgspec

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode, PythonModule, is_test_path
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.text.globs import matches_whole
from wardround_python.analysis.call_resolution import locate
from wardround_python.check import PythonCheck
from wardround_python.options import PythonOptions
from wardround_python.syntax.calls import passed_values

CONVERTERS = frozenset(
    {
        "int", "float", "json.loads", "decimal.Decimal", "uuid.UUID", "datetime.date.fromisoformat",
        "datetime.datetime.fromisoformat", "ipaddress.ip_address", "ipaddress.ip_network", "ast.literal_eval",
    }
)  # fmt: skip

# Set by the system, the shell or a platform for every program: no project can declare them.
SYSTEM_VARIABLE = LazyPattern(
    r"(PATH|PATHEXT|COMP_\w+|HOME|HOMEDRIVE|HOMEPATH|USER|USERNAME|USERPROFILE|LOGNAME|SUDO_\w+|SHELL"
    r"|COMSPEC|PWD|OLDPWD|SHLVL"
    r"|HOSTNAME|TERM\w*|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|COLUMNS|LINES|TMPDIR|TMP|TEMP"
    r"|LANG|LANGUAGE|LC_\w+|TZ|CI|GITHUB_\w+|GITLAB_\w+|TF_BUILD|XDG_\w+|DISPLAY|WAYLAND_DISPLAY|DBUS_\w+"
    r"|VIRTUAL_ENV|CONDA_\w+|PYTHON\w*|PYTEST_\w+|PIP_\w+|EDITOR|VISUAL|PAGER|LESS|BROWSER|MANPATH|(HTTPS?|FTP|NO|ALL|SOCKS)_PROXY"
    r"|SSL_CERT_\w+|SSLKEYLOGFILE|SSH_\w+|NETRC|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES"
    r"|SYSTEMROOT|WINDIR"
    r"|KUBERNETES_\w+|AWS_LAMBDA_\w+|AWS_EXECUTION_ENV|INVOCATION_ID|LISTEN_\w+|NOTIFY_SOCKET"
    r"|(LOCAL_)?(RANK|WORLD_SIZE)|NODE_RANK|MASTER_(ADDR|PORT)|SLURM_\w+|OMPI_\w+"
    r"|PROMETHEUS_MULTIPROC_DIR|ANSI_COLORS_DISABLED|LD_LIBRARY_PATH|SOURCE_DATE_EPOCH|WERKZEUG_\w+"
    r"|RUN_MAIN)",
    re.IGNORECASE,
)
_SCRIPT_PATH = LazyPattern(
    r"(^|/)(bin|docker|deploy|infra|scripts?|tools?|examples?|docs?|benchmarks?|migrations|alembic"
    r"|management/commands)/"
    r"|(^|/)(setup|manage|conftest|wsgi|asgi|__main__|noxfile|fabfile)\.py$|^tasks\.py$"
)
_RUN_AS_SCRIPT = LazyPattern(r"^if __name__\s*==", re.MULTILINE)
_SETTINGS_NAME = LazyPattern(r"env|config|settings|setup|options?|credential|flag|default", re.IGNORECASE)
# One variable: read by its name, or declared through a settings library.
_VARIABLE = LazyPattern(r"""\b(environ\[|environ\.get\(|getenv\(|config\(|env(\.\w+)?\()\s*["']""")
_SETTINGS_CLASS = LazyPattern(r"^class [^\n]*\bBaseSettings\b[^\n]*\n(?:[ \t][^\n]*\n|\n)*", re.MULTILINE)
_FIELD = LazyPattern(r"^[ \t]+[A-Za-z]\w*[ \t]*:[ \t]*[A-Za-z]", re.MULTILINE)
_SHARED_FOLDER = LazyPattern(
    r".*(settings|config|conf|env).*|core|common|shared|utils?|utilities|lib|libs", re.IGNORECASE
)
# A direct read, and the number of modules with one from which direct reads are the convention.
_DIRECT = LazyPattern(r"\benviron\[|\benviron\.get\(|\bgetenv\(")
_MIN_DIRECT = 3
# Share of the reads in settings modules from which that is the project's convention.
_MIN_SHARE = 0.75
# The literal start of a computed variable name.
_KEY_START = LazyPattern(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*")
_MAY_READ = LazyPattern(r"environ|getenv|\b\w*env\w*\(\s*[\"'][A-Z]", re.IGNORECASE)
_READ_NAME = LazyPattern(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
_SETTINGS_MODULES = frozenset({"settings", "config", "conf", "configuration"})
_NO_SETTINGS = frozenset(
    {
        "logging",
        "alembic",
        "pyramid",
        "uvicorn",
        "hypercorn",
        "kombu",
        "celery",
        "django",
        "botocore",
        "setuptools",
    }
)
_SETTINGS_WORDS = ("environ", "getenv", "BaseSettings", "decouple")


class EnvironmentRead(msgspec.Struct, frozen=True):
    """A read of a variable named in the code; ``required`` if it raises for an unset variable."""

    key: str
    required: bool
    default: ast.expr | None = None


def find_environment_read(module: PythonModule, node: ast.AST) -> EnvironmentRead | None:
    """Return the environment read of an expression, if it is one."""
    match node:
        case ast.Subscript(ctx=ast.Load()) if _is_environment(module, node.value):
            key = _key(module, node.slice)
            return EnvironmentRead(key, True) if key else None
        case ast.Call(args=[name, *_]) if _is_read(module, node.func):
            key = _key(module, name)
            defaults = passed_values(node)[1:]
            return EnvironmentRead(key, False, defaults[0] if defaults else None) if key else None
    return None


def _is_read(module: PythonModule, func: ast.expr) -> bool:
    """Return True for ``os.getenv`` and the ``get`` of the environment."""
    if isinstance(func, ast.Attribute) and func.attr == "get" and _is_environment(module, func.value):
        return True
    return module.imported_name(func) == "os.getenv"


def _is_environment(module: PythonModule, node: ast.expr) -> bool:
    """Return True if an expression is the environment or an alias: ``env: Mapping = os.environ``."""
    if module.imported_name(node) == "os.environ":
        return True
    return isinstance(node, ast.Name) and node.id in _aliases(module)


def _aliases(module: PythonModule) -> frozenset[str]:
    """Return the names that a default, or their only assignment, binds to the environment."""
    if "os.environ" not in module.text and "environ" not in module.imported:
        return frozenset()
    known = module.notes.get("environment")
    if not isinstance(known, frozenset):
        known = module.notes["environment"] = frozenset(
            {*_parameter_aliases(module), *_variable_aliases(module)}
        )
    return known


def _parameter_aliases(module: PythonModule) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for argument, default in _parameters_and_defaults(node):
                if module.imported_name(default) == "os.environ":
                    yield argument.arg


def _variable_aliases(module: PythonModule) -> Iterator[str]:
    for name, values in module.assigned.items():
        if len(values) == 1 and module.imported_name(values[0]) == "os.environ":
            yield name


def _parameters_and_defaults(node: FunctionNode) -> Iterator[tuple[ast.arg, ast.expr]]:
    plain = [*node.args.posonlyargs, *node.args.args]
    yield from zip(plain[len(plain) - len(node.args.defaults) :], node.args.defaults, strict=True)
    for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            yield argument, default


def _key(module: PythonModule, node: ast.expr) -> str | None:
    """Return the name of a variable; for a computed name its start and a star: ``FEATURE_*``."""
    match node:
        case ast.Name():
            values = module.assigned.get(node.id, [])
            is_known = len(values) == 1 and not isinstance(values[0], ast.Name)
            return _key(module, values[0]) if is_known else None
        case ast.Constant(value=str(key)):
            return key
        case ast.BinOp(left=first) | ast.JoinedStr(values=[first, *_]):
            start = first.value if isinstance(first, ast.Constant) else None
            return f"{start}*" if isinstance(start, str) and _KEY_START.fullmatch(start) else None
    return None


def reads_environment(source: SourceFile) -> bool:
    """Return True if the text can contain a read of the environment."""
    return "environ" in source.text or "getenv" in source.text


def is_settings_module(path: str, options: object) -> bool:
    """Return True if a path, or its last part, matches the project's settings modules."""
    patterns = options.settings_modules if isinstance(options, PythonOptions) else ()
    return matches_whole(path, patterns) or matches_whole(path.rpartition("/")[2], patterns)


def may_read_environment(source: SourceFile) -> bool:
    """Return True if the file is a settings module or a script, which may read configuration."""
    if is_settings_module(source.path, source.options) or _SCRIPT_PATH.search(source.path):
        return True
    return _RUN_AS_SCRIPT.search(source.text) is not None


def is_in_settings_function(module: PythonModule, node: ast.AST) -> bool:
    """Return True if a node is outside every function, or in one named for loading settings."""
    named = [
        parent.name
        for parent in module.ancestors(node)
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    in_function = any(
        isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) for parent in module.ancestors(node)
    )
    return not in_function or any(_SETTINGS_NAME.search(name) for name in named)


def _variable_count(text: str) -> int:
    """Return how many environment variables a module reads or declares, by a search of its source."""
    declared = "".join(_SETTINGS_CLASS.findall(text)) if "BaseSettings" in text else ""
    return len(_VARIABLE.findall(text)) + len(_FIELD.findall(declared))


def _folder_of(path: str, text: str) -> str:
    """Return the folder whose modules a settings module serves: ``app/`` for ``app/settings/base.py``.

    Django's settings are in one of several packages and apply to the adjacent packages too.
    """
    folders = path.split("/")[:-1]
    while folders and _SHARED_FOLDER.fullmatch(folders[-1]):
        folders.pop()
    if folders and "INSTALLED_APPS" in text:
        folders.pop()
    return "".join(f"{folder}/" for folder in folders)


class EnvOutsideSettings(PythonCheck):
    """An environment variable is read outside the settings module.

    The project reads its variables in a settings module, and this one is missing there: a deployment
    without it starts normally and fails, or behaves differently, when this function first runs. Read it
    once in the settings module and pass the value on. Projects without that convention get no report.
    """

    ID = "PY001"
    NAME = "env-outside-settings"
    WORDS = ("environ", "getenv", "env")
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    VALID = [
        code(
            """
            import os
            if os.environ.get("BUCKET"):
                import s3
            """,
            others={
                "settings/base.py": """
                import os
                REGION = os.environ["REGION"]
                """,
            },
        ),
        code(
            """
            import os
            class Settings:
                bucket = os.environ["BUCKET"]
            """,
            others={
                "settings/base.py": """
                import os
                REGION = os.environ["REGION"]
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            import os
            BUCKET = «os.environ["BUCKET"]»
            """,
            others={
                "settings/base.py": """
                import os
                REGION = os.environ["REGION"]
                """,
            },
        ),
        code(
            """
            import os
            BUCKET = «os.environ["BUCKET"]»
            """,
            path="billing/store.py",
            others={
                "shop/settings.py": """
                import environ
                KEY = env("SECRET_KEY")
                INSTALLED_APPS = ["billing"]
                """,
            },
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return _MAY_READ.search(source.text) is not None and not may_read_environment(source)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._check(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._check(node)

    def _check(self, node: ast.expr) -> None:
        read = (
            find_environment_read(self.module, node)
            or self._iteration(node)
            or self._read_through_reader(node)
        )
        if read is None or SYSTEM_VARIABLE.fullmatch(read.key):
            return
        if self._is_for_settings(node) or self._is_passed_on(node) or read.key in self._reported_variables:
            return
        if self._settings_module is None or self._is_set(read.key):
            return
        self._reported_variables.add(read.key)
        self.report(self.module.span(node), self._message(read))

    def _message(self, read: EnvironmentRead) -> str:
        if read.key == "*":
            return f"the environment is iterated here; read it in {self._settings_module}"
        message = f'environment variable "{read.key}" is read here; read it in {self._settings_module}'
        return message + (" (if unset, this raises KeyError when it runs)" if read.required else "")

    def _iteration(self, node: ast.expr) -> EnvironmentRead | None:
        """Return a read for an iteration over the complete environment."""
        if not isinstance(node, ast.Call) or self.module.imported_name(node.func) != "os.environ.items":
            return None
        round_trip = self.module.parents[node]
        return EnvironmentRead("*", False) if isinstance(round_trip, (ast.For, ast.comprehension)) else None

    def _read_through_reader(self, node: ast.expr) -> EnvironmentRead | None:
        """Return the read of a project function that reads the variable named by its argument."""
        match node:
            case ast.Call(args=[ast.Constant(value=str(key)), *_]) if _READ_NAME.fullmatch(key):
                is_read = self.source.is_added(node.lineno) and self._reads_parameter(node)
                return EnvironmentRead(key, False) if is_read else None
        return None

    def _reads_parameter(self, call: ast.Call) -> bool:
        """Return True if a call reaches a function that reads the variable with the name in a parameter."""
        definition = self.callees.definition_of(call)
        if definition is None or isinstance(definition.node, ast.ClassDef):
            return False
        parameters = sorted({argument.arg for argument in definition.node.args.args})
        read = rf"(?:environ\[|environ\.get\(|getenv\()(?:{'|'.join(map(re.escape, parameters))})\b"
        return bool(parameters) and re.search(read, unparse(definition.node)) is not None

    def _is_for_settings(self, node: ast.expr) -> bool:
        """Return True if the reader loads settings, or decides at import how the module is set up."""
        parents = list(self.module.ancestors(node))
        if any(isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) for parent in parents):
            return is_in_settings_function(self.module, node)
        return not isinstance(
            next(p for p in parents if isinstance(p, ast.stmt)), (ast.Assign, ast.AnnAssign)
        ) or any(isinstance(p, ast.ClassDef) and _SETTINGS_NAME.search(p.name) for p in parents)

    @cached_property
    def _reported_variables(self) -> set[str]:
        return set()

    @cached_property
    def _settings_module(self) -> str | None:
        """Settings module for this file, if the surrounding program follows the convention."""
        texts = self._reading_modules()
        settings = {path for path in texts if is_settings_module(path, self.source.options)}
        around = self._settings_around(settings, texts)
        if not around:
            return self._imported_settings
        direct = sum(self._reads_directly(path, text) for path, text in texts.items() if path not in settings)
        if direct >= _MIN_DIRECT:
            return None
        counts = {path: _variable_count(text) for path, text in texts.items()}
        nearest = max(around, key=lambda path: (len(around[path]), counts[path]))
        return nearest if _is_read_by(settings, counts, around[nearest]) else None

    def _settings_around(self, settings: Set[str], texts: Mapping[str, str]) -> dict[str, str]:
        """Return the settings modules of programs that contain this file -> the folder of the program."""
        around = {}
        for path, text in texts.items():
            if path in settings:
                folder = _folder_of(path, text)
                if self.source.path.startswith(folder):
                    around[path] = folder
        return around

    def _reading_modules(self) -> dict[str, str]:
        """Return path -> text of other modules that may read the environment, except tests and scripts."""
        project = self.source.project
        return {
            path: project.read(path) or ""
            for path in project.files_with_word(_SETTINGS_WORDS, ["*.py"])
            if not is_test_path(path) and not _SCRIPT_PATH.search(path) and path != self.source.path
        }

    def _reads_directly(self, path: str, text: str) -> bool:
        """Return True if an unchanged module that is not a script reads the environment directly."""
        if not _DIRECT.search(text) or _RUN_AS_SCRIPT.search(text):
            return False
        return not self.source.is_changed(path)

    @cached_property
    def _imported_settings(self) -> str | None:
        """Settings module that this module imports, if the repository does not contain it."""
        for dotted in sorted(set(self.module.imported.values())):
            parts = dotted.lstrip(".").split(".")
            named = [part for part in parts if part in _SETTINGS_MODULES]
            if named and parts[0] not in _NO_SETTINGS and len(parts) > 1:
                stem = dotted[: dotted.index(named[0]) + len(named[0])]
                return None if locate(dotted, self.source.path, self.source.project) else stem
        return None

    def _is_passed_on(self, node: ast.expr) -> bool:
        """Return True if the value goes to a child process, an option's default or a converter (PY002)."""
        parent = self.module.parents[node]
        if isinstance(parent, ast.Call) and self.module.qualified_name(parent.func) in CONVERTERS:
            return True
        keywords = [p for p in self.module.ancestors(node) if isinstance(p, ast.keyword)]
        return any(keyword.arg in ("env", "default", "environ") for keyword in keywords)

    def _is_set(self, key: str) -> bool:
        """Return True if the project sets the variable itself, so that it only forwards a value."""
        name = f"""["']{re.escape(key)}["']"""
        assignment = re.compile(
            rf"environ\[{name}\]\s*=[^=]|environ\.(setdefault|pop)\(\s*{name}|del os\.environ\[{name}"
        )
        project = self.source.project
        others = (
            project.read(path) for path in project.files_with_word([key], ["*.py"]) if not is_test_path(path)
        )
        return any(assignment.search(text) for text in (self.source.text, *others) if text)


def _is_read_by(settings: Collection[str], counts: Mapping[str, int], folder: str) -> bool:
    """Return True if the settings modules of a folder read most of its variables."""
    below = {path: count for path, count in counts.items() if path.startswith(folder)}
    read = sum(count for path, count in below.items() if path in settings)
    return read > 0 and read >= _MIN_SHARE * sum(below.values())
