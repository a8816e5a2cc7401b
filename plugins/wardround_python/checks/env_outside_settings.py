"""PY001, and what counts as reading the environment."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Plane, Severity
from wardround_python.check import PythonCheck
from wardround_python.module import PythonModule
from wardround_python.options import PythonOptions

CONVERTERS = frozenset({"int", "float", "json.loads"})

# Set by the system, the shell or a platform for every program: no project can declare them.
_SYSTEM_VARIABLE = re.compile(
    r"(PATH|PATHEXT|HOME|HOMEDRIVE|HOMEPATH|USER|USERNAME|USERPROFILE|LOGNAME|SUDO_\w+|SHELL|COMSPEC|PWD|OLDPWD|SHLVL"
    r"|HOSTNAME|TERM\w*|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|COLUMNS|LINES|TMPDIR|TMP|TEMP"
    r"|LANG|LANGUAGE|LC_\w+|TZ|CI|GITHUB_\w+|GITLAB_\w+|TF_BUILD|XDG_\w+|DISPLAY|WAYLAND_DISPLAY|DBUS_\w+"
    r"|VIRTUAL_ENV|CONDA_\w+|PYTHON\w*|PYTEST_\w+|PIP_\w+|EDITOR|VISUAL|PAGER|LESS|BROWSER|MANPATH|\w+_PROXY"
    r"|SSL_CERT_\w+|SSLKEYLOGFILE|SSH_\w+|NETRC|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|SYSTEMROOT|WINDIR"
    r"|KUBERNETES_\w+|AWS_LAMBDA_\w+|AWS_EXECUTION_ENV|INVOCATION_ID|LISTEN_\w+|NOTIFY_SOCKET"
    r"|LD_LIBRARY_PATH|SOURCE_DATE_EPOCH|WERKZEUG_\w+|RUN_MAIN)",
    re.IGNORECASE,
)
_SCRIPT_PATH = re.compile(
    r"(^|/)(bin|scripts?|tools?|examples?|docs?|benchmarks?|migrations|alembic)/"
    r"|(^|/)(setup|manage|conftest|wsgi|asgi|__main__|noxfile|fabfile|tasks)\.py$"
)
_RUN_AS_SCRIPT = re.compile(r"^if __name__\s*==", re.MULTILINE)
_SETTINGS_NAME = re.compile(r"env|config|settings|setup|options?|credential", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EnvironmentRead:
    """One read of a variable named in the code; ``required`` if it raises where the variable is unset."""

    key: str
    required: bool
    default: ast.expr | None = None


def environment_read(module: PythonModule, node: ast.AST) -> EnvironmentRead | None:
    """Say what an expression reads from the environment, if it is such a read."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if module.imported_name(node.value) == "os.environ" and isinstance(node.slice, ast.Constant):
            return EnvironmentRead(str(node.slice.value), True)
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        if module.imported_name(node.func) in ("os.getenv", "os.environ.get"):
            defaults = node.args[1:] + [keyword.value for keyword in node.keywords]
            return EnvironmentRead(str(node.args[0].value), False, defaults[0] if defaults else None)
    return None


def reads_environment(source: Source) -> bool:
    """Whether the text can hold a read of the environment."""
    return "environ" in source.text or "getenv" in source.text


def may_read_environment(source: Source) -> bool:
    """Whether the file is a settings module of the project or a script, where configuration comes in."""
    path, name = source.path, source.path.rpartition("/")[2]
    patterns = source.options.settings_modules if isinstance(source.options, PythonOptions) else ()
    if any(fnmatchcase(path, pattern) or fnmatchcase(name, pattern) for pattern in patterns):
        return True
    return _SCRIPT_PATH.search(path) is not None or _RUN_AS_SCRIPT.search(source.text) is not None


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


class EnvOutsideSettings(PythonCheck):
    """An environment variable is read in the middle of the program.

    What a program needs from its environment is then written down nowhere: a deployment that lacks the
    variable starts well and fails, or behaves otherwise, when this function first runs. Read it in the
    settings module, once, and pass the value on.
    """

    ID = "PY001"
    NAME = "env-outside-settings"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    VALID: ClassVar[Sequence[str | Valid]] = [
        'import os\nBUCKET = os.environ["BUCKET"]\n',
        'import os\ndef home():\n    return os.environ.get("HOME")\n',
        'import os\ndef bucket(key):\n    return os.environ[key]\n',
        'import os\ndef mark():\n    os.environ["BUCKET"] = "b"\n    os.environ.setdefault("REGION", "eu")\n',
        'import os\ndef mode():\n    return "BUCKET" in os.environ\n',
        'import os\ndef load_settings():\n    return os.environ["BUCKET"]\n',
        'import os\ndef swap():\n    old = os.environ.get("DB")\n    os.environ["DB"] = "x"\n    return old\n',
        'import os, subprocess\n'
        'def go():\n    subprocess.run(["x"], env={"BUCKET": os.environ["BUCKET"]}, check=True)\n',
        'import os\ndef add(parser):\n    parser.add_argument("--url", default=os.environ.get("APP_URL"))\n',
        'def bucket(os):\n    return os.environ["BUCKET"]\n',
        Valid('import os\ndef bucket():\n    return os.environ["BUCKET"]\n', path="app/settings.py"),
        Valid('import os\ndef bucket():\n    return os.environ["BUCKET"]\n', path="tests/test_app.py"),
        'import os\ndef main():\n    print(os.environ["BUCKET"])\nif __name__ == "__main__":\n    main()\n',
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('import os\ndef bucket():\n    return os.environ["BUCKET"]\n', line=3, column=12),
        Invalid('import os\ndef bucket():\n    return os.environ.get("BUCKET", "b")\n', line=3, column=12),
        Invalid(
            'from os import getenv\nclass Mail:\n    async def send(self):\n        key = getenv("MAIL_KEY")\n',
            line=4,
            column=15,
        ),
        Invalid(
            'import os as system\ndef f():\n    return [lambda: system.environ["A_B"]]\n', line=3, column=21
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return reads_environment(source) and not may_read_environment(source)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._look_at(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._look_at(node)

    def _look_at(self, node: ast.expr) -> None:
        read = environment_read(self.module, node)
        if read is None or self.module.is_test or _SYSTEM_VARIABLE.fullmatch(read.key):
            return
        if in_settings_function(self.module, node) or self._is_handed_on(node) or self._is_written(read.key):
            return
        late = ": unset, it raises KeyError only when this runs" if read.required else ""
        self.report(self.module.span(node), f'environment variable "{read.key}" is read outside settings{late}')

    def _is_handed_on(self, node: ast.expr) -> bool:
        """Whether the value goes to a child process, a command line default or a converter (PY002)."""
        parent = self.module.parents[node]
        if isinstance(parent, ast.Call) and self.module.dotted(parent.func) in CONVERTERS:
            return True
        keywords = [p for p in self.module.ancestors(node) if isinstance(p, ast.keyword)]
        return any(keyword.arg in ("env", "default", "environ") for keyword in keywords)

    def _is_written(self, key: str) -> bool:
        """Whether the module sets the variable itself, so that it is no configuration from outside."""
        name = f"""["']{re.escape(key)}["']"""
        written = rf"environ\[{name}\]\s*=[^=]|environ\.(setdefault|pop)\(\s*{name}|del os\.environ\[{name}"
        return re.search(written, self.source.text) is not None
