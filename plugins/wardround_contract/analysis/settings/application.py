"""Names of command line options, environment variables, settings of Django, and messages."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from wardround.lazy import LazyPattern
from wardround_contract.analysis.settings.kind import AUTOMATION, CODE, NEVER, Kind, line_at, matches

_OPTION = LazyPattern(
    r"(?:add_argument|\boption|Option|add_option|\bargument)\(\s*(?:[^()\n]*?,\s*)?"
    r"['\"](?:-\w,?\s*(?:['\"],\s*['\"])?)?--([a-z][\w-]+)"
)
_VARIABLE = LazyPattern(
    r"(?:environ(?:\.get)?[\[(]\s*|getenv\(\s*|process\.env\.|env\(\s*|env\.\w+\(\s*)['\"]?([A-Z][A-Z0-9_]{3,})\b"
)
_FILE_VARIABLE = LazyPattern(r"(?m)^(?:export\s+)?([A-Z][A-Z0-9_]{3,})=")
_FILES_IN_USE = ("*.env", "*.env.ci", "*.env.prod*", "*.env.stag*", "*.env.test*")
"""Files of variables, without examples: a name that an example still lists breaks nothing."""
_FILES_OF_VARIABLES = frozenset({".env", ".env.example", ".env.sample", "env.sample"})
_CONSTANT = LazyPattern(r"(?m)^([A-Z][A-Z0-9_]{3,})(?:\s*:[^=\n]+)?\s*=(?!=)")
_SETTINGS = LazyPattern(r"(?:^|/)settings(?:/\w+|_\w+|\w*)?\.py$")
_MESSAGES = LazyPattern(
    r"(?:^|/)(?:messages|lang|i18n|intl|translations|locales?)(?:/|.*/)en(?:[-_]US|[-_]GB)?(?:/[\w-]+)?\.json$"
)
_ENTRIES = frozenset({"main", "__main__", "commands", "management", "scripts", "bin"})
_LEAST_PROGRAM = 4
_DJANGO = frozenset(
    {
        "ADMINS", "ALLOWED_HOSTS", "APPEND_SLASH", "AUTHENTICATION_BACKENDS", "AUTH_USER_MODEL",
        "CACHES", "CSRF_COOKIE_NAME", "CSRF_COOKIE_SECURE", "CSRF_TRUSTED_ORIGINS", "DATABASES",
        "DATABASE_ROUTERS", "DATA_UPLOAD_MAX_MEMORY_SIZE", "DEBUG", "DEFAULT_AUTO_FIELD",
        "DEFAULT_CHARSET", "DEFAULT_FILE_STORAGE", "DEFAULT_FROM_EMAIL", "EMAIL_BACKEND", "EMAIL_HOST",
        "EMAIL_HOST_PASSWORD", "EMAIL_HOST_USER", "EMAIL_PORT", "EMAIL_TIMEOUT", "EMAIL_USE_SSL",
        "EMAIL_USE_TLS", "FILE_UPLOAD_MAX_MEMORY_SIZE", "FIXTURE_DIRS", "FORCE_SCRIPT_NAME",
        "FORMAT_MODULE_PATH", "FORM_RENDERER", "INSTALLED_APPS", "INTERNAL_IPS", "LANGUAGES",
        "LANGUAGE_CODE", "LOCALE_PATHS", "LOGGING", "LOGIN_REDIRECT_URL", "LOGIN_URL",
        "LOGOUT_REDIRECT_URL", "MANAGERS", "MEDIA_ROOT", "MEDIA_URL", "MESSAGE_TAGS", "MIDDLEWARE",
        "PASSWORD_HASHERS", "ROOT_URLCONF", "SECRET_KEY", "SERVER_EMAIL", "SESSION_COOKIE_AGE",
        "SESSION_COOKIE_NAME", "SESSION_COOKIE_SECURE", "SESSION_ENGINE", "SITE_ID", "STATICFILES_DIRS",
        "STATICFILES_STORAGE", "STATIC_ROOT", "STATIC_URL", "STORAGES", "TEMPLATES", "TEST_RUNNER",
        "TIME_ZONE", "USE_I18N", "USE_L10N", "USE_TZ", "X_FRAME_OPTIONS",
    }
)  # fmt: skip
"""Settings that Django has without the project."""


def _options(path: str, text: str) -> dict[str, int]:
    return matches(text, _OPTION) if path.endswith((".py", ".ts", ".js", ".mjs")) else {}


def _option_use(name: str, path: str) -> str:
    """Return a pattern of the option in commands of the program, which is named by its file or one of two
    parent folders.
    """
    *folders, file = path.split("/")
    names = {file.rpartition(".")[0], *folders[-2:]} - _ENTRIES
    programs = "|".join(re.escape(program) for program in sorted(names) if len(program) >= _LEAST_PROGRAM)
    return rf"(?:{programs})(?:\.\w+)?[\"']?[ ,].*--{re.escape(name)}(?![\w-])" if programs else NEVER


def _variables(path: str, text: str) -> dict[str, int]:
    return matches(text, _VARIABLE) if path.endswith((".py", ".ts", ".tsx", ".js", ".mjs")) else {}


def _variable_assignment(name: str, path: str) -> str:
    return rf"(?:^\s*-?\s*[\"']?|\becho\s+[\"']|\bexport\s+|\bENV\s+|--env[= ]|-e\s+)\b{name}\b[\"']?\s*[=:]"


def _file_variables(path: str, text: str) -> dict[str, int]:
    return matches(text, _FILE_VARIABLE) if posixpath.basename(path) in _FILES_OF_VARIABLES else {}


def _variable_expansion(name: str, path: str) -> str:
    """Return the pattern of an expansion without a default."""
    return rf"\$\{{?{name}(?:\}}|(?=[^\w:}}-]|$))"


def _variable_declaration(name: str) -> str:
    """Return the pattern of an assignment, unless it passes on the variable of the same name."""
    prefix = r"(?:export\s+|ENV\s+|ARG\s+|-\s+)?"
    return rf"(?m)^\s*{prefix}[\"']?{name}[\"']?\s*[=:](?!.*\$\{{?{name}\b)"


def _constants(path: str, text: str) -> dict[str, int]:
    """Return the constants of a settings module."""
    found = matches(text, _CONSTANT) if _SETTINGS.search(path) else {}
    return {name: line for name, line in found.items() if name not in _DJANGO}


def _constant_use(name: str, path: str) -> str:
    return rf"\bsettings\.{name}\b(?!\s*=(?!=))"


def _constant_declaration(name: str) -> str:
    return rf"(?m)^\s*{name}\s*(?::[^=\n]+)?=|['\"]{name}['\"]|\bdef {name}\b"


def _messages(path: str, text: str) -> dict[str, int]:
    """Return the dotted keys of the English messages of an application."""
    if not _MESSAGES.search(path):
        return {}
    try:
        read: Any = json.loads(text)
    except ValueError:
        return {}
    return {
        key: line_at(text, max(text.find(f'"{key.rpartition(".")[2]}"'), 0)) for key in _leaf_keys(read, "")
    }


def _leaf_keys(value: Any, prefix: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaf_keys(inner, f"{prefix}.{key}" if prefix else str(key))
    elif "." in prefix and not isinstance(value, list):
        yield prefix


def _message_use(name: str, path: str) -> str:
    return rf"['\"`]{re.escape(name)}['\"`]"


KINDS = (
    Kind(
        "option", _options, _option_use, (*AUTOMATION, "*.py"),
        lambda name: rf"['\"]--{re.escape(name)}(?![\w-])", ("*.py", "*.ts", "*.js", "*.mjs", "*.go", "*.rs"),
    ),
    Kind(
        "environment variable", _variables, _variable_assignment,
        ("*.yml", "*.yaml", *_FILES_IN_USE, "*Dockerfile*", "*.sh", "*.toml"),
        lambda name: rf"\b{name}\b",
        (*CODE, "*.go", "*.rb", "*.rs", "*.java", "*.php", "*.lua", "*.prisma", "*.conf*", "*.ini", "*.cfg",
         "*.tpl", "*.j2", "*.template"),
    ),
    Kind(
        "environment variable", _file_variables, _variable_expansion, ("*.yml", "*.yaml", "*.sh"),
        _variable_declaration, ("*.env*", "*compose*.yml", "*compose*.yaml", "*Dockerfile*", "*env.sample"),
    ),
    Kind("setting", _constants, _constant_use, ("*.py", "*.html"), _constant_declaration, ("*.py",)),
    Kind("message", _messages, _message_use, CODE[1:], is_translated=True),
)  # fmt: skip
