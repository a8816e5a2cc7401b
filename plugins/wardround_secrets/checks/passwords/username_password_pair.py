"""SE011: user names followed by a password."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.passwords import is_password
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_LITERAL = r"(?:[\"'`](?P<user>[^\"'`\n\\]{1,80})[\"'`]|[\w.$]{1,60}(?:\([\w\"'.]{0,40}\))?)"
_SECOND = (
    r"\s{0,40},\s{0,40}(?:password\s?[=:]\s?)?b?(?P<quote>[\"'`])(?P<password>[^\"'`\n\\]{6,120})(?P=quote)"
)
_CALL = LazyPattern(
    r"(?:auth|log_?in|credential|basic)\w{0,24}[\"']?\s{0,4}(?:[:=]{1,2}\s{0,4})?[(\[{]\s{0,40}"
    + _LITERAL
    + _SECOND,
    re.IGNORECASE,
)
_CONNECT = LazyPattern(
    r"(?:getconnection|new\s\\?pdo|mysqli(?:_connect)?|o(?:ci|dbc)_connect)\(\s{0,20}[^,\n]{3,200},\s{0,40}"
    r"(?:user(?:name)?\s?[=:]\s?)?" + _LITERAL + _SECOND,
    re.IGNORECASE,
)
_CLIENT = LazyPattern(r"(?i)client\(\s{0,40}" + _LITERAL + _SECOND)
"""Constructor of a client: the argument after the account is its key."""
_COMMAND_CHARACTER = r"(?:[^\n|;\\]|\\(?:\r?\n|.))"
"""A character of a command, which continues on the next line after a backslash."""
_CURL = LazyPattern(
    r"\b(?:curl|wget|http|https|hurl)(?=\s)"
    + _COMMAND_CHARACTER
    + r"{0,200}?(?:\s-u|\s--user|\s-a|\s--auth)[ =]?[\"']?"
    r"(?P<user>[^\s:\"'$<{]{1,80}):(?P<password>[^\s\"'$<{]{5,120})",
)
_ARGUMENT = LazyPattern(
    r"(?:sshpass\s+-p"
    r"|docker\s+login\s[^\n|;]{0,80}?(?:-p|--password)"
    r"|(?:mysql|mysqldump|mariadb|mysqladmin)(?=\s)[^\n|;]{0,80}?\s-p"
    r"|redis-cli(?=\s)[^\n|;]{0,80}?\s-a|helm\s+(?:repo|registry)\s[^\n|;]{0,120}?--password"
    r"|az\s+login\s[^\n|;]{0,120}?-p"
    r"|mongo(?:sh|dump|restore)?(?=\s)[^\n|;]{0,120}?(?:\s-p|--password)"
    r"|ldapsearch(?=\s)[^\n|;]{0,120}?\s-w|sqlcmd(?=\s)[^\n|;]{0,80}?\s-P"
    r"|openssl\s[^\n|;]{0,160}?pass:"
    r"|--http-password|--ftp-password|npm\s+login\s[^\n|;]{0,80}?-p"
    r"|-storepass|-keypass)[ =]{0,2}[\"']?(?P<password>[^\s\"'$<{(;|]{5,120})"
)
_GO_DSN = LazyPattern(
    r"[\"'`](?P<user>[\w.-]{1,60}):(?P<password>[^\"'`\s@:%${]{5,120})@(?:tcp|unix)\((?P<host>[^)\n]{1,120})\)"
)
_SECURE_STRING = LazyPattern(
    r"ConvertTo-SecureString\s+(?:-String\s+)?[\"'](?P<password>[^\"'$\n]{6,120})[\"']"
)
_ENCODED = LazyPattern(
    r"(?:btoa|b64encode|base64_?encode|encode64|encodetostring|buffer\.from)\((?:\[\]byte\(|bytes\()?\s{0,20}b?"
    r"[\"'`](?P<user>[^\"'`\s:/]{1,60}):(?P<password>[^\"'`\s/{$]{5,120})[\"'`]",
    re.IGNORECASE,
)
_AFTER_ADDRESS = LazyPattern(
    r"@[\w-]{1,60}(?:\.[\w-]{1,30}){1,3}[\"'`]\s{0,40},\s{0,40}[\"'`](?P<password>[!-~]{8,40})[\"'`]\s{0,40}[,)\]]"
)
"""An e-mail address to log in with, and the unnamed literal that follows it."""
_CONNECT_WORDS = (b"getconnection(", b"pdo(", b"mysqli", b"_connect(")
_LOGIN_WORDS = (b"smtp", b"imap", b"setpassword", b"set_password", b"sign_in", b"signin", b"login")
_FEWEST_KINDS = 4
_SHORTEST_KEY = 24
_WORDS = (b"auth", b"login", b"log_in", b"credential", b"basic")
_COMMANDS = (
    b"sshpass", b"docker login", b"mysql", b"mariadb", b"redis-cli", b"helm ", b"az login", b"mongo",
    b"ldapsearch", b"sqlcmd", b"openssl", b"--http-password", b"--ftp-password", b"npm login", b"-storepass",
    b"-keypass",
)  # fmt: skip
_NAME = LazyPattern(r"[a-z][a-z0-9]*(?:[-_.:/][a-z0-9]+)*[-_.:/]\d{1,2}|[\w-]+(?:\.[A-Za-z]\w*)+")
_SETTING = LazyPattern(
    r"[A-Za-z]\w*_(?:(?:CLIENT|APP|API|CONSUMER|ACCESS)_)?(?:SECRET|KEY|PASSWORD|PASSWD|TOKEN|PASS|ID)"
)
"""Name of an environment variable that contains a credential."""
_DOTTED = LazyPattern(r"(?=[^.]*\d)[A-Z][\w-]{5,30}\.[A-Za-z][\w-]{0,20}")
"""A dotted value: a password after an option that takes one; elsewhere an attribute."""
_LOCAL = LazyPattern(r"localhost|127\.0\.0\.1|0\.0\.0\.0|example|::1", re.IGNORECASE)


class UsernamePasswordPair(SecretCheck):
    """A user name is followed by a literal password.

    No variable name marks the literal as a password, but the call, the pair or the command does: the program
    logs in with it, and anyone with a copy of the repository can read it. Change the password, and read the
    new one from the environment or a secret store.
    """

    ID = "SE011"
    NAME = "username-password-pair"
    SEVERITY = Severity.WARN
    VALID = [
        code("""
            client.login(user, password)
        """),
        code("""
            auth = ("user", "password1")
        """),
    ]
    INVALID = [
        code("""
            AUTH = ("writer", "«\x477Akv4lUlDnEYp2q»")
        """),
        code("""
            requests.get(url, auth=("bot", "«\x42lauwal.4711»"))
        """),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for match in _matches(text):
            password = match["password"]
            groups = match.groupdict()
            if groups.get("quote") and (_NAME.fullmatch(password) or _SETTING.fullmatch(password)):
                continue
            if _is_password_of(password, groups.get("user")):
                message = "password next to a user name (***): change it, then remove it"
                yield SecretMatch(*match.span("password"), message)


def _matches(text: ScannedText) -> Iterator[re.Match[str]]:
    whole, lower = text.text, text.lower
    for word in _WORDS:
        yield from (match for place in text.offsets_of(word) if (match := _CALL.match(whole, place)))
    if any(word in lower for word in _LOGIN_WORDS):
        for place in text.offsets_of(b"@"):
            if (match := _AFTER_ADDRESS.match(whole, place)) and _is_strong(match["password"]):
                yield match
    for place in text.offsets_of(b"client("):
        if (match := _CLIENT.match(whole, place)) and _is_key(match["password"]):
            yield match
    if b"btoa(" in lower or b"encode" in lower or b"buffer.from(" in lower:
        yield from _ENCODED.finditer(whole)
    if any(word in lower for word in _CONNECT_WORDS):
        yield from _CONNECT.finditer(whole)
    if b"curl" in lower or b"wget" in lower or b"http -a" in lower:
        yield from (
            match
            for match in _CURL.finditer(whole)
            if not _LOCAL.search(text.line_of(match.start()) + text.line_of(match.end()) + match[0])
        )
    if any(word in lower for word in _COMMANDS):
        yield from _ARGUMENT.finditer(whole)
    if b"@tcp(" in lower or b"@unix(" in lower:
        yield from (match for match in _GO_DSN.finditer(whole) if not _LOCAL.search(match["host"]))
    if b"convertto-securestring" in lower:
        yield from _SECURE_STRING.finditer(whole)


def _is_strong(password: str) -> bool:
    """Return True if a value has capitals, small letters, digits and symbols, as only passwords must."""
    kinds = (str.isupper, str.islower, str.isdigit, lambda char: not char.isalnum() and char not in "-_./")
    return sum(any(map(kind, password)) for kind in kinds) >= _FEWEST_KINDS


def _is_key(value: str) -> bool:
    """Return True if a value is random, long and not marked as public."""
    return len(value) >= _SHORTEST_KEY and is_random(value) and "pub" not in value.lower()


def _is_password_of(password: str, user: str | None) -> bool:
    if password == user:
        return False
    if value_filters.has_stop_word(password) or value_filters.is_placeholder(password):
        return False
    return is_password(password) or is_random(password) or _DOTTED.fullmatch(password) is not None
