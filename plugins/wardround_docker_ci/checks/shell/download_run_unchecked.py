"""DC048: download run unchecked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, Word, unwrapped
from wardround.storage.regex_cache import bounded
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
            if download is None:
                continue
            later = commands[at + 1 :]
            run = next((one for one in later if _runs(one, download.file)), None)
            if run is None and download.url.startswith("http://"):
                run = next((one for one in later if _makes_executable(one, download.file)), None)
            if run is not None:
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


def _download(command: Command) -> _Download | None:
    """Return the URL that a command downloads and the file it writes."""
    if program(command) not in FETCHERS:
        return None
    words = unwrapped(command)
    url = next(
        (w.text for w in words[1:] if bounded(r"https?://|\$\{?\w*(?:URL|url)\w*\}?").match(w.text)), ""
    )
    if not url or _LOCAL.search(url):
        return None
    file = next(_into(program(command), words), "") or _redirected(command)
    if not file and (program(command) == "wget" or command.has_flag("O", "--remote-name")):
        file = url.split("?", 1)[0].rpartition("/")[2]
    return _Download(url, _plain(file)) if file and file not in ("-", "/dev/null", "/dev/stdout") else None


def _into(name: str, words: Sequence[Word]) -> Iterator[str]:
    short = "o" if name == "curl" else "O"
    for at, word in enumerate(words[1:], 1):
        option, sign, value = word.text.partition("=")
        is_short = re.match(rf"-[a-zA-Z]*{short}$", word.text) is not None
        if sign and option in ("--output", "--output-document"):
            yield value
        elif (is_short or word.text in ("--output", "--output-document")) and at + 1 < len(words):
            yield words[at + 1].text
        elif name == "wget" and word.text.startswith("-O") and len(word.text) > len("-O"):
            yield word.text[2:]


def _redirected(command: Command) -> str:
    return next((one.target for one in command.redirects if one.sign in (">", ">>", ">|")), "")


def _runs(command: Command, file: str) -> bool:
    """Return True if a command runs or installs a file."""
    words = unwrapped(command)
    if not words or not file:
        return False
    name = program(command)
    if _plain(words[0].text) == file and ("/" in words[0].text or "$" in words[0].text):
        return True
    if name in INTERPRETERS or name in ("source", "."):
        return _plain(next((w.text for w in words[1:] if not w.text.startswith("-")), "")) == file
    if name in _INSTALLERS and any(word.text in _INSTALLERS[name] for word in words):
        return any(_plain(word.text) == file for word in words[1:])
    return False


def _makes_executable(command: Command, file: str) -> bool:
    words = [_plain(word.text) for word in unwrapped(command)[1:]]
    return (
        program(command) == "chmod"
        and file in words
        and any(re.search(r"\+\w*x|^[0-7]*[157]", w) for w in words)
    )


def _plain(path: str) -> str:
    """Return a path in its canonical notation."""
    return re.sub(r"\$\{(\w+)(?::\?[^}]*)?\}", r"$\1", path).removeprefix("./")
