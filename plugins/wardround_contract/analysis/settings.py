"""The scripts, targets, inputs, options, variables and keys that files declare, and the text that uses them."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from wardround.checks.lazy import LazyPattern

_AUTOMATION = ("*.yml", "*.yaml", "*.sh", "*Makefile", "*Dockerfile*", "*.json", "*.toml", "*justfile", "*.mk",
               "*.husky/*", "*Jenkinsfile", "*.cfg", "*.ini")  # fmt: skip
_CODE = ("*.py", "*.ts", "*.tsx", "*.js", "*.jsx", "*.mjs", "*.vue", "*.svelte")
_LOCK_STEPS = frozenset(
    {"install", "prepare", "postinstall", "preinstall", "prepublishOnly", "version", "publish"}
)
_DJANGO = frozenset(
    {
        "DEBUG", "SECRET_KEY", "DATABASES", "CACHES", "LOGGING", "LANGUAGES", "LANGUAGE_CODE", "TIME_ZONE", "USE_TZ",
        "USE_I18N", "USE_L10N", "MEDIA_ROOT", "MEDIA_URL", "STATIC_ROOT", "STATIC_URL", "STATICFILES_DIRS",
        "ALLOWED_HOSTS", "INSTALLED_APPS", "MIDDLEWARE", "TEMPLATES", "AUTH_USER_MODEL", "LOGIN_URL",
        "LOGIN_REDIRECT_URL", "LOGOUT_REDIRECT_URL", "DEFAULT_FROM_EMAIL", "SERVER_EMAIL", "EMAIL_BACKEND",
        "EMAIL_HOST", "EMAIL_PORT", "EMAIL_HOST_USER", "EMAIL_HOST_PASSWORD", "EMAIL_USE_TLS", "EMAIL_USE_SSL",
        "EMAIL_TIMEOUT", "ADMINS", "MANAGERS", "ROOT_URLCONF", "STORAGES", "DEFAULT_AUTO_FIELD", "LOCALE_PATHS",
        "FIXTURE_DIRS", "DATABASE_ROUTERS", "DATA_UPLOAD_MAX_MEMORY_SIZE", "FILE_UPLOAD_MAX_MEMORY_SIZE",
        "DEFAULT_FILE_STORAGE", "STATICFILES_STORAGE", "SESSION_COOKIE_NAME", "SESSION_COOKIE_AGE", "APPEND_SLASH",
        "SESSION_COOKIE_SECURE", "CSRF_COOKIE_NAME", "CSRF_COOKIE_SECURE", "CSRF_TRUSTED_ORIGINS", "TEST_RUNNER",
        "PASSWORD_HASHERS", "AUTHENTICATION_BACKENDS", "DEFAULT_CHARSET", "FORCE_SCRIPT_NAME", "INTERNAL_IPS",
        "FORMAT_MODULE_PATH", "SITE_ID", "MESSAGE_TAGS", "SESSION_ENGINE", "X_FRAME_OPTIONS", "FORM_RENDERER",
    }
)  # fmt: skip


class Kind(NamedTuple):
    """A kind of declaration.

    Attributes:
        label: the kind in a message.
        read: (path, text) -> the declared names with their lines.
        used: (name, path of the declaration) -> the pattern of a use.
        patterns: the files that have uses.
        declared: name -> the pattern of any other declaration, which keeps the name valid.
        declaring: the files that may have one.
        is_in_file: uses in the declaring file count too.
        is_translated: the declaring files are translations, which other rules leave alone.
    """

    label: str
    read: Callable[[str, str], Mapping[str, int]]
    used: Callable[[str, str], str]
    patterns: tuple[str, ...]
    declared: Callable[[str], str]
    declaring: tuple[str, ...]
    is_in_file: bool = False
    is_translated: bool = False


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _matches(text: str, pattern: re.Pattern[str]) -> dict[str, int]:
    return {match[1]: _line(text, match.start(1)) for match in pattern.finditer(text)}


def _scripts(path: str, text: str) -> dict[str, int]:
    if posixpath.basename(path) != "package.json":
        return {}
    try:
        read: Any = json.loads(text)
    except ValueError:
        return {}
    scripts = read.get("scripts") if isinstance(read, dict) else None
    if not isinstance(scripts, dict):
        return {}
    found = {}
    for name in scripts:
        if name not in _LOCK_STEPS and not name.startswith(("pre", "post")):
            found[name] = _line(text, max(text.find(json.dumps(name)), 0))
    return found


_TARGET = LazyPattern(r"(?m)^([\w.-]+)(?:\s+[\w.-]+)*\s*:(?!=)")


def _targets(path: str, text: str) -> dict[str, int]:
    name = posixpath.basename(path)
    return _matches(text, _TARGET) if name in ("Makefile", "makefile", "GNUmakefile") else {}


_INPUTS = LazyPattern(r"(?m)^([ ]*)inputs:[ ]*\n((?:\1[ ]+.*\n|\s*\n)+)")


def _inputs(path: str, text: str) -> dict[str, int]:
    """Return the inputs of a composite action or a reusable workflow."""
    name = posixpath.basename(path)
    is_workflow = ".github/workflows/" in path and "workflow_call" in text
    if name not in ("action.yml", "action.yaml") and not is_workflow:
        return {}
    found: dict[str, int] = {}
    for match in _INPUTS.finditer(text if text.endswith("\n") else f"{text}\n"):
        keys = [*re.finditer(r"(?m)^([ ]+)([\w-]+):", match[2])]
        depth = min((len(one[1]) for one in keys), default=0)
        for one in keys:
            if len(one[1]) == depth:
                found[one[2]] = _line(text, match.start(2) + one.start(2))
    return found


def _input_used(name: str, path: str) -> str:
    """Return the pattern of the lines of ``with`` after a local ``uses`` of the file."""
    target = path if ".github/workflows/" in path else posixpath.dirname(path)
    return rf"(?ms)uses:\s*\.?/?{re.escape(target)}/?\s*$(?:(?!^\s*-\s|\buses:).)*?^\s+(?P<use>{re.escape(name)}):"


_OPTION = LazyPattern(
    r"(?:add_argument|\boption|Option|add_option|\bargument)\(\s*(?:[^()\n]*?,\s*)?['\"](?:-\w,?\s*(?:['\"],\s*['\"])?)?--([a-z][\w-]+)"
)


def _options(path: str, text: str) -> dict[str, int]:
    return _matches(text, _OPTION) if path.endswith((".py", ".ts", ".js", ".mjs")) else {}


def _option_used(name: str, path: str) -> str:
    program = posixpath.basename(path).rpartition(".")[0]
    package = posixpath.basename(posixpath.dirname(path))
    names = [re.escape(one) for one in {program, package, posixpath.basename(posixpath.dirname(posixpath.dirname(path)))}
             if len(one) >= 4 and one not in ("main", "__main__", "commands", "management", "scripts", "bin")]  # fmt: skip
    return rf"(?:{'|'.join(names)})(?:\.\w+)?[\"']?[ ,].*--{re.escape(name)}(?![\w-])" if names else r"(?!)"


_VARIABLE = LazyPattern(
    r"(?:environ(?:\.get)?[\[(]\s*|getenv\(\s*|process\.env\.|env\(\s*|env\.\w+\(\s*)['\"]?([A-Z][A-Z0-9_]{3,})\b"
)
_SHELL_ENV = LazyPattern(r"(?m)^(?:export\s+)?([A-Z][A-Z0-9_]{3,})=")


def _variables(path: str, text: str) -> dict[str, int]:
    return _matches(text, _VARIABLE) if path.endswith((".py", ".ts", ".tsx", ".js", ".mjs")) else {}


def _file_variables(path: str, text: str) -> dict[str, int]:
    name = posixpath.basename(path)
    return (
        _matches(text, _SHELL_ENV)
        if name == ".env" or name in (".env.example", ".env.sample", "env.sample")
        else {}
    )


_CONSTANT = LazyPattern(r"(?m)^([A-Z][A-Z0-9_]{3,})(?:\s*:[^=\n]+)?\s*=(?!=)")


def _constants(path: str, text: str) -> dict[str, int]:
    """Return the constants of a settings module of Django."""
    is_settings = re.search(r"(?:^|/)settings(?:/\w+|_\w+|\w*)?\.py$", path)
    found = _matches(text, _CONSTANT) if is_settings else {}
    return {name: line for name, line in found.items() if name not in _DJANGO}


_MESSAGES = LazyPattern(
    r"(?:^|/)(?:messages|lang|i18n|intl|translations|locales?)(?:/|.*/)en(?:[-_]US|[-_]GB)?(?:/[\w-]+)?\.json$"
)


def _messages(path: str, text: str) -> dict[str, int]:
    """Return the dotted keys of the English messages of an application."""
    if not _MESSAGES.search(path):
        return {}
    try:
        read: Any = json.loads(text)
    except ValueError:
        return {}
    return {key: _line(text, max(text.find(f'"{key.rpartition(".")[2]}"'), 0)) for key in _leaves(read, "")}


def _leaves(value: Any, prefix: str) -> Iterator[str]:
    if not isinstance(value, dict):
        if "." in prefix and not isinstance(value, list):
            yield prefix
        return
    for key, inner in value.items():
        yield from _leaves(inner, f"{prefix}.{key}" if prefix else str(key))


_SERVICES = LazyPattern(r"(?m)^services:[ ]*\n((?:[ ]+.*\n|\s*\n|#.*\n)+)")


def _services(path: str, text: str) -> dict[str, int]:
    if not re.search(r"(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$", path):
        return {}
    match = _SERVICES.search(text if text.endswith("\n") else f"{text}\n")
    if match is None:
        return {}
    keys = [*re.finditer(r"(?m)^([ ]+)([\w.-]+):[ ]*(?:&\w+)?[ ]*$", match[1])]
    depth = min((len(one[1]) for one in keys), default=0)
    return {one[2]: _line(text, match.start(1) + one.start(2)) for one in keys if len(one[1]) == depth}


_STAGE = LazyPattern(r"(?im)^FROM\s+\S+(?:\s+\S+)*?\s+AS\s+([\w.-]+)")


def _stages(path: str, text: str) -> dict[str, int]:
    return _matches(text, _STAGE) if "Dockerfile" in posixpath.basename(path) else {}


_EXTRAS = LazyPattern(
    r"(?ms)^\[(?:project\.optional-dependencies|dependency-groups|tool\.poetry\.extras)\]\n(.*?)(?=^\[|\Z)"
)
_GROUP = LazyPattern(r"(?m)^\[tool\.poetry\.group\.([\w-]+)\.dependencies\]")


def _extras(path: str, text: str) -> dict[str, int]:
    if posixpath.basename(path) != "pyproject.toml":
        return {}
    found = _matches(text, _GROUP)
    for match in _EXTRAS.finditer(text):
        for one in re.finditer(r"(?m)^([\w-]+)\s*=", match[1]):
            found[one[1]] = _line(text, match.start(1) + one.start(1))
    return found


_SESSION = LazyPattern(r"(?m)^\[testenv:([\w.-]+)\]|^\[env\.([\w.-]+)\]")


def _environments(path: str, text: str) -> dict[str, int]:
    if posixpath.basename(path) not in ("tox.ini", "tox.toml"):
        return {}
    return {match[1] or match[2]: _line(text, match.start()) for match in _SESSION.finditer(text)}


KINDS = (
    Kind("script", _scripts,
         lambda name, _: rf"\b(?:npm|pnpm|yarn|bun)\s+(?:-[\w-]+(?:[= ][\w@/.-]+)?\s+)*(?:run(?:-script)?\s+)(?:-[\w-]+\s+)*{re.escape(name)}(?![\w:-])"
         + (rf"|\b(?:yarn|pnpm)\s+{re.escape(name)}(?![\w:-])" if name not in ("test", "start", "add", "build") else "")
         + (rf"|\bnpm\s+{name}\b" if name in ("test", "start") else ""),
         _AUTOMATION, lambda name: rf"\"{re.escape(name)}\"\s*:", ("*package.json", "*deno.json*", "*turbo.json")),
    Kind("make target", _targets, lambda name, _: rf"(?<![\w-])(?:\$\(MAKE\)|make)\s+(?:-\w+\s+)*(?:[\w-]+\s+)?{re.escape(name)}(?![\w.:-])",
         (*_AUTOMATION, "*.py"), lambda name: rf"(?m)^(?:[\w.%-]+\s+)*{re.escape(name)}(?:\s+[\w.-]+)*\s*:|^include", ("*Makefile", "*.mk"), True),
    Kind("input", _inputs, _input_used, ("*.yml", "*.yaml"), lambda name: r"(?!)", ()),
    Kind("option", _options, _option_used, (*_AUTOMATION, "*.py"), lambda name: rf"['\"]--{re.escape(name)}(?![\w-])", ("*.py", "*.ts", "*.js", "*.mjs", "*.go", "*.rs")),
    Kind("environment variable", _variables,
         lambda name, _: rf"(?:^\s*-?\s*[\"']?|\bexport\s+|\bENV\s+|--env[= ]|-e\s+)\b{name}\b[\"']?\s*[=:]",
         ("*.yml", "*.yaml", "*.env*", "*Dockerfile*", "*.sh", "*.toml"), lambda name: rf"\b{name}\b", (*_CODE, "*.go", "*.rb", "*.rs", "*.java", "*.php", "*.lua", "*.prisma", "*.conf*", "*.ini", "*.cfg", "*.tpl", "*.j2", "*.template")),
    Kind("environment variable", _file_variables, lambda name, _: rf"\$\{{?{name}(?:\}}|(?=[^\w:}}-]|$))",
         ("*.yml", "*.yaml", "*.sh"), lambda name: rf"(?m)^\s*(?:export\s+|ENV\s+|ARG\s+|-\s+)?[\"']?{name}[\"']?\s*[=:](?!.*\$\{{?{name}\b)", ("*.env*", "*.yml", "*.yaml", "*Dockerfile*", "*env.sample")),
    Kind("setting", _constants, lambda name, _: rf"\bsettings\.{name}\b(?!\s*=(?!=))", ("*.py", "*.html"),
         lambda name: rf"(?m)^\s*{name}\s*(?::[^=\n]+)?=|['\"]{name}['\"]|\bdef {name}\b", ("*.py",)),
    Kind("message", _messages, lambda name, _: rf"['\"`]{re.escape(name)}['\"`]", ("*.ts", "*.tsx", "*.js", "*.jsx", "*.vue", "*.svelte"),
         lambda name: r"(?!)", (), is_translated=True),
    Kind("service", _services,
         lambda name, _: rf"(?:\bdocker[- ]compose\b|\$\{{?(?:dc|DC|COMPOSE|docker_compose)\w*\}}?).*\b(?:run|exec|up|restart|logs|build|stop|rm|pull)\b[^|;&#]*(?<![\w/.:-]){re.escape(name)}(?![\w/.:-])",
         ("*.sh", "*.yml", "*.yaml", "*Makefile", "*.json", "*.py", "*justfile"), lambda name: rf"(?m)^  {re.escape(name)}:", ("*compose*.yml", "*compose*.yaml")),
    Kind("stage", _stages, lambda name, _: rf"(?:--target[= ]|\btarget:\s*[\"']?){re.escape(name)}(?![\w.-])",
         ("*.yml", "*.yaml", "*.sh", "*Makefile", "*.json", "*.hcl"), lambda name: rf"(?im)\bAS\s+{re.escape(name)}\s*$", ("*Dockerfile*",)),
    Kind("extra", _extras, lambda name, _: rf"\.\[(?:[\w-]+,\s*)*{re.escape(name)}(?:,\s*[\w-]+)*\]|--(?:extra|group|only-group|with|only|extras)[= ][\"']?(?:[\w-]+[ ,])*{re.escape(name)}(?![\w-])",
         ("*.yml", "*.yaml", "*.sh", "*Makefile", "*Dockerfile*", "*tox.ini", "*noxfile.py", "*justfile"), lambda name: rf"(?m)^{re.escape(name)}\s*=|group\.{re.escape(name)}\.", ("*pyproject.toml", "*setup.cfg", "*setup.py")),
    Kind("environment", _environments, lambda name, _: rf"\btox\b[^|;&\n]*-e\s*[\"']?(?:[\w.-]+,)*{re.escape(name)}(?![\w.-])",
         ("*.yml", "*.yaml", "*.sh", "*Makefile", "*Dockerfile*"), lambda name: rf"(?m)\b{re.escape(name)}\b", ("*tox.ini", "*tox.toml")),
)  # fmt: skip
