"""Places of a change that lie on a trust boundary: where data of others enters, or access is decided.

A note is a reason to read the position carefully, and never a defect by itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.boundary_notes import Boundary, BoundaryNote
from wardround.semantics.enclosing import decorators, enclosing_lines
from wardround.text.escaping import one_line
from wardround.text.redaction import redact_secrets

MOST_BOUNDARIES = 200
_MOST_LINES = 3_000
"""Changed lines of a file that are inspected."""
_LONGEST = 500
_LITERAL = r"(['\"`])[^'\"`/]{6,400}\1"
_SHOWN = 120
_SOURCES = (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")


class ChangedLines(msgspec.Struct, frozen=True):
    """A changed file.

    Attributes:
        text: content at the head.
        numbers: the changed lines of the head, in order; a removal counts as the line after it.
        removed: line of the head -> the removed lines before it.
    """

    path: str
    text: str
    numbers: Sequence[int]
    removed: Mapping[int, Sequence[str]] = {}


_ROUTE = LazyPattern(
    r"@\w+(?:\.\w+)*\.(?:route|get|post|put|patch|delete|websocket|api_route)\("
    r"|@(?:api_view|action|require_http_methods)\b"
    r"|@(?:Get|Post|Put|Patch|Delete|All|Mutation|Query|Resolver|Controller|SubscribeMessage)\("
    r"|\b(?:app|router|server|fastify|api|route|hono)\.(?:get|post|put|patch|delete|all|route)\(\s*[\"'`/]"
    r"|\bclass \w+\([^)]*(?:APIView|ViewSet|MethodView|Resource|View|RequestHandler)\b"
    r"|^export (?:async )?(?:function|const) (?:GET|POST|PUT|PATCH|DELETE|loader|action)\b"
    r"|\b(?:publicProcedure|protectedProcedure|procedure)\b"
)
_WEBHOOK = LazyPattern(
    r"\b(?:def|function|const)\s+(?:\w*(?:handle|receive|process|verify|incoming)\w*webhook\w*"
    r"|\w*webhook(?:_?handler|_?view|_?endpoint|_?callback|_?receiver)?)\s*(?:\(|=\s*(?:async\b|\())"
    r"|[\"'`](?:/[\w/:{}<>-]*)?/webhooks?\b",
    re.IGNORECASE,
)
_UPLOAD = LazyPattern(
    r"request\.(?:files|FILES)\b|\bUploadFile\b|\bmulter\(|\.extractall\(|\bZipFile\(\s*[^)\s]|\btarfile\.open\("
    r"|\bformidable\(|req\.files?\b"
)
_DESERIALISATION = LazyPattern(
    r"\b(?:c?[pP]ickle|marshal|dill|jsonpickle|shelve)\.(?:loads?|open)\(|\byaml\.(?:unsafe_|full_)?load(?:_all)?\("
    r"|\b(?:ElementTree|etree|minidom|xml2js|xmltodict)\.\w*(?:parse|fromstring|XML)\w*\("
    r"|\bJSON\.parse\((?:await )?(?:\w+\.)*(?:req|request|event|message|body)\b"
    r"|\bjson\.loads\((?:await )?request\b|\btorch\.load\(|\bunserialize\("
)
_ACCESS_NAME = LazyPattern(
    r"\b(?:def|function|class|const(?=\s+\w+\s*=\s*(?:async\b|\(|function\b)))\s+(?!test_)\w*(?:authenticat"
    r"|authoriz|authoris|(?:has|check|require|verify|ensure|grant|allow|deny)\w*perm|permissions?\b|log_?in\b"
    r"|sign_?in\b|verify_?(?:token|signature|password|session)|check_?(?:access|auth|token|password)"
    r"|require_?(?:auth|user|role|admin|login)|is_?(?:admin|owner|authori[sz]ed|authenticated|superuser)"
    r"|can_?(?:view|edit|access|delete|manage|read|write)|access_?control|guard\b)",
    re.IGNORECASE,
)
_ACCESS_LINE = LazyPattern(
    r"@(?:login_required|permission_required|user_passes_test|requires_auth|jwt_required|UseGuards|Roles)\b"
    r"|\b(?:permission_classes|authentication_classes|IsAuthenticated|IsAdminUser|AllowAny)\b"
    r"|\b(?:Depends|Security)\(\s*\w*(?:user|auth|token|permission|scope)\w*|\bgetServerSession\("
    r"|\b(?:is_staff|is_superuser|isAdmin)\b(?!\??\s*:)|\b(?:check_password|compare_digest)\b"
    r"|\b(?:has_perm|has_permission|hasPermission)\b"
    r"|\b(?:timingSafeEqual|requireAuth)\b|\bjwt\.(?:decode|verify|encode|sign)\("
)
_WEB_POLICY = LazyPattern(
    r"Content-Security-Policy|\bCSP_|Access-Control-Allow|\bCORS_|\bcors(?:middleware)?\("
    r"|\bset_?cookie\(|\bSameSite\b|\bhttp_?only\b"
    r"|\b(?:SESSION|CSRF)_(?:COOKIE|TRUSTED|USE|SAVE|EXPIRE|FAILURE|HEADER)\w*|X-Frame-Options"
    r"|\bSECURE_(?:SSL|HSTS|PROXY|BROWSER|CONTENT|REDIRECT)\w*|Strict-Transport-Security"
    r"|\bALLOWED_HOSTS\b|\bhelmet\(|\bcookies\(\)\.set|\bcsrf_exempt\b|\bcsrf(?:Protection|_token)?\(",
    re.IGNORECASE,
)
_COMMENT = ("#", "//", "*", "/*", "<!--", '"""', "'''")
_IMPORT = ("import ", "from ", "} from ", "export {", "export * ")
_WORKFLOW = LazyPattern(r"(?:^|/)\.github/(?:workflows|actions)/.+\.ya?ml$")
_PRIVILEGED = LazyPattern(
    r"\b(?:pull_request_target|workflow_run|issue_comment)[ \t]*:|\bsecrets\.(?!GITHUB_TOKEN\b)\w"
    r"|id-token:[ \t]*write"
)
_FILE_ROUTE = LazyPattern(r"(?:^|/)app/.*/?route\.[cm]?[jt]sx?$|(?:^|/)pages/api/.+\.[jt]sx?$")
_FILE_ACCESS = LazyPattern(r"(?:^|/)(?:middleware|proxy)\.[jt]s$|(?:^|/)(?:permissions?|authentication)\.py$")

