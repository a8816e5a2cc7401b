from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.passwords import is_password
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_LITERAL = r"(?:[\"'`](?P<user>[^\"'`\n\\]{1,80})[\"'`]|[\w.$]{1,60}(?:\([\w\"'.]{0,40}\))?)"
_SECOND = (
    r"\s{0,40},\s{0,40}(?:password\s?[=:]\s?)?b?(?P<quote>[\"'`])(?P<password>[^\"'`\n\\]{6,120})(?P=quote)"
)
_CALL = LazyPattern(
    r"(?:auth(?!or(?!i[sz]))|log_?in|credential|basic)\w{0,24}[\"']?\s{0,4}(?:[:=]{1,2}\s{0,4})?[(\[{]\s{0,40}"
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
_CLIENT_CALL = b"client("
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
_ANYWHERE: tuple[tuple[Sequence[bytes], LazyPattern], ...] = (
    ((b"btoa(", b"encode", b"buffer.from("), _ENCODED),
    (_CONNECT_WORDS, _CONNECT),
    ((b"curl", b"wget", b"http -a"), _CURL),
    (_COMMANDS, _ARGUMENT),
    ((b"@tcp(", b"@unix("), _GO_DSN),
    ((b"convertto-securestring",), _SECURE_STRING),
)
"""Words, and the pattern that is matched if a source contains at least one of them."""


class UsernamePasswordPair(SecretCheck):
    """A user name is followed by a literal password.

    No variable name marks the literal as a password, but the call, the pair or the command does: the program
    logs in with it, and anyone with a copy of the repository can read it. Change the password, and read the
    new one from the environment or a secret store.
    """

    ID = "SE011"
    NAME = "username-password-pair"
    ANCHORS = (*_WORDS, *_LOGIN_WORDS, _CLIENT_CALL, *(word for words, _ in _ANYWHERE for word in words))
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
        for match in _password_matches(text):
            password = match["password"]
            groups = match.groupdict()
            if groups.get("quote") and (_NAME.fullmatch(password) or _SETTING.fullmatch(password)):
                continue
            if _is_password_of(password, groups.get("user")):
                message = "password next to a user name (***): change it, then remove it"
                yield SecretMatch(*match.span("password"), message)


def _password_matches(text: ScannedText) -> Iterator[re.Match[str]]:
    """Yield every literal password after a user name, by kind of call or command."""
    for word in _WORDS:
        yield from _matches_at_words(text, word, _CALL)
    if _has_any(text, _LOGIN_WORDS):
        logins = _matches_at_words(text, b"@", _AFTER_ADDRESS)
        yield from (match for match in logins if _is_strong(match["password"]))
    clients = _matches_at_words(text, _CLIENT_CALL, _CLIENT)
    yield from (match for match in clients if _is_key(match["password"]))
    for words, pattern in _ANYWHERE:
        if _has_any(text, words):
            yield from _remote_matches(text, pattern)


def _remote_matches(text: ScannedText, pattern: LazyPattern) -> Iterator[re.Match[str]]:
    return (match for match in pattern.finditer(text.text) if not _is_local(text, match))


def _has_any(text: ScannedText, words: Sequence[bytes]) -> bool:
    return any(word in text.lower for word in words)


def _matches_at_words(text: ScannedText, word: bytes, pattern: LazyPattern) -> Iterator[re.Match[str]]:
    for offset in text.offsets_of(word):
        match: re.Match[str] | None = pattern.match(text.text, offset)
        if match is not None:
            yield match


def _is_local(text: ScannedText, match: re.Match[str]) -> bool:
    """Return True if a command or connection string logs in at the local host."""
    if match.re.pattern == _CURL.pattern:
        around = text.line_of(match.start()) + text.line_of(match.end()) + match[0]
        return _LOCAL.search(around) is not None
    return match.re.pattern == _GO_DSN.pattern and _LOCAL.search(match["host"]) is not None


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
