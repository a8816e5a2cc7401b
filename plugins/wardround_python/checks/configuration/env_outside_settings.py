"""PY001, and what counts as reading the environment."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

import msgspec

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.config.globs import matches_whole
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode, PythonModule, is_test_path
from wardround_python.analysis.call_resolution import located
from wardround_python.check import PythonCheck
from wardround_python.options import PythonOptions

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
# One variable taken in: read by its name, or declared through a library made for it.
_TAKEN_IN = LazyPattern(r"""\b(environ\[|environ\.get\(|getenv\(|config\(|env(\.\w+)?\()\s*["']""")
_SETTINGS_CLASS = LazyPattern(r"^class [^\n]*\bBaseSettings\b[^\n]*\n(?:[ \t][^\n]*\n|\n)*", re.MULTILINE)
_FIELD = LazyPattern(r"^[ \t]+[A-Za-z]\w*[ \t]*:[ \t]*[A-Za-z]", re.MULTILINE)
_SHARED_FOLDER = LazyPattern(
    r".*(settings|config|conf|env).*|core|common|shared|utils?|utilities|lib|libs", re.IGNORECASE
)
# One read past every settings module, and in how many other modules it stands where that is the habit.
_DIRECT = LazyPattern(r"\benviron\[|\benviron\.get\(|\bgetenv\(")
_HABIT = 3
# The share of the reads from which it is the project's custom to read in settings modules.
_CUSTOM = 0.75
# The part of a variable's name that stands in the code where the rest is put together.
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
    """One read of a variable named in the code; ``required`` if it raises where the variable is unset."""

    key: str
    required: bool
    default: ast.expr | None = None


def environment_read(module: PythonModule, node: ast.AST) -> EnvironmentRead | None:
    """Say what an expression reads from the environment, if it is such a read."""
    if isinstance(node, ast.Subscript):
        if not isinstance(node.ctx, ast.Load) or not _is_environment(module, node.value):
            return None
        key = _key(module, node.slice)
        return EnvironmentRead(key, True) if key else None
    if not isinstance(node, ast.Call) or not node.args:
        return None
    func = node.func
    by_get = isinstance(func, ast.Attribute) and func.attr == "get" and _is_environment(module, func.value)
    if not by_get and module.imported_name(node.func) != "os.getenv":
        return None
    key = _key(module, node.args[0])
    defaults = node.args[1:] + [keyword.value for keyword in node.keywords]
    return EnvironmentRead(key, False, defaults[0] if defaults else None) if key else None


def _is_environment(module: PythonModule, node: ast.expr) -> bool:
    """Whether an expression is the environment, or a name that stands for it: ``env: Mapping = "
    "os.environ``.
    """
    if module.imported_name(node) == "os.environ":
        return True
    return isinstance(node, ast.Name) and node.id in _stand_ins(module)


def _stand_ins(module: PythonModule) -> frozenset[str]:
    """The names that a default, or their one assignment, makes the environment."""
    if "os.environ" not in module.text and "environ" not in module.imported:
        return frozenset()
    found = module.notes.get("environment")
    if not isinstance(found, frozenset):
        names = {
            argument.arg
            for node in module.nodes
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            for argument, default in _with_defaults(node)
            if module.imported_name(default) == "os.environ"
        }
        names |= {
            name
            for name, values in module.assigned.items()
            if len(values) == 1 and module.imported_name(values[0]) == "os.environ"
        }
        found = frozenset(names)
        module.notes["environment"] = found
    return found


def _with_defaults(node: FunctionNode) -> Iterator[tuple[ast.arg, ast.expr]]:
    plain = [*node.args.posonlyargs, *node.args.args]
    yield from zip(plain[len(plain) - len(node.args.defaults) :], node.args.defaults, strict=True)
    for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            yield argument, default


def _key(module: PythonModule, node: ast.expr) -> str | None:
    """The name of a variable; where it is put together, how it starts and a star: ``FEATURE_*``."""
    if isinstance(node, ast.Name):
        values = module.assigned.get(node.id, ())
        return _key(module, values[0]) if len(values) == 1 and not isinstance(values[0], ast.Name) else None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    first = (
        node.left
        if isinstance(node, ast.BinOp)
        else node.values[0]
        if isinstance(node, ast.JoinedStr)
        else None
    )
    start = first.value if isinstance(first, ast.Constant) else None
    return f"{start}*" if isinstance(start, str) and _KEY_START.fullmatch(start) else None


def reads_environment(source: SourceFile) -> bool:
    """Whether the text can hold a read of the environment."""
    return "environ" in source.text or "getenv" in source.text


def is_settings_module(path: str, options: object) -> bool:
    """Whether a path, or its last part, is what the project calls a settings module."""
    patterns = options.settings_modules if isinstance(options, PythonOptions) else ()
    return matches_whole(path, patterns) or matches_whole(path.rpartition("/")[2], patterns)


def may_read_environment(source: SourceFile) -> bool:
    """Whether the file is a settings module of the project or a script, where configuration comes in."""
    if is_settings_module(source.path, source.options) or _SCRIPT_PATH.search(source.path):
        return True
    return _RUN_AS_SCRIPT.search(source.text) is not None


def in_settings_function(module: PythonModule, node: ast.AST) -> bool:
    """Whether a node stands outside every function, or within one whose name says it loads settings."""
    named = [
        parent.name
        for parent in module.ancestors(node)
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    in_function = any(
        isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) for parent in module.ancestors(node)
    )
    return not in_function or any(_SETTINGS_NAME.search(name) for name in named)


def _variables_taken_in(text: str) -> int:
    """How many environment variables a module reads or declares, by its text."""
    declared = "".join(_SETTINGS_CLASS.findall(text)) if "BaseSettings" in text else ""
    return len(_TAKEN_IN.findall(text)) + len(_FIELD.findall(declared))


def _served_by(path: str, text: str) -> str:
    """The folder whose modules a settings module is for: ``app/`` for ``app/settings/base.py``.

    Django's stand in one package of several and are for those beside it too.
    """
    folders = path.split("/")[:-1]
    while folders and _SHARED_FOLDER.fullmatch(folders[-1]):
        folders.pop()
    if folders and "INSTALLED_APPS" in text:
        folders.pop()
    return "".join(f"{folder}/" for folder in folders)


class EnvOutsideSettings(PythonCheck):
    """An environment variable is read in the middle of the program.

    The project reads its variables in a settings module, and this one is not written there: a deployment
    that lacks it starts well and fails, or behaves otherwise, when this function first runs. Read it in
    the settings module, once, and pass the value on. Silent where that isn't the custom.
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
        self._look_at(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._look_at(node)

    def _look_at(self, node: ast.expr) -> None:
        read = environment_read(self.module, node) or self._whole(node) or self._through_reader(node)
        if read is None or SYSTEM_VARIABLE.fullmatch(read.key):
            return
        if self._is_for_settings(node) or self._is_handed_on(node):
            return
        if read.key in self._reported or self._settings_module is None or self._is_written(read.key):
            return
        self._reported.add(read.key)
        if read.key == "*":
            self.report(
                self.module.span(node),
                f"the environment is gone through here, not in {self._settings_module}",
            )
            return
        what = f'environment variable "{read.key}" is read here, not in {self._settings_module}'
        late = "; unset, it raises KeyError only when this runs" if read.required else ""
        self.report(self.module.span(node), what + late)

    def _whole(self, node: ast.expr) -> EnvironmentRead | None:
        """Going through the whole environment, for the variables that begin in some way."""
        if not isinstance(node, ast.Call) or self.module.imported_name(node.func) != "os.environ.items":
            return None
        round_trip = self.module.parents[node]
        return EnvironmentRead("*", False) if isinstance(round_trip, (ast.For, ast.comprehension)) else None

    def _through_reader(self, node: ast.expr) -> EnvironmentRead | None:
        """A call of a function of the project that reads the variable it is given the name of."""
        if not isinstance(node, ast.Call) or not node.args or not self.source.is_added(node.lineno):
            return None
        key = node.args[0]
        if (
            not isinstance(key, ast.Constant)
            or not isinstance(key.value, str)
            or not _READ_NAME.fullmatch(key.value)
        ):
            return None
        found = self.callees.definition_of(node)
        if found is None or isinstance(found.node, ast.ClassDef) or not found.node.args.args:
            return None
        given = {a.arg for a in found.node.args.args}
        read = rf"(?:environ\[|environ\.get\(|getenv\()(?:{'|'.join(map(re.escape, sorted(given)))})\b"
        if re.search(read, ast.unparse(found.node)) is None:
            return None
        return EnvironmentRead(key.value, False)

    def _is_for_settings(self, node: ast.expr) -> bool:
        """Whether it is read by what loads settings, or decides at import how the module is set up."""
        parents = list(self.module.ancestors(node))
        if any(isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) for parent in parents):
            return in_settings_function(self.module, node)
        return not isinstance(
            next(p for p in parents if isinstance(p, ast.stmt)), (ast.Assign, ast.AnnAssign)
        ) or any(isinstance(p, ast.ClassDef) and _SETTINGS_NAME.search(p.name) for p in parents)

    @cached_property
    def _reported(self) -> set[str]:
        return set()

    @cached_property
    def _settings_module(self) -> str | None:
        """The settings module for this file, if the program around it has the custom."""
        options, project = self.source.options, self.source.project
        texts = {
            path: project.read(path) or ""
            for path in project.files_with_word(_SETTINGS_WORDS, ["*.py"])
            if not is_test_path(path) and not _SCRIPT_PATH.search(path) and path != self.source.path
        }
        taken_in = {path: _variables_taken_in(text) for path, text in texts.items()}
        mine = {
            path: folder
            for path, text in texts.items()
            if is_settings_module(path, options)
            and self.source.path.startswith(folder := _served_by(path, text))
        }
        if not mine:
            return self._imported_settings
        habitual = [
            path
            for path, text in texts.items()
            if _DIRECT.search(text)
            and not is_settings_module(path, options)
            and not _RUN_AS_SCRIPT.search(text)
            and not self.source.is_changed(path)
        ]
        if len(habitual) >= _HABIT:
            return None
        nearest = max(mine, key=lambda path: (len(mine[path]), taken_in[path]))
        served = {path: count for path, count in taken_in.items() if path.startswith(mine[nearest])}
        in_settings = sum(count for path, count in served.items() if is_settings_module(path, options))
        return nearest if in_settings >= _CUSTOM * sum(served.values()) and in_settings else None

    @cached_property
    def _imported_settings(self) -> str | None:
        """The settings module this one imports, where the project at hand does not hold it."""
        for dotted in sorted(set(self.module.imported.values())):
            parts = dotted.lstrip(".").split(".")
            named = [part for part in parts if part in _SETTINGS_MODULES]
            if named and parts[0] not in _NO_SETTINGS and len(parts) > 1:
                stem = dotted[: dotted.index(named[0]) + len(named[0])]
                return None if located(dotted, self.source.path, self.source.project) else stem
        return None

    def _is_handed_on(self, node: ast.expr) -> bool:
        """Whether the value goes to a child process, a command line default or a converter (PY002)."""
        parent = self.module.parents[node]
        if isinstance(parent, ast.Call) and self.module.dotted(parent.func) in CONVERTERS:
            return True
        keywords = [p for p in self.module.ancestors(node) if isinstance(p, ast.keyword)]
        return any(keyword.arg in ("env", "default", "environ") for keyword in keywords)

    def _is_written(self, key: str) -> bool:
        """Whether the project sets the variable itself: then it hands something on and configures nothing."""
        name = f"""["']{re.escape(key)}["']"""
        written = re.compile(
            rf"environ\[{name}\]\s*=[^=]|environ\.(setdefault|pop)\(\s*{name}|del os\.environ\[{name}"
        )
        project = self.source.project
        others = (
            project.read(path) for path in project.files_with_word([key], ["*.py"]) if not is_test_path(path)
        )
        return any(written.search(text) for text in (self.source.text, *others) if text)