_Found = tuple[Boundary, int]
"""A kind, and the line that shows it."""


def trust_boundaries(files: Sequence[ChangedLines]) -> tuple[BoundaryNote, ...]:
    """Return the notes of all files, one for each enclosing statement of a kind."""
    notes = sorted(note for file in files for note in _notes(file))
    return tuple(notes[:MOST_BOUNDARIES])


def is_inspected(path: str) -> bool:
    """Return True for a file that can have a trust boundary, by its name."""
    return path.endswith(_SOURCES) or bool(_WORKFLOW.search(path))


def _notes(file: ChangedLines) -> Iterator[BoundaryNote]:
    lines = [line[:_LONGEST] for line in file.text.split("\n")]
    if _WORKFLOW.search(file.path):
        found = _boundaries_in_workflow(file, lines)
    elif file.path.endswith(_SOURCES):
        found = _boundaries_in_source(file, lines)
    else:
        return
    spans: dict[_Found, list[int]] = {}
    for key, number in found:
        spans.setdefault(key, []).append(number)
    for (kind, line), numbers in spans.items():
        reason = _mask_line(lines[line - 1]) if line else "by the path of the file"
        yield BoundaryNote(file.path, min(numbers), max(numbers), kind, one_line(reason))
    yield from _removed_boundaries(file, {kind for kind, _ in spans})


def _mask_line(line: str) -> str:
    """Return the start of a line without secrets: a record contains no literal that may be one."""
    return redact_secrets(re.sub(_LITERAL, r"\1***\1", line[:_LONGEST])).strip()[:_SHOWN]


