from __future__ import annotations

import ast
import re

from wardround.findings import Plane, Severity
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_python.check import PythonCheck
from wardround_python.checks.configuration.env_outside_settings import find_environment_read

_SECRET = LazyPattern(
    r"(\w+_)?(secret(_key)?|signing_key|private_key|api_key|api_secret|auth_token|access_token"
    r"|webhook_secret|callback_key|hmac_key"
    r"|jwt_key|encryption_key|token_key|shared_key|webhook_key|service_token|internal_token)",
    re.IGNORECASE,
)
_OPTIONAL = LazyPattern(
    r"test|smtp|mail|redis|proxy|sentry|slack|optional|dev_|oauth|client_secret|hf_|openai|anthropic",
    re.IGNORECASE,
)


# Keys that allow forgery if they are known.
_SIGNING_KEY = LazyPattern(
    r"(?i)(\w+_)?(secret_key|signing_key|jwt_secret(_key)?|jwt_key|session_secret|cookie_secret|hmac_key|encryption_key)"
)
_DEVELOPMENT = LazyPattern(
    r"(?i)(^|[/_.])(dev(elopment)?|local|tests?|testing|examples?|docs?)|Dev|Test|Local"
)


class SecretMayBeEmpty(PythonCheck):
    """A secret that is not configured defaults to an empty or known string.

    The program starts without it and signs, or authenticates, with a key that everyone knows. Remove the
    default so that start-up fails, or validate it in the settings.
    """

    ID = "PY048"
    NAME = "secret-may-be-empty"
    WORDS = ("BaseSettings", "environ.get(", "getenv(", "config(")
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "env-without-validation"
    VALID = [
        code("""
            class S(BaseSettings):
                api_key: str
        """),
        code("""
            class S(BaseSettings):
                secret_key: str = ''

                @field_validator('secret_key')
                def there(cls, v): ...
        """),
    ]
    INVALID = [
        code("""
            class S(BaseSettings):
                «callback_key»: SecretStr = SecretStr('')
        """),
        code("""
            class S(BaseSettings):
                «jwt_secret»: str = Field(default='', alias='JWT')
        """),
    ]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if not any(unparse(base).endswith("Settings") for base in node.bases):
            return
        text = "\n".join(self.source.lines[node.lineno - 1 : node.end_lineno])
        for field in node.body:
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and _is_empty(field.value)
            ):
                name = field.target.id
                if self._is_secret(name) and not re.search(
                    rf"['\"]{name}['\"]|model_validator|root_validator", text
                ):
                    self._report(field.target, name)

    def visit_Call(self, node: ast.Call) -> None:
        read = find_environment_read(self.module, node)
        parent = self.module.parents[node]
        if (
            read is None
            or read.default is None
            or not isinstance(parent, (ast.Assign, ast.keyword, ast.AnnAssign))
        ):
            return
        if self._is_known_text(read.default, read.key) and not self._is_for_development(node):
            message = f'if unset, "{read.key}" is a literal from the source and not secret; require it'
            self.report(self.module.span(node), message)
        elif _is_empty(read.default) and self._is_secret(read.key):
            assigned = (
                parent.targets[0] if isinstance(parent, ast.Assign) else getattr(parent, "target", None)
            )
            name = (
                getattr(assigned, "id", getattr(assigned, "attr", read.key))
                if assigned is not None
                else read.key
            )
            self._report(node, str(name))

    def _is_known_text(self, default: ast.expr, key: str) -> bool:
        """Return True if a signing or encryption key has a default that is public with the source."""
        text = default.value if isinstance(default, ast.Constant) else None
        return isinstance(text, str) and len(text) > 3 and _SIGNING_KEY.fullmatch(key) is not None

    def _is_for_development(self, node: ast.AST) -> bool:
        is_conditional = any(
            isinstance(parent, (ast.If, ast.IfExp)) for parent in self.module.ancestors(node)
        )
        cls = next((p for p in self.module.ancestors(node) if isinstance(p, ast.ClassDef)), None)
        named = f"{self.source.path} {cls.name if cls is not None else ''}"
        return is_conditional or _DEVELOPMENT.search(named) is not None

    def _is_secret(self, name: str) -> bool:
        return _SECRET.fullmatch(name) is not None and _OPTIONAL.search(name) is None

    def _report(self, node: ast.expr, name: str) -> None:
        project = self.source.project
        texts = (project.read(path) for path in project.files_with_word([name], ["*.py"]))
        checks_name = bounded_pattern(
            rf"\b(?:if|elif|and|or|not|assert|bool|len)\b[ (][^\n]*\b{name}\b|\b{name}\b[^\n=]*(?: or | "
            rf"and | == | != | is )"
        )
        if not any(checks_name.search(text) for text in (self.source.text, *texts) if text):
            self.report(
                self.module.span(node),
                f'if unset, "{name}" is an empty string that nothing rejects; require it',
            )


def _is_empty(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        named = [k.value for k in value.keywords if k.arg == "default"]
        return any(map(_is_empty, [*value.args[:1], *named]))
    return isinstance(value, ast.Constant) and value.value == ""
