from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, Word, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.libraries.commands import FETCHERS, INTERPRETERS, program

_CHECKED = LazyPattern(
    r"\b(?:sha\d+sum|shasum|md5sum|b2sum|b3sum|gpgv?|minisign|cosign|slsa-verifier|signify|rpmkeys|codesign)\b"
    r"|openssl\s+dgst|gh\s+attestation|certutil\s+-hashfile|Get-FileHash|--checksum|hash -c|checksum"
)
_LOCAL = LazyPattern(r"\b(?:localhost|127\.0\.0\.1|169\.254\.169\.254|host\.docker\.internal)\b")
_INSTALLERS = {"dpkg": ("-i", "--install"), "rpm": ("-i", "-ivh", "-U", "-Uvh"), "installer": ("-pkg",)}


class DownloadRunUnchecked(CiCheck):
    """A script is downloaded to a file and run without verification.

    This is `curl | sh` in two steps: anyone who controls the server, or over plain http the connection, can
    run code here. Compare the file with a checksum from the repository before it is run.
    """

    ID = "DC048"
    NAME = "download-run-unchecked"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unverified-download"
    KINDS = SCRIPTS
    NEEDS = ("curl", "wget", "aria2c")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            curl -fsSLo x.sh https://example.org/x
            echo '0  x.sh' | sha256sum -c
            sh x.sh
        """),
        code("""
            curl -fsSL -o data.json https://example.org/a.json
            python3 read.py data.json
        """),
    ]
    INVALID = [
        code("""
            «curl -fsSL "http://$HOST/i.sh" -o "${tmp}/i.sh"»
            chmod +x "${tmp}/i.sh"
            sudo "$tmp/i.sh" --prefix /x
        """),
        code(
            """
            FROM a:1
            RUN «curl -fsSLO https://example.org/setup.sh»
            RUN bash setup.sh -y
            """,
            path="Dockerfile",
        ),
    ]

    def run(self) -> None:
        if _CHECKED.search(self.file.text):
            return
        commands = [command for script in self.file.scripts for command in script.commands]
        for at, command in enumerate(commands):
            download = _download(command)
            run = _run_of(download, commands[at + 1 :]) if download is not None else None
            if download is not None and run is not None:
                self._report(command, download, run)

    def _report(self, command: Command, download: _Download, run: Command) -> None:
        is_script = program(run) in INTERPRETERS or re.search(r"\.(?:sh|bash|py|pl|rb)$", download.file)
        severity = None if is_script or download.url.startswith("http://") else Severity.INFO
        line = self.file.places.line(run.start)
        where = "" if line == self.file.places.line(command.start) else f" on line {line}"
        self.report_at(
            command.start,
            command.end,
            f"the download is run{where} without verification; compare its checksum",
            severity=severity,
        )


class _Download(Struct, frozen=True):
    url: str
    file: str


def _run_of(download: _Download, later: Sequence[Command]) -> Command | None:
    """Return the command that runs the file of a download, or makes it executable if it came by HTTP."""
    for command in later:
        if _runs_file(command, download.file):
            return command
    if download.url.startswith("http://"):
        for command in later:
            if _makes_executable(command, download.file):
                return command
    return None


def _download(command: Command) -> _Download | None:
    """Return the URL that a command downloads and the file it writes."""
    if program(command) not in FETCHERS:
        return None
    words = unwrap_command(command)
    url = _url_in(words[1:])
    if not url or _LOCAL.search(url):
        return None
    file = next(_downloaded_files(program(command), words), "") or _redirect_target(command)
    names_it_itself = program(command) == "wget" or command.has_flag("O", "--remote-name")
    if not file and names_it_itself:
        file = url.split("?", 1)[0].rpartition("/")[2]
    if file in ("", "-", "/dev/null", "/dev/stdout"):
        return None
    return _Download(url, _plain(file))


def _url_in(words: Sequence[Word]) -> str:
    pattern = bounded_pattern(r"https?://|\$\{?\w*(?:URL|url)\w*\}?")
    return next((word.text for word in words if pattern.match(word.text)), "")


def _downloaded_files(name: str, words: Sequence[Word]) -> Iterator[str]:
    """Yield the files that options of curl or wget name."""
    letter = "o" if name == "curl" else "O"
    for at, word in enumerate(words[1:], 1):
        text = word.text
        option, sign, value = text.partition("=")
        if option in _OUTPUT_OPTIONS and sign:
            yield value
        elif text in _OUTPUT_OPTIONS or re.match(rf"-[a-zA-Z]*{letter}$", text):
            yield from (following.text for following in words[at + 1 : at + 2])
        elif name == "wget" and text.startswith("-O"):
            yield text.removeprefix("-O")


_OUTPUT_OPTIONS = ("--output", "--output-document")


def _redirect_target(command: Command) -> str:
    return next((redirect.target for redirect in command.redirects if redirect.sign in (">", ">>", ">|")), "")


def _runs_file(command: Command, file: str) -> bool:
    """Return True if a command runs or installs a file."""
    words = [word.text for word in unwrap_command(command)]
    if not words or not file:
        return False
    name, arguments = program(command), words[1:]
    if _plain(words[0]) == file and not {"/", "$"}.isdisjoint(words[0]):
        return True
    if name in INTERPRETERS or name in ("source", "."):
        return _plain(_first_plain(arguments)) == file
    if set(words).isdisjoint(_INSTALLERS.get(name, ())):
        return False
    return file in map(_plain, arguments)


def _first_plain(arguments: Sequence[str]) -> str:
    return next((argument for argument in arguments if not argument.startswith("-")), "")


def _makes_executable(command: Command, file: str) -> bool:
    words = [_plain(word.text) for word in unwrap_command(command)[1:]]
    return (
        program(command) == "chmod"
        and file in words
        and any(re.search(r"\+\w*x|^[0-7]*[157]", w) for w in words)
    )


def _plain(path: str) -> str:
    """Return a path in its canonical notation."""
    return re.sub(r"\$\{(\w+)(?::\?[^}]*)?\}", r"$\1", path).removeprefix("./")