def _removed_boundaries(file: ChangedLines, known: Collection[Boundary]) -> Iterator[BoundaryNote]:
    """Return the kinds that only removed lines show: a guard that is removed."""
    seen = set(known)
    for number, texts in file.removed.items():
        for text in texts[:_MOST_LINES]:
            for kind, pattern in _IN_LINE if not text.strip().startswith((*_COMMENT, *_IMPORT)) else ():
                if kind not in seen and pattern.search(text[:_LONGEST]):
                    seen.add(kind)
                    reason = f"removed: {_mask_line(text)}"
                    yield BoundaryNote(file.path, number, number, kind, one_line(reason))


def _boundaries_in_workflow(file: ChangedLines, lines: Sequence[str]) -> Iterator[tuple[_Found, int]]:
    """Yield a change anywhere in a workflow with privileges, and each line that names a secret."""
    first = next((number for number, line in enumerate(lines, 1) if _PRIVILEGED.search(line)), 0)
    for number in file.numbers if first else ():
        if number <= len(lines) and not lines[number - 1].lstrip().startswith("#"):
            own = number if _PRIVILEGED.search(lines[number - 1]) else first
            yield (Boundary.PRIVILEGED_WORKFLOW, own), number


def _boundaries_in_source(file: ChangedLines, lines: Sequence[str]) -> Iterator[tuple[_Found, int]]:
    by_path = [kind for kind, pattern in _BY_PATH if pattern.search(file.path)]
    headers = _Headers(lines)
    for number in file.numbers[:_MOST_LINES]:
        if not _is_code(number, lines):
            continue
        yield from (((kind, 0), number) for kind in by_path)
        for kind, pattern in _IN_LINE:
            if pattern.search(lines[number - 1]):
                yield (kind, number), number
        for kind, line in headers.around(number).items():
            if kind not in by_path:
                yield (kind, line), number


def _is_code(number: int, lines: Sequence[str]) -> bool:
    """Return True for a line of the file that is not blank, a comment or an import."""
    text = lines[number - 1].strip() if number <= len(lines) else ""
    return text != "" and not text.startswith((*_COMMENT, *_IMPORT))


class _Headers:
    """The boundaries that statements and their decorators open, each line matched once."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._known: dict[int, dict[Boundary, int]] = {}

    def around(self, number: int) -> dict[Boundary, int]:
        """Return the boundaries that enclose a line with the line of the innermost of each kind."""
        found: dict[Boundary, int] = {}
        for header in (number, *enclosing_lines(self._lines, number)):
            found = self._boundaries_of(header) | found
        return found

    def _boundaries_of(self, header: int) -> dict[Boundary, int]:
        if header not in self._known:
            found: dict[Boundary, int] = {}
            for line in (header, *decorators(self._lines, header)):
                shown = {kind: line for kind, pattern in _IN_HEADER if pattern.search(self._lines[line - 1])}
                found = shown | found
            self._known[header] = found
        return self._known[header]


_Kinds = Sequence[tuple[Boundary, LazyPattern]]
_IN_LINE: _Kinds = (
    (Boundary.UPLOAD, _UPLOAD),
    (Boundary.DESERIALISATION, _DESERIALISATION),
    (Boundary.ACCESS, _ACCESS_LINE),
    (Boundary.WEB_POLICY, _WEB_POLICY),
)
_IN_HEADER: _Kinds = (
    (Boundary.ROUTE, _ROUTE),
    (Boundary.WEBHOOK, _WEBHOOK),
    (Boundary.ACCESS, _ACCESS_NAME),
)
_BY_PATH: _Kinds = ((Boundary.ROUTE, _FILE_ROUTE), (Boundary.ACCESS, _FILE_ACCESS))


def is_handler(lines: Sequence[str], number: int) -> bool:
    """Return True if a line is in a handler of requests."""
    return 0 < number <= len(lines) and Boundary.ROUTE in _Headers(lines).around(number)
