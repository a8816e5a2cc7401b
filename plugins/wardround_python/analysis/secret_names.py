"""Names under which a program stores secrets."""

from __future__ import annotations

import ast

from wardround.lazy import LazyPattern

SECRET = LazyPattern(
    r"(?i)(^|_)(password|passwd|passphrase|passcode|secret|otp|totp|pin_?code|nonce|csrf|salt|api_?keys?|token|credentials?|passcode|"
    r"(access|auth|session|refresh|reset|invite|bearer|csrf|login|remember(_?me)?|verification|confirm(ation)?|sms|email|recovery|"
    r"backup|activation|security|coupon|voucher|gift)_?(token|code|key|id|pin)s?|session_?id)s?$"
)
_CODE = LazyPattern(r"(?i)^_?(code|pin|key|otp|token)s?$")
PURPOSE = LazyPattern(
    r"(?i)(log.?in|sign.?in|verif|auth|passwo|secret|credential|api_?key|otp|token|reset|invit|confirm|sms|"
    r"two_?factor|session_?id|remember_?(me|key)|credential)"
)
LOGIN_COOKIE = LazyPattern(r"(?i)^(remember([_-]?me)?|sess(ion)?([_-]?id)?|sid|auth|log_?in)$")
_KEEPING = LazyPattern(
    r"(?i)^(save|store|remember|keep|persist|issue|record|register|send|mail|e?mail)_"
    r"(\w+_)?(token|key|secret|password|passcode|otp|nonce|session_?id|(reset|login|verification)_code)s?$"
)


def stored_names(call: ast.Call) -> list[str]:
    """Return the name under which a function stores a value: a login cookie, a stored token."""
    name = last_part(call.func)
    if name in {"set_cookie", "add_cookie", "set_signed_cookie", "set_secure_cookie"}:
        cookie = call.args[0] if len(call.args) > 1 else None
        text = str(cookie.value) if isinstance(cookie, ast.Constant) else ""
        return [text] if LOGIN_COOKIE.search(text) or SECRET.search(text) else []
    return [name] if _KEEPING.search(name) else []


def if_secret(name: str) -> list[str]:
    """Return the first name of a list that is the name of a secret."""
    return [name] if SECRET.search(name) else []


def last_part(node: ast.expr) -> str:
    """Return the last part of a dotted name, or the constant key of an entry."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.id if isinstance(node, ast.Name) else ""


def is_secret(name: str, about: str) -> bool:
    """Return True for the name of a secret; for ``code`` only if the surrounding text is about a login."""
    return bool(SECRET.search(name) or (_CODE.search(name) and PURPOSE.search(about)))
