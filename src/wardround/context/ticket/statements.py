"""The kinds of sentence that matter in a ticket: statements, placeholders, declarations, steps, labels."""

from __future__ import annotations

import re

_STATEMENT = re.compile(
    r"\b(?:must|shall|should|can|cannot|can't|will|won't|may not|need(?:s|ed)? to|ha(?:s|ve) to|"
    r"(?:is|are) (?:not )?(?:able|allowed|possible|required|shown|displayed|returned|sent|saved|stored|"
    r"logged|created|deleted|removed|updated|disabled|enabled|visible|hidden|rejected|accepted|rendered|called|used|"
    r"set|added|covered|sorted|validated|documented|available|empty|unique|optional)|returns?|shows?|displays?|accepts?|rejects?|redirects?|"
    r"contains?|supports?|fails?|exits?|raises?|throws?|stores?|saves?|sends?|creates?|deletes?|removes?|adds?|"
    r"logs?|renders?|opens?|closes?|works?|passes|responds?|prints?|writes?|reads?|uses?|keeps?|remains?|"
    r"includes?|starts?|stops?|runs?|becomes?|gets?|receives?|sees?|no longer|never|always|only|"
    r"muss|müssen|soll|sollen|darf|dürfen|kann|können|wird|werden|doit|doivent|peut|debe|deben|puede|deve|"
    r"devem|pode|moet|kan|musi|powinien|powinno|должен|должна|должно|должны)\b"
    r"|すること|される|する。|必须|应该|应当|必須|應該|해야",
    re.IGNORECASE,
)
_NOT_STATEMENT = re.compile(
    r"(?:note|notes|nb|n\.b\.|see|cf\.?|ref|refs|cc|fyi|todo|tbd|question|q|hint|tip|example|e\.g\.|ps|edit|update|"
    r"as an?|i think|maybe|perhaps|not sure|we could|hinweis|siehe|als)\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:tbd|tba|tbc|todo|n/?a|none|nothing|no response|_no response_|wip|xxx+|\?+|-+|\.{2,}|…|criterion \d+|"
    r"criteria \d+|<[^<>]{0,80}>|\[[^\[\]]{0,80}\]|\{[^{}]{0,80}\}|"
    r"to be (?:defined|done|determined|confirmed)|(?:add|list|insert|describe|your|enter) (?:your )?"
    r"(?:acceptance )?(?:criteri\w+|requirements?)\b.{0,40})[.!]?$",
    re.IGNORECASE,
)
_DECLARATION = re.compile(
    r"(?:i(?:'ve|'d|'m)?|we(?:'ve)?|my|by submitting|yes|no)\b.{0,10}\b(?:have|agree|confirm|read|search\w*|"
    r"checked|understand|am|will|would|accept|followed|tested|looked|verified|willing|use|using)?\b|"
    r"(?:read|searched|checked|follow(?:ed)?|agree) (?:the |to |for |that )",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"(?:go to|goto|open|click|navigate|run|type|enter|select|press|scroll|visit|start|launch|install|clone|"
    r"log in|login|observe|see (?:the )?error|notice|load|execute|download|start up)\b|"
    r".*\b(?:steps|reproduce|repro)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"((?:AC|DOD|REQ|R|UAC|FR|NFR)[-_ #.]?\d{1,3}(?:\.\d{1,2})?)\s*[:.)\]–-]\s*",  # noqa: RUF001 - as typed
    re.IGNORECASE,
)


def is_statement(text: str) -> bool:
    """Return True if the text states how something behaves: it has a verb of obligation or of behaviour."""
    return not _NOT_STATEMENT.match(text) and _STATEMENT.search(text) is not None


def is_placeholder(text: str) -> bool:
    """Return True for text that a template left: ``TBD``, ``<criterion>``, ``...``, a URL only."""
    bare = text.strip(" *_`")
    return not bare or _PLACEHOLDER.match(bare) is not None or re.fullmatch(r"https?://\S+", bare) is not None


def is_declaration(text: str) -> bool:
    """Return True for a checkbox by which an author declares something ("I have searched ...")."""
    return _DECLARATION.match(text) is not None


def is_reproduction_step(text: str) -> bool:
    """Return True for a step of a person that reproduces a defect, and for the line that introduces steps."""
    return _STEP.match(text) is not None


def split_label(text: str) -> tuple[str, str]:
    """Split ``AC-1: text`` into its label in upper case and the text; the label is empty if there is none."""
    match = _LABEL.match(text)
    if match is None or match.end() == len(text):
        return "", text
    return re.sub(r"[-_ #]", "", match[1]).upper(), text[match.end() :]
