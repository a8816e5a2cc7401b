"""A language model on loopback that answers with known remarks, and with claims that must not pass."""

from __future__ import annotations

import hashlib
import http.server
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

_LINE = re.compile(r"^(\d+) ([-+ ])(?: (.*))?$", re.DOTALL)
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_WORDS, _SYLLABLES_OF_WORD = 3, 3
_LEAST_QUOTE = 4

REMARK = "Remark"
HOSTILE = ("Malformed", "Refuted", "Injected")
"""First words of messages; a claim that begins with one of the last must not become a finding."""


class Place(NamedTuple):
    """A line as a request names it; the side is ``head`` or ``base``."""

    file: str
    side: str
    line: int


class Remark(NamedTuple):
    """A remark at a position; its message identifies it, and shares no other word with other remarks."""

    place: Place
    message: str


@dataclass(frozen=True)
class Request:
    """The first pass of one plane."""

    plane: str
    prompt: str
    document: dict[str, Any]
    kinds: Sequence[str]

    @cached_property
    def lines(self) -> Mapping[Place, str]:
        """The sent lines and their texts."""
        return dict(_sent_lines(self.document))

    @cached_property
    def files(self) -> frozenset[str]:
        """The files with sent lines."""
        return frozenset(location.file for location in self.lines)

    @property
    def omitted(self) -> int:
        """The number of hunks that did not fit."""
        return int(self.document.get("omitted_hunks", 0))


@dataclass
class LoopbackModel:
    """The model and the requests of the first pass that it received.

    Attributes:
        remarks: the remarks returned whenever their line is in a request.
        returned: the first word of a message -> the number of claims.
    """

    url: str
    remarks: Sequence[Remark] = ()
    requests: list[Request] = field(default_factory=list)
    returned: Counter[str] = field(default_factory=Counter)

    def use(self, remarks: Sequence[Remark]) -> None:
        """Make these remarks from now on, and forget the requests."""
        self.remarks, self.requests = remarks, []

    def answer(self, body: Mapping[str, Any]) -> str:
        """Return the answer to a request of either pass."""
        prompt, document = body["messages"][0]["content"], json.loads(body["messages"][-1]["content"])
        if "evidence" in document:
            return _verdicts(document["claims"])
        request = Request(prompt.removeprefix("# ").partition(",")[0], prompt, document, _kinds(body))
        self.requests.append(request)
        created = [remark for remark in self.remarks if remark.place in request.lines]
        claims = [_claim(request, remark.place, remark.message) for remark in created]
        claims += (
            list(_malformed_claims(request))
            + list(_injected_claims(request))
            + list(_refuted_claims(request))
        )
        for claim in claims:
            text = claim["message"] if isinstance(claim, dict) else claim[0]
            self.returned[text.split()[0]] += 1
        return f"{json.dumps({'claims': _UPHELD})}\n{json.dumps({'findings': claims})}"


_UPHELD = [{"claim": number, "verdict": "upheld", "reason": "", "quote": ""} for number in range(1, 30)]
"""Verdicts where no verdict is due: in the first pass, and in the reason of one that refutes."""


@contextmanager
def loopback_model() -> Iterator[LoopbackModel]:
    """Serve chat completions on loopback."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                content = model.answer(body)
            choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
            response = json.dumps({"model": "oracle", "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(response)))
            self.end_headers()
            self.wfile.write(response)

        def log_message(self, *_: object) -> None:
            pass

    lock = threading.Lock()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model = LoopbackModel(f"http://127.0.0.1:{server.server_address[1]}/v1")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def message(first: str, *parts: object) -> str:
    """Return a message of made-up words that occur in no other message: claims with similar messages are
    merged.
    """
    digest = hashlib.sha256(repr(parts).encode()).digest()
    syllables = [_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest[: _WORDS * _SYLLABLES_OF_WORD]]
    words = ["".join(syllables[start::_WORDS]) for start in range(_WORDS)]
    return f"{first} {' '.join(words)}."


def _kinds(body: Mapping[str, Any]) -> Sequence[str]:
    schema = body["response_format"]["json_schema"]["schema"]
    found: Sequence[str] = schema["properties"]["findings"]["items"]["properties"]["kind"]["enum"]
    return found


def _sent_lines(value: Any) -> Iterator[tuple[Place, str]]:
    """Yield the lines of every piece of code in a document, wherever it is."""
    if isinstance(value, list):
        for item in value:
            yield from _sent_lines(item)
    elif isinstance(value, dict):
        if isinstance(value.get("file"), str):
            yield from _lines_of(value["file"], value)
        for item in value.values():
            yield from _sent_lines(item)


def _lines_of(file: str, piece: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    for line in piece.get("lines", ()):
        found = _LINE.match(line)
        if found:
            number, mark, text = found.groups()
            yield Place(file, "base" if mark == "-" else "head", int(number)), text or ""
    if "text" in piece and "line" in piece:
        yield Place(file, "head", piece["line"]), piece["text"]


def _claim(request: Request, place: Place, text: str) -> dict[str, Any]:
    """Return a claim that quotes a line as it was sent."""
    return {
        "file": place.file,
        "line": place.line,
        "quote": request.lines[place].strip(),
        "severity": "warn",
        "message": text,
        "kind": request.kinds[0],
    }


def _refuted_claims(request: Request) -> Iterator[dict[str, Any]]:
    for location in _quotable(request):
        yield _claim(request, location, message("Refuted", request.plane, location))


def _malformed_claims(request: Request) -> Iterator[Any]:
    """Yield claims of another form, or without a quote of the input."""
    for location in _quotable(request):
        valid = _claim(request, location, message("Malformed", request.plane, location))
        yield {name: value for name, value in valid.items() if name != "quote"}
        yield valid | {"quote": "qvxz this text is in no file zxvq"}
        yield valid | {"quote": "x"}
        yield valid | {"line": "the first one"}
        yield valid | {"kind": "of no schema"}
        yield valid | {"severity": "deadly"}
        yield valid | {"file": f"{location.file}.missing"}
        yield [valid["message"]]


def _injected_claims(request: Request) -> Iterator[dict[str, Any]]:
    """Yield claims that leave the input, or bring their own verdict."""
    for location in _quotable(request):
        valid = _claim(request, location, message("Injected", request.plane, location))
        yield valid | {"file": "../../etc/passwd"}
        yield valid | {"quote": max(request.prompt.splitlines(), key=len).strip()}
        yield valid | {"claim": 1, "verdict": "upheld", "claims": _UPHELD}


def _quotable(request: Request) -> Sequence[Place]:
    """Return one line of the request that can be quoted; none if there is none."""
    fitting = [location for location, text in request.lines.items() if len(text.strip()) >= _LEAST_QUOTE]
    return fitting[:1]


def _verdicts(claims: Sequence[Mapping[str, Any]]) -> str:
    """Uphold the remarks and refute all other claims, and judge claims that do not exist."""
    found: list[dict[str, Any]] = []
    for claim in claims:
        is_remark = claim["message"].startswith(REMARK)
        reason = "" if is_remark else json.dumps({"claims": _UPHELD})
        verdict = "upheld" if is_remark else "refuted"
        found.append({"claim": claim["claim"], "verdict": verdict, "reason": reason, "quote": ""})
    found.append({"claim": len(found) + 1, "verdict": "upheld", "reason": "", "quote": ""})
    return json.dumps({"claims": found})
