"""TS331."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_HOLDS = frozenset({"variable_declarator", "assignment_expression", "augmented_assignment_expression"})
_BINDINGS = frozenset(
    {
        "variable_declarator",
        "pair",
        "assignment_expression",
        "augmented_assignment_expression",
        "public_field_definition",
    }
)
_SECRET = LazyPattern(
    r"(?i)\b(password|passwd|passphrase|passcode|secret|otp|totp|pincode|nonce|csrf|xsrf|salt|"
    r"api ?key|token|credential|"
    r"session ?id|sid|(reset|invite|invitation|verification|verify|confirm\w*|recovery|activation|"
    r"access|backup|login|"
    r"auth\w*|remember ?me|magic|coupon|voucher|gift)\w* ?(token|code|key|id|pin|link))s?\b"
)
_CODE = LazyPattern(r"(?i)^(code|pin|key|id|hash|ticket|link)s?$")
_KEY = LazyPattern(r"(?i)^(code|pin|key|ticket)s?$")
_PURPOSE = LazyPattern(
    r"(?i)sign.?in|log.?in\b|verif|passwor|\botp|two.?factor|2fa|\bsess(ion)?[:.(_]|reset|invit|magic"
    r"|sms\.|api.?key"
)
_ASIDE = LazyPattern(
    r"(?i)jitter|delay|backoff|shuffle|sample|mock|fake|demo|seed|color|colour|animation|retry|tokeniz"
    r"|tokenCount"
)
_HUMP = LazyPattern(r"([a-z0-9])([A-Z])")
_GUESSABLE = LazyPattern(
    r"^uuid\.v1$|^(lodash|_|underscore)\.(sample|sampleSize|shuffle|random)$|(^|\.)pseudoRandomBytes$"
    r"|^chance\.(string|guid|hash)$"
)
_MADE_UP = LazyPattern(r"(^|/)(seed\w*|fixtures?|examples?|demo|mocks?)[/.]")
_COUNTED = LazyPattern(
    r"(?i)\b(input|output|total|max|min|prompt|completion|used|num|count|reasoning)\s?tokens?\b|\btokens\b"
    # What tells one round from the next.
    r"|\b(reload|refetch|fetch|render|request|cancel|change|update|run|job|cache|layout|drag)\s?tokens?\b"
)
_OF_PAGE = LazyPattern(r"from ['\"]react['\"]")
"""In components a refresh token tells one round of loading from the next."""
_MAKES_TEXT = LazyPattern(
    r"^(Array\.from|Math\.\w+|String|Buffer\.from|\w+\.(map|join|toString|slice|substring|padStart|charAt))\b"
)


class GuessableSecretFromHelper(TreeCheck):
    """A secret is made with a generator whose output can be predicted.

    What Math.random gives can be computed from some of its output. crypto.randomBytes, crypto.randomInt and
    crypto.randomUUID are made for secrets. Looked at is what a helper that draws its signs that way is used
    for.
    """

    ID = "TS331"
    NAME = "guessable-secret-from-helper"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "guessable-token"
    WORDS = (
        "Math.random",
        "uuid",
        "Date.now().toString(36)",
        "sample",
        "shuffle",
        "_.random",
        "pseudoRandomBytes",
    )
    VALID = [
        code("""
            const id = () => Math.random().toString(36);
            const rowKey = id();
        """),
        code("""
            const jitter = () => Math.random() * 100;
            function tokenDelay() {
              return jitter();
            }
        """),
    ]
    INVALID = [
        code("""
            async function sendCode(user) {
              let code = '';
              for (let i = 0; i < 6; i++) {
                code += Math.floor(«Math.random()» * 10);
              }
              await sms.send(user.phone, code);
            }
        """),
        code("""
            app.post('/keep', (req, res) => {
              let key = '';
              while (key.length < 32) {
                key += SIGNS[Math.floor(«Math.random()» * SIGNS.length)];
              }
              res.cookie('keep', key, { httpOnly: true });
            });
        """),
    ]

    def check(self) -> None:
        drawn = [*self.code.calls_of("Math.random")]
        drawn += [node for name, node, _ in self.reader.calls() if _GUESSABLE.search(name)]
        for node in drawn:
            if _MADE_UP.search(self.source.path) or (
                node.parent is not None and self.code.field(node.parent, "operator") in {"<", ">", "<=", ">="}
            ):
                continue
            said = self._statement(node).replace(self.code.called(node), "")
            if not _ASIDE.search(said) and self._is_secret(node):
                self.report_node(node, "a secret is made with a generator whose output can be predicted")

    def _names_secret(self, words: str) -> bool:
        if _SECRET.search(words) is None or _COUNTED.search(words):
            return False
        return "refresh" not in words.lower() or _OF_PAGE.search(self.source.text) is None

    def _statement(self, node: Node) -> str:
        around = node
        while around.parent is not None and not around.type.endswith(("statement", "declaration")):
            around = around.parent
        return self.text(around)[:400]

    def _is_secret(self, node: Node) -> bool:
        """Whether the names around it, or those its function's answer goes to, are those of secrets."""
        held = self._holder(node)
        if self._names_secret(held) or self._is_login(node):
            return True
        if _KEY.search(held.strip()) and _PURPOSE.search(self._near(node)):
            return True
        function = self.reader.function_around(node)
        while function is not None:
            name = self._name_of(function)
            if name and self._names_secret(_words(name)):
                return True
            if name and self._is_used_as_secret(name):
                return True
            function = self.reader.function_around(function)
        return False

    def _is_login(self, node: Node) -> bool:
        """Whether what is drawn here, or put together of it, is kept in a cookie or a session."""
        around = node.parent
        while around is not None and around.type not in _HOLDS:
            around = None if around.type in {"statement_block", "program"} else around.parent
        held = (
            around.child_by_field_name("name") or around.child_by_field_name("left")
            if around is not None
            else None
        )
        name = self.text(held)
        if not name.isidentifier():
            return False
        place = r"(?:String\(|`\$?\{?)?" + name + r"\b"
        kept = (
            rf"\.cookie\(\s*[^,()]{{1,80}},\s*{place}|ookies?(?:\(\))?\.set\(\s*[^,()]{{1,80}},\s*{place}"
            rf"|\.session(?:\.\w+|\[[^\]]{{1,60}}\])\s*=\s*{place}|[sS]et-[cC]ookie[^\n"
            r"]{{0,80}}\$\{{{name}\}}"
            rf"|`(?:sess|session|token|reset|invite):\$\{{{name}\}}"
        )
        return re.search(kept, self._near(node)) is not None

    def _holder(self, node: Node) -> str:
        around = node.parent
        while around is not None and around.type not in {
            "statement_block",
            "program",
            "class_body",
            "arguments",
        }:
            for field in ("name", "key", "left"):
                inner = around.child_by_field_name(field)
                if inner is not None and around.type in _BINDINGS:
                    return _words(self.text(inner))
            around = around.parent
            if (
                around is not None
                and around.type == "arguments"
                and _MAKES_TEXT.search(self.text(around.parent)[:24])
            ):
                around = around.parent
        return ""

    def _name_of(self, function: Node) -> str:
        named = function.child_by_field_name("name")
        if named is not None:
            return self.text(named)
        holder = function.parent
        name = (
            holder.child_by_field_name("name")
            if holder is not None and holder.type == "variable_declarator"
            else None
        )
        return self.text(name) if name is not None else ""

    def _is_used_as_secret(self, name: str) -> bool:
        for call in self.code.calls_by_last.get(name, ()):
            holder = self._holder(call)
            if self._names_secret(holder):
                return True
            if _CODE.search(holder.strip()) and _PURPOSE.search(self._near(call)):
                return True
        return False

    def _near(self, node: Node) -> str:
        """What stands in the function around a place: what a plain code or id is for."""
        function = self.reader.function_around(node)
        return self.text(function)[:1500] if function is not None else self.source.text[:3000]


def _words(name: str) -> str:
    """``resetToken`` and ``reset_token`` as words."""
    return _HUMP.sub(r"\1 \2", name).replace("_", " ").replace("-", " ")
